package mock

// Temperatures of the engine's coolant, in K.
const (
	thermostat   = 355.0 // 82 °C
	engineRoom   = 294.0
	coolantLimit = 371.0 // 98 °C: the alarm
)

// engine is a diesel of 30 kW on the shaft of own boat: what it gives and takes
// follows from how fast it turns.
type engine struct {
	revolutions float64 // 1/s; 0 is stopped
	throttle    float64 // the revolutions that are asked for
	cooling     float64 // ratio of the sea water that the pump should bring
	coolant     float64 // K
	runTime     float64 // s
	fuel        float64 // m3 left
}

// newEngine is still warm from leaving harbour.
func newEngine() engine {
	return engine{cooling: 1, coolant: 332, runTime: 1874 * 3600, fuel: 0.64 * fuelCapacity}
}

func (e *engine) running() bool { return e.revolutions > 0 }

// load is a ratio: it grows with the cube of the revolutions, as a propeller has it.
func (e *engine) load() float64 {
	r := e.revolutions / 55
	return float64(r * r * r)
}

// run goes on for one second.
func (e *engine) run() {
	const rate = 4 // how many revolutions a second it gains in one
	switch change := clamp(e.throttle-e.revolutions, rate); {
	case e.throttle == 0 && e.revolutions < 12: // it does not turn slower
		e.revolutions = 0
	default:
		e.revolutions = max(e.revolutions+change, min(e.throttle, 13))
	}
	warm, inertia := engineRoom, 7200.0
	if e.running() {
		e.runTime++
		warm, inertia = thermostat+float64(6*e.load())+float64(60*(1-e.cooling)), 240
	}
	e.coolant += float64((warm - e.coolant) / inertia)
	e.fuel = max(0, e.fuel-e.fuelRate())
}

// fuelRate in m3/s: half a litre an hour idle, nine at full load.
func (e *engine) fuelRate() float64 {
	if !e.running() {
		return 0
	}
	return (0.5 + float64(8.5*e.load())) * 1e-3 / 3600
}

// oilPressure in Pa.
func (e *engine) oilPressure() float64 {
	if !e.running() {
		return 0
	}
	return 120e3 + float64(5e3*e.revolutions)
}

// alternator gives its current in A.
func (e *engine) alternator() float64 {
	if !e.running() {
		return 0
	}
	return min(70, 2.2*e.revolutions)
}

// way is the speed through the water that the propeller gives, in m/s.
func (e *engine) way() float64 { return min(hullSpeed, 0.095*e.revolutions) }

func (e *engine) state() string {
	if e.running() {
		return "started"
	}
	return "stopped"
}
