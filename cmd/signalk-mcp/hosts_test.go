//go:build hosts

package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHosts starts the built program from the TypeScript SDKs that most hosts
// are made of: version 1 and, in both eras of the protocol, version 2. What an
// answer must look like is checked by the client, testdata/tsclient/client.mjs.
func TestHosts(t *testing.T) {
	const folder = "testdata/tsclient"
	node, err := exec.LookPath("node")
	require.NoError(t, err, "this test runs a client on Node, version 20 or newer")
	_, err = os.Stat(filepath.Join(folder, "node_modules", "@modelcontextprotocol", "client", "package.json"))
	require.NoError(t, err, "the client is not installed: run npm ci in cmd/signalk-mcp/"+folder)
	binary := filepath.Join(t.TempDir(), "signalk-mcp")
	out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, string(out))

	var stdout, stderr bytes.Buffer
	cmd := exec.Command(node, "client.mjs", binary, "-mock")
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &stdout, &stderr
	runErr := cmd.Run()
	var seen struct {
		Node     string
		Problems []string
		Runs     []struct {
			Host, ProtocolVersion, Log string
			Tools                      []string
			Calls                      map[string]string // what a person hears, by tool
		}
	}
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &seen), "%v\n%s\n%s", runErr, &stdout, &stderr)
	for _, p := range seen.Problems {
		t.Error(p)
	}
	require.NoError(t, runErr, stderr.String())

	tools := []string{"battery_state", "depth_state", "get_active_alarms", "get_local_time", "get_route", "list_paths", "read_sensor"}
	versions := map[string]string{}
	for _, r := range seen.Runs {
		versions[r.Host] = r.ProtocolVersion
		assert.Equal(t, tools, r.Tools, r.Host)
		assert.Len(t, r.Calls, len(tools), r.Host)
		if r.Log != "" { // it is there where a check failed
			t.Logf("%s: the program's log:\n%s", r.Host, r.Log)
		}
	}
	assert.Equal(t, map[string]string{
		"sdk 1, legacy":    "2025-11-25", // the newest that the old handshake can settle
		"client 2, legacy": "2025-11-25",
		"client 2, auto":   "2026-07-28",
		"client 2, modern": "2026-07-28",
	}, versions)
	t.Logf("%s: %v", seen.Node, versions)
}
