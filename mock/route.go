package mock

import (
	"time"
)

// arrivalCircle is the radius around a point that counts as being there, in m.
const arrivalCircle = 150.0

const (
	routeID      = "4f1c2d9e-7b0a-4c35-9e64-2a51f0c7d8b3"
	routesPrefix = "/resources/routes/"
	routeName    = "Porkkala to Harmaja"
)

// waypoint is one named point of a route.
type waypoint struct {
	name string
	Position
}

// route is the passage that own boat makes, 19 nautical miles in open water.
var route = []waypoint{
	{"Porkkala", Position{59.93, 24.42}},
	{"Kallbådan", Position{59.965, 24.6}},
	{"Kytö", Position{60.045, 24.78}},
	{"Harmaja", Position{60.095, 24.96}},
}

// reckoning is what the course provider makes of a position and a course:
// metres, radians, m/s; true directions.
type reckoning struct {
	track            float64 // bearing from the previous to the next point
	crossTrack       float64 // negative left of it
	bearing          float64
	distance         float64
	previousDistance float64
	velocity         float64 // towards the next point
	routeDistance    float64 // to the end of the route
}

// reckon works out a leg with great circles. rest are the points after next.
func reckon(at, previous, next Position, rest []waypoint, speed, course float64) reckoning {
	r := reckoning{
		track:            previous.bearing(next),
		crossTrack:       crossTrack(previous, next, at),
		bearing:          at.bearing(next),
		distance:         at.distance(next),
		previousDistance: at.distance(previous),
	}
	r.velocity = float64(speed * cosine(r.bearing-course))
	r.routeDistance = r.distance
	for _, p := range rest {
		r.routeDistance += next.distance(p.Position)
		next = p.Position
	}
	return r
}

// calc is the reckoning of the leg at hand.
func (v *Vessel) calc(m motion) reckoning {
	points := v.plan.points
	return reckon(v.position, points[v.leg-1].Position, points[v.leg].Position, points[v.leg+1:], m.ground.length(), m.ground.direction())
}

// The $source of the course calculations, of the course and of resources.
const (
	courseProvider    = "course-provider"
	courseAPI         = "courseApi"
	resourcesProvider = "resources-provider"
)

// courseValues is the delta of the course provider. There is no time to go
// without way towards the point.
func (v *Vessel) courseValues(m motion) Delta {
	c := v.calc(m)
	value := func(path string, x float64, digits int) PathValue {
		return PathValue{calcValuesPrefix + path, round(x, digits)}
	}
	timeToGo := func(prefix string, distance float64) []PathValue {
		var seconds, arrival any
		if c.velocity > 0.05 {
			s := round(distance/c.velocity, 3)
			seconds, arrival = s, stamp(v.time().Add(time.Duration(s*float64(time.Second))))
		}
		return []PathValue{
			{calcValuesPrefix + prefix + "timeToGo", seconds},
			{calcValuesPrefix + prefix + "estimatedTimeOfArrival", arrival},
		}
	}
	// The provider adds the variation where a magnetic bearing needs it taken
	// off: course-provider 1.4.0 makes 1.0369 of a true 0.8955 and 0.1414 east.
	values := []PathValue{
		{calcValuesPrefix + "calcMethod", "GreatCircle"},
		value("bearingTrackTrue", c.track, 6),
		value("bearingTrackMagnetic", turn(c.track+variation), 6),
		value("crossTrackError", c.crossTrack, 3),
		value("previousPoint.distance", c.previousDistance, 3),
		value("distance", c.distance, 3),
		value("bearingTrue", c.bearing, 6),
		value("bearingMagnetic", turn(c.bearing+variation), 6),
		value("velocityMadeGood", c.velocity, 4),
		{"performance.velocityMadeGoodToWaypoint", round(c.velocity, 4)},
	}
	values = append(values, timeToGo("", c.distance)...)
	values = append(values, timeToGo("route.", c.routeDistance)...)
	values = append(values, value("route.distance", c.routeDistance, 3), PathValue{calcValuesPrefix + "targetSpeed", nil})
	return v.say(courseProvider, values...)
}

