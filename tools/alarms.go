package tools

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"signalk-mcp/signalk"
	"signalk-mcp/units"
)

var getActiveAlarms = tool{
	name:        "get_active_alarms",
	description: "Is anything wrong, why is there an alarm: active alarms, warnings, distress, worst first.",
	answer: func(q query) Result {
		active := q.activeAlarms()
		up := q.Link().Up()
		var res Result
		switch {
		case !up && len(active) == 0:
			r := q.unreachable(nil)
			r.Display += " I cannot tell whether there is an alarm."
			return r
		case !up:
			lead := "So far"
			if active[0].Unconfirmed {
				lead = "Last known, not confirmed"
			}
			res.Display = sentence(q.linkWords()) + " " + lead + ": " + q.alarmWords(active) + "."
			res.Status = q.offline()
		case len(active) == 0 && q.Crowded():
			res.Display, res.Status = "I cannot tell whether there is an alarm: the server sends more values than are kept.", NoData
		case len(active) == 0:
			res.Display = noAlarms
		default:
			res.Display = sentence(units.Count(len(active), "active alarm", "active alarms") + ": " + q.alarmWords(active))
		}
		var rows []object
		size := 0
		for i, n := range active[:min(len(active), maxAlarms)] {
			row := alarmRow(n)
			if slices.ContainsFunc(active, func(o signalk.Notification) bool {
				return o.Path == n.Path && o.Vessel == n.Vessel && o.Source != n.Source
			}) {
				row.text("source", field(n.Source, maxNameSaid))
			}
			if size += len(row); size > maxRows && i > 0 {
				break
			}
			rows = append(rows, row)
			if n.Since.After(res.stamp) {
				res.stamp = n.Since
			}
		}
		res.values.objects("alarms", rows)
		if more := len(active) - len(rows); more > 0 {
			res.values.num("more", float64(more))
		}
		q.tellDistress(&res)
		return res
	},
}

const noAlarms = "No active alarms."

// tellDistress tells what is received from others: it is no alarm of this boat.
func (q query) tellDistress(res *Result) {
	others := q.distress()
	if len(others) == 0 || !q.Link().Up() {
		return
	}
	var rows []object
	for _, n := range others[:min(len(others), maxDistress)] {
		rows = append(rows, alarmRow(n))
	}
	res.values.objects("distress", rows)
	n := others[0]
	who := foreign(n.Name, maxNameSaid)
	if who == "" {
		who = nameOf(n.Vessel, signalk.Meta{})
	}
	words := "distress received from another vessel, " + who + ": " + alarmName(n.Path)
	if n.AgeKnown {
		words += ", " + units.Age(n.Age) + " ago"
	}
	if more := len(others) - 1; more > 0 {
		words += "; and " + units.Count(more, "more", "more")
	}
	words = sentence(words)
	if res.Display == noAlarms {
		res.Display = words + " No alarms of this boat itself."
		return
	}
	res.Display += " " + words
}

// alarmRow is an alarm as a field.
func alarmRow(n signalk.Notification) (o object) {
	o.text("path", clean(n.Path))
	o.text("state", field(n.State, maxNameSaid))
	if n.Vessel != "" {
		o.text("vessel", field(cmp.Or(n.Name, n.Vessel), maxNameSaid))
	}
	if m := field(n.Message, maxMessage); m != "" && !madeUp.MatchString(m) {
		o.text("message", m)
	}
	if !n.Since.IsZero() {
		o.text("since", n.Since.UTC().Format("2006-01-02T15:04:05Z"))
	}
	if n.Acknowledged {
		o.flag("acknowledged", true)
	}
	if n.Silenced {
		o.flag("silenced", true)
	}
	if n.Unconfirmed {
		o.flag("unconfirmed", true)
	}
	return o
}

const (
	maxAlarms = 20 // rows
	saidMost  = 2  // of them in words

	maxDistress = 5

	maxStateSaid = 24 // runes
)

// severity ranks a state. Only null, normal and nominal are cleared; a state
// that nobody knows ranks with warn, as does the Venus plugin's "warning".
func severity(state string) int {
	if signalk.Cleared(state) {
		return 0
	}
	switch strings.ToLower(strings.TrimSpace(state)) {
	case "alert":
		return 1
	case "alarm":
		return 3
	case "emergency":
		return 4
	}
	return 2
}

