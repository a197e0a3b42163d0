//go:build real

// The answers of the built program, over stdio, against what a real Signal K
// server says of itself over REST. Nothing here imports what it checks: each
// expected number is the server's own, converted by arithmetic that is written
// out here.
package main_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones that answers name

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	realScript  = "testdata/realserver/start.sh"
	realDefault = "2.23.0" // runs on Node 20

	answerWithin     = time.Second // the contract's, whatever the link does
	firstWithin      = 2 * time.Second
	disconnectWithin = 2 * time.Second
	reconnectWithin  = 35 * time.Second // the longest wait between tries is 30 s

	// settle is how long something must have stood still on the server before a
	// call, so that it has surely reached the client over the other connection.
	settle = 40 * time.Millisecond
	// patience is how long a value may take to stand still that long.
	patience = 20 * time.Second
	// youngest is an age at which no kind of sensor's value is stale yet, of those
	// in the data that are said once: power keeps two minutes.
	youngest = 2 * time.Minute
)

// TestReal compares with each version of the server in SIGNALK_REAL_VERSIONS,
// which are installed if need be.
func TestReal(t *testing.T) {
	t.Parallel()
	binary := build(t)
	for _, v := range realVersions(t) {
		t.Run(v, func(t *testing.T) {
			for name, run := range map[string]func(*testing.T, *realBoat){"ours": realOurs, "n2k": realN2K, "restart": realRestart} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					data := strings.Replace(name, "restart", "ours", 1)
					s := startReal(t, v, data, t.TempDir(), freePort(t))
					run(t, &realBoat{realServer: s, program: start(t, binary, nil, "-url", s.url)})
				})
			}
		})
	}
}

// build builds the program.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "signalk-mcp")
	out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	return binary
}

// realVersions are the server's versions to test with, installed.
func realVersions(t *testing.T) []string {
	t.Helper()
	versions := strings.FieldsFunc(cmp.Or(os.Getenv("SIGNALK_REAL_VERSIONS"), realDefault), func(r rune) bool { return r == ',' || r == ' ' })
	for _, v := range versions {
		out, err := exec.Command("bash", realScript, "--install", "--version", v).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	return versions
}

// realServer is a Signal K server in a process of its own.
type realServer struct {
	t                       *testing.T
	version, data, dir, url string
	port, pid               int
	admin, reader           string // tokens, of one that is secured
	stop                    func()
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", ":0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// startReal starts a server. It ends with the test, also with one that is killed:
// the script ends it when its input ends.
func startReal(t *testing.T, version, data, dir string, port int, more ...string) *realServer {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("bash", append([]string{realScript, "--version", version, "--data", data, "--dir", dir, "--port", strconv.Itoa(port)}, more...)...)
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	s := &realServer{t: t, version: version, data: data, dir: dir, port: port}
	ended := false
	s.stop = func() {
		if !ended {
			ended = true
			stdin.Close()
			cmd.Wait()
		}
	}
	t.Cleanup(s.stop)
	for lines := bufio.NewScanner(stdout); s.pid == 0 && lines.Scan(); {
		switch name, value, _ := strings.Cut(lines.Text(), "="); name {
		case "URL":
			s.url = value
		case "ADMIN":
			s.admin = value
		case "READER":
			s.reader = value
		case "PID":
			s.pid, _ = strconv.Atoi(value)
		}
	}
	if s.pid == 0 {
		s.stop()
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		require.FailNow(t, "no server", "%s\n%s", &stderr, log)
	}
	return s
}

// client makes requests without keeping connections, which a server that is
// killed would break.
var client = http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// get reads a JSON document; status is the answer's.
func (s *realServer) get(path string, into any) (status int) {
	s.t.Helper()
	resp, err := client.Get(s.url + path)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		require.NoError(s.t, json.NewDecoder(resp.Body).Decode(into), path)
	}
	return resp.StatusCode
}

func (s *realServer) post(path, body string) {
	s.t.Helper()
	resp, err := client.Post(s.url+path, "application/json", strings.NewReader(body))
	require.NoError(s.t, err)
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	require.Equal(s.t, http.StatusOK, resp.StatusCode, "%s: %s", path, text)
}

// leaf is what the server holds on a path of its own vessel.
type leaf struct {
	Value     any
	Source    string `json:"$source"`
	Timestamp string
	Meta      struct {
		Units      string
		Properties map[string]struct{ Units string }
	}
	Values map[string]struct { // by source, if there are several
		Value     any
		Timestamp string
	}
}

// leaves reads the own vessel's tree by path. A node is a leaf if it has a value
// and a source: the course has nodes with a member "value" that are none. What
// stands there plainly, such as the name, is a leaf too.
func (s *realServer) leaves() map[string]leaf {
	s.t.Helper()
	found := map[string]leaf{}
	var walk func(prefix string, raw json.RawMessage)
	walk = func(prefix string, raw json.RawMessage) {
		var node map[string]json.RawMessage
		var l leaf
		switch {
		case json.Unmarshal(raw, &node) != nil:
			require.NoError(s.t, json.Unmarshal(raw, &l.Value), prefix)
			found[prefix] = l
		case node["value"] != nil && node["$source"] != nil:
			require.NoError(s.t, json.Unmarshal(raw, &l), prefix)
			found[prefix] = l
		default:
			for name, child := range node {
				walk(strings.TrimPrefix(prefix+"."+name, "."), child)
			}
		}
	}
	var tree json.RawMessage
	require.Equal(s.t, http.StatusOK, s.get("/signalk/v1/api/vessels/self", &tree))
	walk("", tree)
	return found
}

// leaf reads one of the leaves.
func (s *realServer) leaf(path string) func() leaf {
	return func() leaf { return s.leaves()[path] }
}

// courseDoc is the v2 course document.
type courseDoc struct {
	StartTime         string
	TargetArrivalTime any
	ArrivalCircle     float64
	ActiveRoute       *struct {
		Href, Name             string
		Reverse                bool
		PointIndex, PointTotal int
	}
	NextPoint, PreviousPoint any
}

const courseAPI = "/signalk/v2/api/vessels/self/navigation/course"

// streamOnly are the members of the course document: the server sends each as
// navigation.course.<name>, and its v1 tree does not have them.
func (s *realServer) streamOnly() map[string]leaf {
	s.t.Helper()
	var doc map[string]any
	s.get(courseAPI, &doc)
	found := map[string]leaf{}
	for _, name := range []string{"activeRoute", "arrivalCircle", "nextPoint", "previousPoint", "startTime", "targetArrivalTime"} {
		found["navigation.course."+name] = leaf{Value: doc[name]}
	}
	return found
}

// realBoat is a server, and the program connected to it.
type realBoat struct {
	*realServer
	*program
	asked bool // something
}

// program is the built program under a host's end of MCP.
type program struct {
	session *mcp.ClientSession
	cmd     *exec.Cmd
	stderr  string // a file
	killed  bool
}

// start runs the program. What the environment says of Signal K is kept from it,
// but for what is given.
func start(t *testing.T, binary string, environment []string, args ...string) *program {
	t.Helper()
	p := &program{cmd: exec.Command(binary, args...), stderr: filepath.Join(t.TempDir(), "stderr")}
	p.cmd.Env = append(ownEnvironment(), environment...)
	log, err := os.Create(p.stderr)
	require.NoError(t, err)
	defer log.Close()
	p.cmd.Stderr = log
	p.session, err = mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: p.cmd}, nil)
	require.NoError(t, err, "%s", p.log(t))
	t.Cleanup(func() {
		if !p.killed {
			assert.NoError(t, p.session.Close())
		}
		if t.Failed() {
			t.Logf("the program's log:\n%s", p.log(t))
		}
	})
	return p
}

func ownEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "SIGNALK_") || strings.HasPrefix(v, "XDG_STATE_HOME=")
	})
}

// log is what the program wrote on stderr.
func (p *program) log(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(p.stderr)
	require.NoError(t, err)
	return string(text)
}

// run runs a part of the test, in which what fails is the part's.
func (b *realBoat) run(name string, part func(*testing.T)) {
	whole := b.t
	whole.Run(name, func(t *testing.T) {
		b.t = t
		part(t)
	})
	b.t = whole
}

// answer is a tool's result.
type answer struct {
	fields  map[string]any
	text    string
	isError bool
	took    time.Duration
}

// ask calls a tool. An argument is a name and a text.
func (b *realBoat) ask(tool string, arguments ...string) answer {
	b.t.Helper()
	args := map[string]any{}
	for i := 0; i < len(arguments); i += 2 {
		args[arguments[i]] = arguments[i+1]
	}
	begin := time.Now()
	res, err := b.session.CallTool(b.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	a := answer{took: time.Since(begin)}
	require.NoError(b.t, err, tool)
	require.Len(b.t, res.Content, 1, tool)
	a.text, a.isError = res.Content[0].(*mcp.TextContent).Text, res.IsError
	require.NoError(b.t, json.Unmarshal([]byte(a.text), &a.fields), a.text)
	assert.Equal(b.t, a.fields, res.StructuredContent, tool)
	assert.True(b.t, strings.HasPrefix(a.text, `{"display":"`), a.text)
	assert.NotEmpty(b.t, a.display(), a.text)
	limit := answerWithin
	if !b.asked {
		b.asked, limit = true, firstWithin
	}
	assert.Less(b.t, a.took, limit, "%s %v", tool, arguments)
	return a
}

func (a answer) display() string { s, _ := a.fields["display"].(string); return s }
func (a answer) status() string  { s, _ := a.fields["status"].(string); return s }
func (a answer) number(name string) (float64, bool) {
	x, ok := a.fields[name].(float64)
	return x, ok
}

// rows gives a list of objects among the fields.
func (a answer) rows(name string) []map[string]any { return rows(a.fields[name]) }

func rows(x any) []map[string]any {
	list, _ := x.([]any)
	out := make([]map[string]any, len(list))
	for i, e := range list {
		out[i], _ = e.(map[string]any)
	}
	return out
}

// complaints collect what is wrong with an answer.
type complaints struct {
	list []string
	a    answer
}

// want notes, unless ok, what the server has, what follows from it and what the
// answer says.
func (c *complaints) want(ok bool, path string, raw, expected, got any) {
	if !ok {
		c.list = append(c.list, fmt.Sprintf("%s: the server has %s; expected %v; got %v, in %s", path, short(raw), expected, short(got), cut(c.a.text)))
	}
}

func short(x any) string {
	text, err := json.Marshal(x)
	if err != nil {
		return fmt.Sprint(x)
	}
	return string(text)
}

func cut(s string) string {
	if len(s) > 1200 {
		return s[:1200] + "…"
	}
	return s
}

// compare asks while the server holds still, that is while look sees the same
// before and after the call, and judges the answer by what it saw. What a
// sensor says at just that moment may have reached one side only, so that a
// complaint counts if it is there three times in a row.
func compare[T any](t *testing.T, look func() T, ask func() answer, judge func(*complaints, T)) {
	t.Helper()
	var c complaints
	for range 3 {
		deadline := time.Now().Add(patience)
		for {
			before := look()
			time.Sleep(settle)
			c = complaints{a: ask()}
			if reflect.DeepEqual(before, look()) {
				judge(&c, before)
				break
			}
			require.True(t, time.Now().Before(deadline), "it never stands still: %s", short(before))
		}
		if len(c.list) == 0 {
			return
		}
	}
	for _, problem := range c.list {
		t.Error(problem)
	}
}

// spokenUnit says how a number in SI becomes the number that is said.
type spokenUnit struct {
	si             string  // the unit in the server's meta
	factor, offset float64 // said = SI × factor + offset
	step           float64 // to which it is rounded
	from, coarse   float64 // from this size on the step is coarse; 0: never
}

const (
	metresInMile = 1852.0 // the international nautical mile, by definition
	zeroCelsius  = 273.15 // kelvin, by definition
	degree       = math.Pi / 180
)

var spokenUnits = map[string]spokenUnit{
	"metres":                 {si: "m", factor: 1, step: 0.1, from: 100, coarse: 1},
	"nautical miles":         {si: "m", factor: 1 / metresInMile, step: 0.01, from: 10, coarse: 0.1},
	"knots":                  {si: "m/s", factor: 3600 / metresInMile, step: 0.1}, // a knot is a nautical mile an hour
	"degrees":                {si: "rad", factor: 1 / degree, step: 1},
	"degrees true":           {si: "rad", factor: 1 / degree, step: 1},
	"degrees magnetic":       {si: "rad", factor: 1 / degree, step: 1},
	"degrees per minute":     {si: "rad/s", factor: 60 / degree, step: 1},
	"degrees Celsius":        {si: "K", factor: 1, offset: -zeroCelsius, step: 0.1},
	"hectopascals":           {si: "Pa", factor: 1.0 / 100, step: 0.1},
	"bar":                    {si: "Pa", factor: 1.0 / 100_000, step: 0.1},
	"percent":                {si: "ratio", factor: 100, step: 1},
	"volts":                  {si: "V", factor: 1, step: 0.1},
	"amps":                   {si: "A", factor: 1, step: 0.1},
	"watts":                  {si: "W", factor: 1, step: 1},
	"litres":                 {si: "m3", factor: 1000, step: 0.1, from: 10, coarse: 1},
	"litres per hour":        {si: "m3/s", factor: 1000 * 3600, step: 0.1},
	"revolutions per minute": {si: "Hz", factor: 60, step: 1},
	"seconds":                {si: "s", factor: 1, step: 1},
	"minutes":                {si: "s", factor: 1.0 / 60, step: 1},
	"hours":                  {si: "s", factor: 1.0 / 3600, step: 0.1, from: 100, coarse: 1},
}

// unitless are the numbers whose unit only the schema gives, and the server's
// meta does not (signalk-server 2.23).
var unitless = map[string]string{
	"sensors.gps.fromBow":                                  "metres",
	"navigation.course.arrivalCircle":                      "metres",
	"navigation.courseGreatCircle.nextPoint.arrivalCircle": "metres",
	"navigation.courseRhumbline.nextPoint.arrivalCircle":   "metres",
	"navigation.gnss.satellites":                           "",
	"navigation.gnss.horizontalDilution":                   "",
}

// finer are the steps of paths that are said more finely than their unit.
var finer = map[string]float64{
	"navigation.magneticVariation": 0.1,
	// A length in metres over ground is said in whole ones.
	"navigation.trip.log":                                 1,
	"navigation.course.calcValues.distance":               1,
	"navigation.course.calcValues.route.distance":         1,
	"navigation.course.calcValues.previousPoint.distance": 1,
	"navigation.course.calcValues.crossTrackError":        1,
}

// sides are the words for a negative and a positive number (schema: angles from
// the bow, the rudder and turns are negative to port; variation is positive
// east; crossTrackError is negative left of the track; a battery's current is
// positive when it charges, a charger's when it delivers).
var sides = map[string][2]string{
	"environment.wind.angleApparent":               {"to port", "to starboard"},
	"steering.rudderAngle":                         {"to port", "to starboard"},
	"navigation.rateOfTurn":                        {"to port", "to starboard"},
	"navigation.magneticVariation":                 {"West", "East"},
	"navigation.course.calcValues.crossTrackError": {"left of track", "right of track"},
	"electrical.batteries.house.current":           {" discharging", " charging"},
	"electrical.chargers.shore.current":            {" drawing", " delivering"},
}

// roundedTo reports whether got is x rounded to a step.
func roundedTo(got, x, step float64) bool {
	const float = 1e-6 // of a step: what binary fractions cost
	n := got / step
	return math.Abs(n-math.Round(n)) < float && math.Abs(got-x) <= step*(0.5+float)
}

// sameDirection is roundedTo for degrees of a full circle.
func sameDirection(got, radians float64) bool {
	x := math.Mod(radians/degree, 360)
	return got >= 0 && got < 360 && (roundedTo(got, x, 1) || roundedTo(got, x+360, 1) || roundedTo(got+360, x, 1))
}

// numberJudged judges a number that is said in a unit.
func (c *complaints) numberJudged(path string, l leaf, raw float64, value, unit any, display string) {
	name, _ := unit.(string)
	if fixed, ok := unitless[path]; ok && l.Meta.Units == "" {
		c.want(name == fixed, path, l.Value, "the unit "+fixed, unit)
	}
	got, ok := value.(float64)
	u, known := spokenUnits[name]
	if name == "" && l.Meta.Units == "" {
		u, known = spokenUnit{factor: 1, step: 0.001}, true
	}
	if !known || l.Meta.Units != "" && u.si != l.Meta.Units {
		c.want(false, path, raw, "a unit for "+l.Meta.Units, unit)
		return
	}
	if path == "environment.depth.transducerToKeel" {
		raw = math.Abs(raw) // producers store it with either sign, and it is one distance
	}
	x := raw*u.factor + u.offset
	step := u.step
	if u.from != 0 && math.Abs(x) >= u.from {
		step = u.coarse
	}
	if s, ok := finer[path]; ok && (name == "metres" || name == "degrees") {
		step = s
	}
	digits := strconv.FormatFloat(math.Abs(got), 'f', -1, 64)
	good := ok && roundedTo(got, x, step)
	switch {
	case name == "degrees true" || name == "degrees magnetic":
		good = ok && sameDirection(got, raw)
		digits = fmt.Sprintf("%03.0f", got)
		c.want(strings.HasSuffix(path, map[string]string{"degrees true": "True", "degrees magnetic": "Magnetic"}[name]),
			path, raw, "the north that the path names", unit)
	case name == "hours" && math.Abs(x) < 100 && !strings.Contains(display, digits):
		digits = strconv.Itoa(int(math.Abs(x))) + " hour" // "3 hours 20 minutes"
	}
	c.want(good, path, raw, fmt.Sprintf("%.4f %s, to %v", x, name, step), value)
	if got == 0 && digits == "0" {
		return // "no current", "dead ahead"
	}
	c.want(strings.Contains(display, digits), path, raw, digits+" in the display", display)
	if s, ok := sides[path]; ok {
		c.want(strings.Contains(display, s[0]) == (got < 0) && strings.Contains(display, s[1]) == (got > 0),
			path, raw, fmt.Sprintf("one of the words %q", s), display)
	}
}

// severity ranks the states of the schema.
var severity = map[any]int{"nominal": 0, "normal": 0, "alert": 1, "warn": 2, "alarm": 3, "emergency": 4}

// one is the value that is to be told of a path that several sources speak on:
// the smallest depth, the worst state. Of others it is the one that is told.
func (l leaf) one(path string, told any) any {
	var best any
	for _, s := range l.Values {
		switch {
		case best == nil,
			strings.HasPrefix(path, "environment.depth.") && s.Value.(float64) < best.(float64),
			strings.HasPrefix(path, "notifications.") && severity[state(s.Value)] > severity[state(best)],
			reflect.DeepEqual(s.Value, told):
			best = s.Value
		}
	}
	if best == nil {
		return l.Value
	}
	return best
}

func state(notification any) any { m, _ := notification.(map[string]any); return m["state"] }

// valueJudged judges what is told as the value of a leaf, in the field of a name.
func (c *complaints) valueJudged(path string, l leaf, row map[string]any, field string) {
	value, unit := row[field], row["unit"]
	display, _ := row["display"].(string)
	switch raw := l.one(path, value).(type) {
	case float64:
		c.numberJudged(path, l, raw, value, unit, display)
	case map[string]any:
		c.objectJudged(path, l, raw, value, unit, display)
	default: // a text or a truth value
		c.want(value == raw && unit == nil, path, raw, raw, value)
	}
}

// objectJudged judges the members of an object.
func (c *complaints) objectJudged(path string, l leaf, raw map[string]any, value, unit any, display string) {
	if strings.HasPrefix(path, "notifications.") {
		c.want(value == raw["state"] && unit == nil, path, raw, raw["state"], value)
		return
	}
	told, _ := value.(map[string]any)
	number := func(name string) float64 { x, _ := raw[name].(float64); return x }
	member := func(name string, ok func(got float64) bool, expected any) {
		got, there := told[name].(float64)
		c.want(there && ok(got), path, raw, fmt.Sprintf("%s %v", name, expected), value)
	}
	switch _, isPlace := raw["latitude"]; {
	case isPlace:
		for _, name := range []string{"latitude", "longitude"} {
			member(name, func(got float64) bool { return roundedTo(got, number(name), 1e-5) }, raw[name])
		}
		for name, words := range map[string][2]string{"latitude": {"South", "North"}, "longitude": {"West", "East"}} {
			minutes := math.Abs(number(name)) * 60
			whole := int(math.Round(minutes*100)) / 6000
			c.want(strings.Contains(display, fmt.Sprintf("%d degrees", whole)) &&
				strings.Contains(display, words[map[bool]int{true: 1}[number(name) >= 0]]), path, raw, "degrees and hemisphere", display)
		}
	case path == "navigation.attitude": // roll is positive to starboard, pitch is positive bow up
		for name, m := range map[string]struct{ raw, negative, positive string }{
			"heel_deg": {"roll", "to port", "to starboard"}, "trim_deg": {"pitch", "bow down", "bow up"},
		} {
			x := number(m.raw) / degree
			member(name, func(got float64) bool {
				return roundedTo(got, x, 1) &&
					strings.Contains(display, m.negative) == (got < 0) && strings.Contains(display, m.positive) == (got > 0)
			}, x)
		}
	case path == "environment.current":
		member("set_deg", func(got float64) bool { return sameDirection(got, number("setTrue")) }, number("setTrue")/degree)
		knots := number("drift") * 3600 / metresInMile
		member("drift_kn", func(got float64) bool { return roundedTo(got, knots, 0.1) }, knots)
	case path == "design.draft":
		member("maximum_m", func(got float64) bool { return roundedTo(got, number("maximum"), 0.1) }, raw["maximum"])
	default:
		for name, x := range raw {
			switch x.(type) {
			case float64, string, bool:
				c.want(told[name] == x, path, raw, x, value)
			}
			if l.Meta.Properties[name].Units == "m" { // a number is not said without its unit
				c.want(strings.Contains(display, "metre"), path, raw, "a unit", display)
			}
		}
	}
}

// told is how a reading is expected to be told.
type told struct {
	fresh      bool // as what is now
	wrongClock bool // the sensor stamps its values with a wrong time
	inGroup    bool // as a row of a group, whose time and warning the group has
}

// judge judges an answer of read_sensor, or a row of one, by the server's leaf.
func (c *complaints) judge(path string, l leaf, row map[string]any, how told) {
	c.want(row["path"] == path && row["available"] == true, path, l.Value, "path and available", row)
	if l.Timestamp != "" && !how.inGroup {
		stamps := []string{second(l.Timestamp)}
		for _, s := range l.Values {
			stamps = append(stamps, second(s.Timestamp))
		}
		got, _ := row["timestamp"].(string)
		if warning, _ := row["warning"].(string); how.wrongClock {
			c.want(got == "" && strings.Contains(warning, "clock"), path, l.Timestamp, "no time, and a warning of the wrong clock", row)
		} else {
			c.want(slices.Contains(stamps, got), path, l.Timestamp, stamps, got)
		}
	}
	switch {
	case l.Value == nil && len(l.Values) == 0:
		c.want(row["status"] == "no_data" && row["value"] == nil, path, nil, "no_data, without a value", row)
	case !how.fresh:
		c.want(row["status"] == "stale" && row["value"] == nil, path, l.Timestamp, "stale, without a value", row)
		c.valueJudged(path, l, row, "last_value")
		age, ok := row["age_s"].(float64)
		c.want(ok && math.Abs(age-stampAge(l).Seconds()) <= 2, path, l.Timestamp, fmt.Sprintf("age_s %.0f", stampAge(l).Seconds()), row["age_s"])
	default:
		c.want(row["status"] == nil && row["last_value"] == nil, path, l.Timestamp, "no status", row)
		c.valueJudged(path, l, row, "value")
	}
}

// stampAge is the age of a value by its stamp; server and test share a clock.
func stampAge(l leaf) time.Duration {
	at, err := time.Parse(time.RFC3339Nano, l.Timestamp)
	if err != nil {
		return 0
	}
	return time.Since(at)
}

// second cuts a timestamp to whole seconds, as answers give it.
func second(stamp string) string {
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05Z")
}

// realOurs compares all tools over the data that is the same in every run.
func realOurs(t *testing.T, b *realBoat) {
	b.t = t
	fresh := func(l leaf) told { return told{fresh: stampAge(l) < youngest} }
	all := func() map[string]leaf {
		found := b.leaves()
		maps.Copy(found, b.streamOnly())
		return found
	}
	b.ask("depth_state")
	b.run("depth_state", func(t *testing.T) { b.depth(t, false) })
	b.run("battery_state", b.batteries)
	b.run("get_active_alarms", b.alarms)
	b.run("read_sensor", func(t *testing.T) { b.everyLeaf(t, b.leaves(), fresh) })
	b.run("read_sensor group", func(t *testing.T) {
		for _, prefix := range []string{"environment", "environment.depth", "electrical", "navigation.course", "navigation", "propulsion.port", "tanks", "notifications", "design"} {
			b.group(t, prefix, all, fresh)
		}
	})
	b.run("read_sensor otherwise", b.spellings)
	b.run("list_paths", func(t *testing.T) { b.paths(t, all) })
	b.run("get_route", b.route)
	b.run("get_local_time", func(t *testing.T) { b.localTime(t, "Europe/Helsinki") }) // 60° N 24° E is off Inkoo, in Finland
}

// depth judges depth_state by the clearance that follows from the raw depths.
func (b *realBoat) depth(t *testing.T, wrongClock bool) {
	const path = "environment.depth."
	look := func() [3]leaf {
		all := b.leaves()
		return [3]leaf{all[path+"belowTransducer"], all[path+"transducerToKeel"], all[path+"belowKeel"]}
	}
	compare(t, look, func() answer { return b.ask("depth_state") }, func(c *complaints, l [3]leaf) {
		shallow, _ := l[0].one(path+"belowTransducer", nil).(float64) // of two sounders the smaller
		offset, _ := l[1].Value.(float64)
		// The keel is so far below the transducer, whatever the sign it is stored
		// with, and the rest of the water is under it.
		clearance := shallow - math.Abs(offset)
		published, _ := l[2].Value.(float64)
		c.want(math.Abs(clearance-published) < 1e-3, path+"belowKeel", published, "data that agrees with itself", clearance)
		for name, x := range map[string]float64{"below_keel_m": clearance, "below_transducer_m": shallow} {
			got, ok := c.a.number(name)
			// The feed rounds the two to a tenth of a millimetre each on its own.
			c.want(ok && (roundedTo(got, x, 0.1) || roundedTo(got, x-1e-4, 0.1) || roundedTo(got, x+1e-4, 0.1)), path, l[0].Value, x, c.a.fields[name])
		}
		keel, _ := c.a.number("below_keel_m")
		c.want(strings.HasPrefix(c.a.display(), strconv.FormatFloat(keel, 'f', -1, 64)+" metre") && strings.Contains(c.a.display(), "below the keel"),
			path, published, "the clearance first", c.a.display())
		// Neither belowSurface nor a draft of the transducer is published.
		c.want(c.a.fields["below_surface_m"] == nil, path+"belowSurface", nil, "left out", c.a.fields["below_surface_m"])
		c.want(c.a.status() == "" && !c.a.isError, path, l[0].Value, "no status", c.a.status())
		warning, _ := c.a.fields["warning"].(string)
		if wrongClock {
			c.want(strings.Contains(warning, "clock") && c.a.fields["timestamp"] == nil, path, l[0].Timestamp, "no time, and a warning of the wrong clock", warning)
		} else {
			c.want(warning == "" && c.a.fields["timestamp"] == second(l[2].Timestamp), path, l[2].Timestamp, "its time, and no warning", c.a.fields["timestamp"])
		}
	})
}

// batteries judges battery_state for each bank, for none and for an unknown one.
func (b *realBoat) batteries(t *testing.T) {
	const path = "electrical.batteries."
	look := func() map[string]leaf {
		all := b.leaves()
		maps.DeleteFunc(all, func(p string, _ leaf) bool { return !strings.HasPrefix(p, path) })
		return all
	}
	var banks []any
	for _, p := range slices.Sorted(maps.Keys(look())) {
		if bank := strings.Split(p, ".")[2]; !slices.Contains(banks, any(bank)) {
			banks = append(banks, bank)
		}
	}
	require.Equal(t, []any{"house", "start"}, banks)
	for asked, bank := range map[string]string{"house": "house", "start": "start", "": "house", "Starter": "", "aft": ""} {
		compare(t, look, func() answer { return b.ask("battery_state", "bank", asked) }, func(c *complaints, l map[string]leaf) {
			c.want(reflect.DeepEqual(c.a.fields["available_banks"], any(banks)), path, banks, "them all", c.a.fields["available_banks"])
			c.want(c.a.isError == (bank == ""), path+asked, banks, "an error for a bank that is not there", c.a.isError)
			c.want(c.a.fields["bank"] == map[bool]any{true: bank}[bank != ""], path+asked, banks, bank, c.a.fields["bank"])
			c.want(c.a.status() == "" && c.a.fields["warning"] == nil, path+asked, banks, "neither status nor warning", c.a.status())
			newest := ""
			for field, m := range map[string]struct {
				path string
				step float64
				word string
			}{
				"soc_fraction":     {".capacity.stateOfCharge", 0.01, "percent"},
				"voltage":          {".voltage", 0.1, ""},
				"current":          {".current", 0.1, "amps"},
				"time_remaining_s": {".capacity.timeRemaining", 1, "left"},
			} {
				p := path + bank + m.path
				x, published := l[p].Value.(float64)
				got, there := c.a.number(field)
				c.want(there == published && (!published || roundedTo(got, x, m.step)), p, l[p].Value, fmt.Sprintf("to %v", m.step), c.a.fields[field])
				if published && m.path != ".capacity.timeRemaining" {
					newest = max(newest, second(l[p].Timestamp))
				}
				if published && m.word != "" {
					c.want(strings.Contains(c.a.display(), m.word), p, x, m.word, c.a.display())
				}
			}
			if x, ok := l[path+bank+".current"].Value.(float64); ok { // positive charges
				c.want(strings.Contains(c.a.display(), " discharging at") == (x < 0) && strings.Contains(c.a.display(), " charging at") == (x > 0),
					path+bank+".current", x, "its direction", c.a.display())
			}
			if soc, ok := c.a.number("soc_fraction"); ok {
				percent := fmt.Sprintf("%.0f percent", soc*100)
				c.want(strings.Contains(c.a.display(), percent), path+bank, soc, percent, c.a.display())
			}
			if bank != "" {
				c.want(c.a.fields["timestamp"] == newest, path+bank, newest, newest, c.a.fields["timestamp"])
			}
		})
	}
}

// raised is a notification in the server's v2 list.
type raised struct {
	Context, Path string
	Value         struct {
		State, Message string
		Status         struct{ Acknowledged, Silenced bool }
	}
}

// notifications lists those of the own vessel, of every source, by id. Cleared
// ones stay in the list.
func (s *realServer) notifications() map[string]raised {
	s.t.Helper()
	var list map[string]raised
	s.get("/signalk/v2/api/notifications", &list)
	var self string
	s.get("/signalk/v1/api/self", &self)
	maps.DeleteFunc(list, func(_ string, n raised) bool { return n.Context != self })
	return list
}

// row is what get_active_alarms is to say of a notification.
func (n raised) row() string {
	return fmt.Sprintf("%s %s %q acknowledged=%v silenced=%v", strings.TrimPrefix(n.Path, "notifications."), n.Value.State, n.Value.Message,
		n.Value.Status.Acknowledged, n.Value.Status.Silenced)
}

func alarmRow(m map[string]any) string {
	message, _ := m["message"].(string)
	return fmt.Sprintf("%s %s %q acknowledged=%v silenced=%v", m["path"], m["state"], message, m["acknowledged"] == true, m["silenced"] == true)
}

// alarms judges get_active_alarms, also after two were acknowledged and
// silenced on the server: they are as active as before.
func (b *realBoat) alarms(t *testing.T) {
	type seen struct {
		list  map[string]raised
		since map[string]string // by path, of those of one source
	}
	look := func() seen {
		s := seen{b.notifications(), map[string]string{}}
		for p, l := range b.leaves() {
			if rest, ok := strings.CutPrefix(p, "notifications."); ok && len(l.Values) == 0 && l.Source == "sim.plugin" {
				s.since[rest] = second(l.Timestamp)
			}
		}
		return s
	}
	judge := func(c *complaints, s seen) {
		var expected, got []string
		for _, n := range s.list {
			if n.Value.State != "normal" && n.Value.State != "nominal" {
				expected = append(expected, n.row())
			}
		}
		before := 4
		for _, m := range c.a.rows("alarms") {
			got = append(got, alarmRow(m))
			rank := severity[m["state"]]
			c.want(rank <= before, fmt.Sprint(m["path"]), m["state"], "worst first", got)
			before = rank
			since, known := s.since[fmt.Sprint(m["path"])]
			// Once acknowledged or silenced it is sent again, with a new time.
			c.want(!known || m["since"] == since || m["acknowledged"] == true || m["silenced"] == true, fmt.Sprint(m["path"]), since, since, m["since"])
			c.want(m["unconfirmed"] == nil, fmt.Sprint(m["path"]), m, "confirmed", m["unconfirmed"])
		}
		slices.Sort(expected)
		slices.Sort(got)
		c.want(slices.Equal(expected, got), "notifications", len(s.list), expected, got)
		c.want(strings.HasPrefix(c.a.display(), fmt.Sprintf("%d active alarms: emergency", len(expected))), "notifications", len(expected), "how many, and the worst", c.a.display())
		c.want(c.a.status() == "" && !c.a.isError && c.a.fields["more"] == nil, "notifications", nil, "no status", c.a.status())
		others := c.a.rows("distress")
		c.want(len(others) == 1 && others[0]["path"] == "sinking" && strings.Contains(c.a.display(), "Distress received from another vessel, vessel 2 3 0 0 4 4 4 4 4: sinking"),
			"vessels/urn:mrn:imo:mmsi:230044444/notifications/sinking", "a DSC call", "told apart from the own alarms", c.a.display())
	}
	ask := func() answer { return b.ask("get_active_alarms") }
	compare(t, look, ask, judge)
	for id, n := range b.notifications() {
		switch n.Path {
		case "notifications.test.alarm":
			b.post("/signalk/v2/api/notifications/"+id+"/acknowledge", "{}")
		case "notifications.test.warn":
			b.post("/signalk/v2/api/notifications/"+id+"/silence", "{}")
		}
	}
	compare(t, look, ask, func(c *complaints, s seen) {
		judge(c, s)
		c.want(strings.Contains(c.a.text, `"acknowledged":true`) && strings.Contains(c.a.text, `"silenced":true`), "notifications", nil, "one of each", nil)
	})
}

// everyLeaf reads each path alone.
func (b *realBoat) everyLeaf(t *testing.T, paths map[string]leaf, how func(leaf) told) {
	require.Greater(t, len(paths), 20)
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		compare(t, b.leaf(p), func() answer { return b.ask("read_sensor", "path", p) }, func(c *complaints, l leaf) {
			c.judge(p, l, c.a.fields, how(l))
			c.want(!c.a.isError, p, l.Value, "no error", c.a.isError)
		})
	}
	t.Logf("%d paths", len(paths))
}

