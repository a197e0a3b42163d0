package tools

import (
	"slices"
	"strings"

	"signalk-mcp/signalk"
	"signalk-mcp/units"
)

var batteryState = tool{
	name:        "battery_state",
	description: "How are the batteries: how full, charging or discharging, time left. bank: house.",
	arguments:   []string{"bank"},
	answer: func(q query) Result {
		banks := q.banks()
		bank, ok := q.whichBank(banks, q.args["bank"])
		switch {
		case len(banks) == 0:
			return q.notNow("any battery", signalk.NotFitted, memory{})
		case !ok && q.args["bank"] != "":
			r := Result{Display: sentence("no battery is called " + foreignOr(q.args["bank"], "that") + "; there is " + list(bankNames(banks))), IsError: true}
			r.values.texts("available_banks", banks)
			return r
		case !ok:
			r := Result{Display: "Which battery: " + strings.ReplaceAll(list(bankNames(banks)), " and ", " or ") + "?"}
			r.values.texts("available_banks", banks)
			return r
		}
		r := q.battery(bank)
		if len(banks) > 1 {
			r.values.texts("available_banks", banks)
		}
		return r
	},
}

const (
	batteries = "electrical.batteries."
	maxBanks  = 20
)

// banks lists the ids of the battery banks, sorted. Ids are free text.
func (q query) banks() []string {
	var banks []string
	for _, p := range q.Paths(strings.TrimSuffix(batteries, ".")) {
		if id := segment(p, 2); id != "" && strings.Count(p, ".") > 2 && !slices.Contains(banks, id) && len(banks) < maxBanks {
			banks = append(banks, id)
		}
	}
	return banks
}

func bankNames(banks []string) []string {
	names := make([]string, len(banks))
	for i, b := range banks {
		names[i] = foreignOr(unCamel(b), "one without a name")
	}
	return names
}

// whichBank finds the bank that is meant. A named one is found by its id or by
// its published name, and is never replaced by another. Without a name it is
// the only one, else house, else 0.
func (q query) whichBank(banks []string, name string) (bank string, ok bool) {
	if name == "" {
		if len(banks) == 1 {
			return banks[0], true
		}
		for _, usual := range []string{"house", "0"} {
			for _, b := range banks {
				if strings.EqualFold(b, usual) {
					return b, true
				}
			}
		}
		return "", false
	}
	for _, same := range []func(id string) bool{
		func(id string) bool { return id == name },
		func(id string) bool { return strings.EqualFold(id, name) },
		func(id string) bool { return strings.EqualFold(q.bankName(id), name) },
		func(id string) bool { return bareBank(id) == bareBank(name) },
	} {
		if i := slices.IndexFunc(banks, same); i >= 0 {
			return banks[i], true
		}
	}
	return "", false
}

// bareBank is a bank's name without the words that mean "battery bank".
func bareBank(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == ' ' || r == '-' || r == '_' })
	return strings.Join(slices.DeleteFunc(words, func(w string) bool {
		return w == "battery" || w == "batteries" || w == "bank" || w == "the"
	}), " ")
}

// bankName is the name that the boat publishes for a bank.
func (q query) bankName(id string) string {
	name, _ := q.Reading(batteries + id + ".name").Value.Text()
	return name
}

// bankWords names a bank in a sentence: "house battery", "battery 279".
func (q query) bankWords(id string) string {
	name := foreign(q.bankName(id), maxNameSaid)
	if name == "" {
		name = bankNames([]string{id})[0]
	}
	return strings.Join(deviceWords(name, "battery"), " ")
}

// batteryCurrent is a bank's current with the schema's sign, positive when it
// charges: the one place where the owner's correction of a monitor that is
// wired the other way round is made.
func (q query) batteryCurrent(bank string, amps float64) units.Current {
	if q.opts.Reversed(bank) {
		amps = -amps
	}
	return units.Current(amps)
}

