package signalk

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"signalk-mcp/units"
)

// Course is where the boat is told to go: the server's course API (v2), or what
// a plotter sends (v1 paths).
type Course struct {
	// Route is the active route; nil if none is.
	Route *ActiveRoute
	// Next and Previous are the points of the present leg; nil if there is none.
	Next, Previous *Waypoint
	// Unconfirmed reports that this connection has not brought it again.
	Unconfirmed bool
	// Stale reports that who sends the course has been silent for Age, so that it
	// is no more than the last one known. The server's own course is never stale.
	Stale bool
	Age   time.Duration
	// Base is the path below which the numbers of this course stand:
	// crossTrackError, bearingTrue, distance and so on. In v1 the distance, the
	// bearing and the rest of the next point stand below Base + "nextPoint.", and
	// OtherBase has what the plotter counts along the other kind of line.
	Base, NextBase, OtherBase string

	set time.Time // arrival of the point that is sailed to
}

// Covers reports whether a number of the course was worked out for the point
// that is sailed to now, and not for one before it: after a change the server
// keeps the old numbers until the next position (signalk-server 2.23, 2.32).
func (c Course) Covers(r Reading) bool { return !r.arrived.Before(c.set) }

// ActiveRoute is the route that is sailed.
type ActiveRoute struct {
	Href    string // "/resources/routes/<id>"
	Name    string // hostile text
	Reverse bool   // from the last point to the first
	Index   int    // of the next point in sailing order, from 0; -1 if not known
	Total   int    // number of points; 0 if not known
}

// Waypoint is a point of a route. Name is hostile text, and may be empty. A
// plotter may tell how far a point is and not where: then Position is not valid.
type Waypoint struct {
	Name     string
	Position units.Position
}

// Route is a route resource. The zero Route is "none was fetched".
type Route struct {
	Href   string
	Name   string
	Points []Waypoint // in the order of the resource; at most 1000
}

const maxPoints = 1000

// Course reads the course that was heard last.
func (w View) Course() Course {
	const v2 = "navigation.course."
	c := Course{Base: v2 + "calcValues.", NextBase: v2 + "calcValues."}
	route := w.newest(v2 + "activeRoute")
	next := w.newest(v2 + "nextPoint")
	c.Route, c.Next = activeRoute(route.Value), point(next.Value)
	if c.Route != nil || c.Next != nil {
		c.set = w.changed(v2 + "nextPoint")
		c.Previous = point(w.newest(v2 + "previousPoint").Value)
		c.Unconfirmed = !(route.Confirmed || next.Confirmed)
		return c
	}
	return w.plotted()
}

// plotterLimit is how long a plotter may be silent and its course still be sailed:
// it sends its points every second or few, and nothing when it is switched off.
const plotterLimit = 15 * time.Minute

// plotted reads the course that a plotter sends on the v1 paths: great-circle or
// rhumb-line numbers, or both, of which the youngest are taken.
func (w View) plotted() (c Course) {
	const circle, line = "navigation.courseGreatCircle.", "navigation.courseRhumbline."
	a, b := w.plottedAlong(circle, line), w.plottedAlong(line, circle)
	switch {
	case a.NextBase == "", b.NextBase != "" && b.Age+placing < a.Age:
		return b
	}
	return a
}

// plottedAlong reads one of the two; NextBase is empty if there is nothing.
func (w View) plottedAlong(base, other string) (c Course) {
	const unheard = time.Duration(math.MaxInt64)
	c = Course{Base: base, OtherBase: other, Age: unheard}
	text := func(path string) string {
		s, _ := w.newest(base + path).Value.Text()
		return s
	}
	next := Waypoint{Position: nowhere, Name: cmp.Or(text("nextPoint.name"), text("nextPoint.ID"))}
	if p, ok := PositionOf(w.newest(base + "nextPoint.position").Value); ok {
		next.Position = p
	}
	for _, path := range w.Paths(strings.TrimSuffix(base, ".")) {
		for _, r := range w.Readings(path) {
			if !r.Value.IsNull() && r.AgeKnown && r.Age < c.Age {
				c.Age = r.Age
			}
		}
	}
	numbers := false
	for _, path := range []string{"nextPoint.distance", "nextPoint.bearingTrue", "nextPoint.bearingMagnetic", "crossTrackError"} {
		numbers = numbers || w.Reading(base+path).Fresh()
	}
	if name, href := text("activeRoute.name"), text("activeRoute.href"); name != "" || href != "" {
		c.Route = &ActiveRoute{Href: href, Name: name, Index: -1}
	}
	if !next.Position.Valid() && next.Name == "" && c.Route == nil && !numbers || c.Age == unheard {
		return Course{}
	}
	c.Next, c.NextBase = &next, base+"nextPoint."
	c.Stale = c.Age > plotterLimit
	return c
}

