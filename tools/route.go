package tools

import (
	"math"
	"strconv"
	"strings"
	"time"

	"signalk-mcp/signalk"
	"signalk-mcp/units"
)

var getRoute = tool{
	name:        "get_route",
	description: "The route: next waypoint, destination, how far, how long until we arrive, ETA, off track.",
	answer: func(q query) Result {
		c := q.Course()
		up := q.Link().Up()
		if c.Route == nil && c.Next == nil {
			if !up {
				return q.unreachable(nil)
			}
			var r Result
			r.Display = "No route is active, and no destination is set."
			r.values.flag("active", false)
			return r
		}
		var res Result
		leg := q.leg(c)
		switch {
		case !up:
			res.Display = sentence(q.linkWords()) + " " + sentence("the last known course: "+leg.heading)
			res.Status = q.offline()
		case c.Stale:
			res.Display = sentence("no fresh course for "+units.Age(c.Age)) + " " + sentence("the last known one: "+leg.heading)
			res.Status, res.age, res.hasAge = Stale, c.Age, true
		case leg.numbers == "":
			res.Display = sentence(leg.heading) + " " + sentence("its bearing and distance are not known now")
		default:
			res.Display = sentence(leg.heading + ", " + leg.numbers)
		}
		if leg.track != "" {
			res.Display += " " + sentence(leg.track)
		}
		if up && c.Unconfirmed {
			res.warn("the server has not told of this course since the connection was lost")
		}
		for _, w := range leg.warnings {
			res.warn(w)
		}
		res.values.flag("active", c.Route != nil)
		if name := field(leg.route, maxNameSaid); name != "" {
			res.values.text("name", name)
		}
		if len(leg.next) > 0 {
			res.values.raw("next", leg.next.json())
		}
		if up && leg.hasTrack {
			res.values.num("cross_track_m", leg.crossTrack)
		}
		if c.Route != nil {
			q.tellWaypoints(&res, c, leg)
		}
		for _, r := range leg.used {
			res.used(r)
		}
		return res
	},
}

// leg is what is known of the way to the next point.
type leg struct {
	route    string // name of the active route
	heading  string // "route To Test Cove, next is point 2 of 3, Buoy"
	numbers  string // bearing, distance and time, if they are live
	track    string // on which side of the track, if that is live
	next     object
	index    int // of the next point in sailing order; -1 if not known
	total    int
	points   []signalk.Waypoint
	hasTrack bool
	// crossTrack is in metres, negative left of track.
	crossTrack float64
	used       []signalk.Reading
	warnings   []string
}

func (q query) leg(c signalk.Course) leg {
	l := leg{index: -1}
	if r := c.Route; r != nil {
		l.index, l.total = r.Index, r.Total
		l.route = r.Name
		if res := q.Route(); r.Href != "" && res.Href == r.Href && len(res.Points) > 0 {
			l.points, l.total = res.Sailed(r.Reverse), len(res.Points)
			if l.route == "" {
				l.route = res.Name
			}
		}
		if l.index >= l.total {
			l.index = -1
		}
		if c.Next != nil && c.Next.Position.Valid() {
			l.index = pointAt(l.points, c.Next.Position, l.index)
		}
	}
	next := ""
	if c.Next != nil {
		next = c.Next.Name
	}
	if next == "" && l.index >= 0 && l.index < len(l.points) {
		next = l.points[l.index].Name
	}
	if n := field(next, maxNameSaid); n != "" {
		l.next.text("name", n)
	}
	l.heading = l.headingWords(c, foreign(next, maxNameSaid))
	if c.Next != nil && q.Link().Up() && !c.Stale {
		q.measure(&l, c)
	}
	return l
}

// samePoint is how far apart a route's point and the point that is sailed to may
// be and be the same, in metres.
const samePoint = 20

// pointAt gives the index of the point that is sailed to. The server's own index
// is one of the resource, and not of the sailing order, after a route in reverse
// was refreshed (signalk-server 2.23); the position is right.
func pointAt(points []signalk.Waypoint, at units.Position, index int) int {
	is := func(i int) bool {
		d, _ := points[i].Position.To(at)
		return d <= samePoint
	}
	if index < 0 || index >= len(points) || is(index) {
		return index
	}
	for i := range points {
		if is(i) {
			return i
		}
	}
	return index
}

// headingWords says what is sailed to.
func (l leg) headingWords(c signalk.Course, next string) string {
	if c.Route == nil {
		words := "no route is active; heading for a destination"
		switch {
		case next != "":
			words += " named " + next
		case c.Next.Position.Valid():
			words += " at " + c.Next.Position.Say()
		}
		return words
	}
	words := "a route without a name"
	if name := foreign(l.route, maxNameSaid); name != "" {
		words = "route " + name
	}
	switch {
	case l.index >= 0 && l.total > 0:
		words += ", next is point " + strconv.Itoa(l.index+1) + " of " + strconv.Itoa(l.total)
	case c.Next != nil:
		words += ", next point"
	}
	if next != "" {
		words += ", " + next
	}
	return words
}

