//go:build real

package main_test

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRealSecured shows a server that lets nobody in without a token every kind
// of one.
func TestRealSecured(t *testing.T) {
	t.Parallel()
	binary := build(t)
	for _, version := range realVersions(t) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := startReal(t, version, "ours", t.TempDir(), freePort(t), "--secure")
			for name, show := range map[string]func(*testing.T, *realServer, string){
				"credentials": realCredentials, "token file": realTokenFile, "login": realLogin,
			} {
				t.Run(name, func(t *testing.T) { show(t, s, binary) })
			}
		})
	}
}

// signed makes a token as the server makes them (RFC 7519), with its own key.
func (s *realServer) signed(t *testing.T, claims map[string]any) string {
	t.Helper()
	var security struct{ SecretKey string }
	text, err := os.ReadFile(filepath.Join(s.dir, "security.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &security))
	require.NotEmpty(t, security.SecretKey)
	part := func(x any) string {
		text, err := json.Marshal(x)
		require.NoError(t, err)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	token := part(map[string]string{"alg": "HS256", "typ": "JWT"}) + "." + part(claims)
	mac := hmac.New(sha256.New, []byte(security.SecretKey))
	mac.Write([]byte(token))
	return token + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// settled asks for the depth until the link has an outcome. A server that lets
// nobody in greets them all the same, and is silent: that takes a moment to tell.
func (p *program) settled(t *testing.T) answer {
	t.Helper()
	return p.until(t, func(a answer) bool { return a.status() != "disconnected" })
}

// until asks for the depth until an answer is as wanted.
func (p *program) until(t *testing.T, ok func(answer) bool) answer {
	t.Helper()
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		a := p.depth(t)
		if ok(a) {
			return a
		}
		require.Less(t, time.Since(begin), reconnectWithin, a.text)
	}
}

func (p *program) depth(t *testing.T) answer { return p.call(t, "depth_state") }

func (p *program) call(t *testing.T, tool string) answer {
	t.Helper()
	res, err := p.session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
	require.NoError(t, err)
	a := answer{text: res.Content[0].(*mcp.TextContent).Text, isError: res.IsError}
	require.NoError(t, json.Unmarshal([]byte(a.text), &a.fields))
	return a
}

// realCredentials tries who may read, and what is said to those who may not.
func realCredentials(t *testing.T, s *realServer, binary string) {
	now := time.Now().Unix()
	loginFile := filepath.Join(t.TempDir(), "login")
	require.NoError(t, os.WriteFile(loginFile, []byte("reader:reader-000\n"), 0o600))
	valid := s.signed(t, map[string]any{"id": "reader", "iat": now, "exp": now + 3600})
	for name, c := range map[string]struct {
		environment []string
		says        string // of a refusal
	}{
		"anybody":         {nil, "without a token"},
		"the reader":      {[]string{"SIGNALK_TOKEN=" + s.reader}, ""},
		"signed by us":    {[]string{"SIGNALK_TOKEN=" + valid}, ""}, // so that the next one is refused for its age alone
		"expired":         {[]string{"SIGNALK_TOKEN=" + s.signed(t, map[string]any{"id": "reader", "iat": now - 7200, "exp": now - 3600})}, "has expired"},
		"of nobody":       {[]string{"SIGNALK_TOKEN=" + s.signed(t, map[string]any{"id": "stranger", "iat": now})}, "not valid"},
		"forged":          {[]string{"SIGNALK_TOKEN=" + valid[:len(valid)-8] + "AAAAAAAA"}, "not valid"},
		"garbage":         {[]string{"SIGNALK_TOKEN=garbage-000"}, "not valid"},
		"a password":      {[]string{"SIGNALK_USER=reader", "SIGNALK_PASSWORD=reader-000"}, ""},
		"a wrong one":     {[]string{"SIGNALK_USER=reader", "SIGNALK_PASSWORD=wrong-000"}, "password is wrong"},
		"a login in file": {[]string{"SIGNALK_LOGIN_FILE=" + loginFile}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, binary, c.environment, "-url", s.url)
			a := p.settled(t)
			if c.says == "" {
				assert.Empty(t, a.status(), a.text)
				assert.Contains(t, a.fields, "below_keel_m")
			} else {
				assert.Equal(t, "unauthorised", a.status(), a.text)
				assert.Contains(t, a.display(), c.says)
				assert.Contains(t, a.display(), "signalk-mcp login") // what to do
				for _, tool := range []string{"battery_state", "get_active_alarms", "get_route", "list_paths"} {
					a := p.call(t, tool)
					assert.Equal(t, "unauthorised", a.status(), a.text)
					assert.NotContains(t, strings.ToLower(a.display()), "no active alarms")
				}
			}
			p.keepsQuiet(t, s, a.text)
		})
	}
}

// keepsQuiet checks that no secret is in the log, in the process's title, in what
// was answered or, as a part of a URL, in the server's log.
func (p *program) keepsQuiet(t *testing.T, s *realServer, answered string) {
	t.Helper()
	title, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.cmd.Process.Pid))
	require.NoError(t, err)
	servers, err := os.ReadFile(filepath.Join(s.dir, "log"))
	require.NoError(t, err)
	said := p.log(t) + string(title) + answered + string(servers)
	assert.NotRegexp(t, `(reader|admin|wrong|garbage)-000|eyJ`, said) // a token begins with {" in base64
}

