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
	sounderReach  = 150.0                      // m below the transducer: farther down it hears no bottom
)

// Vessel is a sloop of 11.5 m in one of the scenarios: her state, and the deltas
// that her instruments make of it. The same scenario, seed, start and steps give
// the same bytes, on every machine. A Vessel is not safe for concurrent use.
type Vessel struct {
	start   time.Time
	seconds int64 // since start: the time of the state
	said    int64 // when Step last gave a set of values; -1 before the first
	mmsi    string
	uuid    string
	named   bool // course points have names (2.32.0)

	scenario *scenario
	entry    int // of the scenario's log: the next one
	outfit   outfit

	sea   sea
	yaw   swings
	roll  swings
	pitch swings
	swing swings // of a boat at anchor

	position Position
	heading  float64 // true, without yaw
	speed    float64 // through the water, leeway included
	log      float64 // m through the water

	helm    helm
	wanted  float64   // motoring: the way over the ground that is wanted
	aim     *Position // motoring: go there and stop
	tacked  int64     // beating: when she went about last
	tack    float64   // beating: -1 with the wind from port, 1 from starboard
	anchor  ground
	plan    *plan // what is sailed to; nil for nothing
	leg     int   // index of the next point of it
	news    bool  // a course that has not been told
	arrived bool  // at the last point

	engine  engine
	house   bank
	water   float64 // fresh water tank, ratio
	ships   []ship
	notices []notice // of what the vessel raised, by path and source
	fresh   []int    // indexes of those that have not been told
}

// NewVessel makes own boat in a scenario. An empty one is Passage; it panics at a
// name that is none. All seeds are good; each has its own sea bed, weather and
// traffic.
func NewVessel(s Scenario, seed uint64, start time.Time) *Vessel {
	return newVessel(s, seed, start, DefaultSelf, version232)
}

func newVessel(name Scenario, seed uint64, start time.Time, self, version string) *Vessel {
	s, err := name.find()
	if err != nil {
		panic("mock: " + err.Error())
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	wave := func(amplitude, period float64) swing {
		return swing{amplitude, period, float64(rng.Float64() * (2 * math.Pi))}
	}
	v := &Vessel{
		start:    start.UTC(),
		said:     -1,
		named:    version == version232,
		scenario: s,
		outfit:   s.outfit,
		sea:      newSea(rng, s.waters, s.at),
		yaw:      swings{wave(0.030, 23), wave(0.012, 8.6)},
		roll:     swings{wave(0.035, 5.7), wave(0.015, 3.9)},
		pitch:    swings{wave(0.018, 4.3)},
		swing:    swings{wave(0.45, 170), wave(0.12, 61)},
		position: s.at.moved(polar(float64(60*rng.Float64())-30, float64(radians(s.heading))+math.Pi/2)),
		heading:  radians(s.heading),
		tack:     1,
		log:      23_150_000, // 12,500 nautical miles
		engine:   newEngine(),
		house:    newBank(rng),
		water:    0.17,
		ships:    newShips(rng),
	}
	if s.ships != nil {
		v.ships = s.ships(v.position)
	}
	switch name := strings.TrimPrefix(self, "vessels."); {
	case strings.HasPrefix(name, "urn:mrn:imo:mmsi:"):
		v.mmsi = strings.TrimPrefix(name, "urn:mrn:imo:mmsi:")
	default:
		v.uuid = name
	}
	v.follow()
	v.house.alternate = v.engine.alternator()
	return v
}

// follow does what the scenario's log has for this second.
func (v *Vessel) follow() {
	for v.entry < len(v.scenario.log) && v.scenario.log[v.entry].second() <= v.seconds {
		for _, do := range v.scenario.log[v.entry].do {
			do(v)
		}
		v.entry++
	}
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
	return float64(-0.3 * tanh(float64(aws*aws/90)) * sine(m.apparentAngle()))
}

// sail moves everything on by one second.
func (v *Vessel) sail() {
	m := v.motion()
	v.position = v.position.moved(m.ground)
	v.log += m.log()
	v.house.run(v.elapsed())
	v.engine.run()
	v.house.alternate = v.engine.alternator()
	v.sea.run()
	v.water = max(0.05, v.water-0.004/3600)
	v.seconds++
	v.follow()
	v.steer(m)
	v.watch()
}

// watch raises and clears what instruments on board watch.
func (v *Vessel) watch() {
	if v.anchor.down {
		v.watchAnchor()
	}
	if v.outfit.has(derived) && v.seconds%10 == 0 {
		v.watchTraffic()
	}
}

func clamp(x, limit float64) float64 { return max(-limit, min(limit, x)) }

// Truth is the state of a vessel without any instrument's rounding, in Signal
// K's units and signs: m, m/s, rad, K, Pa, V, A, ratio, s.
type Truth struct {
	Time     time.Time
	Position Position
	Moored   bool // at a buoy or dock: speed over ground is 0 and there is no course

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
	EngineRunTime, EngineOilPressure            float64
	TideHeight                                  float64 // above the mean
	AnchorPosition                              Position
	AnchorRadius                                float64 // from it to the boat; 0 without an anchor watch

	// PointIndex is the route point she is bound for, counted from 0; NextPoint
	// is its name. Both are zero without a destination, like what follows.
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
	surface := v.sea.depth(v.position, t)
	truth := Truth{
		Time: v.time(), Position: v.position, Moored: v.helm == helmMoored,
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
		FuelLevel: v.engine.fuel / fuelCapacity, FuelCapacity: fuelCapacity, FreshWaterLevel: v.water,
		EngineRevolutions: v.engine.revolutions, EngineCoolantTemperature: v.engine.coolant,
		EngineRunTime: v.engine.runTime, EngineOilPressure: v.engine.oilPressure(),
		TideHeight: v.sea.tideHeight(t),
	}
	if v.anchor.down {
		truth.AnchorPosition, truth.AnchorRadius = v.anchor.watched, v.anchor.watched.distance(v.position)
	}
	if v.plan != nil {
		c := v.calc(m)
		truth.PointIndex, truth.NextPoint = v.leg, v.plan.points[v.leg].name
		truth.DistanceToNext, truth.BearingToNext, truth.CrossTrackError = c.distance, c.bearing, c.crossTrack
		truth.VelocityMadeGood, truth.RouteDistanceToGo = c.velocity, c.routeDistance
	}
	for _, s := range v.ships {
		truth.Ships = append(truth.Ships, s.at(t))
	}
	return truth
}
