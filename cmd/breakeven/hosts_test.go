//go:build hosts

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const nodeFolder = "testdata/node"

// installed gives a file of what npm ci installs.
func installed(t *testing.T, file string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(nodeFolder, "node_modules", file))
	require.NoError(t, err)
	_, err = os.Stat(path)
	require.NoError(t, err, "run npm ci in cmd/breakeven/"+nodeFolder)
	return path
}

// everything is a server that we did not write.
func everything(t *testing.T) []string {
	t.Helper()
	node, err := exec.LookPath("node")
	require.NoError(t, err, "this test runs a server on Node, version 20 or newer")
	return []string{node, installed(t, "@modelcontextprotocol/server-everything/dist/index.js")}
}

// everythingHTTP starts it on Streamable HTTP.
func everythingHTTP(t *testing.T) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", ":0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	require.NoError(t, l.Close())
	var log bytes.Buffer
	command := append(everything(t), "streamableHttp")
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", port))
	cmd.Stderr = &log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	url = fmt.Sprintf("http://127.0.0.1:%d/mcp", port)
	require.Eventually(t, func() bool {
		resp, err := http.Get(url)
		if err == nil {
			resp.Body.Close()
		}
		return err == nil
	}, 20*time.Second, 50*time.Millisecond, "it does not listen: %s", &log)
	return url
}

// boatProgram builds our own server.
func boatProgram(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "signalk-mcp")
	out, err := exec.Command("go", "build", "-o", binary, "../signalk-mcp").CombinedOutput()
	require.NoError(t, err, string(out))
	return binary
}

// A foreign catalogue is the same over both of its transports, and ours over
// stdio is the one that is built in.
func TestHostsAudit(t *testing.T) {
	t.Parallel()
	out, log, code := call(t, append([]string{"audit", "-json", "-url", everythingHTTP(t), "--"}, everything(t)...)...)
	require.Equal(t, exitOK, code, log)
	var audits []audit
	require.NoError(t, json.Unmarshal([]byte(out), &audits))
	require.Len(t, audits, 2)
	byHTTP, byStdio := audits[0], audits[1]
	assert.Equal(t, "HTTP", byHTTP.Transport)
	assert.Equal(t, "stdio", byStdio.Transport)
	require.Greater(t, len(byStdio.Tools), 5)
	var found []string
	for _, x := range byHTTP.Tools {
		found = append(found, x.Name)
		assert.Positive(t, x.InputSchema)
	}
	assert.Subset(t, found, []string{"echo", "get-sum", "get-env"})
	for _, x := range byStdio.Tools { // over stdio there are some more, which depend on the client
		for _, y := range byHTTP.Tools {
			if x.Name == y.Name {
				assert.Equal(t, y, x)
			}
		}
	}
	ours, log, code := call(t, "audit", "-json", "--", boatProgram(t), "-mock", "-log-level", "error")
	require.Equal(t, exitOK, code, log)
	require.NoError(t, json.Unmarshal([]byte(ours), &audits))
	assert.Equal(t, auditOurs(cl100k(t), 200_000).Fingerprint, audits[0].Fingerprint)
	assert.Equal(t, auditOurs(cl100k(t), 200_000).Seen, audits[0].Seen)
}

func TestHostsBench(t *testing.T) {
	t.Parallel()
	args := []string{"bench", "-mock", "-json", "-bin", boatProgram(t), "-n", "20", "-warmup", "2", "-starts", "2", "-fail", "10%",
		"-call", "echo", "-args", `{"message":"hello"}`, "-mcp", everythingHTTP(t), "--"}
	out, log, code := call(t, append(args, everything(t)...)...)
	require.Equal(t, exitOK, code, log)
	var rows []benchRow
	require.NoError(t, json.Unmarshal([]byte(out), &rows), out)
	require.Len(t, rows, 5)
	for _, r := range rows {
		assert.Empty(t, r.Error, r.Side)
		assert.Equal(t, 20, r.Asked, r.Side)
		assert.Positive(t, r.P50, r.Side)
		assert.LessOrEqual(t, r.P50, r.P95, r.Side)
		assert.LessOrEqual(t, r.P95, r.Max, r.Side)
		stdio := strings.Contains(r.Side, "stdio") || strings.Contains(r.Side, "index.js")
		assert.Equal(t, stdio, r.Start > 0, r.Side)
		assert.Equal(t, stdio, r.Resident > 0, r.Side)
	}
	assert.Less(t, rows[1].Success, 1.0, "REST is behind the fault")
	assert.Equal(t, 1.0, rows[3].Success, "a foreign server is not")
	assert.Equal(t, 1.0, rows[4].Success)
	for kind := range rows[0].Errors {
		assert.Equal(t, recoverable, kind, "ours says that it tries again: %v", rows[0].Examples)
	}
}

// The export of a catalogue that is not ours keeps each provider's rules.
func TestHostsExport(t *testing.T) {
	t.Parallel()
	out, log, _ := call(t, append([]string{"export", "-provider", "openai", "-strict", "--"}, everything(t)...)...)
	var list []openAITool
	require.NoError(t, json.Unmarshal([]byte(out), &list), log)
	require.NotEmpty(t, list)
	for _, d := range list {
		checkOpenAI(t, d, true)
	}
	out, log, _ = call(t, append([]string{"export", "-provider", "gemini", "--"}, everything(t)...)...)
	var gemini []geminiTool
	require.NoError(t, json.Unmarshal([]byte(out), &gemini), log)
	require.NotEmpty(t, gemini[0].Declarations)
	for _, d := range gemini[0].Declarations {
		if d.Parameters != nil {
			checkGemini(t, d.Parameters)
		}
	}
}

// gpt-tokenizer counts as we do what stands in the repository now, too.
func TestHostsTokens(t *testing.T) {
	t.Parallel()
	installed(t, "gpt-tokenizer/package.json")
	cmd := exec.Command("node", "count.mjs", "../../../../tools/testdata/catalog.json", "../../../../deploy/AGENTS.md", "../../../../README.md")
	cmd.Dir = nodeFolder
	out, err := cmd.Output()
	require.NoError(t, err)
	var list []counted
	require.NoError(t, json.Unmarshal(out, &list))
	require.Len(t, list, 203)
	for _, x := range list {
		x.check(t)
	}
}

// A shell runs the recipe as it stands, and its curl and jq print what ours do.
func TestHostsRecipe(t *testing.T) {
	t.Parallel()
	url, done, err := (&boatFlags{mock: true}).open(standing())
	require.NoError(t, err)
	defer done()
	r, err := readRecipe(ourRecipe, url)
	require.NoError(t, err)
	for _, c := range r.commands {
		_, want, err := r.run(t.Context(), c)
		require.NoError(t, err)
		assert.Equal(t, canonical(t, want), canonical(t, shell(t, r, c)), c.line)
	}
}