// realTokenFile replaces the file of a running program's token.
func realTokenFile(t *testing.T, s *realServer, binary string) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	write := func(token string) { // in one step, as an administrator should
		require.NoError(t, os.WriteFile(file+".new", []byte(token+"\n"), 0o600))
		require.NoError(t, os.Rename(file+".new", file))
	}
	write("garbage-000")
	p := start(t, binary, nil, "-url", s.url, "-token-file", file)
	assert.Equal(t, "unauthorised", p.settled(t).status())
	write(s.reader)
	p.until(t, func(a answer) bool { return a.status() == "" }) // by itself

	// Told to read it again, it shows the new token at once.
	write("garbage-000")
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP))
	p.until(t, func(a answer) bool { return a.status() == "unauthorised" })
	write(s.reader)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP))
	p.until(t, func(a answer) bool { return a.status() == "" })
	p.keepsQuiet(t, s, "")
}

// realLogin gets a token by a device access request that the administrator
// approves, after one that is denied.
func realLogin(t *testing.T, s *realServer, binary string) {
	t.Parallel()
	state := t.TempDir()
	ask := func(answer string) (stdout, stderr string, code int) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, binary, "login", "-url", s.url, "-name", "the test's boat")
		cmd.Env = append(ownEnvironment(), "XDG_STATE_HOME="+state)
		p := &program{cmd: cmd, stderr: filepath.Join(state, "stderr")}
		log, err := os.Create(p.stderr)
		require.NoError(t, err)
		defer log.Close()
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, log
		require.NoError(t, cmd.Start())
		var request struct{ AccessIdentifier, AccessDescription string }
		for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
			require.Less(t, time.Since(begin), patience, "no request: %s", p.log(t))
			var open []struct{ AccessIdentifier, AccessDescription string }
			s.admins(t, http.MethodGet, "/skServer/security/access/requests", "", &open)
			if len(open) == 1 && strings.Contains(p.log(t), "Approve it") {
				request = open[0]
				break
			}
		}
		assert.Equal(t, "the test's boat", request.AccessDescription)
		s.admins(t, http.MethodPut, "/skServer/security/access/requests/"+request.AccessIdentifier+"/"+answer, `{"expiration":"1h","permissions":"readonly"}`, nil)
		cmd.Wait()
		return out.String(), p.log(t), cmd.ProcessState.ExitCode()
	}
	stdout, stderr, code := ask("denied")
	assert.Equal(t, 1, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "denied")
	assert.Contains(t, stderr, s.url+"/admin/#/security/access/requests") // where to approve

	stdout, stderr, code = ask("approved")
	assert.Equal(t, 0, code, stderr)
	file := regexp.MustCompile(`/\S+\.token`).FindString(stdout)
	require.NotEmpty(t, file, stdout)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	token, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.NotContains(t, stdout+stderr, strings.TrimSpace(string(token)))

	p := start(t, binary, []string{"XDG_STATE_HOME=" + state}, "-url", s.url) // from now on
	assert.Empty(t, p.settled(t).status())
	assert.NotContains(t, p.log(t), strings.TrimSpace(string(token)))
}

// admins makes a request as the administrator.
func (s *realServer) admins(t *testing.T, method, path, body string, into any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.admin)
	resp, err := client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode, path)
	if into != nil {
		require.NoError(t, json.NewDecoder(resp.Body).Decode(into), path)
	}
}

