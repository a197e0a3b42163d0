package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/signalk"
	"signalk-mcp/tools"
	"signalk-mcp/tools/speechtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// noon is when the tests take place.
var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

const self = "vessels.urn:mrn:imo:mmsi:230099999"

// boat is a vessel whose clock stands until it is moved.
type boat struct {
	t    *testing.T
	v    *signalk.Vessel
	set  *tools.Set
	time time.Time

	partial bool // the server has not told all it knows
}

// newBoat returns a boat with a link over which nothing has come yet.
func newBoat(t *testing.T, o tools.Options) *boat {
	b := &boat{t: t, time: noon}
	if o.HostZone == nil {
		o.HostZone = time.UTC
	}
	b.v = signalk.NewVessel(signalk.VesselOptions{Now: func() time.Time { return b.time }})
	b.v.SetServer("boat.local:3000")
	b.set = tools.New(b.v, o)
	b.hello("a")
	return b
}

func (b *boat) hello(startID string) {
	b.frame(`{"name":"signalk-server","version":"2.32.0","self":%q,"roles":["main"],"timestamp":%q,"serverStartId":%q}`, self, stamp(b.time), startID)
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func (b *boat) frame(format string, args ...any) {
	b.t.Helper()
	require.NoError(b.t, b.v.Feed(fmt.Appendf(nil, format, args...)))
}

// from sends values, path and JSON in turn, from a source, measured so long ago.
func (b *boat) from(source string, ago time.Duration, pathsAndValues ...string) *boat {
	b.t.Helper()
	b.frame(`{"context":%q,"updates":[{"$source":%q,"timestamp":%q,"values":[%s]}]}`, self, source, stamp(b.time.Add(-ago)), pairs(pathsAndValues))
	return b
}

// send sends values measured a second ago by the boat's one source.
func (b *boat) send(pathsAndValues ...string) *boat {
	b.t.Helper()
	return b.from("s", time.Second, pathsAndValues...)
}

func (b *boat) meta(pathsAndValues ...string) *boat {
	b.t.Helper()
	b.frame(`{"context":%q,"updates":[{"meta":[%s]}]}`, self, pairs(pathsAndValues))
	return b
}

func pairs(list []string) string {
	var out []string
	for p := range slices.Chunk(list, 2) {
		out = append(out, fmt.Sprintf(`{"path":%q,"value":%s}`, p[0], p[1]))
	}
	return strings.Join(out, ",")
}

func (b *boat) wait(d time.Duration) *boat {
	b.time = b.time.Add(d)
	return b
}

// alive sends values twice, so that their sources are known to live.
func (b *boat) alive(pathsAndValues ...string) *boat {
	b.t.Helper()
	return b.from("s", time.Second, pathsAndValues...).wait(time.Second).from("s", time.Second, pathsAndValues...)
}

// lost ends the link.
func (b *boat) lost() *boat {
	b.v.Lost(false, "connection refused")
	return b
}

// answer is a result as a host gets it.
type answer struct {
	json.RawMessage
	m       map[string]any
	isError bool
}

func (a answer) display() string { return a.m["display"].(string) }

func (a answer) status() string {
	s, _ := a.m["status"].(string)
	return s
}

// ask calls a tool, and checks what holds for every answer.
func (b *boat) ask(tool, arguments string) answer {
	b.t.Helper()
	if !b.partial {
		b.v.Complete()
	}
	r, err := b.set.Call(tool, json.RawMessage(arguments))
	require.NoError(b.t, err)
	a := answer{RawMessage: r.JSON(), isError: r.IsError}
	require.NoError(b.t, json.Unmarshal(a.RawMessage, &a.m), "%s", a.RawMessage)
	assert.True(b.t, bytes.HasPrefix(a.RawMessage, []byte(`{"display":"`)), "display comes first")
	for k, v := range a.m {
		assert.NotNil(b.t, v, k)
	}
	b.lint(a.m)
	status := a.status()
	assert.Contains(b.t, []string{"", "stale", "no_data", "not_fitted", "disconnected", "unauthorised"}, status)
	if age, ok := a.m["age_s"].(float64); ok {
		assert.NotEmpty(b.t, status, "a live answer has no age")
		assert.GreaterOrEqual(b.t, age, 0.0)
	}
	return a
}

// lint looks at each display and warning, however deep.
func (b *boat) lint(v any) {
	b.t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if s, ok := x.(string); ok && (k == "display" || k == "warning") {
				assert.Empty(b.t, speechtest.Faults(s), s)
			}
			b.lint(x)
		}
	case []any:
		for _, x := range v {
			b.lint(x)
		}
	}
}

// situation is one state of a boat and what a tool must say of it: what, a
// number for each key, a text for each key that must be there, and parts of the
// display. Keys named in absent must not be there. The words are in the golden
// file of the tool.
type situation struct {
	boat   func(b *boat)
	args   string
	opts   tools.Options
	num    map[string]float64
	says   []string
	not    []string
	absent []string
	status string
	warns  string // part of the warning; empty: there is none
	wrong  bool   // isError
}

// situations runs a table of them against one tool, and its golden file.
func situations(t *testing.T, tool string, table map[string]situation) {
	t.Helper()
	golden := newGolden(t, tool, len(table))
	for name, s := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBoat(t, s.opts)
			s.boat(b)
			a := b.ask(tool, s.args)
			for k, want := range s.num {
				got, ok := a.m[k].(float64)
				if assert.True(t, ok, "%s in %s", k, a.RawMessage) {
					assert.InDelta(t, want, got, 1e-9, k)
				}
			}
			for _, w := range s.says {
				assert.Contains(t, a.display(), w)
			}
			for _, w := range s.not {
				assert.NotContains(t, string(a.RawMessage), w)
			}
			for _, k := range s.absent {
				assert.NotContains(t, a.m, k)
			}
			assert.Equal(t, s.status, a.status())
			assert.Equal(t, s.wrong, a.isError)
			warning, _ := a.m["warning"].(string)
			if s.warns == "" {
				assert.Empty(t, warning)
			} else {
				assert.Contains(t, strings.ToLower(warning), strings.ToLower(s.warns))
			}
			golden.check(t, name, a.RawMessage)
		})
	}
}

// goldenFile is a file with the whole answer to each situation.
type goldenFile struct {
	name string
	mu   sync.Mutex
	want map[string]string
	got  map[string]string
}

func newGolden(t *testing.T, tool string, n int) *goldenFile {
	t.Helper()
	g := &goldenFile{name: filepath.Join("testdata", "answers", tool+".txt"), want: map[string]string{}, got: map[string]string{}}
	text, err := os.ReadFile(g.name)
	if !*update {
		require.NoError(t, err, "go test -update writes it")
	}
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		name, body, _ := strings.Cut(block, "\n")
		g.want[name] = body
	}
	if !*update {
		require.Len(t, g.want, n, "situations in %s", g.name)
	}
	t.Cleanup(func() {
		if !*update {
			return
		}
		var blocks []string
		for name, body := range g.got {
			blocks = append(blocks, name+"\n"+body)
		}
		slices.Sort(blocks)
		require.NoError(t, os.MkdirAll(filepath.Dir(g.name), 0o755))
		require.NoError(t, os.WriteFile(g.name, []byte(strings.Join(blocks, "\n\n")+"\n"), 0o644))
	})
	return g
}

func (g *goldenFile) check(t *testing.T, name string, got []byte) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.got[name] = string(got)
	if !*update {
		assert.Equal(t, g.want[name], string(got))
	}
}
