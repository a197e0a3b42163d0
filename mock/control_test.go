package mock_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

// command sends one to the control endpoint.
func (b *bench) command(name, body string, headers ...string) (status int, text string) {
	b.Helper()
	r, err := http.NewRequest(http.MethodPost, b.url+"/mock/"+name, strings.NewReader(body))
	require.NoError(b, err)
	r.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		k, v, _ := strings.Cut(h, ": ")
		if r.Header.Set(k, v); k == "Host" {
			r.Host = v
		}
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(b, err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	require.NoError(b, err)
	assert.Empty(b, res.Header.Get("Access-Control-Allow-Origin"), "no other site reads it")
	return res.StatusCode, string(answer)
}

func TestControl(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{Control: true, Seed: 1, Speed: 20})
	s := b.dial("?subscribe=self&sendCachedValues=false")
	const ok = `{"ok":true}`
	do := func(name, body string) {
		t.Helper()
		status, text := b.command(name, body)
		assert.Equal(t, 200, status)
		assert.Equal(t, ok, text)
	}
	hears := func(value string) {
		t.Helper()
		for !strings.Contains(s.find("environment.depth.belowKeel").text, `"path":"environment.depth.belowKeel","value":`+value) {
		}
	}
	// An instrument of the vessel says what it is told to, until it is released.
	do("set", `{"path":"environment.depth.belowKeel","value":1.25}`)
	hears("1.25")
	hears("1.25") // and again
	do("null", `{"path":"environment.depth.belowKeel"}`)
	hears("null")
	do("release", `{"path":"environment.depth.belowKeel"}`)
	for strings.Contains(s.find("environment.depth.belowKeel").text, `"path":"environment.depth.belowKeel","value":null`) {
	}
	// A path of nobody is the mock's own.
	do("set", `{"path":"a.b","value":{"x":[1,"2"]}}`)
	assert.Equal(t, `a.b={"x":[1,"2"]}@mock`, s.find("a.b").said())
	do("raise", `{"path":"navigation.gnss","state":"warn","message":"Poor fix"}`)
	assert.Contains(t, s.find("notifications.navigation.gnss").text, `"state":"warn","method":["visual","sound"],"message":"Poor fix"`)
	do("raise", `{"path":"navigation.gnss","state":"normal"}`)
	assert.Contains(t, s.find("notifications.navigation.gnss").text, `"state":"normal","method":[]`)

	do("break", `{"fault":"silent=n2k-can0.204"}`)
	b.eventually(func() bool { return len(b.server.Broken()) == 1 }, "it is under way")
	assert.Equal(t, "silent=n2k-can0.204", b.server.Broken()[0].String())
	do("mend", `{"fault":"silent"}`)
	b.eventually(func() bool { return len(b.server.Broken()) == 0 }, "it is over")

	do("drop", ``)
	for {
		if _, err := s.read(); err != nil {
			break
		}
	}
	do("play", `{"scenario":"dock"}`)
	b.eventually(func() bool { return b.server.Truth().Moored }, "another scenario")
	b.eventually(func() bool {
		res, err := http.Get(b.url + "/mock/state")
		if err != nil {
			return false // the server is restarting
		}
		defer res.Body.Close()
		var state struct{ Scenario string }
		return json.NewDecoder(res.Body).Decode(&state) == nil && state.Scenario == "dock"
	}, "it tells so")
}