// battery tells of one bank. Each value has its own age: what is old is told as
// such, in words only, beside what is live.
func (q query) battery(bank string) Result {
	at := batteries + bank + "."
	what := q.bankWords(bank)
	var res Result
	res.values.text("bank", bank)
	var now []string
	var past []string // for what is old while the rest is live
	var newest signalk.Reading
	up := q.Link().Up()
	for _, part := range []struct {
		path, key, name string
		field           func(s saying, x float64) float64
	}{
		{"capacity.stateOfCharge", "soc_fraction", "charge", func(_ saying, x float64) float64 { return units.Ratio(x).Fraction() }},
		{"voltage", "voltage", "voltage", func(s saying, _ float64) float64 { return s.Value }},
		{"current", "current", "current", func(s saying, _ float64) float64 { return s.Value }},
	} {
		r, warning := q.pick(at + part.path)
		if r.State == signalk.NotFitted {
			continue
		}
		if newest.State == signalk.NotFitted || younger(r, newest) {
			newest = r
		}
		if r.Value.IsNull() {
			continue
		}
		x, _ := r.Value.Number()
		s := q.sayShared(r)
		if s.doubt != "" {
			res.warn(part.name + ": " + s.doubt)
			continue
		}
		if warning != "" {
			res.warn(part.name + ": " + warning)
		}
		if !up || !r.Fresh() {
			past = append(past, s.Words)
			if !up || !q.anyFresh(at) {
				res.values.num("last_"+part.key, part.field(s, x))
			} else {
				past[len(past)-1] = part.name + " was " + s.Words + " " + agoWords(r)
			}
			continue
		}
		if part.path != "voltage" || now == nil { // beside a state of charge it is a number for few
			now = append(now, s.Words)
		}
		res.used(r)
		if s.value != nil {
			res.values.num(part.key, part.field(s, x))
		}
	}
	if len(now) == 0 {
		m := memory{strings.Join(past, ", "), newest.Age, newest.AgeKnown}
		if newest.State == signalk.NoData {
			m = q.remember(newest)
		}
		values := res.values
		res = q.notNow(what+" reading", newest.State, m)
		res.values = append(values, res.values...)
		res.used(newest)
		return res
	}
	if left := q.timeLeft(at); left != "" {
		r := q.Reading(at + "capacity.timeRemaining")
		x, _ := r.Value.Number()
		res.values.num("time_remaining_s", units.Round(x, 0))
		now = append(now, left+" left")
	}
	res.Display = sentence(what + ": " + strings.Join(now, ", "))
	if len(past) > 0 {
		res.Display += " " + sentence("its "+strings.Join(past, ", its "))
	}
	return res
}

// younger reports whether a says more about now than b.
func younger(a, b signalk.Reading) bool {
	if a.Fresh() != b.Fresh() {
		return a.Fresh()
	}
	return a.AgeKnown && (!b.AgeKnown || a.Age < b.Age)
}

// agoWords says when a reading was.
func agoWords(r signalk.Reading) string {
	if !r.AgeKnown {
		return "at a time that is not known"
	}
	return units.Age(r.Age) + " ago"
}

// anyFresh reports whether a bank's charge, voltage or current is live.
func (q query) anyFresh(at string) bool {
	for _, p := range []string{"capacity.stateOfCharge", "voltage", "current"} {
		if q.Reading(at + p).Fresh() {
			return true
		}
	}
	return false
}

// timeLeft says the published time to the discharge limit. It is told only
// while the bank is surely discharging.
func (q query) timeLeft(at string) string {
	left, amps := q.Reading(at+"capacity.timeRemaining"), q.Reading(at+"current")
	x, ok := left.Value.Number()
	i, known := amps.Value.Number()
	if !ok || !known || !left.Fresh() || !amps.Fresh() || x <= 0 || q.opposed(amps.Path) ||
		q.batteryCurrent(segment(at, 2), i).Battery().Value >= 0 {
		return ""
	}
	return units.Seconds(x).Span().Words
}
