package mock_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

// everyScenario steps through ten minutes of each, second by second.
func everyScenario(t *testing.T, see func(t *testing.T, s mock.Scenario, v *mock.Vessel, g gauge)) {
	t.Helper()
	for _, s := range mock.Scenarios() {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(3) {
				v, g := mock.NewVessel(s, seed, departure), gauge{}
				for n := range minutes10 {
					g.read(v.Step(departure.Add(time.Duration(n) * time.Second)))
					see(t, s, v, g)
				}
			}
		})
	}
}

// number is what an instrument said last; ok is false for null and for what was
// never said.
func (g gauge) number(path string) (x float64, ok bool) {
	x, ok = g[path].(float64)
	return x, ok
}

// Wind over the ground is apparent wind and the boat's way over the ground
// together, and wind over the water and current, in every scenario. The log is
// the way ahead of boat minus current.
func TestScenarioWindTriangle(t *testing.T) {
	t.Parallel()
	const micron = 1e-6
	everyScenario(t, func(t *testing.T, _ mock.Scenario, v *mock.Vessel, _ gauge) {
		x := v.Truth()
		apparent := way(-x.WindSpeedApparent, x.HeadingTrue+x.WindAngleApparent)
		water := way(-x.WindSpeedTrue, x.HeadingTrue+x.WindAngleTrueWater)
		ground := way(-x.WindSpeedOverGround, x.WindDirectionTrue)
		boat := way(x.SpeedOverGround, x.CourseOverGroundTrue)
		current := way(x.CurrentDrift, x.CurrentSetTrue)
		off := apparent.add(boat).sub(ground)
		require.Less(t, math.Hypot(off.x, off.y), micron)
		off = water.add(current).sub(ground)
		require.Less(t, math.Hypot(off.x, off.y), micron)
		through := boat.sub(current)
		ahead := through.x*math.Sin(x.HeadingTrue) + through.y*math.Cos(x.HeadingTrue)
		require.InDelta(t, max(0, ahead), x.SpeedThroughWater, micron)
	})
}

// The keel is nearer the bottom than the transducer, and that than the surface:
// by the draft of 1.9 m and the transducer 0.6 m down.
func TestScenarioDepths(t *testing.T) {
	t.Parallel()
	everyScenario(t, func(t *testing.T, s mock.Scenario, v *mock.Vessel, g gauge) {
		x := v.Truth()
		require.InDelta(t, 1.9, x.DepthBelowSurface-x.DepthBelowKeel, 1e-9)
		require.InDelta(t, 0.6, x.DepthBelowSurface-x.DepthBelowTransducer, 1e-9)
		require.Positive(t, x.DepthBelowKeel, "afloat")
		transducer, sounds := g.number("environment.depth.belowTransducer")
		if s == mock.NeverFitted {
			require.NotContains(t, g, "environment.depth.belowTransducer")
			return
		}
		if sounds && s != mock.FlatBattery { // there it is silent in the end
			keel := g.num(t, "environment.depth.belowKeel")
			require.InDelta(t, x.DepthBelowTransducer, transducer, 0.006)
			require.InDelta(t, x.DepthBelowKeel, keel, 0.011)
			require.LessOrEqual(t, keel, transducer)
			if surface, has := g.number("environment.depth.belowSurface"); has {
				require.LessOrEqual(t, transducer, surface)
				require.InDelta(t, x.DepthBelowSurface, surface, 0.011)
			}
		}
		if !sounds {
			require.Equal(t, mock.LostBottom, s)
			require.Greater(t, x.DepthBelowTransducer, 149.9)
		}
	})
}

