package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
	"signalk-mcp/tools"
)

// runIn runs a command with an environment.
func runIn(t *testing.T, vars map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, log bytes.Buffer
	code = run(t.Context(), args, env{strings.NewReader(""), &out, &log, func(k string) string { return vars[k] }})
	return code, noSecret(t, out.String()), noSecret(t, log.String())
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	code, out, _ := runIn(t, nil, "doctor", "-mock")
	assert.Equal(t, exitOK, code)
	for _, want := range []string{"ok    server", "Signal K server 2.32.0", "values a second", "source   n2k-can0.35", "depth_state        live"} {
		assert.Contains(t, out, want)
	}
	assert.NotContains(t, out, "FAIL")
}

func TestDoctorAsJSON(t *testing.T) {
	t.Parallel()
	s := mock.NewServer(mock.Options{NoVessel: true})
	defer s.Close()
	require.NoError(t, s.Set("environment.depth.belowTransducer", 4.2))
	require.NoError(t, s.Send(mock.Delta{Updates: []mock.Update{{Source: "evil\x1b[2J\n", Values: []mock.PathValue{{Path: "a.b", Value: 1}}}}}))
	code, out, _ := runIn(t, nil, "doctor", "-json", "-url", s.URL)
	assert.Equal(t, exitOK, code)
	assert.NotRegexp(t, `(?m)^\s*"[^"]*[A-Z][^"]*":`, out, "names are in lower case throughout")
	var r report
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	assert.True(t, r.OK)
	assert.Len(t, r.Tools, len(tools.Catalog()))
	assert.Equal(t, "live", r.Stream.Link)
	assert.Equal(t, 2, r.Stream.Paths)
	assert.InDelta(t, 0, *r.Stream.ServerAheadS, 1)
	assert.Contains(t, strings.Join(r.Missing, "\n"), "environment.depth.transducerToKeel", "what is missing for a clearance")
	code, out, _ = runIn(t, nil, "doctor", "-url", s.URL)
	assert.Equal(t, exitOK, code)
	assert.NotContains(t, out, "\x1b", "what a bus sends steers no terminal")
}

func TestDoctorWithoutAServer(t *testing.T) {
	t.Parallel()
	code, out, _ := runIn(t, nil, "doctor", "-url", "http://127.0.0.1:1")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "FAIL  tcp      connection refused")
	assert.NotContains(t, out, "depth_state", "nothing was asked")
}

func TestDoctorWithARefusedToken(t *testing.T) {
	t.Parallel()
	s := mock.NewServer(mock.Options{Token: "good-000"})
	defer s.Close()
	code, out, log := runIn(t, map[string]string{"SIGNALK_TOKEN": "bad-000"}, "doctor", "-url", s.URL)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "FAIL  access")
	assert.NotContains(t, out+log, "bad-000")
}

// Files that the owner named wrongly are said in a line, at start.
func TestFilesOfTheOwner(t *testing.T) {
	t.Parallel()
	open := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(open, []byte("token-000"), 0o644))
	for name, args := range map[string][]string{
		"a token file that is not there": {"-token-file", filepath.Join(t.TempDir(), "none")},
		"a token file for everybody":     {"-token-file", open},
		"no certificates":                {"-ca", open},
		"a login file for everybody":     {"-login-file", open},
	} {
		for _, command := range []string{"say", "serve", "doctor"} {
			code, out, log := runIn(t, nil, append([]string{command, "-url", "http://127.0.0.1:1"}, args...)...)
			assert.Equal(t, exitUsage, code, name)
			assert.Empty(t, out)
			assert.Equal(t, 1, strings.Count(log, "\n"), log)
			assert.NotContains(t, log, "token-000")
		}
	}
}

func TestStateDir(t *testing.T) {
	t.Parallel()
	for want, vars := range map[string]map[string]string{
		"/x/state/signalk-mcp":        {"XDG_STATE_HOME": "/x/state", "HOME": "/h"},
		"/h/.local/state/signalk-mcp": {"XDG_STATE_HOME": "relative", "HOME": "/h"},
		"":                            {},
	} {
		assert.Equal(t, want, stateDir(func(k string) string { return vars[k] }))
	}
	code, _, log := runIn(t, nil, "login", "-url", "http://127.0.0.1:1")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, log, "XDG_STATE_HOME")
}

func TestClockWords(t *testing.T) {
	t.Parallel()
	for s, want := range map[float64]string{
		0: "0.0 s ahead of", -1.26: "1.3 s behind", 600: "10 minutes ahead of",
		-1024 * 7 * 86400: "about 20 years behind", // the rollover of GPS: 19.6 years
	} {
		assert.Equal(t, want, ahead(s))
	}
}
