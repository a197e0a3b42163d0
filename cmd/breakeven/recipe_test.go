package main

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/tools"
)

// More of the recipe's factors, and its commands for the course.
const (
	hectopascal   = 100.0  // pascal
	perMinute     = 60.0   // of a hertz
	percent       = 100.0  // of a ratio
	nauticalMiles = 1852.0 // metres

	theCourse  = "$C"
	theNumbers = "$C/calcValues"
)

// The recipe has the factors that the reader works with, the rule that people
// forget, and first of all when not to read it.
func TestRecipeSays(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(ourRecipe)
	require.NoError(t, err)
	for _, words := range []string{
		"m/s × 1.943844 = knots", "rad × 57.29578 = degrees", "K − 273.15 = °C", "Pa ÷ 100 = hPa", "Hz × 60 = rpm", "ratio × 100 = percent", "m ÷ 1852 = nautical miles",
		"`belowTransducer` minus the size of `transducerToKeel`", "always subtract, never add",
		"positive charges, negative discharges", "30 s (depth, wind, speed, heading, engine)", "2 min (volts, amps)", "15 min (charge, temperature, pressure, tanks)",
		"Error 404: the boat does not report it", "`null`: fitted, nothing to read now", "Never a guess",
	} {
		assert.Contains(t, string(text), words)
	}
	assert.True(t, strings.HasPrefix(string(text), "If the signalk tools are there (`depth_state`, `read_sensor` and their like), use them and speak their `display`; the rest of this file does not apply."))
}

// The factors themselves: a nautical mile of 1852 m an hour, π rad to 180°.
func TestFactors(t *testing.T) {
	t.Parallel()
	assert.InDelta(t, 3600.0/1852, knots, 5e-7)
	assert.InDelta(t, 180/math.Pi, degrees, 5e-6)
}

// agreement compares what a literal reader of the recipe finds with what the tools
// say, on any boat that is well. Each value is taken again until it stood still
// around the tool's answer.
func agreement(t *testing.T, r reader, set *tools.Set, paths map[string]conversion) (compared int) {
	t.Helper()
	ask := func(tool, arguments, member string) finding {
		answer, err := set.Call(tool, json.RawMessage(arguments))
		require.NoError(t, err)
		f, err := toolFinding(answer, member)
		require.NoError(t, err)
		return f
	}
	still := func(read func() finding, tool func() finding) (finding, finding) {
		for range 50 {
			before, said := read(), tool()
			if after := read(); before == after {
				return before, said
			}
		}
		require.Fail(t, "it never stands still")
		return finding{}, finding{}
	}
	check := func(name string, tolerance float64, read, tool func() finding) {
		found, said := still(read, tool)
		require.Equal(t, found.known, said.known, "%s: %q and %q", name, found.words, said.words)
		assert.InDelta(t, found.value, said.value, tolerance, "%s: %q and %q", name, found.words, said.words)
		compared++
	}
	ctx := t.Context()
	// Depths are said in tenths of metres below 20 m, and in whole ones above.
	check("depth", 0.51, func() finding { return r.depth(ctx) }, func() finding { return ask("depth_state", "", "below_keel_m") })
	check("current", 0.051, func() finding { return r.current(ctx, "house") }, func() finding { return ask("battery_state", `{"bank":"house"}`, "current") })
	for path, c := range paths {
		check(path, c.tolerance,
			func() finding {
				f := r.one(ctx, path, staleSlow, c.factor, c.less, "")
				if c.circle {
					f.value = math.Mod(f.value+360, 360)
				}
				return f
			},
			func() finding { return ask("read_sensor", string(encode(map[string]string{"path": path})), "value") })
	}
	return compared
}

// conversion is one of the recipe's, with what rounding for speech takes.
type conversion struct {
	factor, less, tolerance float64
	circle                  bool
}