// What flows into the house bank is what its charge gains, and the time that is
// left is charge by current.
func TestScenarioCharge(t *testing.T) {
	t.Parallel()
	for _, s := range mock.Scenarios() {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			v := mock.NewVessel(s, 4, departure)
			v.Step(departure)
			begin, flown := v.Truth(), 0.0
			const millicoulomb = 1e-3
			for n := 1; n <= minutes10; n++ {
				x := v.Truth()
				flown += x.HouseCurrent
				if x.HouseCurrent < 0 {
					left := max(0, (x.HouseStateOfCharge-0.2)*x.HouseCapacity/-x.HouseCurrent)
					require.InDelta(t, left, x.HouseTimeRemaining, 1e-3)
				} else {
					require.Zero(t, x.HouseTimeRemaining)
				}
				v.Step(departure.Add(time.Duration(n) * time.Second))
			}
			end := v.Truth()
			assert.InDelta(t, flown, (end.HouseStateOfCharge-begin.HouseStateOfCharge)*begin.HouseCapacity, millicoulomb)
		})
	}
}

// Position is the sum of the ways over the ground, and the log that of the ways
// through the water.
func TestScenarioPosition(t *testing.T) {
	t.Parallel()
	for _, s := range mock.Scenarios() {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			v := mock.NewVessel(s, 2, departure)
			v.Step(departure)
			begin := v.Truth()
			var sum xy
			through := 0.0
			for n := 1; n <= minutes10; n++ {
				x := v.Truth()
				sum = sum.add(way(x.SpeedOverGround, x.CourseOverGroundTrue))
				through += x.SpeedThroughWater
				v.Step(departure.Add(time.Duration(n) * time.Second))
			}
			end := v.Truth()
			const metre = 6371000 * math.Pi / 180
			north := (end.Position.Latitude - begin.Position.Latitude) * metre
			east := (end.Position.Longitude - begin.Position.Longitude) * metre * math.Cos((end.Position.Latitude+begin.Position.Latitude)/2*math.Pi/180)
			assert.InDelta(t, sum.y, north, 0.01)
			assert.InDelta(t, sum.x, east, 0.2, "meridians draw nearer")
			assert.InDelta(t, through, end.Log-begin.Log, 0.001)
		})
	}
}

// The fuel that is gone is what was burnt; the oil has pressure while the engine
// turns; fresh water only gets less.
func TestScenarioEngine(t *testing.T) {
	t.Parallel()
	everyScenario(t, func(t *testing.T, _ mock.Scenario, v *mock.Vessel, _ gauge) {
		x := v.Truth()
		require.Equal(t, x.EngineRevolutions > 0, x.EngineOilPressure > 0)
		require.InDelta(t, 340, x.EngineCoolantTemperature, 60)
	})
	for s, check := range map[mock.Scenario]func(begin, end mock.Truth){
		mock.Passage: func(begin, end mock.Truth) {
			assert.Equal(t, begin.FuelLevel, end.FuelLevel)
			assert.Equal(t, begin.EngineRunTime, end.EngineRunTime)
			assert.Less(t, end.EngineCoolantTemperature, begin.EngineCoolantTemperature, "it cools down")
			assert.Less(t, end.FreshWaterLevel, begin.FreshWaterLevel)
		},
		mock.NightWatch: func(begin, end mock.Truth) {
			// 1800 rpm are 30 of 55 revolutions: 0.5 + 8.5 × (30/55)³ = 1.879 l/h.
			litres := 1.8794 / 6
			assert.InDelta(t, litres/1000, (begin.FuelLevel-end.FuelLevel)*begin.FuelCapacity, 1e-6)
			assert.InDelta(t, 600, end.EngineRunTime-begin.EngineRunTime, 1)
			assert.InDelta(t, 355, end.EngineCoolantTemperature, 3, "the thermostat holds it")
			assert.Greater(t, end.HouseStateOfCharge, begin.HouseStateOfCharge, "the alternator charges")
		},
		mock.Overheating: func(begin, end mock.Truth) {
			assert.Greater(t, end.EngineCoolantTemperature, 371.0, "the alarm")
			assert.Less(t, end.EngineCoolantTemperature, 400.0)
			assert.Zero(t, end.EngineRevolutions, "stopped")
		},
		mock.FlatBattery: func(begin, end mock.Truth) {
			assert.Less(t, end.HouseVoltage, 10.6)
			assert.Zero(t, end.HouseTimeRemaining)
		},
		mock.AtDock: func(begin, end mock.Truth) {
			assert.Greater(t, end.HouseStateOfCharge, begin.HouseStateOfCharge)
			assert.Equal(t, begin.Position, end.Position)
		},
	} {
		v := mock.NewVessel(s, 1, departure)
		v.Step(departure)
		begin := v.Truth()
		v.Step(departure.Add(10 * time.Minute))
		check(begin, v.Truth())
	}
}

