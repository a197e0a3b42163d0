package signalk_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"signalk-mcp/mock"
	"signalk-mcp/signalk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newClient makes a client, and sees at the end of the test that none of its
// secrets, which all end alike, is in its log or in what is said of the link.
func newClient(t *testing.T, v *signalk.Vessel, o signalk.Options) *signalk.Client {
	t.Helper()
	var log bytes.Buffer
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	c, err := signalk.NewClient(v, o)
	require.NoError(t, err)
	t.Cleanup(func() {
		v.Read(func(w signalk.View) { fmt.Fprintf(&log, "%+v", w.Link()) })
		assert.NotContains(t, log.String(), "-000", "a secret")
	})
	return c
}

// follow runs a client on a vessel until the test ends.
func follow(t *testing.T, o signalk.Options) *signalk.Vessel {
	t.Helper()
	v := signalk.NewVessel(signalk.VesselOptions{})
	c := newClient(t, v, o)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { c.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return v
}

// eventually waits for what a goroutine of the client does.
func eventually(t *testing.T, v *signalk.Vessel, what string, ok func(signalk.View) bool) {
	t.Helper()
	require.Eventually(t, func() (done bool) {
		v.Read(func(w signalk.View) { done = ok(w) })
		return done
	}, 10*time.Second, 5*time.Millisecond, what)
}

func isLive(w signalk.View) bool { return w.Link().Up() }

func TestClientFollowsAServer(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2.23.0", "2.32.0"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := mock.NewServer(mock.Options{Version: version})
			defer s.Close()
			v := follow(t, signalk.Options{URL: s.URL})
			<-v.Settled()
			eventually(t, v, "the route's resource is fetched", func(w signalk.View) bool { return len(w.Route().Points) > 0 })
			v.Read(func(w signalk.View) {
				assert.True(t, w.Link().Up())
				assert.Equal(t, strings.TrimPrefix(s.URL, "http://"), w.Link().Server)
				assert.Equal(t, w.Course().Route.Href, w.Route().Href)
				keel, _ := w.Reading("environment.depth.belowKeel").Value.Number()
				transducer, _ := w.Reading(depth).Value.Number()
				offset, _ := w.Reading("environment.depth.transducerToKeel").Value.Number()
				assert.Negative(t, offset, "as NMEA 2000 sends it")
				assert.InDelta(t, transducer+offset, keel, 1e-6)
				assert.Equal(t, "m", w.Meta(depth).Units)
			})
			eventually(t, v, "other vessels", func(w signalk.View) bool { return len(w.Others()) >= 3 })
			eventually(t, v, "values prove to be alive", func(w signalk.View) bool { return w.Reading(depth).Alive })
			requests := strings.Join(s.Requests(), "\n")
			assert.Contains(t, requests, "subscribe=none&sendMeta=all")
			assert.NotContains(t, requests, "minPeriod", "it loses the last value of a burst")
			assert.NotContains(t, requests, "ideal", "the server does not know it")
		})
	}
}

func TestClientComesBack(t *testing.T) {
	t.Parallel()
	s := mock.NewServer(mock.Options{NoVessel: true})
	defer s.Close()
	require.NoError(t, s.Set(depth, 3.0))
	v := follow(t, signalk.Options{URL: s.URL})
	is := func(want float64) func(signalk.View) bool {
		return func(w signalk.View) bool {
			got, _ := w.Reading(depth).Value.Number()
			return w.Link().Up() && got == want
		}
	}
	eventually(t, v, "first value", is(3))
	s.Drop()
	require.NoError(t, s.Set(depth, 4.0))
	eventually(t, v, "after a cut socket", is(4))
	s.Stop()
	eventually(t, v, "the loss is noticed", func(w signalk.View) bool { return w.Link().State == signalk.Down })
	eventually(t, v, "and explained", func(w signalk.View) bool { return w.Link().Reason == "connection refused" })
	require.NoError(t, s.Restart(true))
	require.NoError(t, s.Set(depth, 5.0))
	eventually(t, v, "after a restart, subscribed again", is(5))
	v.Read(func(w signalk.View) { assert.True(t, w.Restarted()) })
}

