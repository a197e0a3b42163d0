package signalk_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/signalk"
)

// clock is a clock that stands until it is moved.
type clock struct{ t time.Time }

func (c *clock) now() time.Time          { return c.t }
func (c *clock) forward(d time.Duration) { c.t = c.t.Add(d) }

// noon is when the tests take place.
var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

const self = "vessels.urn:mrn:imo:mmsi:230099999"

// hello is the first frame of a connection to a server whose clock is right.
func hello(at time.Time, startID string) string {
	id := ""
	if startID != "" {
		id = fmt.Sprintf(`,"serverStartId":%q`, startID)
	}
	return fmt.Sprintf(`{"name":"signalk-server","version":"2.32.0","self":%q,"roles":["master","main"],"timestamp":%q%s}`,
		self, stamp(at), id)
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// value is a delta of the own vessel with one value; an empty source or a zero
// time is left out.
func value(source string, at time.Time, path, json string) string {
	var head string
	if source != "" {
		head += fmt.Sprintf(`"$source":%q,`, source)
	}
	if !at.IsZero() {
		head += fmt.Sprintf(`"timestamp":%q,`, stamp(at))
	}
	return fmt.Sprintf(`{"context":%q,"updates":[{%s"values":[{"path":%q,"value":%s}]}]}`, self, head, path, json)
}

func meta(path, json string) string {
	return fmt.Sprintf(`{"context":%q,"updates":[{"meta":[{"path":%q,"value":%s}]}]}`, self, path, json)
}

// connected returns a vessel that has had a hello at noon.
func connected(t *testing.T) (*signalk.Vessel, *clock) {
	t.Helper()
	c := &clock{noon}
	v := signalk.NewVessel(signalk.VesselOptions{Now: c.now})
	require.NoError(t, v.Feed([]byte(hello(noon, "a"))))
	return v, c
}

func feed(t *testing.T, v *signalk.Vessel, frames ...string) {
	t.Helper()
	for _, f := range frames {
		require.NoError(t, v.Feed([]byte(f)), f)
	}
}

// feedAll feeds all that the server knows.
func feedAll(t *testing.T, v *signalk.Vessel, frames ...string) {
	t.Helper()
	feed(t, v, frames...)
	v.Complete()
}

func reading(v *signalk.Vessel, path string) (r signalk.Reading) {
	v.Read(func(w signalk.View) { r = w.Reading(path) })
	return r
}

func number(t *testing.T, v *signalk.Vessel, path string) float64 {
	t.Helper()
	f, ok := reading(v, path).Value.Number()
	require.True(t, ok, path)
	return f
}

const depth = "environment.depth.belowTransducer"

// odd are frames that a stream carries beside deltas (recorded, or made up by
// whoever may write to a server), and what must come of them.
var odd = map[string]struct {
	frame   string
	refused bool
	bad     int // values that are counted as unusable
}{
	"error text":              {`"Only 'instant' and 'fixed' policies supported, ignoring policy ideal"`, true, 0},
	"close":                   {`"primus::server::close"`, true, 0},
	"server event":            {`{"type":"SERVERSTATISTICS","data":{"deltaRate":20}}`, true, 0},
	"reply":                   {`{"requestId":"x","state":"COMPLETED","statusCode":200}`, true, 0},
	"null":                    {`null`, true, 0},
	"array":                   {`[]`, true, 0},
	"number":                  {`5`, true, 0},
	"nothing":                 {``, true, 0},
	"not JSON":                {"\x00garbage", true, 0},
	"cut off":                 {`{"updates":[{"values":`, true, 0},
	"updates null":            {`{"updates":null}`, true, 0},
	"no updates":              {`{"updates":[],"context":"` + self + `"}`, false, 0},
	"empty update":            {`{"updates":[{}]}`, false, 0},
	"update without values":   {`{"updates":[{"$source":"a","timestamp":"2026-07-01T12:00:00Z"}]}`, false, 0},
	"value without a path":    {`{"updates":[{"values":[{"value":1}]}]}`, false, 1},
	"path without a value":    {`{"updates":[{"values":[{"path":"a.b"}]}]}`, false, 1},
	"values of another type":  {`{"updates":[{"values":5}]}`, false, 0},
	"values are an object":    {`{"updates":[{"values":{"path":"a.b","value":1}}]}`, false, 0},
	"path of another type":    {`{"updates":[{"values":[{"path":7,"value":1}]}]}`, false, 1},
	"control characters":      {`{"updates":[{"values":[{"path":"a\u0007b","value":1}]}]}`, false, 1},
	"a number beyond float64": {`{"updates":[{"values":[{"path":"a.b","value":1e999}]}]}`, false, 1},
	"a path of 300 bytes":     {`{"updates":[{"values":[{"path":"` + strings.Repeat("a", 300) + `","value":1}]}]}`, false, 1},
	"an object of 20 kB":      {`{"updates":[{"values":[{"path":"a.b","value":{"x":"` + strings.Repeat("a", 20<<10) + `"}}]}]}`, false, 1},
	"an unknown context":      {`{"context":"atons.urn:mrn:imo:mmsi:992301234","updates":[{"values":[{"path":"a.b","value":1}]}]}`, false, 0},
	"a context without sense": {`{"context":7,"updates":[{"values":[{"path":7,"value":1}]}]}`, false, 1},
	"deep nesting":            {`{"updates":[{"values":[{"path":"a.b","value":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}]}]}`, false, 1},
}

func TestOddFramesAreSkippedAndCounted(t *testing.T) {
	t.Parallel()
	for name, tt := range odd {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, _ := connected(t)
			err := v.Feed([]byte(tt.frame))
			assert.Equal(t, tt.refused, err != nil, err)
			var s signalk.Stats
			v.Read(func(w signalk.View) { s = w.Stats() })
			assert.Equal(t, tt.bad, s.BadValues)
			assert.Equal(t, 2, s.Frames, "hello and this one")
			if tt.refused {
				require.ErrorIs(t, err, signalk.ErrFrame)
				assert.Equal(t, 1, s.Skipped)
			}
			assert.Equal(t, strings.Contains(name, "beyond") || strings.Contains(name, "object of") || strings.Contains(name, "deep"), v.Len() == 1,
				"what cannot be used ends what was before, as null does; of the rest nothing is kept")
			v.Read(func(w signalk.View) { assert.True(t, w.Reading("a.b").Value.IsNull()) })
			// The next delta is read as ever.
			feed(t, v, value("s", noon, depth, "3.2"))
			assert.Equal(t, 3.2, number(t, v, depth))
		})
	}
}

