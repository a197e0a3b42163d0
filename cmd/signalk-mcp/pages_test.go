package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"signalk-mcp/mock"
)

// pages are the texts for people, by path.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, root := range []string{"../../README.md", "../../CHANGELOG.md", "../../deploy"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == "node_modules" {
				return filepath.SkipDir
			}
			if err != nil {
				return err
			}
			if filepath.Ext(path) == ".md" {
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				found[path] = string(text)
			}
			return nil
		}))
	}
	return found
}

// Links inside the tree lead somewhere.
func TestLinks(t *testing.T) {
	t.Parallel()
	n := 0
	for page, text := range pages(t) {
		for _, m := range regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`).FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			n++
			_, err := os.Stat(filepath.Join(filepath.Dir(page), m[1]))
			assert.NoError(t, err, "%s in %s", m[1], page)
		}
	}
	assert.Greater(t, n, 10)
}

// launch is how a host is told to start the program.
type launch struct {
	command string
	args    []string
	env     map[string]string
}

// launches finds them in a host's configuration, however deep.
func launches(v any) (all []launch) {
	if list, ok := v.([]any); ok {
		for _, x := range list {
			all = append(all, launches(x)...)
		}
		return all
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	text := func(keys ...string) string {
		for _, k := range keys {
			if s, ok := m[k].(string); ok {
				return s
			}
		}
		return ""
	}
	if c := text("command", "cmd"); c != "" {
		l := launch{command: c, env: map[string]string{}}
		args, _ := m["args"].([]any)
		for _, a := range args {
			l.args = append(l.args, a.(string))
		}
		for _, key := range []string{"env", "envs"} {
			vars, _ := m[key].(map[string]any)
			for k, v := range vars {
				l.env[k] = v.(string)
			}
		}
		return []launch{l}
	}
	for _, x := range m {
		all = append(all, launches(x)...)
	}
	return all
}

// Every configuration of a host's page starts the program, and a session with it
// answers.
func TestHostPages(t *testing.T) {
	t.Parallel()
	s := mock.NewServer(mock.Options{})
	t.Cleanup(s.Close)
	parsers := map[string]func([]byte, any) error{"json": json.Unmarshal, "yaml": yaml.Unmarshal, "toml": toml.Unmarshal}
	files, err := filepath.Glob("../../deploy/hosts/*.md")
	require.NoError(t, err)
	require.Len(t, files, 11, "ten hosts and their list")
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var all []launch
		for language, parse := range parsers {
			for _, b := range blocks(string(text), language) {
				var v any
				require.NoError(t, parse([]byte(b), &v), "%s: %s", file, b)
				all = append(all, launches(v)...)
			}
		}
		for _, b := range blocks(string(text), "sh") {
			for line := range strings.SplitSeq(strings.TrimSpace(b), "\n") {
				all = append(all, inShell(t, file, line))
			}
		}
		for _, b := range blocks(string(text), "python") {
			compiles(t, b)
			m := regexp.MustCompile(`params=(\{.*\})`).FindStringSubmatch(b)
			require.NotNil(t, m, file)
			var v any
			require.NoError(t, json.Unmarshal([]byte(m[1]), &v))
			all = append(all, launches(v)...)
		}
		require.NotEmpty(t, all, file)
		for _, l := range all {
			t.Run(filepath.Base(file)+" "+l.command+" "+strings.Join(l.args, " "), func(t *testing.T) {
				t.Parallel()
				l.start(t, s.URL)
			})
		}
	}
}

// compiles checks a program's syntax, where there is a Python to do it.
func compiles(t *testing.T, program string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		return
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", "import ast, sys; ast.parse(sys.stdin.read())")
	cmd.Stdin = strings.NewReader(program)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// inShell takes the start of the program out of a line that is typed.
func inShell(t *testing.T, file, line string) launch {
	t.Helper()
	words := strings.Fields(strings.SplitN(strings.SplitN(line, " | ", 2)[0], " || ", 2)[0])
	l := launch{env: map[string]string{}}
	switch words[0] {
	case "claude", "codex", "gemini", "npx": // their own command line; what they start stands at its end
		for _, w := range words {
			if k, v, ok := strings.Cut(w, "="); ok {
				l.env[k] = v
			}
		}
		if words[0] == "claude" { // its --env takes every word up to the next option
			assert.NotRegexp(t, `(-e|--env)( [^- ]\S*){2}`, line, file)
		}
		start := slices.Index(words, "--")
		if start < 0 {
			start = len(words) - 2
		}
		words = words[start+1:]
	}
	require.Equal(t, "signalk-mcp", words[0], file)
	l.command, l.args = words[0], words[1:]
	return l
}

// start runs it, on a boat in this test instead of the page's.
func (l launch) start(t *testing.T, url string) {
	if line := strings.Fields(l.command); len(line) > 1 { // one that a shell takes apart
		l = inShell(t, "", l.command)
	}
	assert.Equal(t, "signalk-mcp", filepath.Base(l.command))
	vars := map[string]string{"SIGNALK_LOG_LEVEL": "error", "SIGNALK_URL": url}
	for k, v := range l.env {
		assert.Equal(t, "http://boat.local:3000", v, k)
	}
	for i, a := range l.args {
		if a == "http://boat.local:3000" {
			l.args[i] = url
		}
	}
	session := initialize + ready + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n" + depthCall
	var out, log bytes.Buffer
	code := run(t.Context(), l.args, env{strings.NewReader(session), &out, &log, func(k string) string { return vars[k] }})
	assert.Equal(t, exitOK, code, log.String())
	if len(l.args) > 0 && l.args[0] == "say" {
		assert.NotEmpty(t, out.String())
		return
	}
	assert.Contains(t, out.String(), `"depth_state"`)
	assert.Contains(t, out.String(), "below the keel")
}
