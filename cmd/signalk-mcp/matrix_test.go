package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
	"signalk-mcp/signalk"
	"signalk-mcp/tools"
	"signalk-mcp/tools/speechtest"
)

// The matrix: every scenario with every fault for ten simulated minutes. All the
// tools are asked, and a checker that knows the truth about the vessel, and what
// came over the wire and when, reads every answer. It shares no code with what
// it checks: it parses the frames itself, and turns units back by itself.

const (
	matrixFor   = 10 * time.Minute
	matrixStep  = 10 * time.Second
	faultFrom   = 2 * time.Minute
	faultFor    = 4 * time.Minute
	newsIsFresh = 20 * time.Second // what is younger must be told as live, if nothing is wrong with it
)

var matrixStart = time.Date(2026, 6, 21, 9, 0, 0, 0, time.UTC)

// fromTheStart are faults that are conditions of a boat, not events.
var fromTheStart = []mock.FaultKind{mock.FaultKeelSign, mock.FaultNoOffset, mock.FaultHostileNames}

func TestMatrix(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	cells, answers, live, wrong := 0, 0, 0, 0
	t.Cleanup(func() {
		t.Logf("%d scenarios with %d faults and none: %d cells, %d answers, %d of them live, %d wrong",
			len(mock.Scenarios()), len(mock.FaultKinds()), cells, answers, live, wrong)
	})
	n := 0
	for _, scenario := range mock.Scenarios() {
		for _, kind := range append([]mock.FaultKind{""}, mock.FaultKinds()...) {
			if n++; n%matrixShare != 0 {
				continue
			}
			t.Run(string(scenario)+"/"+string(kind), func(t *testing.T) {
				t.Parallel()
				c := newCell(t, scenario, kind)
				c.run()
				mu.Lock()
				defer mu.Unlock()
				cells, answers, live, wrong = cells+1, answers+c.answers, live+c.live, wrong+len(c.wrong)
				for _, what := range slices.Sorted(maps.Keys(c.wrong)) {
					t.Errorf("%s", c.wrong[what])
				}
			})
		}
	}
}

// cell is one scenario with one fault.
type cell struct {
	t        *testing.T
	scenario mock.Scenario
	kind     mock.FaultKind
	sim      *mock.Simulation
	vessel   *signalk.Vessel
	set      *tools.Set
	up       bool
	opened   time.Time
	truths   []mock.Truth                // of each step, the last one last
	heard    map[string]map[string]*news // by path of own boat, and by source
	conn     int
	routes   map[string]bool

	answers, live int
	wrong         map[string]string // the first of each sort
}

// news is the last that a source told of a path.
type news struct {
	raw   string // the JSON
	stamp string
	at    time.Time // when that was new; zero if nobody can know
	conn  int
}

// value is what the JSON says. It is parsed only when it is asked for.
func (n *news) value() (v any) {
	if err := json.Unmarshal([]byte(n.raw), &v); err != nil {
		panic(err) // it was part of a frame
	}
	return v
}

func newCell(t *testing.T, scenario mock.Scenario, kind mock.FaultKind) *cell {
	c := &cell{
		t: t, scenario: scenario, kind: kind,
		heard: map[string]map[string]*news{}, routes: map[string]bool{}, wrong: map[string]string{},
	}
	o := mock.Options{Scenario: scenario, Seed: 1, Start: matrixStart}
	if kind != "" {
		f := mock.Fault{Kind: kind, After: faultFrom, For: faultFor}
		if slices.Contains(fromTheStart, kind) {
			f = mock.Fault{Kind: kind}
		}
		o.Faults = []mock.Fault{f}
	}
	var err error
	c.sim, err = mock.NewSimulation(o)
	require.NoError(t, err)
	c.vessel = signalk.NewVessel(signalk.VesselOptions{Now: c.sim.Time})
	c.vessel.SetServer("boat.local:3000")
	c.set = tools.New(c.vessel, tools.Options{HostZone: time.UTC})
	return c
}

func (c *cell) now() time.Time { return c.sim.Time() }

