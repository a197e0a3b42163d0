package mock

import (
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// Own boat. Lengths in metres.
const (
	ownName       = "Merituuli"
	ownMMSI       = "230999870"
	ownCallsign   = "OJ9870"
	ownDraft      = 1.9
	ownLength     = 11.5
	ownBeam       = 3.6
	sounderDepth  = 0.6                        // the transducer below the surface
	sounderToKeel = -(ownDraft - sounderDepth) // as NMEA 2000 has it: negative
	variation     = 0.1676                     // rad, 9.6° east: south of Helsinki in 2026
	hullSpeed     = 3.9                        // m/s, 7.6 knots
	maxCatchUp    = 6 * 60 * 60                // s that one step sails; time beyond passes at rest
	mooringSpeed  = 0.15                       // m/s: slower, and she is at her buoy
)

// Vessel is a sloop of 11.5 m on a passage in the Gulf of Finland: her state,
// and the deltas that her instruments make of it. The same seed, start and
// steps give the same bytes. A Vessel is not safe for concurrent use.
type Vessel struct {
	start   time.Time
	seconds int64 // since start: the time of the state
	said    int64 // when Step last gave a set of values; -1 before the first
	mmsi    string
	uuid    string
	points  bool // course points have names (2.32.0)

	sea   sea
	yaw   swings
	roll  swings
	pitch swings

	position Position
	heading  float64 // true, without yaw
	speed    float64 // through the water, leeway included
	log      float64 // m through the water
	leg      int     // index of the next point of the route
	told     int     // the leg that Step last gave a course for
	arrived  bool    // at the last point
	moored   bool    // and lying to its buoy

	house bank
	water float64 // fresh water tank, ratio
	ships []ship
}

// NewVessel puts own boat on the first leg of her route. All seeds are good;
// each has its own sea bed, weather and traffic.
func NewVessel(seed uint64, start time.Time) *Vessel {
	return newVessel(seed, start, DefaultSelf, version232)
}

func newVessel(seed uint64, start time.Time, self, version string) *Vessel {
	rng := rand.New(rand.NewPCG(seed, 0))
	wave := func(amplitude, period float64) swing {
		return swing{amplitude, period, rng.Float64() * 2 * math.Pi}
	}
	from, to := route[0].Position, route[1].Position
	track := from.bearing(to)
	v := &Vessel{
		start:    start.UTC(),
		said:     -1,
		leg:      1,
		points:   version == version232,
		sea:      newSea(rng, from),
		yaw:      swings{wave(0.030, 23), wave(0.012, 8.6)},
		roll:     swings{wave(0.035, 5.7), wave(0.015, 3.9)},
		pitch:    swings{wave(0.018, 4.3)},
		position: from.moved(polar(1500, track)).moved(polar(60*rng.Float64()-30, track+math.Pi/2)),
		heading:  track,
		speed:    2.9,
		log:      23_150_000, // 12,500 nautical miles
		house:    newBank(rng),
		water:    0.17,
		ships:    newShips(rng),
	}
	switch name := strings.TrimPrefix(self, "vessels."); {
	case strings.HasPrefix(name, "urn:mrn:imo:mmsi:"):
		v.mmsi = strings.TrimPrefix(name, "urn:mrn:imo:mmsi:")
	default:
		v.uuid = name
	}
	return v
}

// Step sails to t and returns what the instruments say then: everything the
// first time, and later what is due since the last set, each group at its own
// rate, once a second at most. It returns nil when no second has passed. The
// deltas are stamped with whole seconds since the start.
func (v *Vessel) Step(t time.Time) []Delta {
	now := int64(t.Sub(v.start) / time.Second)
	if v.said >= 0 && now <= v.said {
		return nil
	}
	v.seconds = max(v.seconds, now-maxCatchUp)
	for v.seconds < now {
		v.sail()
	}
	return v.report(v.said < 0)
}

// all is everything the vessel has to say, now.
func (v *Vessel) all() []Delta { return v.report(true) }

// time of the state.
func (v *Vessel) time() time.Time { return v.start.Add(time.Duration(v.seconds) * time.Second) }

func (v *Vessel) elapsed() float64 { return float64(v.seconds) }

// motion is how boat, water and air move at one moment.
type motion struct {
	heading float64 // true
	leeway  float64 // positive to starboard of the heading
	water   vector  // the boat through the water
	ground  vector  // the boat over the ground
	current vector  // the water over the ground
	wind    vector  // the air over the ground
}

func (v *Vessel) motion() motion {
	t := v.elapsed()
	m := motion{heading: turn(v.heading + v.yaw.at(t)), current: v.sea.current(t), wind: v.sea.wind(t)}
	if v.moored {
		m.water = m.current.times(-1)
		return m
	}
	// A sloop slides away from the wind: to starboard with the wind from port.
	m.leeway = -0.055 * math.Sin(m.trueAngle())
	m.water = polar(v.speed, m.heading+m.leeway)
	m.ground = m.water.plus(m.current)
	return m
}

// from is where a stream of air comes from.
func from(air vector) float64 { return air.times(-1).direction() }

// trueAngle is the wind angle over the water, port negative.
func (m motion) trueAngle() float64 { return lean(from(m.wind.minus(m.current)) - m.heading) }

func (m motion) trueSpeed() float64 { return m.wind.minus(m.current).length() }

func (m motion) apparentAngle() float64 { return lean(from(m.wind.minus(m.ground)) - m.heading) }

func (m motion) apparentSpeed() float64 { return m.wind.minus(m.ground).length() }

// log is what a paddle wheel measures: the way ahead, never less than nothing.
func (m motion) log() float64 { return max(0, m.water.along(m.heading)) }

// heel to starboard is positive: the wind from port presses her there.
func (m motion) heel() float64 {
	aws := m.apparentSpeed()
	return -0.3 * math.Tanh(aws*aws/90) * math.Sin(m.apparentAngle())
}

// sail moves everything on by one second.
func (v *Vessel) sail() {
	m := v.motion()
	v.position = v.position.moved(m.ground)
	v.log += m.log()
	v.house.run(v.elapsed())
	v.water = max(0.05, v.water-0.004/3600)
	v.seconds++
	v.navigate()
	v.steer(m)
}

// navigate goes on to the next point inside the arrival circle, and at the last
// one ends the passage.
func (v *Vessel) navigate() {
	switch last := len(route) - 1; {
	case v.position.distance(route[v.leg].Position) > arrivalCircle:
	case v.leg < last:
		v.leg++
	default:
		v.arrived = true
	}
	if v.arrived && v.speed < mooringSpeed {
		v.moored = true
	}
}

// steer is helmsman and sails: it turns towards the wanted heading and takes up
// the speed that the wind gives.
func (v *Vessel) steer(m motion) {
	var heading, speed float64
	switch {
	case v.moored:
		heading = from(m.wind)
	case v.arrived:
		heading = v.heading
	default:
		next := route[v.leg].Position
		offTrack := crossTrack(route[v.leg-1].Position, next, v.position)
		course := v.position.bearing(next) - clamp(offTrack/400, 0.3)
		upstream := math.Asin(clamp(m.current.across(course)/max(v.speed, 0.5), 1))
		heading = course - m.leeway - upstream
		speed = hullSpeed * math.Tanh(m.trueSpeed()/6.5*(0.45+0.55*math.Abs(math.Sin(m.trueAngle()))))
	}
	v.heading = turn(v.heading + clamp(0.15*lean(heading-v.heading), 0.04))
	v.speed += (speed - v.speed) / 12
}

func clamp(x, limit float64) float64 { return max(-limit, min(limit, x)) }

// Truth is the state of a vessel without any instrument's rounding, in Signal
// K's units and signs: m, m/s, rad, K, Pa, V, A, ratio, s.
type Truth struct {
	Time     time.Time
	Position Position
	Moored   bool // at the end of the route: speed over ground is 0 and there is no course

	HeadingTrue, HeadingMagnetic, Variation float64
	SpeedOverGround, CourseOverGroundTrue   float64
	SpeedThroughWater                       float64
	Leeway                                  float64 // positive to starboard
	Heel                                    float64 // positive to starboard, without the waves
	Log                                     float64

	DepthBelowSurface, DepthBelowTransducer, DepthBelowKeel float64

	WindAngleApparent, WindSpeedApparent        float64
	WindAngleTrueWater, WindSpeedTrue           float64 // over the water
	WindDirectionTrue, WindSpeedOverGround      float64 // direction it comes from
	CurrentSetTrue, CurrentDrift                float64 // direction it goes to
	OutsideTemperature, OutsidePressure         float64
	RelativeHumidity, WaterTemperature          float64
	HouseVoltage, HouseCurrent                  float64 // current positive when charging
	HouseStateOfCharge, HouseTimeRemaining      float64 // the latter 0 when charging
	HouseCapacity                               float64 // C
	StartVoltage                                float64
	FuelLevel, FuelCapacity, FreshWaterLevel    float64 // capacity in m3
	EngineRevolutions, EngineCoolantTemperature float64
	EngineRunTime                               float64

	// PointIndex is the route point she is bound for, counted from 0; NextPoint
	// is its name.
	PointIndex                          int
	NextPoint                           string
	DistanceToNext, BearingToNext       float64
	CrossTrackError                     float64 // negative left of the track
	VelocityMadeGood, RouteDistanceToGo float64
	Ships                               []Ship
}

// Truth returns the state after the last Step.
func (v *Vessel) Truth() Truth {
	m, t := v.motion(), v.elapsed()
	c := v.calc(m)
	surface := v.sea.depth(v.position)
	truth := Truth{
		Time: v.time(), Position: v.position, Moored: v.moored,
		HeadingTrue: m.heading, HeadingMagnetic: turn(m.heading - variation), Variation: variation,
		SpeedOverGround: m.ground.length(), CourseOverGroundTrue: m.ground.direction(),
		SpeedThroughWater: m.log(), Leeway: m.leeway, Heel: m.heel(), Log: v.log,
		DepthBelowSurface: surface, DepthBelowTransducer: surface - sounderDepth, DepthBelowKeel: surface - ownDraft,
		WindAngleApparent: m.apparentAngle(), WindSpeedApparent: m.apparentSpeed(),
		WindAngleTrueWater: m.trueAngle(), WindSpeedTrue: m.trueSpeed(),
		WindDirectionTrue: from(m.wind), WindSpeedOverGround: m.wind.length(),
		CurrentSetTrue: m.current.direction(), CurrentDrift: m.current.length(),
		OutsideTemperature: v.sea.airTemperature(t), OutsidePressure: v.sea.airPressure(t),
		RelativeHumidity: v.sea.airHumidity(t), WaterTemperature: waterTemperature,
		HouseVoltage: v.house.voltage(t), HouseCurrent: v.house.current(t), HouseStateOfCharge: v.house.stateOfCharge(),
		HouseTimeRemaining: v.house.timeRemaining(t), HouseCapacity: houseCapacity, StartVoltage: startVoltage,
		FuelLevel: fuelLevel, FuelCapacity: fuelCapacity, FreshWaterLevel: v.water,
		EngineCoolantTemperature: coolantTemperature(t), EngineRunTime: engineRunTime,
		PointIndex: v.leg, NextPoint: route[v.leg].name,
		DistanceToNext: c.distance, BearingToNext: c.bearing, CrossTrackError: c.crossTrack,
		VelocityMadeGood: c.velocity, RouteDistanceToGo: c.routeDistance,
	}
	for _, s := range v.ships {
		truth.Ships = append(truth.Ships, s.at(t))
	}
	return truth
}