func TestControlRefuses(t *testing.T) {
	t.Parallel()
	b := newBench(t, mock.Options{Control: true})
	for name, tt := range map[string]struct {
		command, body string
		header        string
		status        int
		says          string
	}{
		"another site":            {"drop", `{}`, "Origin: http://evil.example", 403, "for this machine alone"},
		"another name (rebound)":  {"drop", `{}`, "Host: evil.example:80", 403, "for this machine alone"},
		"a form":                  {"drop", `a=b`, "Content-Type: application/x-www-form-urlencoded", 415, "application/json"},
		"no JSON":                 {"set", `{`, "", 400, "no JSON object"},
		"no path":                 {"set", `{"value":1}`, "", 400, `set needs "path"`},
		"no value":                {"set", `{"path":"a.b"}`, "", 400, `set needs "value"`},
		"no state":                {"raise", `{"path":"a"}`, "", 400, `raise needs "state"`},
		"no such command":         {"sink", `{}`, "", 404, "they are set, null"},
		"no such fault":           {"break", `{"fault":"mutiny"}`, "", 400, `"mutiny" is none of drop, refuse`},
		"a target without choice": {"break", `{"fault":"drop=a.b"}`, "", 400, "no choice"},
		"no end":                  {"break", `{"fault":"half-open"}`, "", 400, "half-open+30s"},
		"no such scenario":        {"play", `{"scenario":"moon"}`, "", 400, `"moon" is none of`},
		"too long":                {"set", `{"path":"a","value":"` + strings.Repeat("x", 70_000) + `"}`, "", 413, "longer than"},
	} {
		var headers []string
		if tt.header != "" {
			headers = append(headers, tt.header)
		}
		status, text := b.command(tt.command, tt.body, headers...)
		assert.Equal(t, tt.status, status, name)
		assert.Contains(t, text, strings.ReplaceAll(tt.says, `"`, `\"`), name)
	}
	status, text := func() (int, string) {
		res, err := http.Get(b.url + "/mock/set")
		require.NoError(t, err)
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(body)
	}()
	assert.Equal(t, 405, status, text)
	assert.Equal(t, 1, b.server.Clients()+1, "nothing happened")

	off := newBench(t, mock.Options{})
	status, text = off.command("drop", `{}`)
	assert.Equal(t, 404, status)
	assert.Contains(t, text, "is off")
}

// Every fault begins and ends on a server with sockets, and serves again after it.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, kind := range mock.FaultKinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, mock.Options{Speed: 100, Seed: 1, Faults: []mock.Fault{{Kind: kind, After: 5 * time.Second, For: 20 * time.Second}}})
			start := b.server.Now()
			b.eventually(func() bool {
				return b.server.Now().Sub(start) > 30*time.Second && len(b.server.Broken()) == 0
			}, "it is over")
			b.eventually(func() bool {
				res, err := http.Get(b.url + "/signalk")
				if err == nil {
					res.Body.Close()
				}
				return err == nil && res.StatusCode == 200
			}, "the server answers")
			b.dial("").find("navigation.position")
			assert.NotEmpty(t, kind.About())
		})
	}
	assert.Len(t, mock.FaultKinds(), 21)
	assert.Empty(t, mock.FaultKind("mutiny").About())
}

func TestParseFault(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]mock.Fault{
		"drop":                             {Kind: mock.FaultDrop},
		"null@2m":                          {Kind: mock.FaultNull, After: 2 * time.Minute},
		"slow+90s":                         {Kind: mock.FaultSlow, For: 90 * time.Second},
		"null=environment.*@1m30s+10s":     {Kind: mock.FaultNull, Target: "environment.*", After: 90 * time.Second, For: 10 * time.Second},
		"silent=n2k-can0.40,gps.GP":        {Kind: mock.FaultSilent, Target: "n2k-can0.40,gps.GP"},
		"frozen=electrical.batteries.*+1h": {Kind: mock.FaultFrozen, Target: "electrical.batteries.*", For: time.Hour},
	} {
		got, err := mock.ParseFault(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
		again, err := mock.ParseFault(got.String())
		require.NoError(t, err, text)
		assert.Equal(t, want, again, "as it is written")
	}
	for text, says := range map[string]string{
		"":            `"" is none of`,
		"mutiny":      "none of",
		"null@soon":   `fault "null@soon": time: invalid duration`,
		"null+":       "invalid duration",
		"null+-5s":    "before the start",
		"restart=a.b": "no choice",
	} {
		_, err := mock.ParseFault(text)
		assert.ErrorContains(t, err, says, text)
	}
	_, err := mock.Start(mock.Options{Faults: []mock.Fault{{Kind: "mutiny"}}})
	assert.ErrorContains(t, err, "mutiny")
	s := mock.NewServer(mock.Options{NoVessel: true})
	defer s.Close()
	for range 100 {
		require.NoError(t, s.Break(mock.Fault{Kind: mock.FaultGarbage, After: time.Hour}))
	}
	assert.ErrorContains(t, s.Break(mock.Fault{Kind: mock.FaultGarbage}), "too many")
	s.Mend("")
	assert.Error(t, s.Break(mock.Fault{Kind: "mutiny"}))
}

