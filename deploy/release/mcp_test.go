package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/tools"
)

// serverSchema is the MCP Registry's schema of 2025-12-11, from its Go module,
// version 1.8.9 (internal/validators/schemas; MIT, © Model Context Protocol, a
// Series of LF Projects, LLC), without its examples:
// jq 'walk(if type=="object" then del(.examples, .example) else . end)'
const serverSchema = "../testdata/server.schema.json"

func TestServerJSON(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../server.json")
	require.NoError(t, err)
	require.NoError(t, valid(t, serverSchema, text))
	for what, broken := range map[string][2]string{
		"no version":         {`"version": "0.0.0",`, ``},
		"name without slash": {`io.github.signalk-mcp/signalk-mcp"`, `signalk-mcp"`},
		"short hash":         {strings.Repeat("0", 64), "00"},
		"no transport":       {`"transport": {"type": "stdio"},`, ``},
		"long description":   {`by voice.`, strings.Repeat("x", 100)},
	} {
		require.Contains(t, string(text), broken[0], what)
		assert.Error(t, valid(t, serverSchema, []byte(strings.Replace(string(text), broken[0], broken[1], 1))), what)
	}
}

// The bundle's manifest lists the tools as the program does, and its server.json
// the same variables as the manifest sets.
func TestManifest(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../mcpb/manifest.json")
	require.NoError(t, err)
	var m struct {
		Tools  []struct{ Name, Description string }
		Server struct {
			Config struct{ Env map[string]string } `json:"mcp_config"`
		}
		UserConfig map[string]any `json:"user_config"`
	}
	require.NoError(t, json.Unmarshal(text, &m))
	require.Len(t, m.Tools, len(tools.Catalog()))
	for i, tool := range tools.Catalog() {
		assert.Equal(t, tool.Name, m.Tools[i].Name)
		assert.Equal(t, tool.Description, m.Tools[i].Description)
	}
	server, err := os.ReadFile("../server.json")
	require.NoError(t, err)
	for variable, value := range m.Server.Config.Env {
		assert.Contains(t, m.UserConfig, strings.TrimSuffix(strings.TrimPrefix(value, "${user_config."), "}"))
		assert.Contains(t, string(server), `"`+variable+`"`)
	}
}

// The recipe copies what the Makefile makes.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../Dockerfile")
	require.NoError(t, err)
	makefile, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	assert.Contains(t, string(text), "COPY dist/signalk-mcp-linux-${TARGETARCH}${TARGETVARIANT} /signalk-mcp\n")
	for _, platform := range []string{"amd64", "arm64", "armv7", "armv6", "riscv64"} { // as BuildKit names them
		assert.Regexp(t, `(?m)^(BOARDS|TARGETS) .*linux-`+platform+`( |$)`, string(makefile))
	}
}
