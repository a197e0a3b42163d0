package mock

import (
	"encoding/json"
	"strings"
)

// schemaEntry is what the specification says of a path; a server gives it to a
// path before anybody has configured meta. "*" in pattern is one segment.
type schemaEntry struct {
	pattern     string
	units       string
	description string
	properties  string // JSON: units of the members of an object value
}

const (
	noDescription   = "Data should be of type number."
	positionMembers = `{"longitude":{"type":"number","description":"Longitude","units":"deg","example":4.98765245},"latitude":{"type":"number","description":"Latitude","units":"deg","example":52.0987654},"altitude":{"type":"number","description":"Altitude","units":"m"}}`
)

// schema holds the paths a cruising boat is likely to have (SignalK
// specification 1.8.2), groups included.
var schema = []schemaEntry{
	{"design.aisShipType", "", "The ais ship type see http://www.bosunsmate.org/ais/message5.php", `{"id":{"type":"number","description":"The ship type number"},"name":{"type":"string","description":"The ship type name"}}`},
	{"design.airHeight", "m", "Total height of the vessel", ""},
	{"design.beam", "m", "Beam length", ""},
	{"design.draft", "", "The draft of the vessel", `{"minimum":{"description":"The minimum draft of the vessel","type":"number","units":"m"},"maximum":{"description":"The maximum draft of the vessel","type":"number","units":"m"},"current":{"description":"The current draft of the vessel","type":"number","units":"m"},"canoe":{"description":"The draft of the vessel without protrusions such as keel, centerboard, rudder","type":"number","units":"m"}}`},
	{"design.length", "", "The various lengths of the vessel", `{"overall":{"type":"number","description":"Length overall","units":"m"},"hull":{"type":"number","description":"Length of hull","units":"m"},"waterline":{"type":"number","description":"Length at waterline","units":"m"}}`},

	{"electrical.batteries", "", "Data about the vessel's batteries", ""},
	{"electrical.batteries.*.capacity", "", "Data about the battery's capacity", ""},
	{"electrical.batteries.*.capacity.nominal", "J", "The capacity of battery as specified by the manufacturer", ""},
	{"electrical.batteries.*.capacity.remaining", "J", "Capacity remaining in battery", ""},
	{"electrical.batteries.*.capacity.dischargeSinceFull", "C", noDescription, ""},
	{"electrical.batteries.*.capacity.stateOfCharge", "ratio", noDescription, ""},
	{"electrical.batteries.*.capacity.stateOfHealth", "ratio", noDescription, ""},
	{"electrical.batteries.*.capacity.timeRemaining", "s", noDescription, ""},
	{"electrical.batteries.*.current", "A", "Current flowing out (+ve) or in (-ve) to the device. Reversed for batteries (+ve = charging).", ""},
	{"electrical.batteries.*.name", "", "Unique ID of device (houseBattery, alternator, Generator, solar1, inverter, charger, combiner, etc.)", ""},
	{"electrical.batteries.*.temperature", "K", "Temperature measured within or on the device", ""},
	{"electrical.batteries.*.voltage", "V", "Voltage measured at or as close as possible to the device", ""},
	{"electrical.solar", "", "Data about Solar charging device(s)", ""},
	{"electrical.solar.*.panelPower", "W", noDescription, ""},

	{"environment.current", "", "Direction and strength of current affecting the vessel", `{"drift":{"type":"number","description":"The speed component of the water current vector","units":"m/s"},"setTrue":{"type":"number","description":"The direction component of the water current vector referenced to true (geographic) north","units":"rad"},"setMagnetic":{"type":"number","description":"The direction component of the water current vector referenced to magnetic north","units":"rad"}}`},
	{"environment.depth", "", "Depth related data", ""},
	{"environment.depth.belowKeel", "m", "Depth below keel", ""},
	{"environment.depth.belowSurface", "m", "Depth from surface", ""},
	{"environment.depth.belowTransducer", "m", "Depth below Transducer", ""},
	{"environment.depth.surfaceToTransducer", "m", "Depth transducer is below the water surface", ""},
	{"environment.depth.transducerToKeel", "m", "Depth from the transducer to the bottom of the keel", ""},
	{"environment.outside", "", "Environmental conditions outside of the vessel's hull", ""},
	{"environment.outside.pressure", "Pa", "Current outside air ambient pressure", ""},
	{"environment.outside.relativeHumidity", "ratio", "Current outside air relative humidity", ""},
	{"environment.outside.temperature", "K", "Current outside air temperature", ""},
	{"environment.water", "", "Environmental conditions of the water that the vessel is sailing in", ""},
	{"environment.water.temperature", "K", "Current water temperature", ""},
	{"environment.wind", "", "Wind data.", ""},
	{"environment.wind.angleApparent", "rad", "Apparent wind angle, negative to port", ""},
	{"environment.wind.angleTrueGround", "rad", "True wind angle based on speed over ground, negative to port", ""},
	{"environment.wind.angleTrueWater", "rad", "True wind angle based on speed through water, negative to port", ""},
	{"environment.wind.directionMagnetic", "rad", "The wind direction relative to magnetic north", ""},
	{"environment.wind.directionTrue", "rad", "The wind direction relative to true north", ""},
	{"environment.wind.speedApparent", "m/s", "Apparent wind speed", ""},
	{"environment.wind.speedOverGround", "m/s", "Wind speed over ground (as calculated from speedApparent and vessel's speed over ground)", ""},
	{"environment.wind.speedTrue", "m/s", "Wind speed over water (as calculated from speedApparent and vessel's speed through water)", ""},

	{"navigation.attitude", "", "Vessel attitude: roll, pitch and yaw", `{"roll":{"type":"number","description":"Vessel roll, +ve is list to starboard","units":"rad"},"pitch":{"type":"number","description":"Pitch, +ve is bow up","units":"rad"},"yaw":{"type":"number","description":"Yaw, +ve is heading change to starboard","units":"rad"}}`},
	{"navigation.course.calcValues.bearingMagnetic", "rad", "The bearing of a line between the vessel's current position and nextPoint, relative to magnetic north.", ""},
	{"navigation.course.calcValues.bearingTrackMagnetic", "rad", "The bearing of a line between previousPoint and nextPoint, relative to magnetic north.", ""},
	{"navigation.course.calcValues.bearingTrackTrue", "rad", "The bearing of a line between previousPoint and nextPoint, relative to true north.", ""},
	{"navigation.course.calcValues.bearingTrue", "rad", "The bearing of a line between the vessel's current position and nextPoint, relative to true north.", ""},
	{"navigation.course.calcValues.calcMethod", "", "Calculation type used (GreatCircle or Rhumbline).", ""},
	{"navigation.course.calcValues.crossTrackError", "m", "The distance from the vessel's present position to the closest point on a line (track) between previousPoint and nextPoint. A negative number indicates that the vessel is currently to the left of this line (and thus must steer right to compensate), a positive number means the vessel is to the right of the line (steer left to compensate).", ""},
	{"navigation.course.calcValues.distance", "m", "The distance in meters between the vessel's present position and the nextPoint.", ""},
	{"navigation.course.calcValues.estimatedTimeOfArrival", "", "The estimated time of arrival at nextPoint position.", ""},
	{"navigation.course.calcValues.previousPoint.distance", "m", "The distance in meters between the vessel's present position and the previousPoint.", ""},
	{"navigation.course.calcValues.route.distance", "m", "The remaining distance along the route to reach the final destination.", ""},
	{"navigation.course.calcValues.route.estimatedTimeOfArrival", "", "The estimated time of arrival at final destination.", ""},
	{"navigation.course.calcValues.route.timeToGo", "s", "Time in seconds to reach final destination with current speed & direction.", ""},
	{"navigation.course.calcValues.targetSpeed", "m/s", "The average speed required to arrive at the destination at the targetArrivalTime.", ""},
	{"navigation.course.calcValues.timeToGo", "s", "Time in seconds to reach nextPoint's perpendicular with current speed & direction.", ""},
	{"navigation.course.calcValues.velocityMadeGood", "m/s", "The velocity component of the vessel towards the nextPoint.", ""},
	{"navigation.courseGreatCircle", "", "Course information computed with Great Circle", ""},
	{"navigation.courseRhumbline", "", "Course information computed with Rhumbline", ""},
	{"navigation.*.activeRoute", "", "Data required if sailing to an active route, defined in resources.", ""},
	{"navigation.*.activeRoute.href", "", "A reference (URL) to the presently active route, in resources.", ""},
	{"navigation.*.activeRoute.startTime", "", "The time this route was activated", ""},
	{"navigation.*.nextPoint", "", "The point on earth the vessel's presently navigating towards", ""},
	{"navigation.*.previousPoint", "", "The point on earth the vessel's presently navigating from", ""},
	{"navigation.*.previousPoint.position", "", "The position of previousPoint in two dimensions", positionMembers},
	{"navigation.courseOverGroundMagnetic", "rad", "Course over ground (magnetic)", ""},
	{"navigation.courseOverGroundTrue", "rad", "Course over ground (true)", ""},
	{"navigation.datetime", "", "Time and Date from the GNSS Positioning System", ""},
	{"navigation.destination.commonName", "", "Common name of the Destination, eg 'Fiji', also used in ais messages", ""},
	{"navigation.gnss.antennaAltitude", "m", "Altitude of antenna", ""},
	{"navigation.headingMagnetic", "rad", "Current magnetic heading of the vessel, equals 'headingCompass adjusted for magneticDeviation'", ""},
	{"navigation.headingTrue", "rad", "The current true north heading of the vessel, equals 'headingMagnetic adjusted for magneticVariation'", ""},
	{"navigation.log", "m", "Total distance traveled", ""},
	{"navigation.magneticVariation", "rad", "The magnetic variation (declination) at the current position that must be added to the magnetic heading to derive the true heading. Easterly variations are positive and Westerly variations are negative (in Radians).", ""},
	{"navigation.position", "", "The position of the vessel in 2 or 3 dimensions (WGS84 datum)", positionMembers},
	{"navigation.rateOfTurn", "rad/s", "Rate of turn (+ve is change to starboard). If the value is AIS RIGHT or LEFT, set to +-0.0206 rads and add warning in notifications", ""},
	{"navigation.speedOverGround", "m/s", "Vessel speed over ground. If converting from AIS 'HIGH' value, set to 102.2 (Ais max value) and add warning in notifications", ""},
	{"navigation.speedThroughWater", "m/s", "Vessel speed through the water", ""},
	{"navigation.state", "", "Current navigational state of the vessel", ""},

	{"performance.velocityMadeGoodToWaypoint", "m/s", noDescription, ""},

	{"propulsion.*.coolantTemperature", "K", "Coolant temperature", ""},
	{"propulsion.*.fuel.rate", "m3/s", "Fuel rate  of consumption", ""},
	{"propulsion.*.oilPressure", "Pa", "Oil pressure", ""},
	{"propulsion.*.oilTemperature", "K", "Oil temperature", ""},
	{"propulsion.*.revolutions", "Hz", "Engine revolutions (x60 for RPM)", ""},
	{"propulsion.*.runTime", "s", "Total running time for engine (Engine Hours in seconds)", ""},
	{"propulsion.*.state", "", "The current state of the engine", ""},
	{"propulsion.*.temperature", "K", "Engine temperature", ""},

	{"sensors.ais.class", "", "Sensor class — for an AIS transponder, A or B.", ""},
	{"steering.rudderAngle", "rad", "Current rudder angle, +ve is rudder to Starboard", ""},

	{"tanks.*.*.capacity", "m3", noDescription, ""},
	{"tanks.*.*.currentLevel", "ratio", noDescription, ""},
	{"tanks.*.*.currentVolume", "m3", noDescription, ""},
	{"tanks.freshWater", "", "Fresh water tank (drinking)", ""},
	{"tanks.fuel", "", "Fuel tank (petrol or diesel)", ""},
}

