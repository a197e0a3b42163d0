package main

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"signalk-mcp/mock"
	"signalk-mcp/tools"
)

// check asks the tools, and every other time half of the sensors.
func (c *cell) check(turn int) {
	c.checkDepth()
	c.checkBattery()
	c.checkAlarms()
	c.checkRoute()
	c.checkTime()
	c.checkPaths()
	for i, s := range sensors {
		if (i+turn)%2 == 0 {
			c.checkSensor(s)
		}
	}
	c.checkPosition()
}

// sensor is a path, the truth about it in SI, and the unit it is told in.
type sensor struct {
	path  string
	truth func(mock.Truth) float64
}

var sensors = []sensor{
	{"environment.depth.belowTransducer", func(t mock.Truth) float64 { return t.DepthBelowTransducer }},
	{"environment.depth.belowKeel", func(t mock.Truth) float64 { return t.DepthBelowKeel }},
	{"environment.depth.belowSurface", func(t mock.Truth) float64 { return t.DepthBelowSurface }},
	{"environment.wind.speedApparent", func(t mock.Truth) float64 { return t.WindSpeedApparent }},
	{"environment.wind.angleApparent", func(t mock.Truth) float64 { return t.WindAngleApparent }},
	{"environment.wind.directionTrue", func(t mock.Truth) float64 { return t.WindDirectionTrue }},
	{"environment.outside.pressure", func(t mock.Truth) float64 { return t.OutsidePressure }},
	{"environment.water.temperature", func(t mock.Truth) float64 { return t.WaterTemperature }},
	{"navigation.speedOverGround", func(t mock.Truth) float64 { return t.SpeedOverGround }},
	{"navigation.speedThroughWater", func(t mock.Truth) float64 { return t.SpeedThroughWater }},
	{"navigation.courseOverGroundTrue", func(t mock.Truth) float64 { return t.CourseOverGroundTrue }},
	{"navigation.headingMagnetic", func(t mock.Truth) float64 { return t.HeadingMagnetic }},
	{"electrical.batteries.house.voltage", func(t mock.Truth) float64 { return t.HouseVoltage }},
	{"electrical.batteries.house.current", func(t mock.Truth) float64 { return t.HouseCurrent }},
	{"propulsion.port.coolantTemperature", func(t mock.Truth) float64 { return t.EngineCoolantTemperature }},
	{"propulsion.port.revolutions", func(t mock.Truth) float64 { return t.EngineRevolutions }},
	{"propulsion.port.oilPressure", func(t mock.Truth) float64 { return t.EngineOilPressure }},
	{"tanks.fuel.0.currentLevel", func(t mock.Truth) float64 { return t.FuelLevel }},
	{"tanks.freshWater.0.currentLevel", func(t mock.Truth) float64 { return t.FreshWaterLevel }},
}

// inSI turns a value back by the words of its unit; tolerance is what rounding
// and the instrument's own may take.
func inSI(x float64, unit string) (si, tolerance float64, ok bool) {
	switch unit {
	case "metres", "metre":
		return x, 0.06 + math.Abs(x)*0.02, true // whole metres where it is deep
	case "knots", "knot":
		return x * 1852 / 3600, 0.035, true
	case "degrees Celsius", "degree Celsius":
		return x + 273.15, 0.11, true
	case "hectopascals":
		return x * 100, 6, true
	case "bar":
		return x * 1e5, 5100, true
	case "percent":
		return x / 100, 0.0051, true
	case "volts", "volt":
		return x, 0.056, true
	case "amps", "amp":
		return x, 0.056, true
	case "revolutions per minute":
		return x / 60, 0.6 / 60, true
	}
	if strings.HasPrefix(unit, "degree") {
		return x * math.Pi / 180, 0.51*math.Pi/180 + 0.0001, true
	}
	return 0, 0, false
}

// near compares, directions round the circle.
func nearly(path string, a, b, tolerance float64) bool {
	d := math.Abs(a - b)
	for _, angle := range []string{"heading", "course", "angle", "direction", "bearing"} {
		if strings.Contains(strings.ToLower(path), angle) {
			d = math.Abs(math.Remainder(a-b, 2*math.Pi))
		}
	}
	return d <= tolerance
}

