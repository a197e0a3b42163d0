//go:build hosts || real

package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shell runs a line of the recipe with curl and jq, and gives what it prints.
func shell(t *testing.T, r *recipe, c recipeCommand) string {
	t.Helper()
	script := ""
	for _, name := range []string{"B", "V", "C"} {
		script += name + "=" + r.vars[name] + "\n"
	}
	var said bytes.Buffer
	cmd := exec.Command("sh", "-c", script+c.line)
	cmd.Stderr = &said
	out, err := cmd.Output()
	require.NoError(t, err, "curl and jq must be installed: %s", &said)
	require.Empty(t, said.String(), c.line)
	return strings.TrimSpace(string(out))
}

// canonical is lines of JSON with the members of objects by name.
func canonical(t *testing.T, lines string) (list []any) {
	t.Helper()
	for _, line := range strings.Split(lines, "\n") {
		var v any
		require.NoError(t, json.Unmarshal([]byte(line), &v), line)
		list = append(list, v)
	}
	return list
}
