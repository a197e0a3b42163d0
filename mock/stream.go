package mock

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// Limits of one stream connection. The queue takes the cached values and meta
// of some hundred vessels at once; whoever is further behind than that is cut
// off, so that nobody waits for a slow reader.
const (
	maxQueueFrames = 1 << 15
	maxQueueBytes  = 16 << 20
	maxMessage     = 10 << 20 // a longer client message closes with 1009
	maxClients     = 500
	maxPerAddress  = 30 // streams, with 2.32.0
)

// expelled is in the last frame to a client that showed no good token in time.
const expelled = "Connection disconnected by security constraint"

const streamPath = "/signalk/v1/stream"

// client is one stream connection. The goroutine that serves its request reads;
// one other writes; everybody else only queues.
type client struct {
	conn     *websocket.Conn
	alive    atomic.Bool  // answered the last ping
	inflight atomic.Int64 // bytes that were taken from the queue and are not written yet
	gone     chan struct{}
	wake     chan struct{} // the queue has something, holds one
	leaving  sync.Once
	ip       string
	cached   bool // cached values on connect
	sendMeta bool

	// Guarded by Server.mu.
	allowed  bool    // hears and says anything
	who      visitor // a login over the stream changes it, and the token
	token    string
	live     string // the subscribe parameter: which contexts come without a message
	sentMeta map[string]bool
	subs     []*subscription
	rows     int
	told     bool // has had the frames of SendRaw

	mu sync.Mutex
	// Guarded by mu.
	queue    [][]byte
	bytes    int
	last     bool // close when the queue is empty
	frozen   bool // nothing is read: what does not fit is lost, not the client
	pressure pressure
}

func newClient(conn *websocket.Conn, query url.Values, who visitor) *client {
	c := &client{
		conn:     conn,
		gone:     make(chan struct{}),
		wake:     make(chan struct{}, 1),
		allowed:  who.access == accessGranted,
		who:      who,
		live:     query.Get("subscribe"),
		cached:   query.Get("sendCachedValues") != "false",
		sendMeta: query.Get("sendMeta") == "all",
		sentMeta: map[string]bool{},
	}
	if c.live == "" {
		c.live = "self"
	}
	c.alive.Store(true)
	conn.SetPongHandler(func(string) error { c.alive.Store(true); return nil })
	return c
}

// wants tells whether the query parameter alone brings deltas of a context. A
// value that is none of self, all and none brings live deltas of every context.
func (c *client) wants(context, self string) bool {
	switch c.live {
	case "none":
		return false
	case "self":
		return context == self
	}
	return true
}

// rowsFor returns the subscribe rows that cover a context.
func (c *client) rowsFor(context string) []*row {
	if !c.allowed || len(c.subs) == 0 {
		return nil
	}
	var rows []*row
	for _, sub := range c.subs {
		if sub.matches(context) {
			rows = append(rows, sub.rows...)
		}
	}
	return rows
}

// announce repeats the complaints of the rows that a new path matches.
func (c *client) announce(path string) {
	for _, sub := range c.subs {
		for _, r := range sub.rows {
			if r.path.matches(path) {
				c.pushAll(r.complaints)
			}
		}
	}
}

// unsubscribe ends every subscription, the query parameter's too.
func (c *client) unsubscribe() {
	for _, sub := range c.subs {
		for _, r := range sub.rows {
			for _, b := range r.batches {
				b.timer.Stop()
			}
			clear(r.batches)
		}
	}
	c.subs, c.rows, c.live = nil, 0, "none"
	clear(c.sentMeta)
}

// push queues a frame and never waits. A client that is too far behind is cut.
func (c *client) push(frame []byte) {
	c.mu.Lock()
	cut := c.enqueue(frame)
	c.mu.Unlock()
	if cut {
		c.leave()
		return
	}
	c.poke()
}

// enqueue is push with c.mu held; cut tells that the client must go.
func (c *client) enqueue(frame []byte) (cut bool) {
	full := len(c.queue) >= maxQueueFrames || c.bytes+len(frame) > maxQueueBytes && len(c.queue) > 0
	if !full && !c.last {
		c.queue = append(c.queue, frame)
		c.bytes += len(frame)
	}
	return full && !c.frozen
}

func (c *client) pushAll(frames []json.RawMessage) {
	for _, f := range frames {
		c.push(f)
	}
}

// finish queues the last frame; the connection is closed after it.
func (c *client) finish(frame []byte) {
	c.push(frame)
	c.mu.Lock()
	c.last = true
	c.mu.Unlock()
	c.poke()
}

func (c *client) poke() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// take returns what is queued, and whether that was the last.
func (c *client) take() (frames [][]byte, last bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	frames = c.queue
	c.queue, c.bytes = nil, 0
	return frames, c.last
}

