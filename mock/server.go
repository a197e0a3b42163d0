package mock

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Versions that can be imitated.
const (
	version223 = "2.23.0"
	version232 = "2.32.0"
)

// DefaultSelf is own boat's context unless Options.Self says else.
const DefaultSelf = "vessels.urn:mrn:imo:mmsi:" + ownMMSI

// Options configures a Server. The zero value is a boat under way in the Gulf
// of Finland, on a free loopback port, now.
type Options struct {
	// Addr to listen on. If empty, "127.0.0.1:0": loopback, a free port.
	Addr string
	// Version of the server to imitate, "2.23.0" or "2.32.0". If empty, "2.32.0".
	Version string
	// Scenario is what happens to own boat. If empty, Passage.
	Scenario Scenario
	// Faults break things, each in its time. More can be added while it runs.
	Faults []Fault
	// Control lets programs on this machine script the server: a POST of JSON to
	// /mock/COMMAND. See the package's documentation. Off by default.
	Control bool
	// Spoken gives lines that the page at / shows, such as what a program under
	// test says of the boat. It is called from several goroutines. If nil, none.
	Spoken func() []string
	// Seed of everything that varies: sea bed, weather, traffic, notification
	// ids. Any value, zero too, is one fixed boat.
	Seed uint64
	// Start is the server's and the vessel's time when it starts. If zero, now.
	Start time.Time
	// Speed is how many vessel seconds pass in one second. If zero, 1. The
	// server's own clock runs as fast.
	Speed float64
	// Now is the clock that Start and Speed are applied to. If nil, time.Now.
	// Periods of subscriptions and pings keep to real time.
	Now func() time.Time
	// NoVessel leaves the server empty: nothing is published but what Send gives.
	NoVessel bool
	// Replay is a recording, as Record writes it, that is published instead of a
	// vessel, at Speed and from its beginning again when it is over. Self is the
	// recorded boat's, and Version the recorded server's if it can be imitated and
	// none is given.
	Replay io.ReadSeeker
	// OriginalTimes leaves the times of a recording as they are. Otherwise they
	// are moved, so that it seems to be recorded now.
	OriginalTimes bool
	// Self is own boat's context, with or without "vessels.". If empty, DefaultSelf.
	Self string
	// Users who may log in, by name. With any, or with Token, the server has
	// security on; without, everything is open.
	Users map[string]User
	// Token is one that is good for reading from the start, and needs no login.
	Token string
	// Anonymous lets everybody read without a token where security is on
	// (allow_readonly of the server's settings).
	Anonymous bool
	// DisplayUnits adds to the meta how the server would show each value, as a
	// new 2.32.0 does everywhere and 2.23.0 in some places. Values stay SI.
	DisplayUnits bool
	// TLS makes the server speak HTTPS with this certificate. If nil, HTTP.
	TLS *Certificate
	// Announce makes the server known on the local network by multicast DNS.
	Announce bool
	// Logger receives connection events. If nil, nothing is logged.
	Logger *slog.Logger
}

