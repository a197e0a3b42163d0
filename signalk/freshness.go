package signalk

import "time"

// State says whether a reading can be spoken as what is now.
type State uint8

// The states of a reading. Absent, null and old are different facts.
const (
	NotFitted State = iota // never heard
	Fresh
	Stale  // heard, but older than its limit, or of unknown age
	NoData // fitted, and null now
)

// aheadTolerance is how far a stamp may lie ahead of the clocks before they
// cannot both be right; the same as between a GPS and the host.
const aheadTolerance = 2 * time.Minute

// oldest is the greatest age that is believed. What seems older was stamped by a
// GPS that counted its 1024 weeks round, or by a clock that began in 1970.
const oldest = 15 * 365 * 24 * time.Hour

// aisLimit is how long what another vessel sent is good for: class B at anchor
// reports every three minutes, and range comes and goes.
const aisLimit = 10 * time.Minute

// stampAge is a value's age by its stamp, on the server's clock.
func (v *Vessel) stampAge(stamp, now time.Time) age {
	if stamp.IsZero() {
		return age{}
	}
	d := v.serverNow(now).Sub(stamp)
	if d < -aheadTolerance || d > oldest {
		return age{wrong: true}
	}
	return age{d: max(0, d), known: true}
}

// ageAt is the age now. A source that was heard twice in one connection is
// alive, and ages from its last arrival on our own clock, whatever it stamps. A
// value heard once may be the server's cache, and is as old as its stamp says.
func (h *heard) ageAt(now time.Time) age {
	since := now.Sub(h.arrived)
	if h.proven {
		return age{d: since, known: true}
	}
	a := h.stamped
	a.d += since
	return a
}

// clockWrong reports that a living source stamps its values with a time that is
// neither the server's nor the host's: a day ahead, 1024 weeks back, 1970.
func (v *Vessel) clockWrong(h *heard) bool {
	if h.stamp.IsZero() {
		return false
	}
	off := func(clock time.Time) bool { return clock.Sub(h.stamp).Abs() > aheadTolerance }
	return (h.proven || h.stamped.wrong) && off(v.serverNow(h.arrived)) && off(h.arrived)
}

// limit is how old a value may be and still be spoken as current; 0 is for
// ever. A slow source is given three of its own intervals, the shorter of the
// last two, so that one outage does not stretch it, and no more than ten times
// what its kind is given.
func (h *heard) limit(meta *Meta, kind Schema) time.Duration {
	switch {
	case kind.Limit == 0:
		return 0
	case meta != nil && meta.Timeout > 0:
		return meta.Timeout
	}
	slow := min(3*min(h.gaps[0], h.gaps[1]), 10*kind.Limit)
	return max(kind.Limit, slow)
}

// state judges a reading. What is true until changed is true only as long as the
// server knows it: a server tells all it knows at every connect, so what a new
// connection has not brought again is gone, with a restart or a cleared cache.
func (v *Vessel) state(h *heard, now time.Time, limit time.Duration) State {
	a := h.ageAt(now)
	switch {
	case limit == never && v.forgotten(h, now):
		return Stale
	case h.value.IsNull():
		return NoData
	case limit == never:
		return Fresh
	case !a.known, a.d > limit:
		return Stale
	}
	return Fresh
}

// confirmWait is how long a server is given, after its hello, to tell again what
// it knows.
const confirmWait = time.Minute

// forgotten reports whether the server does not know a value any more.
func (v *Vessel) forgotten(h *heard, now time.Time) bool {
	return h.conn != v.conn && v.link.State == Live && now.Sub(v.helloAt) > confirmWait
}
