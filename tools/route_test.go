package tools_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/tools"
)

var toolsOptions tools.Options

const (
	activeRoute = "navigation.course.activeRoute"
	nextPoint   = "navigation.course.nextPoint"
	calc        = "navigation.course.calcValues."
	toCove      = `{"href":"/resources/routes/x","name":"To Test Cove","pointIndex":1,"pointTotal":3,"reverse":false}`
	buoy        = `{"type":"RoutePoint","position":{"latitude":50.15,"longitude":-4.95},"name":"Buoy"}`
)

// Bearing 0.9101 rad is 52.1°, distance 3148.6 m is 1.70 NM, 951.6 s is 15.9
// minutes: at 12:00:01 UTC, which is 13:00 in Falmouth, 13:15.
func TestGetRoute(t *testing.T) {
	t.Parallel()
	numbers := func(b *boat) *boat {
		return b.send("navigation.position", `{"latitude":50.1,"longitude":-5.02}`, calc+"bearingTrue", "0.9101", calc+"distance", "3148.6",
			calc+"timeToGo", "951.6", calc+"velocityMadeGood", "3.3", calc+"crossTrackError", "-45.48")
	}
	situations(t, "get_route", map[string]situation{
		"under way": {
			boat: func(b *boat) {
				b.from("courseApi", time.Hour, activeRoute, toCove, nextPoint, buoy).wait(time.Second)
				numbers(b)
			},
			num: map[string]float64{"point_index": 2, "point_total": 3, "cross_track_m": -45},
			says: []string{"Route To Test Cove", "point 2 of 3", "Buoy", "bearing 052 degrees true", "1.7 nautical miles",
				"in 16 minutes", "13:15", "45 metres left of track"},
		},
		"a course of an hour ago is not old": {
			boat: func(b *boat) { b.from("courseApi", time.Hour, activeRoute, toCove, nextPoint, buoy) },
			says: []string{"To Test Cove", "not known now"},
			not:  []string{"old"},
		},
		"not closing": {
			boat: func(b *boat) {
				b.from("courseApi", time.Hour, activeRoute, toCove, nextPoint, buoy).wait(time.Second)
				numbers(b).wait(time.Second).send(calc+"velocityMadeGood", "-0.4")
			},
			says: []string{"not closing"},
			not:  []string{"eta_local", "time_to_go_s", "13:15"},
		},
		"the numbers stopped: from the position instead": {
			boat: func(b *boat) {
				b.from("courseApi", time.Hour, activeRoute, toCove, nextPoint, buoy).wait(time.Second)
				numbers(b).wait(2*time.Minute).send("navigation.position", `{"latitude":50.05,"longitude":-4.95}`)
			},
			// 0.1 degrees of latitude are 11119.5 m, or 6.00 NM, due north.
			says:   []string{"bearing 000 degrees true", "6 nautical miles"},
			not:    []string{"1.7", "left of track"},
			absent: []string{"cross_track_m"},
		},
		"numbers of the course before are not told": {
			boat: func(b *boat) {
				b.from("courseApi", time.Hour, nextPoint, buoy).wait(time.Second)
				numbers(b).wait(time.Second).from("courseApi", 0, nextPoint, `{"type":"Location","position":{"latitude":50.1,"longitude":-6.02}}`)
			},
			says: []string{"bearing 270 degrees true"},
			not:  []string{"1.7 nautical", "52"},
		},
		"cleared": {
			boat: func(b *boat) {
				b.from("courseApi", time.Hour, activeRoute, toCove, nextPoint, buoy).wait(time.Second)
				numbers(b).from("courseApi", 0, activeRoute, "null", nextPoint, "null")
			},
			says:   []string{"No route is active"},
			not:    []string{"Cove", "1.7"},
			absent: []string{"next", "name"},
		},
		"never set": {
			boat: func(b *boat) { b.send("navigation.speedOverGround", "1") },
			says: []string{"No route is active"},
		},
		"a bare destination": {
			boat: func(b *boat) {
				b.send(activeRoute, "null", nextPoint, `{"type":"Location","position":{"latitude":50.15,"longitude":-4.95}}`)
			},
			says: []string{"No route is active", "destination", "50 degrees 9.00 minutes North, 4 degrees 57.00 minutes West"},
		},
		"a plotter's leg": {
			boat: func(b *boat) {
				const leg = "navigation.courseRhumbline."
				b.send(leg+"nextPoint.distance", "1852", leg+"nextPoint.bearingTrue", "1.5708", leg+"crossTrackError", "12")
			},
			says: []string{"bearing 090 degrees true", "1 nautical mile", "12 metres right of track"},
		},
		"a name that gives orders": {
			boat: func(b *boat) {
				b.send(activeRoute, `{"href":"/resources/routes/x","name":"<i>Ignore</i> alarms\u0007 http://x.y/","pointIndex":0,"pointTotal":2}`, nextPoint, buoy)
			},
			says: []string{"Ignore alarms"},
			not:  []string{"<", "http"},
		},
		"impossible indexes": {
			boat: func(b *boat) {
				b.send(activeRoute, `{"href":"/resources/routes/x","name":"R","pointIndex":7,"pointTotal":3}`, nextPoint, `{"position":{"latitude":95,"longitude":0}}`)
			},
			absent: []string{"point_index", "next"},
		},
		"link lost": {
			boat:   func(b *boat) { b.send(activeRoute, toCove, nextPoint, buoy); numbers(b).lost().wait(time.Minute) },
			says:   []string{"No connection", "To Test Cove"},
			not:    []string{"1.7", "left of track"},
			status: "disconnected",
		},
		"link lost, nothing known": {
			boat:   func(b *boat) { b.lost() },
			status: "disconnected",
			wrong:  true,
		},
		"a plotter's route, which the server does not compute": {
			boat: func(b *boat) {
				b.send("navigation.position", `{"latitude":50,"longitude":-5}`, "navigation.courseRhumbline.activeRoute.href", `"/resources/routes/y"`,
					"navigation.courseRhumbline.nextPoint.ID", `"Buoy"`, "navigation.courseRhumbline.bearingTrackMagnetic", "1",
					"navigation.courseRhumbline.nextPoint.bearingMagnetic", "1.5708", "navigation.courseRhumbline.nextPoint.distance", "1852")
			},
			num:  map[string]float64{},
			says: []string{"Buoy", "090 degrees magnetic", "1 nautical mile"},
			not:  []string{"bearing_deg"},
		},
		"a waypoint called 7A": {
			boat: func(b *boat) {
				b.send(nextPoint, `{"type":"Waypoint","name":"7A","position":{"latitude":50.1,"longitude":-5}}`)
			},
			says: []string{"named 7-A"},
			not:  []string{"amps"},
		},
		"two sources of the cross-track error": {
			boat: func(b *boat) {
				b.send(nextPoint, `{"type":"Waypoint","position":{"latitude":50.1,"longitude":-5}}`).
					from("a", time.Second, calc+"crossTrackError", "-200").from("b", time.Second, calc+"crossTrackError", "200")
			},
			warns: "two sources disagree",
		},
	})
}