// bent are faults that make instruments say what is not the truth: there the
// checker asks for what they said.
func (c *cell) bent(path string) bool {
	switch c.kind {
	case mock.FaultFrozen, mock.FaultDisagree:
		return strings.HasPrefix(path, "environment.depth.") || slices.Contains([]string{
			"navigation.speedOverGround", "navigation.headingMagnetic", "electrical.batteries.house.current"}, path)
	case mock.FaultKeelSign:
		return path == "environment.depth.belowKeel" || path == "environment.depth.belowSurface"
	}
	return false
}

func (c *cell) checkSensor(s sensor) {
	a, live := c.ask("read_sensor", fmt.Sprintf(`{"path":%q}`, s.path))
	tool := "read_sensor " + s.path
	x, has := dig(a.content, "value").(float64)
	numbers := c.liveNumbers(s.path)
	switch {
	case live && !c.up:
	case live && len(numbers) == 0:
		c.bad(tool, "stale as live", a, "told as live, and nothing was heard for %v", limitOf(s.path))
	case !live && has:
		c.bad(tool, "value", a, "a value in an answer that is not live")
	case !live && c.mustLive(s.path):
		c.bad(tool, "live as stale", a, "it was heard within %v", newsIsFresh)
	case live && has:
		c.checkNumber(tool, s.path, a, x, plain(dig(a.content, "unit")), s.truth)
	}
	if c.heard[s.path] == nil && c.up && dig(a.content, "status") != tools.NotFitted {
		c.bad(tool, "not fitted", a, "it was never heard")
	}
}

// checkNumber compares a live number with the truth, or where the instruments are
// bent with what they said; sources that disagree need a warning.
func (c *cell) checkNumber(tool, path string, a answer, x float64, unit string, truth func(mock.Truth) float64) {
	si, tolerance, known := inSI(x, unit)
	if !known {
		c.bad(tool, "unit", a, "what is %q", unit)
		return
	}
	ok := c.true(path, func(t mock.Truth) bool { return nearly(path, si, truth(t), tolerance) })
	if !ok && c.bent(path) {
		ok = slices.ContainsFunc(c.liveNumbers(path), func(said float64) bool { return nearly(path, si, said, tolerance) })
	}
	if !ok {
		c.bad(tool, "wrong", a, "the truth is %.4f, and it says %.4f", truth(c.truths[len(c.truths)-1]), si)
	}
	if told := c.apart(path); told && dig(a.content, "warning") == nil {
		c.bad(tool, "no warning", a, "two sources disagree: %v", c.young(path, newsIsFresh))
	}
}

// apart reports whether two sources of a path speak now, and say quite different things.
func (c *cell) apart(path string) bool {
	var all []float64
	for _, v := range c.young(path, newsIsFresh) {
		if x, is := v.(float64); is {
			all = append(all, x)
		}
	}
	return len(all) > 1 && !nearly(path, slices.Min(all), slices.Max(all), 0.6+0.15*math.Abs(slices.Max(all)))
}

func (c *cell) checkPosition() {
	const path = "navigation.position"
	a, live := c.ask("read_sensor", `{"path":"navigation.position"}`)
	lat, has := dig(a.content, "value.latitude").(float64)
	lon, _ := dig(a.content, "value.longitude").(float64)
	if !live || !has {
		if c.up && c.calm() && len(c.young(path, newsIsFresh)) > 0 {
			c.bad("read_sensor "+path, "live as stale", a, "it was heard within %v", newsIsFresh)
		}
		return
	}
	if len(c.young(path, limitOf(path)+matrixStep)) == 0 {
		c.bad("read_sensor "+path, "stale as live", a, "nothing was heard")
	}
	if !c.true(path, func(t mock.Truth) bool {
		return math.Abs(t.Position.Latitude-lat) < 1.1e-5 && math.Abs(t.Position.Longitude-lon) < 1.1e-5
	}) {
		c.bad("read_sensor "+path, "wrong", a, "the truth is %v", c.truths[len(c.truths)-1].Position)
	}
}

const depth = "environment.depth."