// group reads all below a prefix: 25 at most, by path.
func (b *realBoat) group(t *testing.T, prefix string, all func() map[string]leaf, how func(leaf) told) {
	const most = 25
	look := func() map[string]leaf {
		found := all()
		maps.DeleteFunc(found, func(p string, _ leaf) bool { return !strings.HasPrefix(p, prefix+".") })
		return found
	}
	compare(t, look, func() answer { return b.ask("read_sensor", "path", prefix) }, func(c *complaints, l map[string]leaf) {
		paths := slices.Sorted(maps.Keys(l))
		readings := c.a.rows("readings")
		more, _ := c.a.number("more")
		// A result has an end, by rows and by length.
		if len(readings) == 0 || len(readings) > most || len(readings)+int(more) != len(paths) || more > 0 && len(readings) < most && len(c.a.text) < 2500 {
			c.want(false, prefix, paths, fmt.Sprintf("readings of %d paths", len(paths)), readings)
			return
		}
		warned := c.a.fields["warning"] != nil
		for i, r := range readings {
			h := how(l[paths[i]])
			h.inGroup = true
			c.judge(paths[i], l[paths[i]], r, h)
			c.want(!h.wrongClock || warned || r["warning"] != nil, paths[i], l[paths[i]].Timestamp, "a warning of the wrong clock, in the row or for the group", nil)
		}
	})
}

