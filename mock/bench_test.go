package mock_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

// patience is how long a test waits for what must come.
const patience = 5 * time.Second

// bench is one server under test: the mock, or a real one.
type bench struct {
	*testing.T
	url     string
	version string
	server  *mock.Server // nil for a real one
	mark    string       // part of every path and id that is made, so that tests share a server
	feed    *stream      // to publish with
	// Of a server with security: tokens of its users admin and reader, whose
	// passwords are admin-000 and reader-000, and a maker of others.
	admin, reader string
	token         func(user string, life time.Duration) string
}

// newBench starts a mock of a version for one test.
func newBench(t *testing.T, o mock.Options) *bench {
	t.Helper()
	s := mock.NewServer(o)
	t.Cleanup(s.Close)
	if o.Version == "" {
		o.Version = "2.32.0"
	}
	return &bench{T: t, url: s.URL, version: o.Version, server: s, mark: newMark()}
}

func newMark() string { return fmt.Sprintf("x%08x", rand.Uint32()) }

// path is a path that nobody else uses.
func (b *bench) path(name string) string { return "bench." + b.mark + "." + name }

// vessel is a context that nobody else uses.
func (b *bench) vessel() string {
	return fmt.Sprintf("vessels.urn:mrn:imo:mmsi:%09d", 200_000_000+rand.IntN(500_000_000))
}

// client is a plain HTTP client that leaves nothing behind.
func (b *bench) client() *http.Client {
	tr := &http.Transport{DisableKeepAlives: true}
	b.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: patience}
}

// response is an answer, read.
type response struct {
	*http.Response
	status int
	body   string
}

// do makes a request with header lines "Name: value".
func (b *bench) do(method, path, body string, header ...string) response {
	b.Helper()
	r, err := http.NewRequest(method, b.url+path, strings.NewReader(body))
	require.NoError(b, err)
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	c := b.client()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := c.Do(r)
	require.NoError(b, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(b, err)
	return response{res, res.StatusCode, string(text)}
}

// get asks for a path with header lines "Name: value".
func (b *bench) get(path string, header ...string) (status int, mime, body string) {
	b.Helper()
	res := b.do(http.MethodGet, path, "", header...)
	return res.status, res.Header.Get("Content-Type"), res.body
}

// sailTo makes a place the destination: the mock's vessel says so, a real server
// is asked to.
func (b *bench) sailTo(latitude, longitude float64) {
	b.Helper()
	place := fmt.Sprintf(`{"latitude":%v,"longitude":%v}`, latitude, longitude)
	if b.server == nil {
		b.fix()
		b.put("/signalk/v2/api/vessels/self/navigation/course/destination", `{"position":`+place+`}`)
		return
	}
	require.NoError(b, b.server.Send(
		value("", "courseApi", "navigation.course.nextPoint", `{"type":"Location","position":`+place+`}`),
		value("", "courseApi", "navigation.courseGreatCircle.nextPoint.value.type", `"Location"`),
		value("", "course-provider", "navigation.course.calcValues.distance", "1852"),
		value("", "course-provider", "navigation.course.calcValues.velocityMadeGood", "2.5"),
	))
}

// fix gives own boat a position: a real server reckons after each.
func (b *bench) fix() {
	b.Helper()
	b.publish(
		value("", "gps", "navigation.position", `{"latitude":60,"longitude":24}`),
		value("", "gps", "navigation.speedOverGround", "2"),
		value("", "gps", "navigation.courseOverGroundTrue", "1"),
	)
}

// sailNowhere clears the course.
func (b *bench) sailNowhere() {
	b.Helper()
	if b.server == nil {
		res := b.do(http.MethodDelete, "/signalk/v2/api/vessels/self/navigation/course", "")
		require.Equal(b, 200, res.status, res.body)
		return
	}
	require.NoError(b, b.server.Send(value("", "courseApi", "navigation.course.nextPoint", "null")))
}

// putRoute stores a route.
func (b *bench) putRoute(id, route string) {
	b.Helper()
	if b.server == nil {
		b.put("/signalk/v2/api/resources/routes/"+id, route)
		return
	}
	require.NoError(b, b.server.Send(value("", "resources-provider", "resources.routes."+id, route)))
}

func (b *bench) put(path, body string) {
	b.Helper()
	res := b.do(http.MethodPut, path, body, "Content-Type: application/json")
	require.Equal(b, 200, res.status, res.body)
}

func (b *bench) getJSON(path string, into any) {
	b.Helper()
	status, mime, body := b.get(path)
	require.Equal(b, 200, status, body)
	require.Contains(b, mime, "application/json")
	require.NoError(b, json.Unmarshal([]byte(body), into), body)
}

// frame is a text frame from the server, and what of it is a delta.
type frame struct {
	text    string
	Context string `json:"context"`
	Updates []struct {
		Source         string `json:"$source"`
		Timestamp      string `json:"timestamp"`
		NotificationID string `json:"notificationId"`
		Values         []pathValue
		Meta           []pathValue
	}
}

type pathValue struct {
	Path  string
	Value json.RawMessage
}

// value returns the first value with its path and source.
func (f frame) value() (path, value, source string) {
	for _, u := range f.Updates {
		for _, v := range u.Values {
			return v.Path, string(v.Value), u.Source
		}
	}
	return "", "", ""
}

// said is the first value as "path=value@source", "meta path=value" for meta,
// or the text of what is not a delta.
func (f frame) said() string {
	for _, u := range f.Updates {
		for _, m := range u.Meta {
			return "meta " + m.Path + "=" + string(m.Value)
		}
		for _, v := range u.Values {
			return v.Path + "=" + string(v.Value) + "@" + u.Source
		}
	}
	return f.text
}

// has tells whether a value or meta of the frame has the path.
func (f frame) has(path string) bool {
	for _, u := range f.Updates {
		for _, v := range append(u.Values, u.Meta...) {
			if v.Path == path {
				return true
			}
		}
	}
	return false
}

// stream is one connection of a test.
type stream struct {
	*bench
	conn    *websocket.Conn
	self    string
	hello   map[string]any
	pending []frame // read by settle
}

func (b *bench) wsURL(query string) string {
	return "ws" + strings.TrimPrefix(b.url, "http") + "/signalk/v1/stream" + query
}

// narrow dials with so small a socket buffer that what is not read soon waits in
// the server.
var narrow = websocket.Dialer{NetDial: func(network, addr string) (net.Conn, error) {
	conn, err := net.Dial(network, addr)
	if err == nil {
		err = conn.(*net.TCPConn).SetReadBuffer(4096)
	}
	return conn, err
}}

// dial connects and reads the hello.
func (b *bench) dial(query string, header ...string) *stream {
	b.Helper()
	h := http.Header{}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		h.Set(name, value)
	}
	conn, res, err := websocket.DefaultDialer.Dial(b.wsURL(query), h)
	require.NoError(b, err)
	_ = res.Body.Close()
	b.Cleanup(func() { _ = conn.Close() })
	s := &stream{bench: b, conn: conn}
	require.NoError(b, json.Unmarshal([]byte(s.next().text), &s.hello))
	s.self, _ = s.hello["self"].(string)
	return s
}

