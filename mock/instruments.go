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

// The sources that are no NMEA.
const (
	anchorAlarm = "anchoralarm"
	derivedData = "derived-data"
)

// dueFor is due for one of many devices that do not all speak in the same second.
func (v *Vessel) dueFor(device, period int64) bool {
	return v.said < 0 || (v.seconds+device)/period > (v.said+device)/period
}

// report makes the deltas that are due, or all of them.
func (v *Vessel) report(all bool) []Delta {
	if all {
		v.said = -1
	}
	m := v.motion()
	var out []Delta
	if all {
		out = append(out, v.identity())
		if !v.outfit.has(handheld) { // meta would make a path of what is not there
			out = append(out, v.zones())
		}
		if v.plan != nil && v.plan.id != "" {
			out = append(out, v.routeResource())
		}
		if !v.outfit.has(handheld) && !v.anchor.down {
			out = append(out, v.anchorWatch())
		}
	}
	if v.plan != nil && v.outfit.has(computed) && (all || v.news) {
		out = append(out, v.course()...)
		v.news = false
	}
	out = append(out, v.tellNotices(all)...)
	switch {
	case v.outfit.has(handheld):
		out = append(out, v.handheld(m)...)
	case v.house.voltage(v.elapsed()) < brownOut:
		out = append(out, v.power()...) // the battery monitor has a supply of its own
	default:
		out = append(out, v.navigation(m)...)
		out = append(out, v.environment(m)...)
		out = append(out, v.power()...)
		out = append(out, v.machinery()...)
		if v.anchor.down {
			out = append(out, v.anchoring())
		}
		if v.outfit.has(computed) && v.plan != nil {
			out = append(out, v.courseValues(m))
		}
		out = append(out, v.traffic()...)
		if v.outfit.has(crowd) {
			out = append(out, v.crowd()...)
		}
	}
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
	above := func(lower float64, state, message string) zoneMeta {
		return zoneMeta{&lower, nil, state, message}
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
		{"propulsion.port.coolantTemperature", pathMeta{"Engine coolant", []zoneMeta{above(coolantLimit, "alarm", "Engine overheating")}}},
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
		out = append(out, v.say("autostate", PathValue{"navigation.state", v.state()}))
	}
	return out
}

func (v *Vessel) state() string {
	switch {
	case v.helm == helmMoored:
		return "moored"
	case v.helm == helmAnchor:
		return "anchored"
	case v.helm == helmMotor:
		return "motoring"
	}
	return "sailing"
}

// depths are what the sounder hears: depth and offset. What is below the keel
// follows from them, and what is below the surface from that. Without an echo the
// depth is null, and what follows from it is not said any more.
func (v *Vessel) depths() []Delta {
	const depth = "environment.depth."
	below := round(v.sea.depth(v.position, v.elapsed())-sounderDepth, 2)
	offset := PathValue{depth + "transducerToKeel", round(sounderToKeel, 3)}
	if below > sounderReach {
		return []Delta{v.n2k(addrSounder, 128267, PathValue{depth + "belowTransducer", nil}, offset)}
	}
	keel := round(below+sounderToKeel, 2)
	out := []Delta{v.n2k(addrSounder, 128267, PathValue{depth + "belowTransducer", below}, offset, PathValue{depth + "belowKeel", keel})}
	if v.outfit.has(derived) {
		out = append(out, v.say(derivedData, PathValue{depth + "belowSurface", round(keel+ownDraft, 2)}))
	}
	return out
}

// anchoring is what the anchor alarm tells while it watches.
func (v *Vessel) anchoring() Delta {
	values := []PathValue{{"navigation.anchor.currentRadius", round(v.anchor.watched.distance(v.position), 1)}}
	if v.due(30) {
		values = append(values,
			PathValue{"navigation.anchor.position", Position{round(v.anchor.watched.Latitude, 7), round(v.anchor.watched.Longitude, 7)}},
			PathValue{"navigation.anchor.maxRadius", v.anchor.limit})
	}
	return v.say(anchorAlarm, values...)
}

