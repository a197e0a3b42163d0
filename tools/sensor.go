package tools

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"signalk-mcp/signalk"
	"signalk-mcp/units"
)

var readSensor = tool{
	name:        "read_sensor",
	description: "Any sensor by path: wind, speed, course, heading, position, engine, tank, temperature, pressure.",
	arguments:   []string{"path"},
	required:    []string{"path"},
	example:     `{"path":"navigation.position"}`,
	answer: func(q query) Result {
		path := normalPath(q.args["path"])
		if path == "" {
			return wrong(&argError{"path", "a Signal K path such as " + examplePath})
		}
		for _, p := range []string{path, path + ".value"} { // some paths end in value
			if known, ok := q.Find(p); ok {
				return q.readLeaf(known)
			}
		}
		if group := q.group(path); group != nil {
			return q.readGroup(path, group)
		}
		if r, ok := q.readMember(path); ok {
			return r
		}
		return q.readNothing(path)
	},
}

// examplePath is in a sentence that is read aloud, so it is spelt as words.
const examplePath = "environment, dot, wind, dot, speedApparent"

var pathStart = regexp.MustCompile(`(?i)^(vessels\.)?(self\.|urn:[^.]*\.)|^vessels\.self\.`)

// normalPath undoes other spellings of a path: slashes, the vessel in front,
// .value behind. It guesses no name.
func normalPath(s string) string {
	s = strings.Trim(strings.ReplaceAll(strings.TrimSpace(s), "/", "."), ".")
	s = strings.TrimPrefix(s, "signalk.v1.api.")
	s = pathStart.ReplaceAllString(s, "")
	if p, ok := strings.CutSuffix(s, ".value"); ok {
		s = p
	}
	return s
}

// group lists the paths below a prefix, whatever its letter case.
func (q query) group(prefix string) []string {
	if paths := q.Paths(prefix); paths != nil {
		return paths
	}
	var below []string
	for _, p := range q.Paths("") {
		if len(p) > len(prefix) && p[len(prefix)] == '.' && strings.EqualFold(p[:len(prefix)], prefix) {
			below = append(below, p)
		}
	}
	return below
}

// readLeaf reads one path.
func (q query) readLeaf(path string) Result {
	r, warning := q.pick(path)
	res := q.tell(nameOf(path, q.Meta(path)), r)
	res.values = append(leafHead(path, true), res.values...)
	res.used(r)
	if warning != "" {
		res.warn(warning)
	}
	return res
}

func leafHead(path string, available bool) object {
	var o object
	o.text("path", path)
	o.flag("available", available)
	return o
}

// tell says a reading as what is now, or why it cannot be said so. The value is
// value and unit, or last_value and unit.
func (q query) tell(what string, r signalk.Reading) Result {
	if q.Link().Up() && r.Fresh() {
		s := q.sayShared(r)
		if s.doubt != "" || s.Words == "" {
			return unusable(what, s.doubt)
		}
		if r.Quantity == signalk.Direction { // the value says what it is counted from
			for _, adjective := range references {
				what = strings.TrimPrefix(what, adjective+" ")
			}
		}
		res := Result{Display: sentence(what + ": " + s.Words)}
		if s.value != nil {
			res.values.raw("value", s.value)
			if s.Unit != "" {
				res.values.text("unit", s.Unit)
			}
		}
		if z := q.zone(r); z != "" {
			s.note = strings.TrimSpace(z + " " + s.note)
		}
		if s.note != "" {
			res.Display += " " + sentence(s.note)
		}
		return res
	}
	switch null := r.State == signalk.NoData && q.Link().Up(); {
	case null && strings.HasPrefix(r.Path, "navigation.anchor."):
		return Result{Display: "No anchor watch is set: the anchor is up.", Status: NoData}
	case null && r.Quantity == signalk.Alarm:
		return Result{Display: sentence(what + ": no alarm")}
	}
	res := q.notNow(what, r.State, q.remember(r))
	if s := q.last(r); s.value != nil && s.doubt == "" {
		res.values.raw("last_value", s.value)
		if s.Unit != "" {
			res.values.text("unit", s.Unit)
		}
	}
	return res
}

// last is what a reading that is not now was.
func (q query) last(r signalk.Reading) saying {
	if r.Value.IsNull() {
		if r.Before.IsNull() {
			return saying{}
		}
		return q.sayBefore(r)
	}
	return q.say(r)
}

// sayShared says a reading, without a direction where two sources of a battery
// current point to opposite ones.
func (q query) sayShared(r signalk.Reading) saying {
	s := q.say(r)
	if r.Quantity == signalk.BatteryAmps && q.opposed(r.Path) {
		s.Spoken.Words, s.value = "current of uncertain direction, as two sources have opposite signs", nil
	}
	return s
}

// opposed reports whether living sources of a battery's current have opposite
// signs beyond what is no current.
func (q query) opposed(path string) bool {
	var in, out bool
	for _, r := range q.Readings(path) {
		if x, ok := r.Value.Number(); ok && r.Fresh() {
			in = in || units.Round(x, 1) > 0
			out = out || units.Round(x, 1) < 0
		}
	}
	return in && out
}

