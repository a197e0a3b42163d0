package tools_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestListPaths(t *testing.T) {
	t.Parallel()
	situations(t, "list_paths", map[string]situation{
		"groups with their counts": {
			boat: func(b *boat) {
				b.send("environment.depth.belowKeel", "3", "environment.water.temperature", "288", "tanks.fuel.0.currentLevel", "0.5")
			},
			num:  map[string]float64{"count": 3},
			says: []string{"3 values", "environment 2", "tanks 1", "prefix"},
		},
		"a group": {
			boat: func(b *boat) {
				b.meta("environment.depth.belowKeel", `{"units":"m","description":"Depth below keel"}`, "environment.water.temperature", `{"units":"K","description":"Data should be of type number."}`).
					send("environment.water.temperature", "288", "environment.depth.belowKeel", "3", "environmentX", "1")
			},
			args: `{"prefix":"Environment"}`,
			num:  map[string]float64{"count": 2},
			says: []string{"depth below the keel and water temperature"},
			not:  []string{"should be", "environmentX", "288"},
		},
		"nothing of that name": {
			boat:   func(b *boat) { b.send("environment.depth.belowKeel", "3") },
			args:   `{"prefix":"watermaker"}`,
			num:    map[string]float64{"count": 0},
			status: "not_fitted",
		},
		"the root is no path": {
			boat: func(b *boat) { b.send("", `{"name":"Petrel"}`) },
			num:  map[string]float64{"count": 1},
			not:  []string{`""`},
		},
		"other vessels are not the boat's": {
			boat: func(b *boat) {
				b.send("environment.depth.belowKeel", "3")
				b.frame(`{"context":"vessels.urn:mrn:imo:mmsi:230011111","updates":[{"values":[{"path":"navigation.speedOverGround","value":4}]}]}`)
			},
			num: map[string]float64{"count": 1},
		},
		"link lost": {
			boat:   func(b *boat) { b.send("environment.depth.belowKeel", "3").lost() },
			num:    map[string]float64{"count": 1},
			says:   []string{"No connection", "Remembered"},
			status: "disconnected",
		},
		"link lost, nothing known": {
			boat:   func(b *boat) { b.lost() },
			status: "disconnected",
			wrong:  true,
		},
		"link lost, and nothing of that name": {
			boat:   func(b *boat) { b.send("navigation.headingTrue", "1").lost() },
			args:   `{"prefix":"environment"}`,
			not:    []string{"reports nothing"},
			status: "disconnected",
			wrong:  true,
		},
	})
}

// Pages follow each other without a gap and without a double, sorted, and stand
// when paths come and go between them.
func TestListPathsPages(t *testing.T) {
	t.Parallel()
	b := newBoat(t, toolsOptions)
	for i := range 500 {
		b.send(fmt.Sprintf("electrical.test.%03d.voltage", i), "12")
	}
	var got []string
	cursor := ""
	for page := range 20 {
		a := b.ask("list_paths", fmt.Sprintf(`{"prefix":"electrical","cursor":%q}`, cursor))
		require.Less(t, len(a.RawMessage), 4000, "about 1,000 tokens")
		paths := a.m["paths"].([]any)
		require.LessOrEqual(t, len(paths), 60)
		for _, p := range paths {
			got = append(got, p.(map[string]any)["path"].(string))
		}
		if page == 0 {
			assert.Equal(t, 500.0, a.m["count"])
			assert.Contains(t, a.display(), "cursor")
			b.send("electrical.test.000a.voltage", "12") // before the cursor: not seen, and shifts nothing
		}
		next, more := a.m["next_cursor"].(string)
		if !more {
			break
		}
		cursor = next
	}
	require.Len(t, got, 500)
	for i, p := range got {
		assert.Equal(t, fmt.Sprintf("electrical.test.%03d.voltage", i), p)
	}
}
