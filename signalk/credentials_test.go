package signalk_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/signalk"
)

// secured is a server with its security on, as 2.23.0 was recorded: a bad token
// is refused everywhere, none gets a hello and silence.
type secured struct {
	*httptest.Server
	mu       sync.Mutex
	token    string // the one that is good
	error    string // of the upgrade with another
	seen     []string
	password string
	request  string // state of an access request: "", PENDING, APPROVED, DENIED, lost
	requests int
	readonly bool // anybody may read
	streams  []*websocket.Conn
}

func newSecured(t *testing.T, overTLS bool) *secured {
	s := &secured{token: "good-000", error: "invalid signature", password: "pw-000"}
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	if overTLS {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *secured) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *secured) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	shown := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.seen = append(s.seen, r.Method+" "+r.RequestURI+" "+shown)
	good, none := shown == s.token, shown == ""
	body, _ := io.ReadAll(r.Body)
	reply := func(status int, text string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, text)
	}
	switch {
	case r.URL.Path == "/signalk":
		reply(200, `{"endpoints":{"v1":{"signalk-ws":"ws://`+r.Host+`/signalk/v1/stream"}},"server":{"version":"2.23.0"}}`)
	case r.URL.Path == "/signalk/v1/auth/login":
		var login struct{ Username, Password string }
		json.Unmarshal(body, &login)
		switch {
		case r.Header.Get("Content-Type") != "application/json":
			http.Redirect(w, r, "/", http.StatusFound)
		case login.Username == "reader" && login.Password == s.password:
			reply(200, `{"token":"`+s.token+`"}`)
		default:
			reply(401, `{"statusCode":401,"message":"Invalid username/password"}`)
		}
	case r.URL.Path == "/signalk/v1/access/requests":
		var ask struct{ ClientID, Description, Permissions string }
		json.Unmarshal(body, &ask)
		s.requests++
		switch {
		case ask.ClientID == "" || ask.Description == "" || ask.Permissions != "readonly":
			reply(400, `{"state":"COMPLETED","statusCode":400}`)
		case s.request == "PENDING":
			reply(400, `{"state":"COMPLETED","statusCode":400,"message":"A device with clientId '`+ask.ClientID+`' has already requested access"}`)
		default:
			s.request = "PENDING"
			reply(202, `{"state":"PENDING","requestId":"r1","statusCode":202,"href":"/signalk/v1/requests/r1","ip":"::ffff:127.0.0.1","user":null}`)
		}
	case r.URL.Path == "/signalk/v1/requests/r1":
		switch s.request {
		case "PENDING":
			reply(200, `{"state":"PENDING","requestId":"r1","statusCode":202}`)
		case "APPROVED":
			reply(200, `{"state":"COMPLETED","statusCode":200,"accessRequest":{"permission":"APPROVED","token":"`+s.token+`"}}`)
		case "DENIED":
			reply(200, `{"state":"COMPLETED","statusCode":200,"accessRequest":{"permission":"DENIED"}}`)
		default:
			reply(500, "Unable to check request: not found")
		}
	case !good && !none:
		if r.URL.Path == "/signalk/v1/stream" {
			reply(401, `{"error":"`+s.error+`"}`)
		} else {
			reply(401, "bad auth token")
		}
	case r.URL.Path == "/signalk/v1/stream":
		allowed := good || s.readonly
		s.mu.Unlock()
		s.stream(w, r, allowed)
		return
	case none && !s.readonly:
		reply(401, "Unauthorized")
	case r.URL.Path == "/signalk/v1/api/self":
		reply(200, `"`+self+`"`)
	default:
		reply(404, "")
	}
	s.mu.Unlock()
}

