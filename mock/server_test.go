package mock_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

func TestOptions(t *testing.T) {
	t.Parallel()
	s := mock.NewServer(mock.Options{})
	defer s.Close()
	for fault, o := range map[string]mock.Options{
		"version: ":   {Version: "1.0"},
		"speed: ":     {Speed: -1},
		"user x: ":    {Users: map[string]mock.User{"x": {Permission: "captain"}}},
		"listen on ":  {Addr: s.URL[len("http://"):]},
		"listen on x": {Addr: "x"},
	} {
		_, err := mock.Start(o)
		assert.ErrorContains(t, err, fault)
		assert.Panics(t, func() { mock.NewServer(o) })
	}
}

func TestListenOnAllAddresses(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{Addr: ":0"})
	assert.Contains(t, b.url, "http://127.0.0.1:")
	status, _, _ := b.get("/signalk")
	assert.Equal(t, 200, status)
}

// A client that connects at once gets everything.
func TestCompleteBeforeNewServerReturns(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{Start: departure})
	status, _, body := b.get("/signalk/v1/api/vessels/self/environment/depth/belowKeel/meta")
	assert.Equal(t, 200, status)
	assert.Contains(t, body, `"units":"m"`)
	assert.Contains(t, body, `"zones"`)
	assert.Equal(t, b.dial("?subscribe=none").self, mock.DefaultSelf)

	var vessels map[string]map[string]any
	b.getJSON("/signalk/v1/api/vessels", &vessels)
	require.Len(t, vessels, 4, "own boat and three ships")
	for id, v := range vessels {
		assert.IsType(t, "", v["name"], "%s has a plain name", id)
		assert.Contains(t, v["navigation"], "position")
	}
	var course struct {
		ActiveRoute struct {
			Href                   string
			PointIndex, PointTotal int
		}
		NextPoint struct {
			Name     string
			Position map[string]float64
		}
		ArrivalCircle float64
	}
	b.getJSON("/signalk/v2/api/vessels/self/navigation/course", &course)
	assert.Equal(t, 1, course.ActiveRoute.PointIndex)
	assert.Equal(t, 4, course.ActiveRoute.PointTotal)
	assert.NotEmpty(t, course.NextPoint.Name)
	assert.Equal(t, 150.0, course.ArrivalCircle)
	var route struct{ Name string }
	b.getJSON("/signalk/v2/api"+course.ActiveRoute.Href, &route)
	assert.NotEmpty(t, route.Name)

	states := map[string]string{}
	var notifications map[string]struct {
		Path  string
		Value notification
	}
	b.getJSON("/signalk/v2/api/notifications", &notifications)
	for _, n := range notifications {
		states[n.Path] = n.Value.State
	}
	assert.Equal(t, map[string]string{
		"notifications.propulsion.port.coolantTemperature": "normal",
		"notifications.navigation.anchor":                  "normal",
		"notifications.environment.depth.belowKeel":        "normal",
		"notifications.electrical.batteries.house.voltage": "normal",
		"notifications.tanks.freshWater.0.currentLevel":    "warn",
	}, states)
}

func TestPointNamesByVersion(t *testing.T) {
	t.Parallel()
	for version, named := range map[string]bool{"2.23.0": false, "2.32.0": true} {
		b := newBench(t, mock.Options{Version: version})
		_, _, body := b.get("/signalk/v2/api/vessels/self/navigation/course")
		assert.Equal(t, named, strings.Contains(body, `"name":"Kallbådan"`), version)
	}
}

// The same seed and clock give the same answers, ids of notifications included.
func TestServerIsDeterministic(t *testing.T) {
	t.Parallel()
	still := func() time.Time { return departure }
	var trees []string
	for _, seed := range []uint64{9, 9, 10} {
		b := newBench(t, mock.Options{Seed: seed, Now: still})
		_, _, body := b.get("/signalk/v1/api/")
		trees = append(trees, body)
	}
	assert.Equal(t, trees[0], trees[1])
	assert.NotEqual(t, trees[0], trees[2])
}

func TestReplacedClock(t *testing.T) {
	t.Parallel()
	var now atomic.Pointer[time.Time]
	set := func(t time.Time) { now.Store(&t) }
	set(departure)
	start := departure.Add(-24 * time.Hour)
	b := newBench(t, mock.Options{Start: start, Speed: 2, Now: func() time.Time { return *now.Load() }})
	s := b.dial("?subscribe=self&sendCachedValues=false")
	assert.Equal(t, "2026-06-20T09:00:00.000Z", s.hello["timestamp"], "the server's clock is the vessel's")
	set(departure.Add(30 * time.Second))
	f := s.find("navigation.position")
	assert.Equal(t, "2026-06-20T09:01:00.000Z", f.Updates[0].Timestamp, "at twice the speed")
	assert.Equal(t, start.Add(time.Minute), b.server.Truth().Time)
	require.NoError(t, b.server.Set("a.b", 1))
	assert.Equal(t, "2026-06-20T09:01:00.000Z", s.find("a.b").Updates[0].Timestamp)
}

func TestVesselPublishesBySelf(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{Start: departure, Speed: 50})
	s := b.dial("?subscribe=self&sendCachedValues=false")
	first := s.find("navigation.datetime").said()
	for range 3 {
		again := s.find("navigation.datetime").said()
		assert.Greater(t, again, first)
		first = again
	}
}

func TestSelf(t *testing.T) {
	t.Parallel()
	for self, want := range map[string]struct{ context, mmsi, uuid string }{
		"":                                 {mock.DefaultSelf, mock.DefaultSelf[len("vessels.urn:mrn:imo:mmsi:"):], ""},
		"urn:mrn:imo:mmsi:230111222":       {"vessels.urn:mrn:imo:mmsi:230111222", "230111222", ""},
		"vessels.urn:mrn:signalk:uuid:1-2": {"vessels.urn:mrn:signalk:uuid:1-2", "", "urn:mrn:signalk:uuid:1-2"},
	} {
		b := newBench(t, mock.Options{Self: self})
		assert.Equal(t, want.context, b.dial("").self)
		var vessel struct{ Name, MMSI, UUID string }
		b.getJSON("/signalk/v1/api/vessels/self", &vessel)
		assert.NotEmpty(t, vessel.Name)
		assert.Equal(t, want.mmsi, vessel.MMSI)
		assert.Equal(t, want.uuid, vessel.UUID)
	}
	b := newBench(t, mock.Options{NoVessel: true})
	assert.Equal(t, mock.Truth{}, b.server.Truth())
}
