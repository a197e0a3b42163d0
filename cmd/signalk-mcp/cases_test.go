package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
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

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"signalk-mcp/mock"
	"signalk-mcp/tools"
)

// asProgram is the variable that makes the test binary the program.
const asProgram = "SIGNALK_MCP_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	// The cases wait for a boat more than they compute: more of them at once than
	// there are processors, unless the command line says else.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// toCome are the cases in testdata for tools that are not there yet. A new tool
// takes its cases off the list, and has to pass them.
var toCome = []string{
	"C22b-wind-speed-unit-wind-state",
	"C24b-engine-state",
	"C25b-tank-state",
	"C29c-wind-angle-wraps-wind-state",
	"C31b-navigation-state",
	"C54b-cpa-in-the-past",
	"C55b-anchor-state-not-set",
	"C56c-own-mmsi-on-ais",
	"C58a-root-delta-merges",
	"C92b-ship-name-as-instruction",
}

// TestCases plays situations from the field: a server publishes what testdata
// says, the program is asked, and its answers are compared.
func TestCases(t *testing.T) {
	t.Parallel()
	var tooEarly []string
	for _, c := range readCases(t) {
		if c.tooEarly() {
			tooEarly = append(tooEarly, c.file)
			continue
		}
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			c.play(t)
			if t.Failed() {
				t.Log(c.Name + ": " + c.Why)
			}
		})
	}
	assert.Equal(t, toCome, tooEarly)
}

// fieldCase is one situation: what the server publishes, what is asked, and what
// must come back.
type fieldCase struct {
	Name  string   `json:"name"`  // number and title
	Why   string   `json:"why"`   // the fact it stands on
	Note  string   `json:"note"`  // how it is played
	Needs []string `json:"needs"` // tools that may not be there yet

	// The Signal K side.
	NoServer bool                       `json:"no_server"` // until start_server
	Server   serverKind                 `json:"server"`
	Frames   []json.RawMessage          `json:"frames"` // see feed
	Bulk     []bulk                     `json:"bulk"`
	Ships    []ships                    `json:"ships"`
	Docs     map[string]json.RawMessage `json:"docs"` // REST path to body

	// The program.
	URL     string            `json:"url"` // if not the server's
	Token   string            `json:"token"`
	Env     map[string]string `json:"env"`
	Process bool              `json:"process"` // in one of its own, as with exit

	// What is asked, and what must hold.
	Calls  []toolCall `json:"calls"`
	Raw    *rawInput  `json:"raw"`
	Exit   *exit      `json:"exit"`
	Saw    *traffic   `json:"saw"`
	Stdout output     `json:"stdout"`
	Stderr output     `json:"stderr"`

	file string // without its ending
}

// serverKind is how the server differs from a plain one.
type serverKind struct {
	Self        string `json:"self"`         // in the hello, as it stands
	Token       string `json:"token"`        // the one it wants, if not the program's
	TLSRedirect bool   `json:"tls_redirect"` // http leads to https with a self-signed certificate
}

// bulk is one delta with many values, or metas; {n} in the path is 0, 1, 2 and
// so on.
type bulk struct {
	Path     string `json:"path"`
	Count    int    `json:"count"`
	Value    any    `json:"value"`
	Pad      int    `json:"pad"` // the value is a text of this length
	Meta     any    `json:"meta"`
	OneFrame bool   `json:"one_frame"` // to the client; else value by value, as from subscriptions
}

// ships are AIS targets with MMSIs in a row.
type ships struct {
	Count int `json:"count"`
	MMSI  int `json:"mmsi"`
}

// toolCall is one tools/call, and what must hold of its answer.
type toolCall struct {
	Before     []step          `json:"before"`
	Tool       string          `json:"tool"`
	Args       json.RawMessage `json:"args"`
	Eventually int             `json:"eventually_ms"` // it is asked again until it holds, this long
	SameAs     *int            `json:"same_as"`       // index of an earlier call with the same answer
	SameKeys   []string        `json:"same_keys"`     // in these keys only
	expect
}

