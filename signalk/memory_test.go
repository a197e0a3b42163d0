package signalk_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"signalk-mcp/signalk"
)

// A number that no computer can hold is no data, and ends what was before: the
// last good depth is not what is now.
func TestWhatCannotBeUsedEndsWhatWas(t *testing.T) {
	t.Parallel()
	v, c := connected(t)
	feed(t, v, value("s", c.t, depth, "3"))
	c.forward(time.Second)
	feed(t, v, value("s", c.t, depth, "1e400"))
	r := reading(v, depth)
	assert.Equal(t, signalk.NoData, r.State)
	before, _ := r.Before.Number()
	assert.Equal(t, 3.0, before)
}

// A gateway without $source is told by its label and address: two of them are
// two, and prove nothing of each other.
func TestSourceWithoutAName(t *testing.T) {
	t.Parallel()
	v, _ := connected(t)
	for source, ago := range map[string]time.Duration{`{"label":"can0","src":"12"}`: 72 * time.Hour, `{"label":"can0","src":"35"}`: 71 * time.Hour, `{"label":"nmea","talker":"SD"}`: 70 * time.Hour} {
		feed(t, v, `{"context":"`+self+`","updates":[{"source":`+source+`,"timestamp":"`+noon.Add(-ago).Format(time.RFC3339)+`","values":[{"path":"`+depth+`","value":3}]}]}`)
	}
	v.Read(func(w signalk.View) {
		assert.Equal(t, []string{"can0.12", "can0.35", "nmea.SD"}, w.Sources())
		for _, r := range w.Readings(depth) {
			assert.Equal(t, signalk.Stale, r.State)
		}
	})
}

// Nothing of one boat is told as another's: not where the MMSI is another, nor
// where server and vessel both are. A server without an identity makes up a new
// one at every start, and is still the same boat.
func TestAnotherBoat(t *testing.T) {
	t.Parallel()
	const a, b = "vessels.urn:mrn:imo:mmsi:230000001", "vessels.urn:mrn:imo:mmsi:230000002"
	const u, w = "vessels.urn:mrn:signalk:uuid:00000000-0000-4000-8000-000000000001", "vessels.urn:mrn:signalk:uuid:00000000-0000-4000-8000-000000000002"
	for name, tt := range map[string]struct {
		first, then string
		server      string // of the second; empty: the same
		kept        bool
	}{
		"the same":                            {a, a, "", true},
		"the same over another address":       {a, a, "192.168.1.5:3000", true},
		"another MMSI":                        {a, b, "", false},
		"a made-up id":                        {u, w, "", true},
		"a made-up id of another server":      {u, w, "192.168.1.5:3000", false},
		"an MMSI was set":                     {u, a, "", true},
		"an MMSI, and another server has not": {a, u, "192.168.1.5:3000", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &clock{noon}
			v := signalk.NewVessel(signalk.VesselOptions{Now: c.now})
			v.SetServer("boat.local:3000")
			greet := func(id, start string) string { return strings.Replace(hello(c.t, start), self, id, 1) }
			feed(t, v, greet(tt.first, "1"),
				`{"context":"`+tt.first+`","updates":[{"$source":"s","values":[{"path":"environment.depth.transducerToKeel","value":1.5},{"path":"name","value":"First"}]}]}`)
			v.Lost(false, "no answer in time")
			if tt.server != "" {
				v.SetServer(tt.server)
			}
			feed(t, v, greet(tt.then, "2"))
			assert.Equal(t, map[bool]int{true: 2, false: 0}[tt.kept], v.Len())
		})
	}
}

// A server that merged what we were too slow for may send it after what came
// later (signalk-server 2.23). In ordinary deltas a stamp may go back: a clock
// was set.
func TestMergedValuesDoNotGoBack(t *testing.T) {
	t.Parallel()
	v, c := connected(t)
	feed(t, v, value("s", c.t, depth, "9"))
	c.forward(time.Second)
	feed(t, v, value("s", c.t, depth, "2"))
	merged := strings.Replace(value("s", c.t.Add(-500*time.Millisecond), depth, "8.7"), `{"context"`, `{"$backpressure":{"accumulated":3,"duration":900},"context"`, 1)
	feed(t, v, merged)
	assert.Equal(t, 2.0, number(t, v, depth))
	v.Read(func(w signalk.View) {
		assert.Equal(t, 1, w.Stats().Outdated)
		assert.Equal(t, 1, w.Stats().Backpressure)
	})
	feed(t, v, strings.Replace(merged, "8.7", "2.1", 1), value("s", c.t.Add(-time.Hour), depth, "4"))
	assert.Equal(t, 4.0, number(t, v, depth))
}
