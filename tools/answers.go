package tools

import (
	"fmt"
	"math"
	"strings"
	"time"

	"signalk-mcp/signalk"
	"signalk-mcp/units"
)

// memory is what was last known of something, for answers that are not what is
// now. The zero memory is "nothing".
type memory struct {
	words string // "5.6 metres below the keel"
	age   time.Duration
	known bool // age is known
}

// notNow answers a question about what, of which there is nothing that can be
// said as what is now: because there is no link, because the boat does not have
// it, because it is null, or because it is old. state is that of the reading on
// which the answer would stand.
func (q query) notNow(what string, state signalk.State, m memory) Result {
	if !q.Link().Up() {
		if m.words == "" {
			return q.unreachable(nil)
		}
		r := Result{Display: sentence(q.linkWords()) + " " + m.sentence(what), Status: q.offline()}
		r.age, r.hasAge = m.age, m.known
		return r
	}
	switch state {
	case signalk.NotFitted:
		if q.Crowded() {
			return Result{Display: sentence("I cannot tell whether there is " + what + ": the server sends more values than are kept"), Status: NoData}
		}
		return Result{Display: sentence("this boat does not report " + what), Status: NotFitted}
	case signalk.NoData:
		r := Result{Display: sentence("no " + what + " now: its sensor has no value to send"), Status: NoData}
		if m.words != "" {
			r.Display += " " + m.sentence(what)
			r.age, r.hasAge = m.age, m.known
		}
		return r
	}
	switch {
	case m.words == "":
		return Result{Display: sentence("no usable " + what), Status: NoData}
	case !m.known:
		return Result{Display: sentence("the age of the last "+what+" is not known, so it may be old") + " It was " + m.words + ".", Status: Stale}
	}
	return Result{
		Display: sentence("no fresh "+what+" for "+units.Age(m.age)) + " Last reading: " + m.words + ".",
		Status:  Stale, age: m.age, hasAge: true,
	}
}

// unusable answers where a sensor sends what cannot be.
func unusable(what, doubt string) Result {
	r := Result{Display: sentence("no usable " + what + ": " + doubt), Status: NoData}
	r.warn(doubt)
	return r
}

// sentence tells what is remembered, and from when.
func (m memory) sentence(what string) string {
	if !m.known {
		return sentence(fmt.Sprintf("the last %s, of unknown age: %s", what, m.words))
	}
	return sentence(fmt.Sprintf("the last %s, %s ago: %s", what, units.Age(m.age), m.words))
}

// remember puts what a reading said last into words: its value, or, if it is
// null now, the value before.
func (q query) remember(r signalk.Reading) memory {
	switch {
	case r.State == signalk.NotFitted:
	case !r.Value.IsNull():
		if s := q.say(r); s.Known() {
			return memory{s.Words, r.Age, r.AgeKnown}
		}
	case !r.Before.IsNull():
		if s := q.sayBefore(r); s.Known() {
			return memory{s.Words, r.BeforeAge, r.BeforeAgeKnown}
		}
	}
	return memory{}
}

// pick takes one of a path's readings, and warns if another living source
// contradicts it or sends what cannot be, or if it stands in for one that fell
// silent. It averages nothing. Of depths it takes the smallest, of notifications
// the worst.
func (q query) pick(path string) (r signalk.Reading, warning string) {
	all := q.depths(path)
	r, ok := first(all)
	if !ok {
		return r, ""
	}
	var fresh []signalk.Reading
	for _, x := range all {
		if !x.Fresh() {
			continue
		}
		if doubt := q.say(x).doubt; doubt != "" {
			warning = "one of several sources is not used: " + doubt
			continue
		}
		if len(fresh) == 0 || x.Quantity == signalk.Alarm && stateSeverity(x.Value) > stateSeverity(r.Value) ||
			depthLike(x.Quantity) && less(x.Value, r.Value) {
			r = x
		}
		fresh = append(fresh, x)
	}
	if len(fresh) == 0 { // one that has nothing but doubts says so itself
		return r, ""
	}
	if x, apart := q.farthest(r, fresh); apart {
		if a, b := q.say(r).Words, q.say(x).Words; a != b {
			return r, fmt.Sprintf("two sources disagree: %s and %s", a, b)
		}
	}
	for _, x := range all {
		if x.Rank >= r.Rank || x.Fresh() || !x.AgeKnown || x.Age > usualFor || signalk.SchemaOf(path, "").Limit == 0 {
			continue
		}
		if x.State == signalk.NoData {
			return r, "the usual source has no value; this is from another"
		}
		return r, "the usual source has been silent for " + units.Age(x.Age) + "; this is from another"
	}
	return r, warning
}

