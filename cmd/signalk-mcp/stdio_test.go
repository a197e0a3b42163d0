package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/signalk"
	"signalk-mcp/tools"
)

// fedBoat is a boat with a depth, without a client.
func fedBoat(t testing.TB) *boat {
	v := signalk.NewVessel(signalk.VesselOptions{})
	now := time.Now().UTC().Format(time.RFC3339)
	for _, f := range []string{
		`{"name":"signalk-server","version":"2.32.0","self":"vessels.self","roles":["main"],"timestamp":"` + now + `"}`,
		`{"updates":[{"$source":"s","timestamp":"` + now + `","values":[{"path":"environment.depth.belowKeel","value":3}]}]}`,
	} {
		require.NoError(t, v.Feed([]byte(f)))
	}
	return &boat{vessel: v, set: tools.New(v, tools.Options{HostZone: time.UTC}), log: slog.New(slog.DiscardHandler), close: func() {}}
}

// host is the other end of a stdio session.
type host struct {
	t     testing.TB
	in    *io.PipeWriter
	lines *bufio.Scanner
	ended chan error
}

// newHost starts a server on pipes.
func newHost(t testing.TB, b *boat) *host {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	h := &host{t: t, in: inW, lines: bufio.NewScanner(outR), ended: make(chan error, 1)}
	h.lines.Buffer(nil, 8<<20)
	go func() {
		h.ended <- newServer(b).Run(context.Background(), newStdio(inR, outW, b.log))
		outW.Close()
	}()
	t.Cleanup(func() {
		inW.Close()
		go io.Copy(io.Discard, outR)
		<-h.ended
	})
	return h
}

func (h *host) send(lines ...string) {
	h.t.Helper()
	for _, l := range lines {
		_, err := io.WriteString(h.in, l)
		require.NoError(h.t, err)
	}
}

// next reads the next line that the server wrote.
func (h *host) next() string {
	h.t.Helper()
	require.True(h.t, h.lines.Scan(), "the session ended: %v", h.lines.Err())
	require.True(h.t, json.Valid(h.lines.Bytes()), h.lines.Text())
	return h.lines.Text()
}

const (
	initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}` + "\n"
	ready      = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	ping       = `{"jsonrpc":"2.0","id":"ping","method":"ping"}` + "\n"
	depthCall  = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"depth_state"}}` + "\n"
)

func (h *host) handshake() {
	h.t.Helper()
	h.send(initialize)
	require.Contains(h.t, h.next(), `"id":"init"`)
	h.send(ready)
}

// badLines are what hosts, shells and people write where a message belongs; code
// is the error that answers it, 0 for none.
var badLines = map[string]struct {
	line string
	code int
	id   string // of the answer; empty: the member is left out
}{
	"not JSON":               {"hello\n", -32700, ""},
	"cut off":                {`{"jsonrpc":"2.0","id":1` + "\n", -32700, ""},
	"two messages":           {`{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n", -32700, ""},
	"NUL":                    {"\x00\n", -32700, ""},
	"too long":               {`"` + strings.Repeat("x", maxLine) + `"` + "\n", -32700, ""},
	"blank":                  {"\n", 0, ""},
	"blanks":                 {"  \t \r\n", 0, ""},
	"an object that is none": {"{}\n", -32600, ""},
	"a number":               {"5\n", -32600, ""},
	"null":                   {"null\n", -32600, ""},
	"no version":             {`{"id":1,"method":"ping"}` + "\n", -32600, "1"},
	"another version":        {`{"jsonrpc":"1.0","id":"x","method":"ping"}` + "\n", -32600, `"x"`},
	"null as id":             {`{"jsonrpc":"2.0","id":null,"method":"ping"}` + "\n", -32600, ""},
	"an object as id":        {`{"jsonrpc":"2.0","id":{},"method":"ping"}` + "\n", -32600, ""},
	"a fraction as id":       {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}` + "\n", -32600, ""},
	"an id beyond 2^53":      {`{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}` + "\n", -32600, ""},
	"a method of no text":    {`{"jsonrpc":"2.0","id":1,"method":5}` + "\n", -32600, "1"},
	"an empty batch":         {"[]\n", -32600, ""},
	"a batch of nothing":     {"[5]\n", -32600, ""},
	"a reply to nothing":     {`{"jsonrpc":"2.0","id":99,"result":{}}` + "\n", 0, ""},
	"an id in capitals":      {`{"jsonrpc":"2.0","ID":98,"method":"ping"}` + "\n", 0, ""},
	"an unknown notice":      {`{"jsonrpc":"2.0","method":"notifications/x"}` + "\n", 0, ""},
}