// fill returns the options with their defaults, or says what is wrong with them.
func (o Options) fill() (Options, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Version == "" {
		o.Version = version232
	}
	if o.Version != version223 && o.Version != version232 {
		return o, fmt.Errorf("version: %q is neither %s nor %s", o.Version, version223, version232)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Start.IsZero() {
		o.Start = o.Now()
	}
	if o.Speed == 0 {
		o.Speed = 1
	}
	if !(o.Speed > 0 && o.Speed <= 1000) {
		return o, fmt.Errorf("speed: %v is not between 0 and 1000", o.Speed)
	}
	if _, err := o.Scenario.find(); err != nil {
		return o, err
	}
	for _, f := range o.Faults {
		if err := f.check(); err != nil {
			return o, err
		}
	}
	if o.Self == "" {
		o.Self = DefaultSelf
	}
	if !strings.HasPrefix(o.Self, "vessels.") {
		o.Self = "vessels." + o.Self
	}
	for name, u := range o.Users {
		if !u.permission().known() {
			return o, fmt.Errorf("user %s: %q is neither %s, %s nor %s", name, u.Permission, ReadOnly, ReadWrite, Admin)
		}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, nil
}

// timing is what a real server does in minutes, so that tests can do it sooner.
type timing struct {
	ping  time.Duration // between pings; who has not answered the last is closed
	expel time.Duration // how long a stream without a token is borne
}

var realTiming = timing{ping: 30 * time.Second, expel: 60 * time.Second}

// cadence is how often the vessel is looked at; it publishes once a second of
// its own time at most.
const cadence = 50 * time.Millisecond

// Server is a Signal K server for tests and for a laptop without a boat. All
// methods may be called at any time from any goroutine.
type Server struct {
	// URL of the server, "http://127.0.0.1:41234" for one. It stays the same over
	// Stop and Restart.
	URL string

	opt    Options
	timing timing
	self   string    // own boat's context
	began  time.Time // Options.Now at start
	addr   string
	gate   *gate
	key    []byte // tokens are signed with it
	door   *door
	quit   chan struct{}
	work   sync.WaitGroup // the vessel, and requests at work

	mu sync.Mutex
	// Guarded by mu.
	closed   bool
	frozen   bool
	listener *listener // nil while stopped
	silence  func()    // ends the announcement
	http     *http.Server
	startID  string
	vessel   *Vessel // nil with NoVessel
	cache    *cache
	ids      *notificationIDs
	zones    *zoneWatch
	clients  []*client
	raw      []string          // of SendRaw, for new subscribers
	docs     map[string][]byte // of SetDoc, by path
	requests []string
	breaking // what faults and held values need
}

// NewServer starts a server and publishes the vessel's first complete set of
// values before it returns. It panics when it cannot, as httptest does; Start
// returns the error.
func NewServer(o Options) *Server {
	s, err := Start(o)
	if err != nil {
		panic(fmt.Sprintf("mock: %v", err))
	}
	return s
}

// Start is NewServer for a command that was given its address.
func Start(o Options) (*Server, error) { return start(o, realTiming) }

func start(o Options, t timing) (*Server, error) {
	var recording *player
	if o.Replay != nil {
		p, h, err := newPlayer(o.Replay)
		if err != nil {
			return nil, err
		}
		recording, o.NoVessel, o.Self = p, true, h.Self
		if o.Version == "" && (h.Version == version223 || h.Version == version232) {
			o.Version = h.Version
		}
	}
	o, err := o.fill()
	if err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	s := prepare(o, t)
	s.mu.Lock()
	defer s.mu.Unlock()
	if recording != nil {
		if err := s.playUntil(recording, burst, maxQueueFrames); err != nil {
			return nil, err
		}
	}
	if err := s.open(); err != nil {
		return nil, err
	}
	s.URL = s.scheme() + "://" + reachable(s.addr)
	s.work.Go(s.sail)
	if recording != nil {
		s.work.Go(func() { s.replay(recording) })
	}
	return s, nil
}

// prepare makes a server of filled options that does not listen yet.
func prepare(o Options, t timing) *Server {
	s := &Server{
		opt:    o,
		timing: t,
		self:   o.Self,
		began:  o.Now(),
		addr:   o.Addr,
		gate:   newGate(),
		key:    newKey(),
		door:   newDoor(),
		quit:   make(chan struct{}),
		ids:    newNotificationIDs(o.Seed),
		docs:   map[string][]byte{},
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	s.loadFaults()
	if !o.NoVessel {
		s.vessel = newVessel(o.Scenario, o.Seed, o.Start, o.Self, o.Version)
		s.publishAll(s.onBus(s.vessel.Step(o.Start)))
	}
	return s
}

// open listens and serves. s.mu is held.
func (s *Server) open() error {
	if s.simulated {
		s.nowhere()
		return nil
	}
	l, err := listen(s.addr, s.gate)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", s.addr, err)
	}
	s.addr = l.Addr().String()
	s.startID = ""
	if s.opt.Version == version232 {
		s.startID = newStartID()
	}
	if s.opt.Announce {
		if s.silence, err = s.announce(); err != nil {
			l.stop()
			return err
		}
	}
	s.listener = l
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ReadHeaderTimeout: 30 * time.Second,
		ErrorLog:          slog.NewLogLogger(s.opt.Logger.Handler(), slog.LevelDebug),
	}
	server, accept := s.http, net.Listener(l)
	if s.opt.TLS != nil {
		accept = s.opt.TLS.wrap(l)
	}
	s.work.Go(func() { _ = server.Serve(accept) })
	return nil
}

func (s *Server) scheme() string {
	if s.opt.TLS != nil {
		return "https"
	}
	return "http"
}

// reachable is an address that a client can use: a server that listens on all
// addresses is on loopback too.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return addr
}

// newStartID is unlike any before it, whatever the seed.
func newStartID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return formatUUID(binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:]))
}

// forget empties the server's memory. s.mu is held.
func (s *Server) forget() {
	s.cache = newCache()
	// Own boat is in the tree before anything is heard, with the id of the settings.
	own := s.cache.subject(s.self).identity
	if mmsi, ok := strings.CutPrefix(s.self, "vessels.urn:mrn:imo:mmsi:"); ok {
		own["mmsi"] = mmsi
	} else {
		own["uuid"] = strings.TrimPrefix(s.self, "vessels.")
	}
	s.zones = newZoneWatch()
	clear(s.ids.ids)
	s.raw = nil
}

// now is the server's clock, which is the vessel's.
func (s *Server) now() time.Time {
	passed := s.opt.Now().Sub(s.began)
	return s.opt.Start.Add(time.Duration(float64(passed) * s.opt.Speed))
}

// sail keeps the vessel and the faults going, until Close.
func (s *Server) sail() {
	tick := time.NewTicker(cadence)
	defer tick.Stop()
	for {
		select {
		case <-s.quit:
			return
		case <-tick.C:
			s.tick()
		}
	}
}

// publishAll publishes what the vessel says. s.mu is held.
func (s *Server) publishAll(deltas []Delta) {
	for _, d := range deltas {
		wire, err := d.wire()
		if err != nil {
			panic(fmt.Sprintf("mock: vessel: %v", err))
		}
		s.publish(wire)
	}
}

// enter counts a request in, unless the server is closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.work.Add(1)
	return true
}

// Close stops the server for good and returns when all it started is gone.
func (s *Server) Close() {
	s.mu.Lock()
	wasClosed := s.closed
	s.closed = true
	s.mu.Unlock()
	if !wasClosed {
		close(s.quit)
	}
	s.Stop()
	s.work.Wait()
}
