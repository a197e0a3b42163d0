package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func cl100k(t *testing.T) counter {
	t.Helper()
	c, err := newCounter("cl100k_base")
	require.NoError(t, err)
	return c
}

// budget is what may be spent in every turn, and for an answer.
type budget struct {
	Catalogue audit          `json:"catalogue"`
	Answers   map[string]int `json:"answers"` // on the made-up boat, by read
}

// The catalogue is paid for in every turn and an answer on every question, so
// that growth has to be meant.
func TestBudget(t *testing.T) {
	t.Parallel()
	now := budget{Catalogue: auditOurs(cl100k(t), 200_000), Answers: map[string]int{}}
	for _, r := range mockComparison(t).Reads {
		require.Empty(t, r.Error)
		now.Answers[r.Name] = r.Answer
	}
	var table bytes.Buffer
	now.Catalogue.write(&table, 200_000)

	var was budget
	const file = "testdata/budget.json"
	if text, err := os.ReadFile(file); err == nil && !*update {
		require.NoError(t, json.Unmarshal(text, &was))
		for _, err := range growth([]audit{was.Catalogue}, []audit{now.Catalogue}) {
			t.Errorf("%v\n%s", err, &table)
		}
		for name, n := range now.Answers {
			assert.LessOrEqual(t, n, was.Answers[name], "the answer about %s grew", name)
		}
	}
	text, err := json.MarshalIndent(now, "", "  ")
	require.NoError(t, err)
	golden(t, file, append(text, '\n'))
	assert.LessOrEqual(t, now.Catalogue.Seen["cl100k_base"], 286, "%s", &table)
	assert.LessOrEqual(t, now.Answers["depth"], 62)
}

// What a good server sent is counted as it sent it, on all its pages.
func TestAuditCountsWhatWasSent(t *testing.T) {
	t.Parallel()
	a := auditServer(t.Context(), fakeServer(t, "good"), cl100k(t), 1000)
	require.Empty(t, a.Error)
	assert.Equal(t, "2025-11-25", a.Protocol)
	require.Len(t, a.Tools, 2)
	c := cl100k(t)
	const first = `{"name":"a","description":"First <one>","inputSchema":{"type":"object","properties":{"z":{"type":"string"},"b":{"type":"string"}}}}`
	const second = `{"name":"b","description":"Second","inputSchema":{"type":"object"}}`
	assert.Equal(t, c.count("["+first+","+second+"]"), a.Seen["cl100k_base"])
	assert.Equal(t, c.count(first), a.Tools[0].Total)
	assert.Equal(t, 0, a.Tools[0].Other)
	assert.Equal(t, c.count(`{"annotations":{"readOnlyHint":true}}`), a.Tools[1].Other)
	assert.InDelta(t, float64(a.Seen["cl100k_base"])/1000, a.Window, 1e-9)
	// echo -n '[…]' | sha256sum, of the same array
	assert.Len(t, a.Fingerprint, 64)
}

func TestAuditOfOursIsTheGoldenCatalogue(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../tools/testdata/catalog.json")
	require.NoError(t, err)
	assert.Equal(t, cl100k(t).count(strings.TrimSpace(string(text))), auditOurs(cl100k(t), 200_000).Seen["cl100k_base"])
}

// Each of the worst gives a row that says what is wrong, within its time, and
// the good one is there beside them.
func TestAuditOfTheWorst(t *testing.T) {
	t.Parallel()
	kinds := map[string]string{
		"dies":           `it said "cannot open \[31mthe database"`,
		"hangs":          "no answer in time",
		"deaf":           "invalid",
		"dies later":     "it ended",
		"garbage later":  "no answer in time|unexpected|invalid|closed|ended",
		"mute later":     "no answer in time",
		"pages for ever": "it pages for ever: 100 tools on 100 pages",
		"same page":      "it pages for ever: page 2 has a cursor that was there before",
		"huge":           "exceed|larger|too long|limit|no answer in time",
		"odd":            "",
		"good":           "",
		"modern":         "",
	}
	config := map[string]any{}
	for kind := range kinds {
		s := fakeServer(t, kind)
		config[kind] = map[string]any{"command": s.command[0], "env": s.env}
	}
	config["nothing there"] = map[string]any{"command": filepath.Join(t.TempDir(), "none")}
	kinds["nothing there"] = "no such file"
	file := filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, os.WriteFile(file, encode(map[string]any{"mcpServers": config}), 0o600))

	out, log, code := call(t, "audit", "-json", "-timeout", "8s", "-config", file)
	assert.Equal(t, exitFailed, code)
	var audits []audit
	require.NoError(t, json.Unmarshal([]byte(out), &audits), out)
	require.Len(t, audits, len(kinds))
	for _, a := range audits {
		if kinds[a.Server] == "" {
			assert.Empty(t, a.Error, a.Server)
			assert.Len(t, a.Tools, 2, a.Server)
			continue
		}
		assert.Regexp(t, kinds[a.Server], a.Error, a.Server)
		assert.Contains(t, log, a.Server)
		assert.NotContains(t, a.Error, "\x1b")
	}
	var text bytes.Buffer
	for _, a := range audits {
		a.write(&text, 1000)
	}
	assert.NotContains(t, text.String(), "\x1b", "nothing for the terminal")
	assert.Contains(t, text.String(), "could not be measured whole")
}