func (c *cell) run() {
	c.take(c.sim.Open())
	for n := 0; c.now().Before(matrixStart.Add(matrixFor)); n++ {
		c.take(c.sim.Step(matrixStep))
		if n%2 == 0 {
			c.check(n / 2)
		}
	}
}

// take feeds the program, and the checker, with what a client notices.
func (c *cell) take(events []mock.Event) {
	cached := false
	for _, e := range events {
		switch e.Kind {
		case mock.EventOpened:
			c.conn++
			c.opened, cached = c.now(), true
		case mock.EventLost:
			c.up = false
			c.vessel.Lost(false, "connection refused")
		case mock.EventRefused:
			c.up = false
			c.vessel.Lost(true, "401 Unauthorized")
		case mock.EventFrame:
			_ = c.vessel.Feed(e.Text)
			c.hear(e.Text, cached)
			c.up = true
		}
	}
	if c.up {
		c.vessel.Complete()
	}
	c.truths = append(c.truths, c.sim.Server().Truth())
}

// hear is the checker's own reading of a frame.
func (c *cell) hear(text []byte, cached bool) {
	var f struct {
		Context string
		Updates []struct {
			Source    string `json:"$source"`
			Timestamp string
			Values    []struct {
				Path  string
				Value json.RawMessage
			}
		}
	}
	if !bytes.HasPrefix(text, []byte(`{"context":"`+mock.DefaultSelf+`"`)) || json.Unmarshal(text, &f) != nil {
		return
	}
	for _, u := range f.Updates {
		stamp, _ := time.Parse(time.RFC3339, u.Timestamp)
		for _, v := range u.Values {
			if id, is := strings.CutPrefix(v.Path, "resources.routes."); is {
				if href := "/resources/routes/" + id; !c.routes[href] {
					c.routes[href] = true
					require.NoError(c.t, c.vessel.FeedRoute(href, v.Value))
				}
				continue
			}
			if c.heard[v.Path] == nil {
				c.heard[v.Path] = map[string]*news{}
			}
			h := c.heard[v.Path][u.Source]
			if h == nil {
				h = &news{}
				c.heard[v.Path][u.Source] = h
			}
			h.conn = c.conn
			if h.raw == string(v.Value) && h.stamp == u.Timestamp {
				continue
			}
			h.raw, h.stamp, h.at = string(v.Value), u.Timestamp, c.now()
			if cached {
				if h.at = stamp; c.now().Sub(stamp).Abs() > time.Hour {
					h.at = time.Time{}
				}
			}
		}
	}
}

// limitOf is how old a value may be and still be told as live, by the promise that
// the tools make.
func limitOf(path string) time.Duration {
	for _, slow := range []string{"environment.outside.", "environment.water.", "tanks.", "electrical.batteries.house.capacity."} {
		if strings.HasPrefix(path, slow) {
			return 15 * time.Minute
		}
	}
	switch {
	case strings.HasPrefix(path, "navigation.position"), strings.HasPrefix(path, "navigation.course.calcValues."):
		return time.Minute
	case strings.HasPrefix(path, "electrical.batteries."):
		return 2 * time.Minute
	}
	return 30 * time.Second
}

// young gives what sources told of a path within a time.
func (c *cell) young(path string, within time.Duration) (values []any) {
	for _, source := range slices.Sorted(maps.Keys(c.heard[path])) {
		if h := c.heard[path][source]; c.now().Sub(h.at) <= within {
			values = append(values, h.value())
		}
	}
	return values
}

// liveNumbers are what can be told as live of a path: numbers within its limit, of which
// the step may take off one more.
func (c *cell) liveNumbers(path string) (numbers []float64) {
	for _, v := range c.young(path, limitOf(path)+matrixStep) {
		if x, is := v.(float64); is {
			numbers = append(numbers, x)
		}
	}
	return numbers
}

// true reports whether a number was the truth within the limit of a path.
func (c *cell) true(path string, matches func(mock.Truth) bool) bool {
	for _, x := range slices.Backward(c.truths) {
		if c.now().Sub(x.Time) > limitOf(path)+matrixStep+c.delay() {
			return false
		}
		if matches(x) {
			return true
		}
	}
	return false
}

