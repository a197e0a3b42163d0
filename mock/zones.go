package mock

import (
	"encoding/json"
	"fmt"
	"strings"
)

// notificationHandler is the $source of what zones raise.
const notificationHandler = "self.notificationhandler"

// zone is one range of a path's meta.zones. The server's test is
// lower <= value < upper and the first zone that matches wins, whatever the
// specification says of severity.
type zone struct {
	Lower   *json.Number `json:"lower"`
	Upper   *json.Number `json:"upper"`
	State   string       `json:"state"`
	Message string       `json:"message"`
}

func (z zone) holds(v float64) bool {
	below := func(limit *json.Number, otherwise bool) bool {
		if limit == nil {
			return otherwise
		}
		f, err := limit.Float64()
		return err == nil && v < f
	}
	return !below(z.Lower, false) && below(z.Upper, true)
}

// text is the zone's message; the server makes one where none is configured.
func (z zone) text() string {
	if z.Message != "" {
		return z.Message
	}
	bound := func(n *json.Number) string {
		if n == nil {
			return "undefined"
		}
		return n.String()
	}
	return fmt.Sprintf("%s < value < %s", bound(z.Lower), bound(z.Upper))
}

// Which zone a watched value is in, besides the index of one.
const (
	zoneNone    = -1 // in none: normal
	zoneUnknown = -2 // no value yet
)

// watch follows one path of own boat against its zones.
type watch struct {
	zones   []zone
	methods map[string]any // meta members alarmMethod, warnMethod ...
	now     int
}

// zoneWatch raises notifications for own boat's values that cross a zone.
type zoneWatch struct{ watches map[string]*watch }

func newZoneWatch() *zoneWatch { return &zoneWatch{map[string]*watch{}} }

// check learns zones from meta, tests values, and returns the notifications
// that follow: one whenever the zone is another than before, and one for the
// first value even if it is normal.
func (z *zoneWatch) check(self, context string, updates []update) (raised []delta) {
	if context != self {
		return nil
	}
	for _, u := range updates {
		for _, m := range u.Meta {
			raised = append(raised, z.learn(m)...)
		}
		for _, v := range u.Values {
			if w := z.watches[v.Path]; w != nil {
				raised = append(raised, w.test(v)...)
			}
		}
	}
	return raised
}

func (z *zoneWatch) learn(m pathValue) []delta {
	members, ok := decodeObject(m.Value)
	if !ok || strings.HasPrefix(m.Path, "notifications.") {
		return nil
	}
	list, has := members["zones"]
	if !has {
		return nil
	}
	if list == nil {
		delete(z.watches, m.Path)
		return []delta{zoneNotification(m.Path, map[string]any{"state": "normal", "method": []string{}})}
	}
	w := &watch{methods: members, now: zoneUnknown}
	if json.Unmarshal(mustEncode(list), &w.zones) != nil || len(z.watches) >= maxPaths {
		return nil
	}
	z.watches[m.Path] = w
	return nil
}

func (w *watch) test(v pathValue) []delta {
	in := zoneNone
	var number float64
	// Null reads as 0, and a lost sensor must clear its alarm as the server does.
	if string(v.Value) != "null" && json.Unmarshal(v.Value, &number) == nil {
		for i, z := range w.zones {
			if z.holds(number) {
				in = i
				break
			}
		}
	}
	if in == w.now {
		return nil
	}
	w.now = in
	state, message := "normal", "Value is within normal range"
	if in != zoneNone {
		state, message = w.zones[in].State, w.zones[in].text()
	}
	return []delta{zoneNotification(v.Path, map[string]any{"state": state, "message": message, "method": w.method(state)})}
}

// method is how a state is to be announced: visual unless the meta says else,
// in any state, normal included.
func (w *watch) method(state string) any {
	switch m, has := w.methods[state+"Method"]; {
	case !has:
		return []string{"visual"}
	case m == nil:
		return []string{}
	default:
		return m
	}
}

func zoneNotification(path string, value map[string]any) delta {
	return delta{Updates: []update{{
		Source: notificationHandler,
		Values: []pathValue{{Path: "notifications." + path, Value: mustEncode(value)}},
	}}}
}
