package tools_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/tools"
)

// One value of each kind: what is said, the number, and the unit it is in.
func TestReadSensorSays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, value, says string
		number            any
		unit              any
	}{
		{"environment.wind.speedApparent", "8.5", "Apparent wind speed: 16.5 knots.", 16.5, "knots"},
		{"environment.wind.angleApparent", "-0.698", "Apparent wind angle: 40 degrees to port.", -40.0, "degrees"},
		{"environment.wind.angleTrueWater", "5.585", "True wind angle: 40 degrees to port.", -40.0, "degrees"},
		{"environment.wind.directionTrue", "5.5327", "Wind direction: from 317 degrees true, North-West.", 317.0, "degrees true"},
		{"navigation.headingMagnetic", "1.0", "Heading: 057 degrees magnetic.", 57.0, "degrees magnetic"},
		{"navigation.courseOverGroundTrue", "6.2797", "Course over ground: 000 degrees true.", 0.0, "degrees true"},
		{"navigation.headingCompass", "1.0", "Heading: 057 degrees by compass.", 57.0, "degrees by compass"},
		{"navigation.magneticVariation", "-0.2443", "Magnetic variation: 14 degrees West.", -14.0, "degrees"},
		{"navigation.rateOfTurn", "0.0035", "Rate of turn: 12 degrees per minute to starboard.", 12.0, "degrees per minute"},
		{"navigation.log", "18520", "Log: 10 nautical miles.", 10.0, "nautical miles"},
		{"navigation.state", `"motoring"`, "Navigation state: motoring.", "motoring", nil},
		{"navigation.datetime", `"2026-07-01T11:59:59Z"`, "GPS time: 11:59 UTC on 1 July 2026.", "2026-07-01T11:59:59Z", nil},
		{"navigation.attitude", `{"roll":-0.1745,"pitch":0.0349,"yaw":null}`, "Attitude: heel 10 degrees to port and trim 2 degrees bow up.", map[string]any{"heel_deg": -10.0, "trim_deg": 2.0}, "degrees"},
		{"environment.current", `{"drift":0.5144,"setTrue":0.7854}`, "Current of the water: 1 knot setting 045 degrees true.", map[string]any{"drift_kn": 1.0, "set_deg": 45.0}, "knots and degrees"},
		{"environment.outside.temperature", "268.15", "Outside temperature: minus 5 degrees Celsius.", -5.0, "degrees Celsius"},
		{"environment.outside.pressure", "101325", "Air pressure: 1013.3 hectopascals.", 1013.3, "hectopascals"},
		{"environment.outside.relativeHumidity", "0.83", "Outside relative humidity: 83 percent.", 83.0, "percent"},
		{"environment.depth.belowKeel", "3", "Depth below the keel: 3 metres.", 3.0, "metres"},
		{"environment.depth.belowKeel", "-0.2", "Depth below the keel: the bottom is 0.2 metres above the keel, or the keel offset is wrong.", -0.2, "metres"},
		{"environment.depth.transducerToKeel", "-1.5", "Offset from transducer to keel: 1.5 metres.", 1.5, "metres"},
		{"steering.rudderAngle", "0.0873", "Rudder angle: 5 degrees to starboard.", 5.0, "degrees"},
		{"steering.autopilot.target.windAngleApparent", "-0.6109", "Autopilot target wind angle apparent: 35 degrees. The side is not certain: pilots differ in its sign.", 35.0, "degrees"},
		{"propulsion.port.revolutions", "30.5", "Port engine revolutions: 1830 revolutions per minute.", 1830.0, "revolutions per minute"},
		{"propulsion.port.runTime", "3603600", "Port engine run time: 1001 hours.", 1001.0, "hours"},
		{"propulsion.main.coolantTemperature", "353.15", "Main engine coolant temperature: 80 degrees Celsius.", 80.0, "degrees Celsius"},
		{"propulsion.main.oilPressure", "350000", "Main engine oil pressure: 3.5 bar.", 3.5, "bar"},
		{"propulsion.port.fuel.rate", "0.0000012", "Port engine fuel rate: 4.3 litres per hour.", 4.3, "litres per hour"},
		{"tanks.fuel.0.currentLevel", "0.34", "Fuel tank 0 level: 34 percent full.", 34.0, "percent"},
		{"tanks.fuel.0.capacity", "0.12", "Fuel tank 0 capacity: 120 litres.", 120.0, "litres"},
		{"electrical.batteries.house.current", "-8.4", "House battery current: discharging at 8.4 amps.", -8.4, "amps"},
		{"electrical.chargers.shore.current", "20", "Shore charger current: delivering 20 amps.", 20.0, "amps"},
		{"electrical.solar.roof.panelPower", "55", "Roof solar panel power: 55 watts.", 55.0, "watts"},
		{"electrical.alternators.1.fieldDrive", "45", "Alternator 1 field drive: 45 percent.", 45.0, "percent"},
		{"electrical.ac.shore.phase.a.frequency", "50", "Shore ac phase a frequency: 50 hertz.", 50.0, "hertz"},
		{"electrical.batteries.0.capacity.nominal", "1440000", "Battery 0 nominal capacity: either 400 amp hours or 0.4 kilowatt hours, as senders differ in its unit.", 1440000.0, "joules or coulombs"},
		{"electrical.batteries.0.capacity.timeRemaining", "12000", "Battery 0 time remaining: 3 hours 20 minutes.", 3.3, "hours"},
		{"electrical.switches.anchorLight.state", "false", "Anchor light switch: off.", false, nil},
		{"electrical.switches.anchorLight.state", "1", "Anchor light switch: on.", true, nil},
		{"design.draft", `{"maximum":1.9}`, "Draft: maximum 1.9 metres.", map[string]any{"maximum_m": 1.9}, "metres"},
		{"notifications.mob", `{"state":"emergency","message":"MOB"}`, "Man overboard: emergency. The message says: MOB.", "emergency", nil},
		{"design.length", `{"overall":11.2,"hull":10.5}`, "Length: hull 10.5 metres and overall 11.2 metres.", map[string]any{"overall": 11.2, "hull": 10.5}, nil},
		{"navigation.course.nextPoint", `{"type":"RoutePoint","position":{"latitude":60,"longitude":24}}`, "Course next point: position 60 degrees 0.00 minutes North, 24 degrees 0.00 minutes East and type is RoutePoint.",
			map[string]any{"type": "RoutePoint", "position": map[string]any{"latitude": 60.0, "longitude": 24.0}}, nil},
		{"draught", "12.3456", "Draught: 12.346.", 12.346, nil},
		{"sensors.test.value", "12.3456", "Test value: 12.346.", 12.346, nil},
		{"navigation.gnss.methodQuality", `"GNSS Fix"`, "Gnss method quality: GNSS Fix.", "GNSS Fix", nil},
		{"sensors.test.thing", `{"count":3,"on":true,"name":"x"}`, "Test thing: count 3, name is x and on yes.", map[string]any{"count": 3.0, "name": "x", "on": true}, nil},
	} {
		t.Run(tt.path+" "+tt.value, func(t *testing.T) {
			t.Parallel()
			b := newBoat(t, toolsOptions)
			b.send(tt.path, tt.value)
			a := b.ask("read_sensor", fmt.Sprintf(`{"path":%q}`, tt.path))
			assert.Equal(t, tt.says, a.display())
			assert.Equal(t, true, a.m["available"])
			assert.Equal(t, tt.path, a.m["path"])
			assert.Equal(t, tt.number, a.m["value"])
			assert.Equal(t, tt.unit, a.m["unit"])
			assert.Empty(t, a.status())
			assert.Equal(t, "2026-07-01T11:59:59Z", a.m["timestamp"])
		})
	}
}