// delay is what a slow link may add, that nobody can tell from a value's arrival.
func (c *cell) delay() time.Duration {
	if c.kind == mock.FaultSlow {
		return 2 * matrixStep
	}
	return 0
}

// bad notes what is wrong, once for each sort.
func (c *cell) bad(tool, sort string, a answer, format string, args ...any) {
	key := tool + " " + sort
	if _, known := c.wrong[key]; !known {
		text, _ := json.Marshal(a.content)
		c.wrong[key] = fmt.Sprintf("%s with %q at %s: %s: %s: %s",
			c.scenario, c.kind, c.now().Sub(matrixStart), tool, fmt.Sprintf(format, args...), text)
	}
}

// ask asks a tool, and checks what holds for every answer.
func (c *cell) ask(tool, arguments string) (a answer, live bool) {
	r, err := c.set.Call(tool, json.RawMessage(arguments))
	require.NoError(c.t, err)
	require.NoError(c.t, json.Unmarshal(r.JSON(), &a.content))
	a.isError = r.IsError
	c.answers++
	status, _ := dig(a.content, "status").(string)
	if live = status == "" && !a.isError; live {
		c.live++
	}
	c.lint(tool, a, a.content)
	if !strings.HasPrefix(string(r.JSON()), `{"display":`) {
		c.bad(tool, "display", a, "display is not the first")
	}
	if live && dig(a.content, "age_s") != nil {
		c.bad(tool, "age", a, "a live answer has an age")
	}
	offline := status == tools.Disconnected || status == tools.Unauthorised
	switch {
	case !c.up && !offline && tool != "get_local_time":
		c.bad(tool, "offline", a, "there is no link, and it does not say so")
	case c.up && offline:
		c.bad(tool, "online", a, "it says there is no link")
	}
	return a, live
}

// lint reads every sentence, however deep.
func (c *cell) lint(tool string, a answer, v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if s, is := x.(string); is && (k == "display" || k == "warning") {
				for _, mark := range marks(s) {
					// Why there is no link, and the worst two alarms, are a list.
					long := strings.HasSuffix(mark, " words") && len(strings.Fields(s)) < 3*speechtest.MaxWords
					if long && !c.up && tool == "get_active_alarms" {
						continue
					}
					c.bad(tool, "lint", a, "%s cannot be read aloud: %s", k, mark)
				}
				for _, h := range []string{"<", "\u202e", "\x1b"} {
					if strings.Contains(s, h) {
						c.bad(tool, "hostile", a, "%q in %s", h, k)
					}
				}
			}
			c.lint(tool, a, x)
		}
	case []any:
		for _, x := range v {
			c.lint(tool, a, x)
		}
	}
}

// marks is speechtest.Marks, which is asked for the same sentences again and again.
func marks(s string) []string {
	if known, ok := marked.Load(s); ok {
		return known.([]string)
	}
	m := speechtest.Marks(s)
	marked.Store(s, m)
	return m
}

var marked sync.Map // of sentences

// harmless are faults that take nothing away: answers stay live.
var harmless = []mock.FaultKind{
	"", mock.FaultGarbage, mock.FaultHugeFrame, mock.FaultAISFlood, mock.FaultHostileNames, mock.FaultNotifications,
}

// calm reports whether nothing takes an answer away: not now, or for some time not
// any more.
func (c *cell) calm() bool {
	over := matrixStart.Add(faultFrom + faultFor + recovered)
	return slices.Contains(harmless, c.kind) || !slices.Contains(fromTheStart, c.kind) && c.now().After(over)
}

// recovered is after how long everything must be live again.
const recovered = 150 * time.Second

// mustLive reports whether the newest of a path has to be told as live.
func (c *cell) mustLive(path string) bool {
	if strings.HasPrefix(path, depth) && c.lostBottom() {
		return false
	}
	return c.up && c.calm() && len(c.young(path, newsIsFresh)) > 0 && len(c.liveNumbers(path)) > 0
}