// A boat at anchor lies on the circle of her chain, and drags out of that of her
// watch, who says so.
func TestScenarioAnchor(t *testing.T) {
	t.Parallel()
	v, g := mock.NewVessel(mock.AtAnchor, 1, departure), gauge{}
	least, most, alarmed := math.Inf(1), 0.0, 0
	for n := range minutes10 {
		g.read(v.Step(departure.Add(time.Duration(n) * time.Second)))
		x := v.Truth()
		if n < 240 {
			require.InDelta(t, 28, x.AnchorRadius, 0.1)
			down := math.Remainder(x.WindDirectionTrue+math.Pi-bearing(x.AnchorPosition, x.Position), 2*math.Pi)
			least, most = min(least, down), max(most, down)
		}
		state := g.object(t, "notifications.navigation.anchor")["state"]
		require.Equal(t, x.AnchorRadius > 40, state == "emergency", "at %d s", n)
		if state == "emergency" {
			alarmed++
		}
		require.InDelta(t, x.AnchorRadius, g.num(t, "navigation.anchor.currentRadius"), 0.06)
	}
	assert.Less(t, least, -0.3, "she swings to one side")
	assert.Greater(t, most, 0.3, "and to the other")
	assert.Greater(t, alarmed, 240)
}

func bearing(from, to mock.Position) float64 {
	return math.Atan2((to.Longitude-from.Longitude)*math.Cos(from.Latitude*math.Pi/180), to.Latitude-from.Latitude)
}

// Tack by tack: the wind comes from one bow and then from the other, and the mark
// gets nearer all the time.
func TestScenarioBeating(t *testing.T) {
	t.Parallel()
	v := mock.NewVessel(mock.Beating, 1, departure)
	tacks, bow := 0, 0.0
	v.Step(departure)
	begin := v.Truth()
	for n := 1; n < minutes10; n++ {
		v.Step(departure.Add(time.Duration(n) * time.Second))
		x := v.Truth()
		if s := math.Copysign(1, x.WindAngleTrueWater); math.Abs(x.WindAngleTrueWater) > 0.5 && s != bow {
			bow = s
			tacks++
		}
		require.Less(t, math.Abs(x.WindAngleTrueWater), 1.1)
	}
	assert.Equal(t, 4, tacks)
	for seed := range uint64(6) {
		v := mock.NewVessel(mock.Beating, seed, departure)
		v.Step(departure.Add(time.Hour))
		assert.True(t, v.Truth().Moored, "seed %d arrives", seed)
	}
	made := begin.DistanceToNext - v.Truth().DistanceToNext
	assert.Greater(t, made, 0.5*minutes10*begin.SpeedOverGround)
}

// Back to the place where somebody fell, and stop there.
func TestScenarioManOverboard(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		v, g := mock.NewVessel(mock.ManOverboard, seed, departure), gauge{}
		nearest := math.Inf(1)
		for n := range minutes10 {
			g.read(v.Step(departure.Add(time.Duration(n) * time.Second)))
			switch x := v.Truth(); {
			case n == 119:
				require.NotContains(t, g, "notifications.mob")
			case n == 120:
				require.Equal(t, "emergency", g.object(t, "notifications.mob")["state"])
				require.Equal(t, "MOB", x.NextPoint)
				require.Nil(t, g["navigation.course.activeRoute"])
			case n > 120 && n < 540:
				nearest = min(nearest, x.DistanceToNext)
			}
		}
		assert.Less(t, nearest, 10.0, "seed %d", seed)
		assert.Equal(t, "normal", g.object(t, "notifications.mob")["state"])
	}
}