// What the recipe documents gives the tools' numbers, on the made-up boat.
func TestRecipeAgreesWithTheTools(t *testing.T) {
	t.Parallel()
	url, done, err := (&boatFlags{mock: true}).open(standing())
	require.NoError(t, err)
	defer done()
	recipe, err := readRecipe(ourRecipe, url)
	require.NoError(t, err)
	set, closeSet, err := toolsOver(t.Context(), url, true)
	require.NoError(t, err)
	defer closeSet()
	paths := map[string]conversion{
		"environment.wind.speedApparent":                    {factor: knots, tolerance: 0.51},
		"navigation.speedOverGround":                        {factor: knots, tolerance: 0.051},
		"navigation.headingMagnetic":                        {factor: degrees, tolerance: 0.51, circle: true},
		"navigation.courseOverGroundTrue":                   {factor: degrees, tolerance: 0.51, circle: true},
		"environment.wind.angleApparent":                    {factor: degrees, tolerance: 0.51},
		"environment.water.temperature":                     {factor: 1, less: freezing, tolerance: 0.51},
		"environment.outside.pressure":                      {factor: 1 / hectopascal, tolerance: 0.51},
		"propulsion.port.revolutions":                       {factor: perMinute, tolerance: 5.1},
		"tanks.fuel.0.currentLevel":                         {factor: percent, tolerance: 0.51},
		"electrical.batteries.house.capacity.stateOfCharge": {factor: percent, tolerance: 0.51},
		"electrical.batteries.house.voltage":                {factor: 1, tolerance: 0.051},
	}
	assert.Equal(t, len(paths)+2, agreement(t, reader{recipe, moment}, set, paths))
	for _, c := range recipe.commands {
		_, printed, err := recipe.run(t.Context(), c)
		require.NoError(t, err, c.line)
		for _, line := range strings.Split(printed, "\n") {
			assert.True(t, json.Valid([]byte(line)), "%s: %s", c.line, line)
		}
	}
	// The course: the recipe's distance and side are the tool's.
	var numbers struct{ Distance, CrossTrackError float64 }
	require.Nil(t, reader{recipe, moment}.print(t.Context(), theNumbers, "", &numbers))
	answer, err := set.Call("get_route", nil)
	require.NoError(t, err)
	var route struct {
		Next struct {
			Distance float64 `json:"distance_nm"`
		}
		CrossTrack float64 `json:"cross_track_m"`
	}
	require.NoError(t, json.Unmarshal(answer.JSON(), &route))
	assert.InDelta(t, numbers.Distance/nauticalMiles, route.Next.Distance, 0.0051)
	assert.InDelta(t, numbers.CrossTrackError, route.CrossTrack, 0.51)
	var course struct{ Route string }
	require.Nil(t, reader{recipe, moment}.print(t.Context(), theCourse, "", &course))
	assert.Contains(t, answer.Display, course.Route)
}

// Alarms: the recipe prints those that the tool tells, and no others; also one
// that another source on the same path has cleared for itself.
func TestRecipeAlarms(t *testing.T) {
	t.Parallel()
	recipe, err := readRecipe(ourRecipe, "")
	require.NoError(t, err)
	command, err := recipe.command(allAlarms, "")
	require.NoError(t, err)
	for _, version := range []string{"2.23.0", "2.32.0"} {
		text, err := os.ReadFile("testdata/responses/" + version + "/notifications-v1.json")
		require.NoError(t, err)
		printed, err := command.filter(t.Context(), text)
		require.NoError(t, err)
		for _, path := range []string{"test.alert", "test.warn", "test.alarm", "test.emergency", "test.nomethod", "test.twosources"} {
			assert.Contains(t, printed, `["`+path+".", version)
		}
		assert.NotContains(t, printed, "test.normal")
		assert.NotContains(t, printed, "test.nominal")
	}
}

func TestRecipeIsTakenApart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "AGENTS.md")
	for text, says := range map[string]string{
		"```sh\nrm -rf /\n```":                     "is neither",
		"```sh\ncurl -fsS $V/x | jq -c '.\n```":    "is neither",
		"no commands":                              "has no command for",
		"```sh\ncurl -fsS $V/x | jq -c '((('\n```": "has no command for",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		r, err := readRecipe(file, "http://x")
		if err == nil {
			_, err = r.command(oneDepth, "")
		}
		assert.ErrorContains(t, err, says)
	}
	_, err := recipeCommand{program: "((("}.filter(t.Context(), []byte("{}"))
	require.Error(t, err)
	_, err = recipeCommand{program: ".a.b"}.filter(t.Context(), []byte(`{"a":5}`))
	require.Error(t, err)
	_, err = recipeCommand{program: "."}.filter(t.Context(), []byte("<html>"))
	require.Error(t, err)
}

func TestFetchIsBounded(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for chunk := make([]byte, 1<<20); ; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer s.Close()
	_, err := fetch(t.Context(), s.Client(), s.URL)
	assert.ErrorContains(t, err, "larger than 16 MiB")
}