func (c *cell) checkDepth() {
	const tool = "depth_state"
	a, live := c.ask(tool, `{}`)
	keel, hasKeel := dig(a.content, "below_keel_m").(float64)
	transducer, hasTransducer := dig(a.content, "below_transducer_m").(float64)
	surface, hasSurface := dig(a.content, "below_surface_m").(float64)
	heard := 0
	for _, reference := range []string{"belowTransducer", "belowKeel", "belowSurface"} {
		heard += len(c.liveNumbers(depth + reference))
	}
	switch {
	case !live && (hasKeel || hasTransducer || hasSurface):
		c.bad(tool, "value", a, "a depth in an answer that is not live")
	case !live && c.mustLive(depth+"belowTransducer"):
		c.bad(tool, "live as stale", a, "it was heard within %v", newsIsFresh)
	case !live:
		return
	case heard == 0:
		c.bad(tool, "stale as live", a, "no depth was heard for half a minute")
	}
	if c.lostBottom() {
		c.bad(tool, "null as live", a, "the sounder has lost the bottom")
	}
	tolerance := func(x float64) float64 { return 0.06 + 0.02*math.Abs(x) }
	frozen := c.kind == mock.FaultFrozen && !c.now().Before(matrixStart.Add(faultFrom))
	if hasKeel && !frozen {
		// Never more water than there is; less only where sounders contradict each other.
		less := c.bent(depth + "belowKeel")
		if !c.true(depth+"belowKeel", func(t mock.Truth) bool {
			return keel <= t.DepthBelowKeel+tolerance(keel) && (less || keel >= t.DepthBelowKeel-tolerance(keel))
		}) {
			c.bad(tool, "wrong", a, "the truth is %.2f below the keel", c.truths[len(c.truths)-1].DepthBelowKeel)
		}
	}
	if known := c.kind == mock.FaultKeelSign || c.calm(); known && !hasKeel && len(c.liveNumbers(depth+"belowTransducer")) > 0 {
		c.bad(tool, "no clearance", a, "transducer and keel offset are known")
	}
	if hasKeel && c.kind == mock.FaultNoOffset {
		c.bad(tool, "offset", a, "nobody can know the clearance")
	}
	for _, x := range []struct {
		name  string
		told  float64
		has   bool
		truth func(mock.Truth) float64
	}{
		{"belowTransducer", transducer, hasTransducer, sensors[0].truth}, {"belowSurface", surface, hasSurface, sensors[2].truth},
	} {
		isTrue := func(t mock.Truth) bool { return math.Abs(x.told-x.truth(t)) <= tolerance(x.told) }
		if x.has && !c.bent(depth+x.name) && !c.true(depth+x.name, isTrue) {
			c.bad(tool, x.name, a, "the truth is %.2f", x.truth(c.truths[len(c.truths)-1]))
		}
	}
	contradicts := c.apart(depth+"belowTransducer") || c.kind == mock.FaultKeelSign && len(c.young(depth+"belowKeel", newsIsFresh)) > 0
	if contradicts && dig(a.content, "warning") == nil {
		c.bad(tool, "no warning", a, "the depths contradict each other")
	}
}

// lostBottom reports whether every sounder that speaks says null.
func (c *cell) lostBottom() bool {
	last := c.young(depth+"belowTransducer", limitOf(depth)+matrixStep)
	return len(last) > 0 && !slices.ContainsFunc(last, func(v any) bool { return v != nil })
}

