package mock

import (
	"encoding/json"
	"slices"
	"strings"
)

// publish takes one delta the way a server takes one from a provider: it fills
// in what is missing, gives notifications their id, keeps the values, sends
// them to whoever subscribed, and raises what the zones say. s.mu is held.
func (s *Server) publish(d delta) {
	d.Context = s.contextName(d.Context)
	rest := []update{}
	for _, u := range d.Updates {
		s.complete(&u)
		hadValues := len(u.Values) > 0
		u, notifications := splitNotifications(u)
		for _, n := range notifications {
			if s.identify(d.Context, &n) {
				s.emit(delta{d.Context, []update{n}})
			}
		}
		if hadValues && len(u.Values) == 0 && len(u.Meta) == 0 {
			continue
		}
		rest = append(rest, u)
	}
	// What is left of a delta that had notifications only is sent too, with
	// empty updates (2.23.0 and 2.32.0).
	s.emit(delta{d.Context, rest})
	for _, raised := range s.zones.check(s.self, d.Context, rest) {
		s.publish(raised)
	}
}

// contextName gives a context its full name.
func (s *Server) contextName(context string) string {
	switch context {
	case "", "vessels.self", "self":
		return s.self
	}
	return context
}

// complete fills in the timestamp and $source that an update lacks.
func (s *Server) complete(u *update) {
	if u.Timestamp == "" {
		u.Timestamp = stamp(s.now())
	}
	if u.Source == "" {
		u.Source = sourceName(u.Origin)
	}
}

// sourceName is the $source of a source object: its label, and the address or
// the talker.
func sourceName(origin json.RawMessage) string {
	var o struct{ Label, Src, Talker string }
	if json.Unmarshal(origin, &o) != nil || o.Label == "" {
		return DefaultSource
	}
	switch {
	case o.Src != "":
		return o.Label + "." + o.Src
	case o.Talker != "":
		return o.Label + "." + o.Talker
	}
	return o.Label
}

// splitNotifications takes the notifications out of an update: a server sends
// each in a delta of its own.
func splitNotifications(u update) (rest update, notifications []update) {
	isNotification := func(v pathValue) bool { return strings.HasPrefix(v.Path, "notifications.") }
	if u.NotificationID != "" || !slices.ContainsFunc(u.Values, isNotification) {
		return u, nil
	}
	rest = u
	rest.Values = nil
	for _, v := range u.Values {
		if isNotification(v) {
			notifications = append(notifications, update{Origin: u.Origin, Source: u.Source, Timestamp: u.Timestamp, Values: []pathValue{v}})
		} else {
			rest.Values = append(rest.Values, v)
		}
	}
	return rest, notifications
}

// emit keeps a delta and queues it for every subscriber. Nothing here waits for
// a socket. s.mu is held.
func (s *Server) emit(d delta) {
	fresh := s.cache.store(d)
	var whole []byte
	for _, c := range s.clients {
		if !c.allowed {
			continue
		}
		for _, path := range fresh {
			c.announce(path)
		}
		if c.wants(d.Context, s.self) {
			if whole == nil {
				whole = mustEncode(d)
			}
			s.sendMeta(c, d)
			c.tell(d, whole)
		}
	}
	s.emitValues(d)
}

// emitValues serves the subscribe messages: one delta for each value.
func (s *Server) emitValues(d delta) {
	for _, u := range d.Updates {
		single := update{Origin: u.Origin, Source: u.Source, Timestamp: u.Timestamp}
		for _, m := range u.Meta {
			single.Meta = []pathValue{m}
			s.emitValue(delta{d.Context, []update{single}}, m.Path)
		}
		single.Meta = nil
		for _, v := range u.Values {
			single.Values = []pathValue{v}
			s.announceValue(delta{d.Context, []update{single}})
			s.emitValue(delta{d.Context, []update{single}}, v.Path)
		}
	}
}

func (s *Server) emitValue(d delta, path string) {
	var frame []byte
	for _, c := range s.clients {
		for _, r := range c.rowsFor(d.Context) {
			if r.path.matches(path) {
				if frame == nil {
					frame = mustEncode(d)
				}
				s.deliver(c, r, d, frame)
			} else if path == "" && s.opt.Version == version232 {
				for _, flat := range flattenRoot(d, r.path) {
					s.deliver(c, r, flat, mustEncode(flat))
				}
			}
		}
	}
}
