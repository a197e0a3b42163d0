package tools

import (
	"fmt"
	"math"
	"slices"
	"time"

	"signalk-mcp/signalk"
	"signalk-mcp/units"
)

var depthState = tool{
	name:        "depth_state",
	description: "How deep is it: depth in metres under the keel, clearance, shoaling.",
	answer: func(q query) Result {
		s := q.soundings(signalk.Reading.Fresh)
		if !q.Link().Up() || !s.any() {
			return q.noDepth()
		}
		res := Result{}
		said, broken := s.clearance()
		switch {
		case said.known:
			res.Display = sentence(said.words())
			res.values.num("below_keel_m", said.depth.Metres().Value)
		case s.transducer.known:
			said = s.transducer
			res.Display = sentence(said.words() + "; the keel offset is not set")
		default:
			said = s.surface
			res.Display = sentence(said.words() + "; the draft is not set, so the clearance under the keel is not known")
		}
		res.used(said.from)
		if surface := s.belowSurface(); surface.known {
			res.values.num("below_surface_m", surface.depth.Metres().Value)
		}
		if s.transducer.known {
			res.values.num("below_transducer_m", s.transducer.depth.Metres().Value)
		}
		for _, x := range []sounding{s.keel, s.transducer, s.surface} {
			if x.disagree != "" {
				res.warn(x.reference + ": " + x.disagree)
			}
		}
		if broken != "" {
			res.warn(broken)
		}
		return res
	},
}

// The references of a depth, as they are said.
const (
	ofKeel       = "below the keel"
	ofTransducer = "below the transducer"
	ofSurface    = "below the surface"
)

var depthPaths = []struct{ path, reference, key string }{
	{"environment.depth.belowKeel", ofKeel, "last_below_keel_m"},
	{"environment.depth.belowTransducer", ofTransducer, "last_below_transducer_m"},
	{"environment.depth.belowSurface", ofSurface, "last_below_surface_m"},
}

// sounding is a depth below one reference, published or worked out.
type sounding struct {
	depth     units.Length
	known     bool
	reference string
	age       time.Duration
	aged      bool // age is known
	from      signalk.Reading
	most      units.Length // the largest that any source says
	disagree  string       // what sources say that contradict each other
}

func (s sounding) words() string {
	if s.reference == ofKeel {
		return s.depth.UnderKeel().Words
	}
	return s.depth.Metres().Words + " " + s.reference
}

// soundings is what is known of the depth. Where several sources speak, each is
// the smallest. offset is the distance from transducer to keel, mount the depth
// of the transducer below the surface.
type soundings struct {
	keel, transducer, surface sounding
	offset, mount, draft      sounding
}

// soundings collects the depths of those readings that are accepted.
func (q query) soundings(accept func(signalk.Reading) bool) soundings {
	var all [3]sounding
	for i, p := range depthPaths {
		all[i] = q.sounding(p.path, p.reference, accept)
	}
	return soundings{
		keel: all[0], transducer: all[1], surface: all[2],
		// Of several settings each time the one that leaves less water. Producers
		// store the offset with either sign, and 0 is none.
		offset: largest(q.settings("environment.depth.transducerToKeel")),
		mount:  smallest(q.settings("environment.depth.surfaceToTransducer")),
		draft:  q.draft(),
	}
}

// sounding reads one depth: the smallest of those that are accepted.
func (q query) sounding(path, reference string, accept func(signalk.Reading) bool) sounding {
	var best sounding
	for _, r := range q.depths(path) {
		x, ok := r.Value.Number()
		if !ok || !accept(r) || q.say(r).doubt != "" {
			continue
		}
		d := units.Length(x)
		if most := max(best.most, d); !best.known || d < best.depth {
			best = sounding{depth: d, known: true, reference: reference, age: r.Age, aged: r.AgeKnown, from: r, most: most}
		} else {
			best.most = most
		}
	}
	if best.known {
		_, best.disagree = q.pick(path)
	}
	return best
}

