package mock

import "strings"

// displayUnits is how the server would show a value: its preset "nautical,
// metric", which is the one a new server has. Values stay SI.
type displayUnits struct {
	Category string `json:"category"`
	Target   string `json:"targetUnit"`
	Formula  string `json:"formula"`
	Inverse  string `json:"inverseFormula"`
	Symbol   string `json:"symbol"`
	Format   string `json:"displayFormat"`
}

// unitsShown finds how a unit is shown; metres have more than one way.
var unitsShown = map[string]displayUnits{
	"m/s":   {"speed", "kn", "value * 1.94384", "value * 0.514444", "kn", "0.0"},
	"K":     {"temperature", "C", "value - 273.15", "value + 273.15", "°C", "0.0"},
	"Pa":    {"pressure", "mbar", "value * 0.01", "value * 100", "mbar", "0"},
	"m3":    {"volume", "liter", "value * 1000", "value / 1000", "liter", "0.0"},
	"rad":   {"angle", "degree", "value * 57.29577951308231", "value / 57.29577951308231", "°", "0.0"},
	"rad/s": {"angularVelocity", "deg/s", "value * 57.2958", "value * 0.0174533", "°/s", "0.0"},
	"V":     {"voltage", "V", "value", "value", "V", "0.00"},
	"A":     {"current", "A", "value", "value", "A", "0.00"},
	"W":     {"power", "W", "value", "value", "W", "0.00"},
	"ratio": {"percentage", "percent", "value * 100", "value * 0.01", "%", "0"},
	"Hz":    {"frequency", "rpm", "value * 60", "value * 0.0166667", "rpm", "0.0"},
	"s":     {"time", "hour", "value * 0.0002777777777777778", "value / 0.0002777777777777778", "hour", "0.0"},
	"C":     {"charge", "Ah", "value * 0.0002777777777777778", "value / 0.0002777777777777778", "Ah", "0.0"},
	"m3/s":  {"volumeRate", "L/h", "value * 3600000", "value * 0.000000277778", "L/h", "0.0"},
	"J":     {"energy", "J", "value", "value", "J", "0.0"},
	"m":     {"distance", "naut-mile", "value * 0.0005399568034557236", "value / 0.0005399568034557236", "nmi", "0.0"},
}

// shownAs is how a path is shown; ok is false where the server says nothing.
func shownAs(path string, unit any, version string) (u displayUnits, ok bool) {
	name, _ := unit.(string)
	switch category := metres(path); {
	case name == "m" && (category == "depth" || category == "length"):
		return displayUnits{category, "m", "value", "value", "m", "0.0"}, version != version223
	case version == version223 && (name == "m" && category == "" || unlisted223(path)):
		return u, false // it does not go by the unit
	case strings.HasSuffix(path, ".capacity.nominal") && name == "J":
		name = "C" // the server has it among the charges
	}
	u, ok = unitsShown[name]
	if version == version223 {
		switch u.Category {
		case "power": // shown in its own unit, for which it has no conversion
			return u, false
		case "voltage", "current":
			u.Formula, u.Inverse = "value * 1", "value * 1"
		case "energy":
			u.Formula, u.Inverse, u.Symbol = "value * 1", "value / 1", "joule"
		}
	}
	return u, ok
}

// unlisted223 tells which paths 2.23.0 does not know how to show.
func unlisted223(path string) bool {
	return strings.HasPrefix(path, "performance.") || strings.HasSuffix(path, ".runTime") ||
		strings.HasPrefix(path, "tanks.") && strings.HasSuffix(path, ".currentLevel")
}

// metres is the category of a path in metres that has one; 2.32.0 takes all
// others for distances.
func metres(path string) string {
	switch {
	case strings.HasPrefix(path, "environment.depth."):
		return "depth"
	case strings.HasPrefix(path, "design."), path == "environment.heave",
		path == "navigation.anchor.maxRadius", path == "navigation.anchor.currentRadius":
		return "length"
	case path == "navigation.log", path == "navigation.trip.log", strings.HasSuffix(path, ".nextPoint.distance"):
		return "distance"
	}
	return ""
}

// show adds to a path's meta how its value is shown, where Options.DisplayUnits
// asks for it and nobody has said it.
func (s *Server) show(path string, meta map[string]any) map[string]any {
	if _, said := meta["displayUnits"]; s.opt.DisplayUnits && meta != nil && !said {
		if u, ok := shownAs(path, meta["units"], s.opt.Version); ok {
			meta["displayUnits"] = u
		}
	}
	return meta
}
