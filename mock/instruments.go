package mock

import "math"

// round to a number of decimals, as an instrument's resolution does.
func round(x float64, digits int) float64 {
	f := math.Pow10(digits)
	return math.Round(x*f)/f + 0 // no minus zero
}

// say makes a delta of own boat from a source that is not NMEA.
func (v *Vessel) say(source string, values ...PathValue) Delta {
	return Delta{Updates: []Update{{Source: source, Timestamp: stamp(v.time()), Values: values}}}
}

// n2kOrigin is the source object of NMEA 2000 data.
type n2kOrigin struct {
	Label string `json:"label"`
	Type  string `json:"type"`
	Src   string `json:"src"`
	PGN   int    `json:"pgn"`
}

// Addresses on the NMEA 2000 bus.
const (
	addrEngine  = "1"
	addrBattery = "17"
	addrTanks   = "22"
	addrGNSS    = "35"
	addrSounder = "40"
	addrAIS     = "43"
	addrWind    = "52"
	addrWeather = "60"
	addrCompass = "204"
)

// n2k makes a delta of own boat of one NMEA 2000 message.
func (v *Vessel) n2k(src string, pgn int, values ...PathValue) Delta {
	const label = "n2k-can0"
	return Delta{Updates: []Update{{
		Origin: n2kOrigin{label, "NMEA2000", src, pgn}, Source: label + "." + src,
		Timestamp: stamp(v.time()), Values: values,
	}}}
}

// due tells whether a group with a period in seconds has its turn since the
// last set.
func (v *Vessel) due(period int64) bool { return v.said < 0 || v.seconds/period > v.said/period }

// report makes the deltas that are due, or all of them.
func (v *Vessel) report(all bool) []Delta {
	if all {
		v.said = -1
	}
	m := v.motion()
	var out []Delta
	if all {
		out = append(out, v.identity(), v.zones(), v.routeResource(), v.anchorWatch())
	}
	if all || v.told != v.leg {
		out = append(out, v.course()...)
		v.told = v.leg
	}
	out = append(out, v.navigation(m)...)
	out = append(out, v.environment(m)...)
	out = append(out, v.power()...)
	out = append(out, v.courseValues(m))
	out = append(out, v.traffic()...)
	v.said = v.seconds
	return out
}

// identity is what the server's configuration says of own boat.
func (v *Vessel) identity() Delta {
	root := map[string]any{"name": ownName, "communication": map[string]string{"callsignVhf": ownCallsign}}
	if v.mmsi != "" {
		root["mmsi"] = v.mmsi
	}
	if v.uuid != "" {
		root["uuid"] = v.uuid
	}
	return v.say("defaults",
		PathValue{"", root},
		PathValue{"design.draft", map[string]float64{"maximum": ownDraft}},
		PathValue{"design.length", map[string]float64{"overall": ownLength}},
		PathValue{"design.beam", ownBeam},
	)
}

type zoneMeta struct {
	Lower   *float64 `json:"lower,omitempty"`
	Upper   *float64 `json:"upper,omitempty"`
	State   string   `json:"state"`
	Message string   `json:"message"`
}

type pathMeta struct {
	DisplayName string     `json:"displayName"`
	Zones       []zoneMeta `json:"zones"`
}

// zones is the meta that an owner has configured.
func (v *Vessel) zones() Delta {
	below := func(upper float64, state, message string) zoneMeta {
		return zoneMeta{nil, &upper, state, message}
	}
	between := func(lower, upper float64, state, message string) zoneMeta {
		return zoneMeta{&lower, &upper, state, message}
	}
	return Delta{Updates: []Update{{Source: "defaults", Timestamp: stamp(v.time()), Meta: []PathValue{
		{"environment.depth.belowKeel", pathMeta{"Depth under keel", []zoneMeta{
			below(2, "alarm", "Shallow water"), between(2, 3, "warn", "Getting shallow"),
		}}},
		{"electrical.batteries.house.voltage", pathMeta{"House battery", []zoneMeta{
			below(11.8, "alarm", "House battery empty"), between(11.8, 12.1, "warn", "House battery low"),
		}}},
		{"tanks.freshWater.0.currentLevel", pathMeta{"Fresh water", []zoneMeta{below(0.2, "warn", "Fresh water low")}}},
	}}}}
}

