package mock_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

// eventually waits until a condition about the server holds.
func (b *bench) eventually(holds func() bool, what string) {
	b.Helper()
	require.Eventually(b, holds, patience, 2*time.Millisecond, what)
}

func TestSend(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{NoVessel: true})
	s := b.dial("?subscribe=self")
	type wind struct {
		Updates []any `json:"updates"`
	}
	for name, tt := range map[string]struct {
		delta any
		want  string
	}{
		"a Delta":                   {mock.Delta{Updates: []mock.Update{{Source: "s.a", Values: []mock.PathValue{{Path: "a.b", Value: 1.5}}}}}, "a.b=1.5@s.a"},
		"a string":                  {value("", "s.a", "a.b", "2"), "a.b=2@s.a"},
		"bytes":                     {[]byte(value("", "s.a", "a.b", "3")), "a.b=3@s.a"},
		"raw JSON":                  {json.RawMessage(value("vessels.self", "s.a", "a.b", "4")), "a.b=4@s.a"},
		"another Go value":          {wind{[]any{map[string]any{"$source": "s.a", "values": []any{map[string]any{"path": "a.b", "value": "<&>"}}}}}, `a.b="<&>"@s.a`},
		"a number as it is written": {value("", "s.a", "a.b", "12.3400"), "a.b=12.3400@s.a"},
		"no source":                 {`{"updates":[{"values":[{"path":"a.b","value":5}]}]}`, "a.b=5@mock"},
		"a source object":           {`{"updates":[{"source":{"label":"n2k","src":"12"},"values":[{"path":"a.b","value":6}]}]}`, "a.b=6@n2k.12"},
		"an NMEA 0183 source":       {`{"updates":[{"source":{"label":"nmea","talker":"GP"},"values":[{"path":"a.b","value":7}]}]}`, "a.b=7@nmea.GP"},
	} {
		require.NoError(t, b.server.Send(tt.delta), name)
		f := s.find("a.b")
		assert.Equal(t, tt.want, f.said(), name)
		assert.Equal(t, mock.DefaultSelf, f.Context, name)
	}
	require.NoError(t, b.server.Set("a.b", map[string]any{"x": 1}))
	assert.Equal(t, `a.b={"x":1}@mock`, s.find("a.b").said())
	require.NoError(t, b.server.Null("a.b"))
	assert.Equal(t, `a.b=null@mock`, s.find("a.b").said())
	require.NoError(t, b.server.Send(`{"updates":[{"$source":"s.a","values":[{"path":"a.b","value":null,"state":{"timedOut":true}}]}]}`))
	assert.Contains(t, s.find("a.b").text, `"state":{"timedOut":true}`)
	_, _, body := b.get("/signalk/v1/api/vessels/self/a/b/state")
	assert.JSONEq(t, `{"timedOut":true}`, body)
}

func TestSendRefuses(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{NoVessel: true})
	for name, d := range map[string]any{
		"not JSON":        `{bad`,
		"no updates":      `{"context":"vessels.self"}`,
		"not an object":   `[]`,
		"not a number":    mock.Delta{Updates: []mock.Update{{Values: []mock.PathValue{{Path: "a", Value: math.NaN()}}}}},
		"updates no list": `{"updates":5}`,
	} {
		assert.ErrorContains(t, b.server.Send(d), "delta: ", name)
	}
	_, _, body := b.get("/signalk/v1/api/vessels/self")
	assert.JSONEq(t, `{"mmsi":"230999870"}`, body, "nothing was kept")
}

