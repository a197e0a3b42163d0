package mock

// What of own boat only the server's own settings say (source "defaults"): a
// client's word for it is dropped.
var (
	ownMembers = []string{"name", "mmsi"}
	ownPaths   = map[string]bool{
		"design.aisShipType": true, "design.beam": true, "design.draft": true, "design.length": true,
		"sensors.gps.fromBow": true, "sensors.gps.fromCenter": true,
	}
)

// settingsOnly takes out of a client's delta what is the settings' to say. An
// update of which nothing is left stays as a shell with 2.23.0, and goes with
// 2.32.0.
func (s *Server) settingsOnly(d *delta) {
	if s.contextName(d.Context) != s.self {
		return
	}
	kept := []update{}
	for _, u := range d.Updates {
		if u.Source != "defaults" && len(u.Values) > 0 {
			var values []pathValue
			for _, v := range u.Values {
				if others(&v) {
					values = append(values, v)
				}
			}
			u.Values = values
			if values == nil && u.Meta == nil && s.opt.Version == version232 {
				continue
			}
		}
		kept = append(kept, u)
	}
	d.Updates = kept
}

// others takes out of a value what is the settings' to say, and tells whether
// something is left.
func others(v *pathValue) bool {
	if v.Path != "" {
		return !ownPaths[v.Path]
	}
	members, ok := decodeObject(v.Value)
	if !ok {
		return true
	}
	had := len(members)
	for _, name := range ownMembers {
		delete(members, name)
	}
	if c, ok := members["communication"].(map[string]any); ok {
		if _, has := c["callsignVhf"]; has {
			had++ // so that what is left is written again
		}
		delete(c, "callsignVhf")
		if len(c) == 0 {
			delete(members, "communication")
		}
	}
	if len(members) < had {
		v.Value = mustEncode(members)
	}
	return len(members) > 0
}
