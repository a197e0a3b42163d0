package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A person who types the bare name is told what it is, on stderr; it serves all
// the same, and ends with the end of its input.
func TestTerminal(t *testing.T) {
	t.Parallel()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	defer master.Close()
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	defer tty.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var out, log bytes.Buffer
	_, err = master.Write([]byte{4}) // Ctrl-D
	require.NoError(t, err)
	code := run(ctx, []string{"-mock", "-log-level", "error"}, env{tty, &out, &log, noEnv})
	cancel()
	assert.Equal(t, exitOK, code)
	assert.Contains(t, log.String(), "signalk-mcp say -mock")
	assert.Empty(t, out.String())
}