// Ships pass as close as their tracks say. At t0 a ship is off by D and moves by V
// relative to own boat: closest after -D·V/V², at |D×V|/|V|. And they really do.
func TestScenarioTraffic(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		v := mock.NewVessel(mock.NightWatch, seed, departure)
		type pass struct{ cpa, tcpa, nearest, when float64 }
		passes := map[string]*pass{}
		for n := range minutes20 {
			v.Step(departure.Add(time.Duration(n) * time.Second))
			x := v.Truth()
			for _, s := range x.Ships {
				const metre = 6371000 * math.Pi / 180
				d := xy{
					(s.Position.Longitude - x.Position.Longitude) * metre * math.Cos(x.Position.Latitude*math.Pi/180),
					(s.Position.Latitude - x.Position.Latitude) * metre,
				}
				if n == 0 {
					m := way(s.SpeedOverGround, s.CourseOverGroundTrue).sub(way(x.SpeedOverGround, x.CourseOverGroundTrue))
					speed := math.Hypot(m.x, m.y)
					passes[s.Name] = &pass{math.Abs(d.x*m.y-d.y*m.x) / speed, -(d.x*m.x + d.y*m.y) / (speed * speed), math.Inf(1), 0}
				}
				if p, off := passes[s.Name], math.Hypot(d.x, d.y); off < p.nearest {
					p.nearest, p.when = off, float64(n)
				}
			}
		}
		// What the scenario's table says: metres and seconds.
		for name, want := range map[string][2]float64{"ALDEBARAN": {250, 360}, "RIGEL STAR": {1480, 540}, "VEGA": {900, -120}, "LOKKI": {60, 780}} {
			p := passes[name]
			assert.InDelta(t, want[0], p.cpa, 0.005*want[0]+5, "%s CPA by her track", name)
			assert.InDelta(t, want[1], p.tcpa, 3, "%s TCPA", name)
			if want[1] > 0 {
				assert.InDelta(t, p.cpa, p.nearest, 0.005*p.cpa+8, "%s as she passed", name)
				assert.InDelta(t, p.tcpa, p.when, 8, "%s when she passed", name)
			}
		}
	}
}

func TestScenarioBigBoat(t *testing.T) {
	t.Parallel()
	g := gauge{}
	g.read(mock.NewVessel(mock.BigBoat, 1, departure).Step(departure))
	assert.Greater(t, len(g), 1500)
	assert.Less(t, len(g), 2000)
	for path := range g {
		assert.NotContains(t, path, "%", "a path of a device")
	}
}

