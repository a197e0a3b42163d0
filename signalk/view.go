package signalk

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// View is a consistent look at the vessel. It is good only inside the function
// that Vessel.Read calls with it; what its methods return may be kept.
type View struct {
	v *Vessel
	// Now is the host's clock at the time of the look.
	Now time.Time
}

// Read calls f with a View. Nothing changes while f runs, so f must be quick
// and must not call the Vessel.
func (v *Vessel) Read(f func(View)) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	f(View{v, v.now()})
}

// Reading is the last value heard on one path from one source. The zero Reading
// is "never heard".
type Reading struct {
	Path   string
	Source string // $source, such as "n2k-can0.35"
	Value  Value  // SI
	State  State
	// Quantity is what the value measures.
	Quantity Quantity
	// Stamp is the sensor's time, UTC; zero if it gave none, or a wrong one.
	Stamp time.Time
	// Age is how long ago the value was measured, if AgeKnown.
	Age      time.Duration
	AgeKnown bool
	// WrongClock reports that the source stamps its values with a wrong time.
	WrongClock bool
	// Alive reports that the source was heard at least twice on this connection.
	Alive bool
	// Held is for how long the value has been the same, and Moves reports that it
	// was seen to change on this connection.
	Held  time.Duration
	Moves bool
	// Confirmed reports that this connection has brought the value.
	Confirmed bool
	// Before is what a source said before it fell to null, and how long ago;
	// null if it never said anything else.
	Before         Value
	BeforeAge      time.Duration
	BeforeAgeKnown bool

	// Rank is the place of the source among those of the path, whatever their
	// state: by the owner's preference, measured before derived, by name.
	Rank int

	arrived time.Time
}

// Fresh reports whether the value can be spoken as what is now.
func (r Reading) Fresh() bool { return r.State == Fresh }

// Link says how the connection to the server stands. A server that gave no sign of
// life for longer than the connection should have borne is not there, whatever
// the connection says: this computer may have slept.
func (w View) Link() Link {
	l := w.v.link
	if (l.State == Live || l.State == Waiting) && !w.v.aliveAt.IsZero() && w.Now.Sub(w.v.aliveAt) > deaf {
		l.State, l.Since, l.Reason = Down, w.v.aliveAt, "no answer in time"
	}
	return l
}

// Stats gives the counters of the stream.
func (w View) Stats() Stats { return w.v.stats }

// Crowded reports whether values of the own vessel were refused for want of room:
// then nobody can say that something is not there.
func (w View) Crowded() bool { return w.v.crowded }

// Route gives the route resource that was last fetched.
func (w View) Route() Route { return w.v.route }

// Meta gives what the server said about a path of the own vessel.
func (w View) Meta(path string) Meta {
	if m := w.v.own.meta[path]; m != nil {
		return *m
	}
	return Meta{}
}

// Paths lists the own vessel's paths at or below a prefix, sorted. An empty
// prefix is all of them.
func (w View) Paths(prefix string) []string { return w.v.own.below(prefix) }

func (s *ship) below(prefix string) []string {
	var paths []string
	for p := range s.paths {
		if prefix == "" || p == prefix || strings.HasPrefix(p, prefix) && p[len(prefix)] == '.' {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}

// Find gives the spelling under which a path is known, whatever its letter
// case; ok is false if there is none.
func (w View) Find(path string) (known string, ok bool) {
	if w.v.own.paths[path] != nil {
		return path, true
	}
	for p := range w.v.own.paths {
		if strings.EqualFold(p, path) && (!ok || p < known) {
			known, ok = p, true
		}
	}
	return known, ok
}

// Readings gives a path's readings from all its sources, best first: those that
// can be spoken now by the owner's preference, then measured before derived, then
// by name, which does not depend on who spoke last; then the others, the youngest
// first.
func (w View) Readings(path string) []Reading { return w.readings(w.v.own, path) }

// Reading gives the best of a path's readings, or the zero Reading.
func (w View) Reading(path string) Reading {
	if all := w.Readings(path); len(all) > 0 {
		return all[0]
	}
	return Reading{}
}

func (w View) readings(s *ship, path string) []Reading {
	n := s.paths[path]
	if n == nil {
		return nil
	}
	meta, kind := s.meta[path], n.kind
	if s != w.v.own && kind.Limit != never {
		kind.Limit = aisLimit
	}
	all := make([]Reading, len(n.sources))
	for i, h := range n.sources {
		all[i] = w.reading(path, h, meta, kind)
	}
	if len(all) > 1 {
		slices.SortFunc(all, func(a, b Reading) int {
			return cmp.Or(cmp.Compare(w.preference(a.Source), w.preference(b.Source)), cmp.Compare(a.Source, b.Source))
		})
		for i := range all {
			all[i].Rank = i
		}
		slices.SortStableFunc(all, func(a, b Reading) int {
			if a.Fresh() || b.Fresh() {
				return yesFirst(a.Fresh(), b.Fresh())
			}
			return cmp.Or(yesFirst(a.AgeKnown, b.AgeKnown), cmp.Compare(a.Age, b.Age))
		})
	}
	return all
}

// yesFirst compares so that what is true comes first.
func yesFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func (w View) reading(path string, h *heard, meta *Meta, kind Schema) Reading {
	a := h.ageAt(w.Now)
	r := Reading{
		Path: path, Source: h.source, Value: h.value, Quantity: kind.Quantity,
		State: w.v.state(h, w.Now, h.limit(meta, kind)),
		Stamp: h.stamp, Age: a.d, AgeKnown: a.known,
		WrongClock: w.v.clockWrong(h), Alive: h.proven && h.conn == w.v.conn,
		Held: w.Now.Sub(h.changed), Moves: h.moved == w.v.conn, Confirmed: h.conn == w.v.conn,
		Before: h.last.value, arrived: h.arrived,
	}
	if r.WrongClock {
		r.Stamp = time.Time{}
	}
	if h.last.known {
		r.BeforeAge, r.BeforeAgeKnown = w.Now.Sub(h.last.at), true
	}
	return r
}

// preference ranks a source: the owner's list, then what measures, then what
// computes from what others measure.
func (w View) preference(source string) int {
	for i, p := range w.v.prefer {
		if strings.HasPrefix(source, p) {
			return i
		}
	}
	if strings.HasPrefix(source, "derived-data") {
		return len(w.v.prefer) + 1
	}
	return len(w.v.prefer)
}

// Sources lists the sources heard for the own vessel, sorted.
func (w View) Sources() []string {
	set := map[string]bool{}
	for _, n := range w.v.own.paths {
		for _, h := range n.sources {
			set[h.source] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// Self is the own vessel's id as the server names it, without "vessels.".
func (w View) Self() string { return w.v.self }

// Others lists the contexts of the other vessels, sorted, without the one that
// is our own transponder heard over the air.
func (w View) Others() []string {
	mmsi, _ := w.Reading("mmsi").Value.Text()
	ids := slices.Sorted(maps.Keys(w.v.others))
	return slices.DeleteFunc(ids, func(id string) bool {
		return mmsi != "" && strings.HasSuffix(id, ":mmsi:"+mmsi)
	})
}

// Other gives the best reading of a path of another vessel.
func (w View) Other(id, path string) Reading {
	if s := w.v.others[id]; s != nil {
		if all := w.readings(s, path); len(all) > 0 {
			return all[0]
		}
	}
	return Reading{}
}