func TestOneOddMemberSpoilsNoOther(t *testing.T) {
	t.Parallel()
	v, _ := connected(t)
	feed(t, v, `{"context":"`+self+`","updates":[
		{"$source":5,"timestamp":7,"values":[{"path":"a.one","value":1},{"path":["x"],"value":2}]},
		"text",
		{"$source":"s","values":[{"path":"a.two","value":2},{"path":"a.three","value":{"x":[1,{"y":null}]}}],"meta":"none"}]}`)
	assert.Equal(t, 1.0, number(t, v, "a.one"))
	assert.Equal(t, 2.0, number(t, v, "a.two"))
	assert.Equal(t, signalk.Object, reading(v, "a.three").Value.Kind())
}

// Own vessel are the hello's self with and without "vessels.", vessels.self,
// and no context; everything else is not.
func TestWhoseDeltaItIs(t *testing.T) {
	t.Parallel()
	for context, own := range map[string]bool{
		``:                          true,
		`"context":"vessels.self",`: true,
		`"context":"self",`:         true,
		`"context":"` + self + `",`: true,
		`"context":"urn:mrn:imo:mmsi:230099999",`:          true,
		`"context":"vessels.urn:mrn:imo:mmsi:230011111",`:  false,
		`"context":"vessels.urn:mrn:imo:mmsi:23009999",`:   false,
		`"context":"atons.urn:mrn:imo:mmsi:992301234",`:    false,
		`"context":"shore.urn:mrn:imo:mmsi:002300000",`:    false,
		`"context":"aircraft.urn:mrn:imo:mmsi:111000000",`: false,
	} {
		v, _ := connected(t)
		feed(t, v, `{`+context+`"updates":[{"$source":"s","values":[{"path":"navigation.speedOverGround","value":2}]}]}`)
		assert.Equal(t, own, reading(v, "navigation.speedOverGround").State != signalk.NotFitted, context)
	}
}

