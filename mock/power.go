package mock

import (
	"math"
	"math/rand/v2"
)

// Batteries and tanks.
const (
	houseCapacity  = 300 * 3600.0 // C: 300 Ah
	dischargeLimit = 0.2          // ratio, where timeRemaining ends
	startVoltage   = 12.74        // V, at rest
	fuelCapacity   = 0.15         // m3
	waterCapacity  = 0.2          // m3
	brownOut       = 10.6         // V, below which instruments go out
)

// bank is the house bank: lead, 12 V. Its charge is the integral of its current.
type bank struct {
	charge    float64 // C
	solar     bool    // the panels charge, from half empty to nearly full
	extra     float64 // A that something draws besides the usual
	alternate float64 // A from the engine's alternator
	shore     bool    // the charger has mains
	pilot     swings
	fridge    float64 // s, where in its cycle the fridge started
}

func newBank(rng *rand.Rand) bank {
	return bank{
		charge: 0.78 * houseCapacity,
		pilot:  swings{{0.5, 26, float64(rng.Float64() * (2 * math.Pi))}},
		fridge: float64(rng.Float64() * 1500),
	}
}

// current is positive into the bank: instruments, autopilot and a fridge that
// runs ten minutes of twenty-five draw from it.
func (b *bank) current(t float64) float64 {
	i := -(3.4 + 1.7 + b.pilot.at(t)) - b.extra + b.alternate
	if math.Mod(t+b.fridge, 1500) < 600 {
		i -= 4.2
	}
	if b.solar {
		i += 22
	}
	if b.shore { // 40 A, and less as the bank gets full
		i += min(40, 10+float64(400*(1-b.stateOfCharge())))
	}
	return min(i, houseCapacity-b.charge) // it takes no more when it is full
}

// run lets the current flow for one second.
func (b *bank) run(t float64) {
	b.charge = max(0, b.charge+b.current(t))
	switch soc := b.stateOfCharge(); {
	case soc < 0.5 && b.extra == 0:
		b.solar = true
	case soc > 0.95:
		b.solar = false
	}
}

func (b *bank) stateOfCharge() float64 { return b.charge / houseCapacity }

// voltage is 12.0 to 12.9 V at rest from empty to full, and 12 mΩ; the last six
// hundredths of the charge go with a knee.
func (b *bank) voltage(t float64) float64 {
	soc := b.stateOfCharge()
	return 12.0 + float64(0.9*soc) - float64(25*max(0, 0.06-soc)) + float64(0.012*b.current(t))
}

// timeRemaining is how long this current lasts to the discharge limit, in
// seconds. 0 when none is drawn, or when the limit is passed.
func (b *bank) timeRemaining(t float64) float64 {
	if i := b.current(t); i < 0 {
		return max(0, float64(b.charge-dischargeLimit*houseCapacity)/-i)
	}
	return 0
}
