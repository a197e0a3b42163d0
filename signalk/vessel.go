package signalk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds of what a Vessel keeps. A busy boat has some 1,500 paths, a crowded
// strait some 200 vessels; the rest is room for the next decade, and a wall for
// a sender that invents names.
const (
	MaxPaths      = 8192     // of the own vessel
	Reserved      = 1024     // of those, for what the named tools live on, half of it for alarms
	MaxSources    = 16       // of a path
	MaxVessels    = 1000     // others
	maxOtherPaths = 64       // of another vessel
	maxBytes      = 32 << 20 // of all that is kept, about
	maxMembers    = 1 << 17  // of objects and lists in a frame; one of 50,000 paths has 100,000
)

// What a source, a path and a path's meta cost in memory beside their texts.
const (
	heardCost = 512
	nodeCost  = 256
	metaCost  = 256
)

// ErrFrame is Feed's error for a frame that holds neither a delta nor a hello.
// Such frames are normal: error texts, replies, server events.
var ErrFrame = errors.New("frame is not a delta")

// VesselOptions configures a Vessel. The zero value is fine.
type VesselOptions struct {
	// Now is the clock. If nil, time.Now. It has to run on evenly, also where the
	// one on the wall is set.
	Now func() time.Time
	// Prefer names sources, best first, that are taken before others where
	// several speak on one path; a name may be the start of a source's.
	Prefer []string
}

// Vessel is what the stream has told of the own vessel and of others. Feed and
// the link's changes are for one goroutine, the Client's; Read is for any.
type Vessel struct {
	now    func() time.Time
	prefer []string

	mu      sync.RWMutex // guards the rest
	own     *ship
	others  map[string]*ship // by context
	route   Route            // the one last fetched
	link    Link
	self    string // own vessel's context, from the last hello
	from    string // server that sent it
	start   string // serverStartId of the last hello
	conn    int    // number of the connection: hellos so far
	helloAt time.Time
	server  time.Time // the server's clock in that hello; zero if it gave none
	firstAt time.Time // arrival of the first value of the own vessel in this connection
	newsAt  time.Time // arrival of the last one that this connection had not told before
	dataAt  time.Time // arrival of the last one
	aliveAt time.Time // when the server last gave a sign of life; zero without a Client
	restart bool      // the server restarted between the last two connections
	bytes   int       // of what is kept, about
	crowded bool      // something of the own vessel was refused for want of room
	stats   Stats
	settled chan struct{} // closed once the first picture is complete, or cannot be had
	once    sync.Once     // closes settled
}

// Stats counts what came over the stream.
type Stats struct {
	Frames       int `json:"frames"` // all of them
	Hellos       int `json:"hellos"`
	Values       int `json:"values"`       // applied
	Skipped      int `json:"skipped"`      // frames that are neither delta nor hello
	BadValues    int `json:"bad_values"`   // values that could not be used: no path, no value, too large
	Full         int `json:"full"`         // values refused because of a bound
	Backpressure int `json:"backpressure"` // deltas in which the server merged what we were too slow for
	Outdated     int `json:"outdated"`     // values of those that were older than what had come
}

// ship is one vessel's paths.
type ship struct {
	paths map[string]*node
	meta  map[string]*Meta
	heard time.Time
}

// node is one path.
type node struct {
	sources []*heard // in order of first arrival
	kind    Schema   // of the path and its meta's units
}

// from gives what a source said; nil if it was not heard, on a path or at all.
func (n *node) from(source string) *heard {
	if n != nil {
		for _, h := range n.sources {
			if h.source == source {
				return h
			}
		}
	}
	return nil
}

// heard is the last value of one path from one source.
type heard struct {
	source  string
	value   Value
	stamp   time.Time // the sensor's; zero if none
	arrived time.Time
	began   past      // the first value equal to this state: its stamp, and when
	changed time.Time // arrival of the first value equal to this one
	moved   int       // connection in which the value was last seen to change
	carried bool      // acknowledged and silenced were so before it took this state
	conn    int       // connection in which it was last confirmed
	proven  bool      // a second arrival in one connection showed that it lives
	stamped age       // its age when it arrived, by its stamp
	gaps    [2]time.Duration
	last    past // what it said before it became null
}

// age is an age that may be unknown.
type age struct {
	d     time.Duration
	known bool
	wrong bool // the stamp cannot be right: its clock is wrong
}

// past is a value that was, and when.
type past struct {
	value Value
	at    time.Time // on our clock, as far as its age was known
	known bool      // at is known
	stamp time.Time // of it, if that can be right
}

// NewVessel returns a Vessel of which nothing is known.
func NewVessel(o VesselOptions) *Vessel {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Vessel{
		now: o.Now, prefer: slices.Clone(o.Prefer),
		own: newShip(), others: map[string]*ship{},
		link:    Link{State: Connecting, Since: o.Now()},
		settled: make(chan struct{}),
	}
}