// spellings reads a path in other spellings, and paths that are not there.
func (b *realBoat) spellings(t *testing.T) {
	const path = "navigation.speedOverGround"
	for _, spelling := range []string{"navigation/speedOverGround", "vessels.self." + path, path + ".value", " Navigation.SpeedOverGround "} {
		compare(t, b.leaf(path), func() answer { return b.ask("read_sensor", "path", spelling) }, func(c *complaints, l leaf) {
			c.judge(path, l, c.a.fields, told{fresh: true})
		})
	}
	// The last is another vessel's, whose values are on the same stream.
	for _, path := range []string{"environment.depth.belowSurface", "environment.wind.speedTrue", "design.aisShipType", "sensors.ais.class"} {
		var raw any
		require.Equal(t, http.StatusNotFound, b.get("/signalk/v1/api/vessels/self/"+strings.ReplaceAll(path, ".", "/"), &raw), path)
		a := b.ask("read_sensor", "path", path)
		assert.Equal(t, "not_fitted", a.status(), "%s: %s", path, a.text)
		assert.Equal(t, false, a.fields["available"], "%s: %s", path, a.text)
		assert.NotContains(t, a.fields, "value", path)
		assert.NotContains(t, a.fields, "unit", path)
	}
}

// paths judges list_paths: its count, its groups and all pages of each of them.
func (b *realBoat) paths(t *testing.T, all func() map[string]leaf) {
	expected := map[string]string{} // units by path
	look := func() []string {
		clear(expected)
		for p, l := range all() {
			expected[p] = l.Meta.Units
		}
		return slices.Sorted(maps.Keys(expected))
	}
	groups := map[string]any{}
	compare(t, look, func() answer { return b.ask("list_paths") }, func(c *complaints, paths []string) {
		clear(groups)
		for _, p := range paths {
			g, _, _ := strings.Cut(p, ".")
			n, _ := groups[g].(float64)
			groups[g] = n + 1
		}
		n, _ := c.a.number("count")
		c.want(int(n) == len(paths), "(all)", paths, len(paths), n)
		c.want(reflect.DeepEqual(any(groups), c.a.fields["groups"]), "(all)", groups, groups, c.a.fields["groups"])
	})
	listed := map[string]string{}
	pages := 0
	for g := range groups {
		for cursor := ""; ; pages++ {
			a := b.ask("list_paths", "prefix", g, "cursor", cursor)
			n, _ := a.number("count")
			assert.Equal(t, groups[g], n, "%s: %s", g, a.text)
			page := a.rows("paths")
			require.NotEmpty(t, page, a.text)
			for _, m := range page {
				p, _ := m["path"].(string)
				assert.NotContains(t, listed, p, "on two pages")
				assert.NotContains(t, m, "value")
				listed[p], _ = m["units"].(string)
			}
			if cursor, _ = a.fields["next_cursor"].(string); cursor == "" {
				break
			}
		}
	}
	assert.Equal(t, expected, listed)
	t.Logf("%d paths in %d groups", len(listed), len(groups))
}

