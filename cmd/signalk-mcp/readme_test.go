package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
	"signalk-mcp/tools"
)

var update = flag.Bool("update", false, "rewrite what is generated in the README")

const readme = "../../README.md"

func readReadme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	return string(text)
}

// blocks gives the fenced blocks of a language.
func blocks(text, language string) []string {
	var list []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// Every command of the README is run, here or by .ci/run.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	s := mock.NewServer(mock.Options{})
	t.Cleanup(s.Close)
	var commands []string
	for _, b := range blocks(readReadme(t), "sh") {
		for _, c := range strings.Split(strings.TrimSpace(b), "\n") {
			if !strings.HasPrefix(c, "bin/breakeven ") { // that program's own test runs these
				commands = append(commands, c)
			}
		}
	}
	require.Greater(t, len(commands), 5)
	require.Equal(t, []string{"make run", "make test"}, commands[:2], ".ci/run runs these")
	for _, c := range commands[2:] {
		t.Run(c, func(t *testing.T) {
			t.Parallel()
			vars := map[string]string{"SIGNALK_URL": s.URL, "SIGNALK_LOG_LEVEL": "error"}
			line := strings.NewReplacer("http://boat.local:3000", s.URL, "http://127.0.0.1:3000", s.URL).Replace(c)
			line, speech, piped := strings.Cut(line, " | ")
			if piped {
				assert.Equal(t, "espeak-ng", speech)
			}
			if name, value, ok := strings.Cut(strings.Fields(line)[0], "="); ok {
				vars[name] = value
				_, line, _ = strings.Cut(line, " ")
			}
			words := strings.Fields(line)
			require.Equal(t, "bin/signalk-mcp", words[0])
			var out, log bytes.Buffer
			e := env{strings.NewReader(""), &out, &log, func(k string) string { return vars[k] }}
			switch words[1] {
			case "mock": // it runs until it is told to end; the mock's own tests talk to it
				ended, cancel := context.WithCancel(t.Context())
				cancel()
				dir := t.TempDir()
				for i, w := range words {
					switch {
					case w == ":3000", w == s.URL[len("http://"):]:
						words[i] = "127.0.0.1:0"
					case w == "passage.jsonl":
						words[i] = filepath.Join(dir, w)
					case w == "-announce": // to nobody: a test keeps to itself
						words[i] = "-announce=false"
					case w == "10m":
						words[i] = "100ms"
					case strings.HasPrefix(w, "mock/testdata/"):
						words[i] = "../../" + w
					}
				}
				if slices.Contains(words, "-record") {
					ended = t.Context()
				} else if !slices.Contains(words, "-addr") {
					words = append(words, "-addr", "127.0.0.1:0")
				}
				assert.Equal(t, exitOK, run(ended, words[1:], e), log.String())
				return
			case "discover": // what it finds is the network's
				assert.Contains(t, []int{exitOK, exitNotNow}, run(t.Context(), words[1:], e))
				return
			case "login": // its own test has a server with security
				vars["XDG_STATE_HOME"] = t.TempDir()
				assert.Equal(t, exitFailed, run(t.Context(), words[1:], e))
				assert.Contains(t, log.String(), "no token is needed")
				return
			}
			assert.Equal(t, exitOK, run(t.Context(), words[1:], e), log.String())
			assert.NotEmpty(t, out.String())
		})
	}
}

func TestReadmeHostConfiguration(t *testing.T) {
	t.Parallel()
	list := blocks(readReadme(t), "json")
	require.NotEmpty(t, list)
	for _, b := range list {
		var c struct {
			Servers map[string]struct {
				Command string
				Env     map[string]string
			} `json:"mcpServers"`
		}
		require.NoError(t, json.Unmarshal([]byte(b), &c), b)
		require.Contains(t, c.Servers, "signalk")
		for k := range c.Servers["signalk"].Env {
			assert.Contains(t, readReadme(t), "`"+k+"`", "a variable that is explained")
		}
	}
}

// The flags, the table of tools and the figures are those of the program.
func TestReadmeIsTrue(t *testing.T) {
	t.Parallel()
	text := readReadme(t)
	table := "| tool | answers | arguments |\n|---|---|---|\n"
	for _, tool := range tools.Catalog() {
		var s struct{ Properties map[string]any }
		require.NoError(t, json.Unmarshal(tool.InputSchema, &s))
		var names []string
		for _, n := range []string{"bank", "path", "prefix", "cursor"} {
			if _, ok := s.Properties[n]; ok {
				names = append(names, "`"+n+"`")
			}
		}
		require.Len(t, names, len(s.Properties), "an argument that the README's order does not know")
		table += fmt.Sprintf("| `%s` | %s | %s |\n", tool.Name, tool.Description, strings.Join(names, ", "))
	}
	var catalog bytes.Buffer
	e := json.NewEncoder(&catalog)
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(tools.Catalog()))
	want := regexp.MustCompile(`(?s)(<!-- tools: [^\n]*-->\n).*?(<!-- end of tools -->)`).ReplaceAllString(text, "${1}"+table+"${2}")
	want = regexp.MustCompile(`(<!-- catalogue -->)\d+(<!-- -->)`).ReplaceAllString(want, fmt.Sprintf("${1}%d${2}", tokens(t, strings.TrimSpace(catalog.String()))))
	if *update {
		require.NoError(t, os.WriteFile(readme, []byte(want), 0o644))
	}
	assert.Equal(t, want, text)

	for _, c := range commands {
		named := c.name == "serve" || strings.Contains(text, "`"+c.name+"`") || strings.Contains(text, "signalk-mcp "+c.name)
		assert.True(t, named, "%s is explained", c.name)
	}
	var help bytes.Buffer
	run(t.Context(), []string{"serve", "-h"}, env{strings.NewReader(""), &help, &help, noEnv})
	for _, m := range regexp.MustCompile(`(?m)^  -([a-z-]+)`).FindAllStringSubmatch(help.String(), -1) {
		assert.True(t, strings.Contains(text, "`-"+m[1]+"`"), "-%s is explained", m[1])
	}
}

// What the README says is heard, is said.
func TestReadmeSymptoms(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	files, err := filepath.Glob("../../tools/testdata/answers/*.txt")
	require.NoError(t, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		said.Write(text)
	}
	_, section, found := strings.Cut(readReadme(t), "## When something is wrong\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	quotes := regexp.MustCompile(`“([^”]+)”`).FindAllStringSubmatch(section, -1)
	require.Greater(t, len(quotes), 4)
	for _, q := range quotes {
		assert.Contains(t, said.String(), strings.Trim(q[1], "… "))
	}
}

// The project speaks of itself alone: no path of a machine, no host of a
// registry, in any file of it.
func TestNoPathOfAMachine(t *testing.T) {
	t.Parallel()
	foreign := regexp.MustCompile(`(/home|/root|/Users|/work)/[a-z]|proxy\.golang\.org|registry\.npmjs\.org`)
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".git", "node_modules", "bin", "dist"}, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		text, err := os.ReadFile(path)
		if m := foreign.Find(text); m != nil && d.Name() != "readme_test.go" {
			t.Errorf("%s: %s", path, m)
		}
		return err
	})
	require.NoError(t, err)
}