// depths gives a path's readings. Of a depth that the server or a converter works
// out from another, one from before that other fell to null is lost as well: what
// works it out does not follow, or stays silent (derived-data, DPT).
func (q query) depths(path string) []signalk.Reading {
	all := q.Readings(path)
	for i, p := range depthPaths {
		if p.path != path {
			continue
		}
		for _, parent := range parents[i] {
			null := q.Reading(parent)
			if null.State != signalk.NoData {
				continue
			}
			for j, r := range all {
				if r.Age >= max(null.Held, null.Age) {
					all[j].State = signalk.NoData
				}
			}
		}
	}
	return all
}

// parents are the paths from which each of depthPaths may have been worked out.
var parents = [...][]string{
	{"environment.depth.belowTransducer", "environment.depth.belowSurface"},
	nil,
	{"environment.depth.belowTransducer"},
}

// settings reads the lengths that several sources have set for one path; 0 is not
// one.
func (q query) settings(path string) (all []units.Length) {
	for _, r := range q.Readings(path) {
		if x, ok := r.Value.Number(); ok && r.Fresh() && x != 0 && math.Abs(x) < 100 {
			all = append(all, units.Length(x))
		}
	}
	return all
}

// largest gives the largest of some lengths, whatever their signs.
func largest(all []units.Length) (s sounding) {
	for _, x := range all {
		s.depth, s.known = max(s.depth, units.Length(math.Abs(float64(x)))), true
	}
	return s
}

// smallest gives the smallest of some lengths that are not negative.
func smallest(all []units.Length) (s sounding) {
	for _, x := range all {
		if x >= 0 && (!s.known || x < s.depth) {
			s.depth, s.known = x, true
		}
	}
	return s
}

// draft reads the draft: current, else maximum, from the object or, on older
// servers, from the leaf. Never the minimum, and never the canoe body's.
func (q query) draft() sounding {
	for _, name := range []string{"current", "maximum"} {
		all := q.settings("design.draft." + name)
		for _, r := range q.Readings("design.draft") {
			if x, ok := r.Value.Member(name).Number(); ok && r.Fresh() && x < 100 {
				all = append(all, units.Length(x))
			}
		}
		all = slices.DeleteFunc(all, func(x units.Length) bool { return x <= 0 }) // AIS has 0 for "not available"
		if len(all) > 0 {
			return largest(all)
		}
	}
	return sounding{}
}

// any reports whether a depth from any reference is known.
func (s soundings) any() bool { return s.keel.known || s.transducer.known || s.surface.known }

// ways are the clearances that can be had, in their order of trust: what the
// sounder publishes, the transducer's depth less the keel offset, and what the
// draft leaves of the transducer's depth or of the surface's.
func (s soundings) ways() []sounding {
	var ways []sounding
	add := func(from sounding, change units.Length, needs ...sounding) {
		known := from.known
		for _, n := range needs {
			known = known && n.known
		}
		if known {
			from.depth += change
			from.reference = ofKeel
			ways = append(ways, from)
		}
	}
	add(s.keel, 0)
	add(s.transducer, -s.offset.depth, s.offset)
	add(s.transducer, s.mount.depth-s.draft.depth, s.mount, s.draft)
	add(s.surface, -s.draft.depth, s.draft)
	return ways
}

// ofOneSounder is how far depths of one sounder may contradict each other, in
// metres: they are sent at different moments over an uneven bottom.
const ofOneSounder = 0.3

