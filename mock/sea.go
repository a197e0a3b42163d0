package mock

import (
	"math"
	"math/rand/v2"
)

// swing is a slow sine: something that comes and goes by itself.
type swing struct{ amplitude, period, phase float64 }

func (s swing) at(seconds float64) float64 {
	return float64(s.amplitude * sine(float64(2*math.Pi*seconds/s.period)+s.phase))
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

// waters are what a scenario says of place and weather. Metres, m/s, degrees.
type waters struct {
	depth    float64 // the mean at the start
	slope    float64 // what a metre towards slopeTo adds to it
	slopeTo  float64
	rough    float64 // how much of the ridges there is; 1 takes at most 11.5 m off
	tide     float64 // half of the range
	wind     float64 // over the ground
	windFrom float64
	drift    float64 // of the current
	setTo    float64
}

// gulf are the waters of the passage along the coast.
var gulf = waters{depth: 19, rough: 1, wind: 7, windFrom: 332, drift: 0.18, setTo: 75}

// sea is the water and the weather: smooth functions of place and time, with
// nothing random after they are made. Directions are true, in radians.
type sea struct {
	waters
	gale        float64 // the mean wind that is coming up
	origin      Position
	bed         []ridge
	gusts       swings
	veer        swings
	stream      swings
	set         swings
	pressure    swings
	temperature swings
	humidity    swings
}

func newSea(rng *rand.Rand, w waters, origin Position) sea {
	phase := func() float64 { return float64(rng.Float64() * (2 * math.Pi)) }
	waves := func(pairs ...float64) swings {
		var s swings
		for i := 0; i < len(pairs); i += 2 {
			s = append(s, swing{pairs[i], pairs[i+1], phase()})
		}
		return s
	}
	s := sea{
		waters:      w,
		gale:        w.wind,
		origin:      origin,
		gusts:       waves(0.13, 1700, 0.07, 310, 0.035, 47),
		veer:        waves(0.10, 2900, 0.05, 420, 0.025, 61),
		stream:      waves(0.28, 5100),
		set:         waves(0.3, 7300),
		pressure:    waves(350, 43_000, 40, 5200),
		temperature: waves(1.6, 86_400, 0.3, 4100),
		humidity:    waves(0.08, 86_400, 0.02, 3500),
	}
	for _, r := range []struct{ height, wavelength float64 }{{4.5, 5200}, {3.5, 2300}, {2.2, 1100}, {1.3, 610}} {
		sin, cos := sincos(phase())
		k := 2 * math.Pi / r.wavelength
		s.bed = append(s.bed, ridge{r.height, k * cos, k * sin, phase()})
	}
	return s
}

// shallowest is the least depth of the made-up sea bed, in m: there are no rocks.
const shallowest = 2.2

// depth of the water at a place, from the surface.
func (s *sea) depth(p Position, t float64) float64 {
	way := s.origin.way(p)
	depth := s.waters.depth + float64(s.slope*way.along(radians(s.slopeTo))) + s.tideHeight(t)
	for _, r := range s.bed {
		depth += float64(s.rough * r.height * sine(float64(r.north*way.north)+float64(r.east*way.east)+r.phase))
	}
	return max(depth, shallowest)
}

// tideHeight is above the mean: a wave of 12 h 25 min, an hour past high water at
// the start.
func (s *sea) tideHeight(t float64) float64 { return swing{s.tide, 44_700, 2.08}.at(t) }

// run lets the wind come up, or go down, for one second.
func (s *sea) run() { s.wind += float64((s.gale - s.wind) / 45) }

// air is the way of the air over the ground.
func (s *sea) air(t float64) vector {
	return polar(float64(s.wind*(1+s.gusts.at(t))), float64(radians(s.windFrom))+s.veer.at(t)+math.Pi)
}

// current is the way of the water over the ground.
func (s *sea) current(t float64) vector {
	return polar(float64(s.drift*(1+s.stream.at(t))), float64(radians(s.setTo))+s.set.at(t))
}

const waterTemperature = 288.4 // K, 15.2 °C

// airTemperature outside, in K.
func (s *sea) airTemperature(t float64) float64 { return 291.3 + s.temperature.at(t) }

// airPressure at sea level, in Pa.
func (s *sea) airPressure(t float64) float64 { return 101_450 + s.pressure.at(t) }

// airHumidity is relative, a ratio.
func (s *sea) airHumidity(t float64) float64 { return 0.68 + s.humidity.at(t) }
