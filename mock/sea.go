package mock

import (
	"math"
	"math/rand/v2"
)

// swing is a slow sine: something that comes and goes by itself.
type swing struct{ amplitude, period, phase float64 }

func (s swing) at(seconds float64) float64 {
	return s.amplitude * math.Sin(2*math.Pi*seconds/s.period+s.phase)
}

type swings []swing

func (s swings) at(seconds float64) float64 {
	sum := 0.0
	for _, one := range s {
		sum += one.at(seconds)
	}
	return sum
}

// ridge is one wave of the sea bed: height in metres, and how its phase changes
// with a metre north and east.
type ridge struct{ height, north, east, phase float64 }

// sea is the water and the weather: smooth functions of place and time, with
// nothing random after they are made. Directions are true, in radians.
type sea struct {
	origin      Position
	bed         []ridge
	windSpeed   swings
	windFrom    swings
	drift       swings
	set         swings
	pressure    swings
	temperature swings
	humidity    swings
}

const (
	meanDepth  = 19.0 // m; the ridges take at most 11.5 off: never less than 7.5
	meanWind   = 7.0  // m/s
	windFrom   = 332  // degrees
	meanDrift  = 0.18 // m/s
	setTowards = 75   // degrees
)

func newSea(rng *rand.Rand, origin Position) sea {
	phase := func() float64 { return rng.Float64() * 2 * math.Pi }
	waves := func(pairs ...float64) swings {
		var s swings
		for i := 0; i < len(pairs); i += 2 {
			s = append(s, swing{pairs[i], pairs[i+1], phase()})
		}
		return s
	}
	s := sea{
		origin:      origin,
		windSpeed:   waves(0.9, 1700, 0.5, 310, 0.25, 47),
		windFrom:    waves(0.10, 2900, 0.05, 420, 0.025, 61),
		drift:       waves(0.05, 5100),
		set:         waves(0.3, 7300),
		pressure:    waves(350, 43_000, 40, 5200),
		temperature: waves(1.6, 86_400, 0.3, 4100),
		humidity:    waves(0.08, 86_400, 0.02, 3500),
	}
	for _, r := range []struct{ height, wavelength float64 }{{4.5, 5200}, {3.5, 2300}, {2.2, 1100}, {1.3, 610}} {
		sin, cos := math.Sincos(phase())
		k := 2 * math.Pi / r.wavelength
		s.bed = append(s.bed, ridge{r.height, k * cos, k * sin, phase()})
	}
	return s
}

// depth of the water at a place, from the surface. The Baltic has no tide.
func (s *sea) depth(p Position) float64 {
	north := radians(p.Latitude-s.origin.Latitude) * earthRadius
	east := radians(p.Longitude-s.origin.Longitude) * earthRadius * math.Cos(radians(s.origin.Latitude))
	depth := meanDepth
	for _, r := range s.bed {
		depth += r.height * math.Sin(r.north*north+r.east*east+r.phase)
	}
	return depth
}

// wind over the ground, as the way of the air.
func (s *sea) wind(t float64) vector {
	return polar(meanWind+s.windSpeed.at(t), radians(windFrom)+s.windFrom.at(t)+math.Pi)
}

// current is the way of the water.
func (s *sea) current(t float64) vector {
	return polar(meanDrift+s.drift.at(t), radians(setTowards)+s.set.at(t))
}

const waterTemperature = 288.4 // K, 15.2 °C

// airTemperature outside, in K.
func (s *sea) airTemperature(t float64) float64 { return 291.3 + s.temperature.at(t) }

// airPressure at sea level, in Pa.
func (s *sea) airPressure(t float64) float64 { return 101_450 + s.pressure.at(t) }

// airHumidity is relative, a ratio.
func (s *sea) airHumidity(t float64) float64 { return 0.68 + s.humidity.at(t) }
