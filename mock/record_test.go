package mock_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

// tape is a writer that a test can look at while it is written.
type tape struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *tape) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *tape) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// taped is a line of a recording.
type taped struct {
	At    time.Time
	Frame json.RawMessage
	Text  string
}

func tapedLines(t *testing.T, text string) []taped {
	t.Helper()
	var lines []taped
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		var x taped
		require.NoError(t, json.Unmarshal([]byte(l), &x), l)
		lines = append(lines, x)
	}
	return lines
}

func TestRecord(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{NoVessel: true, Token: "s.e.cret"})
	require.NoError(t, b.server.Set("a.b", 1))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var w tape
	type result struct {
		mock.Recorded
		err error
	}
	done := make(chan result, 1)
	go func() {
		r, err := mock.Record(ctx, &w, mock.RecordOptions{URL: b.url, Token: "s.e.cret"})
		done <- result{r, err}
	}()
	b.eventually(func() bool { return strings.Contains(w.String(), `"a.b"`) }, "the cached value")
	b.server.SendRaw("no json, and a s.e.cret")
	require.NoError(t, b.server.Set("c.d", "the s.e.cret"))
	b.eventually(func() bool { return strings.Contains(w.String(), `"c.d"`) }, "a live value")
	cancel()
	r := <-done
	require.NoError(t, r.err)
	assert.Equal(t, "told to", r.End)
	lines := tapedLines(t, w.String())
	assert.Len(t, lines, r.Frames)
	assert.EqualValues(t, len(w.String()), r.Bytes)
	assert.Contains(t, string(lines[0].Frame), `"name":"signalk-server"`)
	assert.Contains(t, w.String(), `"text":"no json, and a TOKEN"`)
	assert.Contains(t, w.String(), "the TOKEN")
	assert.NotContains(t, w.String(), "s.e.cret")
	for i, l := range lines {
		assert.WithinDuration(t, time.Now(), l.At, time.Minute)
		assert.False(t, i > 0 && l.At.Before(lines[i-1].At), "in the order they came")
	}
}

func TestRecordEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{})
	for name, tt := range map[string]struct {
		options mock.RecordOptions
		meddle  func()
		end     string
	}{
		"time":       {mock.RecordOptions{MaxTime: 100 * time.Millisecond}, func() {}, "time is up"},
		"size":       {mock.RecordOptions{MaxBytes: 5000}, func() {}, "full"},
		"the server": {mock.RecordOptions{}, b.server.Drop, "the server ended it"},
	} {
		var w tape
		tt.options.URL = "ws" + strings.TrimPrefix(b.url, "http") + "/"
		done := make(chan mock.Recorded, 1)
		go func() {
			r, err := mock.Record(t.Context(), &w, tt.options)
			assert.NoError(t, err, name)
			done <- r
		}()
		b.eventually(func() bool { return w.String() != "" }, "the hello")
		tt.meddle()
		assert.Equal(t, tt.end, (<-done).End, name)
		assert.True(t, strings.HasSuffix(w.String(), "}\n"), "whole lines")
		if tt.options.MaxBytes > 0 {
			assert.LessOrEqual(t, len(w.String()), 5000)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestRecordRefuses(t *testing.T) {
	t.Parallel()
	open := newBench(t, mock.Options{NoVessel: true})
	secured := newBench(t, mock.Options{NoVessel: true, Token: "s.e.cret"})
	for fault, o := range map[string]mock.RecordOptions{
		"not http, https, ws": {URL: "ftp://boat"},
		"is not http":         {URL: "http://"},
		"cannot connect":      {URL: "127.0.0.1:1"},
		"refuses the token":   {URL: secured.url, Token: "wrong"},
		"no space left":       {URL: open.url},
	} {
		_, err := mock.Record(t.Context(), brokenWriter{}, o)
		assert.ErrorContains(t, err, fault)
	}
}

const recording = "testdata/recordings/gulf-of-finland.jsonl"

func openRecording(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Open(recording)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func TestRecordingIsSmallAndNobodys(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(recording)
	require.NoError(t, err)
	assert.Less(t, len(text), 200_000)
	lines := tapedLines(t, string(text))
	assert.Greater(t, len(lines), 300)
	for _, l := range lines {
		assert.NotContains(t, string(l.Frame), "token")
		var f frame
		require.NoError(t, json.Unmarshal(l.Frame, &f))
		if f.Context != "" && !strings.Contains(f.Context, ":mmsi:23099900") {
			assert.Equal(t, "vessels.urn:mrn:signalk:uuid:5eed0000-0000-4000-8000-000000000001", f.Context)
		}
	}
}

// reading waits for a value of a path, and passes over its meta.
func (s *stream) reading(path string) frame {
	s.Helper()
	for {
		if f := s.find(path); valueOf(f) != "" {
			return f
		}
	}
}

func TestReplay(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{Replay: openRecording(t), Speed: 20})
	s := b.dial("?subscribe=all&sendMeta=all")
	assert.Equal(t, "vessels.urn:mrn:signalk:uuid:5eed0000-0000-4000-8000-000000000001", s.self)
	assert.Equal(t, "2.32.0", s.hello["version"])
	f := s.reading("environment.depth.belowTransducer")
	at, err := time.Parse(time.RFC3339, f.Updates[0].Timestamp)
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now(), at, time.Minute, "as if it were recorded now")
	f = s.reading("navigation.datetime")
	value := strings.Trim(valueOf(f), `"`)
	clock, err := time.Parse(time.RFC3339, value)
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now(), clock, time.Minute, "times that are values too")

	var vessels map[string]any
	require.Eventually(t, func() bool {
		vessels = nil
		b.getJSON("/signalk/v1/api/vessels", &vessels)
		return len(vessels) > 2
	}, 10*time.Second, 20*time.Millisecond)
	var leaf struct {
		Value float64
		Meta  struct{ Units string }
	}
	b.getJSON("/signalk/v1/api/vessels/self/environment/depth/belowTransducer", &leaf)
	assert.Equal(t, "m", leaf.Meta.Units)
	assert.Greater(t, leaf.Value, 0.0)

	// 21 seconds are one round: at twenty times the speed the next begins within
	// two seconds, and its times go on where those of the first ended.
	last, rounds := at, 0
	for deadline := time.Now().Add(patience); rounds < 30; rounds++ {
		require.True(t, time.Now().Before(deadline))
		next, err := time.Parse(time.RFC3339, s.reading("environment.depth.belowTransducer").Updates[0].Timestamp)
		require.NoError(t, err)
		assert.False(t, next.Before(last), "%s after %s", next, last)
		last = next
	}
	assert.Greater(t, last.Sub(at), 21*time.Second)
}

func TestReplayOriginalTimes(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{Version: "2.23.0", Replay: openRecording(t), OriginalTimes: true})
	assert.Equal(t, "2.23.0", b.dial("").hello["version"])
	var leaf struct{ Timestamp string }
	b.getJSON("/signalk/v1/api/vessels/self/environment/depth/belowTransducer", &leaf)
	assert.Regexp(t, `^2014-08-15T19:00:0`, leaf.Timestamp)
}