func TestBadLinesEndNoSession(t *testing.T) {
	t.Parallel()
	for name, tt := range badLines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, fedBoat(t))
			h.handshake()
			go h.send(tt.line, depthCall)
			if tt.code != 0 {
				var reply struct {
					ID    json.RawMessage
					Error struct{ Code int }
				}
				require.NoError(t, json.Unmarshal([]byte(h.next()), &reply))
				assert.Equal(t, tt.code, reply.Error.Code)
				assert.Equal(t, tt.id, string(reply.ID))
			}
			assert.Contains(t, h.next(), "3 metres below the keel")
		})
	}
}

// What surrounds a message does not matter.
func TestFormsOfALine(t *testing.T) {
	t.Parallel()
	call := strings.TrimSpace(depthCall)
	for name, line := range map[string]string{
		"CRLF":              call + "\r\n",
		"trailing blanks":   call + "  \t\n",
		"leading blanks":    "  " + call + "\n",
		"byte order mark":   "\ufeff" + call + "\n",
		"blank lines first": "\n\r\n" + call + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, fedBoat(t))
			h.handshake()
			go h.send(line)
			assert.Contains(t, h.next(), "3 metres below the keel")
		})
	}
}

// A batch of an old era is answered by a batch; in the eras that took batches
// out its messages are answered one by one.
func TestBatches(t *testing.T) {
	t.Parallel()
	batch := `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","ID":9,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"depth_state"}}]` + "\n"
	for version, array := range map[string]bool{"2024-11-05": true, "2025-03-26": true, "2025-06-18": false, "2025-11-25": false} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, fedBoat(t))
			h.send(strings.Replace(initialize, "2025-06-18", version, 1))
			require.Contains(t, h.next(), version)
			h.send(ready)
			go h.send(batch)
			if array {
				var replies []struct{ ID int }
				require.NoError(t, json.Unmarshal([]byte(h.next()), &replies))
				assert.Len(t, replies, 2)
				return
			}
			both := h.next() + h.next()
			assert.Contains(t, both, `"id":1`)
			assert.Contains(t, both, `"id":2`)
		})
	}
}

// printf … | signalk-mcp: the input ends with the last line, and every call is
// answered before the program leaves.
func TestEndOfInputWaitsForReplies(t *testing.T) {
	t.Parallel()
	b := fedBoat(t)
	for range 20 {
		h := newHost(t, b)
		go func() {
			h.send(initialize, ready)
			for i := range 30 {
				h.send(strings.Replace(depthCall, "7", fmt.Sprint(100+i), 1))
			}
			h.in.Close()
		}()
		got := 0
		for h.lines.Scan() {
			got++
		}
		assert.Equal(t, 31, got)
		require.NoError(t, <-h.ended)
		h.ended <- nil
	}
}

// An input without a last newline is a line.
func TestLastLineWithoutNewline(t *testing.T) {
	t.Parallel()
	h := newHost(t, fedBoat(t))
	h.handshake()
	go func() {
		h.send(strings.TrimSpace(depthCall))
		h.in.Close()
	}()
	assert.Contains(t, h.next(), "3 metres below the keel")
}

// slowBoat answers calls only when let go.
func slowServer(t *testing.T, b *boat) (s *mcp.Server, started chan string, release chan struct{}) {
	started, release = make(chan string, 100), make(chan struct{})
	s = newServer(b)
	s.AddTool(&mcp.Tool{Name: "slow", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		started <- string(r.Params.Arguments)
		select {
		case <-release:
		case <-ctx.Done():
		}
		return &mcp.CallToolResult{}, ctx.Err()
	})
	return s, started, release
}

