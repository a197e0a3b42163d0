package mock

import "fmt"

// kin is a kind of device of which a big boat has many.
type kin struct {
	group  string // %d is the device
	count  int
	period int64 // s between its reports
	pgn    int
	gauges []gaugeKind
}

// gaugeKind is one value of such a device: it swings slowly about a mean.
type gaugeKind struct {
	path        string
	mean, swing float64
	digits      int
}

// bigBoat is what she has besides a cruiser's instruments: 1,500 paths with them.
var bigBoat = []kin{
	{"electrical.switches.bank.%d.", 28, 10, 127501, switches(28)},
	{"electrical.batteries.hotel%d.", 8, 5, 127508, []gaugeKind{
		{"voltage", 26.4, 0.3, 2}, {"current", -12, 9, 1}, {"temperature", 296, 2, 1},
		{"capacity.stateOfCharge", 0.81, 0.02, 4}, {"capacity.stateOfHealth", 0.97, 0, 2}}},
	{"electrical.solar.roof%d.", 8, 5, 127508, []gaugeKind{
		{"voltage", 41, 2, 1}, {"current", 8, 3, 1}, {"panelPower", 310, 120, 0}, {"yieldToday", 3.1e6, 0, 0}}},
	{"electrical.inverters.salon%d.", 6, 5, 127507, []gaugeKind{
		{"dc.voltage", 26.2, 0.3, 2}, {"dc.current", 22, 12, 1}, {"ac.lineNeutralVoltage", 231, 1, 0},
		{"ac.frequency", 50, 0.02, 2}, {"ac.realPower", 900, 300, 0}}},
	{"electrical.chargers.shore%d.", 4, 5, 127507, []gaugeKind{{"voltage", 27.1, 0.1, 2}, {"current", 18, 6, 1}}},
	{"electrical.ac.generator%d.phase.A.", 4, 5, 65030, []gaugeKind{
		{"current", 12, 5, 1}, {"lineNeutralVoltage", 230, 1, 0}, {"frequency", 50, 0.05, 2}, {"realPower", 2600, 800, 0}}},
	{"propulsion.generator%d.", 3, 2, 127489, []gaugeKind{
		{"revolutions", 25, 0.1, 2}, {"coolantTemperature", 354, 2, 1}, {"oilTemperature", 361, 2, 1}, {"oilPressure", 410e3, 9e3, -2},
		{"alternatorVoltage", 27.8, 0.2, 1}, {"exhaustTemperature", 560, 15, 1}, {"runTime", 4.1e6, 0, 0}, {"engineLoad", 0.55, 0.1, 3}}},
	{"tanks.fuel.%d.", 9, 5, 127505, tank(1.2)},
	{"tanks.freshWater.%d.", 7, 5, 127505, tank(0.9)},
	{"tanks.wasteWater.%d.", 5, 5, 127505, tank(0.5)},
	{"tanks.blackWater.%d.", 4, 5, 127505, tank(0.4)},
	{"tanks.lubrication.%d.", 4, 5, 127505, tank(0.06)},
	{"environment.inside.cabin%d.", 36, 60, 130312, []gaugeKind{
		{"temperature", 295, 1.5, 1}, {"relativeHumidity", 0.55, 0.05, 3}, {"dewPoint", 285, 1, 1}, {"illuminance", 120, 80, 0}}},
	{"environment.inside.refrigerator%d.", 12, 60, 130312, []gaugeKind{{"temperature", 277, 1, 1}, {"doorOpenings", 14, 0, 0}}},
	{"environment.inside.bilge%d.", 16, 60, 130312, []gaugeKind{{"temperature", 290, 1, 1}, {"waterLevel", 0.01, 0.005, 3}, {"pumpCycles", 3, 0, 0}}},
	{"sails.inventory.load%d.", 20, 5, 65281, []gaugeKind{{"tension", 8200, 3000, 0}, {"angle", 0.3, 0.05, 3}}},
	{"steering.rudder%d.", 2, 2, 127245, []gaugeKind{{"angle", 0, 0.06, 4}, {"load", 0.2, 0.1, 3}, {"temperature", 300, 3, 1}}},
	{"electrical.lights.deck%d.", 9, 10, 65280, lights(10)},
	{"networking.modem%d.", 4, 10, 65282, []gaugeKind{{"rssi", -71, 9, 0}, {"rate", 21e6, 8e6, 0}, {"latency", 0.052, 0.02, 3}}},
}

func switches(n int) []gaugeKind {
	all := make([]gaugeKind, n)
	for i := range all {
		all[i] = gaugeKind{fmt.Sprintf("%d.state", i+1), float64(i % 3 % 2), 0, 0}
	}
	return all
}

func lights(n int) []gaugeKind {
	var all []gaugeKind
	for i := range n {
		all = append(all, gaugeKind{fmt.Sprintf("%d.dimmingLevel", i+1), 0.4, 0, 2}, gaugeKind{fmt.Sprintf("%d.current", i+1), 0.8, 0.1, 2})
	}
	return all
}

func tank(capacity float64) []gaugeKind {
	return []gaugeKind{{"currentLevel", 0.62, 0.01, 4}, {"capacity", capacity, 0, 3}}
}

// crowd is what all those devices say, each a delta of its own.
func (v *Vessel) crowd() []Delta {
	var out []Delta
	for k, kind := range bigBoat {
		for n := range kind.count {
			if !v.dueFor(int64(n), kind.period) {
				continue
			}
			group, values := kind.group, make([]PathValue, len(kind.gauges))
			for i, g := range kind.gauges {
				phase := float64(7*n + 3*i + k)
				x := g.mean + swing{g.swing, float64(400 + 37*n), phase}.at(v.elapsed())
				values[i] = PathValue{fmt.Sprintf(group, n+1) + g.path, round(x, g.digits)}
			}
			src := fmt.Sprint(100 + (13*k+n)%150)
			out = append(out, v.n2k(src, kind.pgn, values...))
		}
	}
	return out
}
