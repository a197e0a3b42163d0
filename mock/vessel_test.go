package mock_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

var departure = time.Date(2026, 6, 21, 9, 0, 0, 0, time.UTC)

// gauge is what own boat's instruments said last, by path.
type gauge map[string]any

// read takes in a set of deltas and returns the paths that were in it.
func (g gauge) read(set []mock.Delta) map[string]bool {
	said := map[string]bool{}
	for _, d := range set {
		for _, u := range d.Updates {
			for _, v := range u.Values {
				if d.Context == "" {
					g[v.Path], said[v.Path] = v.Value, true
				}
			}
		}
	}
	return said
}

func (g gauge) num(t *testing.T, path string) float64 {
	t.Helper()
	f, ok := g[path].(float64)
	require.True(t, ok, "%s is %v", path, g[path])
	return f
}

func (g gauge) place(t *testing.T, path string) (lat, lon float64) {
	t.Helper()
	p, ok := g[path].(mock.Position)
	require.True(t, ok, "%s is %v", path, g[path])
	return p.Latitude, p.Longitude
}

// object is an object value as it is on the wire.
func (g gauge) object(t *testing.T, path string) map[string]any {
	t.Helper()
	text, err := json.Marshal(g[path])
	require.NoError(t, err)
	var m map[string]any
	require.NoError(t, json.Unmarshal(text, &m), "%s is %s", path, text)
	return m
}

// point is where a point of the course is.
func (g gauge) point(t *testing.T, path string) (lat, lon float64) {
	t.Helper()
	p := g.object(t, path)["position"].(map[string]any)
	return p["latitude"].(float64), p["longitude"].(float64)
}

// xy is a vector, east and north.
type xy struct{ x, y float64 }

func way(length, direction float64) xy {
	return xy{length * math.Sin(direction), length * math.Cos(direction)}
}

func (a xy) add(b xy) xy { return xy{a.x + b.x, a.y + b.y} }

func (a xy) sub(b xy) xy { return xy{a.x - b.x, a.y - b.y} }

// haversine is the great-circle distance on a sphere of 6371 km, in metres.
func haversine(lat1, lon1, lat2, lon2 float64) float64 {
	const rad = math.Pi / 180
	a, b := math.Sin((lat2-lat1)*rad/2), math.Sin((lon2-lon1)*rad/2)
	return 2 * 6371000 * math.Asin(math.Sqrt(a*a+math.Cos(lat1*rad)*math.Cos(lat2*rad)*b*b))
}

const (
	minutes10 = 600
	minutes20 = 1200
)

// sail steps second by second and calls see after each.
func sail(t *testing.T, seconds int, see func(v *mock.Vessel, g gauge)) {
	t.Helper()
	v, g := mock.NewVessel(mock.Passage, 7, departure), gauge{}
	for n := range seconds {
		g.read(v.Step(departure.Add(time.Duration(n) * time.Second)))
		see(v, g)
	}
}

