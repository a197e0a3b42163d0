//go:build budget

package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

const (
	starts = 20
	calls  = 1000
	curls  = 200
)

// TestCompare measures the program beside what it replaces, and writes the table of
// deploy/compare.md with -update.
func TestCompare(t *testing.T) {
	s := mock.NewServer(mock.Options{})
	defer s.Close()
	vars := []string{"SIGNALK_URL=" + s.URL, "SIGNALK_LOG_LEVEL=error"}
	node, err := exec.LookPath("node")
	require.NoError(t, err, "the server in TypeScript runs on Node 20")
	node, err = filepath.EvalSymlinks(node)
	require.NoError(t, err)
	const stripped = "../../dist/signalk-mcp-linux-amd64"

	table := "| | size on disk | memory | start | one answer, p50 | p95 |\n|---|---|---|---|---|---|\n"
	for _, c := range []struct {
		name, size string
		command    []string
	}{
		{"signalk-mcp", megabytes(sizeOf(t, stripped)), []string{stripped}},
		{"a server on the TypeScript SDK, REST for each answer",
			megabytes(sdkSize(t)) + ", and " + megabytes(sizeOf(t, node)) + " of Node", []string{node, "testdata/tsclient/server.mjs"}},
	} {
		var began, took []time.Duration
		memory := 0
		for i := range starts {
			p, d := launched(t, vars, c.command...)
			began = append(began, d)
			if i == starts-1 {
				p.call("depth_state", map[string]any{}) // the first waits for the boat
				for range calls {
					begin := time.Now()
					p.call("depth_state", map[string]any{})
					took = append(took, time.Since(begin))
				}
				memory = p.memory("VmHWM")
			}
			p.end()
		}
		table += row(c.name, c.size, fmt.Sprintf("%.0f MiB", mib(memory)), milliseconds(percentile(began, 50)), took)
	}
	var took []time.Duration
	for range curls {
		begin := time.Now()
		out, err := exec.Command("curl", "-sS", s.URL+"/signalk/v1/api/vessels/self/environment/depth").Output()
		require.NoError(t, err)
		require.Contains(t, string(out), "belowTransducer")
		took = append(took, time.Since(begin))
	}
	table += row("`curl`, and a model that does the arithmetic", "", "", "", took)
	t.Log("\n" + table)
	if *update {
		const page, from, to = "../../deploy/compare.md", "<!-- measured by make compare -->\n", "<!-- end -->"
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		before, rest, _ := strings.Cut(string(text), from)
		_, after, ok := strings.Cut(rest, to)
		require.True(t, ok)
		require.NoError(t, os.WriteFile(page, []byte(before+from+table+to+after), 0o644))
	}
}

func row(name, size, memory, began string, took []time.Duration) string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n",
		name, size, memory, began, milliseconds(percentile(took, 50)), milliseconds(percentile(took, 95)))
}

func percentile(d []time.Duration, p int) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[(len(d)-1)*p/100]
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000)
}

func megabytes(n int64) string { return fmt.Sprintf("%.0f MB", float64(n)/1e6) }

func sizeOf(t *testing.T, file string) int64 {
	t.Helper()
	i, err := os.Stat(file)
	require.NoError(t, err, "make compare makes it")
	return i.Size()
}

// sdkSize is what npm installed for the server in TypeScript; the second SDK, which
// it does not use, is left out.
func sdkSize(t *testing.T) (sum int64) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("testdata/tsclient/node_modules", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasSuffix(filepath.ToSlash(file), "@modelcontextprotocol/client"):
			return filepath.SkipDir
		case d.Type().IsRegular():
			i, err := d.Info()
			if err != nil {
				return err
			}
			sum += i.Size()
		}
		return nil
	}))
	return sum
}
