package main

import (
	"bytes"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A wrong use is told in one line, with what may have been meant.
func TestWrongUse(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"doc":                      `no command "doc" (did you mean doctor?)`,
		"docter":                   `no command "docter" (did you mean doctor?)`,
		"say -batery-current x":    "-batery-current (did you mean -battery-current?)",
		"say -tok x":               "-tok (did you mean -token-file?)",
		"say deph_state":           `no tool "deph_state" (did you mean depth_state?)`,
		"say depth":                `no tool "depth" (did you mean depth_state?)`,
		"login -timeout 5":         `"5" for flag -timeout, which takes a time such as 90s or 10m`,
		"say -insecure=maybe":      `"maybe" for -insecure, which takes true or false`,
		"mock -speed fast":         `"fast" for flag -speed, which takes a number`,
		"serve -url":               "flag needs an argument: -url",
		"-token-file /none/of/it":  "/none/of/it: no such file or directory",
		"-login-file /none/of/it":  "/none/of/it: no such file or directory",
		"doctor -ca /none/of/it":   "/none/of/it: no such file or directory",
		"say -token-file testdata": "testdata is no regular file",
	} {
		code, out, log := runIn(t, nil, strings.Fields(line)...)
		assert.Equal(t, exitUsage, code, line)
		assert.Empty(t, out, line)
		assert.Contains(t, log, want, line)
		assert.Equal(t, 1, strings.Count(log, "\n"), log)
	}
}

// The version is asked for in all ways that people know.
func TestVersion(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"version", "-version", "--version"} {
		code, out, log := runIn(t, nil, word)
		assert.Equal(t, exitOK, code, word)
		assert.Regexp(t, `^signalk-mcp \S+ go\S+ \w+/\w+\n$`, out)
		assert.Empty(t, log)
	}
}

// What could not be written was not said.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"say", "doctor"} {
		var log bytes.Buffer
		full := writer(func([]byte) (int, error) { return 0, syscall.ENOSPC })
		code := run(t.Context(), []string{command, "-mock", "-log-level", "error"}, env{strings.NewReader(""), full, &log, noEnv})
		assert.Equal(t, exitFailed, code, command)
		assert.Contains(t, log.String(), "no space left on device")
		assert.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
