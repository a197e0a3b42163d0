package tools

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"signalk-mcp/signalk"
	"signalk-mcp/units"
)

// saying is a value in words, as read_sensor and the other tools say it.
type saying struct {
	// Spoken holds the words and, for a number, the number and its unit. Unit is
	// empty where the value has none.
	units.Spoken
	value []byte // JSON of the value as it is told; nil if it is not told
	doubt string // why the value cannot be what the sensor claims; empty if it can
	note  string // a sentence that belongs to it
}

// say puts a reading's value into words. It is never called with null.
func (q query) say(r signalk.Reading) saying { return q.sayValue(r, r.Value) }

// sayBefore puts what the source said before it fell to null into words.
func (q query) sayBefore(r signalk.Reading) saying { return q.sayValue(r, r.Before) }

func (q query) sayValue(r signalk.Reading, v signalk.Value) saying {
	switch r.Quantity {
	case signalk.Place:
		return sayPlace(v)
	case signalk.Attitude:
		return sayAttitude(v)
	case signalk.Set:
		return saySet(v)
	case signalk.Draft:
		if v.Kind() == signalk.Object {
			return sayDraft(v)
		}
	case signalk.Alarm:
		return sayAlarm(v)
	case signalk.Switch:
		return saySwitch(v)
	}
	x, isNumber := v.Number()
	switch measured := r.Quantity != signalk.Unknown && r.Quantity != signalk.Word && r.Quantity != signalk.Instant; {
	case isNumber && (measured || v.Kind() == signalk.Number):
		return q.sayNumber(r.Path, r.Quantity, x)
	case measured:
		return saying{doubt: "it sends something that is not a number"}
	}
	return q.sayPlain(r.Path, v)
}

// plausible are the bounds, in SI, of what a working sensor can send.
var plausible = map[signalk.Quantity][2]float64{
	signalk.Depth:        {0, 12_000},
	signalk.Clearance:    {-30, 12_000},
	signalk.SpeedQ:       {-100, 100}, // 102.2 is AIS for "not available"
	signalk.TemperatureQ: {150, 2000}, // below: sent in degrees Celsius
	signalk.AirPressure:  {50_000, 115_000},
	signalk.Level:        {-0.02, 1.05},
	signalk.Percent:      {-3, 3}, // beyond: sent in percent
	signalk.VoltageQ:     {-2000, 2000},
	signalk.Revolutions:  {-1000, 1000},
	// Beyond: sent in degrees. Some directions come a little beyond a full circle.
	signalk.Direction:  {-fullTurn, fullTurn},
	signalk.WindFrom:   {-fullTurn, fullTurn},
	signalk.FromBow:    {-fullTurn, fullTurn},
	signalk.PilotAngle: {-fullTurn, fullTurn},
	signalk.AngleQ:     {-fullTurn, fullTurn},
	signalk.Rudder:     {-math.Pi / 2, math.Pi / 2},
	signalk.Trim:       {-math.Pi / 2, math.Pi / 2},
	signalk.Heel:       {-math.Pi, math.Pi},
	signalk.Variation:  {-math.Pi, math.Pi},
}

const (
	fullTurn = 2.5 * math.Pi
	// ownFastest is faster than any boat that has instruments, in m/s: 101 knots.
	ownFastest = 52
)

// unavailable are what NMEA 2000 has for "no value" and "broken", the last three
// numbers of 16 bits in steps of 0.01, 0.0001 and a quarter of a revolution a minute.
var unavailable = map[float64][]signalk.Quantity{
	0.01:      {signalk.TemperatureQ, signalk.VoltageQ, signalk.SpeedQ},
	0.0001:    {signalk.Direction, signalk.WindFrom, signalk.FromBow, signalk.AngleQ},
	0.25 / 60: {signalk.Revolutions},
}

// cannotBe reports whether a working sensor never sends a number.
func cannotBe(path string, kind signalk.Quantity, x float64) bool {
	if b, ok := plausible[kind]; ok && !(x >= b[0] && x <= b[1]) {
		return true
	}
	for step, kinds := range unavailable {
		if n := math.Round(x / step); slices.Contains(kinds, kind) && n >= 65533 && n <= 65535 && math.Abs(x-n*step) < step/10 {
			return true
		}
	}
	return ratioOf(path) && !(x >= -0.02 && x <= 1.05) || strings.HasPrefix(path, "navigation.speed") && math.Abs(x) > ownFastest
}