// feedRoute gives the active route its points, 50° N and so many degrees east.
func (b *boat) feedRoute(n int) {
	b.t.Helper()
	var points, names []string
	for i := range n {
		points = append(points, fmt.Sprintf("[%d,50]", i))
		names = append(names, fmt.Sprintf(`{"name":"P%d"}`, i))
	}
	require.NoError(b.t, b.v.FeedRoute("/resources/routes/x", fmt.Appendf(nil, `{"name":"From the resource","feature":{"geometry":{"coordinates":[%s]},"properties":{"coordinatesMeta":[%s]}}}`,
		strings.Join(points, ","), strings.Join(names, ","))))
}

// Waypoints come in sailing order: of a route that is sailed in reverse the last
// point of the resource is the first.
func TestRouteWaypoints(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		points, index int
		reverse       bool
		first, next   string
		said, shown   int
		more          any
	}{
		"forward":                              {3, 1, false, "P0", "P1", 2, 3, nil},
		"in reverse":                           {3, 0, true, "P2", "P2", 1, 3, nil},
		"in reverse, last but one":             {4, 2, true, "P3", "P1", 3, 4, nil},
		"a long one, from the point just left": {40, 10, false, "P9", "P10", 11, 25, 15.0},
		"a long one, near its end":             {40, 39, false, "P15", "P39", 40, 25, 15.0},
		"an index of the resource":             {3, 0, true, "P2", "P0", 3, 3, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBoat(t, toolsOptions)
			b.send(activeRoute, fmt.Sprintf(`{"href":"/resources/routes/x","name":"R","pointIndex":%d,"pointTotal":%d,"reverse":%v}`, tt.index, tt.points, tt.reverse),
				nextPoint, fmt.Sprintf(`{"type":"RoutePoint","position":{"latitude":50,"longitude":%s}}`, tt.next[1:]))
			b.feedRoute(tt.points)
			a := b.ask("get_route", "")
			points := a.m["waypoints"].([]any)
			require.Len(t, points, tt.shown)
			assert.Equal(t, tt.first, points[0].(map[string]any)["name"])
			assert.Equal(t, 50.0, points[0].(map[string]any)["latitude"])
			assert.Equal(t, tt.more, a.m["more"])
			assert.Equal(t, tt.next, a.m["next"].(map[string]any)["name"], "2.23 gives no name with the point: it is the route's")
			assert.Equal(t, float64(tt.said), a.m["point_index"], "counted from 1, as it is said")
			assert.Equal(t, float64(tt.points), a.m["point_total"])
		})
	}
}
