package tools

import (
	"cmp"
	"slices"
	"strings"

	"signalk-mcp/signalk"
	"signalk-mcp/units"
)

var getActiveAlarms = tool{
	name:        "get_active_alarms",
	description: "What is wrong: active alarms, warnings, distress, worst first.",
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
		case len(active) == 0:
			res.Display = "No active alarms."
		default:
			res.Display = sentence(units.Count(len(active), "active alarm", "active alarms") + ": " + q.alarmWords(active))
		}
		rows := make([]object, 0, maxAlarms)
		for _, n := range active[:min(len(active), maxAlarms)] {
			var o object
			o.text("path", clean(n.Path))
			o.text("state", clean(cutWords(n.State, maxNameSaid)))
			if m := message(n.Message, maxMessage); m != "" {
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
			rows = append(rows, o)
			if n.Since.After(res.stamp) {
				res.stamp = n.Since
			}
		}
		res.values.objects("alarms", rows)
		if more := len(active) - len(rows); more > 0 {
			res.values.num("more", float64(more))
		}
		return res
	},
}

const (
	maxAlarms = 20 // rows
	saidMost  = 2  // of them in words

	maxStateSaid = 24 // runes
)

// severity ranks a state. Only null, normal and nominal are cleared; a state
// that nobody knows ranks with warn, as does the Venus plugin's "warning".
func severity(state string) int {
	switch strings.ToLower(strings.TrimSpace(state)) {
	case "normal", "nominal":
		return 0
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
	if v.Kind() != signalk.Object {
		return 0
	}
	state, _ := v.Member("state").Text()
	return severity(state)
}

// activeAlarms lists what is not cleared, the worst first, then the newest.
func (q query) activeAlarms() []signalk.Notification {
	all := slices.DeleteFunc(q.Notifications(), func(n signalk.Notification) bool { return severity(n.State) == 0 })
	slices.SortStableFunc(all, func(a, b signalk.Notification) int {
		return cmp.Or(cmp.Compare(severity(b.State), severity(a.State)), b.Since.Compare(a.Since), cmp.Compare(a.Path, b.Path))
	})
	return all
}

// alarmWords tells the worst two.
func (q query) alarmWords(active []signalk.Notification) string {
	var said []string
	loss := "the link was lost"
	if q.Link().Up() && q.Restarted() {
		loss = "the server restarted"
	}
	for _, n := range active[:min(len(active), saidMost)] {
		words := stateWords(n.State) + ", " + alarmName(n.Path)
		switch {
		case n.Unconfirmed:
			words += ", was active before " + loss + ", not confirmed since"
		case n.Acknowledged:
			words += ", acknowledged"
		case n.Silenced:
			words += ", silenced"
		}
		if age := q.Now.Sub(n.Since); !n.Since.IsZero() && age > 0 {
			words += ", for " + units.Age(age)
		}
		if m := message(n.Message, maxMessageSaid); m != "" {
			words += ", message says: " + strings.TrimRight(m, ".")
		}
		said = append(said, words)
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

// message makes a notification's text speakable. It drops what the server makes
// up where the owner gave no text: "undefined < value < 3".
func message(s string, most int) string {
	if strings.Contains(s, "< value") || strings.Contains(s, "value <") || strings.TrimSpace(s) == "undefined" {
		return ""
	}
	return foreign(s, most)
}