func TestClientFollowsTheActiveRoute(t *testing.T) {
	t.Parallel()
	s := mock.NewServer(mock.Options{NoVessel: true})
	defer s.Close()
	resource := func(name string) map[string]any {
		return map[string]any{"name": name, "feature": map[string]any{
			"geometry":   map[string]any{"type": "LineString", "coordinates": [][]float64{{24, 60}, {24.05, 60.02}}},
			"properties": map[string]any{"coordinatesMeta": []map[string]string{{"name": "Start"}, {"name": "Mid"}}}}}
	}
	require.NoError(t, s.SetDoc("/signalk/v2/api/resources/routes/r1", resource("One")))
	require.NoError(t, s.Set("navigation.course.activeRoute", map[string]any{"href": "/resources/routes/r1", "pointIndex": 1}))
	v := follow(t, signalk.Options{URL: s.URL})
	named := func(name string) func(signalk.View) bool {
		return func(w signalk.View) bool { return w.Route().Name == name }
	}
	eventually(t, v, "the first route", named("One"))
	v.Read(func(w signalk.View) {
		p := w.Route().Points
		require.Len(t, p, 2)
		assert.Equal(t, "Mid", p[1].Name)
		assert.Equal(t, 60.02, p[1].Position.Latitude, "GeoJSON is longitude first")
		assert.Equal(t, 24.05, p[1].Position.Longitude)
	})
	require.NoError(t, s.SetDoc("/signalk/v2/api/resources/routes/r2", resource("Two")))
	require.NoError(t, s.Set("navigation.course.activeRoute", map[string]any{"href": "/resources/routes/r2"}))
	eventually(t, v, "another route", named("Two"))
	require.NoError(t, s.SetDoc("/signalk/v2/api/resources/routes/r2", resource("Two, changed")))
	require.NoError(t, s.Set("resources.routes.r2", map[string]any{"name": "Two, changed"}))
	require.NoError(t, s.Set(depth, 3.0))
	eventually(t, v, "the same route, changed", named("Two, changed"))

	// A reference that leads elsewhere is not followed.
	require.NoError(t, s.Set("navigation.course.activeRoute", map[string]any{"href": "/../../../admin?x=/resources/routes/r1"}))
	require.NoError(t, s.Set(depth, 4.0))
	eventually(t, v, "the next value", func(w signalk.View) bool { f, _ := w.Reading(depth).Value.Number(); return f == 4 })
	assert.NotContains(t, strings.Join(s.Requests(), "\n"), "admin")
}