func (s *secured) stream(w http.ResponseWriter, r *http.Request, allowed bool) {
	ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer ws.Close()
	s.set(func() { s.streams = append(s.streams, ws) })
	ws.WriteMessage(websocket.TextMessage, []byte(hello(time.Now(), "")))
	for {
		_, msg, err := ws.ReadMessage()
		if err != nil {
			return
		}
		if allowed && strings.Contains(string(msg), "vessels.self") {
			ws.WriteMessage(websocket.TextMessage, []byte(value("s", time.Now(), depth, "3.2")))
		}
	}
}

func (s *secured) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.seen, "\n")
}

// secret writes a file for its owner only.
func secret(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func refusedFor(why string) func(signalk.View) bool {
	return func(w signalk.View) bool {
		return w.Link().State == signalk.Refused && strings.Contains(w.Link().Reason, why)
	}
}

// Each way of being refused has words of its own.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		credentials signalk.Credentials
		error       string
		reason      string
	}{
		"expired":            {signalk.Credentials{Token: "old-000"}, "jwt expired", "the token has expired"},
		"of another server":  {signalk.Credentials{Token: "bad-000"}, "invalid signature", "not valid for this server"},
		"garbage":            {signalk.Credentials{Token: "garbage"}, "jwt malformed", "not valid for this server"},
		"none":               {signalk.Credentials{}, "", "lets nobody read without a token"},
		"the wrong password": {signalk.Credentials{User: "reader", Password: "guess"}, "", "the user or the password is wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSecured(t, false)
			s.set(func() { s.error = tt.error })
			v := follow(t, signalk.Options{URL: s.URL, Credentials: tt.credentials})
			eventually(t, v, name, refusedFor(tt.reason))
		})
	}
}

func TestEachCredential(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	for name, credentials := range map[string]signalk.Credentials{
		"token":        {Token: "good-000"},
		"token file":   {TokenFile: secret(t, "\ufeffgood-000\r\n")},
		"user":         {User: "reader", Password: "pw-000"},
		"login file":   {LoginFile: secret(t, "reader:pw-000\n")},
		"stored token": {StateDir: state},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSecured(t, false)
			if credentials.StateDir != "" {
				file := signalk.TokenFileOf(state, strings.TrimPrefix(s.URL, "http://"))
				require.NoError(t, os.WriteFile(file, []byte("good-000"), 0o600))
			}
			v := follow(t, signalk.Options{URL: s.URL, Credentials: credentials})
			eventually(t, v, name, isLive)
			for _, line := range strings.Split(s.log(), "\n") {
				assert.NotContains(t, line[:strings.LastIndex(line, " ")], "000", "no secret is in a URL")
			}
		})
	}
}

// A token that is replaced in its file is used at the next try, and, after
// Reload, at once.
func TestTokenFileIsReadAgain(t *testing.T) {
	t.Parallel()
	s := newSecured(t, false)
	s.set(func() { s.error = "jwt expired" })
	file := secret(t, "old-000")
	v := signalk.NewVessel(signalk.VesselOptions{})
	c := newClient(t, v, signalk.Options{URL: s.URL, Credentials: signalk.Credentials{TokenFile: file}})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { c.Run(ctx) })
	defer running.Wait()
	defer cancel()
	eventually(t, v, "the old token is refused", refusedFor("expired"))
	require.NoError(t, os.WriteFile(file, []byte("good-000"), 0o600))
	c.Reload()
	eventually(t, v, "the new one is taken", isLive)
	// While connected, Reload connects anew with what is in the file now.
	s.set(func() { s.token = "newer-000" })
	require.NoError(t, os.WriteFile(file, []byte("newer-000"), 0o600))
	c.Reload()
	eventually(t, v, "connected again", func(w signalk.View) bool { return w.Link().Up() && w.Stats().Hellos >= 2 })
	assert.Contains(t, s.log(), "stream?subscribe=none&sendMeta=all newer-000")
}