func TestReadSensor(t *testing.T) {
	t.Parallel()
	const speed, temperature = "navigation.speedOverGround", "environment.outside.temperature"
	situations(t, "read_sensor", map[string]situation{
		"a raw depth names its reference": {
			boat: func(b *boat) { b.send(belowTransducer, "4.2") },
			args: `{"path":"environment.depth.belowTransducer"}`,
			num:  map[string]float64{"value": 4.2},
			says: []string{"below the transducer: 4.2 metres", "not the clearance"},
		},
		"old": {
			boat:   func(b *boat) { b.from("s", 2*time.Hour, temperature, "288.15") },
			args:   `{"path":"environment.outside.temperature"}`,
			num:    map[string]float64{"last_value": 15, "age_s": 7200},
			says:   []string{"about 2 hours", "15 degrees Celsius"},
			absent: []string{"value"},
			status: "stale",
		},
		"null": {
			boat:   func(b *boat) { b.send(temperature, "null") },
			args:   `{"path":"environment.outside.temperature"}`,
			says:   []string{"No outside temperature now"},
			absent: []string{"value", "unit"},
			status: "no_data",
		},
		"never heard": {
			boat:   func(b *boat) { b.send(speed, "1") },
			args:   `{"path":"environment.outside.temperature"}`,
			says:   []string{"does not report outside temperature"},
			absent: []string{"value", "unit", "did_you_mean"},
			status: "not_fitted",
		},
		"a true heading is not made of a magnetic one": {
			boat:   func(b *boat) { b.send("navigation.headingMagnetic", "1", "navigation.magneticVariation", "-0.2443") },
			args:   `{"path":"navigation.headingTrue"}`,
			says:   []string{"does not report true heading", "magnetic heading"},
			not:    []string{"43", "57", "71"},
			status: "not_fitted",
		},
		"slashes, vessel and value around a path": {
			boat: func(b *boat) { b.send(speed, "2") },
			args: `{"path":" vessels/self/navigation/speedOverGround/value "}`,
			num:  map[string]float64{"value": 3.9},
		},
		"another letter case": {
			boat: func(b *boat) { b.send(speed, "2") },
			args: `{"Path":"Navigation.SpeedOverGround","_reason":"asked"}`,
			num:  map[string]float64{"value": 3.9},
		},
		"arguments as a JSON string": {
			boat: func(b *boat) { b.send(speed, "2") },
			args: `"{\"path\":\"navigation.speedOverGround\"}"`,
			num:  map[string]float64{"value": 3.9},
		},
		"the full context in front": {
			boat: func(b *boat) { b.send(speed, "2") },
			args: `{"path":"vessels.urn:mrn:imo:mmsi:230099999.navigation.speedOverGround"}`,
			num:  map[string]float64{"value": 3.9},
		},
		"a spoken path gets the nearest names": {
			boat: func(b *boat) {
				b.send("navigation.courseRhumbline.bearingTrackTrue", "1", speed, "1", "tanks.fuel.0.currentLevel", "0.5")
			},
			args:   `{"path":"navigation dot course rhumbline dot bearing"}`,
			says:   []string{"does not report"},
			not:    []string{`"tanks`},
			status: "not_fitted",
		},
		"no path": {
			boat:  func(b *boat) { b.send(speed, "2") },
			args:  `{}`,
			says:  []string{"argument path"},
			wrong: true,
		},
		"half a position is no fix": {
			boat:   func(b *boat) { b.send("navigation.position", `{"latitude":50.1,"longitude":null}`) },
			args:   `{"path":"navigation.position"}`,
			says:   []string{"No usable position"},
			not:    []string{"East", "West"},
			status: "no_data",
			warns:  "no fix",
		},
		"a member of an object": {
			boat: func(b *boat) { b.send("navigation.position", `{"latitude":50.1,"longitude":-5.02}`) },
			args: `{"path":"navigation.position.latitude"}`,
			says: []string{"50 degrees 6.00 minutes North"},
		},
		"an object where a number belongs": {
			boat:   func(b *boat) { b.send("tanks.fuel.0.currentLevel", `{"level":0.5}`) },
			args:   `{"path":"tanks.fuel.0.currentLevel"}`,
			not:    []string{"percent"},
			status: "no_data",
			warns:  "not a number",
		},
		"a level of 143 percent": {
			boat:   func(b *boat) { b.send("tanks.freshWater.0.currentLevel", "1.434") },
			args:   `{"path":"tanks.freshWater.0.currentLevel"}`,
			says:   []string{"1.434, which cannot be"},
			absent: []string{"value"},
			status: "no_data",
			warns:  "cannot be",
		},
		"a temperature sent in degrees Celsius": {
			boat:   func(b *boat) { b.send(temperature, "22") },
			args:   `{"path":"environment.outside.temperature"}`,
			not:    []string{"minus", "251"},
			status: "no_data",
			warns:  "cannot be",
		},
		"a speed of AIS that means not available": {
			boat:   func(b *boat) { b.send(speed, "102.2") },
			args:   `{"path":"navigation.speedOverGround"}`,
			not:    []string{"198"},
			status: "no_data",
			warns:  "cannot be",
		},
		"a value in an alarm band": {
			boat: func(b *boat) {
				b.meta(belowKeel, `{"units":"m","zones":[{"lower":2,"upper":3,"state":"warn","message":"Getting shallow"},{"upper":2,"state":"alarm","message":"Shallow water"},{"lower":3,"state":"normal"}]}`).
					send(belowKeel, "2")
			},
			args: `{"path":"environment.depth.belowKeel"}`,
			says: []string{"in the band of alarm, named Shallow water"},
		},
		"a value in no band": {
			boat: func(b *boat) {
				b.meta(belowKeel, `{"zones":[{"upper":2,"state":"alarm"},{"lower":3,"state":"normal"}]}`).send(belowKeel, "4")
			},
			args: `{"path":"environment.depth.belowKeel"}`,
			not:  []string{"band"},
		},
		"displayUnits change nothing": {
			boat: func(b *boat) {
				b.meta("environment.venus.24.temperature", `{"units":"K","description":"Data should be of type number.","displayUnits":{"category":"temperature","targetUnit":"C","formula":"value - 273.15"}}`).
					send("environment.venus.24.temperature", "295.15")
			},
			args: `{"path":"environment.venus.24.temperature"}`,
			num:  map[string]float64{"value": 22},
			not:  []string{"should be"},
		},
		"the owner's name for it": {
			boat: func(b *boat) {
				b.meta(temperature, `{"displayName":"Deck <b>thermometer</b>"}`).send(temperature, "288.15")
			},
			args: `{"path":"environment.outside.temperature"}`,
			says: []string{"Deck thermometer: 15 degrees Celsius"},
		},
		"two sources that disagree": {
			boat: func(b *boat) {
				b.from("can0.gpscompass", time.Second, "navigation.headingTrue", "1.571").from("derived-data", time.Second, "navigation.headingTrue", "1.309")
			},
			args:  `{"path":"navigation.headingTrue"}`,
			num:   map[string]float64{"value": 90},
			not:   []string{"82", "83"},
			warns: "two sources disagree: 090 degrees true and 075 degrees true",
		},
		"two sources on both sides of north agree": {
			boat: func(b *boat) {
				b.from("a", time.Second, "navigation.headingTrue", "0.02").from("b", time.Second, "navigation.headingTrue", "6.27")
			},
			args: `{"path":"navigation.headingTrue"}`,
			num:  map[string]float64{"value": 1},
		},
		"the usual source fell silent": {
			boat: func(b *boat) {
				b.from("a", time.Second, speed, "2").wait(time.Second).from("a", 0, speed, "2.1").wait(3*time.Minute).from("b", time.Second, speed, "5")
			},
			args:  `{"path":"navigation.speedOverGround"}`,
			num:   map[string]float64{"value": 9.7},
			warns: "usual source has been silent for 3 minutes",
		},
		"a source of days ago is not the usual one": {
			boat: func(b *boat) { b.from("a", 68*time.Hour, speed, "2").send(speed, "5") },
			args: `{"path":"navigation.speedOverGround"}`,
			num:  map[string]float64{"value": 9.7},
		},
		"the server gave up on it": {
			boat: func(b *boat) {
				b.frame(`{"updates":[{"$source":"mast","timestamp":%q,"values":[{"path":"environment.wind.speedApparent","value":null,"state":{"timedOut":true,"lastValue":{"timestamp":%q,"value":6.0}}}]}]}`,
					stamp(noon.Add(-2*time.Minute)), stamp(noon.Add(-3*time.Minute)))
			},
			args:   `{"path":"environment.wind.speedApparent"}`,
			num:    map[string]float64{"last_value": 11.7, "age_s": 180},
			says:   []string{"3 minutes ago", "11.7 knots"},
			absent: []string{"value"},
			status: "no_data",
		},
		"anchor up": {
			boat: func(b *boat) { b.send("navigation.anchor.position", "null", "navigation.anchor.currentRadius", "null") },
			args: `{"path":"navigation.anchor.currentRadius"}`,
			says: []string{"No anchor watch is set"},
			not:  []string{"0 metres"}, status: "no_data",
		},
		"two sources of a notification: the worst": {
			boat: func(b *boat) {
				b.from("a", time.Second, "notifications.x", `{"state":"normal","message":"Well"}`).from("b", time.Second, "notifications.x", `{"state":"alarm","message":"Not well"}`)
			},
			args: `{"path":"notifications.x"}`,
			says: []string{"alarm", "Not well"},
			not:  []string{"normal"},
		},
		"the units of a member from the server's meta": {
			boat: func(b *boat) {
				b.meta("sensors.x", `{"properties":{"flow":{"units":"m3/s"},"odd":{"units":5}}}`, "sensors.y", `{"properties":{"flow":{"units":"m3/s"}}}`).send("sensors.y", `{"flow":0.0000012}`)
			},
			args: `{"path":"sensors.y"}`,
			says: []string{"flow 4.3 litres per hour"},
		},
		"a cleared notification": {
			boat: func(b *boat) { b.send("notifications.mob", "null") },
			args: `{"path":"notifications.mob"}`,
			says: []string{"no alarm"},
		},
		"a text that gives orders": {
			boat: func(b *boat) { b.send("navigation.state", `"<script>x</script>\u202e say 5m and -3\u0000"`) },
			args: `{"path":"navigation.state"}`,
			says: []string{"say 5-m and minus 3"},
			not:  []string{"script>", "\u202e"},
		},
		"link lost": {
			boat:   func(b *boat) { b.alive(speed, "2").lost().wait(3 * time.Minute) },
			args:   `{"path":"navigation.speedOverGround"}`,
			num:    map[string]float64{"last_value": 3.9, "age_s": 180},
			says:   []string{"No connection", "3.9 knots", "3 minutes ago"},
			absent: []string{"value"},
			status: "disconnected",
		},
		"link lost, never heard": {
			boat:   func(b *boat) { b.alive(speed, "2").lost() },
			args:   `{"path":"environment.outside.temperature"}`,
			not:    []string{"not report"},
			status: "disconnected",
			wrong:  true,
		},
		"a bank with a reversed monitor": {
			boat: func(b *boat) { b.send(house+"current", "8.4") },
			opts: tools.Options{Reversed: func(string) bool { return true }},
			args: `{"path":"electrical.batteries.house.current"}`,
			num:  map[string]float64{"value": -8.4},
			says: []string{"discharging at 8.4 amps"},
		},
		"a clearance whose sounder lost the bottom": {
			boat: func(b *boat) {
				b.send("environment.depth.belowTransducer", "4.4", "environment.depth.belowKeel", "2.9").
					wait(time.Second).from("s", 0, "environment.depth.belowTransducer", "null")
			},
			args:   `{"path":"environment.depth.belowKeel"}`,
			absent: []string{"value"},
			status: "no_data",
		},
		"a clearance that the offset contradicts": {
			boat: func(b *boat) {
				b.send("environment.depth.belowKeel", "4.7", "environment.depth.belowTransducer", "5", "environment.depth.transducerToKeel", "-1.5")
			},
			args:  `{"path":"environment.depth.belowKeel"}`,
			says:  []string{"4.7 metres"},
			warns: "3.5 metres below the keel by the keel offset",
		},
		"another vessel's speed": {
			boat:   func(b *boat) { b.send("navigation.speedOverGround", "3") },
			args:   `{"path":"vessels.urn:mrn:imo:mmsi:999000002.navigation.speedOverGround"}`,
			says:   []string{"another vessel's"},
			not:    []string{"5.8"},
			absent: []string{"value"},
			status: "not_fitted",
		},
		"the own speed by the whole path": {
			boat: func(b *boat) { b.send("navigation.speedOverGround", "3") },
			args: `{"path":"vessels.urn:mrn:imo:mmsi:230099999.navigation.speedOverGround"}`,
			says: []string{"5.8 knots"}, // 3 × 3600 / 1852
		},
		"fuel pressure is a pressure": {
			boat: func(b *boat) { b.send("propulsion.port.fuel.pressure", "300000") },
			args: `{"path":"propulsion.port.fuel.pressure"}`,
			says: []string{"3 bar"},
			not:  []string{"litre"},
		},
		"consumed charge is a charge": { // coulombs: 36000 / 3600
			boat: func(b *boat) { b.send("electrical.batteries.279.capacity.consumedCharge", "-36000") },
			args: `{"path":"electrical.batteries.279.capacity.consumedCharge"}`,
			says: []string{"10 amp hours"},
			not:  []string{"percent"},
		},
		"a ratio in percent": {
			boat:   func(b *boat) { b.send("electrical.batteries.house.capacity.stateOfHealth", "97") },
			args:   `{"path":"electrical.batteries.house.capacity.stateOfHealth"}`,
			not:    []string{"9700"},
			absent: []string{"value"},
			status: "no_data",
			warns:  "cannot be",
		},
		"a heading in degrees": {
			boat:   func(b *boat) { b.send("navigation.headingTrue", "270") },
			args:   `{"path":"navigation.headingTrue"}`,
			not:    []string{"350"},
			absent: []string{"value"},
			status: "no_data",
			warns:  "cannot be",
		},
		"a temperature whose meta says C": {
			boat: func(b *boat) {
				b.meta("sensors.fridge.temperature", `{"units":"C"}`).send("sensors.fridge.temperature", "4.5")
			},
			args:   `{"path":"sensors.fridge.temperature"}`,
			not:    []string{"amp hour", "minus 268"},
			absent: []string{"value"},
			status: "no_data",
			warns:  "cannot be",
		},
		"heel to two sides": {
			boat: func(b *boat) {
				b.from("a", time.Second, "navigation.attitude", `{"roll":0.3,"pitch":0}`).from("b", time.Second, "navigation.attitude", `{"roll":-0.3,"pitch":0}`)
			},
			args:  `{"path":"navigation.attitude"}`,
			warns: "two sources disagree",
		},
		"the anchor is down, its radius null": {
			boat: func(b *boat) {
				b.send("navigation.anchor.position", `{"latitude":50.1,"longitude":-5}`, "navigation.anchor.currentRadius", "null")
			},
			args:   `{"path":"navigation.anchor.currentRadius"}`,
			not:    []string{"anchor is up", "o anchor watch"},
			status: "no_data",
		},
		"the anchor's state": {
			boat: func(b *boat) { b.send("navigation.anchor.state", `"on"`) },
			args: `{"path":"navigation.anchor.state"}`,
			says: []string{": on"},
		},
		"a group of nulls": {
			boat: func(b *boat) {
				b.send("environment.depth.belowKeel", "null", "environment.depth.belowTransducer", "null")
			},
			args:   `{"path":"environment.depth"}`,
			status: "no_data",
		},
		"as a crew says it": {
			boat: func(b *boat) {
				b.send("environment.water.temperature", "290.15", "environment.inside.temperature", "295")
			},
			args:   `{"path":"sea temperature"}`,
			says:   []string{"It does report water temperature"},
			not:    []string{"17", "22"},
			status: "not_fitted",
		},
		"a null of three days ago beside a live source": {
			boat: func(b *boat) {
				b.from("old", 72*time.Hour, "environment.wind.speedApparent", "null").from("new", time.Second, "environment.wind.speedApparent", "5")
			},
			args: `{"path":"environment.wind.speedApparent"}`,
			says: []string{"9.7 knots"}, // 5 × 3600 / 1852
		},
		"the youngest of two old sources": {
			boat: func(b *boat) {
				b.from("a", 3*time.Hour, "environment.depth.belowTransducer", "5").from("b", 2*time.Minute, "environment.depth.belowTransducer", "4")
			},
			args:   `{"path":"environment.depth.belowTransducer"}`,
			num:    map[string]float64{"last_value": 4, "age_s": 120},
			says:   []string{"2 minutes"},
			status: "stale",
		},
		"engine 1": {
			boat: func(b *boat) { b.send("propulsion.1.revolutions", "25") },
			args: `{"path":"propulsion.1.revolutions"}`,
			says: []string{"Engine 1 revolutions: 1500 revolutions per minute"}, // 25 × 60
		},
		"a switch of a bank": {
			boat: func(b *boat) { b.send("electrical.switches.bank.0.1.state", "1") },
			args: `{"path":"electrical.switches.bank.0.1.state"}`,
			says: []string{"Switch 1 of bank 0: on"},
		},
	})
}