func TestVesselFirstSetIsComplete(t *testing.T) {
	t.Parallel()
	g := gauge{}
	g.read(mock.NewVessel(mock.Passage, 1, departure).Step(departure))
	for _, path := range []string{
		"", "design.draft", "design.length", "design.beam",
		"navigation.position", "navigation.speedOverGround", "navigation.courseOverGroundTrue",
		"navigation.headingMagnetic", "navigation.magneticVariation", "navigation.speedThroughWater",
		"navigation.attitude", "navigation.datetime", "navigation.log", "navigation.state",
		"environment.depth.belowTransducer", "environment.depth.transducerToKeel", "environment.depth.belowKeel",
		"environment.wind.speedApparent", "environment.wind.angleApparent",
		"environment.wind.speedTrue", "environment.wind.angleTrueWater",
		"environment.wind.speedOverGround", "environment.wind.directionTrue",
		"environment.outside.temperature", "environment.outside.pressure", "environment.outside.relativeHumidity",
		"environment.water.temperature",
		"electrical.batteries.house.voltage", "electrical.batteries.house.current",
		"electrical.batteries.house.capacity.stateOfCharge", "electrical.batteries.house.capacity.timeRemaining",
		"electrical.batteries.house.name", "electrical.batteries.start.voltage", "electrical.batteries.start.name",
		"tanks.fuel.0.currentLevel", "tanks.fuel.0.capacity", "tanks.freshWater.0.currentLevel", "tanks.freshWater.0.capacity",
		"propulsion.port.revolutions", "propulsion.port.coolantTemperature", "propulsion.port.oilPressure",
		"propulsion.port.runTime", "propulsion.port.state",
		"navigation.course.activeRoute", "navigation.course.nextPoint", "navigation.course.previousPoint",
		"navigation.course.arrivalCircle", "navigation.course.startTime", "navigation.course.targetArrivalTime",
		"navigation.course.calcValues.bearingTrue", "navigation.course.calcValues.distance",
		"navigation.course.calcValues.crossTrackError", "navigation.course.calcValues.velocityMadeGood",
		"navigation.course.calcValues.timeToGo", "navigation.course.calcValues.estimatedTimeOfArrival",
		"navigation.courseGreatCircle.nextPoint.value.type", "notifications.navigation.anchor",
	} {
		assert.Contains(t, g, path)
	}
	assert.NotContains(t, g, "environment.depth.surfaceToTransducer", "one sounder sends one offset")
	assert.NotContains(t, g, "electrical.batteries.start.current", "voltage only")
	root := g.object(t, "")
	assert.NotEmpty(t, root["name"])
	assert.Equal(t, mock.DefaultSelf, "vessels.urn:mrn:imo:mmsi:"+root["mmsi"].(string))
	assert.NotEmpty(t, root["communication"])
}

func TestVesselStep(t *testing.T) {
	t.Parallel()
	v, g := mock.NewVessel(mock.Passage, 1, departure), gauge{}
	assert.NotEmpty(t, v.Step(departure.Add(-time.Hour)), "before the start is the start")
	assert.Equal(t, departure, v.Truth().Time)
	assert.Nil(t, v.Step(departure.Add(999*time.Millisecond)))
	said := g.read(v.Step(departure.Add(1999 * time.Millisecond)))
	assert.Equal(t, departure.Add(time.Second), v.Truth().Time, "whole seconds")
	assert.True(t, said["navigation.position"])
	assert.False(t, said["electrical.batteries.house.name"], "a slow group")
	assert.Nil(t, v.Step(departure.Add(1500*time.Millisecond)), "time does not go back")
	said = g.read(v.Step(departure.Add(time.Minute)))
	assert.True(t, said["electrical.batteries.house.name"])
	assert.Equal(t, "2026-06-21T09:01:00.00000Z", g["navigation.datetime"])
	v.Step(departure.Add(1000 * time.Hour))
	assert.Equal(t, departure.Add(1000*time.Hour), v.Truth().Time, "a clock that leaps is followed")
}

func TestVesselSameBytes(t *testing.T) {
	t.Parallel()
	log := func(seed uint64) (text []byte, deltas int) {
		v := mock.NewVessel(mock.Passage, seed, departure)
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		for at := departure; deltas < 2000; at = at.Add(time.Second) {
			for _, d := range v.Step(at) {
				require.NoError(t, e.Encode(d))
				deltas++
			}
		}
		return b.Bytes(), deltas
	}
	one, n := log(42)
	two, _ := log(42)
	assert.GreaterOrEqual(t, n, 2000)
	assert.True(t, bytes.Equal(one, two), "the same seed")
	other, _ := log(43)
	assert.False(t, bytes.Equal(one, other), "another seed")
}

// Wind over the ground is apparent wind plus the boat's way over the ground,
// and wind over the water plus the current.
func TestVesselWindTriangle(t *testing.T) {
	t.Parallel()
	// Speeds are rounded to 0.01 m/s; 8 m/s × 0.0001 rad is less.
	const resolution = 0.02
	sail(t, minutes10, func(v *mock.Vessel, g gauge) {
		heading := g.num(t, "navigation.headingMagnetic") + g.num(t, "navigation.magneticVariation")
		// Wind directions say where it comes from: a vector of negative length.
		apparent := way(-g.num(t, "environment.wind.speedApparent"), heading+g.num(t, "environment.wind.angleApparent"))
		water := way(-g.num(t, "environment.wind.speedTrue"), heading+g.num(t, "environment.wind.angleTrueWater"))
		ground := way(-g.num(t, "environment.wind.speedOverGround"), g.num(t, "environment.wind.directionTrue"))
		boat := way(g.num(t, "navigation.speedOverGround"), g.num(t, "navigation.courseOverGroundTrue"))
		truth := v.Truth()
		current := way(truth.CurrentDrift, truth.CurrentSetTrue)

		off := apparent.add(boat).sub(ground)
		require.Less(t, math.Hypot(off.x, off.y), resolution)
		off = water.add(current).sub(ground)
		require.Less(t, math.Hypot(off.x, off.y), resolution)
		// The log measures the way ahead of boat minus current.
		through := boat.sub(current)
		ahead := through.x*math.Sin(heading) + through.y*math.Cos(heading)
		require.InDelta(t, ahead, g.num(t, "navigation.speedThroughWater"), resolution)
		// Wind from port: negative angle, heel and leeway to starboard.
		require.Negative(t, g.num(t, "environment.wind.angleApparent"))
		require.Positive(t, truth.Heel)
		require.Positive(t, truth.Leeway)
		require.Greater(t, truth.WindSpeedApparent, 3.0)
	})
}