func newShip() *ship { return &ship{paths: map[string]*node{}, meta: map[string]*Meta{}} }

// Feed takes one text frame of the stream: the hello that opens a connection,
// or a delta. Whatever else comes is counted and refused with ErrFrame; what is
// odd inside a delta is counted and skipped, and the rest of it is applied. The
// frame may be reused after the return.
func (v *Vessel) Feed(raw []byte) error {
	if bytes.Count(raw, []byte{','}) > maxMembers { // decoded they would need a hundred times their size
		return v.tooMuch()
	}
	var f frame
	err := json.Unmarshal(raw, &f)
	var odd *json.UnmarshalTypeError
	if errors.As(err, &odd) && odd.Field != "" { // one member has another type: the others are decoded
		err = nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stats.Frames++
	now := v.now()
	switch {
	case err == nil && f.Updates != nil:
		if f.Merged != nil {
			v.stats.Backpressure++
		}
		v.apply(&f, now)
		return nil
	case err == nil && (f.Self != "" || f.Roles != nil && f.Version != ""):
		v.hello(&f, now)
		return nil
	}
	v.stats.Skipped++
	return ErrFrame
}

// tooMuch refuses a frame unread, so that nobody can say what was in it.
func (v *Vessel) tooMuch() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stats.Frames++
	v.stats.Full++
	v.crowded = true
	return ErrFrame
}

// hello begins a connection. Which context is the own vessel is taken anew from
// each: a server without a fixed identity makes one up at every start.
func (v *Vessel) hello(f *frame, now time.Time) {
	// Without an id (before 2.32) every new connection may be to a restarted server.
	v.restart = v.conn > 0 && (f.ServerStartID == "" || f.ServerStartID != v.start)
	if v.conn > 0 && v.anotherBoat(strings.TrimPrefix(f.Self, "vessels.")) {
		v.own, v.others, v.route, v.bytes = newShip(), map[string]*ship{}, Route{}, 0
	}
	v.from = v.link.Server
	v.conn++
	v.stats.Hellos++
	v.self, v.start = strings.TrimPrefix(f.Self, "vessels."), f.ServerStartID
	v.server, v.helloAt = parseStamp(f.Timestamp), now
	v.firstAt, v.newsAt, v.dataAt = time.Time{}, time.Time{}, time.Time{}
	v.setLink(Link{State: Waiting})
}

// anotherBoat reports whether a hello is not of the boat that was heard before, of
// which nothing may be told as this one's: the MMSI is another, or server and
// vessel both are. A server that was given no identity makes up a new one at
// every start.
func (v *Vessel) anotherBoat(self string) bool {
	numbered := func(id string) bool { return strings.Contains(id, ":mmsi:") }
	return self != v.self && (numbered(self) && numbered(v.self) || v.from != v.link.Server)
}

// serverNow is the server's clock as its hello gave it; the host's if it gave none.
func (v *Vessel) serverNow(now time.Time) time.Time {
	if v.server.IsZero() {
		return now
	}
	return v.server.Add(now.Sub(v.helloAt))
}

// ship finds the vessel of a context; nil if it is none that is kept (aids to
// navigation, base stations, one vessel too many).
func (v *Vessel) ship(context string, now time.Time) *ship {
	id := strings.TrimPrefix(context, "vessels.")
	if context == "" || id == "self" || id == v.self {
		return v.own
	}
	if id == context && !strings.HasPrefix(id, "urn:") || len(id) > maxPath {
		return nil
	}
	s := v.others[id]
	if s == nil {
		if len(v.others) >= MaxVessels {
			v.forgetOldest()
		}
		s = newShip()
		v.others[id] = s
	}
	s.heard = now
	return s
}

func (v *Vessel) forgetOldest() {
	var oldest string
	for id, s := range v.others {
		if o := v.others[oldest]; o == nil || s.heard.Before(o.heard) {
			oldest = id
		}
	}
	for path, n := range v.others[oldest].paths {
		v.bytes -= nodeCost + len(path)
		for _, h := range n.sources {
			v.bytes -= h.size()
		}
	}
	delete(v.others, oldest)
}