func TestSendRaw(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{NoVessel: true})
	live, idle := b.dial("?subscribe=self"), b.dial("?subscribe=none")
	raw := []string{"not json", `"a string"`, "null", `{"updates":5}`}
	for _, text := range raw {
		b.server.SendRaw(text)
	}
	for _, want := range raw {
		assert.Equal(t, want, live.next().text)
	}
	require.NoError(t, b.server.Set("a.b", 1))
	idle.subscribe("vessels.self", `{"path":"a.b"}`)
	assert.Equal(t, "a.b=1@mock", idle.next().said(), "nothing before it subscribed")
	later := b.dial("?subscribe=self")
	assert.Equal(t, "a.b=1@mock", later.next().said())
	for _, want := range raw {
		assert.Equal(t, want, idle.next().text)
		assert.Equal(t, want, later.next().text)
	}
	idle.subscribe("vessels.self", `{"path":"a.b"}`)
	assert.Equal(t, "a.b=1@mock", idle.next().said())
	require.NoError(t, b.server.Set("a.b", 2))
	assert.Equal(t, "a.b=2@mock", idle.next().said(), "told once only")
}

func TestSetDoc(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{NoVessel: true, Token: "secret"})
	const path = "/signalk/v1/api/vessels/self/a"
	good := "Authorization: Bearer secret"
	for want, body := range map[string]any{
		`{"a": 1}`:  `{"a": 1}`,
		`<html>`:    "<html>",
		`[1]`:       []byte(`[1]`),
		`{"b":"&"}`: map[string]string{"b": "&"},
		``:          "",
	} {
		require.NoError(t, b.server.SetDoc(path+"/", body))
		status, _, got := b.get(path, good)
		assert.Equal(t, 200, status)
		assert.Equal(t, want, got)
	}
	status, _, _ := b.get(path)
	assert.Equal(t, 401, status, "tokens are still checked")
	require.NoError(t, b.server.SetDoc(path, nil))
	status, _, _ = b.get(path, good)
	assert.Equal(t, 404, status)
	assert.ErrorContains(t, b.server.SetDoc(path, math.Inf(1)), path)
}

func TestRequests(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{NoVessel: true})
	b.get("/signalk")
	b.get("/signalk/v1/api/self?x=1", "Authorization: Bearer abc")
	s := b.dial("?subscribe=none&token=t", "Authorization: JWT def")
	s.send(`{"context":"vessels.self","subscribe":[]}`)
	s.send(strings.Repeat("y", 5000))
	b.eventually(func() bool { return len(b.server.Requests()) == 5 }, "five requests")
	assert.Equal(t, []string{
		"GET /signalk",
		"GET /signalk/v1/api/self?x=1 [Bearer abc]",
		"GET /signalk/v1/stream?subscribe=none&token=t [JWT def]",
		`WS {"context":"vessels.self","subscribe":[]}`,
	}, b.server.Requests()[:4])
	assert.Len(t, b.server.Requests()[4], 2048)
	for i := range 2100 {
		s.send(fmt.Sprint(i))
	}
	b.eventually(func() bool {
		r := b.server.Requests()
		return len(r) == 2000 && r[1999] == "WS 2099"
	}, "the last two thousand")
}

func TestDrop(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{NoVessel: true})
	one, two := b.dial(""), b.dial("?subscribe=all")
	b.eventually(func() bool { return b.server.Clients() == 2 }, "two clients")
	b.server.Drop()
	assert.Zero(t, b.server.Clients())
	for _, s := range []*stream{one, two} {
		_, err := s.read()
		assert.True(t, websocket.IsCloseError(err, websocket.CloseAbnormalClosure), "no close frame: %v", err)
	}
	assert.Equal(t, one.hello["serverStartId"], b.dial("").hello["serverStartId"], "the same server")
}

