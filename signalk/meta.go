package signalk

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
)

// Meta is what the server says about a path. It is merged from what arrives: a
// change brings only the keys that changed (signalk-server 2.23, 2.32).
type Meta struct {
	// Units is the SI unit of the value, whatever unit the owner's displays use.
	Units string
	// Description is the schema's or the owner's text; empty for the server's
	// filler "Data should be of type number."
	Description string
	// DisplayName is the owner's name for the path.
	DisplayName string
	// Timeout is how long a value is good for; 0 if not given.
	Timeout time.Duration
	// Members are the units of an object's members; at most 32.
	Members map[string]string
	// Zones are the bands of the value that mean something, at most 32.
	Zones []Zone
}

// Zone is a band of values with a state. A missing bound is open.
type Zone struct {
	Lower, Upper   *float64
	State, Message string
}

// Holds reports whether a value lies in the band. The schema's bounds are
// inclusive; a value on the border of two bands is in both.
func (z Zone) Holds(x float64) bool {
	if z.Lower == nil && z.Upper == nil {
		return false
	}
	return (z.Lower == nil || x >= *z.Lower) && (z.Upper == nil || x <= *z.Upper)
}

const (
	maxUnits       = 32
	maxDescription = 512
	maxName        = 64
	maxZones       = 32
	maxUnitMembers = 32
)

const filler = "Data should be of type"

func (v *Vessel) mergeMeta(s *ship, m pathMeta) {
	path := m.Path.s
	if s != v.own || !validPath(path) { // of others, the schema's meta is enough
		return
	}
	old := s.meta[path]
	if old == nil && len(s.meta) >= MaxPaths {
		v.stats.Full++
		return
	}
	meta := merged(old, m.Value)
	cost := meta.size(path) - old.size(path)
	if cost > 0 && v.bytes+cost > roomFor(path) {
		v.stats.Full++
		return
	}
	v.bytes += cost
	s.meta[path] = meta
	if n := s.paths[path]; n != nil {
		n.kind = s.kind(path)
	}
}

// merged gives what was known with what is told now. What was known is not
// changed: views keep it.
func merged(old *Meta, told map[string]json.RawMessage) *Meta {
	meta := &Meta{}
	if old != nil {
		*meta = *old
	}
	var text string
	if member(told, "units", &text) {
		meta.Units = cut(text, maxUnits)
	}
	if member(told, "description", &text) {
		meta.Description = cut(text, maxDescription)
		if strings.HasPrefix(text, filler) {
			meta.Description = ""
		}
	}
	if member(told, "displayName", &text) {
		meta.DisplayName = cut(text, maxName)
	}
	var properties map[string]struct{ Units string }
	if member(told, "properties", &properties) {
		meta.Members = map[string]string{}
		for name, p := range properties {
			if len(meta.Members) < maxUnitMembers && len(name) <= maxName && p.Units != "" {
				meta.Members[name] = cut(p.Units, maxUnits)
			}
		}
	}
	var seconds float64
	if member(told, "timeout", &seconds) && seconds >= 0 {
		meta.Timeout = time.Duration(math.Min(seconds, 1e6) * float64(time.Second))
	}
	var zones []Zone
	if member(told, "zones", &zones) {
		meta.Zones = slices.Clone(zones[:min(len(zones), maxZones)])
		for i, z := range meta.Zones {
			meta.Zones[i].State, meta.Zones[i].Message = cut(z.State, maxName), cut(z.Message, maxDescription)
		}
	}
	return meta
}

// size is about what a path's meta costs in memory.
func (m *Meta) size(path string) int {
	if m == nil {
		return 0
	}
	n := metaCost + len(path) + len(m.Units) + len(m.Description) + len(m.DisplayName)
	for name, units := range m.Members {
		n += 64 + len(name) + len(units)
	}
	for _, z := range m.Zones {
		n += 64 + len(z.State) + len(z.Message)
	}
	return n
}

// member decodes one key, if it is there and of its type.
func member(m map[string]json.RawMessage, key string, to any) bool {
	raw, ok := m[key]
	return ok && json.Unmarshal(raw, to) == nil
}
