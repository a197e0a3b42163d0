package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

// startMock runs the mock command until the test ends, and returns its address.
func startMock(t *testing.T, args ...string) (url string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var log syncBuffer
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, append([]string{"mock", "-addr", "127.0.0.1:0"}, args...), env{strings.NewReader(""), &log, &log, noEnv})
	}()
	t.Cleanup(func() {
		cancel()
		assert.Equal(t, exitOK, <-done, log.String())
	})
	at := regexp.MustCompile(`at (https?://[^;,\s]+)[;,]`)
	require.Eventually(t, func() bool { return at.MatchString(log.String()) }, 10*time.Second, time.Millisecond)
	return at.FindStringSubmatch(log.String())[1]
}

// What one mock says is recorded, and another replays it behind a password.
func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "boat.jsonl")
	server := mock.NewServer(mock.Options{Token: "secret-000"})
	t.Cleanup(server.Close)
	var out, log bytes.Buffer
	vars := map[string]string{"SIGNALK_TOKEN": "secret-000"}
	e := env{strings.NewReader(""), &out, &log, func(k string) string { return vars[k] }}
	require.Equal(t, exitOK, run(t.Context(), []string{"mock", "-record", server.URL, "-record-time", "300ms", file}, e), log.String())
	assert.Contains(t, log.String(), "time is up")
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "secret-000")
	assert.Equal(t, exitUsage, run(t.Context(), []string{"mock", "-record", server.URL, file}, e), "it writes over nothing")

	url := startMock(t, "-replay", file, "-user", "skipper:secret-111", "-display-units")
	vars = map[string]string{"SIGNALK_USER": "skipper", "SIGNALK_PASSWORD": "secret-111", "SIGNALK_LOG_LEVEL": "error"}
	assert.Equal(t, exitOK, run(t.Context(), []string{"say", "-url", url, "depth_state"}, e), log.String())
	assert.Contains(t, out.String(), "below the keel")
}

func TestRecordIsInterrupted(t *testing.T) {
	t.Parallel()
	server := mock.NewServer(mock.Options{})
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "boat.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	var log syncBuffer
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, []string{"mock", "-record", server.URL, file}, env{strings.NewReader(""), &log, &log, noEnv})
	}()
	require.Eventually(t, func() bool {
		text, _ := os.ReadFile(file)
		return bytes.Count(text, []byte("\n")) > 20
	}, 10*time.Second, time.Millisecond)
	cancel()
	assert.Equal(t, exitOK, <-done)
	assert.Contains(t, log.String(), "told to")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.True(t, bytes.HasSuffix(text, []byte("}\n")), "no half line")
}

func TestServerFlagsRefuse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for fault, args := range map[string][]string{
		"NAME:PASSWORD":     {"-user", "skipper"},
		"-replay":           {"-replay", filepath.Join(dir, "none")},
		"no hello":          {"-replay", "record_test.go"},
		"name of one file":  {"-record", "http://127.0.0.1:1"},
		"is between 1 and":  {"-record", "http://127.0.0.1:1", "-record-size", "0", filepath.Join(dir, "x")},
		"cannot connect":    {"-record", "http://127.0.0.1:1", filepath.Join(dir, "x")},
		"writes a new file": {"-record", "http://127.0.0.1:1", dir},
		"not http, https":   {"-record", "ftp://x", filepath.Join(dir, "x")},
		"the certificates":  {"-record", "http://127.0.0.1:1", "-ca", filepath.Join(dir, "none"), filepath.Join(dir, "x")},
	} {
		var log bytes.Buffer
		code := run(t.Context(), append([]string{"mock"}, args...), env{strings.NewReader(""), &log, &log, noEnv})
		assert.NotEqual(t, exitOK, code, fault)
		assert.Contains(t, log.String(), fault)
	}
	_, err := os.Stat(filepath.Join(dir, "x"))
	assert.ErrorIs(t, err, os.ErrNotExist, "nothing is left of a recording that did not begin")
}