// sayNumber puts a number in SI into words, by what it measures.
func (q query) sayNumber(path string, kind signalk.Quantity, x float64) saying {
	if cannotBe(path, kind, x) {
		return saying{doubt: "it sends " + units.Number(x) + ", which cannot be"}
	}
	s := saying{}
	switch kind {
	case signalk.Clearance:
		s.Spoken = units.Length(x).UnderKeel()
		s.Spoken.Words = strings.TrimSuffix(s.Spoken.Words, " below the keel") // the name says it
	case signalk.Depth:
		s.Spoken = units.Length(x).Metres()
		s.note = "This is not the clearance under the keel; the depth state has it."
	case signalk.Offset:
		s.Spoken = units.Length(math.Abs(x)).Metres()
	case signalk.Height:
		s.Spoken = units.Length(x).Metres()
	case signalk.Distance:
		s.Spoken = units.Length(x).Distance()
	case signalk.CrossTrack:
		s.Spoken = units.Length(x).CrossTrack()
	case signalk.SpeedQ:
		s.Spoken = units.Speed(x).Say()
	case signalk.Direction:
		s.Spoken = units.Angle(x).Bearing(referenceOf(path))
	case signalk.WindFrom:
		s.Spoken = units.Angle(x).From(referenceOf(path))
	case signalk.FromBow:
		s.Spoken = units.Angle(x).FromBow()
	case signalk.PilotAngle:
		s.Spoken = units.Angle(x).Size()
		s.note = "The side is not certain: pilots differ in its sign."
	case signalk.Rudder:
		s.Spoken = units.Angle(x).Rudder()
	case signalk.Heel:
		s.Spoken = units.Angle(x).Heel()
	case signalk.Trim:
		s.Spoken = units.Angle(x).Trim()
	case signalk.Variation:
		s.Spoken = units.Angle(x).Variation()
	case signalk.AngleQ:
		s.Spoken = units.Angle(x).Turned()
	case signalk.Turn:
		s.Spoken = units.AngularRate(x).Turn()
	case signalk.TemperatureQ:
		s.Spoken = units.Temperature(x).Say()
	case signalk.AirPressure:
		s.Spoken = units.Pressure(x).Air()
	case signalk.PressureQ:
		s.Spoken = units.Pressure(x).Bar()
	case signalk.Percent:
		s.Spoken = units.Ratio(x).Percent()
	case signalk.Level:
		s.Spoken = units.Ratio(x).Percent()
		s.Spoken.Words += " full"
	case signalk.PercentDone:
		s.Spoken = units.Ratio(x / 100).Percent()
	case signalk.VoltageQ:
		s.Spoken = units.Voltage(x).Say()
	case signalk.BatteryAmps:
		s.Spoken = q.batteryCurrent(segment(path, 2), x).Battery()
	case signalk.SourceAmps:
		s.Spoken = units.Current(x).Source()
	case signalk.Amps:
		s.Spoken = units.Current(x).Say()
	case signalk.PowerQ:
		s.Spoken = units.Power(x).Say()
	case signalk.EnergyQ:
		s.Spoken = units.Energy(x).Say()
	case signalk.Capacity:
		s = sayCapacity(x)
	case signalk.ChargeQ:
		s.Spoken = units.Charge(x).Say()
	case signalk.Revolutions:
		s.Spoken = units.Frequency(x).Revolutions()
	case signalk.FrequencyQ:
		s.Spoken = units.Frequency(x).Say()
	case signalk.Hours:
		s.Spoken = units.Seconds(x).Hours()
	case signalk.Span:
		s.Spoken = units.Seconds(x).Span()
	case signalk.VolumeQ:
		s.Spoken = units.Volume(x).Say()
	case signalk.FlowQ:
		s.Spoken = units.Flow(x).Say()
	default:
		s.Spoken = q.sayUnknown(path, x)
	}
	if s.value == nil && s.Known() {
		s.value = number(s.Value)
	}
	if !s.Known() {
		s.doubt = "it sends a number that cannot be"
	}
	return s
}

// ratioOf reports whether a path is a share of something that cannot be more
// than all of it.
func ratioOf(path string) bool {
	last := path[strings.LastIndexByte(path, '.')+1:]
	return last == "stateOfCharge" || last == "stateOfHealth" || last == "relativeHumidity" || last == "humidity"
}