func TestVesselDepth(t *testing.T) {
	t.Parallel()
	before := math.NaN()
	sail(t, minutes20, func(v *mock.Vessel, g gauge) {
		transducer, keel := g.num(t, "environment.depth.belowTransducer"), g.num(t, "environment.depth.belowKeel")
		offset := g.num(t, "environment.depth.transducerToKeel")
		// Draft 1.9 m and a transducer 0.6 m down: 1.3 m, negative on NMEA 2000.
		require.Equal(t, -1.3, offset)
		require.LessOrEqual(t, keel, transducer)
		require.InDelta(t, transducer+offset, keel, 0.001)
		require.InDelta(t, v.Truth().DepthBelowSurface-1.9, keel, 0.01)
		require.Greater(t, keel, 3.0, "a safe passage")
		if !math.IsNaN(before) {
			require.InDelta(t, before, transducer, 0.5, "a smooth sea bed")
		}
		before = transducer
	})
}

// What flows out of the house bank is what its charge loses: 300 Ah are
// 1,080,000 C.
func TestVesselCharge(t *testing.T) {
	t.Parallel()
	const capacity, coulombs = 1_080_000, 115.0 // state of charge to 0.0001 is 108 C, current to 0.005 A is 6 C
	var first, last, flown float64
	const bank = "electrical.batteries.house."
	sail(t, minutes20, func(v *mock.Vessel, g gauge) {
		last = g.num(t, bank+"capacity.stateOfCharge")
		if first == 0 {
			first = last
		}
		current := g.num(t, bank+"current")
		require.Negative(t, current, "discharging")
		require.InDelta(t, capacity, v.Truth().HouseCapacity, 0)
		// To a fifth of the capacity at this current.
		remaining := (last - 0.2) * capacity / -current
		require.InDelta(t, remaining, g.num(t, bank+"capacity.timeRemaining"), remaining*0.002)
		require.InDelta(t, 12.5, g.num(t, bank+"voltage"), 0.4)
		flown += current
	})
	assert.InDelta(t, flown, (last-first)*capacity, coulombs)
	assert.Less(t, flown, -4800.0, "a load of more than 4 A")
}

// The bank is charged again before it is empty.
func TestVesselBankLasts(t *testing.T) {
	t.Parallel()
	v := mock.NewVessel(mock.Passage, 3, departure)
	charged := false
	for at := departure; at.Before(departure.Add(14 * time.Hour)); at = at.Add(10 * time.Minute) {
		v.Step(at)
		truth := v.Truth()
		require.InDelta(t, 0.72, truth.HouseStateOfCharge, 0.24)
		charged = charged || truth.HouseCurrent > 0 && truth.HouseTimeRemaining == 0
	}
	assert.True(t, charged)
}

