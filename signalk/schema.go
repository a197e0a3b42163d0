package signalk

import (
	"regexp"
	"strings"
	"time"
)

// Quantity is what the value of a path measures: with the unit comes what its
// sign means and what it is counted from. It decides the words.
type Quantity uint8

// The quantities that the schema (SignalK/specification 1.8.2, schemas/groups)
// tells apart, or whose producers differ from it.
const (
	Unknown      Quantity = iota
	Depth                 // m, from the reference in the path's name
	Clearance             // m below the keel; negative is aground
	Offset                // m, of a transducer; the schema gives no sign
	Height                // m: radius, draft, altitude, tide
	Distance              // m over ground or water
	CrossTrack            // m, negative is left of track
	SpeedQ                // m/s
	Direction             // rad, from a north that the path's name gives
	WindFrom              // rad, the direction the wind comes from
	FromBow               // rad, negative to port
	PilotAngle            // rad, an autopilot's wind target: producers differ in its sign
	Rudder                // rad, positive to starboard
	Heel                  // rad, positive to starboard
	Trim                  // rad, positive is bow up
	Variation             // rad, positive is east
	AngleQ                // rad, without a settled sign
	Turn                  // rad/s, positive to starboard
	TemperatureQ          // K
	AirPressure           // Pa
	PressureQ             // Pa, in engines and tanks
	Percent               // a ratio, 1 is all
	Level                 // a ratio: how full a tank is
	PercentDone           // already in percent (alternator fieldDrive)
	VoltageQ              // V
	BatteryAmps           // A, positive charges
	SourceAmps            // A of a charger, alternator, panel: positive comes out
	Amps                  // A, without a known direction
	PowerQ                // W
	EnergyQ               // J
	Capacity              // of a battery: joules by the schema, coulombs by N2K converters
	ChargeQ               // C
	Revolutions           // Hz of something that turns
	FrequencyQ            // Hz
	Hours                 // s that an engine has run
	Span                  // s
	VolumeQ               // m³
	FlowQ                 // m³/s
	Place                 // latitude and longitude
	Attitude              // roll, pitch, yaw
	Set                   // current of the water: setTrue, drift
	Draft                 // minimum, maximum, current, canoe
	Instant               // a time in UTC
	Alarm                 // a notification
	Switch                // on or off
	Word                  // text
)

// Schema is what is known of a path without hearing it.
type Schema struct {
	Quantity Quantity
	// Limit is how old a value may be and still be current; 0 is for ever.
	Limit time.Duration
}

const (
	never   time.Duration = 0
	moving                = 30 * time.Second // depth, wind, speed, heading, engine
	placing               = 60 * time.Second
	flowing               = 2 * time.Minute // voltage and current
	slow                  = 15 * time.Minute
)

