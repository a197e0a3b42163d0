package signalk_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"signalk-mcp/signalk"
)

// At connect the server tells its cache: a value's age is the server's clock
// less its stamp.
func TestFirstArrivalIsAsOldAsItsStamp(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		stamp time.Time
		state signalk.State
		age   time.Duration
		known bool
	}{
		"a second":         {noon.Add(-time.Second), signalk.Fresh, time.Second, true},
		"eight minutes":    {noon.Add(-8 * time.Minute), signalk.Stale, 8 * time.Minute, true},
		"68 hours":         {noon.Add(-68 * time.Hour), signalk.Stale, 68 * time.Hour, true},
		"a little ahead":   {noon.Add(time.Second), signalk.Fresh, 0, true},
		"a day ahead":      {noon.Add(24 * time.Hour), signalk.Stale, 0, false},
		"without a stamp":  {time.Time{}, signalk.Stale, 0, false},
		"12 years":         {noon.Add(-12 * 365 * 24 * time.Hour), signalk.Stale, 12 * 365 * 24 * time.Hour, true},
		"1024 weeks back":  {noon.Add(-1024 * 7 * 24 * time.Hour), signalk.Stale, 0, false},
		"just at 30 s":     {noon.Add(-30 * time.Second), signalk.Fresh, 30 * time.Second, true},
		"just beyond 30 s": {noon.Add(-30*time.Second - time.Millisecond), signalk.Stale, 30*time.Second + time.Millisecond, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, _ := connected(t)
			feed(t, v, value("s", tt.stamp, depth, "3.2"))
			r := reading(v, depth)
			assert.Equal(t, tt.state, r.State)
			assert.Equal(t, tt.known, r.AgeKnown)
			if tt.known {
				assert.Equal(t, tt.age, r.Age)
			}
			assert.False(t, r.Alive, "heard once")
		})
	}
}

// The server's clock counts, not ours: a board without a clock battery may be
// years behind the server.
func TestAgeIsByTheServersClock(t *testing.T) {
	t.Parallel()
	c := &clock{time.Date(1970, 1, 1, 0, 1, 0, 0, time.UTC)}
	v := signalk.NewVessel(signalk.VesselOptions{Now: c.now})
	feed(t, v, hello(noon, "a"))
	c.forward(10 * time.Second) // the server's clock goes on
	feed(t, v, value("s", noon.Add(8*time.Second), depth, "3.2"))
	assert.Equal(t, 2*time.Second, reading(v, depth).Age)
}

// A second arrival in one connection proves a source alive; from then on its
// age counts from arrival, whatever it stamps.
func TestSecondArrivalProvesLife(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		second string // two seconds after the first, which is the cache's
		alive  bool
	}{
		"newer stamp":          {value("s", noon.Add(2*time.Second), depth, "3.2"), true},
		"other value":          {value("s", noon.Add(-time.Hour), depth, "3.3"), true},
		"stamp of another day": {value("s", noon.Add(24*time.Hour), depth, "3.2"), true},
		"stamp jumps back":     {value("s", time.Date(2014, 8, 15, 19, 0, 0, 0, time.UTC), depth, "3.2"), true},
		"the cache once more":  {value("s", noon.Add(-time.Hour), depth, "3.2"), false},
		"from another source":  {value("x", noon.Add(-time.Hour), depth, "3.3"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c := connected(t)
			feed(t, v, value("s", noon.Add(-time.Hour), depth, "3.2"))
			assert.Equal(t, signalk.Stale, reading(v, depth).State)
			c.forward(2 * time.Second)
			feed(t, v, tt.second)
			c.forward(29 * time.Second)
			r := reading(v, depth)
			assert.Equal(t, tt.alive, r.Alive)
			if !tt.alive {
				assert.Equal(t, signalk.Stale, r.State)
				return
			}
			assert.Equal(t, signalk.Fresh, r.State)
			assert.Equal(t, 29*time.Second, r.Age)
			c.forward(2 * time.Second)
			assert.Equal(t, signalk.Stale, reading(v, depth).State, "31 s are over the limit of a depth")
		})
	}
}

// Without stamps the same value again may be the cache told twice in a burst; a
// second later it is the sensor.
func TestLifeWithoutStamps(t *testing.T) {
	t.Parallel()
	v, c := connected(t)
	feed(t, v, value("s", time.Time{}, depth, "3.2"), value("s", time.Time{}, depth, "3.2"))
	assert.False(t, reading(v, depth).AgeKnown)
	c.forward(time.Second)
	feed(t, v, value("s", time.Time{}, depth, "3.2"))
	c.forward(3 * time.Second)
	r := reading(v, depth)
	assert.Equal(t, signalk.Fresh, r.State)
	assert.Equal(t, 3*time.Second, r.Age)
	assert.Zero(t, r.Stamp, "a time is never invented")
}

