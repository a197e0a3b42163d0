//go:build qemu

package main

import (
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

// boards are the processors of small boards, as QEMU models them, and the binary
// for each: Raspberry Pi Zero and 1, 2, 3 and newer.
var boards = map[string][]string{
	"linux-armv6": {"qemu-arm-static", "-cpu", "arm1176"},
	"linux-armv7": {"qemu-arm-static", "-cpu", "cortex-a7"},
	"linux-arm64": {"qemu-aarch64-static", "-cpu", "cortex-a53"},
}

// TestBoards holds a session with each board's binary. Every board says the
// numbers that this machine's own binary says of the same boat.
func TestBoards(t *testing.T) {
	t.Parallel()
	now := time.Now() // her time stands still, so that all who ask hear the same
	s := boat(t, mock.Options{Now: func() time.Time { return now }})
	env := []string{"SIGNALK_URL=" + s.URL, "SIGNALK_LOG_LEVEL=error"}
	want := timeless(askAll(t, over(t, env, dist+"signalk-mcp-linux-amd64")))
	for target, emulator := range boards {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			got := askAll(t, over(t, env, append(emulator, dist+"signalk-mcp-"+target)...))
			assert.Equal(t, want, timeless(got))
		})
	}
}

// timeless leaves out the answers that go with this computer's clock: the time,
// how long there has been an alarm, when the next point is reached.
func timeless(answers map[string]map[string]any) map[string]map[string]any {
	delete(answers, "get_local_time")
	delete(answers, "get_active_alarms")
	delete(answers, "get_route")
	return answers
}

// TestEmulatorIsStrict shows that the emulated ARMv6 board proves something: the
// ARMv7 binary does not run on it.
func TestEmulatorIsStrict(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("qemu-arm-static", "-cpu", "arm1176", dist+"signalk-mcp-linux-armv7", "version").CombinedOutput()
	require.Error(t, err, "ARMv6 ran ARMv7 code: %s", out)
	t.Logf("%v: %s", err, out)
}