// coursePoint is a point of the course as the course API has it.
type coursePoint struct {
	Type     string   `json:"type"`
	Position Position `json:"position"`
	Name     string   `json:"name,omitempty"`
}

// coursePoint is the point of the plan with that index. Without a route the one
// before is where the boat was when the destination was set.
func (v *Vessel) coursePoint(i int) coursePoint {
	p := coursePoint{Type: "RoutePoint", Position: v.plan.points[i].Position}
	if v.plan.id == "" {
		p.Type = "VesselPosition"
		if i == v.leg {
			p.Type = "Location"
		}
	}
	if v.named {
		p.Name = v.plan.points[i].name
	}
	return p
}

// activeRoute is the value of navigation.course.activeRoute.
type activeRoute struct {
	Href       string `json:"href"`
	Name       string `json:"name"`
	Reverse    bool   `json:"reverse"`
	PointIndex int    `json:"pointIndex"`
	PointTotal int    `json:"pointTotal"`
}

// course is what the course API announces when a route is made active or goes
// on to its next point: its own paths, and their look-alikes of the v1 model,
// among which "value" is a segment of a path.
func (v *Vessel) course() []Delta {
	start := stamp(v.start)
	next, previous := v.coursePoint(v.leg), v.coursePoint(v.leg-1)
	var href, active any // none without a route
	if v.plan.id != "" {
		href = routesPrefix + v.plan.id
		active = activeRoute{routesPrefix + v.plan.id, v.plan.name, false, v.leg, len(v.plan.points)}
	}
	var v1 []PathValue
	for _, x := range []PathValue{
		{"activeRoute.href", href},
		{"activeRoute.startTime", start},
		{"nextPoint.value.href", nil},
		{"nextPoint.value.type", next.Type},
		{"nextPoint.position", next.Position},
		{"nextPoint.arrivalCircle", arrivalCircle},
		{"previousPoint.position", previous.Position},
		{"previousPoint.value.type", previous.Type},
	} {
		v1 = append(v1, PathValue{"navigation.courseGreatCircle." + x.Path, x.Value}, PathValue{"navigation.courseRhumbline." + x.Path, x.Value})
	}
	return []Delta{
		v.say(courseAPI, v1...),
		v.say(courseAPI,
			PathValue{coursePrefix + "startTime", start},
			PathValue{coursePrefix + "targetArrivalTime", nil},
			PathValue{coursePrefix + "activeRoute", active},
			PathValue{coursePrefix + "arrivalCircle", arrivalCircle},
			PathValue{coursePrefix + "previousPoint", previous},
			PathValue{coursePrefix + "nextPoint", next},
		),
	}
}

// routeResource is the route as the resources API keeps it: GeoJSON, longitude
// first, names in coordinatesMeta.
func (v *Vessel) routeResource() Delta {
	type geometry struct {
		Type        string       `json:"type"`
		Coordinates [][2]float64 `json:"coordinates"`
	}
	type pointMeta struct {
		Name string `json:"name"`
	}
	type properties struct {
		CoordinatesMeta []pointMeta `json:"coordinatesMeta"`
	}
	type feature struct {
		Type       string     `json:"type"`
		Geometry   geometry   `json:"geometry"`
		Properties properties `json:"properties"`
	}
	type resource struct {
		Name        string  `json:"name"`
		Description string  `json:"description"`
		Distance    float64 `json:"distance"`
		Feature     feature `json:"feature"`
	}
	r := resource{Name: v.plan.name, Description: "Along the coast to Helsinki", Feature: feature{Type: "Feature", Geometry: geometry{Type: "LineString"}}}
	total := 0.0
	for i, p := range v.plan.points {
		if i > 0 {
			total += v.plan.points[i-1].distance(p.Position)
		}
		r.Feature.Geometry.Coordinates = append(r.Feature.Geometry.Coordinates, [2]float64{p.Longitude, p.Latitude})
		r.Feature.Properties.CoordinatesMeta = append(r.Feature.Properties.CoordinatesMeta, pointMeta{p.name})
	}
	r.Distance = round(total, 0)
	return v.say(resourcesProvider, PathValue{"resources.routes." + v.plan.id, r})
}