// TestRealKilled kills the server again and again while a client asks twice a
// second. No answer may be wrong, and none may tell as what is now what is over
// its limit.
func TestRealKilled(t *testing.T) {
	t.Parallel()
	const (
		kills  = 20
		every  = 500 * time.Millisecond
		alive  = 2 * time.Second
		limit  = 10 * time.Second // of a depth
		lowest = 3.0 - 1.5        // metres below the keel: the feed's 3 to 9 below a transducer 1.5 m above it
		most   = 9.0 - 1.5
	)
	binary := build(t)
	version := realVersions(t)[0]
	dir, port := t.TempDir(), freePort(t)
	s := startReal(t, version, "ours", dir, port)
	p := start(t, binary, []string{"GOTRACEBACK=all"}, "-url", s.url)
	p.until(t, func(a answer) bool { return a.status() == "" })

	// What the client hears, all the time.
	ctx, stop := context.WithCancel(t.Context())
	asked := make(chan map[string]int)
	go func() {
		answers := map[string]int{}
		defer func() { asked <- answers }()
		tick := time.NewTicker(every)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			begin := time.Now()
			a := p.depth(t)
			took := time.Since(begin)
			answers[cmp.Or(a.status(), "live")]++
			assert.Less(t, took, answerWithin, a.text)
			keel, live := a.number("below_keel_m")
			assert.Equal(t, a.status() == "", live, a.text)
			if live {
				at, err := time.Parse(time.RFC3339, a.fields["timestamp"].(string))
				assert.NoError(t, err)
				assert.Less(t, begin.Sub(at), limit+2*time.Second, "told as what is now: %s", a.text) // a second is cut off each
				assert.True(t, keel >= lowest-0.05 && keel <= most+0.05, a.text)
			}
			alarms := p.call(t, "get_active_alarms")
			if alarms.status() != "" {
				assert.NotContains(t, strings.ToLower(alarms.display()), "no active alarms", alarms.text)
			}
		}
	}()

	var recovered []time.Duration
	var before usage
	for n := range kills {
		process, err := os.FindProcess(s.pid)
		require.NoError(t, err)
		require.NoError(t, process.Kill())
		s.stop()
		time.Sleep(rand.N(2 * time.Second)) // a restart takes its time
		s = startReal(t, version, "ours", dir, port)
		up := time.Now()
		p.until(t, func(a answer) bool { return a.status() == "" })
		recovered = append(recovered, time.Since(up))
		time.Sleep(alive)
		if n == 1 {
			before = p.usage(t)
		}
	}
	after := p.usage(t)
	stop()
	answers := <-asked
	slices.Sort(recovered)
	t.Logf("%d kills: live again after the server answers with its data, median %v, maximum %v; answers: %v", kills,
		recovered[kills/2].Round(time.Millisecond), recovered[kills-1].Round(time.Millisecond), answers)
	t.Logf("after 2 kills %+v, after %d %+v", before, kills, after)
	assert.NotZero(t, answers["live"])
	assert.NotZero(t, answers["disconnected"])
	assert.Less(t, recovered[kills-1], reconnectWithin)
	assert.LessOrEqual(t, after.Descriptors, before.Descriptors+1)
	assert.LessOrEqual(t, after.KB, before.KB*5/4)

	// A fresh program has as many goroutines.
	fresh := start(t, binary, []string{"GOTRACEBACK=all"}, "-url", s.url)
	fresh.until(t, func(a answer) bool { return a.status() == "" })
	many, few := p.goroutines(t), fresh.goroutines(t)
	t.Logf("goroutines: %d, of a fresh program %d", many, few)
	assert.LessOrEqual(t, many, few+2)
}

// usage is what a process holds.
type usage struct{ Descriptors, KB int }

func (p *program) usage(t *testing.T) usage {
	t.Helper()
	of := fmt.Sprintf("/proc/%d/", p.cmd.Process.Pid)
	open, err := os.ReadDir(of + "fd")
	require.NoError(t, err)
	status, err := os.ReadFile(of + "status")
	require.NoError(t, err)
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, m, "%s", status)
	kb, err := strconv.Atoi(string(m[1]))
	require.NoError(t, err)
	return usage{len(open), kb}
}

// goroutines ends the program and counts in what it then writes those that have
// our code in them; the runtime starts its own as it likes.
func (p *program) goroutines(t *testing.T) int {
	t.Helper()
	p.killed = true
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGQUIT))
	p.session.Close()
	n := 0
	for stack := range strings.SplitSeq(p.log(t), "\ngoroutine ") {
		if strings.Contains(stack, "signalk-mcp/") {
			n++
		}
	}
	require.NotZero(t, n)
	return n
}
