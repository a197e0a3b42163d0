package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of what a foreign server can do to us.
const (
	maxPages  = 100      // of a list of tools
	maxTools  = 5000     // on all pages
	maxList   = 4 << 20  // bytes of them together
	maxAnswer = 16 << 20 // bytes of one answer
	farewell  = time.Second
)

// server is an MCP server: a command that speaks on stdio, or an address that
// speaks Streamable HTTP.
type server struct {
	name    string
	command []string
	env     map[string]string
	url     string
	headers map[string]string
}

func (s server) transport() string {
	if s.url != "" {
		return "HTTP"
	}
	return "stdio"
}

// serverFlags name the servers to look at.
type serverFlags struct {
	urls    texts
	config  string
	timeout time.Duration
}

// register registers the flags. The name of the one for an address is given,
// since -url is the boat's where there is a boat.
func (s *serverFlags) register(f *flag.FlagSet, url string) {
	f.Var(&s.urls, url, "an MCP server on Streamable HTTP; may be given several times")
	f.StringVar(&s.config, "config", "", "a host's configuration, JSON with mcpServers: all of them")
	f.DurationVar(&s.timeout, "timeout", 20*time.Second, "how long a server may take in all")
}

// servers lists those of the flags and the one whose command is left over.
func (s *serverFlags) servers(command []string) (list []server, err error) {
	for _, u := range s.urls {
		list = append(list, server{name: u, url: u})
	}
	if s.config != "" {
		text, err := os.ReadFile(s.config)
		if err != nil {
			return nil, err
		}
		var c struct {
			Servers map[string]struct {
				Command string            `json:"command"`
				Args    []string          `json:"args"`
				Env     map[string]string `json:"env"`
				URL     string            `json:"url"`
				Headers map[string]string `json:"headers"`
			} `json:"mcpServers"`
		}
		if err := json.Unmarshal(text, &c); err != nil {
			return nil, fmt.Errorf("%s is no host's configuration, with command, args and env or url for each of mcpServers: %s", s.config, oneLine(err.Error(), 60))
		}
		if len(c.Servers) == 0 {
			return nil, usageError("%s has no mcpServers", s.config)
		}
		for _, name := range slices.Sorted(maps.Keys(c.Servers)) {
			x := c.Servers[name]
			one := server{name: name, env: x.Env, url: x.URL, headers: x.Headers}
			if x.Command != "" {
				one.command = append([]string{x.Command}, x.Args...)
			}
			if one.url == "" && one.command == nil {
				return nil, usageError("%s: %s has neither command nor url", s.config, name)
			}
			list = append(list, one)
		}
	}
	if len(command) > 0 {
		list = append(list, server{name: strings.Join(command, " "), command: command})
	}
	return list, nil
}

// client is a session with a server.
type client struct {
	*mcp.ClientSession
	tap     *tap
	process *exec.Cmd // of a server on stdio
	said    *tail     // on its stderr
}

// open connects to a server. The old handshake comes first, since servers that
// know only the new one refuse it in words, and old ones may hang on the new.
func (s server) open(ctx context.Context) (*client, error) {
	c, err := s.connect(ctx, "2025-11-25")
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && ctx.Err() == nil {
		c, err = s.connect(ctx, "2026-07-28")
	}
	return c, err
}

func (s server) connect(ctx context.Context, version string) (*client, error) {
	c := &client{tap: &tap{}}
	var transport mcp.Transport
	if s.url != "" {
		transport = &mcp.StreamableClientTransport{
			Endpoint: s.url, MaxRetries: -1, DisableStandaloneSSE: true,
			HTTPClient: &http.Client{Transport: tapRoundTripper{c.tap, s.headers}},
		}
	} else {
		c.said = &tail{}
		c.process = exec.Command(s.command[0], s.command[1:]...)
		c.process.Stderr, c.process.WaitDelay = c.said, farewell
		c.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that what it starts ends with it
		c.process.Env = os.Environ()
		for k, v := range s.env {
			c.process.Env = append(c.process.Env, k+"="+v)
		}
		transport = tapTransport{&mcp.CommandTransport{Command: c.process, TerminateDuration: farewell}, c.tap}
	}
	me := &mcp.Implementation{Name: "breakeven", Version: buildVersion()}
	session, err := within(ctx, func() (*mcp.ClientSession, error) {
		return mcp.NewClient(me, nil).Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	})
	if err != nil {
		c.kill()
		return nil, c.explain(ctx, err)
	}
	c.ClientSession = session
	return c, nil
}

