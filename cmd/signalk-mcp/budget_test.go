//go:build budget

package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the program may need on a small board.
const (
	maxResident = 24 << 20              // bytes, at most
	maxStart    = 20 * time.Millisecond // to the first tools/list, the least of some: the machine may have more to do
	// hour is how many frames the server's sample data are in an hour; this
	// server sent 60.8 a second (n2k, signalk-server 2.23).
	hour = 219_000
)

// TestBudgetMemory lives through an hour of the server's own NMEA 2000 sample, as
// fast as it is read, on a boat of 500 paths among 200 others, and is asked a
// thousand times.
func TestBudgetMemory(t *testing.T) {
	recorded, err := os.ReadFile("../../signalk/testdata/n2k-all-2.23.0.jsonl")
	require.NoError(t, err)
	frames := bytes.Split(bytes.TrimSpace(recorded), []byte("\n"))[1:] // the first is a hello
	require.Greater(t, len(frames), 200)
	const self = "vessels.urn:mrn:imo:mmsi:230099999"
	now := time.Now().UTC().Format(time.RFC3339)
	hello := fmt.Sprintf(`{"name":"signalk-server","version":"2.23.0","self":%q,"roles":["main"],"timestamp":%q}`, self, now)
	var boat [][]byte
	for i := range 500 {
		boat = append(boat, fmt.Appendf(nil, `{"context":%q,"updates":[{"$source":"n2k.%d","timestamp":%q,"values":[{"path":"electrical.test.%d.voltage","value":12.%d}]}]}`, self, i%8, now, i, i))
	}
	boat = append(boat, fmt.Appendf(nil, `{"context":%q,"updates":[{"$source":"n2k.1","timestamp":%q,"values":[{"path":"environment.depth.belowKeel","value":3.5}]}]}`, self, now))
	for i := range 200 {
		boat = append(boat, fmt.Appendf(nil, `{"context":"vessels.urn:mrn:imo:mmsi:2301%05d","updates":[{"$source":"ais","timestamp":%q,"values":[{"path":"navigation.position","value":{"latitude":60.%d,"longitude":24}},{"path":"navigation.speedOverGround","value":5},{"path":"","value":{"name":"SHIP %d"}}]}]}`, i, now, i, i))
	}
	told := make(chan error, 1)
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !websocket.IsWebSocketUpgrade(r) {
			if r.URL.Path != "/signalk" {
				http.NotFound(w, r)
				return
			}
			fmt.Fprintf(w, `{"endpoints":{"v1":{"version":"2.23.0","signalk-ws":"ws%s/signalk/v1/stream"}},"server":{"id":"signalk-server-node","version":"2.23.0"}}`,
				strings.TrimPrefix(server.URL, "http"))
			return
		}
		var up websocket.Upgrader
		ws, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer ws.Close()
		err = ws.WriteMessage(websocket.TextMessage, []byte(hello))
		for i := 0; i < hour && err == nil; i++ {
			if i%(hour/60) == 0 { // the boat itself once a minute
				for _, f := range boat {
					ws.WriteMessage(websocket.TextMessage, f)
				}
			}
			err = ws.WriteMessage(websocket.TextMessage, frames[i%len(frames)])
		}
		select {
		case told <- err:
		default:
		}
		for err == nil {
			_, _, err = ws.ReadMessage()
		}
	}))
	defer server.Close()
	p, _ := started(t, "-url", server.URL, "-log-level", "error")
	require.NoError(t, <-told)
	names := toolNames()
	for i := range calls {
		name := names[i%len(names)]
		arguments := map[string]any{}
		if name == "read_sensor" {
			arguments["path"] = "electrical.test"
		}
		p.call(name, arguments)
	}
	assert.Contains(t, string(p.call("depth_state", map[string]any{})), "below the keel")
	resident, peak := p.memory("VmRSS"), p.memory("VmHWM")
	t.Logf("after %d frames, 500 paths, 200 vessels and %d calls: resident %.1f MiB, at most %.1f MiB", hour, calls, mib(resident), mib(peak))
	assert.LessOrEqual(t, peak, maxResident)
	p.end()
}

// TestBudgetStart measures from the start of the process to the catalogue.
func TestBudgetStart(t *testing.T) {
	var took []time.Duration
	for range starts {
		p, d := started(t, "-url", "http://127.0.0.1:1", "-log-level", "error")
		took = append(took, d)
		p.end()
	}
	slices.Sort(took)
	t.Logf("start to tools/list, %d times: median %v, least %v, most %v", starts, took[starts/2], took[0], took[starts-1])
	assert.LessOrEqual(t, took[0], maxStart)
}

// started is the program as it is released for this machine.
func started(t *testing.T, args ...string) (p *guest, took time.Duration) {
	t.Helper()
	const binary = "../../bin/signalk-mcp"
	_, err := os.Stat(binary)
	require.NoError(t, err, "make build makes it")
	return launched(t, nil, append([]string{binary}, args...)...)
}

func mib(bytes int) float64 { return float64(bytes) / (1 << 20) }
