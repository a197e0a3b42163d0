package signalk_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/signalk"
)

// kept is how much memory stays in use for what f fed to a vessel. It measures
// the whole process, so such tests do not run beside others.
func kept(t *testing.T, f func(v *signalk.Vessel)) (megabytes int) {
	t.Helper()
	v, _ := connected(t)
	before := inUse()
	f(v)
	after := inUse()
	runtime.KeepAlive(v)
	return (int(after) - int(before)) >> 20
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// What is kept of a long text does not hold on to the rest of it.
func TestLongTextsAreNotKept(t *testing.T) {
	long := `"` + strings.Repeat("x", 1<<20) + `"`
	for name, frame := range map[string]func(i int) string{
		"values": func(i int) string { return value("s", noon, fmt.Sprintf("a.p%d", i), long) },
		"notifications": func(i int) string {
			return value("s", noon, fmt.Sprintf("notifications.p%d", i), `{"state":"alarm","message":`+long+`}`)
		},
		"descriptions": func(i int) string { return meta(fmt.Sprintf("a.p%d", i), `{"description":`+long+`}`) },
		"zones": func(i int) string {
			return meta(fmt.Sprintf("a.p%d", i), `{"zones":[`+strings.Repeat(`{"upper":1},`, 20_000)+`{}]}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Less(t, kept(t, func(v *signalk.Vessel) {
				for i := range 10 {
					feed(t, v, frame(i))
				}
			}), 3, "of 10 MB")
		})
	}
}

// hostile are the frames of a sender that means harm, or is broken: what a server
// would pass on. The stream takes frames of 16 MB.
var hostile = map[string]string{
	"a text of 1 MB":                  value("s", noon, "a.b", `"`+strings.Repeat("x", 1<<20)+`"`),
	"a text of 16 MB":                 value("s", noon, "a.b", `"`+strings.Repeat("x", 15<<20)+`"`),
	"an object of 300 kB":             value("s", noon, "a.b", `{`+strings.Repeat(`"x":1,`, 50_000)+`"y":1}`),
	"1,000 deep":                      value("s", noon, "a.b", strings.Repeat("[", 1000)+strings.Repeat("]", 1000)),
	"deeper than any parser":          value("s", noon, "a.b", strings.Repeat(`{"a":`, 1<<20)+"1"+strings.Repeat("}", 1<<20)),
	"bytes that are no text":          value("s", noon, "a.\xff\xfe", `"\xc3\x28"`),
	"no number":                       value("s", noon, depth, "NaN"),
	"5 million empty updates":         `{"updates":[` + strings.Repeat("{},", 5_000_000) + `{}]}`,
	"5 million empty values":          `{"updates":[{"values":[` + strings.Repeat("{},", 5_000_000) + `{}]}]}`,
	"8 million numbers for one":       `{"updates":[{"values":[` + strings.Repeat("0,", 8_000_000) + `0]}]}`,
	"a million meta":                  `{"updates":[{"meta":[` + strings.Repeat(`{"value":{"":1}},`, 900_000) + `{}]}]}`,
	"as many updates as there may be": `{"updates":[` + strings.Repeat("{},", 1<<17-10) + `{}]}`,
	"50,000 paths":                    manyPaths(50_000),
}

func manyPaths(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"path":"a.p%d","value":%d},`, i, i)
	}
	return `{"context":"` + self + `","updates":[{"$source":"s","timestamp":"2026-07-01T12:00:00Z","values":[` + b.String() + `{"path":"a.last","value":1}]}]}`
}

// No frame makes the program use a multiple of its size, or puts an end to what
// was known before it.
func TestHostileFrames(t *testing.T) {
	for name, frame := range hostile {
		t.Run(name, func(t *testing.T) {
			v, c := connected(t)
			feed(t, v, value("s", c.t, depth, "3"))
			c.forward(time.Second)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_ = v.Feed([]byte(frame))
			runtime.ReadMemStats(&after)
			assert.Less(t, int(after.TotalAlloc-before.TotalAlloc)>>20, 200, "megabytes for one frame")
			feed(t, v, value("s", c.t, depth, "2"))
			assert.Equal(t, signalk.Fresh, reading(v, depth).State)
			assert.Equal(t, 2.0, number(t, v, depth))
		})
	}
}

// All that a sender can invent, at once: paths and vessels without end, the longest
// names, as many sources as there may be, meta with every zone.
func TestFloodIsBounded(t *testing.T) {
	const most = 48 // megabytes
	long := strings.Repeat("x", 230)
	zone := `{"state":"alarm","message":"` + strings.Repeat("x", 600) + `","upper":1}`
	var v *signalk.Vessel
	megabytes := kept(t, func(flooded *signalk.Vessel) {
		v = flooded
		for n := range 5000 {
			_ = v.Feed([]byte(fmt.Sprintf(`{"context":"vessels.urn:mrn:imo:mmsi:%d","updates":[{"$source":"%s","values":[`+
				`{"path":"navigation.%[2]s","value":1},{"path":"design.%[2]s","value":"%[2]s"},{"path":"","value":{"name":"%[2]s"}}]}]}`, n, long)))
		}
		told := func(source string, from int) { // 500 paths
			var b strings.Builder
			for n := range 500 {
				fmt.Fprintf(&b, `{"path":"a.p%d.%s","value":"%[2]s"},`, from+n, long)
			}
			feed(t, v, `{"context":"`+self+`","updates":[{"$source":"`+source+`","values":[`+b.String()+`{"path":"a.b","value":1}]}]}`)
		}
		for n := range 100 {
			told(long, 500*n)
		}
		for s := range 2 * signalk.MaxSources {
			told(fmt.Sprintf("s%d.%s", s, long), 0)
		}
		for n := range 1000 {
			feed(t, v, meta(fmt.Sprintf("b.p%d", n), `{"zones":[`+strings.Repeat(zone+",", 40)+zone+`]}`))
		}
	})
	assert.Less(t, megabytes, most)
	t.Logf("%d MB are kept of the flood", megabytes)
	feed(t, v, value("s", noon, depth, "3.2"))
	assert.Equal(t, 3.2, number(t, v, depth), "there is room for what the tools live on")
	require.LessOrEqual(t, v.Len(), signalk.MaxPaths)
}

// The time for which a frame keeps the answers waiting.
func BenchmarkHostileFrame(b *testing.B) {
	for name, frame := range hostile {
		b.Run("frame="+strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			raw := []byte(frame)
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				v := signalk.NewVessel(signalk.VesselOptions{})
				_ = v.Feed(raw)
			}
		})
	}
}