// From Reload until the server has answered anew there is no link, whatever is
// remembered; a file that is gone by then is named.
func TestReload(t *testing.T) {
	t.Parallel()
	s := newSecured(t, false)
	hold := make(chan struct{})
	var asked atomic.Int32
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/signalk" && asked.Add(1) == 2 {
			<-hold
		}
		s.ServeHTTP(w, r)
	}))
	defer front.Close()
	file := secret(t, "good-000")
	v := signalk.NewVessel(signalk.VesselOptions{})
	c := newClient(t, v, signalk.Options{URL: front.URL, Credentials: signalk.Credentials{TokenFile: file}})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { c.Run(ctx) })
	defer running.Wait()
	defer cancel()
	eventually(t, v, "live", isLive)
	require.NoError(t, os.Remove(file))
	c.Reload()
	require.Eventually(t, func() bool { return asked.Load() == 2 }, 5*time.Second, time.Millisecond)
	assert.False(t, linkOf(v).Up())
	close(hold)
	eventually(t, v, "names the file", func(w signalk.View) bool { return strings.Contains(w.Link().Reason, file) })
}

// A password gets a new token when the old one is refused.
func TestLoginIsRepeated(t *testing.T) {
	t.Parallel()
	s := newSecured(t, false)
	v := follow(t, signalk.Options{URL: s.URL, Credentials: signalk.Credentials{User: "reader", Password: "pw-000"}})
	eventually(t, v, "live", isLive)
	s.set(func() {
		s.token, s.error = "second-000", "jwt expired"
		for _, ws := range s.streams {
			ws.Close()
		}
	})
	eventually(t, v, "live with a new token", func(w signalk.View) bool { return w.Link().Up() && w.Stats().Hellos >= 2 })
}

// What an owner wrote wrongly is said at start, in a line, without the secret.
func TestBadCredentials(t *testing.T) {
	t.Parallel()
	open := secret(t, "good-000")
	require.NoError(t, os.Chmod(open, 0o644))
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	binary := secret(t, "\x00\xff\x01")
	for name, tt := range map[string]struct {
		credentials signalk.Credentials
		says        string
	}{
		"a token that forges headers":  {signalk.Credentials{Token: "good-000\nX-Evil: yes"}, "no token has"},
		"a file that others may read":  {signalk.Credentials{TokenFile: open}, "chmod 600"},
		"a file that is not there":     {signalk.Credentials{TokenFile: filepath.Join(t.TempDir(), "none")}, "no such file"},
		"an empty file":                {signalk.Credentials{TokenFile: secret(t, " \n")}, "is empty"},
		"a file with two lines":        {signalk.Credentials{TokenFile: secret(t, "good-000\nX: good-000")}, "no token has"},
		"a login without a colon":      {signalk.Credentials{LoginFile: secret(t, "good-000")}, "USER:PASSWORD"},
		"a user without a password":    {signalk.Credentials{User: "reader"}, "belong together"},
		"a password without a user":    {signalk.Credentials{Password: "good-000"}, "belong together"},
		"a login file for everybody":   {signalk.Credentials{LoginFile: open}, "chmod 600"},
		"a folder in the file's place": {signalk.Credentials{TokenFile: t.TempDir()}, "no regular file"},
		"a pipe in the file's place":   {signalk.Credentials{TokenFile: pipe}, "no regular file"},
		"a file without an end":        {signalk.Credentials{TokenFile: secret(t, strings.Repeat("good-000", 3000))}, "too large"},
		"a file of something else":     {signalk.Credentials{TokenFile: binary}, binary},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := signalk.NewClient(signalk.NewVessel(signalk.VesselOptions{}), signalk.Options{URL: "http://boat", Credentials: tt.credentials})
			require.Error(t, err)
			assert.Contains(t, err.Error(), tt.says)
			assert.NotContains(t, err.Error(), "good-000")
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

// askAccess runs an access request against a server.
func askAccess(t *testing.T, s *secured, dir string, ctx context.Context) (string, error) {
	t.Helper()
	c := newClient(t, signalk.NewVessel(signalk.VesselOptions{}), signalk.Options{URL: s.URL})
	return signalk.AccessRequest{Client: c, StateDir: dir, Description: "signalk-mcp in a test"}.Run(ctx)
}

func TestAccessRequest(t *testing.T) {
	t.Parallel()
	s := newSecured(t, false)
	dir := filepath.Join(t.TempDir(), "state")
	// Nobody answers in time; the request stands, and is waited for the next time.
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := askAccess(t, s, dir, short)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	s.set(func() { assert.Equal(t, 1, s.requests) })
	go func() {
		for range 200 {
			time.Sleep(10 * time.Millisecond)
			s.set(func() {
				if s.requests == 2 {
					s.request = "APPROVED"
				}
			})
		}
	}()
	file, err := askAccess(t, s, dir, t.Context())
	require.NoError(t, err)
	token, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "good-000\n", string(token))
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	folder, err := os.Stat(dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), folder.Mode().Perm())
	v := follow(t, signalk.Options{URL: s.URL, Credentials: signalk.Credentials{StateDir: dir}})
	eventually(t, v, "used from now on", isLive)
}

