package tools

import (
	"slices"
	"strconv"
	"strings"

	"signalk-mcp/signalk"
	"signalk-mcp/units"
)

var batteryState = tool{
	name:        "battery_state",
	description: "Are the batteries charging: battery volts, charge, hours left. bank: house.",
	arguments:   []string{"bank"},
	answer: func(q query) Result {
		banks := q.banks()
		asked := q.args["bank"]
		meant := q.meantBanks(banks, asked)
		switch {
		case len(banks) == 0:
			return q.notNow("any battery", signalk.NotFitted, memory{})
		case len(meant) == 0 && asked != "":
			r := Result{Display: sentence("no battery is called " + foreignOr(asked, "that") + "; there is " + bankList(banks, "and")), IsError: true}
			tellBanks(&r, banks)
			return r
		case len(meant) != 1:
			r := Result{Display: "Which battery: " + bankList(orAll(meant, banks), "or") + "?"}
			tellBanks(&r, banks)
			return r
		}
		r := q.battery(meant[0])
		if len(banks) > 1 {
			tellBanks(&r, banks)
		}
		return r
	},
}

const (
	batteries = "electrical.batteries."
	maxBanks  = 20 // told
	saidBanks = 6
)

// banks lists the ids of the battery banks, sorted. Ids are free text.
func (q query) banks() []string {
	var banks []string
	for _, p := range q.Paths(strings.TrimSuffix(batteries, ".")) {
		if id := segment(p, 2); id != "" && strings.Count(p, ".") > 2 && (len(banks) == 0 || banks[len(banks)-1] != id) {
			banks = append(banks, id)
		}
	}
	slices.Sort(banks)
	return slices.Compact(banks)
}

// tellBanks lists the banks in a field.
func tellBanks(r *Result, banks []string) {
	r.values.texts("available_banks", banks[:min(len(banks), maxBanks)])
	if more := len(banks) - maxBanks; more > 0 {
		r.values.num("more", float64(more))
	}
}

// bankList lists banks in words.
func bankList(banks []string, and string) string {
	var names []string
	for _, b := range banks[:min(len(banks), saidBanks)] {
		names = append(names, bankID(b))
	}
	if more := len(banks) - saidBanks; more > 0 {
		names = append(names, strconv.Itoa(more)+" more")
	}
	return strings.ReplaceAll(list(names), " and ", " "+and+" ")
}

// bankID says a bank's id.
func bankID(id string) string { return foreignOr(unCamel(id), "one without a name") }

// meantBanks finds the banks that may be meant. A named one is found by its id or
// by its published name, and is never replaced by another. Without a name it is
// the only one, else the one that is called house, else 0, unless that is called
// something else.
func (q query) meantBanks(banks []string, name string) []string {
	if name == "" && len(banks) == 1 {
		return banks
	}
	same := []func(id string) bool{
		func(id string) bool { return id == name },
		func(id string) bool { return strings.EqualFold(id, name) },
		func(id string) bool { return strings.EqualFold(q.bankName(id), name) },
		func(id string) bool { return bareBank(id) == bareBank(name) },
		func(id string) bool { return bareBank(q.bankName(id)) == bareBank(name) },
	}
	if name == "" {
		same = []func(id string) bool{
			func(id string) bool { return strings.EqualFold(id, "house") },
			func(id string) bool { return bareBank(q.bankName(id)) == "house" },
			func(id string) bool { return id == "0" && slices.Contains(householdNames, bareBank(q.bankName(id))) },
		}
	}
	for _, is := range same {
		if meant := slices.DeleteFunc(slices.Clone(banks), func(id string) bool { return !is(id) }); len(meant) > 0 {
			return meant
		}
	}
	return nil
}

// orAll gives the banks that may be meant, or all if it may be any.
func orAll(meant, banks []string) []string {
	if len(meant) == 0 {
		return banks
	}
	return meant
}

// householdNames are what a bank may be called that everything but the engine
// lives on.
var householdNames = []string{"", "house", "service", "domestic", "leisure", "main", "0"}

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
		name = bankID(id)
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

// part is one of a bank's values, and what is said of it.
type part struct {
	key, name string
	reading   signalk.Reading
	words     string
	number    float64
	told      bool // it has a number
}

