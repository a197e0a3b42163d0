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
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdio is the transport between an MCP host and us: a JSON-RPC message a line.
// The SDK's own ends the session at the first line it cannot read, and drops the
// replies to calls in flight when its input ends (go-sdk v1.8.0); this one
// answers or skips such lines, and holds the end of input back until what was
// asked is answered.
type stdio struct {
	in   io.Reader
	out  io.Writer
	log  *slog.Logger
	over chan struct{} // closed at the end of the input
}

func newStdio(in io.Reader, out io.Writer, log *slog.Logger) *stdio {
	return &stdio{in, out, log, make(chan struct{})}
}

const (
	maxLine     = 4 << 20 // bytes; a call is a few hundred
	maxCalls    = 16      // under way at once; the next waits until one is done
	maxAhead    = 1024    // lines that are read while others wait, of maxLine bytes together
	endPatience = 1500 * time.Millisecond
)

// Connect starts reading.
func (t *stdio) Connect(context.Context) (mcp.Connection, error) {
	c := &stdioConn{
		out: t.out, log: t.log, lines: make(chan line, maxAhead), taken: make(chan struct{}, 1), closed: make(chan struct{}),
		free: make(chan struct{}, maxCalls), pending: map[string]*call{}, idle: make(chan struct{}, 1),
	}
	go c.scan(t.in, t.over)
	return c, nil
}

// line is one line of input, or its end.
type line struct {
	text []byte
	err  error
	long bool // over maxLine; text is not all of it
}

// call is a request that waits for its reply.
type call struct {
	method    string
	batch     *batch // it came in; nil if alone
	cancelled bool   // the host wants no reply any more
}

// batch collects the replies to a JSON-RPC batch.
type batch struct {
	open    int
	replies [][]byte
}

// stdioConn is the one connection of a stdio transport.
type stdioConn struct {
	log    *slog.Logger
	lines  chan line
	ahead  atomic.Int64  // bytes in lines
	taken  chan struct{} // signalled when one is taken
	closed chan struct{}
	once   sync.Once
	free   chan struct{} // holds a token for each call under way
	queue  []jsonrpc.Message
	idle   chan struct{} // signalled when no call is pending

	mu      sync.Mutex // guards the rest
	out     io.Writer
	pending map[string]*call // by the JSON of the id
	version string           // protocol version that initialize settled
}

func (c *stdioConn) SessionID() string { return "" }

// Close ends the connection. The goroutine that reads the input ends with the
// input, or with the process: a read of stdin cannot be interrupted.
func (c *stdioConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// scan reads lines until the input ends. It reads ahead, so that the end is seen
// while a host that reads no replies holds up the rest.
func (c *stdioConn) scan(in io.Reader, over chan<- struct{}) {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		l := readLine(r)
		if l.err != nil {
			close(over)
		}
		for c.ahead.Add(int64(len(l.text))) > maxLine && len(c.lines) > 0 {
			c.ahead.Add(-int64(len(l.text)))
			select {
			case <-c.taken:
			case <-c.closed:
				return
			}
		}
		select {
		case c.lines <- l:
		case <-c.closed:
			return
		}
		if l.err != nil {
			return
		}
	}
}

// readLine reads a line of at most maxLine bytes, and drops the rest of a
// longer one. What stands before the end of input without a newline is a line.
func readLine(r *bufio.Reader) line {
	var l line
	for {
		part, err := r.ReadSlice('\n')
		if len(l.text)+len(part) <= maxLine {
			l.text = append(l.text, part...)
		} else {
			l.long = true
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && len(l.text) > 0 && errors.Is(err, io.EOF) {
			err = nil // the end comes with the next read
		}
		l.err = err
		return l
	}
}

// Read gives the SDK the next message that it can handle.
func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.queue) > 0 {
			m := c.queue[0]
			c.queue = c.queue[1:]
			if err := c.admit(ctx, m); err != nil {
				return nil, err
			}
			return m, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case l := <-c.lines:
			c.ahead.Add(-int64(len(l.text)))
			select {
			case c.taken <- struct{}{}:
			default:
			}
			if l.err != nil {
				c.drain(ctx)
				return nil, io.EOF
			}
			c.take(l)
		}
	}
}

// admit waits until fewer than maxCalls are under way.
func (c *stdioConn) admit(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Request); !ok || !r.IsCall() || r.Method == listen {
		return nil
	}
	select {
	case c.free <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.closed:
		return io.EOF
	}
}

// listen is the one request that is answered only when it is cancelled.
const listen = "subscriptions/listen"

// drain waits until the calls under way are answered, but not for ever.
func (c *stdioConn) drain(ctx context.Context) {
	patience := time.NewTimer(endPatience)
	defer patience.Stop()
	for {
		if c.answered() {
			return
		}
		select {
		case <-c.idle:
		case <-patience.C:
			return
		case <-ctx.Done():
			return
		case <-c.closed:
			return
		}
	}
}

func (c *stdioConn) answered() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pending {
		if p.method != listen {
			return false
		}
	}
	return true
}

