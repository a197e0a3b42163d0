package signalk_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/signalk"
)

func course(v *signalk.Vessel) (c signalk.Course) {
	v.Read(func(w signalk.View) { c = w.Course() })
	return c
}

const (
	route = `{"href":"/resources/routes/8a0a7f2e-0000-4000-8000-000000000001","name":"Test route","pointIndex":1,"pointTotal":3,"reverse":true}`
	next  = `{"type":"RoutePoint","position":{"latitude":60.02,"longitude":24.05},"name":"Mid"}`
)

func TestCourseOfTheServer(t *testing.T) {
	t.Parallel()
	v, c := connected(t)
	assert.Equal(t, (*signalk.ActiveRoute)(nil), course(v).Route, "never heard")
	feed(t, v, value("courseApi", noon.Add(-time.Hour), "navigation.course.activeRoute", route),
		value("courseApi", noon.Add(-time.Hour), "navigation.course.nextPoint", next),
		value("courseApi", noon.Add(-time.Hour), "navigation.course.previousPoint", `{"type":"VesselPosition","position":{"latitude":60,"longitude":24}}`))
	got := course(v)
	require.NotNil(t, got.Route)
	assert.Equal(t, signalk.ActiveRoute{Href: "/resources/routes/8a0a7f2e-0000-4000-8000-000000000001", Name: "Test route", Reverse: true, Index: 1, Total: 3}, *got.Route)
	assert.Equal(t, "Mid", got.Next.Name)
	assert.Equal(t, 60.0, got.Previous.Position.Latitude)
	// Cleared is null; a destination may be set alone.
	c.forward(time.Second)
	feed(t, v, value("courseApi", c.t, "navigation.course.activeRoute", `null`))
	assert.Nil(t, course(v).Route)
	assert.NotNil(t, course(v).Next)
	feed(t, v, value("courseApi", c.t, "navigation.course.nextPoint", `null`))
	assert.Nil(t, course(v).Next)
}

// After a change of course the server keeps the numbers of the old one until
// the next position: they are of no use.
func TestNumbersOfAnotherCourseAreNotCovered(t *testing.T) {
	t.Parallel()
	v, c := connected(t)
	const distance = "navigation.course.calcValues.distance"
	feed(t, v, value("courseApi", c.t, "navigation.course.nextPoint", next))
	c.forward(time.Second)
	feed(t, v, value("course-provider", c.t, distance, "3148"))
	assert.True(t, course(v).Covers(reading(v, distance)))
	c.forward(time.Second)
	feed(t, v, value("courseApi", c.t, "navigation.course.nextPoint", `{"type":"Location","position":{"latitude":61,"longitude":25}}`))
	assert.False(t, course(v).Covers(reading(v, distance)))
	c.forward(time.Second)
	feed(t, v, value("course-provider", c.t, distance, "111000"))
	assert.True(t, course(v).Covers(reading(v, distance)))
	// Told again without a change, it still covers.
	c.forward(time.Second)
	feed(t, v, value("courseApi", c.t, "navigation.course.nextPoint", `{"type":"Location","position":{"latitude":61,"longitude":25}}`))
	assert.True(t, course(v).Covers(reading(v, distance)))
}

// A restarted server without a course says nothing of it: what is not told again
// is gone.
func TestCourseIsForgottenWithTheServer(t *testing.T) {
	t.Parallel()
	v, c := connected(t)
	feed(t, v, value("courseApi", noon, "navigation.course.activeRoute", route), value("courseApi", noon, "navigation.course.nextPoint", next),
		value("a", noon, "navigation.anchor.maxRadius", "40"))
	feed(t, v, hello(c.t, "b"), value("gps", c.t, "navigation.speedOverGround", "1"), value("a", noon, "navigation.anchor.maxRadius", "40"))
	v.Complete()
	c.forward(time.Minute)
	assert.NotNil(t, course(v).Route, "it may still come")
	c.forward(time.Second)
	assert.Nil(t, course(v).Route)
	assert.Nil(t, course(v).Next)
	assert.Equal(t, signalk.Stale, reading(v, "navigation.course.activeRoute").State)
	assert.Equal(t, signalk.Fresh, reading(v, "navigation.anchor.maxRadius").State, "told again")
}

