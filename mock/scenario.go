package mock

import (
	"fmt"
	"strings"
)

// Scenario names what happens to own boat, and what she has on board.
type Scenario string

// The scenarios. scenarios.go has the log of each.
const (
	Passage      Scenario = "passage" // the default
	AtAnchor     Scenario = "anchor"
	Beating      Scenario = "beating"
	Shoaling     Scenario = "shoaling"
	NightWatch   Scenario = "night-watch"
	AtDock       Scenario = "dock"
	LostBottom   Scenario = "lost-bottom"
	FlatBattery  Scenario = "flat-battery"
	Overheating  Scenario = "overheating"
	ManOverboard Scenario = "man-overboard"
	NeverFitted  Scenario = "small-boat"
	BigBoat      Scenario = "big-boat"
)

// Scenarios lists all there are.
func Scenarios() []Scenario {
	names := make([]Scenario, len(scenarios))
	for i := range scenarios {
		names[i] = scenarios[i].name
	}
	return names
}

// About is one line on what happens.
func (s Scenario) About() string {
	found, err := s.find()
	if err != nil {
		return ""
	}
	return found.about
}

// Log is the scenario's log, a line an entry: when it happens after the start,
// and what.
func (s Scenario) Log() []string {
	found, err := s.find()
	if err != nil {
		return nil
	}
	var lines []string
	for _, e := range found.log {
		lines = append(lines, e.at+"  "+e.says)
	}
	return lines
}

func (s Scenario) find() (*scenario, error) {
	if s == "" {
		s = Passage
	}
	for i := range scenarios {
		if scenarios[i].name == s {
			return &scenarios[i], nil
		}
	}
	var names []string
	for _, name := range Scenarios() {
		names = append(names, string(name))
	}
	return nil, fmt.Errorf("scenario: %q is none of %s", string(s), strings.Join(names, ", "))
}

// scenario is one of the table in scenarios.go.
type scenario struct {
	name    Scenario
	about   string
	at      Position
	heading float64 // degrees, true
	waters  waters
	outfit  outfit
	ships   func(own Position) []ship // nil for those of the gulf
	log     []entry
}

// entry is a line of the log: at mm:ss after the start something is done.
type entry struct {
	at, says string
	do       []order
}

// order changes how the boat is sailed, or what is the matter with her.
type order func(v *Vessel)

// second is when the entry has its turn. The table is constant; a test reads it.
func (e entry) second() int64 {
	var minutes, seconds int64
	if _, err := fmt.Sscanf(e.at, "%d:%d", &minutes, &seconds); err != nil {
		panic(fmt.Sprintf("mock: log entry at %q: %v", e.at, err))
	}
	return 60*minutes + seconds
}

// outfit is the set of what is fitted.
type outfit uint32

const (
	gnss outfit = 1 << iota
	compass
	speedLog
	sounder
	anemometer
	weather
	monitor    // of the house bank
	propulsion // the engine's instruments
	senders    // of the tanks
	receiver   // AIS
	computed   // the course provider
	derived    // the derived-data plugin
	handheld   // a GPS on NMEA 0183 and a voltmeter, instead of a bus
	shorePower // lies alongside
	crowd      // what a big boat has besides
)

const (
	cruiser = gnss | compass | speedLog | sounder | anemometer | weather | monitor | propulsion | senders | receiver | computed
	skiff   = gnss | handheld
)

func (o outfit) has(what outfit) bool { return o&what != 0 }

// plan is where own boat is bound: a route, or without an id a single place.
type plan struct {
	id, name string
	points   []waypoint
}

// The orders.

// sail follows a plan under sail, from its first point on; ahead is how far, in m.
func sail(p *plan, ahead float64) order {
	return func(v *Vessel) {
		v.bind(p)
		v.helm, v.speed = helmRoute, 2.9
		track := p.points[0].bearing(p.points[1].Position)
		v.position = v.position.moved(polar(ahead, track))
		v.heading = track
	}
}

// beat works up to a place dead to windward, on starboard tack first.
func beat(miles float64) order {
	return func(v *Vessel) {
		up := radians(v.sea.windFrom)
		mark := waypoint{"Windward Mark", v.position.moved(polar(miles*1852, up))}
		v.bind(&plan{points: []waypoint{{"", v.position}, mark}})
		v.helm, v.speed, v.heading = helmBeat, 2.6, turn(up-closeHauled)
	}
}

// motor sets the engine to a number of revolutions a minute, and a course, in
// degrees, that is kept over the ground.
func motor(rpm, course float64) order {
	return func(v *Vessel) {
		v.helm, v.wanted, v.aim = helmMotor, radians(course), nil
		v.engine.throttle = rpm / 60
	}
}

// underWay is motor for a boat that has been at it for a while.
func underWay(rpm, course float64) order {
	return func(v *Vessel) {
		motor(rpm, course)(v)
		v.engine.revolutions, v.engine.coolant = rpm/60, thermostat
		v.speed, v.heading = v.engine.way(), radians(course)
	}
}

func throttle(rpm float64) order { return func(v *Vessel) { v.engine.throttle = rpm / 60 } }

// autopilot takes the yaw out of the heading.
func autopilot(v *Vessel) { v.yaw = nil }

// letGo drops the anchor; the watch has a circle. Both in m.
func letGo(chain, circle float64) order {
	return func(v *Vessel) {
		v.helm, v.speed = helmAnchor, 0
		down := v.sea.air(v.elapsed()).direction() + v.swing.at(v.elapsed())
		at := v.position.moved(polar(-chain, down))
		v.anchor = ground{down: true, at: at, watched: at, rode: chain, chain: chain, limit: circle}
		v.heading = v.position.bearing(at)
		v.raise(anchorAlarm, "navigation.anchor", "normal", "Anchor watch is on")
	}
}

// drag lets the anchor slip, in m/s; 0 is that it holds.
func drag(speed float64) order { return func(v *Vessel) { v.anchor.drags = speed } }

func veer(chain float64) order { return func(v *Vessel) { v.anchor.chain = chain } }

// wind comes up, or goes down, to a mean in m/s.
func wind(speed float64) order { return func(v *Vessel) { v.sea.gale = speed } }

// alongside is at a dock with the cable in.
func alongside(v *Vessel) { v.helm, v.speed, v.yaw, v.house.shore = helmMoored, 0, nil, true }

func shoreFails(v *Vessel) { v.house.shore = false }

func shoreIsBack(v *Vessel) { v.house.shore = true }

// charge is how full the house bank is, a ratio.
func charge(soc float64) order { return func(v *Vessel) { v.house.charge = soc * houseCapacity } }

// draw is what something takes from the house bank, in A.
func draw(amps float64) order { return func(v *Vessel) { v.house.extra = amps } }

// cooling is the ratio of sea water that the engine's pump brings.
func cooling(ratio float64) order { return func(v *Vessel) { v.engine.cooling = ratio } }

func raise(path, state, message string) order {
	return func(v *Vessel) { v.raise("panel", path, state, message) }
}

// personOverboard marks the place, and turns back to it under engine.
func personOverboard(v *Vessel) {
	place := v.position.moved(v.motion().ground.times(-4)) // they shouted at once
	v.raise("mob-button", "mob", "emergency", "Person overboard")
	v.bind(&plan{points: []waypoint{{"", v.position}, {"MOB", place}}})
	v.helm, v.aim, v.engine.throttle = helmMotor, &place, 30
}

// bind makes a plan the course.
func (v *Vessel) bind(p *plan) { v.plan, v.leg, v.news, v.arrived = p, 1, true, false }