// A living source that stamps with another time has a wrong clock; that is no
// age.
func TestWrongClock(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		off   time.Duration
		wrong bool
	}{
		"right":           {0, false},
		"a minute behind": {-time.Minute, false},
		"a day ahead":     {24 * time.Hour, true},
		"1024 weeks back": {-1024 * 7 * 24 * time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c := connected(t)
			for range 2 {
				c.forward(time.Second)
				feed(t, v, value("s", c.t.Add(tt.off), depth, "3.2"))
			}
			r := reading(v, depth)
			assert.Equal(t, signalk.Fresh, r.State)
			assert.Equal(t, time.Duration(0), r.Age)
			assert.Equal(t, tt.wrong, r.WrongClock)
			assert.Equal(t, tt.wrong, r.Stamp.IsZero(), "a wrong time is not told")
		})
	}
}

// The server's clock may be set, by a GPS, after its hello: then stamps agree
// with the host's clock, and nobody's is wrong.
func TestServerClockSetAfterHello(t *testing.T) {
	t.Parallel()
	c := &clock{noon}
	v := signalk.NewVessel(signalk.VesselOptions{Now: c.now})
	feed(t, v, hello(noon.Add(-6*time.Hour), "a"))
	for range 2 {
		c.forward(time.Second)
		feed(t, v, value("s", c.t, depth, "3.2"))
	}
	assert.False(t, reading(v, depth).WrongClock)
}

// The limits of the kinds, and those that never get old.
func TestLimits(t *testing.T) {
	t.Parallel()
	const ever = 0
	for path, limit := range map[string]time.Duration{
		"environment.depth.belowKeel":                       30 * time.Second,
		"environment.wind.speedApparent":                    30 * time.Second,
		"navigation.speedOverGround":                        30 * time.Second,
		"navigation.headingMagnetic":                        30 * time.Second,
		"propulsion.port.revolutions":                       30 * time.Second,
		"propulsion.port.coolantTemperature":                30 * time.Second,
		"navigation.position":                               time.Minute,
		"electrical.batteries.house.voltage":                2 * time.Minute,
		"electrical.batteries.house.current":                2 * time.Minute,
		"electrical.batteries.house.capacity.stateOfCharge": 15 * time.Minute,
		"environment.water.temperature":                     15 * time.Minute,
		"environment.outside.pressure":                      15 * time.Minute,
		"tanks.fuel.0.currentLevel":                         15 * time.Minute,
		"notifications.mob":                                 ever,
		"design.draft":                                      ever,
		"design.length":                                     ever,
		"navigation.anchor.maxRadius":                       ever,
		"navigation.anchor.position":                        ever,
		"navigation.course.activeRoute":                     ever,
		"navigation.course.nextPoint":                       ever,
		"environment.depth.transducerToKeel":                ever,
		"environment.depth.surfaceToTransducer":             ever,
		"tanks.fuel.0.capacity":                             ever,
		"name":                                              ever,
		"communication.callsignVhf":                         ever,
		"environment.time.timezoneOffset":                   ever,
		"navigation.course.calcValues.distance":             time.Minute,
	} {
		v, c := connected(t)
		for range 2 { // the same, alive
			c.forward(time.Second)
			feed(t, v, value("s", c.t, path, "1"))
		}
		old := limit
		if limit == ever {
			old = 1000 * time.Hour
		}
		c.forward(old)
		assert.Equal(t, signalk.Fresh, reading(v, path).State, "%s after %v", path, old)
		if limit != ever {
			c.forward(time.Second)
			assert.Equal(t, signalk.Stale, reading(v, path).State, "%s after %v", path, old+time.Second)
		}
	}
}

func TestTimeoutOfMetaIsTheLimit(t *testing.T) {
	t.Parallel()
	v, c := connected(t)
	feed(t, v, meta(depth, `{"timeout":5}`))
	for range 2 {
		c.forward(time.Second)
		feed(t, v, value("s", c.t, depth, "3.2"))
	}
	c.forward(5 * time.Second)
	assert.Equal(t, signalk.Fresh, reading(v, depth).State)
	c.forward(time.Second)
	assert.Equal(t, signalk.Stale, reading(v, depth).State)
}