// schema is matched from the top; * stands for one segment, a leading or
// trailing ** for any number of them.
var schema = []struct {
	pattern string
	Schema
}{
	// Old by nature: set once, true until changed.
	{"notifications.**", Schema{Alarm, never}},
	{"environment.depth.transducerToKeel", Schema{Offset, never}},
	{"environment.depth.surfaceToTransducer", Schema{Offset, never}},
	{"design.draft", Schema{Draft, never}},
	{"design.draft.*", Schema{Height, never}},
	{"design.keel.lift", Schema{Percent, never}},
	{"design.length.*", Schema{Height, never}},
	{"design.beam", Schema{Height, never}},
	{"design.airHeight", Schema{Height, never}},
	{"design.**", Schema{Unknown, never}},
	{"sensors.*.fromBow", Schema{Height, never}},
	{"sensors.*.fromCenter", Schema{Unknown, never}},
	{"navigation.anchor.position", Schema{Place, never}},
	{"navigation.anchor.currentRadius", Schema{Height, placing}},
	{"navigation.anchor.distanceFromBow", Schema{Height, placing}},
	{"navigation.anchor.bearingTrue", Schema{Direction, placing}},
	{"navigation.anchor.apparentBearing", Schema{FromBow, placing}},
	{"navigation.anchor.maxRadius", Schema{Height, never}},
	{"navigation.anchor.rodeLength", Schema{Height, never}},
	{"navigation.anchor.**", Schema{Unknown, never}},
	{"navigation.destination.eta", Schema{Instant, never}},
	{"navigation.destination.**", Schema{Unknown, never}},
	{"environment.time.**", Schema{Unknown, never}},
	{"environment.mode", Schema{Word, slow}},
	{"name", Schema{Word, never}},
	{"mmsi", Schema{Word, never}},
	{"uuid", Schema{Word, never}},
	{"url", Schema{Word, never}},
	{"flag", Schema{Word, never}},
	{"port", Schema{Word, never}},
	{"communication.**", Schema{Word, never}},
	{"registrations.**", Schema{Word, never}},
	{"**.name", Schema{Word, never}},
	{"**.manufacturer.**", Schema{Word, never}},

	// The course is set; what is computed from it is measured.
	{"navigation.**.crossTrackError", Schema{CrossTrack, placing}},
	{"navigation.**.estimatedTimeOfArrival", Schema{Instant, placing}},
	{"navigation.**.timeToGo", Schema{Span, placing}},
	{"navigation.**.velocityMadeGood", Schema{SpeedQ, placing}},
	{"navigation.**.velocityMadeGoodToCourse", Schema{SpeedQ, placing}},
	{"navigation.**.targetSpeed", Schema{SpeedQ, placing}},
	{"navigation.**.distance", Schema{Distance, placing}},
	{"navigation.**.bearingTrue", Schema{Direction, placing}},
	{"navigation.**.bearingMagnetic", Schema{Direction, placing}},
	{"navigation.**.bearingTrackTrue", Schema{Direction, placing}},
	{"navigation.**.bearingTrackMagnetic", Schema{Direction, placing}},
	{"navigation.**.arrivalCircle", Schema{Distance, never}},
	{"navigation.courseGreatCircle.*.position", Schema{Place, never}},
	{"navigation.courseRhumbline.*.position", Schema{Place, never}},
	{"navigation.course.**", Schema{Unknown, never}},
	{"navigation.courseGreatCircle.**", Schema{Unknown, never}},
	{"navigation.courseRhumbline.**", Schema{Unknown, never}},

	{"navigation.position", Schema{Place, placing}},
	{"navigation.position.altitude", Schema{Height, placing}},
	{"navigation.datetime", Schema{Instant, placing}},
	{"navigation.attitude", Schema{Attitude, moving}},
	{"navigation.attitude.roll", Schema{Heel, moving}},
	{"navigation.attitude.pitch", Schema{Trim, moving}},
	{"navigation.attitude.yaw", Schema{AngleQ, moving}},
	{"navigation.speedOverGround", Schema{SpeedQ, moving}},
	{"navigation.speedThroughWater", Schema{SpeedQ, moving}},
	{"navigation.headingTrue", Schema{Direction, moving}},
	{"navigation.headingMagnetic", Schema{Direction, moving}},
	{"navigation.headingCompass", Schema{Direction, moving}},
	{"navigation.courseOverGroundTrue", Schema{Direction, moving}},
	{"navigation.courseOverGroundMagnetic", Schema{Direction, moving}},
	{"navigation.rateOfTurn", Schema{Turn, moving}},
	{"navigation.magneticVariation", Schema{Variation, slow}},
	{"navigation.magneticVariationAgeOfService", Schema{Unknown, slow}},
	{"navigation.magneticDeviation", Schema{AngleQ, slow}},
	{"navigation.leewayAngle", Schema{AngleQ, moving}},
	{"navigation.log", Schema{Distance, slow}},
	{"navigation.trip.log", Schema{Distance, slow}},
	{"navigation.gnss.antennaAltitude", Schema{Height, placing}},
	{"navigation.gnss.**", Schema{Unknown, placing}},
	{"navigation.lights", Schema{Word, slow}},
	{"navigation.state", Schema{Word, slow}},

	{"environment.depth.belowKeel", Schema{Clearance, moving}},
	{"environment.depth.**", Schema{Depth, moving}},
	{"environment.wind.angleApparent", Schema{FromBow, moving}},
	{"environment.wind.angleTrueWater", Schema{FromBow, moving}},
	{"environment.wind.angleTrueGround", Schema{FromBow, moving}},
	{"environment.wind.directionTrue", Schema{WindFrom, moving}},
	{"environment.wind.directionMagnetic", Schema{WindFrom, moving}},
	{"environment.wind.speedApparent", Schema{SpeedQ, moving}},
	{"environment.wind.speedTrue", Schema{SpeedQ, moving}},
	{"environment.wind.speedOverGround", Schema{SpeedQ, moving}},
	{"environment.current", Schema{Set, moving}},
	{"environment.current.drift", Schema{SpeedQ, moving}},
	{"environment.current.setTrue", Schema{Direction, moving}},
	{"environment.current.setMagnetic", Schema{Direction, moving}},
	{"environment.heave", Schema{Height, moving}},
	{"environment.tide.heightNow", Schema{Height, slow}},
	{"environment.tide.heightHigh", Schema{Height, 12 * time.Hour}},
	{"environment.tide.heightLow", Schema{Height, 12 * time.Hour}},
	{"environment.tide.timeHigh", Schema{Instant, 12 * time.Hour}},
	{"environment.tide.timeLow", Schema{Instant, 12 * time.Hour}},
	{"environment.**.pressure", Schema{AirPressure, slow}},

	{"steering.rudderAngle", Schema{Rudder, moving}},
	{"steering.rudderAngleTarget", Schema{Rudder, moving}},
	{"steering.autopilot.target.windAngleApparent", Schema{PilotAngle, slow}},
	{"steering.autopilot.target.windAngleTrue", Schema{PilotAngle, slow}},
	{"steering.autopilot.target.headingTrue", Schema{Direction, slow}},
	{"steering.autopilot.target.headingMagnetic", Schema{Direction, slow}},
	{"performance.leeway", Schema{AngleQ, moving}},
	{"performance.tackTrue", Schema{Direction, moving}},
	{"performance.tackMagnetic", Schema{Direction, moving}},

	{"propulsion.*.revolutions", Schema{Revolutions, moving}},
	{"propulsion.*.runTime", Schema{Hours, moving}},
	{"propulsion.*.trimState", Schema{Percent, moving}},
	{"propulsion.*.drive.thrustAngle", Schema{Rudder, moving}},
	{"propulsion.*.state", Schema{Word, slow}},
	{"propulsion.**.gear", Schema{Word, moving}},
	{"propulsion.*.fuel.used", Schema{VolumeQ, slow}},
	{"propulsion.*.fuel.economyRate", Schema{Unknown, moving}},
	{"propulsion.*.fuel.rate", Schema{FlowQ, moving}},
	{"propulsion.*.fuel.averageRate", Schema{FlowQ, moving}},
	{"propulsion.*.fuel.type", Schema{Word, never}},
	{"propulsion.**.temperature", Schema{TemperatureQ, moving}},
	{"propulsion.**.pressure", Schema{PressureQ, moving}},

	{"electrical.batteries.*.current", Schema{BatteryAmps, flowing}},
	{"electrical.batteries.*.capacity.nominal", Schema{Capacity, never}},
	{"electrical.batteries.*.capacity.actual", Schema{Capacity, slow}},
	{"electrical.batteries.*.capacity.remaining", Schema{Capacity, slow}},
	{"electrical.batteries.*.capacity.dischargeLimit", Schema{Capacity, never}},
	{"electrical.batteries.*.capacity.dischargeSinceFull", Schema{ChargeQ, slow}},
	{"electrical.batteries.*.capacity.timeRemaining", Schema{Span, slow}},
	{"electrical.batteries.*.capacity.consumedCharge", Schema{ChargeQ, slow}}, // Venus; not in the schema
	{"electrical.batteries.*.capacity.stateOfCharge", Schema{Percent, slow}},
	{"electrical.batteries.*.capacity.stateOfHealth", Schema{Percent, slow}},
	{"electrical.batteries.*.nominalVoltage", Schema{Word, never}}, // "12V" (n2k-signalk)
	{"electrical.batteries.*.lifetimeDischarge", Schema{ChargeQ, slow}},
	{"electrical.batteries.*.lifetimeRecharge", Schema{ChargeQ, slow}},
	{"electrical.chargers.*.current", Schema{SourceAmps, flowing}},
	{"electrical.alternators.*.current", Schema{SourceAmps, flowing}},
	{"electrical.alternators.*.revolutions", Schema{Revolutions, moving}},
	{"electrical.alternators.*.fieldDrive", Schema{PercentDone, flowing}},
	{"electrical.solar.*.current", Schema{SourceAmps, flowing}},
	{"electrical.solar.*.panelCurrent", Schema{SourceAmps, flowing}},
	{"electrical.solar.*.yieldToday", Schema{EnergyQ, slow}},
	{"electrical.inverters.*.dc.current", Schema{SourceAmps, flowing}},
	{"electrical.switches.**.state", Schema{Switch, slow}},
	{"electrical.**.location", Schema{Word, never}},
	{"electrical.**.chemistry", Schema{Word, never}},
	{"electrical.**.dateInstalled", Schema{Word, never}},

	{"tanks.*.*.currentLevel", Schema{Level, slow}},
	{"tanks.*.*.currentVolume", Schema{VolumeQ, slow}},
	{"tanks.*.*.remaining", Schema{VolumeQ, slow}},
	{"tanks.*.*.capacity", Schema{VolumeQ, never}},
	{"tanks.*.*.type", Schema{Word, never}},
	{"tanks.*.*.pressure", Schema{PressureQ, slow}},
}

