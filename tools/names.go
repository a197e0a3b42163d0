package tools

import (
	"regexp"
	"strings"
	"unicode"

	"signalk-mcp/signalk"
)

// names are the words of a crew for paths whose own words are not theirs.
var names = map[string]string{
	"environment.depth.belowKeel":           "depth below the keel",
	"environment.depth.belowSurface":        "depth below the surface",
	"environment.depth.belowTransducer":     "depth below the transducer",
	"environment.depth.transducerToKeel":    "offset from transducer to keel",
	"environment.depth.surfaceToTransducer": "depth of the transducer below the surface",
	"environment.wind.speedApparent":        "apparent wind speed",
	"environment.wind.angleApparent":        "apparent wind angle",
	"environment.wind.speedTrue":            "true wind speed",
	"environment.wind.angleTrueWater":       "true wind angle",
	"environment.wind.angleTrueGround":      "true wind angle over the ground",
	"environment.wind.directionTrue":        "wind direction",
	"environment.wind.directionMagnetic":    "wind direction",
	"environment.wind.speedOverGround":      "wind speed over the ground",
	"environment.current":                   "current of the water",
	"environment.mode":                      "mode of day or night",
	"environment.outside.pressure":          "air pressure",
	"navigation.attitude":                   "attitude",
	"navigation.datetime":                   "GPS time",
	"navigation.log":                        "log",
	"navigation.state":                      "navigation state",
	"navigation.trip.log":                   "trip log",
}

// references are the words at the end of a direction's path.
var references = []string{"true", "magnetic", "compass"}

var vesselID = regexp.MustCompile(`urn:mrn:imo:mmsi:(\d{9})`)

// nameOf gives the words for a path, lower case, from the path alone: what is
// in a displayName is the owner's, and comes first.
func nameOf(path string, meta signalk.Meta) string {
	if n := foreign(meta.DisplayName, maxNameSaid); n != "" {
		return n
	}
	if n, ok := names[path]; ok {
		return n
	}
	if p, ok := strings.CutPrefix(path, "notifications."); ok {
		return alarmName(p)
	}
	path = vesselID.ReplaceAllStringFunc(path, func(id string) string {
		return "vessel " + strings.Join(strings.Split(id[len(id)-9:], ""), " ")
	})
	seg := strings.Split(path, ".")
	for i := range seg {
		seg[i] = unCamel(seg[i])
	}
	switch group := seg[0]; {
	case group == "electrical" && len(seg) >= 4:
		seg = deviceName(seg[1:])
	case group == "propulsion" && len(seg) >= 3:
		seg = append(deviceWords(seg[1], "engine"), seg[2:]...)
	case group == "tanks" && len(seg) >= 4:
		seg = append([]string{seg[1], "tank", seg[2]}, seg[3:]...)
	case len(seg) > 1 && (group == "navigation" || group == "environment" || group == "steering" ||
		group == "performance" || group == "design" || group == "sensors"):
		seg = seg[1:]
	}
	words := strings.Join(seg, " ")
	for _, end := range references { // headingTrue is a true heading
		if w, ok := strings.CutSuffix(words, " "+end); ok {
			words = end + " " + w
		}
	}
	words = strings.NewReplacer("current level", "level", "calc values ", "").Replace(words)
	return foreignOr(words, "that sensor")
}

// deviceName turns batteries, house, voltage into house, battery, voltage.
func deviceName(seg []string) []string {
	kind := seg[0]
	if kind == "switches" && seg[1] == "bank" && len(seg) >= 4 {
		seg = append([]string{kind, seg[3], "of bank", seg[2]}, seg[4:]...)
	}
	switch {
	case kind == "batteries":
		kind = "battery"
	case kind == "switches":
		kind = "switch"
	default:
		kind = strings.TrimSuffix(kind, "s")
	}
	rest := seg[2:]
	if kind == "switch" && len(rest) > 0 && rest[len(rest)-1] == "state" {
		rest = rest[:len(rest)-1]
	}
	if kind == "battery" && len(rest) > 1 && rest[0] == "capacity" {
		rest = rest[1:]
		if rest[0] == "nominal" || rest[0] == "actual" || rest[0] == "remaining" {
			rest = []string{rest[0], "capacity"}
		}
	}
	return append(deviceWords(seg[1], kind), rest...)
}

// deviceWords names one of several devices: "house battery", but "battery 279".
func deviceWords(id, kind string) []string {
	if id != "" && unicode.IsDigit(rune(id[0])) {
		return []string{kind, id}
	}
	if strings.Contains(strings.ToLower(id), kind) {
		return []string{id}
	}
	return []string{id, kind}
}

// unCamel splits a path's segment into words: panelPower, engine_1.
func unCamel(s string) string {
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		switch {
		case r == '_' || r == '-':
			b.WriteByte(' ')
		case i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			b.WriteByte(' ')
			if i+1 < len(runes) && unicode.IsUpper(runes[i+1]) {
				b.WriteRune(r) // of an abbreviation
			} else {
				b.WriteRune(unicode.ToLower(r))
			}
		case unicode.IsUpper(r) && (i+1 == len(runes) || unicode.IsLower(runes[i+1])) && i == 0:
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