// apply takes in a delta.
func (v *Vessel) apply(f *frame, now time.Time) {
	s := v.ship(f.Context, now)
	if s == nil {
		return
	}
	for _, u := range f.Updates {
		stamp, source := parseStamp(u.Timestamp), u.source()
		for _, m := range u.Meta {
			v.mergeMeta(s, m)
		}
		for _, pv := range u.Values {
			path := pv.Path.s
			value, err := parseValue(pv.Value)
			if err != nil && notifies(path) {
				value, err = parseNotification(pv.Value)
			}
			if err != nil {
				v.stats.BadValues++
			}
			switch {
			case len(pv.Value) == 0: // a missing value is not null
			case !pv.Path.known, path != "" && !validPath(path), path == "" && value.Kind() != Object:
				if err == nil {
					v.stats.BadValues++
				}
			case path == "":
				v.merge(s, "", value, source, stamp, now)
			case f.Merged != nil && v.outdated(s, path, source, stamp):
				v.stats.Outdated++
			default: // what cannot be used is as good as null: it ends what was before
				v.set(s, path, source, value, stamp, now)
				if pv.State.TimedOut && value.IsNull() {
					v.timedOut(s, path, source, pv, now)
				}
			}
		}
	}
}

// outdated reports whether a newer value was heard of a path and source. A server
// that merged what we were too slow for may send it after what came later
// (signalk-server 2.23).
func (v *Vessel) outdated(s *ship, path, source string, stamp time.Time) bool {
	h := s.paths[path].from(source)
	return h != nil && !stamp.IsZero() && h.conn == v.conn && stamp.Before(h.stamp)
}

// merge takes in a value of the root: each leaf of the object is a path of its
// own, so that a later call sign wipes no name.
func (v *Vessel) merge(s *ship, prefix string, value Value, source string, stamp, now time.Time) {
	for _, name := range value.Members() {
		path := strings.TrimPrefix(prefix+"."+name, ".")
		switch m := value.Member(name); {
		case !validPath(path):
			v.stats.BadValues++
		case m.Kind() == Object:
			v.merge(s, path, m, source, stamp, now)
		default:
			v.set(s, path, source, m, stamp, now)
		}
	}
}

// set puts one value in its place and learns from its arrival whether the
// source is alive.
func (v *Vessel) set(s *ship, path, source string, value Value, stamp, now time.Time) {
	if strings.HasPrefix(path, "resources.") { // routes and charts are no sensors, and large
		v.resource(path)
		return
	}
	h := v.place(s, path, source, value)
	if h == nil {
		v.stats.Full++
		v.crowded = v.crowded || s == v.own
		return
	}
	v.stats.Values++
	first := h.arrived.IsZero()
	same := !first && value.equal(h.value) && stamp.Equal(h.stamp)
	sameConn := h.conn == v.conn
	if s == v.own {
		v.flows(now, !sameConn)
	}
	h.conn = v.conn
	// The same value with the same stamp is the server's cache told again.
	// Without stamps a repetition a second later is the sensor's.
	if same && !(stamp.IsZero() && sameConn && now.Sub(h.arrived) >= time.Second) {
		return
	}
	before := h.size()
	if value.IsNull() && !h.value.IsNull() {
		h.last = past{value: h.value}
		if a := h.ageAt(now); a.known {
			h.last.at, h.last.known = now.Add(-a.d), true
		}
	}
	h.proven = sameConn && !first
	if h.proven {
		h.gaps = [2]time.Duration{now.Sub(h.arrived), h.gaps[0]}
	} else {
		h.gaps = [2]time.Duration{}
	}
	if first || !sameState(h.value, value) {
		h.carried = !first && settledBy(h.value) && settledBy(value)
		h.began = past{}
		if a := v.stampAge(stamp, now); a.known {
			h.began = past{stamp: stamp, at: now.Add(-a.d), known: true}
		} else if sameConn && !first || v.link.State == Live { // it is news
			h.began = past{at: now, known: true}
		}
	}
	h.carried = h.carried && settledBy(value)
	if first || !value.equal(h.value) {
		h.changed = now
		if !first && sameConn {
			h.moved = v.conn
		}
	}
	h.value, h.stamp, h.arrived = value, stamp, now
	v.bytes += h.size() - before
	h.stamped = v.stampAge(stamp, now)
}

// kind tells what a path measures.
func (s *ship) kind(path string) Schema {
	if m := s.meta[path]; m != nil {
		return SchemaOf(path, m.Units)
	}
	return SchemaOf(path, "")
}

// place finds or makes the place of a path and source; nil if there is no room.
func (v *Vessel) place(s *ship, path, source string, value Value) *heard {
	if len(source) > maxPath {
		return nil
	}
	most, room := maxOtherPaths, maxBytes/2
	if s == v.own {
		most, room = mostPaths(path), roomFor(path)
	}
	h := &heard{source: source}
	n := s.paths[path]
	if n == nil {
		cost := nodeCost + len(path)
		if len(s.paths) >= most || v.bytes+cost+h.size()+value.size() > room {
			return nil
		}
		n = &node{kind: s.kind(path)}
		s.paths[path] = n
		v.bytes += cost
	}
	if known := n.from(source); known != nil {
		if v.bytes+value.size() > room && value.size() > known.value.size() {
			return nil
		}
		return known
	}
	if v.bytes+h.size()+value.size() > room {
		return nil
	}
	if len(n.sources) < MaxSources {
		n.sources = append(n.sources, h)
		v.bytes += h.size()
		return h
	}
	// Buses give their devices new addresses: the one silent for longest goes, but
	// not one that holds up an alarm.
	oldest := slices.MinFunc(n.sources, func(a, b *heard) int {
		return cmp.Or(cmp.Compare(raised(a.value), raised(b.value)), a.arrived.Compare(b.arrived))
	})
	if notifies(path) && raised(oldest.value) > 0 {
		return nil
	}
	v.bytes += h.size() - oldest.size()
	*oldest = *h
	return oldest
}