func TestTokenTravelsInTheHeaderOnly(t *testing.T) {
	t.Parallel()
	s := mock.NewServer(mock.Options{Token: "token-000"})
	defer s.Close()
	var log bytes.Buffer
	v := follow(t, signalk.Options{URL: s.URL, Credentials: signalk.Credentials{Token: "token-000"}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	eventually(t, v, "live", isLive)
	requests := strings.Join(s.Requests(), "\n")
	assert.Contains(t, requests, "Bearer token-000")
	assert.NotContains(t, requests, "token=")
}

func TestRefusedToken(t *testing.T) {
	t.Parallel()
	s := mock.NewServer(mock.Options{Token: "good-000"})
	defer s.Close()
	v := follow(t, signalk.Options{URL: s.URL, Credentials: signalk.Credentials{Token: "bad-000"}})
	<-v.Settled()
	eventually(t, v, "refused", func(w signalk.View) bool { return w.Link().State == signalk.Refused })
}

// Where the server's answers lead: never to another host.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("the other host was asked for %s with %q", r.URL, r.Header.Get("Authorization"))
	}))
	defer other.Close()
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	for name, tt := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request, s *mock.Server)
		reason string // empty: connects
	}{
		"a stream on another host is looked for on ours": {func(w http.ResponseWriter, _ *http.Request, _ *mock.Server) {
			io.WriteString(w, `{"endpoints":{"v1":{"signalk-ws":"`+strings.Replace(elsewhere, "http", "ws", 1)+`/signalk/v1/stream"}}}`)
		}, "the stream was answered with status 404"},
		"no addresses at all": {func(w http.ResponseWriter, _ *http.Request, _ *mock.Server) {
			io.WriteString(w, `{"endpoints":{}}`)
		}, "the stream was answered with status 404"},
		"a redirect to another host": {func(w http.ResponseWriter, r *http.Request, _ *mock.Server) {
			http.Redirect(w, r, elsewhere+"/signalk", http.StatusFound)
		}, "it redirects to another host"},
		"redirects without end": {func(w http.ResponseWriter, r *http.Request, _ *mock.Server) {
			http.Redirect(w, r, "/signalk", http.StatusFound)
		}, "too many redirects"},
		"not a Signal K server": {func(w http.ResponseWriter, _ *http.Request, _ *mock.Server) {
			io.WriteString(w, "<html>router</html>")
		}, "no Signal K server"},
		"a server in trouble": {func(w http.ResponseWriter, _ *http.Request, _ *mock.Server) {
			w.WriteHeader(http.StatusBadGateway)
		}, "status 502"},
		"the stream on another port of this host": {func(w http.ResponseWriter, _ *http.Request, s *mock.Server) {
			io.WriteString(w, `{"endpoints":{"v1":{"signalk-ws":"`+strings.Replace(s.URL, "http", "ws", 1)+`/signalk/v1/stream"}}}`)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mock.NewServer(mock.Options{})
			defer s.Close()
			front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/signalk" {
					tt.answer(w, r, s)
					return
				}
				http.NotFound(w, r)
			}))
			defer front.Close()
			v := follow(t, signalk.Options{URL: front.URL, Credentials: signalk.Credentials{Token: "token-000"}})
			eventually(t, v, name, func(w signalk.View) bool {
				if tt.reason == "" {
					return w.Link().Up()
				}
				return w.Link().State == signalk.Down && strings.Contains(w.Link().Reason, tt.reason)
			})
		})
	}
}

// A path that is no stream's is not answered at all (signalk-server 2.23, 2.32):
// the end of the program does not wait for the upgrade.
func TestEndInMidUpgrade(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/signalk" {
			io.WriteString(w, `{"endpoints":{}}`)
			return
		}
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer s.Close()
	c := newClient(t, signalk.NewVessel(signalk.VesselOptions{}), signalk.Options{URL: s.URL})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		c.Run(ctx)
		close(ended)
	}()
	<-asked
	begin := time.Now()
	cancel()
	<-ended
	assert.Less(t, time.Since(begin), time.Second)
}

func TestReasonsAreWords(t *testing.T) {
	t.Parallel()
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	defer tls.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for url, want := range map[string]string{
		tls.URL:    "its TLS certificate is signed by nobody who is trusted; trust it with -ca FILE, or any with -insecure",
		closed.URL: "connection refused",
		"https" + strings.TrimPrefix(plain.URL, "http"):                   "it does not speak TLS: try http instead of https",
		"http://skipper:pw-secret@no-such-boat.invalid:3000?token=secret": "the name no-such-boat.invalid was not found",
	} {
		v := follow(t, signalk.Options{URL: url, Dial: resolved})
		eventually(t, v, url, func(w signalk.View) bool {
			assert.NotContains(t, w.Link().Reason+w.Link().Server, "secret")
			return w.Link().Reason == want
		})
	}
}