// zone says in which of the owner's bands a value lies, the worst first.
func (q query) zone(r signalk.Reading) string {
	x, ok := r.Value.Number()
	if !ok {
		return ""
	}
	worst := signalk.Zone{State: "normal"}
	for _, z := range q.Meta(r.Path).Zones {
		if z.Holds(x) && severity(z.State) > severity(worst.State) {
			worst = z
		}
	}
	if severity(worst.State) == 0 {
		return ""
	}
	words := "that is in the band of " + stateWords(worst.State)
	if m := message(worst.Message, maxNameSaid); m != "" {
		words += ", named " + m
	}
	return sentence(words)
}

const maxReadings = 25

// readGroup reads all below a prefix.
func (q query) readGroup(prefix string, paths []string) Result {
	what := nameOf(prefix, signalk.Meta{})
	shown := paths[:min(len(paths), maxReadings)]
	var res Result
	var list []object
	var said []string
	live := 0
	for _, p := range shown {
		one := q.readLeaf(p)
		var o object
		o.text("display", one.Display)
		list = append(list, append(append(o, one.values...), one.state()...))
		if one.stamp.After(res.stamp) {
			res.stamp = one.stamp
		}
		if one.Status == "" {
			live++
			if len(said) < 3 {
				first, _, _ := strings.Cut(one.Display, ". ")
				said = append(said, strings.TrimSuffix(first, "."))
			}
		}
	}
	switch {
	case !q.Link().Up():
		res.Display, res.Status = sentence(q.linkWords())+" What follows is remembered.", q.offline()
	case live == 0:
		res.Display, res.Status = sentence("no fresh reading in the group "+what), Stale
	case len(paths) <= 3 && live == len(paths):
		res.Display = sentence(strings.Join(said, "; "))
	default:
		res.Display = sentence(units.Count(len(paths), "reading", "readings")+" of "+what) + " " + sentence(strings.Join(said[:min(2, len(said))], "; "))
	}
	res.values.text("path", prefix)
	res.values.flag("available", true)
	res.values.objects("readings", list)
	if more := len(paths) - len(shown); more > 0 {
		res.values.num("more", float64(more))
	}
	return res
}

// readMember reads a member of an object: navigation.position.latitude.
func (q query) readMember(path string) (Result, bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return Result{}, false
	}
	parent, ok := q.Find(path[:i])
	if !ok {
		return Result{}, false
	}
	r, _ := q.pick(parent)
	for _, name := range r.Value.Members() {
		if strings.EqualFold(name, path[i+1:]) {
			return q.readLeaf(parent), true // the whole of it, which has the member in words
		}
	}
	return Result{}, false
}

const maxSuggested = 5

// readNothing answers for a path that was never heard: without a unit, a number
// or an estimate, but with the nearest names.
func (q query) readNothing(path string) Result {
	if !q.Link().Up() {
		return q.unreachable(leafHead(path, false))
	}
	what := nameOf(path, signalk.Meta{})
	res := Result{Display: sentence("this boat does not report " + digitless(what)), Status: NotFitted}
	res.values = leafHead(clean(path), false)
	if near := q.nearest(path); len(near) > 0 {
		res.values.texts("did_you_mean", near)
		names := make([]string, 0, 2)
		for _, p := range near[:min(2, len(near))] {
			names = append(names, digitless(nameOf(p, signalk.Meta{})))
		}
		res.Display += " " + sentence("it does report "+list(slices.Compact(names)))
	}
	return res
}

var someDigits = regexp.MustCompile(`\s*\d+`)

// digitless keeps numbers out of an answer that has none: they would be taken
// for the reading.
func digitless(s string) string { return foreignOr(someDigits.ReplaceAllString(s, ""), "that") }

// nearest gives the paths that are most like one that is not there: those that
// share its words, and then those with few changed letters.
func (q query) nearest(path string) []string {
	type scored struct {
		path string
		cost int
	}
	asked := wordsOf(path)
	last := strings.ToLower(path[strings.LastIndexByte(path, '.')+1:])
	var all []scored
	for _, p := range q.Paths("") {
		shared := 0
		has := wordsOf(p)
		for _, w := range asked {
			if slices.Contains(has, w) {
				shared++
			}
		}
		end := strings.ToLower(p[strings.LastIndexByte(p, '.')+1:])
		d := editDistance(last, end)
		near := d <= max(1, min(len(last), len(end))/4)
		if shared*2 < len(asked) && !near {
			continue
		}
		all = append(all, scored{p, d + 4*(len(asked)-shared) + len(has) - shared})
	}
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.path, b.path))
	})
	var near []string
	for _, s := range all[:min(len(all), maxSuggested)] {
		near = append(near, s.path)
	}
	return near
}

var wordSplit = regexp.MustCompile(`[^a-z0-9]+`)

// wordsOf splits a path into lower-case words, at dots and at capitals.
func wordsOf(path string) []string {
	var words []string
	for _, seg := range strings.Split(path, ".") {
		for _, w := range wordSplit.Split(strings.ToLower(unCamel(seg)), -1) {
			if w != "" && w != "dot" {
				words = append(words, w)
			}
		}
	}
	return words
}

// editDistance is Levenshtein's, of texts cut to 64 bytes.
func editDistance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