// endings are matched with the end of the last segment, in lower case, where
// neither the schema nor the server's meta knows the path.
var endings = []struct {
	end string
	Schema
}{
	{"temperature", Schema{TemperatureQ, slow}},
	{"voltage", Schema{VoltageQ, flowing}},
	{"current", Schema{Amps, flowing}},
	{"power", Schema{PowerQ, flowing}},
	{"pressure", Schema{PressureQ, slow}},
	{"humidity", Schema{Percent, slow}},
	{"stateofcharge", Schema{Percent, slow}},
	{"frequency", Schema{FrequencyQ, flowing}},
	{"revolutions", Schema{Revolutions, moving}},
}

// byUnits is for paths that only the server's meta knows.
var byUnits = map[string]Schema{
	"m": {Height, flowing}, "m/s": {SpeedQ, moving}, "rad": {AngleQ, moving}, "rad/s": {Turn, moving},
	"K": {TemperatureQ, slow}, "Pa": {PressureQ, slow}, "ratio": {Percent, slow}, "%": {PercentDone, slow},
	"V": {VoltageQ, flowing}, "A": {Amps, flowing}, "W": {PowerQ, flowing}, "J": {EnergyQ, slow}, "C": {ChargeQ, slow},
	"Hz": {FrequencyQ, moving}, "s": {Span, slow}, "m3": {VolumeQ, slow}, "m3/s": {FlowQ, moving},
}