// Nothing of an answer that is no HTTP is in a reason: it is spoken, and logged.
func TestAnswersAreNotRepeated(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"an instrument's sentences":  "$GPRMC,hostile,words\r\n",
		"a status that is none":      "HTTP/1.1 XYZ hostile words\r\n\r\n",
		"a status with words":        "HTTP/1.1 hostile\r\n\r\n",
		"a redirect with a password": "HTTP/1.1 302 Found\r\nLocation: http://hostile:words@[::1/%zz\r\nContent-Length: 0\r\n\r\n",
		"a redirect that is none":    "HTTP/1.1 302 Found\r\nLocation: hostile://127.0.0.1/words\r\nContent-Length: 0\r\n\r\n",
		"headers that are none":      "HTTP/1.1 200 OK\r\nhostile words\r\n\r\n",
		"an encoding that is none":   "HTTP/1.1 200 OK\r\nTransfer-Encoding: hostile\r\n\r\n",
		"a stream that is none":      "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			var serving sync.WaitGroup
			serving.Go(func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					r, err := http.ReadRequest(bufio.NewReader(conn))
					switch {
					case err != nil:
					case answer != "":
						io.WriteString(conn, answer)
					case r.URL.Path == "/signalk":
						io.WriteString(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 16\r\n\r\n{\"endpoints\":{}}")
					default:
						io.WriteString(conn, "HTTP/1.1 hostile words\r\n\r\n")
					}
					conn.Close()
				}
			})
			defer serving.Wait()
			defer l.Close()
			v := follow(t, signalk.Options{URL: l.Addr().String()})
			eventually(t, v, name, func(w signalk.View) bool { return w.Link().State == signalk.Down })
			assert.NotContains(t, linkOf(v).Reason, "hostile")
			assert.NotContains(t, linkOf(v).Reason, "words")
		})
	}
}

// A proxy may have the server below a path, which the server does not know of, and
// may redirect there.
func TestBelowAPath(t *testing.T) {
	t.Parallel()
	s := mock.NewServer(mock.Options{})
	defer s.Close()
	target, err := url.Parse(s.URL)
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("/boat/", http.StripPrefix("/boat", httputil.NewSingleHostReverseProxy(target)))
	mux.Handle("/signalk", http.RedirectHandler("/boat/signalk", http.StatusFound))
	front := httptest.NewServer(mux)
	defer front.Close()
	for _, address := range []string{front.URL + "/boat", front.URL + "/boat/signalk/v1/api/", front.URL} {
		v := follow(t, signalk.Options{URL: address})
		eventually(t, v, address, isLive)
	}
}

// An upgrade that is answered by headers without end is not read to its end.
func TestEndlessHeaders(t *testing.T) {
	t.Parallel()
	sent := make(chan int, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/signalk" {
			io.WriteString(w, `{"endpoints":{}}`)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\n")
		n := 0
		for ; err == nil && n < 1<<30; n += 1 << 10 {
			_, err = fmt.Fprintf(conn, "X: %s\r\n", strings.Repeat("x", 1<<10))
		}
		select {
		case sent <- n:
		default:
		}
	}))
	defer s.Close()
	v := follow(t, signalk.Options{URL: s.URL})
	assert.Less(t, <-sent, 16<<20, "what the sockets hold, and little more")
	eventually(t, v, "down", func(w signalk.View) bool { return w.Link().State == signalk.Down })
}

// Who stops a question is told that, and not that the server is none.
func TestStoppedQuestion(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer s.Close()
	c := newClient(t, signalk.NewVessel(signalk.VesselOptions{}), signalk.Options{URL: s.URL})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	checks := c.Diagnose(ctx)
	assert.Contains(t, checks[len(checks)-1].Detail, "stopped")
}