func TestStopAndRestart(t *testing.T) {
	t.Parallel()
	for _, forget := range []bool{false, true} {
		b := newBench(t, mock.Options{NoVessel: true})
		require.NoError(t, b.server.Set("a.b", 1))
		b.server.SendRaw(`"raw"`)
		before := b.dial("")
		b.server.Stop()
		_, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
		assert.Error(t, err, "nobody listens")
		for {
			if _, err = before.read(); err != nil {
				break
			}
		}
		assert.True(t, websocket.IsCloseError(err, websocket.CloseAbnormalClosure), "%v", err)
		require.NoError(t, b.server.Restart(forget))
		assert.Equal(t, b.url, b.server.URL)
		after := b.dial("")
		assert.NotEqual(t, before.hello["serverStartId"], after.hello["serverStartId"])
		if !forget {
			assert.Equal(t, "a.b=1@mock", after.next().said())
			assert.Equal(t, `"raw"`, after.next().text)
		}
		require.NoError(t, b.server.Set("a.c", 2))
		assert.Equal(t, "a.c=2@mock", after.next().said())
	}
}

func TestRestartRunning(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{Version: "2.23.0"})
	s := b.dial("?subscribe=none")
	require.NoError(t, b.server.Restart(true))
	_, err := s.read()
	assert.Error(t, err)
	b.dial("").find("navigation.position")
	var name string
	b.getJSON("/signalk/v1/api/vessels/self/name", &name)
	assert.NotEmpty(t, name, "the vessel says everything again")
	b.server.Close()
	assert.ErrorIs(t, b.server.Restart(false), http.ErrServerClosed)
	b.server.Close()
}

func TestHalfOpen(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{NoVessel: true})
	s := b.dial("")
	pong := make(chan string, 2)
	s.conn.SetPongHandler(func(text string) error { pong <- text; return nil })
	frames := make(chan string, 10)
	go func() {
		defer close(frames)
		for {
			_, text, err := s.conn.ReadMessage()
			if err != nil {
				return
			}
			frames <- string(text)
		}
	}()
	ping := func(text string) {
		require.NoError(t, s.conn.WriteControl(websocket.PingMessage, []byte(text), time.Now().Add(patience)))
	}
	ping("alive")
	require.Equal(t, "alive", receive(t, pong))

	b.server.HalfOpen()
	ping("dead")
	require.NoError(t, b.server.Set("a.b", 1))
	short := http.Client{Timeout: 150 * time.Millisecond, Transport: &http.Transport{DisableKeepAlives: true}}
	_, err := short.Get(b.url + "/signalk")
	require.Error(t, err, "a new connection hangs")
	assert.Empty(t, pong)
	assert.Empty(t, frames)
	assert.Equal(t, 1, b.server.Clients(), "the connection stays open")

	b.server.Thaw()
	assert.Equal(t, "dead", receive(t, pong))
	assert.Contains(t, receive(t, frames), `"path":"a.b"`)
	status, _, _ := b.get("/signalk")
	assert.Equal(t, 200, status)

	b.server.HalfOpen()
	b.server.Close() // ends also what is held
	_, open := <-frames
	assert.False(t, open)
}

func receive(t *testing.T, c <-chan string) string {
	t.Helper()
	select {
	case text := <-c:
		return text
	case <-time.After(patience):
		require.Fail(t, "nothing came")
		return ""
	}
}

func TestSlowReader(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{NoVessel: true})
	slow, _, err := narrow.Dial(b.wsURL("?subscribe=self"), nil)
	require.NoError(t, err)
	defer slow.Close()
	reader := b.dial("?subscribe=self")
	b.eventually(func() bool { return b.server.Clients() == 2 }, "two clients")

	// 64 MB are more than the queue, what is being written and any socket buffer
	// hold together.
	load := strings.Repeat("x", 1<<20)
	for sent := 0; b.server.Clients() == 2; sent++ {
		require.Less(t, sent, 64, "the slow client should be cut")
		b.server.SendRaw(load)
		require.Len(t, reader.next().text, len(load), "the other client has it at once")
	}
	require.NoError(t, b.server.Set("a.b", 1))
	assert.Equal(t, "a.b=1@mock", reader.next().said())
}

