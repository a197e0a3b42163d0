package main

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGridIsCurrent makes zones.bin again, which takes half a minute on two
// cores.
func TestGridIsCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute")
	}
	want, err := os.ReadFile("../zones.bin")
	require.NoError(t, err)
	got, err := grid()
	require.NoError(t, err)
	// Not assert.Equal, which would print both.
	assert.True(t, string(want) == string(got), "zones.bin is not what grid makes: %d bytes, want %d", len(want), len(got))
}

// TestAgreement measures again, which takes a minute, and holds the figures to
// what the grid is for.
func TestAgreement(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute")
	}
	want, err := os.ReadFile("../agreement.json")
	require.NoError(t, err)
	got, err := agreement("../testdata/ports.csv")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))

	var r report
	require.NoError(t, json.Unmarshal(got, &r))
	for _, c := range []*comparison{r.Default, r.Polygons} {
		for kind, least := range map[string]float64{"sphere": 99.9, "land": 99.9, "coast": 99.8, "border": 97} {
			assert.Equal(t, samples, c.Random[kind].Points, kind)
			assert.GreaterOrEqual(t, c.Random[kind].Percent, least, kind)
		}
		for kind, least := range map[string]float64{"0 km": 100, "1 km": 99, "3 km": 99, "10 km": 99} {
			assert.GreaterOrEqual(t, c.Ports[kind].Percent, least, kind)
		}
	}
}

func TestFlatten(t *testing.T) {
	for name, tt := range map[string]struct {
		spans []span
		want  []stretch
	}{
		"side by side":           {[]span{{4, 10, 2}, {0, 4, 1}}, []stretch{{4, 1}, {10, 2}}},
		"nothing":                {nil, []stretch{{10, nowhere}}},
		"a sliver":               {[]span{{0, 4, 1}, {5, 10, 2}}, []stretch{{4, 1}, {5, nowhere}, {10, 2}}},
		"the sea gives way":      {[]span{{0, 6, sea}, {4, 10, 2}}, []stretch{{4, sea}, {10, 2}}},
		"the first zone goes on": {[]span{{0, 6, 1}, {4, 10, 2}}, []stretch{{6, 1}, {10, 2}}},
		"an enclave in the sea":  {[]span{{0, 10, sea}, {3, 5, 7}}, []stretch{{3, sea}, {5, 7}, {10, sea}}},
		"one zone, two polygons": {[]span{{0, 5, 1}, {5, 10, 1}}, []stretch{{10, 1}}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tt.want, flatten(tt.spans, 10)) })
	}
}

// paintTile returns the cells of a tile, each the zone at its centre.
func paintTile(zoneAt func(x, y float64) zone) []zone {
	cells := make([]zone, tileSide*tileSide)
	for i := range cells {
		cells[i] = zoneAt(float64(i%tileSide)+0.5, float64(i/tileSide)+0.5)
	}
	return cells
}

func TestFill(t *testing.T) {
	cells := paintTile(func(x, _ float64) zone {
		switch {
		case x < 100:
			return 1
		case x < 103:
			return nowhere
		}
		return sea
	})
	fill(cells)
	// Rings of one cell from both sides; the cell both reach goes to the zone.
	assert.Equal(t, []zone{1, 1, 1, sea, sea}, cells[99:104])

	cells = paintTile(func(_, _ float64) zone { return nowhere })
	fill(cells)
	assert.Equal(t, sea, cells[len(cells)/2])
}

func TestDivide(t *testing.T) {
	for name, tt := range map[string]struct {
		zoneAt     func(x, y float64) zone
		wantSplits []bool
		wantLeaves []leaf
	}{
		"one zone": {
			func(_, _ float64) zone { return 3 },
			[]bool{false}, []leaf{{left: 3}},
		},
		"a line from corner to corner": {
			func(x, y float64) zone {
				if y >= x {
					return 1
				}
				return 2
			},
			[]bool{false}, []leaf{{cut: true, left: 1, right: 2, a: 0, b: 16}},
		},
		"a quarter of its own": {
			func(x, y float64) zone {
				if x < tileSide/2 && y > tileSide/2 {
					return 1
				}
				return sea
			},
			[]bool{true, false, false, false, false}, []leaf{{}, {}, {left: 1}, {}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			splits, leaves := divide(paintTile(tt.zoneAt))
			assert.Equal(t, tt.wantSplits, splits)
			assert.Equal(t, tt.wantLeaves, leaves)
		})
	}
}

// TestDivideCurve counts the lines that a round bay takes.
func TestDivideCurve(t *testing.T) {
	const radius = 400.3
	cells := paintTile(func(x, y float64) zone {
		if math.Hypot(x, y) < radius {
			return sea
		}
		return 1
	})
	splits, leaves := divide(cells)
	// A chord that strays s from a circle of radius r is √(8rs) long: 179 cells
	// for the 10 that sea may be given away. The quarter circle is 2πr/4 = 629,
	// so it takes four lines at least, and a few times that in a quadtree.
	cuts := 0
	for _, l := range leaves {
		if l.cut {
			cuts++
			assert.NotEqual(t, l.left, l.right)
		}
	}
	assert.Greater(t, cuts, 3)
	assert.Less(t, cuts, 40)
	assert.Len(t, leaves, 3*(len(splits)-len(leaves))+1)
}

func TestMove(t *testing.T) {
	// A nautical mile, 1.853 km on this sphere, is a minute of latitude; at 60°
	// it is two minutes of longitude.
	lat, lon := move(60, 20, earth/60, 0)
	assert.InDelta(t, 60+1./60, lat, 1e-9)
	assert.InDelta(t, 20, lon, 1e-9)
	lat, lon = move(60, 20, earth/60, 270)
	assert.InDelta(t, 60, lat, 1e-9)
	assert.InDelta(t, 20-2./60, lon, 1e-9)
}
