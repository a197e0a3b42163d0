package signalk

import (
	"strings"
	"time"
)

// Notification is what one source holds up on one notification path.
type Notification struct {
	Path    string // without "notifications."
	Source  string
	State   string // nominal, normal, alert, warn, alarm, emergency, or what a producer invents
	Message string // as it came: hostile text
	// Since is when it took this state, by a stamp that can be right; zero if there
	// is none. Age is how long ago that was on the server's clock, if AgeKnown.
	Since    time.Time
	Age      time.Duration
	AgeKnown bool
	// Acknowledged and Silenced say what was done about its sound since it took
	// this state; it is as active as before.
	Acknowledged, Silenced bool
	// Unconfirmed reports that this connection has not brought it again: it was
	// so before the link was lost, or before the server restarted.
	Unconfirmed bool
	// Vessel is the id of another vessel that is in distress, and Name what it
	// calls itself: hostile text. Both are empty for the own vessel.
	Vessel, Name string
}

// Notifications lists those of the own vessel that are not null, by path and
// source. One source's normal clears no other's alarm.
func (w View) Notifications() []Notification { return w.notifications(w.v.own) }

// Distress lists the notifications of other vessels: radios put there what those
// send (nmea0183-signalk, DSC).
func (w View) Distress() []Notification {
	var all []Notification
	for _, id := range w.Others() {
		list := w.notifications(w.v.others[id])
		name, _ := w.Other(id, "name").Value.Text()
		for i := range list {
			list[i].Vessel, list[i].Name = id, name
		}
		all = append(all, list...)
	}
	return all
}

func (w View) notifications(s *ship) []Notification {
	var list []Notification
	link := w.Link().State
	for _, path := range s.below("notifications") {
		for _, h := range s.paths[path].sources {
			if h.value.IsNull() || w.v.forgotten(h, w.Now) {
				continue
			}
			n := Notification{
				Path: strings.TrimPrefix(path, "notifications."), Source: h.source,
				Since: h.began.stamp, Age: w.Now.Sub(h.began.at), AgeKnown: h.began.known,
				Unconfirmed: h.conn != w.v.conn || link != Live && link != Waiting,
			}
			n.State = StateOf(h.value)
			n.Message, _ = h.value.Member("message").Text()
			if !h.carried {
				n.Acknowledged, n.Silenced = marks(h.value)
			}
			list = append(list, n)
		}
	}
	return list
}

// StateOf gives the state in a notification's value; empty if it has none. Some
// senders give the state alone.
func StateOf(v Value) string {
	if s, ok := v.Text(); ok {
		return s
	}
	s, _ := v.Member("state").Text()
	return s
}

// Cleared reports whether a notification's state is one of the two that are none
// to worry about.
func Cleared(state string) bool {
	switch strings.ToLower(strings.TrimSpace(state)) {
	case "normal", "nominal":
		return true
	}
	return false
}

// settledBy reports whether a notification is marked as acknowledged or silenced.
// The mark outlives the state that it was given for: an acknowledged alarm that
// grows to an emergency, or comes again, still has it (signalk-server 2.23, 2.32).
func settledBy(v Value) bool {
	acknowledged, silenced := marks(v)
	return acknowledged || silenced
}

// marks gives what a notification's value says was done about its sound.
func marks(v Value) (acknowledged, silenced bool) {
	status := v.Member("status")
	acknowledged, _ = status.Member("acknowledged").Bool()
	silenced, _ = status.Member("silenced").Bool()
	return acknowledged, silenced
}

// Restarted reports whether the server restarted before the present connection,
// as far as can be known.
func (w View) Restarted() bool { return w.v.restart }