func TestPing(t *testing.T) {
	t.Parallel()
	server, err := mock.StartTimed(mock.Options{NoVessel: true}, 250*time.Millisecond, time.Minute)
	require.NoError(t, err)
	t.Cleanup(server.Close)
	b := &bench{T: t, url: server.URL, server: server}
	lively, mute := b.dial("?subscribe=none"), b.dial("?subscribe=none")
	pings := 0
	lively.conn.SetPingHandler(func(string) error {
		if pings++; pings == 3 {
			require.NoError(t, server.Set("a.b", 1))
			lively.send(`{"subscribe":[{"path":"a.b"}]}`)
		}
		return lively.conn.WriteControl(websocket.PongMessage, nil, time.Now().Add(patience))
	})
	mute.conn.SetPingHandler(func(string) error { return nil })
	assert.Equal(t, "a.b=1@mock", lively.next().said(), "who answers stays")
	_, err = mute.read()
	assert.True(t, websocket.IsCloseError(err, websocket.CloseNoStatusReceived), "closed without a code: %v", err)
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{Speed: 100})
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := range 20 {
				assert.NoError(t, b.server.Set(fmt.Sprintf("a.b%d", i), n))
				b.server.SendRaw("raw")
				assert.NoError(t, b.server.SetDoc(fmt.Sprint("/doc", i), "{}"))
				b.server.Requests()
				b.server.Clients()
				b.server.Truth()
				if n%5 == i {
					b.server.HalfOpen()
					b.server.Thaw()
					b.server.Drop()
				}
			}
		})
		all.Go(func() {
			for range 5 {
				conn, _, err := websocket.DefaultDialer.Dial(b.wsURL("?subscribe=all&sendMeta=all"), nil)
				if err != nil {
					continue // dropped at once
				}
				_ = conn.WriteMessage(websocket.TextMessage, []byte(`{"subscribe":[{"path":"*","period":5}]}`))
				_ = conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
				for {
					if _, _, err := conn.ReadMessage(); err != nil {
						break
					}
				}
				_ = conn.Close()
			}
		})
	}
	all.Wait()
	b.server.Close()
	assert.Zero(t, b.server.Clients())
	assert.NoError(t, b.server.Set("a.b", 1), "harmless after Close")
}

// A crowd that sends nonsense, and does not read, harms nobody else.
func TestCrowd(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{Version: "2.23.0", NoVessel: true})
	nonsense := []string{
		`{"context":{},"subscribe":[[],null,5,{"path":{}}]}`,
		`{"context":"*","subscribe":[{"path":"` + strings.Repeat("*a", 5000) + `"}]}`,
		`{"subscribe":[{"path":"*","minPeriod":1e300},{"path":"*","period":"-1"},{"path":"*","policy":{}}]}`,
		`{"subscribe":[` + strings.Repeat(`{"path":"x","period":1},`, 5000) + `{"path":"x"}]}`,
		`{"requestId":"` + strings.Repeat("r", 100_000) + `","put":{"path":"x"}}`,
		`{"updates":[{"values":[{"path":"` + strings.Repeat("p.", 20_000) + `","value":1}]}]}`,
		strings.Repeat("[", 20_000), "\x00\xff", `{"unsubscribe":`, strings.Repeat("x", 100_000),
	}
	for i := range 20 {
		conn, res, err := websocket.DefaultDialer.Dial(b.wsURL("?subscribe=all"), nil)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		defer conn.Close()
		for n := range nonsense { // nobody reads
			_ = conn.WriteMessage(websocket.TextMessage, []byte(nonsense[(i+n)%len(nonsense)]))
		}
	}
	s := b.dial("?subscribe=none")
	s.subscribe("vessels.self", `{"path":"a.b"}`)
	for i := range 50 {
		require.NoError(t, b.server.Set("a.b", i))
		assert.Equal(t, fmt.Sprintf("a.b=%d@mock", i), s.next().said())
	}
	status, _, _ := b.get("/signalk/v1/api/vessels/self/a/b")
	assert.Equal(t, 200, status)
}