// within ends a wait with its context, also where what is waited for does not.
func within[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// tools lists all pages of the catalogue, each tool as the server sent it.
func (c *client) tools(ctx context.Context) (list []json.RawMessage, err error) {
	cursors := map[string]bool{}
	c.tap.listen(true)
	defer c.tap.listen(false)
	params, size := &mcp.ListToolsParams{}, 0
	for page := 1; ; page++ {
		res, err := within(ctx, func() (*mcp.ListToolsResult, error) { return c.ListTools(ctx, params) })
		if err != nil {
			return list, c.explain(ctx, err)
		}
		for _, tool := range c.tap.take() {
			if size += len(tool); size > maxList {
				return list, fmt.Errorf("its catalogue is larger than %d MiB", maxList>>20)
			}
			list = append(list, tool)
		}
		switch {
		case res.NextCursor == "":
			return list, nil
		case cursors[res.NextCursor]:
			return list, fmt.Errorf("it pages for ever: page %d has a cursor that was there before", page)
		case page == maxPages || len(list) > maxTools:
			return list, fmt.Errorf("it pages for ever: %d tools on %d pages, and more to come", len(list), page)
		}
		cursors[res.NextCursor] = true
		params.Cursor = res.NextCursor
	}
}

// close ends the session, and the process with all that it started.
func (c *client) close() {
	patience, cancel := context.WithTimeout(context.Background(), 4*farewell)
	defer cancel()
	_, _ = within(patience, func() (any, error) { return nil, c.Close() })
	c.kill()
}

func (c *client) kill() {
	if c.process != nil && c.process.Process != nil {
		_ = syscall.Kill(-c.process.Process.Pid, syscall.SIGKILL)
	}
}

// explain says in a line what went wrong with a server.
func (c *client) explain(ctx context.Context, err error) error {
	text := oneLine(err.Error(), 200)
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		text = "no answer in time"
	case c.process != nil && errors.Is(err, io.EOF):
		text = "it ended"
	}
	if last := oneLine(c.said.last(), 200); last != "" {
		text += `; it said "` + last + `"`
	}
	return &failure{text, err}
}

// failure is an error of a server in words fit for a terminal.
type failure struct {
	text  string
	cause error
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.cause }

// residentKiB is how much memory a process has now, in KiB; 0 if that cannot be
// known, as on systems without /proc.
func residentKiB(pid int) (n int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for _, line := range strings.Split(string(text), "\n") {
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &n); err == nil {
			return n
		}
	}
	return 0
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	const keep = 4 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-keep):]...)
	t.text = t.text[max(0, len(t.text)-keep):]
	return len(p), nil
}

// last is the last line that is not empty.
func (t *tail) last() string {
	if t == nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return lines[len(lines)-1]
}

// tap keeps results as the server sent them: the SDK decodes schemas into maps,
// which loses the order of members that a model reads.
type tap struct {
	mu     sync.Mutex
	on     bool
	bodies []*body
}

func (t *tap) listen(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.on, t.bodies = on, nil
}

func (t *tap) add(b *body) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.on {
		t.bodies = append(t.bodies, b)
	}
}

// take gives the tools in what has come since the last take.
func (t *tap) take() (tools []json.RawMessage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range t.bodies {
		for _, message := range b.messages() {
			var r struct {
				Result struct{ Tools []json.RawMessage }
			}
			if json.Unmarshal(message, &r) == nil {
				tools = append(tools, r.Result.Tools...)
			}
		}
	}
	t.bodies = nil
	return tools
}

// body is what came of an answer: one message, or a stream of events.
type body struct {
	io.ReadCloser
	mu     sync.Mutex
	text   []byte
	read   int
	events bool
}

var errTooLarge = fmt.Errorf("the answer is larger than %d MiB", maxAnswer>>20)

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.read += n; b.read > maxAnswer {
		return 0, errTooLarge
	}
	b.text = append(b.text, p[:n]...)
	return n, err
}

func (b *body) messages() (list [][]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.events {
		return [][]byte{b.text}
	}
	for _, event := range bytes.Split(bytes.ReplaceAll(b.text, []byte("\r\n"), []byte("\n")), []byte("\n\n")) {
		var message []byte
		for _, line := range bytes.Split(event, []byte("\n")) {
			if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				message = append(message, data...)
			}
		}
		list = append(list, message)
	}
	return list
}

// tapRoundTripper taps a server on HTTP.
type tapRoundTripper struct {
	tap     *tap
	headers map[string]string
}

func (t tapRoundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	for k, v := range t.headers {
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	b := &body{ReadCloser: resp.Body, events: strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")}
	resp.Body = b
	t.tap.add(b)
	return resp, nil
}

// tapTransport taps a server on stdio.
type tapTransport struct {
	mcp.Transport
	tap *tap
}

func (t tapTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return tapConnection{conn, t.tap}, nil
}

type tapConnection struct {
	mcp.Connection
	tap *tap
}

func (c tapConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Response); ok && r.Error == nil {
		c.tap.add(&body{text: slices.Concat([]byte(`{"result":`), r.Result, []byte("}"))})
	}
	return m, err
}

// tool is a tool as the model sees it. The order of its members is that of
// hosts.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// seen takes what a model sees out of a tool as a server sent it, and what is
// sent beside it.
func seen(raw json.RawMessage) (t tool, rest json.RawMessage, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return t, nil, err
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		return t, nil, err
	}
	t.InputSchema = compact(cmp.Or(string(t.InputSchema), "{}"))
	for _, k := range []string{"name", "description", "inputSchema"} {
		delete(members, k)
	}
	if len(members) > 0 {
		rest = encode(members)
	}
	return t, rest, nil
}

// compact takes the blanks out of JSON.
func compact(s string) []byte {
	var b bytes.Buffer
	if json.Compact(&b, []byte(s)) != nil {
		return []byte(s)
	}
	return b.Bytes()
}

// encode is JSON without blanks and without escaping < > &, which a model would
// read as six characters each.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // it is ours
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