// schemaIndex finds entries by their first segment.
var schemaIndex = func() map[string][]schemaEntry {
	index := map[string][]schemaEntry{}
	for _, e := range schema {
		group, _, _ := strings.Cut(e.pattern, ".")
		index[group] = append(index[group], e)
	}
	return index
}()

// schemaMeta is the specification's meta of a path, or nil.
func schemaMeta(path string) map[string]any {
	segments := strings.Split(path, ".")
	for _, e := range schemaIndex[segments[0]] {
		if !segmentsMatch(strings.Split(e.pattern, "."), segments) {
			continue
		}
		meta := map[string]any{"description": e.description}
		if e.units != "" {
			meta["units"] = e.units
		}
		if e.properties != "" {
			meta["properties"] = json.RawMessage(e.properties)
		}
		return meta
	}
	return nil
}

func segmentsMatch(pattern, path []string) bool {
	if len(pattern) != len(path) {
		return false
	}
	for i, p := range pattern {
		if p != "*" && p != path[i] {
			return false
		}
	}
	return true
}

// meta is the merged meta of a path: the specification's, and over it what was
// sent. nil means none. s.mu is held.
func (s *Server) meta(context, path string) map[string]any {
	var sent map[string]any
	if sub := s.cache.contexts[context]; sub != nil {
		sent = sub.meta[path]
	}
	meta := schemaMeta(path)
	if meta == nil {
		meta = map[string]any{}
	}
	for k, v := range sent {
		meta[k] = v
	}
	// 2.23.0 gives a notification that a zone raised the meta of the value, units
	// included.
	if measured, is := strings.CutPrefix(path, "notifications."); is && s.opt.Version == version223 && context == s.self && s.zones.watches[measured] != nil {
		return s.meta(context, measured)
	}
	if len(meta) == 0 {
		return nil
	}
	return meta
}

// sendMeta sends a client with sendMeta=all the meta of paths it has had no
// value of: the path's own and that of the groups above it, each in its own
// delta, before the value.
func (s *Server) sendMeta(c *client, d delta) {
	if !c.sendMeta {
		return
	}
	for _, u := range d.Updates {
		for _, v := range u.Values {
			s.sendPathMeta(c, d.Context, v.Path, u.Timestamp)
		}
	}
}

func (s *Server) sendPathMeta(c *client, context, path, timestamp string) {
	// A path of one segment is told no meta, and the first segment of any other
	// is no group of its own.
	for strings.Contains(path, ".") {
		key := context + " " + path
		if c.sentMeta[key] || len(c.sentMeta) >= maxPaths {
			return
		}
		c.sentMeta[key] = true
		if meta := s.show(path, s.meta(context, path)); meta != nil {
			c.push(mustEncode(delta{context, []update{{
				Timestamp: timestamp,
				Meta:      []pathValue{{Path: path, Value: mustEncode(meta)}},
			}}}))
		}
		path = path[:strings.LastIndexByte(path, '.')]
	}
}