// route judges get_route by the course document, the route resource and what the
// server calculates.
func (b *realBoat) route(t *testing.T) {
	type calculated struct {
		BearingTrue, Distance, CrossTrackError, TimeToGo float64
		EstimatedTimeOfArrival                           time.Time
	}
	type resource struct {
		Name    string
		Feature struct {
			Geometry   struct{ Coordinates [][]float64 }
			Properties struct{ CoordinatesMeta []struct{ Name string } }
		}
	}
	type seen struct {
		course courseDoc
		calc   calculated
		route  resource
	}
	look := func() (s seen) {
		b.get(courseAPI, &s.course)
		b.get(courseAPI+"/calcValues", &s.calc)
		require.NotNil(t, s.course.ActiveRoute)
		b.get("/signalk/v2/api"+s.course.ActiveRoute.Href, &s.route)
		return s
	}
	const path = "navigation.course"
	compare(t, look, func() answer { return b.ask("get_route") }, func(c *complaints, s seen) {
		r := s.course.ActiveRoute
		c.want(c.a.fields["active"] == true && c.a.fields["name"] == r.Name, path+".activeRoute", r, r.Name, c.a.fields["name"])
		index, _ := c.a.number("point_index")
		total, _ := c.a.number("point_total")
		// The document counts from 0, people from 1.
		c.want(int(index) == r.PointIndex+1 && int(total) == r.PointTotal, path+".activeRoute", r, r.PointIndex+1, index)
		var points []any
		for i, at := range s.route.Feature.Geometry.Coordinates {
			points = append(points, map[string]any{ // GeoJSON: longitude first
				"name": s.route.Feature.Properties.CoordinatesMeta[i].Name, "longitude": at[0], "latitude": at[1],
			})
		}
		c.want(reflect.DeepEqual(c.a.fields["waypoints"], any(points)), r.Href, s.route, short(points), c.a.fields["waypoints"])
		next, _ := c.a.fields["next"].(map[string]any)
		name := s.route.Feature.Properties.CoordinatesMeta[r.PointIndex].Name
		c.want(next["name"] == name, path+".nextPoint", s.course.NextPoint, name, next["name"])

		number := func(name string) float64 { x, _ := next[name].(float64); return x }
		c.want(sameDirection(number("bearing_deg"), s.calc.BearingTrue), path+".calcValues.bearingTrue", s.calc.BearingTrue, s.calc.BearingTrue/degree, next["bearing_deg"])
		miles := s.calc.Distance / metresInMile
		c.want(roundedTo(number("distance_nm"), miles, 0.01), path+".calcValues.distance", s.calc.Distance, miles, next["distance_nm"])
		c.want(roundedTo(number("time_to_go_s"), s.calc.TimeToGo, 1), path+".calcValues.timeToGo", s.calc.TimeToGo, s.calc.TimeToGo, next["time_to_go_s"])
		eta := s.calc.EstimatedTimeOfArrival.In(mustZone(t, "Europe/Helsinki"))
		said, _ := next["eta_local"].(string)
		c.want(minutesApart(said, eta) <= 1, path+".calcValues.estimatedTimeOfArrival", s.calc.EstimatedTimeOfArrival, eta.Format("15:04"), said)

		off, ok := c.a.number("cross_track_m")
		c.want(ok && roundedTo(off, s.calc.CrossTrackError, 1), path+".calcValues.crossTrackError", s.calc.CrossTrackError, s.calc.CrossTrackError, c.a.fields["cross_track_m"])
		side := "on track"
		switch { // negative is left of the track
		case off < 0:
			side = "left of track"
		case off > 0:
			side = "right of track"
		}
		for _, words := range []string{
			r.Name, name, fmt.Sprintf("point %d of %d", r.PointIndex+1, r.PointTotal), fmt.Sprintf("%03.0f degrees true", number("bearing_deg")),
			fmt.Sprintf("%v nautical miles", number("distance_nm")), said, side,
		} {
			c.want(strings.Contains(c.a.display(), words), path, s.calc, words, c.a.display())
		}
		c.want(c.a.status() == "" && c.a.fields["warning"] == nil, path, nil, "neither status nor warning", c.a.status())
	})
}

