//go:build cable

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// network is two hosts with a switch between them, each in a network namespace
// of its own: boat has the server, desk the program.
type network struct{ boat, desk, bridge string }

// newNetwork makes the hosts. It skips where the machine does not let it.
func newNetwork(t *testing.T) network {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("needs ip of iproute2 to make network namespaces")
	}
	id := fmt.Sprint(os.Getpid())
	n := network{"boat" + id, "desk" + id, "sw" + id}
	if out, err := exec.Command("ip", "netns", "add", n.boat).CombinedOutput(); err != nil {
		t.Skipf("this machine does not allow network namespaces: %s", out)
	}
	t.Cleanup(func() { n.ip(t, "netns del "+n.boat) })
	n.ip(t, "netns add "+n.desk)
	t.Cleanup(func() { n.ip(t, "netns del "+n.desk) })
	n.ip(t, "link add "+n.bridge+" type bridge")
	t.Cleanup(func() { n.ip(t, "link del "+n.bridge) })
	n.ip(t, "link set "+n.bridge+" up")
	for ns, address := range map[string]string{n.boat: "10.77.0.2/24", n.desk: "10.77.0.1/24"} {
		n.ip(t, "link add p"+ns+" type veth peer name e0 netns "+ns)
		n.ip(t, "link set p"+ns+" master "+n.bridge+" up")
		for _, c := range []string{"addr add " + address + " dev e0", "link set e0 up", "link set lo up"} {
			n.ip(t, "-n "+ns+" "+c)
		}
	}
	return n
}

func (n network) ip(t *testing.T, command string) {
	t.Helper()
	out, err := exec.Command("ip", strings.Fields(command)...).CombinedOutput()
	require.NoError(t, err, "ip %s: %s", command, out)
}

// cut pulls the boat's cable out of the switch: the desk's own link stays up, and
// what it sends is dropped without a word.
func (n network) cut(t *testing.T)  { n.ip(t, "link set p"+n.boat+" down") }
func (n network) plug(t *testing.T) { n.ip(t, "link set p"+n.boat+" up") }

// TestCable cuts the cable between the program and the server, and puts it back.
func TestCable(t *testing.T) {
	n := newNetwork(t)
	bin := filepath.Join(t.TempDir(), "signalk-mcp")
	out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	ctx, cancel := context.WithCancel(t.Context())
	server := exec.CommandContext(ctx, "ip", "netns", "exec", n.boat, bin, "mock", "-addr", "10.77.0.2:3000")
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		cancel()
		server.Wait()
	})
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil)
	command := exec.Command("ip", "netns", "exec", n.desk, bin, "-url", "http://10.77.0.2:3000", "-log-level", "error")
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { session.Close() })

	ask := func() (live bool, text string) {
		begin := time.Now()
		res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "depth_state"})
		require.NoError(t, err)
		require.Less(t, time.Since(begin), 2*time.Second, "an answer never waits for the link")
		text = res.Content[0].(*mcp.TextContent).Text
		return !strings.Contains(text, `"status"`), text
	}
	// until asks twice a second; no answer may be live when it must not be.
	until := func(want bool, limit time.Duration) time.Duration {
		begin := time.Now()
		for time.Since(begin) < limit {
			if live, _ := ask(); live == want {
				return time.Since(begin)
			}
			time.Sleep(500 * time.Millisecond)
		}
		_, text := ask()
		t.Fatalf("after %v the answer is %s", limit, text)
		return 0
	}
	until(true, 15*time.Second)
	n.cut(t)
	found := until(false, 31*time.Second)
	_, text := ask()
	assert.Contains(t, text, `"status":"disconnected"`, "the dead socket is found by then")
	n.plug(t)
	back := until(true, 45*time.Second)
	t.Logf("the cut was found after %v, the boat was back %v after the cable", found.Round(100*time.Millisecond), back.Round(100*time.Millisecond))
}
