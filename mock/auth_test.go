package mock_test

import (
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

// As measured with security on and allow_readonly false.
func TestTokenREST(t *testing.T) {
	t.Parallel()
	const (
		v1    = "/signalk/v1/api/vessels/self/name"
		v2    = "/signalk/v2/api/vessels/self/navigation/course"
		bad   = "Authorization: Bearer not.the.one"
		none  = "Unauthorized"
		wrong = "bad auth token"
	)
	for _, version := range []string{"2.23.0", "2.32.0"} {
		b := newBench(t, mock.Options{Version: version, Token: "s.e.cret"})
		v2Status := map[string]int{"2.23.0": 200, "2.32.0": 401}[version]
		for _, tt := range []struct {
			path, header string
			status       int
			body         string
		}{
			{v1, "", 401, none},
			{v1, bad, 401, wrong},
			{v1, "Authorization: Bearer s.e.cret", 200, ""},
			{v1, "Authorization: JWT s.e.cret", 200, ""},
			{v1, "Authorization: bearer s.e.cret", 401, none}, // case matters
			{v1, "Authorization: Basic s.e.cret", 401, none},
			{v1, "X-Authorization: Bearer s.e.cret", 200, ""},
			{v1, "Cookie: JAUTHENTICATION=s.e.cret", 200, ""},
			{v1, "Cookie: JAUTHENTICATION=x", 401, wrong},
			{v1 + "?token=s.e.cret", "", 401, none}, // WebSocket only
			{"/signalk/v1/api/nosuch", "", 401, none},
			{v2, "", v2Status, ""},
			{v2, bad, v2Status, ""},
			{v2, "Authorization: Bearer s.e.cret", 200, ""},
			{"/signalk", bad, 200, ""},
			{"/signalk/v2/features", bad, 200, ""},
			{"/skServer/loginStatus", bad, 200, ""},
		} {
			var header []string
			if tt.header != "" {
				header = []string{tt.header}
			}
			status, mime, body := b.get(tt.path, header...)
			assert.Equal(t, tt.status, status, "%s %s %s", version, tt.path, tt.header)
			if tt.body != "" {
				assert.Equal(t, tt.body, body, "%s %s %s", version, tt.path, tt.header)
				assert.Equal(t, "text/html; charset=utf-8", mime)
			}
		}
		_, _, body := b.get("/skServer/loginStatus", "Authorization: Bearer s.e.cret")
		assert.Contains(t, body, `"status":"loggedIn"`)
		_, _, body = b.get("/skServer/loginStatus", bad)
		assert.Contains(t, body, `"status":"notLoggedIn"`)
		assert.Contains(t, body, `"authenticationRequired":true`)
	}
}

func TestTokenStream(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{NoVessel: true, Token: "s.e.cret"})
	require.NoError(t, b.server.Set("a.b", 1))
	for _, s := range []*stream{
		b.dial("?token=s.e.cret"),
		b.dial("", "Authorization: Bearer s.e.cret"),
		b.dial("", "Cookie: JAUTHENTICATION=s.e.cret"),
		b.dial("?token=s.e.cret", "Authorization: Bearer not.the.one"), // the query wins
	} {
		assert.Equal(t, "a.b=1@mock", s.next().said())
	}
	for token, fault := range map[string]string{"abc": "jwt malformed", "not.the.one": "invalid token"} {
		body, status := refusal(t, b.wsURL("?token="+token))
		assert.Equal(t, 401, status)
		assert.JSONEq(t, `{"error":"`+fault+`"}`, body)
	}
}

// refusal dials and returns the answer that is no upgrade.
func refusal(t *testing.T, url string) (body string, status int) {
	t.Helper()
	_, res, err := websocket.DefaultDialer.Dial(url, nil)
	require.ErrorIs(t, err, websocket.ErrBadHandshake)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(text), res.StatusCode
}

func TestStreamWithoutToken(t *testing.T) {
	t.Parallel()
	server, err := mock.StartTimed(mock.Options{Token: "secret"}, time.Minute, 100*time.Millisecond)
	require.NoError(t, err)
	t.Cleanup(server.Close)
	b := &bench{T: t, url: server.URL, server: server}
	s := b.dial("?subscribe=all") // 101 and hello are no proof of access
	assert.Equal(t, mock.DefaultSelf, s.self)
	s.send(`{"subscribe":[{"path":"*"}]}`)
	s.send(value("", "intruder", "a.b", "1"))
	assert.Equal(t, `"{message: \"Connection disconnected by security constraint\"}"`, s.next().text, "nothing before it")
	_, err = s.read()
	assert.True(t, websocket.IsCloseError(err, websocket.CloseNoStatusReceived), "%v", err)
	status, _, _ := b.get("/signalk/v1/api/vessels/self/a/b", "Authorization: Bearer secret")
	assert.Equal(t, 404, status, "its update was dropped")
}

