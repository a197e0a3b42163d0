package units

import (
	"fmt"
	"math"
)

// Angle is a plane angle in radians. Directions run clockwise from north;
// angles from the bow, rudder and roll are positive to starboard. Producers
// send any turn of it (0 to 2π as well as -π to π), so it is wrapped before it
// is said.
type Angle float64

// Degrees gives the angle in degrees, neither wrapped nor rounded.
func (a Angle) Degrees() float64 { return float64(a) * 180 / math.Pi }

// Wrap returns the same direction in [0, 2π).
func (a Angle) Wrap() Angle {
	w := Angle(math.Mod(float64(a), 2*math.Pi))
	if w < 0 {
		w += 2 * math.Pi
	}
	if w >= 2*math.Pi { // a tiny negative angle rounds up to a full turn
		w = 0
	}
	return w
}

// WrapSigned returns the same direction in (-π, π].
func (a Angle) WrapSigned() Angle {
	w := a.Wrap()
	if w > math.Pi {
		w -= 2 * math.Pi
	}
	return w
}

// Apart returns how far two directions are apart, in [0, π].
func (a Angle) Apart(b Angle) Angle {
	return Angle(math.Abs(float64((a - b).WrapSigned())))
}

// bearing is the direction in whole degrees, 0 to 359: rounded, then wrapped.
func (a Angle) bearing() int { return int(math.Round(a.Wrap().Degrees())) % 360 }

// signedDegrees is the angle in degrees, (-180, 180], rounded, then wrapped. Of
// what cannot be said it is not a number.
func (a Angle) signedDegrees(decimals int) float64 {
	if !finite(float64(a)) {
		return math.NaN()
	}
	d := Round(a.WrapSigned().Degrees(), decimals)
	if d == -180 {
		d = 180
	}
	return d
}

// Reference is what a direction is counted from.
type Reference string

// The references of a direction. A direction without one is not said to be
// either.
const (
	True      Reference = "true"
	Magnetic  Reference = "magnetic"
	NoKnown   Reference = ""
	OfCompass Reference = "by compass" // magnetic, not corrected for deviation
)

// Bearing is a direction over the ground or of the bow: three figures from 000
// to 359 and what they are counted from, as in "057 degrees magnetic".
func (a Angle) Bearing(ref Reference) Spoken {
	if !finite(float64(a)) {
		return Spoken{}
	}
	b := a.bearing()
	unit := "degrees"
	if ref != NoKnown {
		unit += " " + string(ref)
	}
	return Spoken{float64(b), unit, fmt.Sprintf("%03d %s", b, unit)}
}

// From is the direction that wind or waves come from, with the nearest of the
// 16 compass points: "from 317 degrees true, North-West". Each point is the
// middle of 22.5 degrees.
func (a Angle) From(ref Reference) Spoken {
	s := a.Bearing(ref)
	if s.Known() {
		s.Words = "from " + s.Words + ", " + a.Compass()
	}
	return s
}

var compass = [16]string{
	"North", "North-North-East", "North-East", "East-North-East",
	"East", "East-South-East", "South-East", "South-South-East",
	"South", "South-South-West", "South-West", "West-South-West",
	"West", "West-North-West", "North-West", "North-North-West",
}

// Compass is the nearest of the 16 compass points.
func (a Angle) Compass() string {
	return compass[int(math.Round(float64(a.Wrap())*8/math.Pi))%16]
}

// sided says an angle with a side: negative is left, positive is right, and
// what rounds to zero has the word middle.
func (a Angle) sided(left, right, middle string) Spoken {
	d := a.signedDegrees(0)
	s := say(math.Abs(d), 0, "degree", "degrees")
	switch {
	case !s.Known():
		return s
	case d == 0:
		s.Words = middle
	case d < 0:
		s.Words += " " + left
	default:
		s.Words += " " + right
	}
	s.Value = d
	return s
}

// FromBow is an angle from the bow, negative to port (the schema's wind
// angles): "40 degrees to port", "dead ahead", "dead astern".
func (a Angle) FromBow() Spoken {
	s := a.sided("to port", "to starboard", "dead ahead")
	if s.Value == 180 {
		s.Words = "dead astern"
	}
	return s
}

// Size is an angle whose side cannot be known from its sign, without it.
func (a Angle) Size() Spoken {
	return say(math.Abs(a.signedDegrees(0)), 0, "degree", "degrees")
}

// Rudder is a rudder angle, positive to starboard: "5 degrees to starboard".
func (a Angle) Rudder() Spoken { return a.sided("to port", "to starboard", "amidships") }

// Heel is Signal K's roll: positive is a list to starboard.
func (a Angle) Heel() Spoken { return a.sided("to port", "to starboard", "upright") }

// Trim is Signal K's pitch: positive is bow up.
func (a Angle) Trim() Spoken { return a.sided("bow down", "bow up", "level") }

// Variation is the magnetic variation: easterly is positive, as it is added to
// the magnetic direction to get the true one. One decimal, since a degree off
// course is a mile in sixty.
func (a Angle) Variation() Spoken {
	d := a.signedDegrees(1)
	s := say(math.Abs(d), 1, "degree", "degrees")
	switch {
	case !s.Known():
		return s
	case d > 0:
		s.Words += " East"
	case d < 0:
		s.Words += " West"
	}
	s.Value = d
	return s
}

// Turned is a plain angle with its sign as a word, for angles that have
// neither a direction nor a side that the schema settles.
func (a Angle) Turned() Spoken { return say(a.signedDegrees(0), 0, "degree", "degrees") }

// AngularRate is a rate of turn in radians a second, positive to starboard.
type AngularRate float64

// Turn is a rate of turn by the minute: "12 degrees per minute to starboard".
func (w AngularRate) Turn() Spoken {
	d := float64(w) * 60 * 180 / math.Pi
	s := say(math.Abs(d), 0, "degree per minute", "degrees per minute")
	if !s.Known() {
		return s
	}
	switch r := Round(d, 0); {
	case r == 0:
		s.Words = "not turning"
	case r < 0:
		s.Value, s.Words = r, s.Words+" to port"
	default:
		s.Words += " to starboard"
	}
	return s
}