// resolved dials without asking a name server.
func resolved(ctx context.Context, network, address string) (net.Conn, error) {
	if host, _, _ := net.SplitHostPort(address); strings.HasSuffix(host, ".invalid") {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"boat.local:3000":                  "boat.local:3000",
		"http://boat:3000/":                "boat:3000",
		"ws://boat:3000/signalk/v1/stream": "boat:3000",
		"wss://boat/signalk":               "boat",
		"https://[::1]:3443":               "[::1]:3443",
		" http://boat ":                    "boat",
		"ftp://boat":                       "",
		"http://":                          "",
		"http://a b":                       "",
		"://":                              "",
		"boat:port":                        "",
		"boat:70000":                       "",
		"boat:0":                           "",
	} {
		v := signalk.NewVessel(signalk.VesselOptions{})
		_, err := signalk.NewClient(v, signalk.Options{URL: in})
		if want == "" {
			require.Error(t, err, in)
			assert.Contains(t, err.Error(), "allowed are", in)
			assert.NotContains(t, err.Error(), "\n")
			continue
		}
		require.NoError(t, err, in)
		v.Read(func(w signalk.View) { assert.Equal(t, want, w.Link().Server, in) })
	}
	_, err := signalk.NewClient(signalk.NewVessel(signalk.VesselOptions{}), signalk.Options{Credentials: signalk.Credentials{Token: "token-000\nX-Evil: yes"}})
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "token-000")
	_, err = signalk.NewClient(signalk.NewVessel(signalk.VesselOptions{}), signalk.Options{URL: "http://u:secret@a b:1?token=secret"})
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "secret")
}

// pipes is a network inside the process, whose time can be faked.
type pipes struct {
	conns chan net.Conn
	mu    sync.Mutex
	tries []time.Time
	dead  bool // connections are refused
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn)} }

func (p *pipes) Accept() (net.Conn, error) {
	c, ok := <-p.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p *pipes) Close() error   { return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	p.mu.Lock()
	p.tries = append(p.tries, time.Now())
	dead := p.dead
	p.mu.Unlock()
	if dead {
		return nil, &net.OpError{Op: "dial", Err: io.ErrClosedPipe}
	}
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours, nil
}

func (p *pipes) kill(dead bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead, p.tries = dead, nil
}

func (p *pipes) attempts() []time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tries
}

// boat is a bare server over pipes. mute stops its pongs and its words.
type boat struct {
	*pipes
	mu     sync.Mutex
	ws     []*websocket.Conn
	mute   bool
	empty  bool         // nothing is told after the hello
	silent bool         // nor a hello
	log    *slog.Logger // of the client
	start  string       // serverStartId
}

// say tells a depth to everybody, unless the boat is mute.
func (b *boat) say(depthNow string) { b.send(value("s", time.Now(), depth, depthNow)) }

func (b *boat) send(frame string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mute {
		return
	}
	for _, ws := range b.ws {
		ws.SetWriteDeadline(time.Now().Add(time.Second))
		ws.WriteMessage(websocket.TextMessage, []byte(frame))
	}
}

func (b *boat) ping() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, ws := range b.ws {
		ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
	}
}

func (b *boat) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/signalk" {
		io.WriteString(w, `{"endpoints":{"v1":{"signalk-ws":"ws://boat/signalk/v1/stream"}}}`)
		return
	}
	ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	pong := ws.PingHandler()
	ws.SetPingHandler(func(s string) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.mute {
			return nil
		}
		return pong(s)
	})
	told := make(chan struct{})
	go func() { // a pipe holds nothing: reading must not wait for writing
		defer close(told)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.ws = append(b.ws, ws)
		if b.silent {
			return
		}
		ws.WriteMessage(websocket.TextMessage, []byte(hello(time.Now(), cmp.Or(b.start, "a"))))
		if !b.empty {
			ws.WriteMessage(websocket.TextMessage, []byte(value("s", time.Now(), depth, "3.2")))
		}
	}()
	for {
		if _, _, err := ws.ReadMessage(); err != nil {
			<-told
			return
		}
	}
}

// drop cuts all sockets, and end the server with them.
func (b *boat) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, ws := range b.ws {
		ws.Close()
	}
	b.ws = nil
}