// SchemaOf tells what a path measures and how long its values hold. units is
// the server's meta, which counts where the schema does not know the path.
func SchemaOf(path, units string) Schema {
	for _, e := range schema {
		if matches(e.pattern, path) {
			return e.Schema
		}
	}
	last := strings.ToLower(path[strings.LastIndexByte(path, '.')+1:])
	s, known := byUnits[units]
	if !known {
		s = Schema{Unknown, flowing}
		for _, e := range endings {
			if strings.HasSuffix(last, e.end) {
				s = e.Schema
				break
			}
		}
	}
	switch {
	case units == "C" && strings.HasSuffix(last, "temperature"): // degrees, and not coulombs
		s = Schema{TemperatureQ, slow}
	case s.Quantity == FrequencyQ && strings.HasSuffix(last, "revolutions"):
		s.Quantity = Revolutions
	case s.Quantity == AngleQ && directional.MatchString(last):
		s.Quantity = Direction
	}
	if strings.HasPrefix(path, "propulsion.") {
		s.Limit = min(s.Limit, moving)
	}
	return s
}

var directional = regexp.MustCompile("direction|bearing|heading|course")

// matches compares a path with a pattern, segment by segment.
func matches(pattern, path string) bool {
	p, patternRest, morePattern := strings.Cut(pattern, ".")
	if p == "**" {
		if !morePattern {
			return true
		}
		for {
			if matches(patternRest, path) {
				return true
			}
			_, rest, more := strings.Cut(path, ".")
			if !more {
				return false
			}
			path = rest
		}
	}
	s, rest, more := strings.Cut(path, ".")
	if p != "*" && p != s {
		return false
	}
	if !morePattern || !more {
		return morePattern == more
	}
	return matches(patternRest, rest)
}