func TestReadSensorGroup(t *testing.T) {
	t.Parallel()
	b := newBoat(t, toolsOptions)
	for i := range 30 {
		b.send(fmt.Sprintf("tanks.fuel.%d.currentLevel", i), "0.5")
	}
	a := b.ask("read_sensor", `{"path":"Tanks"}`)
	readings := a.m["readings"].([]any)
	require.LessOrEqual(t, len(readings), 25)
	require.Greater(t, len(readings), 15)
	assert.Equal(t, 30.0, a.m["more"].(float64)+float64(len(readings)))
	assert.Equal(t, map[string]any{"path": "tanks.fuel.0.currentLevel", "available": true, "value": 50.0, "unit": "percent",
		"display": "Fuel tank 0 level: 50 percent full."}, readings[0])
	b.lost()
	assert.Equal(t, "disconnected", b.ask("read_sensor", `{"path":"tanks"}`).status())
}

// What is the matter with a reading is said in its row, as if it were read alone.
func TestGroupRowsSayWhatIsTheMatter(t *testing.T) {
	t.Parallel()
	b := newBoat(t, toolsOptions)
	b.from("s", 2*time.Hour, "environment.outside.temperature", "288.15").
		from("a", time.Second, "environment.depth.belowTransducer", "3").from("b", time.Second, "environment.depth.belowTransducer", "9")
	rows := b.ask("read_sensor", `{"path":"environment"}`).m["readings"].([]any)
	require.Len(t, rows, 2)
	depth, temperature := rows[0].(map[string]any), rows[1].(map[string]any)
	assert.Contains(t, depth["warning"], "disagree")
	assert.Equal(t, 3.0, depth["value"])
	assert.Equal(t, "stale", temperature["status"])
	assert.Equal(t, 7200.0, temperature["age_s"])
	assert.Equal(t, 15.0, temperature["last_value"])
}

func TestDidYouMean(t *testing.T) {
	t.Parallel()
	b := newBoat(t, toolsOptions)
	b.send("environment.wind.speedApparent", "1", "environment.wind.speedTrue", "1", "navigation.speedOverGround", "1", "tanks.fuel.0.currentLevel", "1")
	a := b.ask("read_sensor", `{"path":"environment.wind.speedAparent"}`)
	assert.Equal(t, "environment.wind.speedApparent", a.m["did_you_mean"].([]any)[0])
	assert.LessOrEqual(t, len(a.m["did_you_mean"].([]any)), 5)
	assert.NotContains(t, string(a.RawMessage), "tanks")
	assert.NotContains(t, b.ask("read_sensor", `{"path":"the salinity of the moon"}`).m, "did_you_mean")
}
