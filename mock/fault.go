package mock

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// FaultKind names what breaks.
type FaultKind string

// The faults. faults.go has what each does.
const (
	FaultDrop          FaultKind = "drop"
	FaultRefuse        FaultKind = "refuse"
	FaultHalfOpen      FaultKind = "half-open"
	FaultSlow          FaultKind = "slow"
	FaultRestart       FaultKind = "restart"
	FaultGarbage       FaultKind = "garbage"
	FaultHugeFrame     FaultKind = "huge-frame"
	FaultOldCache      FaultKind = "old-cache"
	FaultExpiredToken  FaultKind = "expired-token"
	FaultNull          FaultKind = "null"
	FaultFrozen        FaultKind = "frozen"
	FaultSilent        FaultKind = "silent"
	FaultDisagree      FaultKind = "disagree"
	FaultKeelSign      FaultKind = "keel-sign"
	FaultNoOffset      FaultKind = "no-offset"
	FaultClockAhead    FaultKind = "clock-ahead"
	FaultClockBack     FaultKind = "clock-back"
	FaultNoClock       FaultKind = "no-clock"
	FaultNotifications FaultKind = "notifications"
	FaultAISFlood      FaultKind = "ais-flood"
	FaultHostileNames  FaultKind = "hostile-names"
)

// Fault is something that breaks, and when, in the vessel's time.
type Fault struct {
	Kind FaultKind
	// Target is what it happens to, where the kind allows a choice: patterns of
	// paths, or of sources for FaultSilent, with * for any text and commas between.
	// If empty, the kind's own: see FaultKind.About.
	Target string
	// After the start, or after the call of Server.Break. If zero, at once.
	After time.Duration
	// For is how long it lasts. If zero, to the end.
	For time.Duration
}

// FaultKinds lists all there are.
func FaultKinds() []FaultKind {
	kinds := make([]FaultKind, len(faults))
	for i := range faults {
		kinds[i] = faults[i].name
	}
	return kinds
}

// About is one line on what happens, and to what.
func (k FaultKind) About() string {
	f := k.find()
	switch {
	case f == nil:
		return ""
	case f.target != "":
		return f.about + " (" + f.target + ")"
	}
	return f.about
}

func (k FaultKind) find() *faultKind {
	i := slices.IndexFunc(faults, func(f faultKind) bool { return f.name == k })
	if i < 0 {
		return nil
	}
	return &faults[i]
}

// ParseFault reads a fault as it is written on a command line:
//
//	KIND[=TARGET][@AFTER][+FOR]
//
// for one "null=environment.depth.*@2m+90s".
func ParseFault(text string) (Fault, error) {
	var f Fault
	rest, length, has := cutLast(text, "+")
	if has {
		d, err := time.ParseDuration(length)
		if err != nil {
			return f, fmt.Errorf("fault %q: %w", text, err)
		}
		f.For = d
	}
	rest, after, has := cutLast(rest, "@")
	if has {
		d, err := time.ParseDuration(after)
		if err != nil {
			return f, fmt.Errorf("fault %q: %w", text, err)
		}
		f.After = d
	}
	kind, target, _ := strings.Cut(rest, "=")
	f.Kind, f.Target = FaultKind(kind), target
	return f, f.check()
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// String writes it as ParseFault reads it.
func (f Fault) String() string {
	s := string(f.Kind)
	if f.Target != "" {
		s += "=" + f.Target
	}
	if f.After > 0 {
		s += "@" + f.After.String()
	}
	if f.For > 0 {
		s += "+" + f.For.String()
	}
	return s
}

func (f Fault) check() error {
	kind := f.Kind.find()
	switch {
	case kind == nil:
		names := make([]string, len(faults))
		for i, k := range FaultKinds() {
			names[i] = string(k)
		}
		return fmt.Errorf("fault: %q is none of %s", string(f.Kind), strings.Join(names, ", "))
	case f.After < 0 || f.For < 0:
		return fmt.Errorf("fault %s: a time before the start", f.Kind)
	case f.Target != "" && kind.target == "":
		return fmt.Errorf("fault %s: there is no choice of a target", f.Kind)
	}
	return nil
}

// faultKind is one of the table in faults.go. What is nil does nothing.
type faultKind struct {
	name   FaultKind
	about  string
	target string // the default; empty: no choice

	// bus changes what the instruments say; s.mu is held.
	bus func(s *Server, b *breakage, deltas []Delta) []Delta
	// begin, each and end act on the server, at the beginning, once a second from
	// then on, and at the end; s.mu is not held.
	begin, each, end func(s *Server, b *breakage)
}

// breakage is a fault under way.
type breakage struct {
	Fault
	kind        *faultKind
	targets     []glob
	from, until int64 // seconds of the server's time since the start
	now         int64
	began, over bool

	values map[string]any // what bus remembers, by source and path
	state  int64          // what each remembers
}

const never = 1 << 62

// hits tells whether a path or source is one of the targets.
func (b *breakage) hits(name string) bool {
	return slices.ContainsFunc(b.targets, func(g glob) bool { return g.matches(name) })
}

// age is for how long it has lasted.
func (b *breakage) age() int64 { return b.now - b.from }

// maxBreakages bounds the faults of one server that are under way.
const maxBreakages = 100

// Break adds a fault while the server runs.
func (s *Server) Break(f Fault) error {
	if err := f.check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = slices.DeleteFunc(s.broken, func(b *breakage) bool { return b.over })
	if len(s.broken) >= maxBreakages {
		return errors.New("fault: too many are under way")
	}
	s.breakLocked(f, s.second())
	return nil
}

func (s *Server) breakLocked(f Fault, now int64) {
	b := &breakage{Fault: f, kind: f.Kind.find(), until: never, values: map[string]any{}}
	b.from = now + int64(f.After/time.Second)
	if f.For > 0 {
		b.until = b.from + max(1, int64(f.For/time.Second))
	}
	target := f.Target
	if target == "" {
		target = b.kind.target
	}
	for _, t := range strings.Split(target, ",") {
		b.targets = append(b.targets, glob(strings.TrimSpace(t)))
	}
	s.broken = append(s.broken, b)
}

// Mend ends the faults of one kind, or all with an empty kind, within a second.
func (s *Server) Mend(k FaultKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.broken {
		if k == "" || b.Kind == k {
			b.until = min(b.until, s.second())
		}
	}
}

// Broken lists the faults that are under way.
func (s *Server) Broken() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Fault
	for _, b := range s.broken {
		if b.began && !b.over {
			list = append(list, b.Fault)
		}
	}
	return list
}

