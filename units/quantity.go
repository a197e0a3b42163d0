package units

import "math"

// Speed is a speed in metres a second.
type Speed float64

const knotsPerMetreSecond = 3600.0 / 1852 // the international nautical mile is 1852 m

// Knots gives the speed in knots, not rounded.
func (v Speed) Knots() float64 { return float64(v) * knotsPerMetreSecond }

// Say is the speed in knots, with one decimal.
func (v Speed) Say() Spoken { return say(v.Knots(), 1, "knot", "knots") }

// Length is a length, depth, height or distance in metres.
type Length float64

// MetresPerNauticalMile is the international nautical mile.
const MetresPerNauticalMile = 1852

// Metres is a depth, height or size: one decimal below 100 metres, none above,
// where sounders and GPS know no tenths.
func (l Length) Metres() Spoken {
	decimals := 1
	if math.Abs(float64(l)) >= 100 {
		decimals = 0
	}
	return say(float64(l), decimals, "metre", "metres")
}

// milesFrom is where a distance is said in nautical miles: a quarter of one,
// rounded to what a crew says.
const milesFrom = 500

// Distance is a distance over ground or water: whole metres below 500 metres,
// nautical miles above, with two decimals below ten miles.
func (l Length) Distance() Spoken {
	m := math.Abs(float64(l))
	if m < milesFrom {
		return say(float64(l), 0, "metre", "metres")
	}
	return l.NauticalMiles()
}

// NauticalMiles is a distance in nautical miles: two decimals below ten (a
// hundredth is 18 metres), one above.
func (l Length) NauticalMiles() Spoken {
	decimals := 2
	if math.Abs(float64(l)) >= 10*MetresPerNauticalMile {
		decimals = 1
	}
	return say(float64(l)/MetresPerNauticalMile, decimals, "nautical mile", "nautical miles")
}

// UnderKeel is a clearance: what is between the keel and the bottom. It has no
// lower bound in the schema; a negative one is a boat aground or a wrong
// offset, and its sign becomes a word.
func (l Length) UnderKeel() Spoken {
	s := l.Metres()
	if !s.Known() {
		return s
	}
	if s.Value < 0 {
		s.Words = "the bottom is " + (-l).Metres().Words + " above the keel, or the keel offset is wrong"
	} else {
		s.Words += " below the keel"
	}
	return s
}

// CrossTrack is a cross-track error: negative is left of the track, so that the
// boat must steer right.
func (l Length) CrossTrack() Spoken {
	s := Length(math.Abs(float64(l))).Distance()
	if !s.Known() {
		return s
	}
	switch {
	case s.Value == 0:
		s.Words = "on track"
	case l < 0:
		s.Value = -s.Value
		s.Words += " left of track"
	default:
		s.Words += " right of track"
	}
	return s
}

// Temperature is a temperature in kelvin.
type Temperature float64

const zeroCelsius = 273.15

// Say is the temperature in degrees Celsius, with one decimal.
func (t Temperature) Say() Spoken {
	return say(float64(t)-zeroCelsius, 1, "degree Celsius", "degrees Celsius")
}

// Pressure is a pressure in pascals.
type Pressure float64

// Air is a pressure of the air in hectopascals, which are millibars.
func (p Pressure) Air() Spoken { return say(float64(p)/100, 1, "hectopascal", "hectopascals") }

// Bar is a pressure in an engine, a tank or a pipe. The plural of bar is bar.
func (p Pressure) Bar() Spoken { return say(float64(p)/1e5, 1, "bar", "bar") }

// Voltage is a voltage in volts.
type Voltage float64

// Say is the voltage with one decimal.
func (u Voltage) Say() Spoken { return say(float64(u), 1, "volt", "volts") }

// Current is an electric current in amperes. Its sign depends on the device:
// into a battery, but out of a charger, an alternator or a solar panel, is
// positive (schema electrical.json).
type Current float64

// Say is a current whose sign says nothing that is known.
func (i Current) Say() Spoken { return say(float64(i), 1, "amp", "amps") }

// sided says a current by its direction.
func (i Current) sided(in, out string) Spoken {
	s := Current(math.Abs(float64(i))).Say()
	if !s.Known() {
		return s
	}
	switch {
	case s.Value == 0:
		s.Words = "no current"
	case i < 0:
		s.Value, s.Words = -s.Value, out+" "+s.Words
	default:
		s.Words = in + " " + s.Words
	}
	return s
}

// Battery is the current of a battery: positive charges it.
func (i Current) Battery() Spoken { return i.sided("charging at", "discharging at") }

// Source is the current of a charger, alternator, solar panel or inverter:
// positive comes out of it.
func (i Current) Source() Spoken { return i.sided("delivering", "drawing") }

// Power is a power in watts.
type Power float64

// Say is the power in watts, or in kilowatts from ten of them.
func (p Power) Say() Spoken {
	if math.Abs(float64(p)) >= 10_000 {
		return say(float64(p)/1000, 1, "kilowatt", "kilowatts")
	}
	return say(float64(p), 0, "watt", "watts")
}

// Energy is an energy in joules.
type Energy float64

// Say is the energy in kilowatt hours.
func (e Energy) Say() Spoken { return say(float64(e)/3.6e6, 1, "kilowatt hour", "kilowatt hours") }

// Charge is an electric charge in coulombs.
type Charge float64

// Say is the charge in amp hours.
func (q Charge) Say() Spoken { return say(float64(q)/3600, 0, "amp hour", "amp hours") }

// Ratio is a fraction: 1 is all of it.
type Ratio float64

// Percent is the ratio in whole percent.
func (r Ratio) Percent() Spoken { return say(float64(r)*100, 0, "percent", "percent") }

// Fraction is the ratio rounded to the whole percent that Percent says.
func (r Ratio) Fraction() float64 { return Round(float64(r), 2) }

// Frequency is a frequency in hertz.
type Frequency float64

// Say is the frequency in hertz.
func (f Frequency) Say() Spoken { return say(float64(f), 1, "hertz", "hertz") }

// Revolutions is the frequency of something that turns, by the minute.
func (f Frequency) Revolutions() Spoken {
	return say(float64(f)*60, 0, "revolution per minute", "revolutions per minute")
}

// Volume is a volume in cubic metres.
type Volume float64

// Say is the volume in litres: whole ones from ten.
func (v Volume) Say() Spoken {
	litres := float64(v) * 1000
	if math.Abs(litres) >= 10 {
		return say(litres, 0, "litre", "litres")
	}
	return say(litres, 1, "litre", "litres")
}

// Flow is a flow in cubic metres a second.
type Flow float64

// Say is the flow in litres per hour.
func (q Flow) Say() Spoken { return say(float64(q)*3.6e6, 1, "litre per hour", "litres per hour") }