func TestSelfIsTakenFromEachHello(t *testing.T) {
	t.Parallel()
	v, _ := connected(t)
	feed(t, v, strings.Replace(hello(noon, "b"), self, "vessels.urn:mrn:signalk:uuid:1", 1),
		`{"context":"vessels.urn:mrn:signalk:uuid:1","updates":[{"values":[{"path":"a.new","value":1}]}]}`,
		`{"context":"`+self+`","updates":[{"values":[{"path":"a.old","value":1}]}]}`)
	assert.Equal(t, 1.0, number(t, v, "a.new"))
	assert.Equal(t, signalk.NotFitted, reading(v, "a.old").State, "the name of before is another vessel now")
}

func TestOtherVesselsAreKeptApart(t *testing.T) {
	t.Parallel()
	c := &clock{noon}
	v := signalk.NewVessel(signalk.VesselOptions{Now: c.now})
	// A server without an MMSI of its own hears its vessel's transponder as a ship.
	feed(t, v, strings.Replace(hello(noon, "a"), self, "vessels.urn:mrn:signalk:uuid:1", 1),
		`{"updates":[{"$source":"gps","values":[{"path":"navigation.speedOverGround","value":2},{"path":"","value":{"mmsi":"230099999"}}]}]}`)
	for _, mmsi := range []string{"230011111", "230022222", "230099999"} {
		feed(t, v, fmt.Sprintf(`{"context":"vessels.urn:mrn:imo:mmsi:%s","updates":[{"$source":"ais","timestamp":%q,"values":[{"path":"navigation.speedOverGround","value":11},{"path":"","value":{"name":"FERRY"}}]}]}`, mmsi, stamp(noon)))
	}
	v.Read(func(w signalk.View) {
		assert.Equal(t, []string{"urn:mrn:imo:mmsi:230011111", "urn:mrn:imo:mmsi:230022222"}, w.Others(),
			"our own transponder, heard over the air, is not another ship")
		speed, _ := w.Other("urn:mrn:imo:mmsi:230011111", "navigation.speedOverGround").Value.Number()
		assert.Equal(t, 11.0, speed)
		name, _ := w.Other("urn:mrn:imo:mmsi:230011111", "name").Value.Text()
		assert.Equal(t, "FERRY", name)
		assert.Equal(t, signalk.NotFitted, w.Other("urn:mrn:imo:mmsi:1", "name").State)
		assert.Equal(t, []string{"mmsi", "navigation.speedOverGround"}, w.Paths(""))
	})
	assert.Equal(t, 2.0, number(t, v, "navigation.speedOverGround"))
}

// A delta with an empty path is merged into the vessel, leaf by leaf.
func TestRootDeltasMerge(t *testing.T) {
	t.Parallel()
	v, _ := connected(t)
	feed(t, v, value("cfg", noon, "", `{"name":"Petrel","communication":{"callsignVhf":"OH1234"}}`),
		value("cfg", noon, "", `{"communication":{"phone":"1"}}`),
		value("cfg", noon, "", `"text"`), value("cfg", noon, "", `null`), value("cfg", noon, "", `{"":1}`))
	v.Read(func(w signalk.View) {
		assert.Equal(t, []string{"communication.callsignVhf", "communication.phone", "name"}, w.Paths(""))
		name, _ := w.Reading("name").Value.Text()
		assert.Equal(t, "Petrel", name)
	})
}