// What each fault does to what is said, in simulated time: a value for each path
// and moment that matters.
func TestFaultsOnTheBus(t *testing.T) {
	t.Parallel()
	const depth, offset, keel = "environment.depth.belowTransducer", "environment.depth.transducerToKeel", "environment.depth.belowKeel"
	play := func(f mock.Fault, until time.Duration) *simulated {
		x, err := mock.NewSimulation(mock.Options{Seed: 1, Start: departure, Faults: []mock.Fault{f}})
		require.NoError(t, err)
		p := &simulated{t: t, x: x, said: map[string]reading{}}
		p.read(x.Open())
		for x.Time().Before(departure.Add(until)) {
			p.read(x.Step(time.Second))
		}
		return p
	}
	at := 10 * time.Second
	p := play(mock.Fault{Kind: mock.FaultNull, After: at}, 11*time.Second)
	assert.Equal(t, "null", p.said[depth+"@n2k-can0.40"].value)
	p = play(mock.Fault{Kind: mock.FaultNull, After: at, For: at}, 25*time.Second)
	assert.NotEqual(t, "null", p.said[depth+"@n2k-can0.40"].value, "it is over")

	p = play(mock.Fault{Kind: mock.FaultFrozen, Target: "navigation.datetime", After: at}, time.Minute)
	frozen := p.said["navigation.datetime@n2k-can0.35"]
	assert.Equal(t, `"2026-06-21T09:00:10.00000Z"`, frozen.value)
	assert.Equal(t, "2026-06-21T09:01:00.000Z", frozen.stamp, "with fresh times")

	p = play(mock.Fault{Kind: mock.FaultSilent, Target: "n2k-can0.40", After: at}, time.Minute)
	assert.Equal(t, "2026-06-21T09:00:09.000Z", p.said[depth+"@n2k-can0.40"].stamp)
	assert.Equal(t, "2026-06-21T09:01:00.000Z", p.said["navigation.position@n2k-can0.35"].stamp)

	p = play(mock.Fault{Kind: mock.FaultSilent, Target: "n2k-can0.35", After: at}, time.Minute)
	assert.Equal(t, "2026-06-21T09:00:09.000Z", p.said["navigation.course.calcValues.distance@course-provider"].stamp,
		"what follows from the position is silent too")

	p = play(mock.Fault{Kind: mock.FaultDisagree}, at)
	truth := p.x.Server().Truth()
	assert.InDelta(t, truth.DepthBelowTransducer+2.5, p.num(depth+"@n2k-can0.409"), 0.006)
	assert.InDelta(t, truth.DepthBelowTransducer, p.num(depth+"@n2k-can0.40"), 0.006)
	assert.InDelta(t, -truth.HouseCurrent, p.num("electrical.batteries.house.current@n2k-can0.179"), 0.006)

	p = play(mock.Fault{Kind: mock.FaultKeelSign}, at)
	truth = p.x.Server().Truth()
	assert.Equal(t, 1.3, p.num(offset+"@n2k-can0.40"))
	assert.InDelta(t, truth.DepthBelowTransducer+1.3, p.num(keel+"@n2k-can0.40"), 0.011, "deeper below the keel than below the transducer")

	p = play(mock.Fault{Kind: mock.FaultNoOffset}, at)
	assert.NotContains(t, p.said, offset+"@n2k-can0.40")
	assert.NotContains(t, p.said, keel+"@n2k-can0.40")
	assert.Contains(t, p.said, depth+"@n2k-can0.40")

	for kind, stamp := range map[mock.FaultKind]string{
		mock.FaultClockAhead: "2026-06-22T09:00:10.000Z",
		mock.FaultClockBack:  "2006-11-05T09:00:10.000Z", // 1024 weeks are 7168 days
		mock.FaultNoClock:    "1970-01-01T00:00:10.000Z",
	} {
		p = play(mock.Fault{Kind: kind}, at)
		assert.Equal(t, stamp, p.said[depth+"@n2k-can0.40"].stamp, kind)
		time := p.said["navigation.datetime@n2k-can0.35"].value
		if kind == mock.FaultNoClock {
			assert.Equal(t, "null", time)
		} else {
			assert.Equal(t, stamp[:19], strings.Trim(time, `"`)[:19], "the GPS says the same")
		}
		assert.Equal(t, "2026-06-21T09:00:10.000Z", p.said["navigation.course.calcValues.distance@course-provider"].stamp, "the server's own clock is right")
	}

	var states []string
	for n := range 6 {
		p = play(mock.Fault{Kind: mock.FaultNotifications}, time.Duration(20*n+10)*time.Second)
		var value struct {
			State  string
			Status struct{ Silenced, Acknowledged bool }
		}
		require.NoError(t, json.Unmarshal([]byte(p.said["notifications.environment.inside.bilge.waterLevel@bilge-monitor"].value), &value))
		states = append(states, fmt.Sprint(value.State, value.Status.Silenced, value.Status.Acknowledged))
	}
	assert.Equal(t, []string{
		"alarm false false", "alarm true false", "alarm true true",
		"normal false false", // null: the server makes it normal
		"warn false false", "normal false false",
	}, spaced(states))

	p = play(mock.Fault{Kind: mock.FaultAISFlood, After: at}, 30*time.Second)
	assert.Len(t, p.ships, 250+3)
	p = play(mock.Fault{Kind: mock.FaultHostileNames}, 2*time.Minute)
	assert.Contains(t, p.said["notifications.plugins.greeting@<b>plugin</b>"].value, `"state":"warn"`)

	p = play(mock.Fault{Kind: mock.FaultOldCache, After: at}, 3*time.Minute)
	assert.Equal(t, "2026-06-21T09:00:09.000Z", p.said["navigation.position@n2k-can0.35"].stamp)
	assert.Equal(t, 4, p.opened, "cut once a minute")
	p = play(mock.Fault{Kind: mock.FaultDrop, After: at}, time.Minute)
	assert.Equal(t, 3, p.opened, "at 10 and 40 s")
	p = play(mock.Fault{Kind: mock.FaultRestart, After: at}, time.Minute)
	assert.Len(t, p.ids, 2, "another serverStartId")
	for _, tt := range []struct {
		kind  mock.FaultKind
		event mock.EventKind
		ids   int
	}{
		{mock.FaultRefuse, mock.EventLost, 2}, {mock.FaultExpiredToken, mock.EventRefused, 1}, {mock.FaultHalfOpen, mock.EventLost, 1},
	} {
		p = play(mock.Fault{Kind: tt.kind, After: at, For: 40 * time.Second}, time.Minute)
		assert.Equal(t, 2, p.opened, tt.kind)
		assert.Positive(t, p.events[tt.event], tt.kind)
		assert.Equal(t, "2026-06-21T09:01:00.000Z", p.said[depth+"@n2k-can0.40"].stamp, tt.kind)
		assert.Len(t, p.ids, tt.ids, tt.kind)
	}
	p = play(mock.Fault{Kind: mock.FaultHugeFrame, After: at}, 30*time.Second)
	assert.Greater(t, p.longest, 4<<20)
	p = play(mock.Fault{Kind: mock.FaultGarbage, After: at}, 40*time.Second)
	assert.Greater(t, p.odd, 10)
}