// clearance works out what is under the keel, if that can be known. The keel
// cannot be farther from the bottom than the transducer, nor the transducer
// than the surface: where that is broken, it is named, and the smallest
// clearance that is possible is taken. So it is where two sounders disagree.
func (s soundings) clearance() (best sounding, broken string) {
	switch {
	case s.keel.known && s.transducer.known && s.keel.depth > s.transducer.most+ofOneSounder:
		broken = "the depth below the keel is reported larger than the depth below the transducer, which cannot be; a keel offset has the wrong sign"
	case s.transducer.known && s.surface.known && s.transducer.depth > s.surface.most+ofOneSounder:
		broken = "the depth below the surface is reported smaller than the depth below the transducer, which cannot be; check the sounder's offset"
	case s.keel.known && s.surface.known && s.keel.depth > s.surface.most+ofOneSounder:
		broken = "the depth below the keel is reported larger than the depth below the surface, which cannot be"
	case s.keel.known && s.transducer.known && s.offset.known && s.keel.disagree+s.transducer.disagree == "" && s.apart():
		broken = fmt.Sprintf("the depth below the keel is reported as %s, and is %s by the keel offset",
			s.keel.depth.Metres().Words, (s.transducer.depth - s.offset.depth).UnderKeel().Words)
	}
	contested := broken != "" || s.transducer.disagree != "" || s.surface.disagree != ""
	for _, w := range s.ways() {
		possible := broken == "" || !s.transducer.known || w.depth <= s.transducer.most+ofOneSounder
		if possible && (!best.known || contested && w.depth < best.depth) {
			best = w
		}
	}
	return best, broken
}

// apart reports whether the clearance that is reported and the one that follows
// from the keel offset are further apart than two depths may be.
func (s soundings) apart() bool {
	t := tolerance[signalk.Clearance]
	d := math.Abs(float64(s.keel.depth - (s.transducer.depth - s.offset.depth)))
	return d > max(t.abs, t.share*float64(s.transducer.depth))
}

// belowSurface is the depth of the water: published, or the transducer's depth
// and how deep it sits.
func (s soundings) belowSurface() sounding {
	if !s.surface.known && s.transducer.known && s.mount.known {
		return sounding{depth: s.transducer.depth + s.mount.depth, known: true}
	}
	return s.surface
}

// noDepth answers when no depth can be said as what is now.
func (q query) noDepth() Result {
	state := signalk.NotFitted
	for _, p := range depthPaths {
		r, _ := first(q.depths(p.path))
		if r.Fresh() && q.Link().Up() {
			if doubt := q.say(r).doubt; doubt != "" {
				return unusable("depth", doubt)
			}
		}
		switch r.State {
		case signalk.NoData:
			state = r.State
		case signalk.Stale, signalk.Fresh:
			if state == signalk.NotFitted {
				state = signalk.Stale
			}
		}
	}
	last := q.lastDepth()
	if !last.known {
		return q.notNow("depth", state, memory{})
	}
	r := q.notNow("depth", state, memory{last.words(), last.age, last.aged})
	for _, p := range depthPaths {
		if p.reference == last.reference {
			r.values.num(p.key, last.depth.Metres().Value)
		}
	}
	r.used(last.from)
	return r
}

// lastDepth is the youngest depth that is remembered, by the same rules as one
// that is now: a clearance if there is one, else what was measured, also where it
// is null by now.
func (q query) lastDepth() sounding {
	youngest := time.Duration(math.MaxInt64)
	for _, p := range depthPaths {
		for _, r := range q.Readings(p.path) {
			if !r.Value.IsNull() && r.AgeKnown {
				youngest = min(youngest, r.Age)
			}
		}
	}
	s := q.soundings(func(r signalk.Reading) bool {
		return youngest == math.MaxInt64 || r.AgeKnown && r.Age <= youngest+together
	})
	last, _ := s.clearance()
	for _, x := range []sounding{s.transducer, s.surface} {
		if !last.known {
			last = x
		}
	}
	if last.known {
		return last
	}
	for _, p := range depthPaths {
		for _, r := range q.Readings(p.path) {
			x, ok := r.Before.Number()
			if ok && r.State == signalk.NoData && q.sayBefore(r).doubt == "" && (!last.known || r.BeforeAgeKnown && (!last.aged || r.BeforeAge < last.age)) {
				last = sounding{depth: units.Length(x), known: true, reference: p.reference, age: r.BeforeAge, aged: r.BeforeAgeKnown}
			}
		}
	}
	return last
}

// together is how far apart in time readings may be that are told as one.
const together = 30 * time.Second