func TestVesselPositionFollowsSpeed(t *testing.T) {
	t.Parallel()
	var sum xy
	var lat0, lon0, lat, lon, log0, log, through float64
	var last xy
	var lastSTW float64
	sail(t, minutes20, func(_ *mock.Vessel, g gauge) {
		lat, lon = g.place(t, "navigation.position")
		log = g.num(t, "navigation.log")
		if lat0 == 0 {
			lat0, lon0, log0 = lat, lon, log
		} else {
			sum = sum.add(last)
			through += lastSTW
		}
		last = way(g.num(t, "navigation.speedOverGround"), g.num(t, "navigation.courseOverGroundTrue"))
		lastSTW = g.num(t, "navigation.speedThroughWater")
	})
	// Half of 0.01 m/s of rounding for 1200 s is 6 m, the log is in whole metres.
	const rounding = 7.0
	north := (lat - lat0) * math.Pi / 180 * 6371000
	east := (lon - lon0) * math.Pi / 180 * 6371000 * math.Cos((lat+lat0)/2*math.Pi/180)
	assert.InDelta(t, sum.y, north, rounding)
	assert.InDelta(t, sum.x, east, rounding)
	assert.InDelta(t, through, log-log0, rounding)
	assert.Greater(t, math.Hypot(sum.x, sum.y), 2470.0, "she makes more than 4 knots")
}

func TestVesselCourse(t *testing.T) {
	t.Parallel()
	const calc = "navigation.course.calcValues."
	sail(t, minutes10, func(v *mock.Vessel, g gauge) {
		lat, lon := g.place(t, "navigation.position")
		nextLat, nextLon := g.point(t, "navigation.course.nextPoint")
		distance := haversine(lat, lon, nextLat, nextLon)
		require.InDelta(t, distance, g.num(t, calc+"distance"), 0.05)

		bearing, cog, sog := g.num(t, calc+"bearingTrue"), g.num(t, "navigation.courseOverGroundTrue"), g.num(t, "navigation.speedOverGround")
		velocity := sog * math.Cos(bearing-cog)
		require.InDelta(t, velocity, g.num(t, calc+"velocityMadeGood"), 0.01)
		seconds := g.num(t, calc+"timeToGo")
		require.InDelta(t, g.num(t, calc+"distance")/g.num(t, calc+"velocityMadeGood"), seconds, 0.1)
		eta, err := time.Parse(time.RFC3339, g[calc+"estimatedTimeOfArrival"].(string))
		require.NoError(t, err)
		require.InDelta(t, seconds, eta.Sub(v.Truth().Time).Seconds(), 0.01)
		// The server's provider adds the variation instead of taking it off.
		require.InDelta(t, bearing+g.num(t, "navigation.magneticVariation"), g.num(t, calc+"bearingMagnetic"), 1e-5)

		lastLat, lastLon := g.point(t, "navigation.course.previousPoint")
		require.InDelta(t, haversine(lat, lon, lastLat, lastLon), g.num(t, calc+"previousPoint.distance"), 0.05)
		truth := v.Truth()
		require.InDelta(t, truth.CrossTrackError, g.num(t, calc+"crossTrackError"), 0.001)
		require.Less(t, math.Abs(truth.CrossTrackError), 60.0)
	})
}

func TestVesselRouteResource(t *testing.T) {
	t.Parallel()
	g := gauge{}
	g.read(mock.NewVessel(mock.Passage, 1, departure).Step(departure))
	active := g.object(t, "navigation.course.activeRoute")
	id := strings.TrimPrefix(active["href"].(string), "/resources/routes/")
	text, err := json.Marshal(g["resources.routes."+id])
	require.NoError(t, err)
	var route struct {
		Name     string
		Distance float64
		Feature  struct {
			Geometry   struct{ Coordinates [][2]float64 }
			Properties struct{ CoordinatesMeta []struct{ Name string } }
		}
	}
	require.NoError(t, json.Unmarshal(text, &route))
	assert.Equal(t, active["name"], route.Name)
	assert.Equal(t, 4.0, active["pointTotal"])
	points := route.Feature.Geometry.Coordinates
	require.Len(t, points, 4)
	total := 0.0
	for i, p := range points {
		assert.InDelta(t, 25, p[0], 1, "longitude first")
		assert.InDelta(t, 60, p[1], 1)
		assert.NotEmpty(t, route.Feature.Properties.CoordinatesMeta[i].Name)
		if i > 0 {
			total += haversine(points[i-1][1], points[i-1][0], p[1], p[0])
		}
	}
	assert.InDelta(t, total, route.Distance, 1)
	assert.InDelta(t, 0.0, g.num(t, "navigation.course.calcValues.route.distance")-
		g.num(t, "navigation.course.calcValues.distance")-
		haversine(points[1][1], points[1][0], points[2][1], points[2][0])-
		haversine(points[2][1], points[2][0], points[3][1], points[3][0]), 0.01)
}