func mustZone(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	require.NoError(t, err, name)
	return zone
}

// minutesApart is how far a time of day is from an instant in its zone.
func minutesApart(hhmm string, at time.Time) int {
	clock, err := time.Parse("15:04", hhmm)
	if err != nil {
		return math.MaxInt
	}
	const day = 24 * 60
	d := (clock.Hour()*60 + clock.Minute() - at.Hour()*60 - at.Minute() + day) % day
	return min(d, day-d)
}

// localTime judges get_local_time by this machine's clock, which is also the
// server's, in the zone of the place: one of those named.
func (b *realBoat) localTime(t *testing.T, zones ...string) answer {
	a := b.ask("get_local_time")
	name, _ := a.fields["iana_timezone"].(string)
	require.Contains(t, zones, name, "%s: %s", short(b.leaves()["navigation.position"].Value), a.text)
	now := time.Now().In(mustZone(t, name))
	assert.Equal(t, now.Format("-07:00"), a.fields["utc_offset"], a.text)
	words := strings.Fields(a.display()) // It is 01:47 ...
	require.Greater(t, len(words), 3, a.text)
	assert.LessOrEqual(t, minutesApart(words[2], now), 1, "now is %s: %s", now, a.text)
	assert.Contains(t, a.display(), now.Format("2006"), a.text)
	return a
}

