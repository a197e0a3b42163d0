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
	// Since is when it took this state, as far as stamps tell.
	Since time.Time
	// Acknowledged and Silenced say what was done about its sound; it is as
	// active as before.
	Acknowledged, Silenced bool
	// Unconfirmed reports that this connection has not brought it again: it was
	// so before the link was lost, or before the server restarted.
	Unconfirmed bool
}

// Notifications lists those of the own vessel that are not null, by path and
// source. One source's normal clears no other's alarm.
func (w View) Notifications() []Notification {
	var list []Notification
	for _, path := range w.Paths("notifications") {
		for _, h := range w.v.own.paths[path].sources {
			if h.value.Kind() != Object || w.v.forgotten(h, w.Now) {
				continue
			}
			n := Notification{
				Path: strings.TrimPrefix(path, "notifications."), Source: h.source,
				Since: h.began, Unconfirmed: h.conn != w.v.conn || w.v.link.State != Live && w.v.link.State != Waiting,
			}
			n.State, _ = h.value.Member("state").Text()
			n.Message, _ = h.value.Member("message").Text()
			status := h.value.Member("status")
			n.Acknowledged, _ = status.Member("acknowledged").Bool()
			n.Silenced, _ = status.Member("silenced").Bool()
			list = append(list, n)
		}
	}
	return list
}

// Restarted reports whether the server restarted before the present connection,
// as far as can be known.
func (w View) Restarted() bool { return w.v.restart }