// usualFor is how long a source that fell silent is missed. Buses give their
// devices new names, and the old ones stay with the server.
const usualFor = 24 * time.Hour

// first gives the first of some readings, if there is one.
func first(all []signalk.Reading) (r signalk.Reading, ok bool) {
	if len(all) == 0 {
		return r, false
	}
	return all[0], true
}

func depthLike(q signalk.Quantity) bool { return q == signalk.Depth || q == signalk.Clearance }

func less(a, b signalk.Value) bool {
	x, ok1 := a.Number()
	y, ok2 := b.Number()
	return ok1 && (!ok2 || x < y)
}

// farthest finds the reading that is farthest from r; apart reports whether it
// is beyond what two good sensors may differ by.
func (q query) farthest(r signalk.Reading, others []signalk.Reading) (far signalk.Reading, apart bool) {
	most := 0.0
	for _, x := range others {
		if d := difference(r, x); d > most {
			most, far = d, x
		}
	}
	return far, most > 1
}

// tolerance is how far two sensors of a quantity may be apart: so much, or that
// share of the larger value.
var tolerance = map[signalk.Quantity]struct{ abs, share float64 }{
	signalk.Depth:        {0.5, 0.1},
	signalk.Clearance:    {0.5, 0.1},
	signalk.SpeedQ:       {0.5, 0.1}, // one knot
	signalk.TemperatureQ: {2, 0},
	signalk.AirPressure:  {300, 0},
	signalk.VoltageQ:     {0.5, 0.03},
	signalk.BatteryAmps:  {1, 0.2},
	signalk.Percent:      {0.05, 0},
	signalk.Level:        {0.05, 0},
	signalk.Span:         {60, 0.2},
}

const (
	directionTolerance = 5 * math.Pi / 180 // radians
	placeTolerance     = 100               // metres
)

// difference measures two readings of one path in units of what is tolerated.
func difference(a, b signalk.Reading) float64 {
	switch a.Quantity {
	case signalk.Place:
		p, ok1 := signalk.PositionOf(a.Value)
		q, ok2 := signalk.PositionOf(b.Value)
		if !ok1 || !ok2 {
			return 0
		}
		d, _ := p.To(q)
		return float64(d) / placeTolerance
	case signalk.Attitude, signalk.Set:
		most := 0.0
		for _, name := range a.Value.Members() {
			most = max(most, apart(signalk.SchemaOf(a.Path+"."+name, "").Quantity, a.Value.Member(name), b.Value.Member(name)))
		}
		return most
	case signalk.Word, signalk.Switch:
		if p, ok := a.Value.Bool(); ok {
			if q, ok := b.Value.Bool(); ok && p != q {
				return 2
			}
			return 0
		}
		x, ok1 := a.Value.Text()
		y, ok2 := b.Value.Text()
		if ok1 && ok2 && !strings.EqualFold(x, y) && signalk.SchemaOf(a.Path, "").Limit > 0 {
			return 2 // a gear is in or out
		}
	}
	return apart(a.Quantity, a.Value, b.Value)
}

// apart measures two numbers of a quantity in units of what is tolerated.
func apart(kind signalk.Quantity, a, b signalk.Value) float64 {
	x, ok1 := a.Number()
	y, ok2 := b.Number()
	if !ok1 || !ok2 {
		return 0
	}
	switch kind {
	case signalk.Direction, signalk.WindFrom, signalk.FromBow, signalk.PilotAngle, signalk.Rudder,
		signalk.Heel, signalk.Trim, signalk.Variation, signalk.AngleQ:
		return float64(units.Angle(x).Apart(units.Angle(y))) / directionTolerance
	}
	t, ok := tolerance[kind]
	if !ok {
		t.share = 0.1
	}
	allowed := max(t.abs, t.share*max(math.Abs(x), math.Abs(y)))
	if x == y || allowed == 0 {
		return 0
	}
	return math.Abs(x-y) / allowed
}