// inVirtualTime runs a test against a boat over pipes, in a bubble whose time
// moves when all wait.
func inVirtualTime(t *testing.T, b *boat, test func(t *testing.T, v *signalk.Vessel)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b.pipes = newPipes()
		srv := &http.Server{Handler: b}
		go srv.Serve(b.pipes)
		v := signalk.NewVessel(signalk.VesselOptions{})
		c := newClient(t, v, signalk.Options{URL: "http://boat", Dial: b.pipes.dial, Logger: b.log})
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { c.Run(ctx) })
		test(t, v)
		cancel()
		running.Wait()
		b.drop()
		close(b.pipes.conns)
		srv.Close()
	})
}

func linkOf(v *signalk.Vessel) (l signalk.Link) {
	v.Read(func(w signalk.View) { l = w.Link() })
	return l
}

// Pings are no hello: who says nothing else is given up.
func TestPingsAreNoHello(t *testing.T) {
	t.Parallel()
	b := &boat{silent: true}
	inVirtualTime(t, b, func(t *testing.T, v *signalk.Vessel) {
		for range 15 {
			time.Sleep(time.Second)
			b.ping()
		}
		assert.Equal(t, signalk.Down, linkOf(v).State)
	})
}

// A second hello on a connection forgets what was subscribed: it begins anew.
func TestSecondHello(t *testing.T) {
	t.Parallel()
	b := &boat{}
	inVirtualTime(t, b, func(t *testing.T, v *signalk.Vessel) {
		time.Sleep(time.Second)
		require.True(t, linkOf(v).Up())
		b.send(hello(time.Now(), "b"))
		time.Sleep(2 * time.Second)
		assert.True(t, linkOf(v).Up())
		assert.Len(t, b.attempts(), 3, "the address, and the stream twice")
	})
}

// Waits between tries are jittered, double from half a second, and stay under
// 30 s; the client never gives up, and begins anew after data has flowed.
func TestBackoff(t *testing.T) {
	t.Parallel()
	b := &boat{}
	inVirtualTime(t, b, func(t *testing.T, v *signalk.Vessel) {
		time.Sleep(time.Second)
		require.True(t, linkOf(v).Up())
		b.kill(true)
		b.drop()
		time.Sleep(time.Hour)
		tries := b.attempts()
		require.Greater(t, len(tries), 100, "for ever")
		for i := 1; i < len(tries); i++ {
			full := min(30*time.Second, 500*time.Millisecond<<min(i, 10))
			gap := tries[i].Sub(tries[i-1])
			assert.LessOrEqual(t, gap, full, "try %d", i)
			assert.GreaterOrEqual(t, gap, full/2, "try %d", i)
		}
		assert.InDelta(t, time.Hour.Seconds(), time.Since(linkOf(v).Since).Seconds(), 1, "down since the loss, not since the last try")
		b.kill(false)
		time.Sleep(31 * time.Second)
		require.True(t, linkOf(v).Up())
		b.drop()
		time.Sleep(time.Second)
		assert.True(t, linkOf(v).Up(), "the wait is short again")
	})
}

// A server that comes and goes all the time does not fill the log.
func TestFlappingIsQuiet(t *testing.T) {
	t.Parallel()
	b := &boat{}
	var log bytes.Buffer
	b.log = slog.New(slog.NewTextHandler(&log, nil))
	inVirtualTime(t, b, func(t *testing.T, v *signalk.Vessel) {
		for range 3600 {
			time.Sleep(time.Second)
			b.drop()
		}
		time.Sleep(time.Second)
		require.True(t, linkOf(v).Up())
		lines := strings.Count(log.String(), "\n")
		assert.LessOrEqual(t, lines, 130, "two a minute")
		assert.GreaterOrEqual(t, lines, 60)

		time.Sleep(time.Minute)
		log.Reset()
		b.kill(true)
		b.drop()
		time.Sleep(5 * time.Minute)
		b.kill(false)
		time.Sleep(time.Minute)
		require.True(t, linkOf(v).Up())
		assert.Equal(t, 2, strings.Count(log.String(), "no connection"), "the loss, and why it lasts")
		assert.Equal(t, 1, strings.Count(log.String(), "connected to"))
	})
}