func TestAccessRequestEnds(t *testing.T) {
	t.Parallel()
	for state, says := range map[string]string{"DENIED": "denied", "lost": "forgotten"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			s := newSecured(t, false)
			dir := t.TempDir()
			time.AfterFunc(200*time.Millisecond, func() { s.set(func() { s.request = state }) })
			_, err := askAccess(t, s, dir, t.Context())
			require.ErrorContains(t, err, says)
			assert.NoFileExists(t, signalk.TokenFileOf(dir, strings.TrimPrefix(s.URL, "http://")))
			assert.NoFileExists(t, filepath.Join(dir, "request.json"), "asked anew the next time")
		})
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	s := newSecured(t, true)
	s.set(func() { s.readonly = true })
	certificate := secret(t, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
	roots, err := signalk.ReadRoots(certificate)
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		tls signalk.TLS
		up  bool
	}{
		"signed by nobody known": {signalk.TLS{}, false},
		"trusted by its file":    {signalk.TLS{Roots: roots}, true},
		"any is trusted":         {signalk.TLS{Insecure: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := follow(t, signalk.Options{URL: s.URL, TLS: tt.tls})
			eventually(t, v, name, func(w signalk.View) bool {
				return w.Link().Up() == tt.up && (tt.up || strings.Contains(w.Link().Reason, "-ca") && strings.Contains(w.Link().Reason, "-insecure"))
			})
		})
	}
	_, err = signalk.ReadRoots(secret(t, "no certificate"))
	require.ErrorContains(t, err, "PEM")
}

// https never leads to http.
func TestNoRedirectFromTLS(t *testing.T) {
	t.Parallel()
	s := newSecured(t, false)
	front := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.URL+r.RequestURI, http.StatusFound)
	}))
	defer front.Close()
	v := follow(t, signalk.Options{URL: front.URL, TLS: signalk.TLS{Insecure: true}, Credentials: signalk.Credentials{Token: "good-000"}})
	eventually(t, v, "refuses", func(w signalk.View) bool { return strings.Contains(w.Link().Reason, "from https to http") })
	assert.Empty(t, s.log(), "nothing was asked in clear")
}

