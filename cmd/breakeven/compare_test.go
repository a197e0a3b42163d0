package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

const ourRecipe = "../../" + recipeFile

// comparisonOf compares over a server.
func comparisonOf(t *testing.T, url string) *comparison {
	t.Helper()
	r, err := readRecipe(ourRecipe, url)
	require.NoError(t, err)
	c, err := compare(t.Context(), cl100k(t), r, url, questions, 1, true)
	require.NoError(t, err)
	return c
}

func mockComparison(t *testing.T) *comparison {
	t.Helper()
	url, done, err := (&boatFlags{mock: true}).open(standing())
	require.NoError(t, err)
	defer done()
	return comparisonOf(t, url)
}

// The README's tables and the curve are what the program prints.
func TestReadmeTables(t *testing.T) {
	t.Parallel()
	const file = "../../README.md"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	readme := string(text)
	section := func(name, content string) string {
		re := regexp.MustCompile(`(?s)(<!-- ` + name + `: [^\n]*-->\n).*?(<!-- end of ` + name + ` -->)`)
		require.Regexp(t, re, readme)
		readme = re.ReplaceAllString(readme, "${1}"+strings.ReplaceAll(content, "$", "$$")+"${2}")
		return readme
	}
	svg := t.TempDir() + "/curve.svg"
	made, log, code := call(t, "compare", "-mock", "-markdown", "-recipe", ourRecipe, "-svg", svg)
	require.Equal(t, exitOK, code, log)
	section("compare", made)
	section("real", realTable(t))
	all := mockComparison(t)
	for name, n := range map[string]int{"recipe": all.Recipe, "tools": all.Tools} {
		readme = regexp.MustCompile(`(<!-- `+name+` -->)\d+(<!-- -->)`).ReplaceAllString(readme, fmt.Sprintf("${1}%d${2}", n))
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(readme), 0o644))
	}
	assert.Equal(t, readme, string(text))
	curve, err := os.ReadFile(svg)
	require.NoError(t, err)
	golden(t, "../../deploy/breakeven.svg", curve)
	assert.Contains(t, readme, "](deploy/breakeven.svg)")
}

// Our own numbers: smaller than the recipe in every turn, shorter than the raw
// answer to every question, so that the tools pay from the first read. Only one
// bare value can be shorter raw, and then tens of reads a turn.
func TestToolsPayFromTheFirstRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]*comparison{
		"the made-up boat": mockComparison(t), "2.23.0": comparisonOf(t, replay(t, "2.23.0")), "2.32.0": comparisonOf(t, replay(t, "2.32.0")),
	} {
		c.pays(t, name)
	}
}

func (c *comparison) pays(t *testing.T, name string) {
	t.Helper()
	assert.LessOrEqual(t, c.Tools, 286, name)
	assert.Less(t, c.Tools, c.Recipe, name)
	for _, r := range c.Reads {
		require.Empty(t, r.Error, "%s %s", name, r.Name)
		assert.Less(t, r.Raw, r.Pretty, "%s %s", name, r.Name)
		byTool, raw, _ := c.ways(r)
		for k := range curveReads + 1 {
			assert.Less(t, byTool.turn(float64(k), 1), raw.turn(float64(k), 1), "%s %s", name, r.Name)
		}
		if r.Name != "wind speed" {
			assert.Less(t, r.Answer, r.Raw, "%s %s", name, r.Name)
			assert.LessOrEqual(t, breakeven(byTool, raw, 1), 0.0, "%s %s", name, r.Name)
		}
		if r.Name == "depth" {
			assert.LessOrEqual(t, r.Answer, 62, name)
		}
	}
}

// recorded are answers of real servers in testdata/responses, as they came.
var recorded = map[string]string{
	"environment/depth":              "rest-environment-depth.json",
	"environment/wind/speedApparent": "wind-speed-apparent.json",
	"electrical":                     "rest-electrical.json",
	"navigation":                     "rest-navigation.json",
	"notifications":                  "notifications-v1.json",
}

// replay serves what a real server said: its answers byte for byte over REST,
// and the values in them on the stream, so that both ways have the same boat.
func replay(t *testing.T, version string) (url string) {
	t.Helper()
	at := time.Date(2026, 11, 30, 21, 32, 0, 0, time.UTC) // of the recording
	s := mock.NewServer(mock.Options{Version: version, NoVessel: true, Start: at, Now: func() time.Time { return at }})
	t.Cleanup(s.Close)
	const self = "/signalk/v1/api/vessels/self/"
	for _, path := range slices.Sorted(maps.Keys(recorded)) {
		text, err := os.ReadFile("testdata/responses/" + version + "/" + recorded[path])
		require.NoError(t, err)
		require.NoError(t, s.SetDoc(self+path, text))
		var tree map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(text, &tree))
		if b := tree["batteries"]; b != nil {
			require.NoError(t, s.SetDoc(self+path+"/batteries", b))
		}
		publish(t, s, strings.ReplaceAll(path, "/", "."), text)
	}
	return s.URL
}