// measure adds what the server computes for the leg, as far as it is live, and
// else what follows from the position.
func (q query) measure(l *leg, c signalk.Course) {
	var said []string
	fresh := func(path string) (float64, bool) {
		r, warning := q.pick(path)
		x, ok := r.Value.Number()
		if !ok || !r.Fresh() || !c.Covers(r) || q.say(r).doubt != "" {
			return 0, false
		}
		l.used = append(l.used, r)
		if warning != "" {
			l.warnings = append(l.warnings, nameOf(path, signalk.Meta{})+": "+warning)
		}
		return x, true
	}
	bearing, hasBearing := fresh(c.NextBase + "bearingTrue")
	distance, hasDistance := fresh(c.NextBase + "distance")
	at, _ := q.pick("navigation.position")
	if p, ok := signalk.PositionOf(at.Value); ok && at.Fresh() && c.Next.Position.Valid() && !(hasBearing && hasDistance) {
		d, b := p.To(c.Next.Position)
		bearing, distance, hasBearing, hasDistance = float64(b), float64(d), true, true
		l.used = append(l.used, at)
	}
	if hasBearing {
		if s := units.Angle(bearing).Bearing(units.True); s.Known() {
			said = append(said, "bearing "+s.Words)
			l.next.num("bearing_deg", s.Value)
		}
	} else if x, ok := fresh(c.NextBase + "bearingMagnetic"); ok && c.OtherBase != "" { // a plotter's; the server's own has been wrong
		if s := units.Angle(x).Bearing(units.Magnetic); s.Known() {
			said = append(said, "bearing "+s.Words)
			l.next.num("bearing_magnetic_deg", s.Value)
		}
	}
	if hasDistance {
		if s := units.Length(distance).Distance(); s.Known() && distance >= 0 {
			said = append(said, s.Words)
			l.next.num("distance_nm", units.Length(distance).NauticalMiles().Value)
		}
	}
	if t := q.timeToGo(l, c, fresh); t != "" {
		said = append(said, t)
	}
	l.numbers = strings.Join(said, ", ")
	x, ok := fresh(c.Base + "crossTrackError")
	if !ok && c.OtherBase != "" {
		x, ok = fresh(c.OtherBase + "crossTrackError")
	}
	if ok {
		if s := units.Length(x).CrossTrack(); s.Known() {
			l.track, l.hasTrack, l.crossTrack = s.Words, true, units.Round(x, 0)
		}
	}
}

// timeToGo says when the next point is reached. Who does not come closer has no
// time of arrival.
func (q query) timeToGo(l *leg, c signalk.Course, fresh func(string) (float64, bool)) string {
	for _, name := range []string{"velocityMadeGood", "velocityMadeGoodToCourse"} {
		if vmg, ok := fresh(c.NextBase + name); ok {
			if vmg <= 0 {
				return "not closing"
			}
			break
		}
	}
	togo, ok := fresh(c.NextBase + "timeToGo")
	if !ok || togo <= 0 || togo > 365*86400 {
		return ""
	}
	words := "in " + units.Seconds(togo).Span().Words
	if clock := q.instant(); clock.known {
		zone := q.zoneOfBoat()
		eta := clock.now.Add(units.Seconds(togo).Duration()).In(zone.location)
		l.next.text("eta_local", eta.Format("15:04"))
		words += ", at " + eta.Format("15:04")
		for _, w := range []string{clock.warning, zone.warning} {
			if w != "" {
				l.warnings = append(l.warnings, w)
			}
		}
	}
	l.next.num("time_to_go_s", units.Round(togo, 0))
	return words
}

const maxWaypoints = 25

// tellWaypoints lists the points in sailing order. Of a long route it lists
// those from the one that was just left.
func (q query) tellWaypoints(res *Result, c signalk.Course, l leg) {
	if l.index >= 0 {
		res.values.num("point_index", float64(l.index+1))
	}
	if l.total > 0 {
		res.values.num("point_total", float64(l.total))
	}
	first := 0
	if len(l.points) > maxWaypoints {
		first = max(0, min(l.index-1, len(l.points)-maxWaypoints))
	}
	shown := l.points[first:min(len(l.points), first+maxWaypoints)]
	rows := make([]object, len(shown))
	for i, p := range shown {
		if name := field(p.Name, maxNameSaid); name != "" {
			rows[i].text("name", name)
		}
		rows[i].num("latitude", units.Round(p.Position.Latitude, 5))
		rows[i].num("longitude", units.Round(p.Position.Longitude, 5))
	}
	res.values.objects("waypoints", rows)
	if more := len(l.points) - len(shown); more > 0 {
		res.values.num("more", float64(more))
	}
}

// instantWords says an instant in UTC: "13:05 UTC on 30 November 2026".
func instantWords(stamp string) (words string, ok bool) {
	t, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil || math.Abs(float64(t.Year()-2000)) > 200 {
		return "", false
	}
	return t.UTC().Format("15:04 UTC on 2 January 2006"), true
}