// stateWords says a state, which may be anything.
func stateWords(state string) string {
	return cmp.Or(foreign(state, maxStateSaid), "a state without a name")
}

// stateSeverity ranks a notification's value; null is cleared.
func stateSeverity(v signalk.Value) int {
	if v.IsNull() {
		return 0
	}
	return severity(signalk.StateOf(v))
}

// activeAlarms lists what is not cleared on the own vessel: the worst first, then
// the newest.
func (q query) activeAlarms() []signalk.Notification {
	all := slices.DeleteFunc(q.Notifications(), func(n signalk.Notification) bool { return severity(n.State) == 0 })
	return worstFirst(all)
}

// distress lists what other vessels send in distress, the newest first. Some
// radios give a message and no state (nmea0183-signalk, DSC).
func (q query) distress() []signalk.Notification {
	return worstFirst(slices.DeleteFunc(q.Distress(), func(n signalk.Notification) bool {
		nature, _, _ := strings.Cut(n.Path, ".")
		return n.State != "" && severity(n.State) < severity("alarm") || !slices.Contains(natures, nature)
	}))
}

// natures are those of distress that radios know.
var natures = []string{"abandon", "adrift", "collision", "epirb", "fire", "flooding", "grounding", "listing", "mob", "piracy", "sinking", "undesignated"}

// worstFirst sorts notifications, and tells once what two sources say alike.
func worstFirst(all []signalk.Notification) []signalk.Notification {
	youth := func(n signalk.Notification) time.Duration {
		if !n.AgeKnown {
			return math.MaxInt64
		}
		return n.Age
	}
	slices.SortStableFunc(all, func(a, b signalk.Notification) int {
		return cmp.Or(cmp.Compare(severity(b.State), severity(a.State)), cmp.Compare(youth(a), youth(b)), cmp.Compare(a.Path, b.Path))
	})
	var active []signalk.Notification
	for _, n := range all {
		if !slices.ContainsFunc(active, func(o signalk.Notification) bool {
			return o.Path == n.Path && o.State == n.State && o.Message == n.Message && o.Vessel == n.Vessel && o.Unconfirmed == n.Unconfirmed
		}) {
			active = append(active, n)
		}
	}
	return active
}

// alarmWords tells the worst two; behind words on a lost link, the worst and how
// many more there were.
func (q query) alarmWords(active []signalk.Notification) string {
	var said []string
	up := q.Link().Up()
	loss := "the link was lost"
	if q.Restarted() {
		loss = "the server restarted"
	}
	most := min(len(active), saidMost)
	if !up {
		most = 1
	}
	for _, n := range active[:most] {
		words := stateWords(n.State) + ", " + alarmName(n.Path)
		switch {
		case n.Unconfirmed && up: // over a lost link all are, which is said first
			words += ", was active before " + loss + ", not confirmed since"
		case n.Acknowledged:
			words += ", acknowledged"
		case n.Silenced:
			words += ", silenced"
		}
		if n.AgeKnown {
			words += ", for " + units.Age(n.Age)
		}
		if m := message(n.Message, maxMessageSaid); m != "" {
			words += ", message says: " + strings.TrimRight(m, ".")
		}
		said = append(said, words)
	}
	if more := len(active) - most; !up && more > 0 {
		said = append(said, "and "+strconv.Itoa(more)+" more")
	}
	return strings.Join(said, "; ")
}

// alarmName names an alarm by its path. What others send in distress is put
// below the own vessel's notifications by radios and plugins.
func alarmName(path string) string {
	for _, from := range []string{"dsc.", "received."} {
		if strings.HasPrefix(path, from) {
			return "distress received from another vessel"
		}
	}
	if path == "mob" || strings.HasPrefix(path, "mob.") {
		return "man overboard"
	}
	return nameOf(path, signalk.Meta{})
}

var madeUp = regexp.MustCompile(`^\s*(undefined|\S+ < value < \S+)\s*$`)

// message makes a notification's text speakable. It drops what the server makes
// up where the owner gave no text: "undefined < value < 3".
func message(s string, most int) string {
	if madeUp.MatchString(s) {
		return ""
	}
	return foreignMessage(s, most)
}
