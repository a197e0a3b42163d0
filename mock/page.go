package mock

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// pageText is all of the page: style, script, no resource of anybody else.
//
//go:embed page.html
var pageText string

// pagePolicy lets the page do what it has in it, and ask its own server. It is
// worked out when somebody looks at the page, and not at every start.
var pagePolicy = sync.OnceValue(func() string {
	return "default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" +
		"; script-src '" + inlineHash("script") + "'; style-src '" + inlineHash("style") + "'"
})

// inlineHash names the page's one element of a kind by what is in it.
func inlineHash(element string) string {
	_, rest, _ := strings.Cut(pageText, "<"+element+">")
	text, _, _ := strings.Cut(rest, "</"+element+">")
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func servePage(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", mimeHTML)
	h.Set("Content-Security-Policy", pagePolicy())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	_, _ = w.Write([]byte(pageText))
}

// pageState is what the page shows.
type pageState struct {
	Version   string          `json:"version"`
	Time      string          `json:"time"`
	Control   bool            `json:"control"`
	Scenario  Scenario        `json:"scenario"`
	Log       []string        `json:"log"`
	Elapsed   int64           `json:"elapsed"` // s since the scenario began
	Position  *Position       `json:"position"`
	Heading   float64         `json:"heading"`
	Next      *Position       `json:"next"`
	Anchor    *Position       `json:"anchor"`
	Circle    float64         `json:"circle"` // m: the anchor watch's
	Wind      [2]float64      `json:"wind"`   // apparent: angle in rad, speed in m/s
	Ships     []pageShip      `json:"ships"`
	Gauges    []pageGauge     `json:"gauges"`
	Alarms    []pageAlarm     `json:"alarms"`
	Spoken    []string        `json:"spoken"`
	Broken    []string        `json:"broken"`
	Scenarios []pageScenario  `json:"scenarios"`
	Faults    []pageFaultKind `json:"faults"`
	Clients   int             `json:"clients"`
}

type pageShip struct {
	Name     string   `json:"name"`
	Position Position `json:"position"`
	Course   float64  `json:"course"`
}

// pageGauge is the truth about a quantity beside what the server has of it.
type pageGauge struct {
	Name   string          `json:"name"`
	Unit   string          `json:"unit"`
	Factor float64         `json:"factor"` // from SI
	Offset float64         `json:"offset"`
	Digits int             `json:"digits"`
	Truth  *float64        `json:"truth"`
	Said   json.RawMessage `json:"said"` // null also when it was never said
	Age    *float64        `json:"age"`  // s, by its timestamp
}

type pageAlarm struct {
	Path    string `json:"path"`
	State   string `json:"state"`
	Message string `json:"message"`
}

type pageScenario struct {
	Name  Scenario `json:"name"`
	About string   `json:"about"`
}

type pageFaultKind struct {
	Name  FaultKind `json:"name"`
	About string    `json:"about"`
}

// dials are the gauges of the page.
var dials = []struct {
	name, path, unit string
	factor, offset   float64
	digits           int
	truth            func(Truth) float64
}{
	{"Below keel", "environment.depth.belowKeel", "m", 1, 0, 1, func(t Truth) float64 { return t.DepthBelowKeel }},
	{"Below transducer", "environment.depth.belowTransducer", "m", 1, 0, 1, func(t Truth) float64 { return t.DepthBelowTransducer }},
	{"SOG", "navigation.speedOverGround", "kn", 3600.0 / 1852, 0, 1, func(t Truth) float64 { return t.SpeedOverGround }},
	{"COG", "navigation.courseOverGroundTrue", "° true", degrees(1), 0, 0, func(t Truth) float64 { return t.CourseOverGroundTrue }},
	{"Heading", "navigation.headingMagnetic", "° magnetic", degrees(1), 0, 0, func(t Truth) float64 { return t.HeadingMagnetic }},
	{"AWS", "environment.wind.speedApparent", "kn", 3600.0 / 1852, 0, 1, func(t Truth) float64 { return t.WindSpeedApparent }},
	{"AWA", "environment.wind.angleApparent", "°", degrees(1), 0, 0, func(t Truth) float64 { return t.WindAngleApparent }},
	{"House voltage", "electrical.batteries.house.voltage", "V", 1, 0, 2, func(t Truth) float64 { return t.HouseVoltage }},
	{"House current", "electrical.batteries.house.current", "A", 1, 0, 1, func(t Truth) float64 { return t.HouseCurrent }},
	{"House charge", "electrical.batteries.house.capacity.stateOfCharge", "%", 100, 0, 1, func(t Truth) float64 { return t.HouseStateOfCharge }},
	{"Engine", "propulsion.port.revolutions", "rpm", 60, 0, 0, func(t Truth) float64 { return t.EngineRevolutions }},
	{"Coolant", "propulsion.port.coolantTemperature", "°C", 1, -273.15, 0, func(t Truth) float64 { return t.EngineCoolantTemperature }},
	{"Fuel", "tanks.fuel.0.currentLevel", "%", 100, 0, 1, func(t Truth) float64 { return t.FuelLevel }},
}

// state is what the page shows now.
func (s *Server) state() pageState {
	p := s.lockedState()
	if s.opt.Spoken != nil {
		p.Spoken = s.opt.Spoken()
	}
	p.Broken = []string{}
	for _, f := range s.Broken() {
		p.Broken = append(p.Broken, f.String())
	}
	for _, name := range Scenarios() {
		p.Scenarios = append(p.Scenarios, pageScenario{name, name.About()})
	}
	for _, k := range FaultKinds() {
		p.Faults = append(p.Faults, pageFaultKind{k, k.About()})
	}
	return p
}

func (s *Server) lockedState() pageState {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	p := pageState{
		Version: s.opt.Version, Time: stamp(now), Control: s.opt.Control, Clients: len(s.clients),
		Ships: []pageShip{}, Gauges: []pageGauge{}, Alarms: []pageAlarm{}, Spoken: []string{},
	}
	var truth Truth
	if v := s.vessel; v != nil {
		truth = v.Truth()
		p.Scenario, p.Log, p.Elapsed = v.scenario.name, v.scenario.name.Log(), v.seconds
		p.Position, p.Heading = &truth.Position, truth.HeadingTrue
		p.Wind = [2]float64{truth.WindAngleApparent, truth.WindSpeedApparent}
		if v.plan != nil {
			p.Next = &v.plan.points[v.leg].Position
		}
		if v.anchor.down {
			p.Anchor, p.Circle = &v.anchor.watched, v.anchor.limit
		}
		for _, ship := range truth.Ships {
			p.Ships = append(p.Ships, pageShip{ship.Name, ship.Position, ship.CourseOverGroundTrue})
		}
	}
	for _, d := range dials {
		g := pageGauge{Name: d.name, Unit: d.unit, Factor: d.factor, Offset: d.offset, Digits: d.digits}
		if s.vessel != nil {
			x := d.truth(truth)
			g.Truth = &x
		}
		if r, ok := s.cache.current(s.self, d.path); ok {
			g.Said = r.Value
			if !r.at.IsZero() {
				age := now.Sub(r.at).Truncate(time.Second).Seconds()
				g.Age = &age
			}
		}
		p.Gauges = append(p.Gauges, g)
	}
	for _, n := range s.notifications() {
		var value struct{ State, Message string }
		if json.Unmarshal(n.Value, &value) == nil && n.Context == s.self && value.State != "normal" && value.State != "nominal" {
			p.Alarms = append(p.Alarms, pageAlarm{strings.TrimPrefix(n.Path, "notifications."), value.State, value.Message})
		}
	}
	slices.SortFunc(p.Alarms, func(a, b pageAlarm) int { return strings.Compare(a.Path+a.State, b.Path+b.State) })
	return p
}
