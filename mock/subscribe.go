package mock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxRows is how many subscribe rows one client may have.
const maxRows = 1000

// glob is a path or context pattern: "*" is any text, dots included, so
// "electrical.batteries" is one path and not what is below it.
type glob string

func (g glob) matches(s string) bool {
	parts := strings.Split(string(g), "*")
	if len(parts) == 1 {
		return s == string(g)
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(s) < len(first)+len(last) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}

// clientMessage is what a client may send. Anything else in it is ignored.
type clientMessage struct {
	Context     json.RawMessage `json:"context"`
	Subscribe   json.RawMessage `json:"subscribe"`
	Unsubscribe json.RawMessage `json:"unsubscribe"`
	Updates     json.RawMessage `json:"updates"`
	Announce    any             `json:"announceNewPaths"`
}

type subscribeRow struct {
	Path      *string `json:"path"`
	Period    any     `json:"period"`
	MinPeriod any     `json:"minPeriod"`
	Policy    string  `json:"policy"`
	Format    string  `json:"format"`
}

// row is one line of a subscribe message at work.
type row struct {
	path glob
	// minPeriod drops what comes within it after a delivered value, the last
	// value too. It is kept per path: with two sources one starves.
	minPeriod time.Duration
	lastSent  map[string]time.Time
	// period collects, and sends the latest of each context and source.
	period  time.Duration
	batches map[string]*batch
	// complaints are error frames, repeated for every path that matches.
	complaints []json.RawMessage
}

// batch holds what came on one path within a period.
type batch struct {
	timer *time.Timer
	held  []heldDelta
}

type heldDelta struct {
	delta delta
	frame []byte
}

// subscription is one subscribe message.
type subscription struct {
	matches func(context string) bool
	rows    []*row
	// announced has the paths of which one value was told, to who asked for new
	// paths; nil for others.
	announced map[string]bool
}

// contextMatcher understands a subscribe message's context. One that is absent,
// or an object, means every context.
func (s *Server) contextMatcher(raw json.RawMessage) func(string) bool {
	var name string
	if json.Unmarshal(raw, &name) != nil || name == "" {
		return func(string) bool { return true }
	}
	if name == "vessels.self" || name == "self" {
		return func(context string) bool { return context == s.self }
	}
	return glob(name).matches
}

func newRow(r subscribeRow) *row {
	out := &row{path: glob(*r.Path), lastSent: map[string]time.Time{}, batches: map[string]*batch{}}
	complain := func(format string, a ...any) {
		out.complaints = append(out.complaints, mustEncode(fmt.Sprintf(format, a...)))
	}
	switch period, minPeriod := milliseconds(r.Period), milliseconds(r.MinPeriod); {
	case minPeriod > 0:
		if r.Policy != "" && r.Policy != "instant" {
			complain("minPeriod assumes policy 'instant', ignoring policy %s", r.Policy)
		}
		out.minPeriod = minPeriod
	case period > 0 || r.Policy == "fixed":
		if r.Policy != "" && r.Policy != "fixed" {
			complain("period assumes policy 'fixed', ignoring policy %s", r.Policy)
			break
		}
		out.period = period
		if period == 0 {
			out.period = time.Second
		}
	}
	if r.Format != "" && r.Format != "delta" {
		complain("Only delta format supported, using it")
	}
	if r.Policy != "" && r.Policy != "instant" && r.Policy != "fixed" {
		complain("Only 'instant' and 'fixed' policies supported, ignoring policy %s", r.Policy)
	}
	return out
}

// milliseconds reads a duration that may have come as a number or as text. The
// upper bound is a day.
func milliseconds(v any) time.Duration {
	var ms float64
	switch v := v.(type) {
	case float64:
		ms = v
	case string:
		ms, _ = strconv.ParseFloat(v, 64)
	}
	if !(ms > 0) {
		return 0
	}
	return time.Duration(min(ms, 86_400_000) * float64(time.Millisecond))
}

// handle acts on one message of a client. What is not JSON, or not a known
// message, is ignored without an answer.
func (s *Server) handle(c *client, text []byte) {
	var m clientMessage
	if json.Unmarshal(text, &m) != nil {
		return
	}
	s.answerRequest(c, text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.Updates != nil && c.allowed && c.who.mayWrite() {
		s.receive(text, c.who.name)
	}
	if m.Subscribe != nil && c.allowed {
		s.subscribe(c, m)
	}
	if m.Unsubscribe != nil {
		s.unsubscribe(c, m, text)
	}
}

// receive takes a delta that a client sent: the server has it from a provider.
func (s *Server) receive(text []byte, user string) {
	d, err := decodeDelta(text)
	if err != nil {
		return
	}
	for i := range d.Updates {
		if u := &d.Updates[i]; u.Source == "" && u.Origin == nil {
			u.Source = strings.TrimSuffix("ws."+user, ".")
		}
	}
	s.settingsOnly(&d)
	s.publish(d)
}

func (s *Server) subscribe(c *client, m clientMessage) {
	var rows []subscribeRow
	if json.Unmarshal(m.Subscribe, &rows) != nil {
		return
	}
	sub := &subscription{matches: s.contextMatcher(m.Context)}
	for _, r := range rows {
		if r.Path == nil || c.rows >= maxRows {
			continue
		}
		c.rows++
		row := newRow(r)
		sub.rows = append(sub.rows, row)
		s.sendCachedRow(c, sub, row)
	}
	if m.Announce == true {
		sub.announced = map[string]bool{}
		readings := s.cache.readings(sub.matches, (*subject).everything)
		for _, r := range readings {
			sub.announced[r.Path] = true
		}
		s.sendReadings(c, readings)
	}
	c.subs = append(c.subs, sub)
	s.sendKept(c)
}

// announceValue tells the first value of a new path to who asked for new paths.
func (s *Server) announceValue(d delta) {
	path := valuePath(d)
	for _, c := range s.clients {
		for _, sub := range c.subs {
			if sub.announced == nil || sub.announced[path] || !c.allowed || path == "" || !sub.matches(d.Context) || len(sub.announced) >= maxPaths {
				continue
			}
			sub.announced[path] = true
			s.sendMeta(c, d)
			c.tell(d, mustEncode(d))
		}
	}
}

// sendCachedRow answers a new row with what is cached, path by path in the
// order the paths appeared, each path's readings by timestamp. For every path
// come the row's complaints.
func (s *Server) sendCachedRow(c *client, sub *subscription, r *row) {
	for _, path := range s.cache.paths {
		pick := func(sub *subject) []reading { return sub.at(path) }
		switch matches := r.path.matches(path); {
		case path == "" && matches && s.opt.Version == version223:
			// 2.23.0 answers the root path with all it knows, and a row "*" with
			// everything twice.
			pick = (*subject).everything
		case path == "" && matches:
			pick = (*subject).roots
		case path == "" && s.opt.Version == version232:
			c.pushAll(r.complaints)
			for _, reading := range s.cache.readings(sub.matches, (*subject).roots) {
				for _, flat := range flattenRoot(reading.delta(), r.path) {
					c.push(mustEncode(flat))
				}
			}
			continue
		case !matches:
			continue
		}
		c.pushAll(r.complaints)
		s.sendReadings(c, s.cache.readings(sub.matches, pick))
	}
}

// sendReadings queues cached readings, with the meta that precedes them.
func (s *Server) sendReadings(c *client, readings []reading) {
	for _, r := range readings {
		d := r.delta()
		s.sendMeta(c, d)
		c.push(mustEncode(d))
	}
}

// flattenRoot makes deltas with the paths of a root value's leaves (name,
// communication.callsignVhf) for a row that asks for one of them; 2.32.0 does
// so, to 2.23.0 such paths are unknown.
func flattenRoot(d delta, path glob) []delta {
	var flat []delta
	var walk func(prefix string, members map[string]any)
	u := d.Updates[0]
	walk = func(prefix string, members map[string]any) {
		for _, name := range sortedKeys(members) {
			if sub, ok := members[name].(map[string]any); ok {
				walk(prefix+name+".", sub)
			} else if path.matches(prefix + name) {
				u := u
				u.Values = []pathValue{{Path: prefix + name, Value: mustEncode(members[name])}}
				flat = append(flat, delta{d.Context, []update{u}})
			}
		}
	}
	if len(u.Values) == 1 {
		if members, ok := decodeObject(u.Values[0].Value); ok {
			walk("", members)
		}
	}
	return flat
}

// deliver sends a delta of one value to a row, now or with its batch, or drops it.
func (s *Server) deliver(c *client, r *row, d delta, frame []byte) {
	path := valuePath(d)
	// Periods do not apply to root values.
	switch {
	case r.minPeriod > 0 && path != "":
		now := time.Now()
		if last, sent := r.lastSent[path]; sent && now.Sub(last) < r.minPeriod {
			return
		}
		if len(r.lastSent) < maxPaths {
			r.lastSent[path] = now
		}
	case r.period > 0 && path != "":
		s.hold(c, r, path, heldDelta{d, frame})
		return
	}
	s.sendMeta(c, d)
	c.tell(d, frame)
}

// valuePath is the path of a delta of one value or one meta.
func valuePath(d delta) string {
	if u := d.Updates[0]; len(u.Values) > 0 {
		return u.Values[0].Path
	}
	return d.Updates[0].Meta[0].Path
}

// hold keeps a delta until the batch that it belongs to is sent: a period after
// the batch's first. A newer one of the same context and source replaces it.
func (s *Server) hold(c *client, r *row, path string, h heldDelta) {
	b := r.batches[path]
	if b == nil {
		if len(r.batches) >= maxPaths {
			return
		}
		b = &batch{}
		b.timer = time.AfterFunc(r.period, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if r.batches[path] == b {
				delete(r.batches, path)
				s.release(c, b)
			}
		})
		r.batches[path] = b
	}
	b.held = slices.DeleteFunc(b.held, func(old heldDelta) bool {
		return old.delta.Context == h.delta.Context && old.delta.Updates[0].Source == h.delta.Updates[0].Source
	})
	b.held = append(b.held, h)
}

// release sends a batch, the latest first.
func (s *Server) release(c *client, b *batch) {
	for _, h := range slices.Backward(b.held) {
		s.sendMeta(c, h.delta)
		c.tell(h.delta, h.frame)
	}
}

// unsubscribe knows one form. Any other gets an error text and the end of the
// connection.
func (s *Server) unsubscribe(c *client, m clientMessage, text []byte) {
	const only = `{"context":"*","unsubscribe":[{"path":"*"}]}`
	var context string
	var rows []subscribeRow
	_ = json.Unmarshal(m.Context, &context)
	_ = json.Unmarshal(m.Unsubscribe, &rows)
	if context == "*" && len(rows) == 1 && rows[0].Path != nil && *rows[0].Path == "*" {
		c.unsubscribe()
		return
	}
	var compact bytes.Buffer
	_ = json.Compact(&compact, text)
	c.push(mustEncode(fmt.Sprintf("Only '%s' supported, received %s", only, compact.String())))
	c.finish(mustEncode("primus::server::close"))
}