// A socket whose peer is gone without a word is found within 30 s.
func TestHalfOpenSocketIsFound(t *testing.T) {
	t.Parallel()
	b := &boat{}
	inVirtualTime(t, b, func(t *testing.T, v *signalk.Vessel) {
		time.Sleep(time.Minute)
		require.True(t, linkOf(v).Up(), "a silent boat that answers pings is there")
		b.mu.Lock()
		b.mute = true
		b.mu.Unlock()
		b.kill(true)
		time.Sleep(30 * time.Second)
		assert.Equal(t, signalk.Down, linkOf(v).State)
	})
}

// A day of 24 hours with 40 outages of every kind: no depth older than its limit
// is ever fresh, no alarm of a lost link is confirmed, and after each outage the
// boat is back within the longest wait and the time it takes to find a dead
// socket.
func TestADayWithOutages(t *testing.T) {
	t.Parallel()
	b := &boat{}
	inVirtualTime(t, b, func(t *testing.T, v *signalk.Vessel) {
		chance := rand.New(rand.NewPCG(1, 2))
		begin := time.Now()
		told, recovered := time.Now(), 0 // when the boat last spoke, and how often it came back
		second := func(down bool) {
			time.Sleep(time.Second)
			if !down {
				b.say(fmt.Sprint(3 + chance.Float64()))
				told = time.Now()
			}
			synctest.Wait()
			v.Read(func(w signalk.View) {
				r := w.Reading(depth)
				if r.Fresh() {
					require.LessOrEqual(t, r.Age, 30*time.Second, "%v into the day", time.Since(begin))
				}
				if since := time.Since(told); since > 31*time.Second {
					require.False(t, r.Fresh(), "the boat has been silent for %v", since)
					require.False(t, w.Link().Up(), "a dead socket is found within 30 s")
				}
			})
		}
		for outage := range 40 {
			for range 600 + chance.IntN(1200) {
				second(false)
			}
			require.True(t, linkOf(v).Up(), "before outage %d", outage)
			kind, length := outage%4, 1+chance.IntN(900)
			switch kind {
			case 0: // the socket is cut, and the server there at once
				b.drop()
				length = 0
			case 1: // the server is away
				b.kill(true)
				b.drop()
			case 2: // the cable: nothing comes, and nothing says so
				b.kill(true)
				b.set(func() { b.mute = true })
			case 3: // the server restarts
				b.kill(true)
				b.drop()
				b.set(func() { b.start = fmt.Sprint(outage) })
			}
			for range length {
				second(true)
			}
			b.set(func() { b.mute = false })
			b.kill(false)
			back := time.Now()
			for !linkOf(v).Up() || !fresh(v) {
				second(false)
				require.Less(t, time.Since(back), time.Minute, "after outage %d of kind %d", outage, kind)
			}
			recovered++
		}
		for time.Since(begin) < 24*time.Hour {
			second(false)
		}
		assert.Equal(t, 40, recovered)
	})
}

func fresh(v *signalk.Vessel) bool { return reading(v, depth).Fresh() }

func (b *boat) set(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

// A hello alone is no proof of access.
func TestHelloThenSilence(t *testing.T) {
	t.Parallel()
	b := &boat{empty: true}
	inVirtualTime(t, b, func(t *testing.T, v *signalk.Vessel) {
		time.Sleep(20 * time.Second)
		assert.Equal(t, signalk.Waiting, linkOf(v).State)
		b.mu.Lock()
		for _, ws := range b.ws {
			text, _ := json.Marshal("{message: \"Connection disconnected by security constraint\"}")
			ws.WriteMessage(websocket.TextMessage, text)
		}
		b.mu.Unlock()
		time.Sleep(time.Second)
		assert.Equal(t, signalk.Refused, linkOf(v).State, "the server says so before it closes")
	})
}