// publish sends the leaves of a tree, those of several sources from each.
func publish(t *testing.T, s *mock.Server, path string, raw json.RawMessage) {
	t.Helper()
	type value struct {
		Value     json.RawMessage `json:"value"`
		Timestamp string          `json:"timestamp"`
	}
	var leaf struct {
		value
		Source string           `json:"$source"`
		Meta   any              `json:"meta"`
		Values map[string]value `json:"values"`
	}
	if json.Unmarshal(raw, &leaf) == nil && leaf.Value != nil && leaf.Source != "" {
		if leaf.Values == nil {
			leaf.Values = map[string]value{leaf.Source: leaf.value}
		}
		for _, source := range slices.Sorted(maps.Keys(leaf.Values)) {
			v := leaf.Values[source]
			if strings.HasPrefix(path, "environment.wind.") {
				v.Timestamp = "" // the server's: it was recorded in another minute than the rest
			}
			u := mock.Update{Source: source, Timestamp: v.Timestamp, Values: []mock.PathValue{{Path: path, Value: v.Value}}}
			if leaf.Meta != nil {
				u.Meta = []mock.PathValue{{Path: path, Value: leaf.Meta}}
			}
			require.NoError(t, s.Send(mock.Delta{Updates: []mock.Update{u}}))
		}
		return
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) == nil {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			publish(t, s, path+"."+name, members[name])
		}
	}
}

// realTable is the README's table of what real servers answer.
func realTable(t *testing.T) string {
	t.Helper()
	versions := []string{"2.23.0", "2.32.0"}
	all := map[string]*comparison{}
	for _, v := range versions {
		all[v] = comparisonOf(t, replay(t, v))
	}
	table := newTable("read", "raw, 2.23.0", "tool result", "raw, 2.32.0", "tool result")
	for i, r := range all[versions[0]].Reads {
		s := all[versions[1]].Reads[i]
		table.row(r.Name, r.Raw, r.Answer, s.Raw, s.Answer)
	}
	var b bytes.Buffer
	table.markdown(&b)
	return b.String()
}

// A read that cannot be measured says so, and the others are there.
func TestCompareSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := mock.NewServer(mock.Options{NoVessel: true})
	defer s.Close()
	require.NoError(t, s.Set("environment.depth.belowKeel", 3.7))
	out, log, code := call(t, "compare", "-url", s.URL, "-recipe", ourRecipe, "-path", "no.such.path", "-path", "environment/depth")
	require.Equal(t, exitOK, code, log)
	assert.Regexp(t, `no\.such\.path .* not measured: .*404`, out)
	assert.Regexp(t, `battery .* not measured: .*404`, out)
	assert.Regexp(t, `(?m)^depth +\d+`, out)
	assert.Regexp(t, `(?m)^environment\.depth +\d+`, out, "a group, too")
}

func TestCompareWithoutAServer(t *testing.T) {
	t.Parallel()
	s := mock.NewServer(mock.Options{})
	s.Close()
	_, log, code := call(t, "compare", "-url", s.URL, "-recipe", ourRecipe)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, log, "nothing could be measured")
}

func TestCurve(t *testing.T) {
	t.Parallel()
	out, log, code := call(t, "compare", "-mock", "-json", "-recipe", ourRecipe, "-warm", "0.96", "-ttl", "1h", "-turns", "3", "-reads", "2")
	require.Equal(t, exitOK, code, log)
	var c comparison
	require.NoError(t, json.Unmarshal([]byte(out), &c))
	assert.InDelta(t, 0.04*2+0.96*0.1, c.Multiplier, 1e-9)
	require.Len(t, c.Curve, 11)
	assert.InDelta(t, c.Multiplier*float64(c.Tools), c.Curve[0].Tools, 1e-9)
	assert.InDelta(t, c.Multiplier*float64(c.Recipe)+10*float64(c.Reads[0].Raw), c.Curve[10].Raw, 1e-9)
	// Three turns, two results of 2 × 2 + 0.176 × (2 + 1) each.
	assert.InDelta(t, 3*0.176*float64(c.Tools)+2*float64(c.Reads[0].Answer)*(3*2+0.176*3), c.Session.Tools, 1e-6)
}