// pipes runs a server on pipes and returns the host's end.
func pipes(t *testing.T, s *mcp.Server) *host {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	h := &host{t: t, in: inW, lines: bufio.NewScanner(outR), ended: make(chan error, 1)}
	go func() {
		h.ended <- s.Run(context.Background(), newStdio(inR, outW, slog.New(slog.DiscardHandler)))
		outW.Close()
	}()
	return h
}

func TestAtMostSixteenCallsAtOnce(t *testing.T) {
	t.Parallel()
	s, started, release := slowServer(t, fedBoat(t))
	h := pipes(t, s)
	h.handshake()
	go func() {
		for i := range 40 {
			h.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"slow"}}`+"\n", i))
		}
		h.in.Close()
	}()
	for range maxCalls {
		<-started
	}
	select {
	case <-started:
		t.Fatal("a seventeenth call is under way")
	case <-time.After(50 * time.Millisecond):
	}
	close(release)
	for range 40 {
		h.next()
	}
	<-h.ended
}

// A cancelled call gets no reply, and one whose id is in use is refused.
func TestCancelledAndDoubledCalls(t *testing.T) {
	t.Parallel()
	s, started, release := slowServer(t, fedBoat(t))
	h := pipes(t, s)
	h.handshake()
	slow := `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"slow"}}` + "\n"
	go h.send(slow)
	<-started
	go h.send(slow)
	assert.Contains(t, h.next(), "in use")
	go h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`+"\n", ping)
	assert.Contains(t, h.next(), `"id":"ping"`)
	close(release)
	h.in.Close()
	assert.False(t, h.lines.Scan(), "nothing more was written: %s", h.lines.Text())
	<-h.ended
}

// A call that never ends holds the end back only so long.
func TestEndOfInputIsNotHeldForEver(t *testing.T) {
	t.Parallel()
	s, started, _ := slowServer(t, fedBoat(t))
	h := pipes(t, s)
	h.handshake()
	go func() {
		h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}` + "\n")
		<-started
		h.in.Close()
	}()
	begin := time.Now()
	go func() {
		for h.lines.Scan() {
		}
	}()
	<-h.ended
	assert.Less(t, time.Since(begin), 2*time.Second)
}

// A host that ended its side and reads nothing does not keep the program, whatever
// it left in the pipe.
func TestEndOfInputWithFullOutput(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]string{"calls": strings.Repeat(`{"jsonrpc":"2.0","id":N,"method":"tools/list"}`+"\n", 200), "bad lines": strings.Repeat("garbage\n", 500)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n := 1; strings.Contains(lines, "N"); n++ {
				lines = strings.Replace(lines, "N", fmt.Sprint(n), 1)
			}
			unread, stdout := io.Pipe()
			defer unread.Close()
			begin := time.Now()
			assert.Equal(t, exitOK, run(t.Context(), []string{"-mock", "-log-level", "error"}, env{strings.NewReader(initialize + ready + lines), stdout, io.Discard, noEnv}))
			assert.Less(t, time.Since(begin), 2*time.Second+mockStart)
		})
	}
}

// mockStart is what the made-up boat needs at most to begin and end.
const mockStart = time.Second

// Input that waits is bounded in bytes, and none of it is lost.
func TestReadingAhead(t *testing.T) {
	t.Parallel()
	h := newHost(t, fedBoat(t))
	h.handshake()
	long := `{"jsonrpc":"2.0","id":"long","method":"ping","params":{"_meta":{"x":"` + strings.Repeat("x", maxLine/2) + `"}}}` + "\n"
	go func() {
		for range 8 {
			h.send(strings.Replace(long, `"long"`, `"a"`, 1), ping)
		}
		h.send(depthCall)
	}()
	replies := 0
	for !strings.Contains(h.next(), "metres below the keel") {
		replies++
	}
	assert.Equal(t, 16, replies)
}

// A host that is gone ends the session.
func TestClosedOutputEndsTheSession(t *testing.T) {
	t.Parallel()
	inR, inW := io.Pipe()
	defer inW.Close()
	ended := make(chan error, 1)
	go func() {
		ended <- newServer(fedBoat(t)).Run(context.Background(), newStdio(inR, brokenPipe{}, slog.New(slog.DiscardHandler)))
	}()
	_, err := io.WriteString(inW, initialize)
	require.NoError(t, err)
	require.ErrorIs(t, <-ended, io.ErrClosedPipe)
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A panic in a tool is an error result and a line in the log.
func TestPanicIsAnErrorResult(t *testing.T) {
	t.Parallel()
	var log syncBuffer
	b := fedBoat(t)
	b.log = slog.New(slog.NewTextHandler(&log, nil))
	s := newServer(b)
	s.AddTool(&mcp.Tool{Name: "broken", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		panic(errors.New("broken invariant"))
	})
	h := pipes(t, s)
	h.handshake()
	go h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"broken"}}`+"\n", depthCall)
	replies := h.next() + h.next()
	assert.Contains(t, replies, `"isError":true`)
	assert.Contains(t, replies, "3 metres below the keel")
	assert.NotContains(t, replies, "invariant")
	assert.Contains(t, log.String(), "broken invariant")
	h.in.Close()
	<-h.ended
}

