package mock

import "math"

// earthRadius is the mean radius in metres; great circles are reckoned on a
// sphere, as the server's course provider does.
const earthRadius = 6371000.0

// Position is a place in decimal degrees, WGS84, north and east positive.
type Position struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

// vector is a velocity or a way over the ground, north and east, in m/s or m.
type vector struct{ north, east float64 }

// polar is the vector of a length in a true direction.
func polar(length, direction float64) vector {
	sin, cos := sincos(direction)
	return vector{float64(length * cos), float64(length * sin)}
}

func (v vector) plus(w vector) vector   { return vector{v.north + w.north, v.east + w.east} }
func (v vector) minus(w vector) vector  { return vector{v.north - w.north, v.east - w.east} }
func (v vector) times(f float64) vector { return vector{float64(v.north * f), float64(v.east * f)} }
func (v vector) length() float64        { return hypot(v.north, v.east) }
func (v vector) direction() float64     { return turn(arctan2(v.east, v.north)) }
func (v vector) along(dir float64) float64 {
	s, c := sincos(dir)
	return float64(v.north*c) + float64(v.east*s)
}
func (v vector) across(dir float64) float64 {
	s, c := sincos(dir)
	return float64(v.east*c) - float64(v.north*s)
}

// turn wraps a direction into [0, 2π).
func turn(rad float64) float64 {
	rad = math.Mod(rad, 2*math.Pi)
	if rad < 0 {
		rad += 2 * math.Pi
	}
	return rad
}

// lean wraps an angle from the bow into (-π, π], port negative.
func lean(rad float64) float64 {
	rad = turn(rad)
	if rad > math.Pi {
		rad -= 2 * math.Pi
	}
	return rad
}

func radians(deg float64) float64 { return deg * math.Pi / 180 }
func degrees(rad float64) float64 { return rad * 180 / math.Pi }

// moved is the position a short way off, by dead reckoning.
func (p Position) moved(way vector) Position {
	return Position{
		p.Latitude + float64(degrees(way.north/earthRadius)),
		p.Longitude + float64(degrees(way.east/(earthRadius*cosine(radians(p.Latitude))))),
	}
}

// way to a position a short way off: what moved undoes.
func (p Position) way(q Position) vector {
	return vector{
		radians(q.Latitude-p.Latitude) * earthRadius,
		radians(q.Longitude-p.Longitude) * earthRadius * cosine(radians(p.Latitude)),
	}
}

// distance along the great circle, in metres.
func (p Position) distance(q Position) float64 {
	lat1, lat2 := radians(p.Latitude), radians(q.Latitude)
	a := sine((lat2 - lat1) / 2)
	b := sine(radians(q.Longitude-p.Longitude) / 2)
	h := float64(a*a) + float64(cosine(lat1)*cosine(lat2)*b*b)
	return 2 * earthRadius * arcsin(math.Sqrt(min(h, 1)))
}

// bearing at the start of the great circle to q, true, in [0, 2π).
func (p Position) bearing(q Position) float64 {
	lat1, lat2 := radians(p.Latitude), radians(q.Latitude)
	dLon := radians(q.Longitude - p.Longitude)
	y := sine(dLon) * cosine(lat2)
	x := float64(cosine(lat1)*sine(lat2)) - float64(sine(lat1)*cosine(lat2)*cosine(dLon))
	return turn(arctan2(y, x))
}

// crossTrack is how far p is from the great circle through from and to, in
// metres, negative to the left of it.
func crossTrack(from, to, p Position) float64 {
	along := from.distance(p) / earthRadius
	return earthRadius * arcsin(float64(sine(along)*sine(from.bearing(p)-from.bearing(to))))
}
