package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "rewrite the golden files, and what is generated in the README and in deploy")

// TestMain makes the test binary a server of the kind that fakeServer names.
func TestMain(m *testing.M) {
	if kind := os.Getenv("BREAKEVEN_FAKE"); kind != "" {
		fake(kind)
		return
	}
	goleak.VerifyTestMain(m)
}

// fakeServer is an MCP server in a process of its own.
func fakeServer(t *testing.T, kind string) server {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return server{name: kind, command: []string{self}, env: map[string]string{"BREAKEVEN_FAKE": kind}}
}

// fake serves as the worst of servers do. It shares nothing with the SDK.
func fake(kind string) {
	switch kind {
	case "dies":
		fmt.Fprintln(os.Stderr, "cannot open \x1b[31mthe database")
		os.Exit(3)
	case "hangs":
		time.Sleep(time.Hour)
	case "deaf": // it does not end with its input, nor when it is asked to
		fmt.Println("not JSON at all \x00\x07")
		time.Sleep(time.Hour)
	}
	in := bufio.NewScanner(os.Stdin)
	pages := 0
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name, Cursor string }
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		answer := func(result string) { fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", m.ID, result) }
		switch m.Method {
		case "server/discover":
			answer(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`)
		case "initialize":
			if kind == "modern" {
				fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32601,\"message\":\"no handshake\"}}\n", m.ID)
				continue
			}
			answer(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`)
		case "tools/call":
			answer(`{"content":[{"type":"text","text":"{\"display\":\"4.2 metres\"}"}]}`)
		case "tools/list":
			pages++
			switch kind {
			case "good":
				if m.Params.Cursor == "" { // blanks and order are the server's own
					answer(`{"tools":[{"name":"a", "inputSchema":{"type":"object","properties":{"z":{"type":"string"},"b":{"type":"string"}}},"description":"First <one>"}],"nextCursor":"2"}`)
				} else {
					answer(`{"tools":[{"name":"b","description":"Second","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`)
				}
			case "modern":
				answer(`{"resultType":"complete","tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b","inputSchema":{"type":"object"}}]}`)
			case "pages for ever":
				answer(fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}],"nextCursor":"%d"}`, pages, pages))
			case "same page":
				answer(`{"tools":[{"name":"t","inputSchema":{"type":"object"}}],"nextCursor":"x"}`)
			case "dies later":
				os.Exit(0)
			case "garbage later":
				fmt.Println(`{"jsonrpc":"2.0","id":`)
			case "mute later":
			case "huge":
				answer(`{"tools":[{"name":"t","description":"` + strings.Repeat("a", 17<<20) + `"}]}`)
			case "odd": // no objects, wrong types, a name for a terminal
				answer(`{"tools":[{"name":"\u001b[2Jx","description":"y","inputSchema":{"type":"object"}},{"name":"z","description":"","inputSchema":{"type":"array"}}]}`)
			}
		}
	}
}

// call runs a command of the program.
func call(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, log bytes.Buffer
	code = run(t.Context(), args, &out, &log)
	return out.String(), log.String(), code
}

// golden compares with a file, which -update rewrites.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "go test -update writes it")
	assert.Equal(t, string(want), string(got), "%s; go test -update rewrites it", file)
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for line, says := range map[string]string{
		"nonsense":                           "no command",
		"audit -no-such-flag":                "breakeven audit -h lists the flags",
		"audit -encoding gpt2":               "there are cl100k_base and o200k_base",
		"audit -window 0":                    "must be positive",
		"audit -config testdata/none.json":   "no such file",
		"audit -config ../../go.mod":         "no host's configuration",
		"audit -baseline testdata/none.json": "no such file",
		"compare":                            "which boat: -mock, or -url",
		"compare -mock -warm 2 -recipe ../../deploy/AGENTS.md":         "a share from 0 to 1",
		"compare -mock -warm NaN -recipe ../../deploy/AGENTS.md":       "a share from 0 to 1",
		"compare -mock -ttl 2h -recipe ../../deploy/AGENTS.md":         "it is 5m or 1h",
		"compare -mock -curve salinity -recipe ../../deploy/AGENTS.md": "no such read",
		"compare -mock -turns 0 -recipe ../../deploy/AGENTS.md":        "-turns must be positive",
		"compare -mock -recipe none.md":                                "run this in the repository",
		"compare -mock -reads Inf":                                     "neither larger than",
		"compare -mock -path= x":                                       "is left over",
		"compare -mock -price-read NaN":                                "from 0 to 100 times",
		"usage -price-write-1h -1 x":                                   "from 0 to 100 times",
		"compare -mock stray":                                          "compare has only flags",
		"usage":                                                        "which transcripts",
		"usage testdata/none.jsonl":                                    "no such file",
		"bench -mock -fail 90%":                                        "from 0% to 50%",
		"bench -mock -fail NaN%":                                       "from 0% to 50%",
		"bench -mock -n 0":                                             "-n from 1",
		"bench -mock -args {":                                          "no JSON",
		"export":                                                       "openai, claude, gemini",
		"export -provider gemini -strict":                              "no strict form",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			out, log, code := call(t, strings.Fields(line)...)
			assert.Contains(t, []int{exitUsage, exitFailed}, code)
			assert.Empty(t, out)
			assert.Contains(t, log, says)
			assert.Equal(t, 1, strings.Count(strings.SplitAfter(log, "\n")[0], "\n"))
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	out, _, code := call(t)
	assert.Equal(t, exitOK, code)
	for _, c := range commands {
		assert.Contains(t, out, c.usage)
		help, _, code := call(t, c.name, "-h")
		assert.Equal(t, exitOK, code)
		assert.Contains(t, help, c.about)
		assert.Contains(t, help, "-json")
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\x1b[2Jb\x07":    "a[2Jb",
		"a\r\nb\t c":       "a b c",
		"\xff\xfe":         "",
		"\u202egnp.exe":    "gnp.exe",
		"abcdefghijklmnop": "abcdefghi…",
	} {
		assert.Equal(t, want, oneLine(in, 10), "%q", in)
	}
}