// The same on HTTP, where a server can also send without end.
func TestAuditOverHTTP(t *testing.T) {
	t.Parallel()
	initialized := func(w http.ResponseWriter, r *http.Request) (id json.RawMessage, listing bool) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&m)
		w.Header().Set("Content-Type", "application/json")
		switch m.Method {
		case "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, m.ID)
		case "tools/list":
			return m.ID, true
		default:
			w.WriteHeader(http.StatusAccepted)
		}
		return nil, false
	}
	const one = `{"tools":[{"name":"t","description":"d","inputSchema":{"type":"object","properties":{"z":{},"a":{}}}}]}`
	for name, tt := range map[string]struct {
		list func(w http.ResponseWriter, id json.RawMessage)
		want string
	}{
		"one message": {func(w http.ResponseWriter, id json.RawMessage) {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, one)
		}, ""},
		"an event": {func(w http.ResponseWriter, id json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: message\r\nid: 1\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\r\n\r\n", id, one)
		}, ""},
		"an error page": {func(w http.ResponseWriter, _ json.RawMessage) { http.Error(w, "<html>", http.StatusBadGateway) }, "502|Bad Gateway"},
		"not JSON":      {func(w http.ResponseWriter, _ json.RawMessage) { fmt.Fprint(w, "\x00<html>") }, "."},
		"a reply to one": {func(w http.ResponseWriter, _ json.RawMessage) {
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":999,"result":{}}`)
		}, "."},
		"without end": {func(w http.ResponseWriter, _ json.RawMessage) {
			for chunk := bytes.Repeat([]byte(" "), 1<<20); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, "."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if id, listing := initialized(w, r); listing {
					tt.list(w, id)
				}
			}))
			defer s.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			a := auditServer(ctx, server{name: name, url: s.URL}, cl100k(t), 1000)
			if tt.want != "" {
				assert.Regexp(t, tt.want, a.Error)
				return
			}
			require.Empty(t, a.Error)
			want := `[{"name":"t","description":"d","inputSchema":{"type":"object","properties":{"z":{},"a":{}}}}]`
			assert.Equal(t, cl100k(t).count(want), a.Seen["cl100k_base"], "in the server's own order")
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		t.Parallel()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		l.Close()
		a := auditServer(t.Context(), server{url: "http://" + l.Addr().String()}, cl100k(t), 1000)
		assert.Contains(t, a.Error, "refused")
	})
}

func TestRepetitions(t *testing.T) {
	t.Parallel()
	schema := func(members, definitions string) json.RawMessage {
		return json.RawMessage(`{"type":"object","properties":{` + members + `},"$defs":{` + definitions + `}}`)
	}
	const page = `"page":{"type":"integer"},"size":{"type":"integer"}`
	definitions, fields := repetitions([]tool{
		{Name: "a", InputSchema: schema(page+`,"x":{"type":"string"}`, `"Point":{"type":"array"}`)},
		{Name: "b", InputSchema: schema(page+`,"y":{"type":"string"}`, `"Point":{"type":"array"},"Other":{}`)},
		{Name: "c", InputSchema: schema(`"x":{"type":"number"},"page":{"type":"string"}`, `"Point":{"type":"object"}`)},
	}, cl100k(t))
	require.Len(t, definitions, 1, "another one of the same name is another")
	assert.Equal(t, []string{"Point"}, definitions[0].What)
	assert.Equal(t, []string{"a", "b"}, definitions[0].Tools)
	require.Len(t, fields, 1, "a single field is no group")
	assert.Equal(t, []string{"page", "size"}, fields[0].What)
	assert.Equal(t, cl100k(t).count(`"page":{"type":"integer"},`)+cl100k(t).count(`"size":{"type":"integer"},`), fields[0].Wasted)
}

func TestLargeTools(t *testing.T) {
	t.Parallel()
	var raw []json.RawMessage
	for i := range 4 {
		raw = append(raw, encode(tool{fmt.Sprint(i), strings.Repeat("word ", 1+100*(i/3)), json.RawMessage(`{}`)}))
	}
	a := count(raw, cl100k(t), 1000)
	for i, x := range a.Tools {
		assert.Equal(t, i == 3, x.Large, i)
	}
}

func TestBaseline(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "baseline.json")
	out, log, code := call(t, "audit", "-json")
	require.Equal(t, exitOK, code, log)
	require.NoError(t, os.WriteFile(file, []byte(out), 0o600))
	_, log, code = call(t, "audit", "-baseline", file)
	assert.Equal(t, exitOK, code, log)
	// As if it had been smaller, and without one of the tools.
	var before []audit
	require.NoError(t, json.Unmarshal([]byte(out), &before))
	before[0].Seen["cl100k_base"]--
	before[0].Tools[0].Total -= 2
	before[0].Tools = before[0].Tools[:6]
	require.NoError(t, os.WriteFile(file, encode(before), 0o600))
	out, log, code = call(t, "audit", "-baseline", file)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "battery_state", "the table is there")
	assert.Contains(t, log, "this build grew from 285 to 286 tokens")
	assert.Contains(t, log, "battery_state grew from 39 to 41 tokens")
	assert.Contains(t, log, "read_sensor is new: 52 tokens")
}