func spaced(states []string) []string {
	for i, s := range states {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "false", " false"), "true", " true")
		states[i] = strings.ReplaceAll(s, "  ", " ")
	}
	return states
}

// simulated is what a client of a Simulation has heard of own boat.
type simulated struct {
	t       *testing.T
	x       *mock.Simulation
	said    map[string]reading // by path@source
	ships   map[string]bool
	ids     map[string]bool
	events  map[mock.EventKind]int
	opened  int
	longest int
	odd     int
}

type reading struct{ value, stamp string }

func (p *simulated) num(key string) (x float64) {
	p.t.Helper()
	require.NoError(p.t, json.Unmarshal([]byte(p.said[key].value), &x), key)
	return x
}

func (p *simulated) read(events []mock.Event) {
	if p.ids == nil {
		p.ids, p.ships, p.events = map[string]bool{}, map[string]bool{}, map[mock.EventKind]int{}
	}
	for _, e := range events {
		p.events[e.Kind]++
		if e.Kind == mock.EventOpened {
			p.opened++
		}
		if e.Kind != mock.EventFrame {
			continue
		}
		p.longest = max(p.longest, len(e.Text))
		var f struct {
			ServerStartID string
			Context       string
			Updates       []struct {
				Source    string `json:"$source"`
				Timestamp string
				Values    []struct {
					Path  string
					Value json.RawMessage
				}
			}
		}
		if json.Unmarshal(e.Text, &f) != nil || f.Context == "" {
			if f.ServerStartID != "" {
				p.ids[f.ServerStartID] = true
			} else {
				p.odd++
			}
			continue
		}
		if f.Context != mock.DefaultSelf {
			p.ships[f.Context] = true
			continue
		}
		for _, u := range f.Updates {
			for _, v := range u.Values {
				p.said[v.Path+"@"+u.Source] = reading{string(v.Value), u.Timestamp}
			}
		}
	}
}