// battery tells of one bank. Each value has its own age: what is old is told as
// such, in words only, beside what is live or younger.
func (q query) battery(bank string) Result {
	at := batteries + bank + "."
	what := q.bankWords(bank)
	var res Result
	res.values.text("bank", bank)
	var live, old []part
	newest := signalk.Reading{}
	for _, p := range []struct{ path, key, name string }{
		{"capacity.stateOfCharge", "soc_fraction", "charge"}, {"voltage", "voltage", "voltage"}, {"current", "current", "current"},
	} {
		r, warning := q.pick(at + p.path)
		if r.State == signalk.NotFitted {
			continue
		}
		if newest.State == signalk.NotFitted || younger(r, newest) {
			newest = r
		}
		if r.Value.IsNull() {
			continue
		}
		s := q.sayShared(r)
		if s.doubt != "" {
			res.warn(p.name + ": " + s.doubt)
			continue
		}
		if warning != "" {
			res.warn(p.name + ": " + warning)
		}
		one := part{key: p.key, name: p.name, reading: r, words: s.Words, number: s.Value, told: s.value != nil}
		if p.key == "soc_fraction" {
			x, _ := r.Value.Number()
			one.number = units.Ratio(x).Fraction()
		}
		if q.Link().Up() && r.Fresh() {
			live = append(live, one)
		} else {
			old = append(old, one)
		}
	}
	if len(live) == 0 {
		return q.batteryThen(res, what, newest, old)
	}
	var said []string
	for _, p := range live {
		if p.key != "voltage" || len(said) == 0 { // beside a state of charge it is a number for few
			said = append(said, p.words)
		}
		if p.told {
			res.values.num(p.key, p.number)
		}
		res.used(p.reading)
	}
	if left, x := q.timeLeft(at, &res); left != "" {
		res.values.num("time_remaining_s", units.Round(x, 0))
		said = append(said, left+" left")
	}
	res.Display = sentence(what + ": " + strings.Join(said, ", "))
	if len(old) > 0 {
		res.Display += " " + agedWords(old)
	}
	return res
}

// batteryThen tells of a bank of which nothing is known as what is now: what was
// last, together if it was at one time, and the rest with its own age.
func (q query) batteryThen(res Result, what string, newest signalk.Reading, old []part) Result {
	warned := res.warning
	var words []string
	var rest []part
	for _, p := range old {
		if r := p.reading; newest.AgeKnown && (!r.AgeKnown || r.Age > newest.Age+together+newest.Age/4) {
			rest = append(rest, p)
			continue
		}
		words = append(words, p.words)
		if p.told {
			res.values.num("last_"+p.key, p.number)
		}
	}
	m := memory{strings.Join(words, ", "), newest.Age, newest.AgeKnown}
	if newest.State == signalk.NoData && newest.Value.IsNull() {
		m = q.remember(newest)
	}
	values := res.values
	res = q.notNow(what+" reading", newest.State, m)
	res.values = append(values, res.values...)
	res.used(newest)
	if len(rest) > 0 {
		res.Display += " " + agedWords(rest)
	}
	if warned != "" {
		res.warn(warned)
	}
	return res
}

// agedWords says values each with its age: "Its voltage was 12.6 volts about 3
// hours ago."
func agedWords(parts []part) string {
	said := make([]string, len(parts))
	for i, p := range parts {
		said[i] = "its " + p.name + " was " + p.words + " " + agoWords(p.reading)
	}
	return sentence(strings.Join(said, ", "))
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

// timeLeft says the published time to the discharge limit. It is told only
// while the bank is surely discharging.
func (q query) timeLeft(at string, res *Result) (words string, seconds float64) {
	left, warning := q.pick(at + "capacity.timeRemaining")
	amps, _ := q.pick(at + "current")
	x, ok := left.Value.Number()
	i, known := amps.Value.Number()
	if !ok || !known || !left.Fresh() || !amps.Fresh() || x <= 0 || q.opposed(amps) ||
		q.batteryCurrent(segment(at, 2), i).Battery().Value >= 0 {
		return "", 0
	}
	if warning != "" {
		res.warn("time left: " + warning)
	}
	return units.Seconds(x).Span().Words, x
}