func TestAnonymousReading(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{NoVessel: true, Anonymous: true, Users: map[string]mock.User{"skipper": {Password: "x", Permission: mock.ReadWrite}}})
	require.NoError(t, b.server.Set("a.b", 1))
	const leaf = "/signalk/v1/api/vessels/self/a/b"
	status, _, _ := b.get(leaf)
	assert.Equal(t, 200, status)
	status, _, body := b.get(leaf, "Authorization: Bearer not.the.one")
	assert.Equal(t, 401, status, "a bad token is worse than none")
	assert.Equal(t, "bad auth token", body)
	res := b.do("PUT", leaf, `{"value":2}`, asJSON)
	assert.Equal(t, 401, res.status)
	assert.Contains(t, res.body, "You do not have permission")
	_, _, body = b.get("/skServer/loginStatus")
	assert.Contains(t, body, `"readOnlyAccess":true`)
	assert.Contains(t, body, `"status":"notLoggedIn"`)
	s := b.dial("")
	assert.Equal(t, "a.b=1@mock", s.next().said())
	s.send(value("", "x", "a.b", "3"))
	s.send(value("", "x", "a.b", "4"))
	s.send(`{"context":"vessels.self","subscribe":[{"path":"a.b"}]}`)
	assert.Equal(t, "a.b=1@mock", s.next().said(), "its updates were dropped")
	writer := b.dial("?subscribe=none&token=" + b.server.NewToken("skipper", time.Hour))
	writer.send(`{"updates":[{"values":[{"path":"a.b","value":5}]}]}`)
	assert.Equal(t, "a.b=5@ws.skipper", s.next().said())
}

// A token that expires while its stream is open ends it, late.
func TestTokenExpiresOnStream(t *testing.T) {
	t.Parallel()
	var past atomic.Bool
	now := func() time.Time {
		if past.Load() {
			return departure.Add(time.Hour)
		}
		return departure
	}
	o := mock.Options{NoVessel: true, Now: now, Users: map[string]mock.User{"reader": {Password: "x"}}}
	server, err := mock.StartTimed(o, time.Minute, 20*time.Millisecond)
	require.NoError(t, err)
	t.Cleanup(server.Close)
	b := &bench{T: t, url: server.URL, server: server}
	s := b.dial("?token=" + server.NewToken("reader", time.Minute))
	require.NoError(t, server.Set("a.b", 1))
	assert.Equal(t, "a.b=1@mock", s.next().said())
	past.Store(true)
	assert.Equal(t, `"{message: \"Connection disconnected by security constraint\"}"`, s.next().text)
	body, status := refusal(t, b.wsURL("?token="+server.NewToken("reader", -time.Minute)))
	assert.Equal(t, 401, status)
	assert.JSONEq(t, `{"error":"jwt expired"}`, body)
}

func TestAnswerAccess(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{Users: map[string]mock.User{"skipper": {Password: "x"}}})
	assert.ErrorContains(t, b.server.Approve("clock", mock.ReadOnly), "has not asked")
	assert.ErrorContains(t, b.server.Deny("clock"), "has not asked")
	assert.Empty(t, b.server.Waiting())
	for range 2 {
		a := b.askAccess(`{"clientId":"clock","description":"A clock"}`)
		require.Equal(t, 202, a.status)
		assert.Equal(t, []string{"clock"}, b.server.Waiting())
		assert.ErrorContains(t, b.server.Approve("clock", "captain"), `"captain" is neither`)
		require.NoError(t, b.server.Approve("clock", mock.ReadOnly))
		token := b.progress(a.Href).AccessRequest.Token
		status, _, _ := b.get("/signalk/v1/api/self", "Authorization: Bearer "+token)
		assert.Equal(t, 200, status)
		_, _, body := b.get("/skServer/loginStatus", "Authorization: Bearer "+token)
		assert.Contains(t, body, `"username":"clock"`)
	}
}
