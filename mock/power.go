package mock

import (
	"math"
	"math/rand/v2"
)

// Batteries, engine and tanks.
const (
	houseCapacity  = 300 * 3600.0 // C: 300 Ah
	dischargeLimit = 0.2          // ratio, where timeRemaining ends
	startVoltage   = 12.74        // V, at rest
	fuelCapacity   = 0.15         // m3
	fuelLevel      = 0.64         // ratio; the engine is not running
	waterCapacity  = 0.2          // m3
	engineRunTime  = 1874 * 3600.0
)

// bank is the house bank: lead, 12 V. Its charge is the integral of its current.
type bank struct {
	charge   float64 // C
	charging bool    // by the solar panels, from half empty to nearly full
	pilot    swings
	fridge   float64 // s, where in its cycle the fridge started
}

func newBank(rng *rand.Rand) bank {
	return bank{
		charge: 0.78 * houseCapacity,
		pilot:  swings{{0.5, 26, rng.Float64() * 2 * math.Pi}},
		fridge: rng.Float64() * 1500,
	}
}

// current is positive into the bank: instruments, autopilot and a fridge that
// runs ten minutes of twenty-five draw from it.
func (b *bank) current(t float64) float64 {
	load := 3.4 + 1.7 + b.pilot.at(t)
	if math.Mod(t+b.fridge, 1500) < 600 {
		load += 4.2
	}
	if b.charging {
		return 22 - load
	}
	return -load
}

// run lets the current flow for one second.
func (b *bank) run(t float64) {
	b.charge += b.current(t)
	switch soc := b.stateOfCharge(); {
	case soc < 0.5:
		b.charging = true
	case soc > 0.95:
		b.charging = false
	}
}

func (b *bank) stateOfCharge() float64 { return b.charge / houseCapacity }

// voltage is 12.0 to 12.9 V at rest from empty to full, and 12 mΩ.
func (b *bank) voltage(t float64) float64 {
	return 12.0 + 0.9*b.stateOfCharge() + 0.012*b.current(t)
}

// timeRemaining is how long this current lasts to the discharge limit, in
// seconds. 0 when none is drawn.
func (b *bank) timeRemaining(t float64) float64 {
	if i := b.current(t); i < 0 {
		return max(0, (b.charge-dischargeLimit*houseCapacity)/-i)
	}
	return 0
}

// coolantTemperature of the engine, in K: still warm from leaving harbour, it
// comes down to that of the engine room.
func coolantTemperature(t float64) float64 { return 294 + 38*math.Exp(-t/7200) }
