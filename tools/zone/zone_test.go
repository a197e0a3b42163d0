package zone

import (
	"encoding/csv"
	"math"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAtPorts checks the harbours of testdata/ports.csv, which says there why
// each keeps the time it does.
func TestAtPorts(t *testing.T) {
	f, err := os.Open("testdata/ports.csv")
	require.NoError(t, err)
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	ports, err := r.ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"name", "lat", "lon", "zone", "why"}, ports[0])
	require.GreaterOrEqual(t, len(ports[1:]), 60)
	for _, p := range ports[1:] {
		t.Run(p[0], func(t *testing.T) {
			lat, err := strconv.ParseFloat(p[1], 64)
			require.NoError(t, err)
			lon, err := strconv.ParseFloat(p[2], 64)
			require.NoError(t, err)
			name, ok := At(lat, lon)
			assert.True(t, ok)
			assert.Equal(t, p[3], name)
		})
	}
}

var atTests = map[string]struct {
	lat, lon float64
	want     string // empty at sea
}{
	"mid Atlantic":                {30, -40, ""},
	"Tasman Sea":                  {-38, 160, ""},
	"Southern Ocean":              {-56, 100, ""},
	"date line, open sea":         {10, 180, ""},
	"Biscay, 60 NM off":           {45.5, -4.5, ""},
	"6 NM off Start Point":        {50.12, -3.64, "Europe/London"},
	"Chukotka, on the 180th":      {68, 180, "Asia/Anadyr"},
	"Chukotka, -180":              {68, -180, "Asia/Anadyr"},
	"Chukotka, 1 and a half turn": {68, 540, "Asia/Anadyr"},
	"Paris, a turn east":          {48.857, 2.352 + 360, "Europe/Paris"},
	"Paris, two turns west":       {48.857, 2.352 - 720, "Europe/Paris"},
	"South Pole":                  {-90, 0, "Antarctica/McMurdo"},
	"North Pole":                  {90, 0, ""},
	"north of the pole":           {90.001, 0, ""},
	"south of the pole":           {-90.001, 0, ""},
	"latitude unknown":            {math.NaN(), 0, ""},
	"longitude unknown":           {48.857, math.NaN(), ""},
	"longitude without end":       {48.857, math.Inf(1), ""},
	"latitude without end":        {math.Inf(-1), 2.352, ""},
}

func TestAt(t *testing.T) {
	for name, tt := range atTests {
		t.Run(name, func(t *testing.T) {
			got, ok := At(tt.lat, tt.lon)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.want != "", ok)
		})
	}
}

// Names and offsets are those of the tz database's etcetera file: the sign in
// the name is that of POSIX, the offset that of the clock.
func TestNautical(t *testing.T) {
	for name, tt := range map[string]struct {
		lon   float64
		want  string
		hours int
	}{
		"Greenwich":               {0, "Etc/UTC", 0},
		"the zero zone's east":    {7.49, "Etc/UTC", 0},
		"its edge goes east":      {7.5, "Etc/GMT-1", 1},
		"the zero zone's west":    {-7.5, "Etc/UTC", 0},
		"west of it":              {-7.51, "Etc/GMT+1", -1},
		"30° E, twice 15":         {30, "Etc/GMT-2", 2},
		"40° W, 2.67 times 15":    {-40, "Etc/GMT+3", -3},
		"172.5° E, half a zone":   {172.5, "Etc/GMT-12", 12},
		"172.49° E":               {172.49, "Etc/GMT-11", 11},
		"172.51° W, half a zone":  {-172.51, "Etc/GMT+12", -12},
		"172.5° W":                {-172.5, "Etc/GMT+11", -11},
		"just west of the 180th":  {179.99, "Etc/GMT-12", 12},
		"the 180th":               {180, "Etc/GMT+12", -12},
		"the 180th from the west": {-180, "Etc/GMT+12", -12},
		"a turn east":             {30 + 360, "Etc/GMT-2", 2},
		"a turn west":             {30 - 360, "Etc/GMT-2", 2},
		"unknown":                 {math.NaN(), "Etc/UTC", 0},
		"without end":             {math.Inf(-1), "Etc/UTC", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := Nautical(tt.lon)
			assert.Equal(t, tt.want, got)
			loc, err := time.LoadLocation(got)
			require.NoError(t, err)
			_, seconds := time.Date(2026, 7, 1, 0, 0, 0, 0, loc).Zone()
			assert.Equal(t, tt.hours*3600, seconds)
		})
	}
}

func TestNamesLoad(t *testing.T) {
	names := world().names
	require.Greater(t, len(names), 400, "the tz database has some 420 zones on land")
	for _, name := range names[1:] {
		_, err := time.LoadLocation(name)
		assert.NoError(t, err)
		assert.NotContains(t, name, "Etc/")
	}
}

func TestLimits(t *testing.T) {
	const (
		maxFile   = 1_000_000
		maxMemory = 5_000_000
	)
	assert.Less(t, len(packed), maxFile)

	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	g, err := parse(packed)
	require.NoError(t, err)
	runtime.GC()
	runtime.ReadMemStats(&after)
	kept := int(after.HeapAlloc) - int(before.HeapAlloc)
	taken := after.TotalAlloc - before.TotalAlloc
	runtime.KeepAlive(g)
	t.Logf("file %d B, heap kept %d B, allocated on the way %d B", len(packed), kept, taken)
	// The file's pages count too once they have been touched.
	assert.Less(t, len(packed)+int(taken), maxMemory)
	assert.Less(t, len(packed)+kept, maxMemory)

	at := func() {
		At(54.35, 18.66) // in a divided tile
		At(30, -40)      // in one that is all sea
		Nautical(-40)
	}
	at()
	assert.Zero(t, testing.AllocsPerRun(100, at))
}

func TestAtConcurrently(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for lon := float64(i) / 8; lon < 360; lon++ {
				At(60, lon)
			}
		})
	}
	wg.Wait()
	name, _ := At(59.324, 18.09)
	assert.Equal(t, "Europe/Stockholm", name)
}

func FuzzAt(f *testing.F) {
	for _, tt := range atTests {
		f.Add(tt.lat, tt.lon)
	}
	f.Fuzz(func(t *testing.T, lat, lon float64) {
		name, ok := At(lat, lon)
		require.Equal(t, name != "", ok)
		for _, n := range []string{name, Nautical(lon)} {
			_, err := time.LoadLocation(n)
			require.NoError(t, err)
		}
		if ok {
			again, _ := At(lat, wrap(lon))
			require.Equal(t, name, again)
		}
	})
}