func TestScenarioSmallBoat(t *testing.T) {
	t.Parallel()
	g := gauge{}
	v := mock.NewVessel(mock.NeverFitted, 1, departure)
	for n := range 60 {
		g.read(v.Step(departure.Add(time.Duration(n) * time.Second)))
	}
	var paths []string
	for p := range g {
		if p != "" && !strings.HasPrefix(p, "design.") {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	assert.Equal(t, []string{
		"electrical.batteries.0.voltage", "navigation.courseOverGroundTrue", "navigation.datetime",
		"navigation.position", "navigation.speedOverGround",
	}, paths)
}

func TestScenarioNames(t *testing.T) {
	t.Parallel()
	require.NoError(t, mock.CheckLog())
	assert.Len(t, mock.Scenarios(), 12)
	for _, s := range mock.Scenarios() {
		assert.NotEmpty(t, s.About())
		assert.NotEmpty(t, s.Log())
		assert.True(t, strings.HasPrefix(s.Log()[0], "0:00  "), s.Log()[0])
	}
	assert.Empty(t, mock.Scenario("nowhere").About())
	assert.Empty(t, mock.Scenario("nowhere").Log())
	_, err := mock.NewSimulation(mock.Options{Scenario: "nowhere"})
	assert.ErrorContains(t, err, `"nowhere" is none of passage, anchor, beating`)
	assert.Panics(t, func() { mock.NewVessel("nowhere", 0, departure) })
}

// golden are the hashes of the first ten thousand frames of a plain passage, and
// of as many on days when much happens. They are the same on every machine, and
// in every release that does not mean to change the vessel.
var golden = [2]string{
	"f2782d2dd7c0b3ece8d632eb0d2595e4270db52a019622840075e4d242f26771",
	"bd6767840d08988bef1aca265d2e07e23cb8f5b280edb4e495ec7c9afee8ea19",
}

// frames of a Simulation go into a hash, until there are enough or time is up.
func frames(t *testing.T, o mock.Options, h io.Writer, until time.Duration, enough int) (n int) {
	t.Helper()
	x, err := mock.NewSimulation(o)
	require.NoError(t, err)
	for events := x.Open(); x.Time().Before(o.Start.Add(until)); events = x.Step(time.Second) {
		for _, e := range events {
			if e.Kind == mock.EventFrame && n < enough {
				fmt.Fprintf(h, "%s\n", e.Text)
				n++
			}
		}
	}
	return n
}

// The same options give the same bytes, hello and ids included.
func TestSimulationSameBytes(t *testing.T) {
	t.Parallel()
	const enough = 10_000
	hashes := func(seed uint64) [2]string {
		plain, busy := sha256.New(), sha256.New()
		require.Equal(t, enough, frames(t, mock.Options{Seed: seed, Start: departure}, plain, 10*time.Minute, enough))
		for n, i := 0, 0; n < enough; i++ {
			n += frames(t, mock.Options{
				Scenario: mock.Scenarios()[i%len(mock.Scenarios())], Seed: seed, Start: departure,
				Faults: []mock.Fault{
					{Kind: mock.FaultNotifications, After: 5 * time.Second}, {Kind: mock.FaultRestart, After: 12 * time.Second},
					{Kind: mock.FaultDisagree, After: 16 * time.Second},
				},
			}, busy, 20*time.Second, enough-n)
		}
		return [2]string{hex.EncodeToString(plain.Sum(nil)), hex.EncodeToString(busy.Sum(nil))}
	}
	assert.Equal(t, golden, hashes(1))
	other := hashes(2)
	assert.NotEqual(t, golden[0], other[0])
	assert.NotEqual(t, golden[1], other[1])
}

// A Simulation says what a Vessel does, and a real server's hello.
func TestSimulation(t *testing.T) {
	t.Parallel()
	x, err := mock.NewSimulation(mock.Options{Start: departure, Seed: 1})
	require.NoError(t, err)
	events := x.Open()
	require.Equal(t, mock.EventOpened, events[0].Kind)
	assert.Contains(t, string(events[1].Text), `"serverStartId"`)
	assert.True(t, slices.ContainsFunc(events, func(e mock.Event) bool { return bytes.Contains(e.Text, []byte(`"navigation.position"`)) }))
	assert.Empty(t, x.Step(0))
	assert.Empty(t, x.Step(999*time.Millisecond))
	assert.NotEmpty(t, x.Step(time.Second))
	assert.Equal(t, departure.Add(time.Second), x.Time())
	assert.Equal(t, departure.Add(time.Second), x.Server().Truth().Time)
	require.NoError(t, x.Server().Raise("navigation.gnss", "warn", "Poor fix"))
	said, _ := json.Marshal(string(x.Step(time.Second)[0].Text))
	assert.Contains(t, string(said), "Poor fix")
	x.Server().Drop()
	events = x.Step(time.Second)
	assert.Equal(t, mock.EventLost, events[0].Kind)
	assert.Equal(t, mock.EventOpened, events[1].Kind, "it comes back at once")
}