// realN2K compares over the server's own recording: every stamp is of 2014, some
// hundred other vessels are on the stream, and the own one has no fixed identity.
func realN2K(t *testing.T, b *realBoat) {
	b.t = t
	first := b.ask("depth_state") // the server's cache may be all that has come
	assert.Contains(t, []string{"", "stale"}, first.status(), first.text)
	for deadline := time.Now().Add(patience); b.ask("depth_state").status() != ""; time.Sleep(100 * time.Millisecond) {
		require.True(t, time.Now().Before(deadline), "the depth never becomes live")
	}
	b.run("depth_state", func(t *testing.T) { b.depth(t, true) })

	// What has changed since the program was connected was heard twice, and lives.
	before := b.leaves()
	time.Sleep(8 * time.Second) // in which every own sensor of the recording speaks
	after := b.leaves()
	changed := map[string]bool{}
	var own []string
	for p, l := range after {
		if _, had := before[p]; had && l.Timestamp != "" {
			own = append(own, p)
			changed[p] = l.Timestamp != before[p].Timestamp
		}
	}
	require.True(t, changed["environment.depth.belowTransducer"])
	slices.Sort(own)
	b.run("read_sensor", func(t *testing.T) {
		for _, p := range own {
			compare(t, b.leaf(p), func() answer { return b.ask("read_sensor", "path", p) }, func(c *complaints, l leaf) {
				c.judge(p, l, c.a.fields, told{fresh: changed[p], wrongClock: changed[p]})
			})
		}
		t.Logf("%d paths", len(own))
	})
	b.run("read_sensor group", func(t *testing.T) {
		b.group(t, "environment.depth", b.leaves, func(leaf) told { return told{fresh: true, wrongClock: true} })
	})
	b.run("list_paths", func(t *testing.T) {
		b.paths(t, func() map[string]leaf {
			all := b.leaves()
			for p, l := range b.streamOnly() { // no course: they are sent when one is set
				if l.Value != nil && l.Value != 0.0 {
					all[p] = l
				}
			}
			return all
		})
	})
	b.run("others", func(t *testing.T) {
		var vessels map[string]struct{ Design, Navigation map[string]any }
		b.get("/signalk/v1/api/vessels", &vessels)
		require.Greater(t, len(vessels), 10)
		require.True(t, slices.ContainsFunc(slices.Collect(maps.Values(vessels)), func(v struct{ Design, Navigation map[string]any }) bool {
			return v.Design["aisShipType"] != nil && v.Navigation["speedOverGround"] != nil
		}))
		for _, path := range []string{"name", "mmsi", "design.aisShipType", "design.length", "sensors.ais.class", "navigation.state"} {
			require.NotContains(t, after, path)
			a := b.ask("read_sensor", "path", path)
			assert.Equal(t, "not_fitted", a.status(), "%s: %s", path, a.text)
		}
	})
	b.run("absent", func(t *testing.T) {
		require.Empty(t, b.notifications())
		a := b.ask("get_active_alarms")
		assert.Equal(t, "No active alarms.", a.display())
		assert.Equal(t, []any{}, a.fields["alarms"])
		a = b.ask("battery_state")
		assert.Equal(t, "not_fitted", a.status(), a.text)
		a = b.ask("get_route")
		assert.Equal(t, false, a.fields["active"], a.text)
		assert.False(t, a.isError)
	})
	b.run("get_local_time", func(t *testing.T) {
		// In the Gulf of Finland, near the border of Estonia's and Finland's waters
		// and of what is neither's: three names of one time in winter.
		a := b.localTime(t, "Europe/Tallinn", "Europe/Helsinki", "Etc/GMT-2")
		warning, _ := a.fields["warning"].(string)
		assert.Contains(t, warning, "2014", "the recorded GPS time is not now: %s", a.text)
	})
}