func TestSourcesAreKeptApart(t *testing.T) {
	t.Parallel()
	c := &clock{noon}
	v := signalk.NewVessel(signalk.VesselOptions{Now: c.now, Prefer: []string{"z."}})
	feed(t, v, hello(noon, "a"))
	for _, s := range []string{"b.2", "derived-data", "z.1", "a.1"} {
		feed(t, v, value(s, noon, depth, "5"))
	}
	order := func() (sources []string) {
		v.Read(func(w signalk.View) {
			for _, r := range w.Readings(depth) {
				sources = append(sources, r.Source)
			}
		})
		return sources
	}
	assert.Equal(t, []string{"z.1", "a.1", "b.2", "derived-data"}, order(), "preferred, then by name, what is computed last")
	c.forward(time.Second)
	feed(t, v, value("b.2", noon.Add(time.Second), depth, "6"))
	assert.Equal(t, []string{"z.1", "a.1", "b.2", "derived-data"}, order(), "whoever wrote last")
	c.forward(-time.Second / 2)
	feed(t, v, value("z.1", noon.Add(time.Second), depth, "null"))
	assert.Equal(t, []string{"a.1", "b.2", "derived-data", "z.1"}, order(), "null speaks after those that have something to say")
	c.forward(time.Hour)
	assert.Equal(t, []string{"b.2", "z.1", "a.1", "derived-data"}, order(), "of what is old, the youngest first")
}

func TestEverythingIsBounded(t *testing.T) {
	t.Parallel()
	v, c := connected(t)
	var b strings.Builder
	for i := range signalk.MaxPaths + 500 {
		fmt.Fprintf(&b, `%s{"path":"a.p%d","value":1}`, map[bool]string{true: ",", false: ""}[i > 0], i)
	}
	feed(t, v, `{"updates":[{"$source":"s","values":[`+b.String()+`]}]}`)
	assert.Equal(t, signalk.MaxPaths-signalk.Reserved, v.Len())
	feed(t, v, value("s", noon, depth, "3.2"), value("s", noon, "notifications.mob", `{"state":"emergency"}`))
	assert.Equal(t, signalk.MaxPaths-signalk.Reserved+2, v.Len(), "there is room for depth and alarms")
	for i := range signalk.MaxSources + 5 {
		c.forward(time.Second)
		feed(t, v, value(fmt.Sprintf("s%02d", i), noon, "a.p1", "1"))
	}
	for i := range signalk.MaxVessels + 50 {
		c.forward(time.Second)
		feed(t, v, fmt.Sprintf(`{"context":"vessels.urn:mrn:imo:mmsi:%09d","updates":[{"values":[{"path":"a.b","value":1}]}]}`, i))
	}
	big := `"` + strings.Repeat("x", 5000) + `"`
	feed(t, v, value("s", noon, "a.p2", big))
	v.Read(func(w signalk.View) {
		sources := w.Readings("a.p1")
		assert.Len(t, sources, signalk.MaxSources)
		assert.Equal(t, "s05", sources[0].Source, "those silent for longest give way")
		assert.Len(t, w.Others(), signalk.MaxVessels)
		assert.Equal(t, "urn:mrn:imo:mmsi:000000050", w.Others()[0], "those not heard for longest give way")
		text, _ := w.Reading("a.p2").Value.Text()
		assert.Len(t, text, 1024)
		assert.Equal(t, 500+signalk.Reserved, w.Stats().Full, "paths beyond the most")
		assert.True(t, w.Crowded())
	})
}

func TestValues(t *testing.T) {
	t.Parallel()
	for json, want := range map[string]struct {
		kind   signalk.Kind
		number any // nil: none
	}{
		`null`: {signalk.Null, nil}, `3.5`: {signalk.Number, 3.5}, `-0.1e1`: {signalk.Number, -1.0},
		`true`: {signalk.Bool, nil}, `"12.8"`: {signalk.Text, 12.8}, `" 7 "`: {signalk.Text, 7.0},
		`"NaN"`: {signalk.Text, nil}, `"inf"`: {signalk.Text, nil}, `"0x10"`: {signalk.Text, nil}, `""`: {signalk.Text, nil},
		`"1e999"`: {signalk.Text, nil}, `"12.8 V"`: {signalk.Text, nil}, `{"a":1}`: {signalk.Object, nil}, `[1]`: {signalk.Array, nil},
	} {
		v, _ := connected(t)
		feed(t, v, value("s", noon, "a.b", json))
		got := reading(v, "a.b").Value
		assert.Equal(t, want.kind, got.Kind(), json)
		if f, ok := got.Number(); want.number == nil {
			assert.False(t, ok, json)
		} else {
			assert.Equal(t, want.number, f, json)
		}
	}
}