// breaking is the part of a Server that faults and held values need. Server.mu
// guards it, but for expired.
type breaking struct {
	simulated   bool        // there are no sockets
	expired     atomic.Bool // tokens are
	broken      []*breakage
	ticked      int64                 // the second that was published last
	held        map[string]any        // of Set and Null: what the instrument of a path says
	instruments map[string]instrument // which that is, by path
}

// loadFaults makes the faults of the options ready. s.mu is held.
func (s *Server) loadFaults() {
	s.ticked = -1
	s.held, s.instruments = map[string]any{}, map[string]instrument{}
	for _, f := range s.opt.Faults {
		s.breakLocked(f, 0)
	}
}

// second is the server's time in seconds since the start.
func (s *Server) second() int64 { return int64(s.now().Sub(s.opt.Start) / time.Second) }

// tick lets the vessel say what she has to say, through the faults: once a
// second of her time.
func (s *Server) tick() {
	for _, act := range s.advance() {
		act()
	}
}

// advance publishes, and returns what the faults then do to the server.
func (s *Server) advance() (acts []func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.second()
	if now <= s.ticked {
		return nil
	}
	s.ticked = now
	var deltas []Delta
	if s.vessel != nil {
		deltas = s.vessel.Step(s.now())
	}
	for _, b := range s.broken {
		for _, act := range b.pass(now) {
			if act != nil {
				acts = append(acts, func() { act(s, b) })
			}
		}
	}
	s.publishAll(s.onBus(deltas))
	return acts
}

// pass takes a breakage to a second, and returns what it then does to the server;
// of that, some may be nil.
func (b *breakage) pass(now int64) (acts []func(*Server, *breakage)) {
	b.now = now
	switch {
	case b.over || now < b.from:
	case now >= b.until:
		b.over = true
		if b.began {
			acts = append(acts, b.kind.end)
		}
	case !b.began:
		b.began = true
		acts = append(acts, b.kind.begin, b.kind.each)
	default:
		acts = append(acts, b.kind.each)
	}
	return acts
}

// onBus is what becomes of what the instruments say: by faults, and by Set and
// Null. It notes which instrument has which path.
func (s *Server) onBus(deltas []Delta) []Delta {
	for _, b := range s.broken {
		if b.kind.bus != nil && !b.over && b.from <= s.second() && s.second() < b.until {
			b.now = s.second()
			deltas = followers(b.kind.bus(s, b, deltas))
		}
	}
	for _, d := range deltas {
		for _, u := range d.Updates {
			for i, v := range u.Values {
				if d.Context != "" || v.Path == "" {
					continue
				}
				if _, known := s.instruments[v.Path]; known || len(s.instruments) < maxPaths {
					s.instruments[v.Path] = instrument{u.Origin, u.Source}
				}
				if value, held := s.held[v.Path]; held {
					u.Values[i].Value = value
				}
			}
		}
	}
	return deltas
}

// follows names the path that what a source works out follows from.
var follows = map[string]string{
	courseProvider: "navigation.position",
	anchorAlarm:    "navigation.position",
	derivedData:    "environment.depth.belowKeel",
}

// followers leaves out what is worked out from an instrument that has nothing to
// say: whoever works it out is silent then.
func followers(deltas []Delta) []Delta {
	heard := map[string]bool{}
	change(deltas, func(_ *Update, v *PathValue) { heard[v.Path] = heard[v.Path] || v.Value != nil })
	return keep(deltas, func(context string, u *Update) bool {
		from, follower := follows[u.Source]
		alarm := len(u.Values) > 0 && strings.HasPrefix(u.Values[0].Path, "notifications.")
		return !follower || context != "" || alarm || heard[from]
	})
}

// instrument is the source of a path.
type instrument struct {
	origin any
	source string
}