func (c *cell) checkBattery() {
	const tool, bank = "battery_state", "electrical.batteries.house."
	a, live := c.ask(tool, `{}`)
	if c.scenario == mock.NeverFitted {
		if live && (dig(a.content, "bank") != "0" || dig(a.content, "soc_fraction") != nil || dig(a.content, "current") != nil) {
			c.bad(tool, "small boat", a, "there is a voltmeter on one battery")
		}
		return
	}
	if live && dig(a.content, "bank") != "house" {
		c.bad(tool, "bank", a, "the house bank is meant")
	}
	for _, p := range []struct {
		key, path string
		tolerance float64
		truth     func(mock.Truth) float64
	}{
		{"soc_fraction", "capacity.stateOfCharge", 0.0051, func(t mock.Truth) float64 { return t.HouseStateOfCharge }},
		{"voltage", "voltage", 0.056, func(t mock.Truth) float64 { return t.HouseVoltage }},
		{"current", "current", 0.056, func(t mock.Truth) float64 { return t.HouseCurrent }},
		{"time_remaining_s", "capacity.timeRemaining", 1.5, func(t mock.Truth) float64 { return t.HouseTimeRemaining }},
	} {
		x, has := dig(a.content, p.key).(float64)
		path := bank + p.path
		switch numbers := c.liveNumbers(path); {
		case has && !live:
			c.bad(tool, p.key+" value", a, "a value in an answer that is not live")
		case has && len(numbers) == 0:
			c.bad(tool, p.key+" stale as live", a, "not heard for %v", limitOf(path))
		case !has && p.key != "time_remaining_s" && c.mustLive(path):
			c.bad(tool, p.key+" live as stale", a, "%s was heard within %v", p.path, newsIsFresh)
		case has && !c.bent(path) && !c.true(path, func(t mock.Truth) bool { return math.Abs(x-p.truth(t)) <= p.tolerance }):
			c.bad(tool, p.key+" wrong", a, "the truth is %.3f", p.truth(c.truths[len(c.truths)-1]))
		}
	}
	display := plain(dig(a.content, "display"))
	amps, has := dig(a.content, "current").(float64)
	words := map[bool]string{true: "discharging", false: "charging"}[amps < 0]
	if live && has && math.Round(amps*10) != 0 && !regexp.MustCompile(`\b`+words+`\b`).MatchString(display) {
		c.bad(tool, "direction", a, "the bank is %s", words)
	}
	if live && has && c.apart(bank+"current") {
		c.bad(tool, "opposed", a, "two monitors have opposite signs: %v", c.young(bank+"current", newsIsFresh))
	}
}

func (c *cell) checkAlarms() {
	const tool = "get_active_alarms"
	a, live := c.ask(tool, `{}`)
	display := plain(dig(a.content, "display"))
	active, before := map[string]bool{}, map[string]bool{}
	for path, sources := range c.heard {
		name, is := strings.CutPrefix(path, "notifications.")
		if !is {
			continue
		}
		for _, h := range sources {
			value := h.value()
			state, _ := dig(value, "state").(string)
			if raised := value != nil && state != "normal" && state != "nominal"; raised {
				before[name] = true
				active[name] = active[name] || h.conn == c.conn
			}
		}
	}
	maps.DeleteFunc(active, func(_ string, is bool) bool { return !is })
	rows, _ := dig(a.content, "alarms").([]any)
	told := map[string]bool{}
	for _, row := range rows {
		path := plain(dig(row, "path"))
		told[path] = true
		if !before[path] && !slices.Contains(slices.Collect(maps.Keys(before)), path) {
			c.bad(tool, "false alarm", a, "%s is not raised", path)
		}
		if path == strings.TrimPrefix(bilge, "notifications.") && dig(row, "acknowledged") == nil {
			if h := c.heard[bilge]["bilge-monitor"]; h != nil && dig(h.value(), "status.acknowledged") == true {
				c.bad(tool, "acknowledged", a, "it was acknowledged")
			}
		}
	}
	if dig(a.content, "more") == nil && c.up {
		for path := range active {
			if !told[path] {
				c.bad(tool, "missing alarm", a, "%s is raised", path)
			}
		}
	}
	if strings.HasPrefix(display, "No active alarms") && (!c.up || len(active) > 0) {
		c.bad(tool, "all well", a, "link up: %v, raised: %v", c.up, active)
	}
	if !live && c.up && c.calm() {
		c.bad(tool, "live as stale", a, "the link is up")
	}
}

const bilge = "notifications.environment.inside.bilge.waterLevel"

