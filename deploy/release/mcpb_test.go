//go:build mcpb

package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

// tool runs a tool of Node that npm ci put into testdata/node.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command("testdata/node/node_modules/.bin/"+name, args...).CombinedOutput()
	require.NoError(t, err, "%s %q: %s", name, args, out)
	return string(out)
}

// TestInstalledBundle unpacks the bundle with Anthropic's tool, as a host does, and
// starts what its manifest says.
func TestInstalledBundle(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "with a blank")
	tool(t, "mcpb", "unpack", dist+"signalk-mcp.mcpb", folder)
	tool(t, "mcpb", "validate", filepath.Join(folder, "manifest.json"))
	var m struct {
		Version string
		Server  struct {
			EntryPoint string `json:"entry_point"`
			Config     struct {
				Command   string
				Platforms map[string]struct{ Command string } `json:"platform_overrides"`
				Env       map[string]string
			} `json:"mcp_config"`
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &m))
	in := func(s string) string { return strings.ReplaceAll(s, "${__dirname}", folder) }
	assert.FileExists(t, filepath.Join(folder, m.Server.EntryPoint))
	assert.FileExists(t, in(m.Server.Config.Platforms["win32"].Command))

	// Whatever a binary links, its licence is there.
	copyright, err := os.ReadFile(filepath.Join(folder, "copyright"))
	require.NoError(t, err)
	binaries, err := filepath.Glob(filepath.Join(folder, "server", "signalk-mcp-*"))
	require.NoError(t, err)
	require.NotEmpty(t, binaries)
	for _, b := range binaries {
		info, err := buildinfo.ReadFile(b)
		require.NoError(t, err, b)
		for _, d := range info.Deps {
			assert.Contains(t, string(copyright), "Files: "+d.Path+"@"+d.Version+"/*\n", b)
		}
	}

	// Both settings are optional: a host leaves their default, nothing, in their place.
	env := []string{"SIGNALK_TOKEN=", "SIGNALK_URL=" + boat(t, mock.Options{}).URL}
	require.Len(t, m.Server.Config.Env, len(env))
	askAll(t, over(t, env, in(m.Server.Config.Command)))

	// The registry's entry names this file.
	server, err := os.ReadFile(dist + "server.json")
	require.NoError(t, err)
	require.NoError(t, valid(t, serverSchema, server))
	file, err := os.ReadFile(dist + "signalk-mcp.mcpb")
	require.NoError(t, err)
	assert.Contains(t, string(server), fmt.Sprintf("%x", sha256.Sum256(file)))
	assert.Contains(t, string(server), `"version": "`+m.Version+`"`)
	assert.NotContains(t, string(server), `"0.0.0"`)
}

// TestLauncher shows what the launcher starts on each computer: uname is played,
// and the binaries say their names.
func TestLauncher(t *testing.T) {
	t.Parallel()
	for computer, want := range map[string]string{
		"Linux x86_64":  "linux-amd64",
		"Linux aarch64": "linux-arm64",
		"Linux armv6l":  "linux-armv6",
		"Linux armv7l":  "linux-armv6",
		"Linux armv8l":  "linux-armv6", // 32-bit programs on a 64-bit processor
		"Darwin arm64":  "darwin-arm64",
		"Darwin x86_64": "darwin-amd64",
		"Linux mips":    "",
		"FreeBSD amd64": "",
	} {
		t.Run(computer, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			script := func(name, text string) {
				require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755))
			}
			launcher, err := os.ReadFile("../mcpb/signalk-mcp")
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(folder, "signalk-mcp"), launcher, 0o755))
			system, machine, _ := strings.Cut(computer, " ")
			script("uname", `case $1 in -s) echo `+system+`;; -m) echo `+machine+`;; -sm) echo `+computer+`;; esac`)
			for _, b := range []string{"linux-amd64", "linux-arm64", "linux-armv6", "darwin-arm64", "darwin-amd64"} {
				script("signalk-mcp-"+b, `echo `+b+` "$@"`)
			}
			var stdout, stderr bytes.Buffer
			c := exec.Command(filepath.Join(folder, "signalk-mcp"), "say", "a b")
			c.Env = []string{"PATH=" + folder + ":" + os.Getenv("PATH")}
			c.Stdout, c.Stderr = &stdout, &stderr
			err = c.Run()
			if want == "" {
				assert.Error(t, err)
				assert.Empty(t, stdout.String(), "it is the protocol's")
				assert.Contains(t, stderr.String(), computer)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, want+" say a b\n", stdout.String())
		})
	}
}

func TestDockerfileSyntax(t *testing.T) {
	t.Parallel()
	assert.Empty(t, tool(t, "dockerfile-utils", "lint", "../Dockerfile"))
}