// anchorWatch is a notification that has nothing to tell.
func (v *Vessel) anchorWatch() Delta {
	type notification struct {
		State   string   `json:"state"`
		Method  []string `json:"method"`
		Message string   `json:"message"`
	}
	return v.say("anchoralarm", PathValue{"notifications.navigation.anchor", notification{"normal", []string{}, "Anchor watch is off"}})
}

func (v *Vessel) navigation(m motion) []Delta {
	var course any // none without way over the ground
	if m.ground.length() >= 0.05 {
		course = round(m.ground.direction(), 4)
	}
	t := v.elapsed()
	state := "sailing"
	if v.moored {
		state = "moored"
	}
	type attitude struct {
		Roll  float64  `json:"roll"`
		Pitch float64  `json:"pitch"`
		Yaw   *float64 `json:"yaw"` // this compass has none
	}
	out := []Delta{
		v.n2k(addrGNSS, 129025, PathValue{"navigation.position", Position{round(v.position.Latitude, 7), round(v.position.Longitude, 7)}}),
		v.n2k(addrGNSS, 129026,
			PathValue{"navigation.speedOverGround", round(m.ground.length(), 2)},
			PathValue{"navigation.courseOverGroundTrue", course}),
		v.n2k(addrGNSS, 126992, PathValue{"navigation.datetime", v.time().Format("2006-01-02T15:04:05.00000Z")}),
		v.n2k(addrCompass, 127250, PathValue{"navigation.headingMagnetic", round(turn(m.heading-variation), 4)}),
		v.n2k(addrCompass, 127257, PathValue{"navigation.attitude", attitude{
			Roll: round(m.heel()+v.roll.at(t), 4), Pitch: round(v.pitch.at(t), 4),
		}}),
		v.n2k(addrSounder, 128259, PathValue{"navigation.speedThroughWater", round(m.log(), 2)}),
		v.n2k(addrSounder, 128275, PathValue{"navigation.log", round(v.log, 0)}),
	}
	if v.due(10) {
		out = append(out, v.n2k(addrGNSS, 127258, PathValue{"navigation.magneticVariation", variation}))
	}
	if v.due(30) {
		out = append(out, v.say("autostate", PathValue{"navigation.state", state}))
	}
	return out
}

func (v *Vessel) environment(m motion) []Delta {
	t := v.elapsed()
	// The sounder sends depth and offset; what is below the keel follows.
	below := round(v.sea.depth(v.position)-sounderDepth, 2)
	out := []Delta{
		v.n2k(addrSounder, 128267,
			PathValue{"environment.depth.belowTransducer", below},
			PathValue{"environment.depth.transducerToKeel", round(sounderToKeel, 3)},
			PathValue{"environment.depth.belowKeel", round(below+sounderToKeel, 2)}),
		v.n2k(addrWind, 130306,
			PathValue{"environment.wind.speedApparent", round(m.apparentSpeed(), 2)},
			PathValue{"environment.wind.angleApparent", round(m.apparentAngle(), 4)}),
		v.n2k(addrWind, 130306,
			PathValue{"environment.wind.speedTrue", round(m.trueSpeed(), 2)},
			PathValue{"environment.wind.angleTrueWater", round(m.trueAngle(), 4)}),
		v.n2k(addrWind, 130306,
			PathValue{"environment.wind.speedOverGround", round(m.wind.length(), 2)},
			PathValue{"environment.wind.directionTrue", round(from(m.wind), 4)}),
	}
	if v.due(2) {
		out = append(out,
			v.n2k(addrSounder, 130312, PathValue{"environment.water.temperature", waterTemperature}),
			v.n2k(addrWeather, 130312, PathValue{"environment.outside.temperature", round(v.sea.airTemperature(t), 2)}),
			v.n2k(addrWeather, 130313, PathValue{"environment.outside.relativeHumidity", round(v.sea.airHumidity(t), 3)}))
	}
	if v.due(5) {
		out = append(out, v.n2k(addrWeather, 130314, PathValue{"environment.outside.pressure", round(v.sea.airPressure(t), 0)}))
	}
	return out
}