// leave ends the connection without a word.
func (c *client) leave() {
	c.leaving.Do(func() {
		close(c.gone)
		if c.conn != nil { // none in a Simulation
			_ = rawConn(c.conn.NetConn()).Close()
		}
	})
}

// goodbye sends a close frame without a code, as the server does whatever the
// reason, and gives the client a second to answer it.
func (c *client) goodbye() {
	_ = c.conn.WriteControl(websocket.CloseMessage, nil, time.Now().Add(time.Second))
	_ = c.conn.SetReadDeadline(time.Now().Add(time.Second))
}

// write sends the queue and the pings until the client is gone. Now and then it
// asks whether the client may still be here.
func (c *client) write(t timing, version string, welcome func() bool) {
	ping := time.NewTicker(t.ping)
	defer ping.Stop()
	check := time.NewTicker(t.expel)
	defer check.Stop()
	for {
		select {
		case <-c.gone:
			return
		case <-check.C:
			if welcome() {
				continue
			}
			c.finish(mustEncode(`{message: "` + expelled + `"}`))
		case <-ping.C:
			if !c.alive.Swap(false) {
				c.goodbye()
				return
			}
			_ = c.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
		case <-c.wake:
			frames, last := c.take()
			for _, f := range frames {
				c.inflight.Add(int64(len(f)))
			}
			for _, f := range frames {
				if c.conn.WriteMessage(websocket.TextMessage, f) != nil {
					c.leave()
					return
				}
				c.inflight.Add(-int64(len(f)))
			}
			if last {
				c.goodbye()
				return
			}
			c.caughtUp(version)
		}
	}
}

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

// serveStream runs one stream connection until it ends.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request) {
	token := streamToken(r)
	who := s.judge(token)
	if who.access == accessRefused {
		refuseStream(w, http.StatusUnauthorized, who.fault)
		return
	}
	if s.crowded(sourceIP(r)) {
		refuseStream(w, http.StatusTooManyRequests, `{"error":"Too many concurrent websocket connections from same IP address"}`)
		return
	}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		s.opt.Logger.Debug("stream not opened", "error", err)
		return
	}
	conn.SetReadLimit(maxMessage)
	c := newClient(conn, r.URL.Query(), who)
	c.token, c.ip = token, sourceIP(r)
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write(s.timing, s.opt.Version, func() bool { return s.welcome(c) })
	}()
	s.join(c)
	s.opt.Logger.Debug("stream opened", "query", r.URL.RawQuery)
	for {
		_, text, err := conn.ReadMessage()
		if err != nil {
			s.opt.Logger.Debug("stream closed", "error", err)
			break
		}
		s.log("WS " + string(text[:min(len(text), maxLogEntry)]))
		s.handle(c, text)
	}
	s.part(c)
	<-written
}

// crowded tells whether an address has all the streams it may have.
func (s *Server) crowded(ip string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := 0
	for _, c := range s.clients {
		if c.ip == ip {
			of++
		}
	}
	return len(s.clients) >= maxClients || s.opt.Version == version232 && of >= maxPerAddress
}

// join says hello, tells what is cached, and from then on the client is served:
// under one lock, so that nothing is missed and nothing comes twice.
func (s *Server) join(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.frozen = s.frozen
	c.push(s.hello())
	s.clients = append(s.clients, c)
	if !c.allowed {
		return
	}
	if c.cached && (c.live == "self" || c.live == "all") {
		wanted := func(context string) bool { return c.wants(context, s.self) }
		s.sendReadings(c, s.cache.readings(wanted, (*subject).everything))
	}
	if c.live != "none" {
		s.sendKept(c)
	}
}

// welcome tells whether a client may stay.
func (s *Server) welcome(c *client) bool {
	s.mu.Lock()
	token := c.token
	s.mu.Unlock()
	return s.judge(token).access == accessGranted
}

// part forgets a client. It may be called more than once.
func (s *Server) part(c *client) {
	s.mu.Lock()
	c.unsubscribe()
	s.clients = slices.DeleteFunc(s.clients, func(other *client) bool { return other == c })
	s.mu.Unlock()
	c.leave()
}

// sendKept tells a new subscriber the frames that SendRaw gave.
func (s *Server) sendKept(c *client) {
	if c.told {
		return
	}
	c.told = true
	for _, text := range s.raw {
		c.push([]byte(text))
	}
}

// hello is the first frame of a connection.
func (s *Server) hello() []byte {
	return mustEncode(struct {
		Name      string   `json:"name"`
		Version   string   `json:"version"`
		Self      string   `json:"self"`
		Roles     []string `json:"roles"`
		Timestamp string   `json:"timestamp"`
		StartID   string   `json:"serverStartId,omitempty"`
	}{"signalk-server", s.opt.Version, s.self, []string{"master", "main"}, stamp(s.now()), s.startID})
}
