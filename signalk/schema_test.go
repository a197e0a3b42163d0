package signalk_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/signalk"
)

// What paths measure, by SignalK/specification 1.8.2 (schemas/groups) and by
// what producers do with them; units is what the server's meta says.
func TestSchemaOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, units string
		want        signalk.Quantity
	}{
		{"environment.depth.belowKeel", "", signalk.Clearance},
		{"environment.depth.belowTransducer", "", signalk.Depth},
		{"environment.depth.transducerToKeel", "", signalk.Offset},
		{"environment.wind.angleTrueWater", "", signalk.FromBow},
		{"environment.wind.directionTrue", "", signalk.WindFrom},
		{"environment.outside.pressure", "", signalk.AirPressure},
		{"environment.inside.engineRoom.temperature", "", signalk.TemperatureQ},
		{"environment.venus.24.temperature", "K", signalk.TemperatureQ},
		{"environment.outside.relativeHumidity", "", signalk.Percent},
		{"environment.current", "", signalk.Set},
		{"navigation.headingTrue", "", signalk.Direction},
		{"navigation.magneticVariation", "", signalk.Variation},
		{"navigation.rateOfTurn", "", signalk.Turn},
		{"navigation.log", "", signalk.Distance},
		{"navigation.position", "", signalk.Place},
		{"navigation.attitude", "", signalk.Attitude},
		{"navigation.datetime", "", signalk.Instant},
		{"navigation.courseGreatCircle.crossTrackError", "", signalk.CrossTrack},
		{"navigation.courseRhumbline.nextPoint.distance", "", signalk.Distance},
		{"navigation.course.calcValues.bearingMagnetic", "", signalk.Direction},
		{"navigation.course.calcValues.timeToGo", "", signalk.Span},
		{"navigation.anchor.maxRadius", "", signalk.Height},
		{"steering.rudderAngle", "", signalk.Rudder},
		{"steering.autopilot.target.windAngleApparent", "", signalk.PilotAngle},
		{"propulsion.port.revolutions", "", signalk.Revolutions},
		{"propulsion.engine_1.revolutions", "Hz", signalk.Revolutions},
		{"propulsion.main.oilPressure", "", signalk.PressureQ},
		{"propulsion.main.transmission.oilTemperature", "", signalk.TemperatureQ},
		{"propulsion.port.runTime", "", signalk.Hours},
		{"propulsion.port.fuel.rate", "", signalk.FlowQ},
		{"propulsion.port.fuel.used", "", signalk.VolumeQ},
		{"electrical.batteries.house.current", "", signalk.BatteryAmps},
		{"electrical.batteries.279-second.voltage", "", signalk.VoltageQ},
		{"electrical.batteries.0.capacity.nominal", "J", signalk.Capacity},
		{"electrical.batteries.0.capacity.dischargeSinceFull", "", signalk.ChargeQ},
		{"electrical.batteries.0.capacity.stateOfHealth", "", signalk.Percent},
		{"electrical.batteries.house.name", "", signalk.Word},
		{"electrical.chargers.1.current", "", signalk.SourceAmps},
		{"electrical.solar.roof.panelCurrent", "", signalk.SourceAmps},
		{"electrical.solar.roof.panelPower", "W", signalk.PowerQ},
		{"electrical.alternators.1.fieldDrive", "", signalk.PercentDone},
		{"electrical.ac.shore.phase.a.current", "", signalk.Amps},
		{"electrical.ac.shore.phase.a.frequency", "", signalk.FrequencyQ},
		{"electrical.switches.anchorLight.state", "", signalk.Switch},
		{"electrical.switches.bank.0.1.state", "", signalk.Switch},
		{"tanks.fuel.0.currentLevel", "", signalk.Level},
		{"tanks.fuel.0.capacity", "", signalk.VolumeQ},
		{"notifications.environment.depth.belowKeel", "m", signalk.Alarm},
		{"design.draft", "", signalk.Draft},
		{"design.draft.maximum", "", signalk.Height},
		{"performance.velocityMadeGood", "m/s", signalk.SpeedQ},
		{"performance.targetAngle", "rad", signalk.AngleQ},
		{"sensors.sonar.bearing", "rad", signalk.Direction},
		{"sensors.test.value", "", signalk.Unknown},
		{"sensors.test.value", "m3", signalk.VolumeQ},
		{"sensors.test.value", "furlong", signalk.Unknown},
	} {
		assert.Equal(t, tt.want, signalk.SchemaOf(tt.path, tt.units).Quantity, tt.path+" "+tt.units)
	}
}

func FuzzPath(f *testing.F) {
	for _, p := range []string{"environment.depth.belowKeel", "", ".", "..", "a..b", "navigation.**.x", "notifications.", "environment.**.pressure", "électrique"} {
		f.Add(p, "m")
	}
	f.Fuzz(func(t *testing.T, path, units string) {
		s := signalk.SchemaOf(path, units)
		require.GreaterOrEqual(t, s.Limit, s.Limit*0)
		require.Equal(t, s, signalk.SchemaOf(path, units))
	})
}

// Changed meta brings only the keys that changed: it is merged.
func TestMetaIsMerged(t *testing.T) {
	t.Parallel()
	v, _ := connected(t)
	feed(t, v,
		meta(depth, `{"units":"m","description":"Depth below Transducer","zones":[{"upper":2,"state":"alarm","message":"Shallow"},{"state":"warn"}]}`),
		meta(depth, `{"displayName":"Sounder","units":5,"zones":"none","timeout":-1}`),
		meta("a.b", `{"description":"Data should be of type number."}`),
		meta("", `{"units":"m"}`), meta("a.c", `"text"`))
	var m, filler signalk.Meta
	v.Read(func(w signalk.View) { m, filler = w.Meta(depth), w.Meta("a.b") })
	assert.Equal(t, "m", m.Units)
	assert.Equal(t, "Depth below Transducer", m.Description)
	assert.Equal(t, "Sounder", m.DisplayName)
	assert.Len(t, m.Zones, 2)
	assert.Zero(t, m.Timeout)
	assert.Empty(t, filler.Description)
	assert.Zero(t, v.Len(), "meta is no value")
}

// Bounds of zones are inclusive; a missing one is open; none at all is no zone.
func TestZoneHolds(t *testing.T) {
	t.Parallel()
	two, three := 2.0, 3.0
	for _, tt := range []struct {
		zone signalk.Zone
		x    float64
		want bool
	}{
		{signalk.Zone{Upper: &two}, 2, true},
		{signalk.Zone{Upper: &two}, 2.01, false},
		{signalk.Zone{Upper: &two}, -5, true},
		{signalk.Zone{Lower: &two}, 2, true},
		{signalk.Zone{Lower: &two}, 1.99, false},
		{signalk.Zone{Lower: &two, Upper: &three}, 2.5, true},
		{signalk.Zone{Lower: &two, Upper: &three}, 3.1, false},
		{signalk.Zone{}, 0, false},
	} {
		assert.Equal(t, tt.want, tt.zone.Holds(tt.x), "%+v %v", tt.zone, tt.x)
	}
}