// take turns a line into messages. What is none is answered with an error, or
// skipped; the session goes on.
func (c *stdioConn) take(l line) {
	text := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(l.text), []byte("\ufeff")))
	if len(text) == 0 {
		return
	}
	if l.long || !json.Valid(text) {
		why := "not JSON"
		if l.long {
			why = fmt.Sprintf("longer than %d bytes", maxLine)
		}
		c.refuse(nil, jsonrpc.CodeParseError, "parse error: the line is "+why)
		return
	}
	if text[0] != '[' {
		if m := c.message(text, nil); m != nil {
			c.queue = append(c.queue, m)
		}
		return
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil || len(parts) == 0 {
		c.refuse(nil, jsonrpc.CodeInvalidRequest, "invalid request: an empty batch")
		return
	}
	b := &batch{}
	for _, p := range parts {
		if m := c.message(p, b); m != nil {
			c.queue = append(c.queue, m)
		}
	}
}

// message reads one message, and notes a request as pending.
func (c *stdioConn) message(text []byte, b *batch) jsonrpc.Message {
	var members map[string]json.RawMessage // "ID" is not the id, as it would be to a struct
	if err := json.Unmarshal(text, &members); err != nil {
		c.refuse(nil, jsonrpc.CodeInvalidRequest, "invalid request: not a JSON-RPC message")
		return nil
	}
	id := members["id"]
	key, valid := idKey(id)
	if !valid {
		c.refuse(nil, jsonrpc.CodeInvalidRequest, "invalid request: the id is neither a text nor a whole number below 2^53")
		return nil
	}
	m, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		c.refuse(id, jsonrpc.CodeInvalidRequest, "invalid request: not a JSON-RPC 2.0 message")
		return nil
	}
	r, ok := m.(*jsonrpc.Request)
	switch {
	case !ok:
	case r.Method == "notifications/cancelled":
		c.cancel(r.Params)
	case key != "" && !c.register(key, &call{method: r.Method, batch: b}):
		c.refuse(nil, jsonrpc.CodeInvalidRequest, "invalid request: its id is in use by a call under way")
		return nil
	}
	return m
}

// register notes a call that waits for its reply; false if its id is in use.
func (c *stdioConn) register(key string, p *call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[key] != nil {
		return false
	}
	c.pending[key] = p
	if p.batch != nil {
		p.batch.open++
	}
	return true
}

// cancel notes that a reply is no longer wanted, and must not be sent (protocol
// 2026-07-28, stdio); the SDK sends it all the same.
func (c *stdioConn) cancel(params []byte) {
	var p struct{ RequestID json.RawMessage }
	if json.Unmarshal(params, &p) != nil {
		return
	}
	key, _ := idKey(p.RequestID)
	c.mu.Lock()
	defer c.mu.Unlock()
	if call := c.pending[key]; call != nil && call.method != "initialize" {
		call.cancelled = true
	}
}

// idKey gives an id in one spelling; empty if there is none. valid is false for
// one that would not survive the SDK, which keeps numbers as float64 and cuts
// their fraction.
func idKey(raw json.RawMessage) (key string, valid bool) {
	if len(raw) == 0 {
		return "", true
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return "", false
	}
	switch id := v.(type) {
	case string:
		return "s" + id, true
	case float64:
		return strconv.FormatInt(int64(id), 10), id == float64(int64(id)) && id > -1<<53 && id < 1<<53
	}
	return "", false
}

// refuse answers what could not be taken. Without a known id the member is left
// out: clients refuse null.
func (c *stdioConn) refuse(id []byte, code int, why string) {
	c.log.Warn("message refused", "reason", why)
	e := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"`
		Error   any             `json:"error"`
	}{"2.0", id, map[string]any{"code": code, "message": why}}
	text, err := json.Marshal(e)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writeLine(text)
}

// Write sends a message to the host. A host that reads no more is gone: the
// error ends the session.
func (c *stdioConn) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return c.writeLine(text)
	}
	p := c.settle(r)
	switch {
	case p == nil:
		return c.writeLine(text)
	case p.batch == nil && p.cancelled:
		return nil
	case p.batch == nil:
		return c.writeLine(text)
	}
	b := p.batch
	b.open--
	if !p.cancelled {
		b.replies = append(b.replies, text)
	}
	if b.open > 0 || len(b.replies) == 0 {
		return nil
	}
	if c.batches() {
		return c.writeLine(append(append([]byte{'['}, bytes.Join(b.replies, []byte{','})...), ']'))
	}
	for _, text := range b.replies {
		if err := c.writeLine(text); err != nil {
			return err
		}
	}
	return nil
}

// batches reports whether the era of the session answers a batch with a batch;
// protocol 2025-06-18 took batches out.
func (c *stdioConn) batches() bool { return c.version != "" && c.version < "2025-06-18" }

// settle takes a request off the list of those that wait.
func (c *stdioConn) settle(r *jsonrpc.Response) *call {
	var key string
	switch id := r.ID.Raw().(type) {
	case string:
		key = "s" + id
	case int64:
		key = strconv.FormatInt(id, 10)
	}
	p := c.pending[key]
	if p == nil {
		return nil
	}
	delete(c.pending, key)
	if p.method == "initialize" {
		var res struct{ ProtocolVersion string }
		if json.Unmarshal(r.Result, &res) == nil {
			c.version = res.ProtocolVersion
		}
	}
	if p.method != listen {
		select {
		case <-c.free:
		default:
		}
	}
	select {
	case c.idle <- struct{}{}:
	default:
	}
	return p
}

// writeLine writes one line whole. The caller holds mu.
func (c *stdioConn) writeLine(text []byte) error {
	_, err := c.out.Write(append(text, '\n'))
	return err
}