// read returns the next frame, or how the connection ended.
func (s *stream) read() (frame, error) {
	if len(s.pending) > 0 {
		f := s.pending[0]
		s.pending = s.pending[1:]
		return f, nil
	}
	return s.receive()
}

func (s *stream) receive() (frame, error) {
	_ = s.conn.SetReadDeadline(time.Now().Add(patience))
	_, text, err := s.conn.ReadMessage()
	f := frame{text: string(text)}
	_ = json.Unmarshal(text, &f)
	return f, err
}

func (s *stream) next() frame {
	s.Helper()
	f, err := s.read()
	require.NoError(s, err)
	return f
}

// until returns the frames up to the first one with the path.
func (s *stream) until(path string) []frame {
	s.Helper()
	var all []frame
	for {
		f := s.next()
		all = append(all, f)
		if f.has(path) {
			return all
		}
	}
}

// find waits for the frame with a path.
func (s *stream) find(path string) frame {
	s.Helper()
	all := s.until(path)
	return all[len(all)-1]
}

// send writes a message.
func (s *stream) send(message string) {
	s.Helper()
	require.NoError(s, s.conn.WriteMessage(websocket.TextMessage, []byte(message)))
}

// subscribe sends a subscribe message with rows as JSON. It is at work when
// subscribe returns.
func (s *stream) subscribe(context, rows string) {
	s.Helper()
	s.send(fmt.Sprintf(`{"context":%q,"subscribe":[%s]}`, context, rows))
	s.settle()
}

// settle returns when the server has acted on all that was sent: messages of
// one connection are handled in order, and the last one is answered.
func (s *stream) settle() {
	s.Helper()
	done, context := s.path("settled"), s.vessel()
	s.send(fmt.Sprintf(`{"context":%q,"subscribe":[{"path":%q}]}`, context, done))
	s.send(value(context, "s", done, "1"))
	for {
		f, err := s.receive()
		require.NoError(s, err)
		if f.has(done) && f.Context == context {
			return
		}
		s.pending = append(s.pending, f)
	}
}

// mine returns what frames said of a path, in order.
func mine(frames []frame, path string) []string {
	var said []string
	for _, f := range frames {
		if f.has(path) {
			said = append(said, f.said())
		}
	}
	return said
}

// publish sends deltas to the server as a provider does that is a client. They
// have all been published when it returns.
func (b *bench) publish(deltas ...string) {
	b.Helper()
	if b.feed == nil {
		query := "?subscribe=none"
		if b.admin != "" {
			query += "&token=" + b.admin
		}
		b.feed = b.dial(query)
	}
	for _, d := range deltas {
		b.feed.send(d)
	}
	b.feed.settle()
}

// value is a delta with one value. An empty context is own boat's.
func value(context, source, path, val string) string {
	return stamped(context, source, "", path, val)
}

// stamped is a delta with one value and its time.
func stamped(context, source, at, path, val string) string {
	d := map[string]any{"$source": source, "values": []any{map[string]any{"path": path, "value": json.RawMessage(val)}}}
	if at != "" {
		d["timestamp"] = at
	}
	return delta(context, d)
}

// meta is a delta with the meta of one path.
func meta(context, path, members string) string {
	return delta(context, map[string]any{"$source": "owner", "meta": []any{map[string]any{"path": path, "value": json.RawMessage(members)}}})
}

func delta(context string, updates ...any) string {
	d := map[string]any{"updates": updates}
	if context != "" {
		d["context"] = context
	}
	text, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	return string(text)
}