// Replays recordings of real servers; what they hold is in their data (own ship
// Testboat, draft 1.9, offset -1.5, belowKeel = belowTransducer - 1.5).
func TestRecordings(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"ours-2.23.0.jsonl", "ours-2.32.0.jsonl"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			v := replay(t, file)
			name, _ := reading(v, "name").Value.Text()
			assert.Equal(t, "Testboat", name)
			draft, _ := reading(v, "design.draft").Value.Member("maximum").Number()
			assert.Equal(t, 1.9, draft)
			assert.Equal(t, -1.5, number(t, v, "environment.depth.transducerToKeel"))
			v.Read(func(w signalk.View) {
				var first signalk.Reading
				for _, r := range w.Readings(depth) {
					if r.Source == "sim.depth" {
						first = r
					}
				}
				below, _ := first.Value.Number()
				keel, _ := w.Reading("environment.depth.belowKeel").Value.Number()
				assert.InDelta(t, below-1.5, keel, 1e-9)
				assert.Equal(t, "m", w.Meta(depth).Units)
				assert.Equal(t, "House battery", w.Meta("electrical.batteries.house.voltage").DisplayName)
				assert.Empty(t, w.Meta("tanks.fuel.0.currentLevel").Description, "filler is no description")
				require.Len(t, w.Meta("environment.depth.belowKeel").Zones, 2)
				assert.Equal(t, "Shallow water", w.Meta("environment.depth.belowKeel").Zones[0].Message)

				course := w.Course()
				require.NotNil(t, course.Route)
				assert.Equal(t, signalk.ActiveRoute{Href: "/resources/routes/8a0a7f2e-0000-4000-8000-000000000001", Name: "Test route", Index: 1, Total: 3}, *course.Route)
				assert.Equal(t, 60.02, course.Next.Position.Latitude)
				assert.Equal(t, 24.05, course.Next.Position.Longitude)

				states := map[string]string{}
				for _, n := range w.Notifications() {
					states[n.Path+" "+n.Source] = n.State
				}
				assert.Equal(t, "emergency", states["test.emergency sim.plugin"])
				assert.Equal(t, "alarm", states["test.twosources sim.a"], "the normal of the other source does not hide it")
				assert.Equal(t, "normal", states["test.twosources sim.b"])
				assert.Zero(t, w.Stats().BadValues)
			})
			// A null of the outside sensor is a value of its own; a stamp of 2014 is old.
			assert.Equal(t, signalk.NoData, reading(v, "environment.outside.temperature").State)
			assert.Equal(t, signalk.Stale, reading(v, "environment.outside.pressure").State)
			assert.Equal(t, signalk.Stale, reading(v, "electrical.solar.roof.panelPower").State, "heard once, four minutes ago")
		})
	}
}

func TestRecordingOfManyVessels(t *testing.T) {
	t.Parallel()
	v := replay(t, "n2k-all-2.23.0.jsonl")
	v.Read(func(w signalk.View) {
		assert.NotEmpty(t, w.Others())
		assert.Zero(t, w.Stats().BadValues)
		for _, p := range w.Paths("") {
			assert.NotContains(t, p, "urn:mrn:imo", "other vessels' values are not ours")
		}
	})
}

// recorded is when the recordings were made.
var recorded = time.Date(2026, 11, 30, 21, 23, 42, 0, time.UTC)

// replay feeds a recording, after some frames of our own.
func replay(t *testing.T, file string, first ...string) *signalk.Vessel {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	c := &clock{recorded}
	v := signalk.NewVessel(signalk.VesselOptions{Now: c.now})
	feed(t, v, first...)
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := v.Feed(lines.Bytes()); err != nil {
			require.ErrorIs(t, err, signalk.ErrFrame)
		}
		c.forward(10 * time.Millisecond)
	}
	require.NoError(t, lines.Err())
	return v
}