// notifies reports whether a path is a notification's.
func notifies(path string) bool { return strings.HasPrefix(path, "notifications.") }

// raised is 1 for a notification that is not cleared.
func raised(v Value) int {
	if v.IsNull() || Cleared(StateOf(v)) {
		return 0
	}
	return 1
}

// mostPaths is how many paths there may be for one more to be taken in.
func mostPaths(path string) int {
	switch {
	case notifies(path):
		return MaxPaths
	case vital(path):
		return MaxPaths - Reserved/2
	}
	return MaxPaths - Reserved
}

// vital reports whether a path is one that the named tools live on: there is
// room for it whatever else a boat publishes.
func vital(path string) bool {
	for _, p := range []string{"notifications.", "environment.depth.", "environment.time", "design.", "electrical.batteries.", "navigation."} {
		if strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}

// roomFor is how much may be kept for a value of a path to be taken in.
func roomFor(path string) int {
	if vital(path) {
		return maxBytes
	}
	return maxBytes - maxBytes/8
}

// size is about what a source costs in memory.
func (h *heard) size() int {
	return heardCost + len(h.source) + h.value.size() + h.last.value.size()
}

// timedOut keeps the last value that the server itself gave up on.
func (v *Vessel) timedOut(s *ship, path, source string, pv pathValue, now time.Time) {
	value, err := parseValue(pv.State.LastValue.Value)
	if err != nil || value.IsNull() {
		return
	}
	h := s.paths[path].from(source)
	if h == nil {
		return
	}
	v.bytes += value.size() - h.last.value.size()
	h.last = past{value: value}
	if a := v.stampAge(parseStamp(pv.State.LastValue.Timestamp), now); a.known {
		h.last.at, h.last.known = now.Add(-a.d), true
	}
}

// flows notes a value of the own vessel; news is one that this connection had
// not told before.
func (v *Vessel) flows(now time.Time, news bool) {
	if v.firstAt.IsZero() {
		v.firstAt = now
	}
	if news {
		v.newsAt = now
	}
	v.dataAt = now
}

// The cache of a boat comes in one burst of 0.1 to 0.35 s (measured), from a busy
// server with gaps.
const (
	settleTime  = 300 * time.Millisecond // without news: that was all
	settleLimit = 2 * time.Second        // from the first value, whatever comes
)

// pictured reports whether the burst of what the server knew at the subscription
// seems to be over.
func (v *Vessel) pictured() bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	now := v.now()
	return !v.firstAt.IsZero() && (now.Sub(v.newsAt) >= settleTime || now.Sub(v.firstAt) >= settleLimit)
}

// Complete tells that the server has told all it knows: from now on the link is
// live, and what was not heard is not there. Until then nobody can say so. It
// does nothing before the first value, since a hello is no proof of access.
func (v *Vessel) Complete() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.link.State == Waiting && !v.firstAt.IsZero() {
		v.setLink(Link{State: Live})
		v.settle()
	}
}

func (v *Vessel) settle() { v.once.Do(func() { close(v.settled) }) }

// Settled is closed when the first picture of the boat is complete, or the
// first attempt to get it has failed.
func (v *Vessel) Settled() <-chan struct{} { return v.settled }

// Len is the number of the own vessel's paths.
func (v *Vessel) Len() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return len(v.own.paths)
}

// sameState tells whether two values are the same to someone who asks "since
// when": of a notification the state counts, not its text.
func sameState(a, b Value) bool {
	if a.kind == Object && b.kind == Object {
		if x, y := a.Member("state"), b.Member("state"); !x.IsNull() || !y.IsNull() {
			return x.equal(y)
		}
	}
	return a.equal(b)
}

// size is about what a value costs in memory beyond its fixed part.
func (v Value) size() int {
	switch v.kind {
	case Text:
		return len(v.text)
	case Object, Array:
		return treeSize(v.tree)
	}
	return 0
}

func treeSize(x any) int {
	n := 16
	switch x := x.(type) {
	case string:
		n += len(x)
	case []any:
		for _, e := range x {
			n += treeSize(e)
		}
	case map[string]any:
		for k, e := range x {
			n += 48 + len(k) + treeSize(e)
		}
	}
	return n
}