func (v *Vessel) power() []Delta {
	t := v.elapsed()
	const house, start, engine = "electrical.batteries.house.", "electrical.batteries.start.", "propulsion.port."
	var remaining any // none while charging
	if s := v.house.timeRemaining(t); s > 0 {
		remaining = round(s, 0)
	}
	out := []Delta{
		v.n2k(addrBattery, 127508,
			PathValue{house + "voltage", round(v.house.voltage(t), 2)},
			PathValue{house + "current", round(v.house.current(t), 2)}),
		v.n2k(addrBattery, 127506,
			PathValue{house + "capacity.stateOfCharge", round(v.house.stateOfCharge(), 4)},
			PathValue{house + "capacity.timeRemaining", remaining}),
		v.n2k(addrBattery, 127508, PathValue{start + "voltage", startVoltage}),
		v.n2k(addrEngine, 127488,
			PathValue{engine + "revolutions", 0},
			PathValue{engine + "state", "stopped"}),
	}
	if v.due(2) {
		out = append(out, v.n2k(addrEngine, 127489,
			PathValue{engine + "coolantTemperature", round(coolantTemperature(t), 1)},
			PathValue{engine + "oilPressure", 0},
			PathValue{engine + "runTime", engineRunTime}))
	}
	if v.due(5) {
		out = append(out,
			v.n2k(addrTanks, 127505,
				PathValue{"tanks.fuel.0.currentLevel", fuelLevel},
				PathValue{"tanks.fuel.0.capacity", fuelCapacity}),
			v.n2k(addrTanks, 127505,
				PathValue{"tanks.freshWater.0.currentLevel", round(v.water, 4)},
				PathValue{"tanks.freshWater.0.capacity", waterCapacity}))
	}
	if v.due(60) {
		out = append(out, v.say("defaults", PathValue{house + "name", "House"}, PathValue{start + "name", "Start"}))
	}
	return out
}

// traffic is what the AIS receiver hears.
func (v *Vessel) traffic() []Delta {
	var out []Delta
	hear := func(s ship, d Delta) {
		d.Context = "vessels.urn:mrn:imo:mmsi:" + s.mmsi
		out = append(out, d)
	}
	for _, s := range v.ships {
		// Static data: each member of the root in a value of its own.
		if v.due(360) {
			hear(s, v.n2k(addrAIS, s.pgn(129794, 129810),
				PathValue{"", map[string]string{"mmsi": s.mmsi}},
				PathValue{"", map[string]string{"name": s.name}},
				PathValue{"", map[string]any{"communication": map[string]string{"callsignVhf": s.callsign}}},
				PathValue{"design.aisShipType", s.kind},
				PathValue{"design.length", map[string]float64{"overall": s.length}},
				PathValue{"design.beam", s.beam},
				PathValue{"sensors.ais.class", s.class}))
			if s.destination != "" {
				hear(s, v.n2k(addrAIS, 129794, PathValue{"navigation.destination.commonName", s.destination}))
			}
			hear(s, v.say("sk-ais-status", PathValue{"sensors.ais.status", "confirmed"}))
		}
		if v.due(s.interval) {
			at := s.at(v.elapsed())
			values := []PathValue{
				{"navigation.position", Position{round(at.Position.Latitude, 7), round(at.Position.Longitude, 7)}},
				{"navigation.speedOverGround", round(at.SpeedOverGround, 2)},
				{"navigation.courseOverGroundTrue", round(at.CourseOverGroundTrue, 4)},
			}
			if s.class == "A" {
				values = append(values, PathValue{"navigation.headingTrue", round(at.CourseOverGroundTrue, 4)}, PathValue{"navigation.state", "motoring"})
			}
			hear(s, v.n2k(addrAIS, s.pgn(129038, 129039), values...))
		}
	}
	return out
}

// pgn chooses the message of her class.
func (s ship) pgn(classA, classB int) int {
	if s.class == "A" {
		return classA
	}
	return classB
}