// recordings are frames of real servers, and damaged are those with what a cable,
// a proxy or a bad plugin does to them.
func recordings(t testing.TB) (real, damaged [][]byte) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.jsonl")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range bytes.Lines(text) {
			real = append(real, bytes.TrimSpace(line))
		}
	}
	number := regexp.MustCompile(`:-?\d[\d.]*`)
	for i, frame := range real {
		half, bad := len(frame)/2, bytes.Clone(frame)
		switch i % 8 {
		case 0:
			bad = frame[:half]
		case 1:
			bad = append(bad[:half], frame...) // two in one
		case 2:
			bad[half] ^= 0x80 // no UTF-8
		case 3:
			bad = append(bad[:half], bad[half+1:]...)
		case 4:
			bad = number.ReplaceAll(bad, []byte(`:"$0"`)) // numbers as text
		case 5:
			bad = number.ReplaceAll(bad, []byte(":1e999"))
		case 6:
			bad = bytes.ReplaceAll(bad, []byte("["), []byte("{"))
		case 7:
			bad = number.ReplaceAll(bad, []byte(":"+strings.Repeat("[", 1000)+strings.Repeat("]", 1000)))
		}
		damaged = append(damaged, bad)
	}
	return real, damaged
}

// A damaged frame is refused or taken as far as it can be, and spoils nothing of
// what others said.
func TestDamagedFrames(t *testing.T) {
	t.Parallel()
	real, damaged := recordings(t)
	require.GreaterOrEqual(t, len(real), 200)
	v, c := connected(t)
	feed(t, v, value("s", c.t, "environment.test", "3.25"))
	for i := range real {
		_ = v.Feed(damaged[i])
	}
	assert.Equal(t, 3.25, number(t, v, "environment.test"))
	assert.Positive(t, v.Len())
}

func FuzzFeed(f *testing.F) {
	real, damaged := recordings(f)
	for i := range real {
		f.Add(real[i])
		f.Add(damaged[i])
	}
	for _, tt := range odd {
		f.Add([]byte(tt.frame))
	}
	for _, s := range []string{
		hello(noon, "a"), hello(noon, ""), value("s", noon, depth, "3.2"), value("s", time.Time{}, "notifications.mob", `{"state":"alarm"}`),
		meta(depth, `{"units":"m","timeout":1e300,"zones":[{"lower":null},{"upper":3,"state":"alarm"}]}`),
		value("s", noon, "navigation.course.activeRoute", `{"href":"/resources/routes/x","pointIndex":1e9}`),
		value("s", noon, "navigation.course.nextPoint", `{"position":{"latitude":1,"longitude":"2"}}`),
		`{"updates":[{"values":[{"path":"a.b","value":null,"state":{"timedOut":true,"lastValue":{"timestamp":"2014-08-15T19:00:00Z","value":1}}}]}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		c := &clock{noon}
		v := signalk.NewVessel(signalk.VesselOptions{Now: c.now})
		for range 3 {
			_ = v.Feed(frame) // an error is fine; a panic or growth is not
			c.forward(time.Second)
		}
		require.LessOrEqual(t, v.Len(), signalk.MaxPaths)
		v.Read(func(w signalk.View) {
			for _, p := range w.Paths("") {
				require.NotEmpty(t, w.Readings(p), p)
				require.LessOrEqual(t, len(w.Readings(p)), signalk.MaxSources)
				w.Meta(p)
			}
			w.Notifications()
			w.Course()
			for _, id := range w.Others() {
				w.Other(id, "name")
			}
		})
	})
}

func BenchmarkFeed(b *testing.B) {
	var values []string
	for i := range 8 {
		values = append(values, fmt.Sprintf(`{"path":"environment.test.p%d","value":%d.25}`, i, i))
	}
	frame := []byte(fmt.Sprintf(`{"context":%q,"updates":[{"$source":"n2k.115","timestamp":"2026-07-01T12:00:00.000Z","values":[%s]}]}`, self, strings.Join(values, ",")))
	v := signalk.NewVessel(signalk.VesselOptions{})
	require.NoError(b, v.Feed([]byte(hello(noon, "a"))))
	b.ReportAllocs()
	b.SetBytes(int64(len(frame)))
	for b.Loop() {
		_ = v.Feed(frame)
	}
}

func BenchmarkView(b *testing.B) {
	v := signalk.NewVessel(signalk.VesselOptions{})
	require.NoError(b, v.Feed([]byte(hello(noon, "a"))))
	require.NoError(b, v.Feed([]byte(value("s", noon, depth, "3.2"))))
	b.ReportAllocs()
	for b.Loop() {
		v.Read(func(w signalk.View) { w.Reading(depth) })
	}
}