func (v *Vessel) environment(m motion) []Delta {
	t := v.elapsed()
	out := append(v.depths(),
		v.n2k(addrWind, 130306,
			PathValue{"environment.wind.speedApparent", round(m.apparentSpeed(), 2)},
			PathValue{"environment.wind.angleApparent", round(m.apparentAngle(), 4)}),
		v.n2k(addrWind, 130306,
			PathValue{"environment.wind.speedTrue", round(m.trueSpeed(), 2)},
			PathValue{"environment.wind.angleTrueWater", round(m.trueAngle(), 4)}),
		v.n2k(addrWind, 130306,
			PathValue{"environment.wind.speedOverGround", round(m.wind.length(), 2)},
			PathValue{"environment.wind.directionTrue", round(from(m.wind), 4)}))
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

// power is what the battery monitors say.
func (v *Vessel) power() []Delta {
	t := v.elapsed()
	const house, start = "electrical.batteries.house.", "electrical.batteries.start."
	var remaining any // none while charging
	if v.house.current(t) < 0 {
		remaining = round(v.house.timeRemaining(t), 0)
	}
	starter := startVoltage
	if v.engine.running() {
		starter = 13.9
	}
	out := []Delta{
		v.n2k(addrBattery, 127508,
			PathValue{house + "voltage", round(v.house.voltage(t), 2)},
			PathValue{house + "current", round(v.house.current(t), 2)}),
		v.n2k(addrBattery, 127506,
			PathValue{house + "capacity.stateOfCharge", round(v.house.stateOfCharge(), 4)},
			PathValue{house + "capacity.timeRemaining", remaining}),
		v.n2k(addrBattery, 127508, PathValue{start + "voltage", starter}),
	}
	if v.due(60) {
		out = append(out, v.say("defaults", PathValue{house + "name", "House"}, PathValue{start + "name", "Start"}))
	}
	return out
}

// machinery is engine and tanks.
func (v *Vessel) machinery() []Delta {
	const engine = "propulsion.port."
	out := []Delta{v.n2k(addrEngine, 127488,
		PathValue{engine + "revolutions", round(v.engine.revolutions, 2)},
		PathValue{engine + "state", v.engine.state()})}
	if v.due(2) {
		out = append(out, v.n2k(addrEngine, 127489,
			PathValue{engine + "coolantTemperature", round(v.engine.coolant, 1)},
			PathValue{engine + "oilPressure", round(v.engine.oilPressure(), -2)},
			PathValue{engine + "fuel.rate", round(v.engine.fuelRate(), 9)},
			PathValue{engine + "runTime", v.engine.runTime}))
	}
	if v.due(5) {
		out = append(out,
			v.n2k(addrTanks, 127505,
				PathValue{"tanks.fuel.0.currentLevel", round(v.engine.fuel/fuelCapacity, 4)},
				PathValue{"tanks.fuel.0.capacity", fuelCapacity}),
			v.n2k(addrTanks, 127505,
				PathValue{"tanks.freshWater.0.currentLevel", round(v.water, 4)},
				PathValue{"tanks.freshWater.0.capacity", waterCapacity}))
	}
	return out
}

// nmea0183 makes a delta of own boat of one NMEA 0183 sentence.
func (v *Vessel) nmea0183(sentence string, values ...PathValue) Delta {
	const label, talker = "gps", "GP"
	return Delta{Updates: []Update{{
		Origin: nmeaOrigin{label, "NMEA0183", sentence, talker}, Source: label + "." + talker,
		Timestamp: stamp(v.time()), Values: values,
	}}}
}

// nmeaOrigin is the source object of NMEA 0183 data.
type nmeaOrigin struct {
	Label    string `json:"label"`
	Type     string `json:"type"`
	Sentence string `json:"sentence"`
	Talker   string `json:"talker"`
}

// handheld is a small boat's GPS, and the voltmeter of her engine's battery.
func (v *Vessel) handheld(m motion) []Delta {
	out := []Delta{v.nmea0183("RMC",
		PathValue{"navigation.position", Position{round(v.position.Latitude, 6), round(v.position.Longitude, 6)}},
		PathValue{"navigation.speedOverGround", round(m.ground.length(), 2)},
		PathValue{"navigation.courseOverGroundTrue", round(m.ground.direction(), 4)},
		PathValue{"navigation.datetime", v.time().Format("2006-01-02T15:04:05Z")})}
	if v.due(2) {
		out = append(out, v.say("voltmeter", PathValue{"electrical.batteries.0.voltage", 13.9}))
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
	if !v.outfit.has(receiver) {
		return nil
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
			if v.outfit.has(derived) {
				cpa, tcpa := at.approach(v.position, v.motion().ground)
				hear(s, v.say(derivedData, PathValue{"navigation.closestApproach", map[string]float64{"distance": round(cpa, 2), "timeTo": round(tcpa, 2)}}))
			}
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
