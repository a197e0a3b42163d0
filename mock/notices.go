package mock

import (
	"fmt"
	"slices"
)

// notice is a notification that the vessel's own instruments raised.
type notice struct {
	path, source string // without "notifications."
	value        noticeValue
}

type noticeValue struct {
	State   string   `json:"state"`
	Method  []string `json:"method"`
	Message string   `json:"message"`
}

// raise takes a notification into a state; a state that it has is not told again.
func (v *Vessel) raise(source, path, state, message string) {
	method := []string{"visual", "sound"}
	if state == "normal" {
		method = []string{}
	}
	n := notice{path, source, noticeValue{state, method, message}}
	i := slices.IndexFunc(v.notices, func(o notice) bool { return o.path == path && o.source == source })
	switch {
	case i < 0:
		v.notices = append(v.notices, n)
		i = len(v.notices) - 1
	case v.notices[i].value.State == state:
		return
	default:
		v.notices[i] = n
	}
	v.fresh = append(v.fresh, i)
}

// tellNotices are the deltas of all notifications, or of those not yet told.
func (v *Vessel) tellNotices(all bool) []Delta {
	var out []Delta
	for i, n := range v.notices {
		if all || slices.Contains(v.fresh, i) {
			out = append(out, v.say(n.source, PathValue{"notifications." + n.path, n.value}))
		}
	}
	v.fresh = nil
	return out
}

// watchAnchor is the anchor alarm's.
func (v *Vessel) watchAnchor() {
	over := v.anchor.watched.distance(v.position) > v.anchor.limit
	if over == v.anchor.over {
		return
	}
	v.anchor.over = over
	if over {
		v.raise(anchorAlarm, "navigation.anchor", "emergency", "Anchor drags")
	} else {
		v.raise(anchorAlarm, "navigation.anchor", "normal", "Anchor watch is on")
	}
}

// closeQuarters: nearer than that, and sooner, and the derived-data plugin raises
// a notification.
const (
	closeQuarters = 500.0 // m
	soon          = 600.0 // s
)

// watchTraffic is the derived-data plugin's.
func (v *Vessel) watchTraffic() {
	way := v.motion().ground
	for _, s := range v.ships {
		cpa, tcpa := s.at(v.elapsed()).approach(v.position, way)
		path := "navigation.closestApproach.urn:mrn:imo:mmsi:" + s.mmsi
		switch {
		case cpa < closeQuarters && tcpa > 0 && tcpa < soon:
			v.raise(derivedData, path, "alert", fmt.Sprintf("Crossing vessel %s %.2f m away in %.2f  minutes", s.name, cpa, tcpa/60))
		case slices.ContainsFunc(v.notices, func(n notice) bool { return n.path == path }):
			v.raise(derivedData, path, "normal", "")
		}
	}
}