// foreignUnits are units that the schema uses rarely or not at all.
var foreignUnits = map[string]string{
	"kg": "kilograms", "kg/m3": "kilograms per cubic metre", "deg": "degrees", "Lux": "lux", "lux": "lux",
	"rpm": "revolutions per minute", "l": "litres", "VA": "volt amperes", "VAR": "volt amperes reactive",
	"Nm": "newton metres", "m3/m": "cubic metres per metre", "m/s2": "metres per second squared", "Ah": "amp hours",
	"rad": "radians", "m3": "cubic metres", "m^2": "square metres", "m2": "square metres",
	"Ohm": "ohms", "Pa/s": "pascals per second", "Wh": "watt hours", "bit/s": "bits per second",
}

// sayUnknown says a number of which the schema tells no quantity.
func (q query) sayUnknown(path string, x float64) units.Spoken {
	u := cmp.Or(q.Meta(path).Units, q.memberUnits(path))
	words := cmp.Or(foreignUnits[u], unitWords[u])
	if words == "" {
		if words = foreign(u, maxNameSaid); words != "" {
			words = "in units of " + words // behind a number its letters would mean something else
		}
	}
	return units.Bare(x, words)
}

// sayCapacity says a battery's capacity both ways: the schema's unit is the
// joule, and NMEA 2000 converters write coulombs.
func sayCapacity(x float64) saying {
	charge, energy := units.Charge(x).Say(), units.Energy(x).Say()
	if !charge.Known() || !energy.Known() {
		return saying{}
	}
	return saying{Spoken: units.Spoken{Value: x, Unit: "joules or coulombs",
		Words: "either " + charge.Words + " or " + energy.Words + ", as senders differ in its unit"},
		value: number(units.Round(x, 0))}
}

// referenceOf reads from a path's name what a direction is counted from.
func referenceOf(path string) units.Reference {
	switch {
	case strings.HasSuffix(path, "True"):
		return units.True
	case strings.HasSuffix(path, "Magnetic"):
		return units.Magnetic
	case strings.HasSuffix(path, "Compass"):
		return units.OfCompass
	}
	return units.NoKnown
}

func sayPlace(v signalk.Value) saying {
	p, ok := signalk.PositionOf(v)
	if !ok {
		_, ok1 := v.Member("latitude").Number()
		_, ok2 := v.Member("longitude").Number()
		if ok1 && ok2 {
			return saying{doubt: "it sends a position that is not on earth"}
		}
		return saying{doubt: "it sends half a position, which is no fix"}
	}
	var o object
	o.num("latitude", units.Round(p.Latitude, 5))
	o.num("longitude", units.Round(p.Longitude, 5))
	return saying{Spoken: units.Spoken{Unit: "degrees", Words: p.Say()}, value: o.json()}
}

// member says one member of an object, if it is a number.
func member(v signalk.Value, name string, say func(float64) units.Spoken) units.Spoken {
	if x, ok := v.Member(name).Number(); ok {
		return say(x)
	}
	return units.Spoken{}
}

func sayAttitude(v signalk.Value) saying {
	var o object
	var words []string
	for _, m := range []struct {
		member, key, name string
		say               func(float64) units.Spoken
	}{
		{"roll", "heel_deg", "heel", func(x float64) units.Spoken { return units.Angle(x).Heel() }},
		{"pitch", "trim_deg", "trim", func(x float64) units.Spoken { return units.Angle(x).Trim() }},
	} {
		if s := member(v, m.member, m.say); s.Known() {
			o.num(m.key, s.Value)
			words = append(words, m.name+" "+s.Words)
		}
	}
	if words == nil {
		return saying{doubt: "it sends neither heel nor trim"}
	}
	return saying{Spoken: units.Spoken{Unit: "degrees", Words: list(words)}, value: o.json()}
}

// saySet says a current of the water. The set is where the water moves to. The
// N2K converter writes it to setTrue whatever it is counted from.
func saySet(v signalk.Value) saying {
	var o object
	var words []string
	if s := member(v, "drift", func(x float64) units.Spoken { return units.Speed(x).Say() }); s.Known() {
		o.num("drift_kn", s.Value)
		words = append(words, s.Words)
	}
	set := member(v, "setTrue", func(x float64) units.Spoken { return units.Angle(x).Bearing(units.True) })
	if !set.Known() {
		set = member(v, "setMagnetic", func(x float64) units.Spoken { return units.Angle(x).Bearing(units.Magnetic) })
	}
	if set.Known() {
		o.num("set_deg", set.Value)
		words = append(words, "setting "+set.Words)
	}
	if words == nil {
		return saying{doubt: "it sends neither set nor drift"}
	}
	return saying{Spoken: units.Spoken{Unit: "knots and degrees", Words: strings.Join(words, " ")}, value: o.json()}
}