func (c *cell) checkRoute() {
	const tool = "get_route"
	a, live := c.ask(tool, `{}`)
	if !live {
		return
	}
	truth := c.truths[len(c.truths)-1]
	display := plain(dig(a.content, "display"))
	bound := c.heard["navigation.course.nextPoint"] != nil
	if !bound {
		if !strings.Contains(display, "No route") || dig(a.content, "next") != nil {
			c.bad(tool, "none", a, "there is no destination")
		}
		return
	}
	name := dig(a.content, "next.name")
	if name != nil && name != truth.NextPoint && c.kind != mock.FaultHostileNames && c.inTouch() {
		c.bad(tool, "name", a, "she is bound for %s", truth.NextPoint)
	}
	const calc = "navigation.course.calcValues."
	point := c.heard["navigation.course.nextPoint"]["courseApi"].value()
	next := mock.Position{Latitude: dig(point, "position.latitude").(float64), Longitude: dig(point, "position.longitude").(float64)}
	for _, x := range []struct {
		key, path string
		matches   func(told float64, t mock.Truth) bool
	}{
		{"next.distance_nm", calc + "distance", func(told float64, t mock.Truth) bool {
			d, _ := wayTo(t.Position, next)
			return math.Abs(told*1852-d) <= 0.006*1852+0.05*d
		}},
		{"next.bearing_deg", calc + "bearingTrue", func(told float64, t mock.Truth) bool {
			d, bearing := wayTo(t.Position, next)
			return nearly("bearing", told*math.Pi/180, bearing, 0.52*math.Pi/180+0.2/max(d, 0.2))
		}},
		{"cross_track_m", calc + "crossTrackError", func(told float64, t mock.Truth) bool { return math.Abs(told-t.CrossTrackError) <= 0.6 }},
	} {
		told, has := dig(a.content, x.key).(float64)
		switch position := len(c.young("navigation.position", time.Minute+matrixStep)) > 0; {
		case !has:
			if c.mustLive(x.path) {
				c.bad(tool, x.key+" live as stale", a, "it was heard within %v", newsIsFresh)
			}
		case len(c.liveNumbers(x.path)) == 0 && (x.key == "cross_track_m" || !position):
			c.bad(tool, x.key+" stale as live", a, "not heard for a minute")
		case !c.true(x.path, func(t mock.Truth) bool { return x.matches(told, t) }):
			c.bad(tool, x.key+" wrong", a, "the truth is %.0f m, bearing %.1f, cross track %.1f",
				truth.DistanceToNext, truth.BearingToNext*180/math.Pi, truth.CrossTrackError)
		}
	}
	closes := func(t mock.Truth) bool { return t.VelocityMadeGood > 0 }
	if dig(a.content, "next.time_to_go_s") != nil && !c.true(calc+"distance", closes) {
		c.bad(tool, "eta", a, "she does not come closer")
	}
}

// wayTo is distance and bearing to a place, on a plane: no destination is far.
func wayTo(from, to mock.Position) (metres, bearing float64) {
	const metre = 6371000 * math.Pi / 180
	north := (to.Latitude - from.Latitude) * metre
	east := (to.Longitude - from.Longitude) * metre * math.Cos((to.Latitude+from.Latitude)/2*math.Pi/180)
	return math.Hypot(north, east), math.Atan2(east, north)
}

// inTouch reports whether what own boat says gets through now.
func (c *cell) inTouch() bool {
	return c.up && len(c.young("navigation.course.calcValues.distance", matrixStep-1)) > 0
}

// zonesOfBoat are the offsets that are right: civil time, or the nautical zone at sea.
var zonesOfBoat = map[bool][]string{false: {"+03:00", "+02:00"}, true: {"+02:00", "+01:00"}}

func (c *cell) checkTime() {
	const tool = "get_local_time"
	a, live := c.ask(tool, `{}`)
	if !live {
		if c.up {
			c.bad(tool, "live", a, "the host has a clock")
		}
		return
	}
	offset := plain(dig(a.content, "utc_offset"))
	if c.heard["navigation.position"] != nil && !slices.Contains(zonesOfBoat[c.scenario == mock.Shoaling], offset) {
		c.bad(tool, "zone", a, "it is summer in Finland, or in Germany")
	}
	at, err := time.Parse("-07:00", offset)
	if err != nil {
		c.bad(tool, "offset", a, "no offset")
		return
	}
	local := c.now().In(at.Location())
	clock, day := local.Format("15:04"), local.Format("Monday 2 January 2006")
	display := plain(dig(a.content, "display"))
	if right := strings.Contains(display, clock) && strings.Contains(display, day); !right && dig(a.content, "warning") == nil {
		c.bad(tool, "wrong", a, "it is %s on %s", clock, day)
	}
}

func (c *cell) checkPaths() {
	const tool = "list_paths"
	a, _ := c.ask(tool, `{}`)
	count, has := dig(a.content, "count").(float64)
	known := len(c.heard)
	if c.heard[""] != nil {
		known-- // its members are paths of their own, at most five
	}
	if has && (int(count) < known || int(count) > known+5) {
		c.bad(tool, "count", a, "%d paths were heard", known)
	}
	if c.scenario == mock.BigBoat && has && count < 1500 {
		c.bad(tool, "big boat", a, "she has more than 1,500 paths")
	}
}