// A plotter's course comes on the paths of version 1.
func TestCourseOfAPlotter(t *testing.T) {
	t.Parallel()
	v, _ := connected(t)
	feed(t, v, value("n2k.3", noon, "navigation.courseRhumbline.nextPoint.distance", "1852"))
	got := course(v)
	assert.Nil(t, got.Route)
	require.NotNil(t, got.Next)
	assert.False(t, got.Next.Position.Valid(), "how far, but not where")
	assert.Equal(t, "navigation.courseRhumbline.nextPoint.", got.NextBase)
	feed(t, v, value("n2k.3", noon, "navigation.courseGreatCircle.nextPoint.position", `{"latitude":60,"longitude":24}`))
	assert.Equal(t, "navigation.courseGreatCircle.", course(v).Base)
	assert.True(t, course(v).Next.Position.Valid())
}

func TestHalfAPositionIsNone(t *testing.T) {
	t.Parallel()
	for json, ok := range map[string]bool{
		`{"latitude":60,"longitude":24}`:                  true,
		`{"latitude":"60.5","longitude":24,"altitude":3}`: true,
		`{"latitude":0,"longitude":0}`:                    true,
		`{"latitude":60,"longitude":null}`:                false,
		`{"latitude":60}`:                                 false,
		`{"latitude":91,"longitude":24}`:                  false, // n2k-signalk wrote such AIS reports into self
		`{"latitude":60,"longitude":181}`:                 false,
		`[60,24]`:                                         false,
		`null`:                                            false,
	} {
		v, _ := connected(t)
		feed(t, v, value("s", noon, "navigation.position", json))
		_, got := signalk.PositionOf(reading(v, "navigation.position").Value)
		assert.Equal(t, ok, got, json)
	}
}

func TestRouteInSailingOrder(t *testing.T) {
	t.Parallel()
	r := signalk.Route{Points: []signalk.Waypoint{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	names := func(points []signalk.Waypoint) (s string) {
		for _, p := range points {
			s += p.Name
		}
		return s
	}
	assert.Equal(t, "abc", names(r.Sailed(false)))
	assert.Equal(t, "cba", names(r.Sailed(true)))
}

func TestFeedRoute(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body   string
		points int
	}{
		"longitude first": {`{"name":"R","feature":{"geometry":{"coordinates":[[24,60],[24.05,60.02,3]]},"properties":{"coordinatesMeta":[{"name":"Start"}]}}}`, 2},
		"empty, as 2.23 answers for one that is not there": {`{}`, 0},
		"not found, as 2.32 answers":                       {`{"state":"FAILED","statusCode":404,"message":"not found"}`, 0},
		"a page":                                           {`<html>`, 0},
		"half a point":                                     {`{"feature":{"geometry":{"coordinates":[[24,60],[24]]}}}`, 0},
		"latitude first":                                   {`{"feature":{"geometry":{"coordinates":[[60,124]]}}}`, 0},
		"a polygon":                                        {`{"feature":{"geometry":{"coordinates":[[[24,60]]]}}}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, _ := connected(t)
			err := v.FeedRoute("/resources/routes/x", []byte(tt.body))
			assert.Equal(t, tt.points == 0, err != nil)
			v.Read(func(w signalk.View) {
				assert.Len(t, w.Route().Points, tt.points)
				assert.Equal(t, "/resources/routes/x", w.Route().Href, "not asked for again")
				if tt.points > 0 {
					assert.Equal(t, 60.0, w.Route().Points[0].Position.Latitude)
					assert.Equal(t, "Start", w.Route().Points[0].Name)
					assert.Empty(t, w.Route().Points[1].Name)
				}
			})
		})
	}
}
