//go:build hosts

package mock_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

// TestHostsSignalKClient lets Signal K's own JavaScript client connect,
// subscribe, log in, ask for access and read.
func TestHostsSignalKClient(t *testing.T) {
	t.Parallel()
	const folder = "testdata/jsclient"
	node, err := exec.LookPath("node")
	require.NoError(t, err, "this test runs a client on Node, version 20 or newer")
	_, err = os.Stat(filepath.Join(folder, "node_modules", "@signalk", "client", "package.json"))
	require.NoError(t, err, "the client is not installed: run npm ci in mock/"+folder)
	for _, version := range []string{"2.23.0", "2.32.0"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			open := newBench(t, mock.Options{Version: version})
			secured := newBench(t, mock.Options{Version: version, Users: map[string]mock.User{"skipper": {Password: "right-000"}}})
			var stdout, stderr bytes.Buffer
			cmd := exec.Command(node, "client.mjs", port(open.url), port(secured.url))
			cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &stdout, &stderr
			require.NoError(t, cmd.Start())
			asked := func() bool { return len(secured.server.Waiting()) > 0 }
			if assert.Eventually(t, asked, time.Minute, 5*time.Millisecond) {
				require.NoError(t, secured.server.Approve("clock-1", mock.ReadOnly))
			}
			require.NoError(t, cmd.Wait(), "%s\n%s", &stdout, &stderr)
			var seen struct {
				Open struct {
					Self, Name, Units, Version, Alarm string
					Speed                             float64
					EndedByUnsubscribe                bool
				}
				Secured struct {
					Why, Name, Stranger, Asked, Token string
					HeardBefore                       int
					HeardAfter                        bool
				}
			}
			require.NoError(t, json.Unmarshal(stdout.Bytes(), &seen), stdout.String())
			assert.Equal(t, mock.DefaultSelf, seen.Open.Self)
			assert.NotEmpty(t, seen.Open.Name)
			assert.Equal(t, "m/s", seen.Open.Units)
			assert.Equal(t, "0.1.0", seen.Open.Version)
			assert.Equal(t, "warn", seen.Open.Alarm)
			assert.Greater(t, seen.Open.Speed, 0.0)
			assert.False(t, seen.Open.EndedByUnsubscribe)

			assert.Contains(t, seen.Secured.Why, "401 Unauthorized")
			assert.Equal(t, seen.Open.Name, seen.Secured.Name)
			assert.Equal(t, "refused", seen.Secured.Stranger)
			assert.Equal(t, "PENDING", seen.Secured.Asked)
			assert.Zero(t, seen.Secured.HeardBefore)
			assert.True(t, seen.Secured.HeardAfter)
			status, _, _ := secured.get("/signalk/v1/api/self", "Authorization: Bearer "+seen.Secured.Token)
			assert.Equal(t, 200, status)
		})
	}
}

func port(url string) string { return url[strings.LastIndex(url, ":")+1:] }
