package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

// The commands of the README that are this program's are run here.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	s := mock.NewServer(mock.Options{})
	t.Cleanup(s.Close)
	ours := filepath.Join(t.TempDir(), "signalk-mcp") // stands in for the boat's program
	fake := fakeServer(t, "good")
	require.NoError(t, os.WriteFile(ours, fmt.Appendf(nil, "#!/bin/sh\nBREAKEVEN_FAKE=good exec %s\n", fake.command[0]), 0o700))
	found := 0
	for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
		for _, line := range strings.Split(strings.TrimSpace(block[1]), "\n") {
			line, is := strings.CutPrefix(line, "bin/breakeven ")
			if !is {
				continue
			}
			found++
			t.Run(line, func(t *testing.T) {
				t.Parallel()
				words := strings.Fields(strings.NewReplacer("http://boat.local:3000", s.URL, "bin/signalk-mcp", ours, "cmd/breakeven/", "").Replace(line))
				switch words[0] {
				case "compare", "truth":
					words = append(words, "-recipe", ourRecipe)
				case "bench": // shorter: its own tests have faults
					words = append(words, "-n", "2", "-warmup", "1", "-fail", "0%")
				}
				out, log, code := call(t, words...)
				if words[0] == "bench" && strings.Contains(log, "curl") {
					t.Log("curl is not installed: its row says so")
					code = exitOK
				}
				assert.Equal(t, exitOK, code, log)
				assert.NotEmpty(t, out)
			})
		}
	}
	assert.Equal(t, len(commands)+1, found, "each command is shown, compare twice")
}