// A certificate that no -ca can help is told apart.
func TestUnusableCertificates(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	now := time.Now()
	for name, tt := range map[string]struct {
		host          string
		from, until   time.Time
		says, saysNot string
	}{
		"for another name": {"boat.example", now.Add(-time.Hour), now.Add(time.Hour), "not for this address", "-ca"},
		"expired":          {"127.0.0.1", now.Add(-2 * time.Hour), now.Add(-time.Hour), "clock", "-ca"},
		"of the future":    {"127.0.0.1", now.Add(time.Hour), now.Add(2 * time.Hour), "clock", "-ca"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: tt.from, NotAfter: tt.until, IsCA: true, BasicConstraintsValid: true}
			if ip := net.ParseIP(tt.host); ip != nil {
				template.IPAddresses = []net.IP{ip}
			} else {
				template.DNSNames = []string{tt.host}
			}
			der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
			require.NoError(t, err)
			s := httptest.NewUnstartedServer(http.NotFoundHandler())
			s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
			s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
			s.StartTLS()
			defer s.Close()
			roots, err := signalk.ReadRoots(secret(t, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))))
			require.NoError(t, err)
			v := follow(t, signalk.Options{URL: s.URL, TLS: signalk.TLS{Roots: roots}})
			eventually(t, v, name, func(w signalk.View) bool { return w.Link().State == signalk.Down })
			assert.Contains(t, linkOf(v).Reason, tt.says)
			assert.NotContains(t, linkOf(v).Reason, tt.saysNot)
			assert.Contains(t, linkOf(v).Reason, "-insecure")
		})
	}
}

// http leads to https on another port of the same host; the token goes with it.
func TestRedirectToTLS(t *testing.T) {
	t.Parallel()
	s := newSecured(t, true)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Empty(t, r.Header.Get("Authorization"), "the question for the stream needs no token")
		http.Redirect(w, r, s.URL+r.RequestURI, http.StatusFound)
	}))
	defer front.Close()
	v := follow(t, signalk.Options{URL: front.URL, TLS: signalk.TLS{Insecure: true}, Credentials: signalk.Credentials{Token: "good-000"}})
	eventually(t, v, "live", isLive)
}

// A token that was got through a redirect is found through it.
func TestAccessRequestThroughARedirect(t *testing.T) {
	t.Parallel()
	s := newSecured(t, true)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.URL+r.RequestURI, http.StatusFound)
	}))
	defer front.Close()
	dir := t.TempDir()
	o := signalk.Options{URL: front.URL, TLS: signalk.TLS{Insecure: true}}
	c := newClient(t, signalk.NewVessel(signalk.VesselOptions{}), o)
	_, err := signalk.AccessRequest{Client: c, StateDir: dir, Description: "signalk-mcp in a test", Asked: func(string, string) {
		s.set(func() { s.request = "APPROVED" })
	}}.Run(t.Context())
	require.NoError(t, err)
	o.Credentials.StateDir = dir
	v := follow(t, o)
	eventually(t, v, "the token is used", isLive)
}

func TestDiagnose(t *testing.T) {
	t.Parallel()
	s := newSecured(t, true)
	diagnose := func(o signalk.Options) (names []string, last signalk.Check) {
		c := newClient(t, signalk.NewVessel(signalk.VesselOptions{}), o)
		for _, check := range c.Diagnose(t.Context()) {
			names, last = append(names, check.Name), check
			assert.NotContains(t, check.Detail, "000")
		}
		return names, last
	}
	names, last := diagnose(signalk.Options{URL: s.URL, TLS: signalk.TLS{Insecure: true}, Credentials: signalk.Credentials{Token: "good-000"}})
	assert.Equal(t, []string{"address", "name", "tcp", "tls", "server", "access"}, names)
	assert.True(t, last.OK, last.Detail)
	for name, tt := range map[string]struct {
		o     signalk.Options
		check string
		says  string
	}{
		"a certificate of nobody": {signalk.Options{URL: s.URL}, "tls", "-insecure"},
		"no token":                {signalk.Options{URL: s.URL, TLS: signalk.TLS{Insecure: true}}, "access", "without a token"},
		"a bad token":             {signalk.Options{URL: s.URL, TLS: signalk.TLS{Insecure: true}, Credentials: signalk.Credentials{Token: "bad-000"}}, "access", "token"},
		"a port without a server": {signalk.Options{URL: "http://127.0.0.1:1"}, "tcp", "connection refused"},
	} {
		_, last := diagnose(tt.o)
		assert.Equal(t, tt.check, last.Name, name)
		assert.False(t, last.OK, name)
		assert.Contains(t, last.Detail, tt.says, name)
	}
}
