package main

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
	"signalk-mcp/tools"
)

// dist has what make cross, deb and mcpb made.
const dist = "../../dist/"

// boat is a made-up boat on a server of its own.
func boat(t *testing.T, o mock.Options) *mock.Server {
	t.Helper()
	s := mock.NewServer(o)
	t.Cleanup(s.Close)
	return s
}

// over is the transport to a command's stdin and stdout.
func over(t *testing.T, env []string, command ...string) mcp.Transport {
	c := exec.Command(command[0], command[1:]...)
	c.Env, c.Stderr = append(os.Environ(), env...), logTo{t}
	return &mcp.CommandTransport{Command: c}
}

// overSocket is the transport to a Unix socket.
func overSocket(t *testing.T, path string) mcp.Transport {
	t.Helper()
	c, err := net.Dial("unix", path)
	require.NoError(t, err)
	return &mcp.IOTransport{Reader: c, Writer: closeWriter{c.(*net.UnixConn)}}
}

// closeWriter ends what the program reads, and leaves its last words to be read.
type closeWriter struct{ *net.UnixConn }

func (c closeWriter) Close() error { return c.CloseWrite() }

type logTo struct{ t *testing.T }

func (l logTo) Write(p []byte) (int, error) {
	l.t.Logf("the program's log: %s", p)
	return len(p), nil
}

// askAll holds an MCP session with all the tools, every one of which must answer
// live. It returns the answers by tool.
func askAll(t *testing.T, transport mcp.Transport) map[string]map[string]any {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil)
	session, err := client.Connect(t.Context(), transport, nil)
	require.NoError(t, err)
	list, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, list.Tools, 7)
	answers := map[string]map[string]any{}
	for _, tool := range list.Tools {
		// Under emulation the first picture of the boat may take longer than the
		// call waits: an answer says so, and is asked for again.
		var text string
		for begin := time.Now(); ; time.Sleep(100 * time.Millisecond) {
			res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: tools.Example(tool.Name)})
			require.NoError(t, err)
			text = res.Content[0].(*mcp.TextContent).Text
			if !strings.Contains(text, `"disconnected"`) || time.Since(begin) > 20*time.Second {
				assert.False(t, res.IsError, text)
				break
			}
		}
		var answer map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &answer))
		assert.NotContains(t, answer, "status", "live: %s", text)
		assert.NotEmpty(t, answer["display"])
		answers[tool.Name] = answer
	}
	if err := session.Close(); err != io.EOF {
		require.NoError(t, err)
	}
	return answers
}