// nowhere is a position that is not known; it is not valid.
var nowhere = units.Position{Latitude: math.NaN(), Longitude: math.NaN()}

// newest gives the reading of a path that was heard last, from whatever source: a
// course that is set replaces the one before. It is the zero Reading if there is
// none, or if the server has forgotten it.
func (w View) newest(path string) (best Reading) {
	for _, r := range w.Readings(path) {
		if r.State != Stale && (best.arrived.IsZero() || r.arrived.After(best.arrived)) {
			best = r
		}
	}
	return best
}

// changed tells when the value of a path last became another.
func (w View) changed(path string) (at time.Time) {
	if n := w.v.own.paths[path]; n != nil {
		for _, h := range n.sources {
			if h.changed.After(at) {
				at = h.changed
			}
		}
	}
	return at
}

func activeRoute(v Value) *ActiveRoute {
	href, ok := v.Member("href").Text()
	if !ok {
		return nil
	}
	r := &ActiveRoute{Href: href, Index: -1}
	r.Name, _ = v.Member("name").Text()
	r.Reverse, _ = v.Member("reverse").Bool()
	if f, ok := v.Member("pointIndex").Number(); ok && f >= 0 && f < maxPoints {
		r.Index = int(f)
	}
	if f, ok := v.Member("pointTotal").Number(); ok && f >= 0 && f <= maxPoints {
		r.Total = int(f)
	}
	return r
}

func point(v Value) *Waypoint {
	p, ok := PositionOf(v.Member("position"))
	if !ok {
		return nil
	}
	name, _ := v.Member("name").Text()
	return &Waypoint{Name: name, Position: p}
}

// PositionOf reads a position. ok is false unless both coordinates are there
// and in range: half a fix is no fix.
func PositionOf(v Value) (p units.Position, ok bool) {
	lat, ok1 := v.Member("latitude").Number()
	lon, ok2 := v.Member("longitude").Number()
	p = units.Position{Latitude: lat, Longitude: lon}
	return p, ok1 && ok2 && p.Valid()
}

// Sailed gives the points in the order in which they are sailed.
func (r Route) Sailed(reverse bool) []Waypoint {
	points := make([]Waypoint, len(r.Points))
	for i, p := range r.Points {
		if reverse {
			i = len(points) - 1 - i
		}
		points[i] = p
	}
	return points
}

// routeHref is the only form of reference that is followed: it comes over the
// wire, and must not lead anywhere else.
var routeHref = regexp.MustCompile(`^/resources/routes/[A-Za-z0-9][A-Za-z0-9:_-]{0,127}$`)

// FeedRoute takes a route resource of the v2 API, fetched for a reference. Its
// geometry is GeoJSON: longitude comes first. A body that is no route is an
// error, and leaves the route without points, so that it is not asked for again
// until it changes.
func (v *Vessel) FeedRoute(href string, body []byte) error {
	var doc struct {
		Name    string
		Feature struct {
			Geometry   struct{ Coordinates [][]float64 }
			Properties struct {
				CoordinatesMeta []struct{ Name string }
			}
		}
	}
	err := json.Unmarshal(body, &doc)
	r := Route{Href: href, Name: cut(doc.Name, maxText)}
	names := doc.Feature.Properties.CoordinatesMeta
	for i, c := range doc.Feature.Geometry.Coordinates[:min(len(doc.Feature.Geometry.Coordinates), maxPoints)] {
		if len(c) < 2 {
			err = fmt.Errorf("point %d has no longitude and latitude", i)
			break
		}
		p := Waypoint{Position: units.Position{Latitude: c[1], Longitude: c[0]}}
		if !p.Position.Valid() {
			err = fmt.Errorf("point %d is not on earth", i)
			break
		}
		if i < len(names) {
			p.Name = cut(names[i].Name, maxName)
		}
		r.Points = append(r.Points, p)
	}
	if err == nil && len(r.Points) == 0 {
		err = errors.New("it has no points")
	}
	if err != nil {
		r = Route{Href: href}
		err = fmt.Errorf("route %s: %w", cut(href, maxPath), err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.route = r
	return err
}

// wantedRoute gives the reference of the active route if its resource has not
// been fetched yet; empty if there is nothing to fetch.
func (v *Vessel) wantedRoute() (href string) {
	v.Read(func(w View) {
		if c := w.Course(); c.Route != nil && c.Route.Href != v.route.Href && routeHref.MatchString(c.Route.Href) {
			href = c.Route.Href
		}
	})
	return href
}

// resource notes that a resource changed on the server: if it is the route that
// is sailed, it has to be fetched again.
func (v *Vessel) resource(path string) {
	if id, ok := strings.CutPrefix(path, "resources.routes."); ok && v.route.Href == "/resources/routes/"+id {
		v.route.Href = ""
	}
}
