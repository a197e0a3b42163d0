package units

import (
	"fmt"
	"math"
)

// Position is a place on the WGS84 ellipsoid in decimal degrees, the one
// quantity that Signal K does not send in SI. North and east are positive.
type Position struct{ Latitude, Longitude float64 }

// Valid reports whether both numbers are there and in range. 0, 0 is a place.
func (p Position) Valid() bool {
	return math.Abs(p.Latitude) <= 90 && math.Abs(p.Longitude) <= 180
}

// Say gives degrees and decimal minutes with hemisphere words: "60 degrees 1.20
// minutes North, 24 degrees 3.00 minutes East". A hundredth of a minute of
// latitude is 18.5 metres.
func (p Position) Say() string {
	if !p.Valid() {
		return ""
	}
	return part(p.Latitude, "North", "South") + ", " + part(p.Longitude, "East", "West")
}

// part rounds to hundredths of a minute first, so that 59.999 minutes carry.
func part(x float64, positive, negative string) string {
	hundredths := int(math.Round(math.Abs(x) * 6000))
	word := positive
	if x < 0 && hundredths > 0 {
		word = negative
	}
	return fmt.Sprintf("%s %d.%02d minutes %s", Count(hundredths/6000, "degree", "degrees"),
		hundredths%6000/100, hundredths%100, word)
}

// earthRadius is the mean radius of the WGS84 ellipsoid; distances by it are
// within 0.6 % of those on the ellipsoid.
const earthRadius = 6371008.8

// To gives the great-circle distance and the true bearing at the start of it.
func (p Position) To(q Position) (Length, Angle) {
	rad := math.Pi / 180
	φ1, φ2 := p.Latitude*rad, q.Latitude*rad
	Δλ := (q.Longitude - p.Longitude) * rad
	h := math.Pow(math.Sin((φ2-φ1)/2), 2) + math.Cos(φ1)*math.Cos(φ2)*math.Pow(math.Sin(Δλ/2), 2)
	d := 2 * earthRadius * math.Asin(math.Min(1, math.Sqrt(h)))
	θ := math.Atan2(math.Sin(Δλ)*math.Cos(φ2), math.Cos(φ1)*math.Sin(φ2)-math.Sin(φ1)*math.Cos(φ2)*math.Cos(Δλ))
	return Length(d), Angle(θ).Wrap()
}