// step is one thing that happens before a call.
type step struct {
	Send   []json.RawMessage `json:"send"`
	Do     string            `json:"do"` // drop_ws, stop_server, start_server, half_open
	Forget bool              `json:"forget"`
	Wait   int               `json:"wait_ms"`
}

// rawInput is what is written to the program line by line, each a JSON value.
type rawInput struct {
	Handshake   bool              `json:"handshake"` // before it
	Lines       []json.RawMessage `json:"lines"`
	CloseAtOnce bool              `json:"close_at_once"` // the input ends with the last line
	Replies     []rawReply        `json:"replies"`
}

type rawReply struct {
	ID     int `json:"id"`
	SameAs int `json:"same_as"` // id with the same answer
	expect
}

// exit is how the process ends, and what it must have cost.
type exit struct {
	How    string `json:"how"` // eof, sigterm, stdout_closed (from the start), by_itself
	After  int    `json:"after_ms"`
	Within int    `json:"within_ms"` // 2000 if 0
	Code   *int   `json:"code"`
	Fails  bool   `json:"fails"`
	MaxCPU int    `json:"max_cpu_ms"`
}

// traffic is what the server saw: see mock.Server.Requests.
type traffic struct {
	Match          patterns `json:"match"`
	Not            patterns `json:"not"`
	MinConnections int      `json:"min_connections"`
	MaxConnections int      `json:"max_connections"`
	MaxRequests    int      `json:"max_requests"`
}

// output is what the program wrote.
type output struct {
	Match    patterns `json:"match"`
	Not      patterns `json:"not"`
	MaxLines int      `json:"max_lines"`
}

var caseNumber = regexp.MustCompile(`^C\d\d[a-z]?\b`)

// readCases reads testdata, in the order of the file names. A key that is not
// known fails, so that a slip of the pen switches no check off.
func readCases(t *testing.T) []*fieldCase {
	t.Helper()
	files, err := filepath.Glob("testdata/cases/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	cases := make([]*fieldCase, len(files))
	for i, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		c := &fieldCase{file: strings.TrimSuffix(filepath.Base(f), ".json")}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(c), f)
		number := caseNumber.FindString(c.Name)
		require.NotEmpty(t, number, f)
		require.True(t, strings.HasPrefix(c.file, number+"-"), "%s is named %s", f, c.Name)
		require.NotEmpty(t, c.Why, f)
		require.False(t, c.Calls == nil && c.Raw == nil && c.Exit == nil, "%s asks nothing", f)
		for _, call := range c.Calls {
			require.True(t, hasTool(call.Tool) || slices.Contains(c.Needs, call.Tool), "%s: no tool %q", f, call.Tool)
		}
		cases[i] = c
	}
	return cases
}

func hasTool(name string) bool {
	return slices.ContainsFunc(tools.Catalog(), func(t tools.Tool) bool { return t.Name == name })
}

