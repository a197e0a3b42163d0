package mock

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The figures are what the course provider of signalk-server 2.32.0 published
// for this leg and position, SOG 3 m/s and COG 1 rad.
func TestReckonAgainstRecorded(t *testing.T) {
	t.Parallel()
	const micrometre, nanoradian = 1e-6, 1e-9
	got := reckon(
		Position{60.001, 24.001}, Position{60, 24}, Position{60.01, 24.01},
		[]waypoint{{"Mid", Position{60.02, 24.05}}, {"End", Position{60.03, 24.1}}},
		3, 1,
	)
	assert.InDelta(t, 0.46351156841301916, got.track, nanoradian)
	assert.InDelta(t, 0.46351307895736743, got.bearing, nanoradian)
	assert.InDelta(t, 0.015221290558127239, got.crossTrack, micrometre)
	assert.InDelta(t, 124.3193315445123, got.previousDistance, micrometre)
	assert.InDelta(t, 1118.840159241008, got.distance, micrometre)
	assert.InDelta(t, 2.578528755557084, got.velocity, 1e-9)
	assert.InDelta(t, 6596.396424240167, got.routeDistance, micrometre)
}

func TestPosition(t *testing.T) {
	t.Parallel()
	const metre = 1
	origin := Position{60, 25}
	// A minute of latitude on the sphere is 6371000 m × π/180/60 = 1853.25 m.
	north := origin.moved(vector{1853.25, 0})
	assert.InDelta(t, 60+1.0/60, north.Latitude, 1e-6)
	assert.Equal(t, 25.0, north.Longitude)
	// At 60° north a degree of longitude is half as long: cos 60° = 0.5.
	east := origin.moved(vector{0, 1853.25 / 2})
	assert.InDelta(t, 25+1.0/60, east.Longitude, 1e-6)
	for name, tt := range map[string]struct {
		to                Position
		distance, bearing float64
	}{
		"nowhere": {origin, 0, 0},
		"north":   {Position{61, 25}, 111194.93, 0},
		"south":   {Position{59, 25}, 111194.93, math.Pi},
		"east":    {Position{60, 25.001}, 55.60, math.Pi / 2},
		"west":    {Position{60, 24.999}, 55.60, 3 * math.Pi / 2},
	} {
		assert.InDelta(t, tt.distance, origin.distance(tt.to), metre, name)
		assert.InDelta(t, tt.bearing, origin.bearing(tt.to), 1e-4, name)
	}
	assert.Less(t, crossTrack(origin, Position{61, 25}, Position{60.5, 24.9}), 0.0, "left is negative")
	assert.Greater(t, crossTrack(origin, Position{61, 25}, Position{60.5, 25.1}), 0.0)
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, turned, leant float64 }{
		"zero":             {0, 0, 0},
		"west":             {-math.Pi / 2, 3 * math.Pi / 2, -math.Pi / 2},
		"astern":           {math.Pi, math.Pi, math.Pi},
		"astern from port": {-math.Pi, math.Pi, math.Pi},
		"twice round":      {4*math.Pi + 1, 1, 1},
	} {
		assert.InDelta(t, tt.turned, turn(tt.in), 1e-12, name)
		assert.InDelta(t, tt.leant, lean(tt.in), 1e-12, name)
	}
}

func TestGlob(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern glob
		s       string
		want    bool
	}{
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "a.b", true},
		{"a.*", "a.b.c", true},
		{"a.*", "a", false},
		{"a*b*c", "abc", true},
		{"a*b*c", "axbxc", true},
		{"a*b*c", "acb", false},
		{"ab*ba", "aba", false}, // the ends do not overlap
		{"a.b", "axb", false},   // a dot is a dot
		{"**", "x", true},
	} {
		assert.Equal(t, tt.want, tt.pattern.matches(tt.s), "%q %q", tt.pattern, tt.s)
	}
}

func TestAppendMembers(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `{"a":1,"b":2,"c":3}`, string(appendMembers([]byte(` {"a":1 } `), []string{`"b":2`, `"c":3`})))
	assert.Equal(t, `{"b":2}`, string(appendMembers([]byte(`{}`), []string{`"b":2`})))
	assert.Equal(t, `{"a":1}`, string(appendMembers([]byte(`{"a":1}`), nil)))
}