func TestReplayRefuses(t *testing.T) {
	t.Parallel()
	hello := `{"at":"2026-01-01T00:00:00Z","frame":{"name":"signalk-server","version":"2.23.0","self":"vessels.x"}}` + "\n"
	for name, text := range map[string]string{
		"empty": "", "no recording": "hello\n", "a frame first": `{"at":"2026-01-01T00:00:00Z","frame":{"updates":[]}}`,
	} {
		_, err := mock.Start(mock.Options{Replay: strings.NewReader(text)})
		assert.ErrorContains(t, err, "no hello of a server", name)
	}
	// A hello alone, half a line at the end, clocks that jump, and frames that are
	// none are borne.
	b := newBench(t, mock.Options{Speed: 1000, Replay: strings.NewReader(hello +
		`{"at":"2025-01-01T00:00:00Z","frame":{"updates":[{"$source":"s","timestamp":"2026-01-01T00:00:00Z","values":[{"path":"a.b","value":1}]}]}}` + "\n" +
		`{"at":"2026-01-01T00:00:00.5Z","frame":"primus::server::close"}` + "\n" +
		`{"at":"2026-01-01T00:00:00.6Z","text":"garbage"}` + "\nnonsense\n" + `{"at":"2026-01-01T00:00:`)})
	s := b.dial("?subscribe=self")
	assert.Equal(t, "vessels.x", s.self)
	assert.Equal(t, "2.23.0", s.hello["version"])
	for range 3 {
		assert.Equal(t, "a.b=1@s", s.find("a.b").said())
	}
	b.dial("")
	newBench(t, mock.Options{Speed: 1000, Replay: strings.NewReader(hello)}).dial("")
}

// What was recorded of a replay is what was replayed.
func TestRecordOfReplay(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{Replay: openRecording(t), OriginalTimes: true, Speed: 20})
	var w tape
	_, err := mock.Record(t.Context(), &w, mock.RecordOptions{URL: b.url, MaxTime: 500 * time.Millisecond})
	require.NoError(t, err)
	depths := map[string]bool{}
	for _, l := range tapedLines(t, w.String()) {
		var f frame
		_ = json.Unmarshal(l.Frame, &f)
		if f.has("environment.depth.belowTransducer") && valueOf(f) != "" {
			depths[f.Updates[0].Timestamp+valueOf(f)] = true
		}
	}
	assert.Greater(t, len(depths), 3)
	original, err := os.ReadFile(recording)
	require.NoError(t, err)
	for _, l := range tapedLines(t, string(original)) {
		var f frame
		_ = json.Unmarshal(l.Frame, &f)
		if f.has("environment.depth.belowTransducer") && valueOf(f) != "" {
			delete(depths, f.Updates[0].Timestamp+valueOf(f))
		}
	}
	assert.Empty(t, depths)
}

func TestTLS(t *testing.T) {
	t.Parallel()
	certificate, err := mock.NewCertificate()
	require.NoError(t, err)
	b := newBench(t, mock.Options{TLS: certificate, Start: departure})
	require.True(t, strings.HasPrefix(b.url, "https://127.0.0.1:"))
	roots := x509.NewCertPool()
	roots.AddCert(certificate.Certificate)
	trusting := &tls.Config{RootCAs: roots}
	dialer := websocket.Dialer{TLSClientConfig: trusting}
	conn, res, err := dialer.Dial("wss"+strings.TrimPrefix(b.url, "https")+"/signalk/v1/stream", nil)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, res.Body.Close())
	_, text, err := conn.ReadMessage()
	require.NoError(t, err)
	assert.Contains(t, string(text), `"name":"signalk-server"`)
	_, _, err = websocket.DefaultDialer.Dial("wss"+strings.TrimPrefix(b.url, "https")+"/signalk/v1/stream", nil)
	assert.ErrorContains(t, err, "certificate", "who does not trust it does not connect")
	var w tape
	_, err = mock.Record(t.Context(), &w, mock.RecordOptions{URL: b.url, TLS: trusting, MaxTime: 50 * time.Millisecond})
	assert.NoError(t, err)
}

// A server with security says hello to anybody, is mute for a minute, and closes.
func TestRecordWithoutAToken(t *testing.T) {
	t.Parallel()
	users := map[string]mock.User{"reader": {Password: "reader-000"}}
	s, err := mock.StartTimed(mock.Options{Users: users}, time.Minute, 10*time.Millisecond)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	r, err := mock.Record(t.Context(), io.Discard, mock.RecordOptions{URL: s.URL})
	require.ErrorContains(t, err, "without a good token")
	assert.Equal(t, 1, r.Frames, "the hello")
}