// realRestart kills the server and starts it again on its port.
func realRestart(t *testing.T, b *realBoat) {
	b.t = t
	// Nothing raises this one again after the restart.
	b.post("/signalk/v2/api/notifications", `{"state":"alarm","path":"test.lost","message":"Raised before"}`)
	for deadline := time.Now().Add(patience); !strings.Contains(b.ask("get_active_alarms").text, "test.lost"); time.Sleep(50 * time.Millisecond) {
		require.True(t, time.Now().Before(deadline))
	}
	b.ask("depth_state")
	before := b.leaves()
	alarms := b.notifications()

	process, err := os.FindProcess(b.pid)
	require.NoError(t, err)
	require.NoError(t, process.Kill())
	killed := time.Now()
	for b.ask("depth_state").status() == "" {
		require.Less(t, time.Since(killed), disconnectWithin, "the depth is still told as what is now")
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("disconnected after %v", time.Since(killed).Round(time.Millisecond))
	b.stop()

	b.run("disconnected", func(t *testing.T) {
		for tool, arguments := range map[string][]string{
			"depth_state": nil, "battery_state": {"bank", "house"}, "get_active_alarms": nil, "get_route": nil, "list_paths": nil,
			"read_sensor": {"path", "navigation.speedOverGround"},
		} {
			a := b.ask(tool, arguments...)
			assert.Equal(t, "disconnected", a.status(), "%s: %s", tool, a.text)
			assert.False(t, a.isError, "it remembers: %s", a.text)
			assert.Contains(t, strings.ToLower(a.display()), "no connection", a.text)
			for _, now := range []string{"below_keel_m", "below_transducer_m", "voltage", "current", "soc_fraction", "value", "cross_track_m"} {
				assert.NotContains(t, a.fields, now, "%s: %s", tool, a.text)
			}
		}
		// The last that was heard is the tick of the moment of the kill, or the next.
		a := b.ask("depth_state")
		raw := before["environment.depth.belowKeel"].Value.(float64)
		last, ok := a.number("last_below_keel_m")
		assert.True(t, ok && math.Abs(last-raw) < 0.5, "environment.depth.belowKeel: the server had %v; got %v in %s", raw, last, a.text)
		age, ok := a.number("age_s")
		assert.True(t, ok && math.Abs(age-time.Since(killed).Seconds()) <= 3, "killed %v ago: %s", time.Since(killed), a.text)

		a = b.ask("get_active_alarms")
		assert.NotContains(t, strings.ToLower(a.display()), "no active alarms")
		assert.Contains(t, a.display(), "not confirmed")
		var expected, got []string
		for _, n := range alarms {
			if n.Value.State != "normal" && n.Value.State != "nominal" && strings.HasPrefix(n.Path, "notifications.test.") && n.Path != "notifications.test.toggle" {
				expected = append(expected, n.row())
			}
		}
		for _, m := range a.rows("alarms") {
			assert.Equal(t, true, m["unconfirmed"], "%v", m)
			got = append(got, alarmRow(m))
		}
		assert.Subset(t, got, expected, a.text)

		a = b.ask("read_sensor", "path", "environment.wind.speedTrue") // never heard: whether it is fitted is not known
		assert.Equal(t, "disconnected", a.status(), a.text)
	})

	restarted := startReal(t, b.version, b.data, b.dir, b.port)
	up := time.Now()
	for a := b.ask("depth_state"); a.status() != ""; a = b.ask("depth_state") {
		require.Less(t, time.Since(up), reconnectWithin, "still %s", a.text)
		time.Sleep(50 * time.Millisecond)
	}
	t.Logf("live %v after the restart", time.Since(up).Round(time.Millisecond))
	b.realServer = restarted
	b.run("live again", func(t *testing.T) {
		b.depth(t, false)
		compare(t, b.notifications, func() answer { return b.ask("get_active_alarms") }, func(c *complaints, list map[string]raised) {
			active := map[string]bool{}
			for _, n := range list {
				active[strings.TrimPrefix(n.Path, "notifications.")] = true
			}
			c.want(!active["test.lost"], "notifications.test.lost", nil, "a server that has forgotten it", list)
			for _, m := range c.a.rows("alarms") {
				path, _ := m["path"].(string)
				c.want(m["unconfirmed"] == map[bool]any{true: nil, false: true}[active[path]], path, active[path], "unconfirmed unless the server has it", m)
			}
			c.want(c.a.status() == "", "notifications", nil, "no status", c.a.status())
		})
	})
}