func sayDraft(v signalk.Value) saying {
	var o object
	var words []string
	for _, name := range []string{"current", "maximum", "minimum", "canoe"} {
		if s := member(v, name, func(x float64) units.Spoken { return units.Length(x).Metres() }); s.Known() {
			o.num(name+"_m", s.Value)
			words = append(words, name+" "+s.Words)
		}
	}
	if words == nil {
		return saying{doubt: "it has no draft in it"}
	}
	return saying{Spoken: units.Spoken{Unit: "metres", Words: list(words)}, value: o.json()}
}

func sayAlarm(v signalk.Value) saying {
	state := signalk.StateOf(v)
	s := saying{Spoken: units.Spoken{Words: stateWords(state)}, value: appendText(nil, field(state, maxNameSaid))}
	if m, ok := v.Member("message").Text(); ok && message(m, maxMessageSaid) != "" {
		s.note = "The message says: " + message(m, maxMessageSaid)
	}
	return s
}

func saySwitch(v signalk.Value) saying {
	on, isBool := v.Bool()
	if x, isNumber := v.Number(); isNumber {
		on = x != 0
	} else if t, isText := v.Text(); isText {
		return saying{Spoken: units.Spoken{Words: foreign(t, maxNameSaid)}, value: appendText(nil, field(t, maxNameSaid))}
	} else if !isBool {
		return saying{doubt: "it sends neither on nor off"}
	}
	words := "off"
	if on {
		words = "on"
	}
	return saying{Spoken: units.Spoken{Words: words}, value: fmt.Append(nil, on)}
}

// sayPlain says what is no measurement: a text, a truth value, an object.
func (q query) sayPlain(path string, v signalk.Value) saying {
	switch v.Kind() {
	case signalk.Text:
		t, _ := v.Text()
		words := foreignMessage(t, maxMessageSaid)
		if instant, ok := instantWords(t); ok {
			words = instant
		}
		if words == "" {
			words = "an empty text"
		}
		return saying{Spoken: units.Spoken{Words: words}, value: appendText(nil, field(t, maxMessage))}
	case signalk.Bool:
		return saySwitch(v)
	}
	var o object
	var words []string
	for _, name := range v.Members() {
		said, value := q.sayMember(path+"."+name, v.Member(name))
		if said == "" {
			continue
		}
		o.raw(field(name, maxNameSaid), value)
		if words = append(words, foreign(unCamel(name), maxNameSaid)+" "+said); len(words) == maxMembers {
			break
		}
	}
	if words == nil {
		return saying{doubt: "what it sends has nothing in it that can be said"}
	}
	return saying{Spoken: units.Spoken{Words: list(words)}, value: o.json()}
}

// sayMember says one member of an object, by what the schema or the server's meta
// tells of it; empty if it cannot be said.
func (q query) sayMember(path string, v signalk.Value) (said string, value []byte) {
	switch v.Kind() {
	case signalk.Number:
		x, _ := v.Number()
		if s := q.sayNumber(path, signalk.SchemaOf(path, q.memberUnits(path)).Quantity, x); s.doubt == "" {
			return s.Words, s.value
		}
	case signalk.Text:
		t, _ := v.Text()
		if said = foreign(t, maxNameSaid); said != "" {
			said = "is " + said // a number before it and letters would make a unit
		}
		return said, appendText(nil, field(t, maxNameSaid))
	case signalk.Bool:
		b, _ := v.Bool()
		return map[bool]string{true: "yes", false: "no"}[b], fmt.Append(nil, b)
	case signalk.Object:
		if s := sayPlace(v); s.doubt == "" {
			return s.Words, s.value
		}
	}
	return "", nil
}

// memberUnits are the units that the server's meta gives for an object's member.
func (q query) memberUnits(path string) string {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return ""
	}
	return q.Meta(path[:i]).Members[path[i+1:]]
}

// maxMembers is how many members of an object are told.
const maxMembers = 6

// segment gives the nth segment of a path, from 0.
func segment(path string, n int) string {
	s := strings.Split(path, ".")
	if n < len(s) {
		return s[n]
	}
	return ""
}
