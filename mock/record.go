package mock

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// Bounds of a recording.
const (
	maxRecordedFrame = 16 << 20
	maxRecordedLine  = maxRecordedFrame + 100
	recordSilence    = 90 * time.Second // three pings of the server
)

// RecordOptions say what Record records.
type RecordOptions struct {
	// URL of the server: http, https, ws or wss://HOST:PORT, or HOST:PORT.
	URL string
	// Token for a server with security. It is in no line of the recording.
	Token string
	// TLS of https and wss. If nil, the system's.
	TLS *tls.Config
	// MaxBytes ends the recording before it is longer. If zero, 100 MB.
	MaxBytes int64
	// MaxTime ends the recording. If zero, it is ended by its context.
	MaxTime time.Duration
}

// Recorded is what became of a recording.
type Recorded struct {
	Frames int
	Bytes  int64
	Took   time.Duration
	// End says why it ended: "told to", "time is up", "full", "the server ended
	// it", "the server is silent".
	End string
}

// line is one line of a recording: a frame, with the time at which it came. What
// is no JSON is text.
type line struct {
	At    time.Time       `json:"at"`
	Frame json.RawMessage `json:"frame,omitempty"`
	Text  string          `json:"text,omitempty"`
}

// Record writes what a server tells a client that asks for everything, meta
// included: a JSON object a line, {"at":"2026-07-01T12:00:00.123Z","frame":{...}},
// of which the first is the hello. It ends with ctx or at a limit, between two
// lines; that is no error, nor is the server's end. An error is a server that
// cannot be recorded, or a writer that fails.
func Record(ctx context.Context, w io.Writer, o RecordOptions) (Recorded, error) {
	var r Recorded
	at, err := streamURL(o.URL)
	if err != nil {
		return r, err
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 100 << 20
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	header := http.Header{}
	if o.Token != "" {
		header.Set("Authorization", "Bearer "+o.Token)
	}
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: 10 * time.Second, TLSClientConfig: o.TLS}
	conn, res, err := dialer.DialContext(ctx, at, header)
	if err != nil {
		if res != nil && res.StatusCode == http.StatusUnauthorized {
			return r, errors.New("the server refuses the token")
		}
		return r, fmt.Errorf("cannot connect: %w", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	conn.SetReadLimit(maxRecordedFrame)
	pong := conn.PingHandler()
	conn.SetPingHandler(func(text string) error {
		_ = conn.SetReadDeadline(time.Now().Add(recordSilence))
		return pong(text)
	})

	began := time.Now()
	for {
		_ = conn.SetReadDeadline(time.Now().Add(recordSilence))
		_, text, err := conn.ReadMessage()
		r.Took = time.Since(began)
		if err != nil {
			r.End = "told to"
			var timeout interface{ Timeout() bool }
			switch {
			case errors.Is(context.Cause(ctx), errTimeUp):
				r.End = "time is up"
			case ctx.Err() != nil:
			case errors.As(err, &timeout) && timeout.Timeout():
				r.End = "the server is silent"
			case errors.Is(err, websocket.ErrReadLimit):
				return r, fmt.Errorf("a frame is longer than %d bytes", maxRecordedFrame)
			default:
				r.End = "the server ended it"
			}
			break
		}
		if r.Frames == 0 && !isHello(text) {
			return r, errors.New("this is no Signal K server: its first words are no hello")
		}
		if bytes.Contains(text, []byte(expelled)) {
			return r, errors.New("the server tells nothing more without a good token; give it one")
		}
		l := mustEncode(newLine(time.Now(), text, o.Token))
		if r.Bytes+int64(len(l))+1 > o.MaxBytes {
			r.End = "full"
			break
		}
		n, err := w.Write(append(l, '\n'))
		r.Bytes += int64(n)
		if err != nil {
			return r, err
		}
		if r.Frames++; r.Frames == 1 && o.MaxTime > 0 {
			defer time.AfterFunc(o.MaxTime, func() { stop(errTimeUp) }).Stop()
		}
	}
	if r.Frames == 0 {
		return r, errors.New("the server said nothing")
	}
	return r, nil
}

var errTimeUp = errors.New("time is up")

func newLine(at time.Time, frame []byte, token string) line {
	text := string(frame)
	if token != "" {
		text = strings.ReplaceAll(text, token, "TOKEN")
	}
	l := line{At: at.UTC().Truncate(time.Millisecond)}
	if json.Valid([]byte(text)) {
		l.Frame = json.RawMessage(text)
	} else {
		l.Text = text
	}
	return l
}

// hello is the first frame of a stream.
type hello struct {
	Name, Version, Self string
}

func isHello(text []byte) bool {
	var h hello
	return json.Unmarshal(text, &h) == nil && h.Self != "" && h.Version != ""
}

// streamURL is where a server's whole stream is. Of what is asked for only the
// address counts.
func streamURL(server string) (string, error) {
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	u, err := url.Parse(server)
	if err != nil || u.Host == "" {
		return "", errors.New("the server's URL is not http, https, ws or wss://HOST:PORT")
	}
	scheme := map[string]string{"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}[u.Scheme]
	if scheme == "" {
		return "", fmt.Errorf("the server's URL is %s, not http, https, ws or wss", u.Scheme)
	}
	return scheme + "://" + u.Host + streamPath + "?subscribe=all&sendMeta=all", nil
}