// A slow source is given three of its intervals, by the shorter of the last two.
func TestSlowSources(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		gaps  []time.Duration
		limit time.Duration
	}{
		"once a minute":                  {[]time.Duration{time.Minute, time.Minute}, 3 * time.Minute},
		"once a second":                  {[]time.Duration{time.Second, time.Second}, 30 * time.Second},
		"one outage stretches nothing":   {[]time.Duration{time.Second, time.Hour}, 30 * time.Second},
		"nor does one before the pace":   {[]time.Duration{time.Hour, time.Second}, 30 * time.Second},
		"one interval proves no pace":    {[]time.Duration{time.Minute}, 30 * time.Second},
		"at most ten times what is due":  {[]time.Duration{time.Hour, time.Hour}, 5 * time.Minute},
		"the last two count, not before": {[]time.Duration{time.Second, time.Minute, time.Minute}, 3 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c := connected(t)
			feed(t, v, value("s", c.t, depth, "3.2"))
			for _, g := range tt.gaps {
				c.forward(g)
				feed(t, v, value("s", c.t, depth, "3.2"))
			}
			c.forward(tt.limit)
			assert.Equal(t, signalk.Fresh, reading(v, depth).State)
			c.forward(time.Second)
			assert.Equal(t, signalk.Stale, reading(v, depth).State)
		})
	}
}

// Null is a value: the sensor works and has nothing to say. What it said before
// is kept with its age.
func TestNull(t *testing.T) {
	t.Parallel()
	v, c := connected(t)
	feed(t, v, value("s", noon.Add(-20*time.Second), depth, "25"), value("s", noon.Add(-10*time.Second), depth, "null"))
	c.forward(5 * time.Second)
	r := reading(v, depth)
	assert.Equal(t, signalk.NoData, r.State)
	before, _ := r.Before.Number()
	assert.Equal(t, 25.0, before)
	assert.True(t, r.BeforeAgeKnown)
	assert.Equal(t, 25*time.Second, r.BeforeAge)
	// Null again changes nothing of it; a value ends it.
	feed(t, v, value("s", noon.Add(5*time.Second), depth, "null"))
	before, _ = reading(v, depth).Before.Number()
	assert.Equal(t, 25.0, before)
	feed(t, v, value("s", noon.Add(6*time.Second), depth, "24"))
	assert.Equal(t, signalk.Fresh, reading(v, depth).State)
}

// A server of 2.32 turns a silent path to null itself (recorded).
func TestServerMarksTimeout(t *testing.T) {
	t.Parallel()
	v := replay(t, "timed-out-2.32.0.jsonl", hello(recorded.Add(9*time.Minute), "a"))
	r := reading(v, "electrical.solar.roof.panelPower")
	assert.Equal(t, signalk.NoData, r.State)
	before, _ := r.Before.Number()
	assert.Equal(t, 55.0, before)
	assert.True(t, reading(v, "environment.outside.pressure").BeforeAge > 12*365*24*time.Hour, "of 2014")
}

// A new connection begins with the cache again: what it repeats goes on ageing
// from when it was heard, and what is new to us is as old as its stamp.
func TestReconnect(t *testing.T) {
	t.Parallel()
	v, c := connected(t)
	for range 2 {
		c.forward(time.Second)
		feed(t, v, value("s", c.t, depth, "3.2"), value("s", c.t, "navigation.speedOverGround", "1"))
	}
	last := c.t
	c.forward(time.Minute)
	feed(t, v, hello(c.t, "a"), value("s", last, depth, "3.2"), value("s", c.t.Add(-40*time.Second), "navigation.speedOverGround", "2"))
	r := reading(v, depth)
	assert.Equal(t, time.Minute, r.Age)
	assert.Equal(t, signalk.Stale, r.State)
	assert.False(t, reading(v, "navigation.speedOverGround").Alive)
	assert.Equal(t, 40*time.Second, reading(v, "navigation.speedOverGround").Age, "arrived now, and measured 40 s ago")
	c.forward(time.Second)
	feed(t, v, value("s", c.t, depth, "3.3"))
	assert.Equal(t, signalk.Fresh, reading(v, depth).State)
	assert.True(t, reading(v, depth).Alive)
}

func TestOtherVesselsAgeByAIS(t *testing.T) {
	t.Parallel()
	v, c := connected(t)
	ship := func() string {
		return fmt.Sprintf(`{"context":"vessels.urn:mrn:imo:mmsi:230011111","updates":[{"$source":"ais","timestamp":%q,"values":[{"path":"navigation.speedOverGround","value":4}]}]}`, stamp(c.t))
	}
	feed(t, v, ship())
	c.forward(time.Second)
	feed(t, v, ship())
	state := func() (s signalk.State) {
		v.Read(func(w signalk.View) { s = w.Other("urn:mrn:imo:mmsi:230011111", "navigation.speedOverGround").State })
		return s
	}
	c.forward(10 * time.Minute)
	assert.Equal(t, signalk.Fresh, state())
	c.forward(time.Second)
	assert.Equal(t, signalk.Stale, state())
}
