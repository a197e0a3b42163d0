package mock

// The scenarios. Each has its place and weather, what is fitted, and a log of
// what happens, in minutes and seconds after the start.
var scenarios = []scenario{
	{
		name: Passage, about: "under sail along the coast from Porkkala to Harmaja, all well",
		at: Position{59.93, 24.42}, heading: 69, waters: gulf, outfit: cruiser,
		log: []entry{
			{"0:00", "Off Porkkala, wind north-west 14 knots, all sail", []order{sail(coast, 1500)}},
		},
	},
	{
		name: AtAnchor, about: "at anchor: swinging, then dragging in a squall, then holding on more chain",
		at: Position{59.9846, 24.0152}, heading: 225,
		waters: waters{depth: 6.5, rough: 0.05, wind: 6, windFrom: 225, drift: 0.05, setTo: 40},
		outfit: cruiser&^computed | derived,
		log: []entry{
			{"0:00", "Anchor down in 6 metres, 28 m of chain; the watch is set to 40 m", []order{letGo(28, 40)}},
			{"3:00", "A squall: 30 knots from the south-west", []order{wind(15)}},
			{"4:00", "She drags", []order{drag(0.3)}},
			{"5:30", "More chain", []order{veer(55)}},
			{"6:30", "The anchor holds again", []order{drag(0), wind(9)}},
		},
	},
	{
		name: Beating, about: "beating to a mark dead to windward, tack by tack",
		at: Position{59.97, 24.60}, heading: 225,
		waters: waters{depth: 25, rough: 1, wind: 8, windFrom: 255, drift: 0.2, setTo: 75},
		outfit: cruiser,
		log: []entry{
			{"0:00", "Close-hauled on starboard tack; the mark is 2 miles dead to windward; a tack every two and a half minutes", []order{beat(2)}},
			{"6:00", "The wind freshens to 20 knots", []order{wind(10.5)}},
		},
	},
	{
		name: Shoaling, about: "motoring into shoaling water on a falling tide, until there is too little",
		at: Position{54.38, 8.62}, heading: 75,
		waters: waters{depth: 9.5, slope: -0.0055, slopeTo: 75, rough: 0.03, tide: 1.6, wind: 4, windFrom: 300, drift: 0.3, setTo: 250},
		outfit: cruiser | derived,
		log: []entry{
			{"0:00", "Into the creek at 5 knots on the ebb, 7 metres under the keel", []order{underWay(1700, 75)}},
			{"6:30", "It shoals fast; throttle back", []order{throttle(1000)}},
			{"8:30", "Out of gear: there is no more water ahead", []order{throttle(0)}},
		},
	},
	{
		name: NightWatch, about: "on watch at night under autopilot, with traffic that crosses ahead, astern and close",
		at: Position{59.62, 23.80}, heading: 80,
		waters: waters{depth: 60, rough: 1, wind: 3, windFrom: 170},
		outfit: cruiser | derived,
		ships: func(own Position) []ship {
			way := polar(0.095*30, radians(80))
			return []ship{
				// Closest after 6 min at 250 m, after 9 min at 0.8 miles, and long past.
				ship{mmsi: "230999110", name: "ALDEBARAN", callsign: "OJAB", class: "A", kind: shipType{70, "Cargo ship"},
					length: 142, beam: 21, destination: "HANKO", course: radians(350), speed: 7.2, interval: 6}.meeting(own, way, 250, 360),
				ship{mmsi: "276999220", name: "RIGEL STAR", callsign: "ESRS", class: "A", kind: shipType{80, "Tanker"},
					length: 183, beam: 32, destination: "TALLINN", course: radians(215), speed: 6.4, interval: 6}.meeting(own, way, -1480, 540),
				ship{mmsi: "265999330", name: "VEGA", callsign: "SKVG", class: "A", kind: shipType{69, "Passenger ship"},
					length: 201, beam: 29, destination: "STOCKHOLM", course: radians(262), speed: 10.3, interval: 6}.meeting(own, way, 900, -120),
				ship{mmsi: "230999440", name: "LOKKI", callsign: "OJ440", class: "B", kind: shipType{30, "Fishing"},
					length: 12, beam: 4, course: radians(80), speed: 1.9, interval: 30}.meeting(own, way, 60, 780),
			}
		},
		log: []entry{
			{"0:00", "Autopilot on 080, 5 and a half knots under engine, four ships about", []order{underWay(1800, 80), autopilot, to("Hanko Light", 12, 80)}},
		},
	},
	{
		name: AtDock, about: "alongside on shore power, which fails for a while",
		at: Position{60.1600, 24.9560}, heading: 20,
		waters: waters{depth: 4.2, rough: 0, wind: 4, windFrom: 200},
		outfit: cruiser&^computed | shorePower,
		log: []entry{
			{"0:00", "Alongside, the cable is in, the bank at 80 percent", []order{alongside, charge(0.8)}},
			{"5:00", "Somebody trips the breaker on the dock", []order{shoreFails, raise("electrical.shorePower", "warn", "Shore power lost")}},
			{"8:00", "Shore power is back", []order{shoreIsBack, raise("electrical.shorePower", "normal", "Shore power is on")}},
		},
	},
	{
		name: LostBottom, about: "off the shelf into deep water, where the sounder hears no bottom",
		at: Position{59.55, 23.10}, heading: 200,
		waters: waters{depth: 118, slope: 0.06, slopeTo: 200, rough: 0.3, wind: 6, windFrom: 290, drift: 0.1, setTo: 90},
		outfit: cruiser,
		log: []entry{
			{"0:00", "South over the edge of the shelf under engine, 118 metres", []order{underWay(1900, 200), to("Gotland Deep", 40, 200)}},
		},
	},
	{
		name: FlatBattery, about: "a house bank that is run down until the instruments go out",
		at: Position{59.93, 24.42}, heading: 69, waters: gulf, outfit: cruiser,
		log: []entry{
			{"0:00", "Under sail; the bank was never charged, and the inverter runs: 60 amps", []order{sail(coast, 1500), charge(0.075), draw(60)}},
			{"4:00", "And now the kettle: 110 amps", []order{draw(110)}},
		},
	},
	{
		name: Overheating, about: "an engine that loses its cooling water",
		at: Position{59.90, 24.30}, heading: 80,
		waters: waters{depth: 22, rough: 0.6, wind: 3, windFrom: 60, drift: 0.1, setTo: 80},
		outfit: cruiser,
		log: []entry{
			{"0:00", "Motoring east at 2100 rpm, the coolant at 82 degrees", []order{underWay(2100, 80), to("Porkkala Light", 6, 80)}},
			{"2:00", "A plastic bag in the intake: a third of the water is left", []order{cooling(0.33)}},
			{"7:00", "The alarm was heard: idle", []order{throttle(800)}},
			{"8:00", "Stopped, to look at the strainer", []order{throttle(0)}},
		},
	},
	{
		name: ManOverboard, about: "a person overboard under sail, and back to the place under engine",
		at: Position{59.93, 24.42}, heading: 69, waters: gulf, outfit: cruiser,
		log: []entry{
			{"0:00", "Under sail", []order{sail(coast, 1500)}},
			{"2:00", "Person overboard! The button is pressed, sails down, engine on", []order{personOverboard}},
			{"9:00", "Back on board, cold but well", []order{recovered}},
		},
	},
	{
		name: NeverFitted, about: "a small boat with a GPS and a voltmeter: everything else was never fitted",
		at: Position{60.08, 24.85}, heading: 140,
		waters: waters{depth: 9, rough: 0.3, wind: 3, windFrom: 20, drift: 0.1, setTo: 60},
		outfit: skiff,
		log: []entry{
			{"0:00", "Out of the harbour at 4 knots", []order{underWay(1300, 140)}},
		},
	},
	{
		name: BigBoat, about: "a boat that publishes more than 1,500 paths",
		at: Position{59.93, 24.42}, heading: 69, waters: gulf, outfit: cruiser | derived | crowd,
		log: []entry{
			{"0:00", "Under sail, with everything on board that has a sensor", []order{sail(coast, 1500)}},
		},
	},
}

// coast is the route of the passage.
var coast = &plan{id: routeID, name: routeName, points: route}

// to makes a light some miles off, in degrees true, the destination.
func to(name string, miles, direction float64) order {
	return func(v *Vessel) {
		at := v.position.moved(polar(miles*1852, radians(direction)))
		v.bind(&plan{points: []waypoint{{"", v.position}, {name, at}}})
	}
}

// recovered ends a person-overboard alarm.
func recovered(v *Vessel) {
	v.raise("mob-button", "mob", "normal", "")
	v.engine.throttle = 0
}