func (c *fieldCase) tooEarly() bool {
	return slices.ContainsFunc(c.Needs, func(name string) bool { return !hasTool(name) })
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// play plays the case.
func (c *fieldCase) play(t *testing.T) {
	s := c.serve(t)
	p := c.start(t, s.url)
	how := ""
	if c.Exit != nil {
		how = c.Exit.How
	}
	if how != "stdout_closed" && how != "by_itself" && (c.Raw == nil || c.Raw.Handshake) {
		p.write(initialize)
		p.await(`"init"`)
		p.write(ready)
	}
	if s.told > 0 && !c.NoServer && !c.Server.TLSRedirect {
		p.sees(s.told, p.patience)
	}
	earlier := make([]answer, len(c.Calls))
	for i, call := range c.Calls {
		for _, st := range call.Before {
			s.do(st)
			if st.Send != nil {
				p.sees(s.told, max(p.patience, ms(call.Eventually)))
			}
		}
		earlier[i] = p.ask(call, earlier)
	}
	if c.Raw != nil {
		p.talk(c.Raw)
	}
	p.end(cmp.Or(c.Exit, &exit{How: "eof", Code: new(exitOK)}))
	c.Stdout.check(t, "stdout", p.stdout.String())
	c.Stderr.check(t, "stderr", p.stderr.String())
	if c.Saw != nil {
		c.Saw.check(t, s.mock.Requests())
	}
}

// server is the Signal K side of a case under way.
type server struct {
	t    *testing.T
	url  string
	mock *mock.Server
	told int // length of the last mark; 0 if nothing was told
}

// petrel is the own boat of the cases.
const petrel = "vessels.urn:mrn:signalk:uuid:11111111-1111-4111-8111-111111111111"

// serve starts the server of the case, and publishes what it has to begin with.
func (c *fieldCase) serve(t *testing.T) *server {
	m := mock.NewServer(mock.Options{NoVessel: true, Self: petrel, Token: cmp.Or(c.Server.Token, c.Token)})
	t.Cleanup(m.Close)
	s := &server{t: t, url: m.URL, mock: m}
	if c.NoServer {
		m.Stop()
	}
	for path, doc := range c.Docs {
		require.NoError(t, m.SetDoc(path, expandNow(doc)))
	}
	for _, b := range c.Bulk {
		if b.OneFrame {
			frame, err := json.Marshal(b.delta())
			require.NoError(t, err)
			m.SendRaw(string(frame))
			continue
		}
		require.NoError(t, m.Send(b.delta()))
	}
	for _, of := range c.Ships {
		for n := range of.Count {
			require.NoError(t, m.Send(of.delta(n)))
		}
	}
	if c.Frames != nil || c.Bulk != nil {
		s.feed(c.Frames)
	}
	switch {
	case c.Server.Self != "":
		s.url = s.bare(c.Server.Self, c.Frames)
	case c.Server.TLSRedirect:
		s.url = s.redirect()
	}
	s.url = cmp.Or(c.URL, s.url)
	return s
}

// feed publishes frames, and after them a mark by which it can be told that they
// have been read. An object is a delta, which the server treats as from a
// provider; a text is a frame as it stands.
func (s *server) feed(frames []json.RawMessage) {
	for _, f := range frames {
		if text, is := rawFrame(f); is {
			s.mock.SendRaw(text)
		} else {
			require.NoError(s.t, s.mock.Send(expandNow(f)), "%s", f)
		}
	}
	s.told = max(firstMark, s.told) + 1
	s.mock.SendRaw(mark(s.told))
}

// rawFrame gives the text of a frame that is one.
func rawFrame(f json.RawMessage) (text string, is bool) {
	is = json.Unmarshal(f, &text) == nil
	return string(expandNow([]byte(text))), is
}

// firstMark is longer than any frame of the cases that is not a delta.
const firstMark = 2000

// mark is a frame that is no delta. The program notes the length of such frames
// in its log, at the level debug.
func mark(length int) string { return `"` + strings.Repeat("-", length-2) + `"` }

func (s *server) do(st step) {
	switch st.Do {
	case "":
	case "drop_ws":
		s.mock.Drop()
	case "stop_server":
		s.mock.Stop()
	case "start_server":
		// Somebody else may have got the port meanwhile, and give it back.
		require.Eventually(s.t, func() bool { return s.mock.Restart(st.Forget) == nil }, 5*time.Second, 50*time.Millisecond)
	case "half_open":
		s.mock.HalfOpen()
	default:
		require.Fail(s.t, "no such step", st.Do)
	}
	if st.Send != nil {
		s.feed(st.Send)
	}
	time.Sleep(ms(st.Wait))
}

// bare serves a hello and frames as they stand, which the mock would set right.
func (s *server) bare(self string, frames []json.RawMessage) (at string) {
	hello := fmt.Appendf(nil, `{"name":"signalk-server","version":"2.32.0","self":%q,"roles":["main"],"timestamp":"{{now}}"}`, self)
	mux := http.NewServeMux()
	mux.HandleFunc("/signalk", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"endpoints":{"v1":{}}}`)
	})
	mux.HandleFunc("/signalk/v1/stream", func(w http.ResponseWriter, r *http.Request) {
		ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer ws.Close()
		told := [][]byte{expandNow(hello)}
		for _, f := range frames {
			if text, is := rawFrame(f); is {
				f = []byte(text)
			}
			told = append(told, expandNow(f))
		}
		for _, text := range append(told, []byte(mark(s.told))) {
			err = cmp.Or(err, ws.WriteMessage(websocket.TextMessage, text))
		}
		for err == nil {
			_, _, err = ws.ReadMessage()
		}
	})
	h := httptest.NewServer(mux)
	s.t.Cleanup(h.Close)
	return h.URL
}

// redirect leads to the mock by way of https, with a certificate that nobody
// knows.
func (s *server) redirect() (at string) {
	to, err := url.Parse(s.mock.URL)
	require.NoError(s.t, err)
	secure := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(to))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // it tells of each refusal
	secure.StartTLS()
	s.t.Cleanup(secure.Close)
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, secure.URL+r.RequestURI, http.StatusFound)
	}))
	s.t.Cleanup(plain.Close)
	return plain.URL
}

func (b bulk) delta() mock.Delta {
	u := mock.Update{Source: "bulk", Timestamp: stampNow(-time.Second)}
	for n := range b.Count {
		item := mock.PathValue{Path: strings.ReplaceAll(b.Path, "{n}", strconv.Itoa(n)), Value: b.Value}
		switch {
		case b.Meta != nil:
			item.Value = b.Meta
			u.Meta = append(u.Meta, item)
			continue
		case b.Pad > 0:
			item.Value = strings.Repeat("x", b.Pad)
		}
		u.Values = append(u.Values, item)
	}
	return mock.Delta{Context: petrel, Updates: []mock.Update{u}}
}

func (s ships) delta(n int) mock.Delta {
	return mock.Delta{Context: fmt.Sprintf("vessels.urn:mrn:imo:mmsi:%d", s.MMSI+n), Updates: []mock.Update{{
		Source: "ais", Timestamp: stampNow(0), Values: []mock.PathValue{
			{Path: "navigation.position", Value: map[string]float64{"latitude": 50 + float64(n)/1000, "longitude": -5 + float64(n)/1000}},
			{Path: "navigation.speedOverGround", Value: 4.1},
			{Path: "navigation.courseOverGroundTrue", Value: 1.2},
		},
	}}}
}

var placeholder = regexp.MustCompile(`\{\{now([+-]\d+(?:ms|s|m|h))?\}\}`)

// expandNow puts times for {{now}}, {{now-300s}}, {{now+24h}}.
func expandNow(text []byte) []byte {
	return placeholder.ReplaceAllFunc(text, func(m []byte) []byte {
		d, _ := time.ParseDuration(string(placeholder.FindSubmatch(m)[1])) // none is 0
		return []byte(stampNow(d))
	})
}

func stampNow(d time.Duration) string {
	return time.Now().Add(d).UTC().Format("2006-01-02T15:04:05.000Z")
}

// program is signalk-mcp as its host sees it.
type program struct {
	t        *testing.T
	stdin    io.WriteCloser
	lines    chan string     // of stdout; closed at its end
	stdout   strings.Builder // what was taken from lines
	stderr   syncBuffer
	cmd      *exec.Cmd // nil if it runs inside the test
	ended    chan int  // its exit code
	replies  map[string]rpcReply
	calls    int
	patience time.Duration
}

type rpcReply struct {
	JSONRPC string
	ID      json.RawMessage
	Method  string
	Result  json.RawMessage
	Error   json.RawMessage
}

// start starts the program: inside the test, or as a process of its own.
func (c *fieldCase) start(t *testing.T, at string) *program {
	t.Helper()
	p := &program{
		t: t, lines: make(chan string, 100), ended: make(chan int, 1), replies: map[string]rpcReply{}, patience: 30 * time.Second,
	}
	vars := map[string]string{"SIGNALK_URL": at, "SIGNALK_TOKEN": c.Token, "SIGNALK_LOG_LEVEL": "debug"}
	for k, v := range c.Env {
		vars[k] = v
	}
	if c.Exit != nil || c.Process {
		p.fork(vars, c.Exit != nil && c.Exit.How == "stdout_closed")
		return p
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p.stdin = inW
	go p.listen(outR)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		p.ended <- run(ctx, nil, env{inR, outW, &p.stderr, func(k string) string { return vars[k] }})
		outW.Close()
	}()
	t.Cleanup(func() {
		cancel()
		inW.Close()
		for range p.lines {
		}
	})
	return p
}

// fork runs the test binary as the program.
func (p *program) fork(vars map[string]string, stdoutClosed bool) {
	p.t.Helper()
	self, err := os.Executable()
	require.NoError(p.t, err)
	p.cmd = exec.Command(self)
	p.cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "SIGNALK_") })
	// The race detector else sleeps for a second when the process ends.
	p.cmd.Env = append(p.cmd.Env, asProgram+"=1", "GORACE="+os.Getenv("GORACE")+" atexit_sleep_ms=0")
	for k, v := range vars {
		p.cmd.Env = append(p.cmd.Env, k+"="+v)
	}
	r, w, err := os.Pipe()
	require.NoError(p.t, err)
	p.cmd.Stdout, p.cmd.Stderr = w, &p.stderr
	p.stdin, err = p.cmd.StdinPipe()
	require.NoError(p.t, err)
	require.NoError(p.t, p.cmd.Start())
	w.Close()
	if stdoutClosed {
		r.Close()
	}
	go p.listen(r)
	go func() {
		p.cmd.Wait()
		p.ended <- p.cmd.ProcessState.ExitCode()
	}()
	p.t.Cleanup(func() {
		p.cmd.Process.Kill() // in vain if all went well
		for range p.lines {
		}
		r.Close()
	})
}

// listen reads stdout to its end.
func (p *program) listen(r io.Reader) {
	defer close(p.lines)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		p.lines <- lines.Text()
	}
}

func (p *program) write(text string) {
	p.t.Helper()
	_, err := io.WriteString(p.stdin, text)
	require.NoError(p.t, err, p.stderr.String())
}

// take notes a line of stdout, which is a JSON-RPC message.
func (p *program) take(line string) {
	p.t.Helper()
	p.stdout.WriteString(line + "\n")
	var r rpcReply
	assert.NoError(p.t, json.Unmarshal([]byte(line), &r), line)
	assert.Equal(p.t, "2.0", r.JSONRPC, line)
	assert.True(p.t, r.Method != "" || r.Result != nil || r.Error != nil, line)
	if r.Method == "" {
		p.replies[string(r.ID)] = r
	}
}

// await waits for the result of a request.
func (p *program) await(id string) json.RawMessage {
	p.t.Helper()
	late := time.After(p.patience)
	for {
		if r, ok := p.replies[id]; ok {
			require.Empty(p.t, string(r.Error))
			return r.Result
		}
		select {
		case line, ok := <-p.lines:
			require.True(p.t, ok, "stdout ended without a reply to %s: %s", id, p.stderr.String())
			p.take(line)
		case <-late:
			require.Fail(p.t, "no reply", "to %s: %s", id, p.stderr.String())
		}
	}
}

// sees waits until the program has read a mark, and all that was told before it.
func (p *program) sees(length int, within time.Duration) {
	p.t.Helper()
	read := fmt.Sprintf("bytes=%d\n", length)
	require.Eventually(p.t, func() bool { return strings.Contains(p.stderr.String(), read) }, within, 5*time.Millisecond, "what was told was not read")
}

// promised is the longest that an answer may take, whatever the link does.
const promised = 2 * time.Second

// ask makes a call, and makes it again where the case says so.
func (p *program) ask(c toolCall, earlier []answer) answer {
	p.t.Helper()
	for deadline := time.Now().Add(ms(c.Eventually)); ; time.Sleep(50 * time.Millisecond) {
		p.calls++
		begin := time.Now()
		p.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", p.calls, c.Tool, cmp.Or(string(c.Args), "{}")))
		result := p.await(strconv.Itoa(p.calls))
		assert.Less(p.t, time.Since(begin), promised, c.Tool)
		a := readAnswer(p.t, result)
		bad := c.faults(a)
		if c.SameAs != nil {
			bad = append(bad, differences(a, earlier[*c.SameAs], c.SameKeys)...)
		}
		if bad == nil || time.Now().After(deadline) {
			assert.Empty(p.t, bad, "%s %s said %s", c.Tool, c.Args, plain(a.content))
			return a
		}
	}
}

// talk writes the lines, and looks at the replies: of a tools/call at its
// answer, of anything else at its result.
func (p *program) talk(raw *rawInput) {
	p.t.Helper()
	var input bytes.Buffer
	for _, l := range raw.Lines {
		require.NoError(p.t, json.Compact(&input, l))
		input.WriteByte('\n')
	}
	p.write(input.String())
	if raw.CloseAtOnce {
		p.stdin.Close()
	}
	answers := map[int]answer{}
	for _, r := range raw.Replies {
		result := p.await(strconv.Itoa(r.ID))
		var a answer
		require.NoError(p.t, json.Unmarshal(result, &a.content))
		if dig(a.content, "content") != nil {
			a = readAnswer(p.t, result)
		}
		answers[r.ID] = a
		bad := r.faults(a)
		if r.SameAs != 0 {
			bad = append(bad, differences(a, answers[r.SameAs], nil)...)
		}
		assert.Empty(p.t, bad, "id %d: %s", r.ID, result)
	}
}

// end ends the program the way the case asks, and reads what is left of its
// output.
func (p *program) end(e *exit) {
	p.t.Helper()
	time.Sleep(ms(e.After))
	switch e.How {
	case "eof":
		p.stdin.Close()
	case "sigterm":
		require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	case "stdout_closed":
		p.write(initialize)
	case "by_itself":
	default:
		require.Fail(p.t, "no such end", e.How)
	}
	late := time.After(ms(cmp.Or(e.Within, 2000)))
	lines, code := p.lines, -1
	for running := true; running; {
		select {
		case line, ok := <-lines:
			if !ok {
				lines = nil
				break
			}
			p.take(line)
		case code = <-p.ended:
			running = false
		case <-late:
			require.Fail(p.t, "still running", "after %s: %s", e.How, p.stderr.String())
		}
	}
	if lines != nil {
		for line := range lines {
			p.take(line)
		}
	}
	if e.Code != nil {
		assert.Equal(p.t, *e.Code, code, p.stderr.String())
	}
	if e.Fails {
		assert.Positive(p.t, code)
	}
	if e.MaxCPU > 0 {
		assert.LessOrEqual(p.t, p.cmd.ProcessState.UserTime()+p.cmd.ProcessState.SystemTime(), ms(e.MaxCPU), "CPU time")
	}
}

func (o output) check(t *testing.T, name, text string) {
	t.Helper()
	for _, p := range o.Match {
		assert.Regexp(t, p, text, name)
	}
	for _, p := range o.Not {
		assert.NotRegexp(t, p, text, name)
	}
	if o.MaxLines > 0 {
		assert.LessOrEqual(t, strings.Count(text, "\n"), o.MaxLines, name)
	}
}

func (w *traffic) check(t *testing.T, requests []string) {
	t.Helper()
	all := strings.Join(requests, "\n")
	output{Match: w.Match, Not: w.Not}.check(t, "requests", all)
	streams := strings.Count("\n"+all, "\nGET /signalk/v1/stream")
	assert.GreaterOrEqual(t, streams, w.MinConnections, all)
	if w.MaxConnections > 0 {
		assert.LessOrEqual(t, streams, w.MaxConnections, all)
	}
	if w.MaxRequests > 0 {
		assert.LessOrEqual(t, len(requests), w.MaxRequests, all)
	}
}