func TestVesselPassage(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		v, g := mock.NewVessel(mock.Passage, seed, departure), gauge{}
		leg, at := 1, departure
		for ; !v.Truth().Moored; at = at.Add(time.Minute) {
			g.read(v.Step(at))
			truth := v.Truth()
			require.Greater(t, truth.DepthBelowKeel, 5.0, "seed %d", seed)
			require.Greater(t, truth.HouseVoltage, 12.1, "seed %d", seed)
			require.Less(t, math.Abs(truth.CrossTrackError), 250.0, "seed %d at %v", seed, at)
			if truth.PointIndex != leg {
				require.Equal(t, leg+1, truth.PointIndex, "one point after the other")
				leg = truth.PointIndex
				require.Equal(t, float64(leg), g.object(t, "navigation.course.activeRoute")["pointIndex"])
			}
			require.Less(t, at.Sub(departure), 6*time.Hour, "seed %d", seed)
		}
		assert.Equal(t, 3, leg)
		assert.Greater(t, at.Sub(departure), 2*time.Hour, "19 miles")
		end := v.Truth().Position

		// She lies there, and says nothing that needs way over the ground.
		g.read(v.Step(at.Add(5 * time.Hour)))
		truth := v.Truth()
		assert.Equal(t, end, truth.Position)
		assert.Equal(t, "Harmaja", truth.NextPoint)
		assert.Less(t, truth.DistanceToNext, 150.0)
		assert.Equal(t, 0.0, g["navigation.speedOverGround"])
		assert.Equal(t, "moored", g["navigation.state"])
		assert.Nil(t, g["navigation.courseOverGroundTrue"])
		assert.Nil(t, g["navigation.course.calcValues.timeToGo"])
		assert.Nil(t, g["navigation.course.calcValues.estimatedTimeOfArrival"])
		assert.Less(t, g.num(t, "navigation.speedThroughWater"), 0.3, "the current goes by")
		assert.InDelta(t, 0, math.Remainder(truth.HeadingTrue-truth.WindDirectionTrue, 2*math.Pi), 0.2, "head to wind")
	}
}

func TestVesselTraffic(t *testing.T) {
	t.Parallel()
	v := mock.NewVessel(mock.Passage, 5, departure)
	type report struct {
		at       time.Time
		lat, lon float64
	}
	reports, names, classes := map[string][]report{}, map[string]string{}, map[string]string{}
	speeds, courses := map[string]float64{}, map[string]float64{}
	for n := range minutes10 {
		at := departure.Add(time.Duration(n) * time.Second)
		for _, d := range v.Step(at) {
			if d.Context == "" {
				continue
			}
			for _, x := range d.Updates[0].Values {
				switch x.Path {
				case "":
					if m, ok := x.Value.(map[string]string); ok && m["name"] != "" {
						names[d.Context] = m["name"]
					}
				case "sensors.ais.class":
					classes[d.Context] = x.Value.(string)
				case "navigation.position":
					p := x.Value.(mock.Position)
					reports[d.Context] = append(reports[d.Context], report{at, p.Latitude, p.Longitude})
				case "navigation.speedOverGround":
					speeds[d.Context] = x.Value.(float64)
				case "navigation.courseOverGroundTrue":
					courses[d.Context] = x.Value.(float64)
				}
			}
		}
	}
	require.Len(t, names, 3)
	require.Len(t, v.Truth().Ships, 3)
	for _, ship := range v.Truth().Ships {
		context := "vessels.urn:mrn:imo:mmsi:" + ship.MMSI
		assert.Equal(t, ship.Name, names[context])
		assert.Equal(t, ship.Class, classes[context])
		seen := reports[context]
		every := 6
		if ship.Class == "B" {
			every = 30
			assert.Less(t, ship.SpeedOverGround, 2.0, "slow")
		}
		require.Len(t, seen, minutes10/every)
		first, last := seen[0], seen[len(seen)-1]
		seconds := last.at.Sub(first.at).Seconds()
		made := haversine(first.lat, first.lon, last.lat, last.lon)
		assert.InDelta(t, speeds[context]*seconds, made, 0.01*seconds+5)
		north := (last.lat - first.lat) * math.Pi / 180 * 6371000
		assert.InDelta(t, math.Cos(courses[context]), north/made, 0.01, "straight on")
	}
}
