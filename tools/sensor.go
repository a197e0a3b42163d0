package tools

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"signalk-mcp/signalk"
	"signalk-mcp/tools/spell"
	"signalk-mcp/units"
)

var readSensor = tool{
	name:        "read_sensor",
	description: "What is the wind, speed, course, how much is in the tanks, where are we: any sensor.",
	arguments:   []string{"path"},
	required:    []string{"path"},
	example:     `{"path":"navigation.position"}`,
	answer: func(q query) Result {
		path, ours := q.normalPath(q.args["path"])
		switch {
		case path == "":
			return wrong(&argError{"path", "a Signal K path such as " + examplePath})
		case !ours:
			return Result{Display: "That is another vessel's; only the sensors of this boat are read here.", Status: NotFitted, values: leafHead(field(path, maxPathSaid), false)}
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

const maxPathSaid = 256 // bytes of a path that was asked for

// normalPath undoes other spellings of a path: slashes, the own vessel in front,
// .value behind. It guesses no name. ours is false if it is another vessel's.
func (q query) normalPath(s string) (path string, ours bool) {
	s = strings.Trim(strings.ReplaceAll(strings.TrimSpace(s), "/", "."), ".")
	s, _ = cutFold(s, "signalk.v1.api.")
	s, context := cutFold(s, "vessels.")
	self := q.Self()
	for _, own := range []string{"self", self} {
		rest, ok := cutFold(s+".", own+".")
		if ok && own != "" {
			s, context = strings.TrimSuffix(rest, "."), false
			break
		}
	}
	if context || strings.HasPrefix(strings.ToLower(s), "urn:") {
		return s, false
	}
	return strings.TrimSuffix(s, ".value"), true
}

// cutFold is strings.CutPrefix in whatever letter case.
func cutFold(s, prefix string) (rest string, found bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
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
	r.Path = path // where there is no reading any more
	return q.leaf(r, warning)
}

// leaf tells of one reading.
func (q query) leaf(r signalk.Reading, warning string) Result {
	res := q.tell(nameOf(r.Path, q.Meta(r.Path)), r)
	res.values = append(leafHead(r.Path, true), res.values...)
	res.used(r)
	if warning != "" {
		res.warn(warning)
	}
	if depthLike(r.Quantity) && r.Fresh() && q.Link().Up() {
		if _, broken := q.soundings(signalk.Reading.Fresh).clearance(); broken != "" {
			res.warn(broken)
		}
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
	case null && strings.HasPrefix(r.Path, "navigation.anchor.") && q.Reading("navigation.anchor.position").State == signalk.NoData:
		return Result{Display: "No anchor watch is set: the anchor is up.", Status: NoData} // a null position means that
	case null && r.Quantity == signalk.Alarm:
		return Result{Display: sentence(what + ": no alarm")}
	case r.Quantity == signalk.Alarm:
		what = "state of " + what
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
	if r.Quantity == signalk.BatteryAmps && q.opposed(r) {
		s.Spoken.Words, s.value = "current of uncertain direction, as two sources have opposite signs", nil
	}
	return s
}

// opposed reports whether sources of a battery's current had opposite signs at the
// time of a reading, beyond what is no current.
func (q query) opposed(r signalk.Reading) bool {
	var in, out bool
	for _, x := range q.Readings(r.Path) {
		if amps, ok := x.Value.Number(); ok && x.Fresh() == r.Fresh() && (x.Age-r.Age).Abs() <= 2*time.Minute {
			in = in || units.Round(amps, 1) > 0
			out = out || units.Round(amps, 1) < 0
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

const (
	maxReadings = 25
	maxRows     = 2500 // bytes of rows: with the rest less than 1,000 tokens
)

// readGroup reads all below a prefix.
func (q query) readGroup(prefix string, paths []string) Result {
	what := nameOf(prefix, signalk.Meta{})
	var res Result
	var list []object
	var said []string
	live, null, size := 0, 0, 0
	for _, p := range paths[:min(len(paths), maxReadings)] {
		one := q.readLeaf(p)
		var row object
		row.text("display", one.Display)
		row = append(append(row, one.values...), one.state()...)
		if size += len(row); size > maxRows && len(list) > 0 {
			break
		}
		list = append(list, row)
		if one.stamp.After(res.stamp) {
			res.stamp = one.stamp
		}
		if one.warning != "" && res.warning == "" {
			res.warn(nameOf(p, q.Meta(p)) + ": " + strings.TrimSuffix(one.warning, "."))
		}
		switch one.Status {
		case "":
			live++
			if len(said) < 3 {
				first, _, _ := strings.Cut(one.Display, ". ")
				said = append(said, strings.TrimSuffix(first, "."))
			}
		case NoData:
			null++
		}
	}
	switch {
	case !q.Link().Up():
		res.Display, res.Status = sentence(q.linkWords())+" What follows is remembered.", q.offline()
	case live == 0 && null == len(list):
		res.Display, res.Status = sentence("no reading in the group "+what+" now: its sensors have no value to send"), NoData
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
	if more := len(paths) - len(list); more > 0 {
		res.values.num("more", float64(more))
	}
	return res
}

// readMember reads a member of an object: navigation.attitude.roll. Half a
// position is told with the other half.
func (q query) readMember(path string) (Result, bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return Result{}, false
	}
	parent, ok := q.Find(path[:i])
	if !ok {
		return Result{}, false
	}
	r, warning := q.pick(parent)
	for _, name := range append(r.Value.Members(), r.Before.Members()...) {
		if !strings.EqualFold(name, path[i+1:]) {
			continue
		}
		if name == "latitude" || name == "longitude" {
			return q.leaf(r, warning), true
		}
		r.Path = parent + "." + name
		r.Value, r.Before = r.Value.Member(name), r.Before.Member(name)
		r.Quantity = signalk.SchemaOf(r.Path, q.memberUnits(r.Path)).Quantity
		if _, ok := signalk.PositionOf(r.Value); ok {
			r.Quantity = signalk.Place
		}
		if r.Fresh() && r.Value.IsNull() {
			r.State = signalk.NoData
		}
		return q.leaf(r, ""), true
	}
	return Result{}, false
}

const maxSuggested = 5

// readNothing answers for a path that was never heard: without a unit, a number
// or an estimate, but with the nearest names.
func (q query) readNothing(path string) Result {
	if !q.Link().Up() {
		return q.unreachable(leafHead(field(path, maxPathSaid), false))
	}
	what := digitless(nameOf(path, signalk.Meta{}))
	res := q.notNow(what, signalk.NotFitted, memory{})
	res.values = leafHead(field(path, maxPathSaid), false)
	near := q.nearest(path)
	if len(near) == 0 {
		return res
	}
	res.values.texts("did_you_mean", near)
	names := make([]string, 0, 2)
	for _, p := range near[:min(2, len(near))] {
		names = append(names, digitless(nameOf(p, signalk.Meta{})))
	}
	if slices.Contains(names, what) {
		res.Display = "No sensor has just that path; the nearest have the same name or a like one."
	}
	res.Display += " " + sentence("it does report "+list(slices.Compact(names)))
	return res
}

var someDigits = regexp.MustCompile(`\s*\d+`)

// digitless keeps numbers out of an answer that has none: they would be taken
// for the reading.
func digitless(s string) string { return foreignOr(someDigits.ReplaceAllString(s, ""), "that") }

// crewWords are what crews call things, by the words of the paths that have them.
var crewWords = map[string]string{
	"sog": "speed over ground", "cog": "course over ground", "stw": "speed through water", "hdg": "heading",
	"aws": "wind speed apparent", "awa": "wind angle apparent", "tws": "wind speed true", "twa": "wind angle true", "twd": "wind direction",
	"xte": "cross track error", "dtw": "distance", "btw": "bearing", "vmg": "velocity made good", "eta": "estimated time of arrival",
	"rpm": "revolutions", "engine": "propulsion", "motor": "propulsion", "barometer": "outside pressure", "baro": "outside pressure",
	"temp": "temperature", "battery": "batteries", "soc": "state of charge", "tank": "tanks", "heel": "attitude", "trim": "attitude",
	"gps": "position gnss", "sea": "water", "air": "outside", "boatspeed": "speed through water", "windspeed": "wind speed", "gybe": "wind angle",
}

// nearest gives the paths that are most like one that is not there: those that
// share its words, as they are or as a crew has them, or nearly.
func (q query) nearest(path string) []string {
	var asked []string
	for _, w := range wordsOf(path) {
		if words, ok := crewWords[w]; ok {
			asked = append(asked, strings.Fields(words)...)
		} else {
			asked = append(asked, w)
		}
	}
	asked = asked[:min(len(asked), 12)]
	type scored struct {
		path string
		cost float64
	}
	var all []scored
	likes := map[string][]float64{} // a boat's paths are made of few words
	for _, p := range q.Paths("") {
		has := wordsOf(p)
		found := 0.0
		for i := range asked {
			best := 0.0
			for _, w := range has {
				like, ok := likes[w]
				if !ok {
					like = make([]float64, len(asked))
					for j, x := range asked {
						like[j] = likeness(x, w)
					}
					likes[w] = like
				}
				best = max(best, like[i])
			}
			found += best
		}
		if found*2 >= float64(len(asked)) && found > 0 {
			all = append(all, scored{p, 2*(float64(len(asked))-found) + 0.1*max(0, float64(len(has))-found)})
		}
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

// likeness is 1 for the same word, less for a misspelt or shortened one, and 0 for
// another.
func likeness(asked, word string) float64 {
	switch d := spell.Distance(asked, word); {
	case d == 0:
		return 1
	case len(asked) >= 4 && d <= len(asked)/4:
		return 0.8
	case len(asked) >= 3 && strings.HasPrefix(word, asked), len(word) >= 4 && strings.HasPrefix(asked, word):
		return 0.7
	}
	return 0
}

// wordsOf splits a path into lower-case words, at dots and at capitals.
func wordsOf(path string) []string {
	var words []string
	for _, w := range strings.FieldsFunc(unCamel(path), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if w = strings.ToLower(w); w != "dot" {
			words = append(words, w)
		}
	}
	return words
}
