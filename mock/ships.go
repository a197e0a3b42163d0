package mock

import (
	"math"
	"math/rand/v2"
)

// Ship is the true state of an AIS target.
type Ship struct {
	MMSI     string
	Name     string
	Class    string // "A" or "B"
	Position Position
	// SpeedOverGround in m/s, CourseOverGroundTrue in rad.
	SpeedOverGround, CourseOverGroundTrue float64
}

// ship is an AIS target on a straight track, up and down, so that she stays in
// these waters.
type ship struct {
	mmsi, name, callsign string
	class                string
	kind                 shipType
	length, beam         float64
	destination          string
	start                Position
	course               float64 // rad, true, on the way out
	speed                float64 // m/s
	reach                float64 // m, where she turns
	interval             int64   // s between position reports
}

// shipType is the value of design.aisShipType.
type shipType struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// newShips is the traffic: a coaster that comes the other way, a fast ferry, and
// a small boat that reports every half minute.
func newShips(rng *rand.Rand) []ship {
	about := func(x, spread float64) float64 { return x + float64(2*spread*(float64(rng.Float64())-0.5)) }
	return []ship{
		{
			mmsi: "265999310", name: "NORDHAVET", callsign: "SKQX", class: "A", kind: shipType{70, "Cargo ship"},
			length: 118, beam: 17, destination: "KOTKA",
			start:  Position{about(59.927, 0.002), about(24.70, 0.005)},
			course: radians(about(280, 1)), speed: about(6.0, 0.3), reach: 18_000, interval: 6,
		},
		{
			mmsi: "276999450", name: "SUOMENLAHTI EXPRESS", callsign: "ESKX", class: "A", kind: shipType{60, "Passenger ship"},
			length: 186, beam: 28, destination: "HELSINKI",
			start:  Position{about(59.70, 0.01), about(24.86, 0.01)},
			course: radians(about(4, 2)), speed: about(11.8, 0.4), reach: 40_000, interval: 6,
		},
		{
			mmsi: "230999520", name: "PIKKU MYY", callsign: "OJ9520", class: "B", kind: shipType{36, "Sailing"},
			length: 8.2, beam: 2.7,
			start:  Position{about(59.957, 0.002), about(24.51, 0.004)},
			course: radians(about(85, 6)), speed: about(1.6, 0.2), reach: 9000, interval: 30,
		},
	}
}

// at is where she is after t seconds.
func (s ship) at(t float64) Ship {
	course, way := s.course, math.Mod(float64(s.speed*t), 2*s.reach)
	if way >= s.reach {
		way = 2*s.reach - way
		course += math.Pi
	}
	return Ship{s.mmsi, s.name, s.class, s.start.moved(polar(way, s.course)), s.speed, turn(course)}
}

// meeting puts a ship on a straight track that comes closest to own boat, who
// holds course and speed, after tcpa seconds at cpa metres; cpa is negative if
// she is then to port of the way she moves relative to us.
func (s ship) meeting(own Position, way vector, cpa, tcpa float64) ship {
	hers := polar(s.speed, s.course)
	across := hers.minus(way).direction() + math.Pi/2
	then := own.moved(way.times(tcpa)).moved(polar(cpa, across))
	s.start, s.reach = then.moved(hers.times(-tcpa)), 100_000
	return s
}

// approach is how close a ship will come, in metres, and in how many seconds;
// negative when that is past. Both hold course and speed.
func (s Ship) approach(own Position, way vector) (cpa, tcpa float64) {
	apart := own.way(s.Position)
	moves := polar(s.SpeedOverGround, s.CourseOverGroundTrue).minus(way)
	v := moves.length()
	if v < 0.01 {
		return apart.length(), 0
	}
	return math.Abs(apart.across(moves.direction())), -apart.along(moves.direction()) / v
}