// syncBuffer is a buffer that may be read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func FuzzStdin(f *testing.F) {
	for _, tt := range badLines {
		if len(tt.line) < 1000 {
			f.Add([]byte(tt.line))
		}
	}
	f.Add([]byte(initialize + ready + depthCall))
	f.Add([]byte(`[` + strings.TrimSpace(depthCall) + `]`))
	f.Fuzz(func(t *testing.T, input []byte) {
		var out bytes.Buffer
		done := make(chan error, 1)
		go func() {
			in := io.MultiReader(strings.NewReader(initialize+ready), bytes.NewReader(input), strings.NewReader("\n"+ping))
			done <- newServer(fedBoat(t)).Run(context.Background(), newStdio(in, &out, slog.New(slog.DiscardHandler)))
		}()
		select {
		case err := <-done:
			require.NoError(t, err)
		case <-time.After(10 * time.Second):
			t.Fatal("the session does not end")
		}
		lines := bufio.NewScanner(&out)
		lines.Buffer(nil, 8<<20)
		pinged := false
		for lines.Scan() {
			require.True(t, json.Valid(lines.Bytes()), lines.Text())
			pinged = pinged || strings.Contains(lines.Text(), `"id":"ping"`)
		}
		require.True(t, pinged || strings.Contains(string(input), "ping"), "the line after it is answered: %q", out.String())
	})
}

func BenchmarkStdioRoundTrip(b *testing.B) {
	h := newHost(b, fedBoat(b))
	h.handshake()
	b.ReportAllocs()
	for b.Loop() {
		io.WriteString(h.in, depthCall)
		h.lines.Scan()
	}
}

// A host that never reads the log does not hold up the session.
func TestLogThatNobodyReads(t *testing.T) {
	t.Parallel()
	unread, stderr := io.Pipe()
	defer unread.Close()
	var out syncBuffer
	in := strings.NewReader(initialize + ready + strings.Repeat("garbage\n", 1000) + depthCall)
	assert.Equal(t, exitOK, run(t.Context(), []string{"-mock"}, env{in, &out, stderr, noEnv}))
	assert.Contains(t, out.String(), "below the keel")
	assert.Equal(t, 1000, strings.Count(out.String(), "-32700"))
}

// What is dropped of a log is counted, and what is read is whole.
func TestLossyLog(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	log := newLossyLog(w)
	for i := range 2 * logRoom {
		fmt.Fprintf(log, "line %d\n", i)
	}
	lines := bufio.NewScanner(r)
	go func() {
		log.Close()
		<-log.done
		w.Close()
	}()
	n, dropped := 0, 0
	for lines.Scan() {
		var lost int
		if _, err := fmt.Sscanf(lines.Text(), "%d lines of the log were dropped", &lost); err == nil {
			dropped += lost
			continue
		}
		assert.Regexp(t, `^line \d+$`, lines.Text())
		n++
	}
	assert.Positive(t, dropped)
	assert.Equal(t, 2*logRoom, n+dropped)
}
