package mock

import "math"

// helm is what keeps the boat on her way, or in her place.
type helm int

const (
	helmRoute  helm = iota // under sail from point to point
	helmBeat               // under sail to a point to windward, tack by tack
	helmMotor              // under engine, on a course or to a place
	helmAnchor             // swinging
	helmMoored             // at a buoy or alongside
)

// Beating. Angles in rad.
const (
	closeHauled = 0.75 // 43° from the wind over the water
	tackEvery   = 150  // s
)

// ground is the anchor's.
type ground struct {
	down    bool
	at      Position
	watched Position // where the watch believes it to be
	rode    float64  // m from the anchor to the boat when it is stretched
	chain   float64  // m: what the rode is being veered to
	limit   float64  // m: the watch's circle
	drags   float64  // m/s downwind
	over    bool     // outside the circle, as it was told last
}

func (v *Vessel) motion() motion {
	t := v.elapsed()
	m := motion{heading: turn(v.heading + v.yaw.at(t)), current: v.sea.current(t), wind: v.sea.air(t)}
	switch v.helm {
	case helmMoored:
		m.water = m.current.times(-1)
	case helmAnchor:
		m.ground = v.position.way(v.berth(m.wind))
		m.water = m.ground.minus(m.current)
	case helmMotor:
		m.water = polar(v.speed, m.heading)
		m.ground = m.water.plus(m.current)
	default:
		// A sloop slides away from the wind: to starboard with the wind from port.
		m.leeway = float64(-0.055 * sine(m.trueAngle()))
		m.water = polar(v.speed, m.heading+m.leeway)
		m.ground = m.water.plus(m.current)
	}
	return m
}

// berth is where a boat at anchor lies in a second: downwind of it, swinging to
// and fro.
func (v *Vessel) berth(wind vector) Position {
	next := v.elapsed() + 1
	return v.anchor.dragged(wind).moved(polar(v.anchor.rode, v.sea.air(next).direction()+v.swing.at(next)))
}

// dragged is where the anchor is in a second.
func (g ground) dragged(wind vector) Position { return g.at.moved(polar(g.drags, wind.direction())) }

// navigate goes on to the next point inside the arrival circle, and at the last
// one ends the passage.
func (v *Vessel) navigate() {
	if v.plan == nil || v.helm > helmBeat {
		return
	}
	switch last := len(v.plan.points) - 1; {
	case v.position.distance(v.plan.points[v.leg].Position) > arrivalCircle:
	case v.leg < last:
		v.leg++
		v.news = true
	default:
		v.arrived = true
	}
	if v.arrived && v.speed < mooringSpeed {
		v.helm = helmMoored
	}
}

// steer is helmsman, sails and engine: it turns towards the wanted heading and
// takes up the speed that wind or propeller give.
func (v *Vessel) steer(m motion) {
	v.navigate()
	var heading, speed float64
	switch v.helm {
	case helmMoored:
		if v.outfit.has(shorePower) {
			return // alongside: she does not turn
		}
		heading = from(m.wind)
	case helmAnchor:
		v.anchor.at = v.anchor.dragged(m.wind)
		v.anchor.rode += clamp(v.anchor.chain-v.anchor.rode, 0.4)
		heading = v.position.bearing(v.anchor.at)
	case helmMotor:
		heading, speed = v.steerByEngine(m)
	default:
		heading, speed = v.steerBySail(m)
	}
	rate := 0.04 // rad/s
	if v.engine.running() {
		rate = 0.12 // the propeller helps the rudder
	}
	v.heading = turn(v.heading + clamp(float64(0.15*lean(heading-v.heading)), rate))
	v.speed += float64((speed - v.speed) / 12)
}

func (v *Vessel) steerBySail(m motion) (heading, speed float64) {
	if v.arrived {
		return v.heading, 0
	}
	speed = hullSpeed * tanh(float64(m.trueSpeed()/6.5*(0.45+float64(0.55*math.Abs(sine(m.trueAngle()))))))
	if v.helm == helmBeat {
		if v.seconds-v.tacked >= tackEvery {
			v.tack, v.tacked = -v.tack, v.seconds
		}
		up := from(m.wind.minus(m.current))
		if mark := v.position.bearing(v.plan.points[v.leg].Position); math.Abs(lean(mark-up)) > closeHauled {
			return mark, speed // she can lay it
		}
		return up - float64(v.tack*closeHauled), speed
	}
	next := v.plan.points[v.leg].Position
	offTrack := crossTrack(v.plan.points[v.leg-1].Position, next, v.position)
	return v.against(m, v.position.bearing(next)-clamp(offTrack/400, 0.3)) - m.leeway, speed
}

// against is the heading that makes a course over the ground good in the current.
func (v *Vessel) against(m motion, course float64) float64 {
	return course - arcsin(clamp(m.current.across(course)/max(v.speed, 0.5), 1))
}

func (v *Vessel) steerByEngine(m motion) (heading, speed float64) {
	course, speed := v.wanted, v.engine.way()
	if v.aim != nil {
		course = v.position.bearing(*v.aim)
		speed = min(speed, v.position.distance(*v.aim)/15)
		if math.Abs(lean(course-v.heading)) > 0.6 { // round first
			speed = min(speed, 1)
		}
	}
	if speed < 0.3 { // no steerage
		return v.heading, speed
	}
	return v.against(m, course), speed
}
