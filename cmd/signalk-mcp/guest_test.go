//go:build budget

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// guest is a server of MCP in a process of its own.
type guest struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
	id    int
}

// launched runs a program and gets its list of tools; took is from the start to that.
func launched(t *testing.T, vars []string, command ...string) (p *guest, took time.Duration) {
	t.Helper()
	p = &guest{t: t, cmd: exec.Command(command[0], command[1:]...)}
	p.cmd.Env = append(os.Environ(), vars...)
	var err error
	p.in, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	p.lines = bufio.NewScanner(out)
	p.lines.Buffer(nil, 4<<20)
	begin := time.Now()
	require.NoError(t, p.cmd.Start())
	_, err = io.WriteString(p.in, initialize)
	require.NoError(t, err)
	require.True(t, p.lines.Scan())
	_, err = io.WriteString(p.in, ready)
	require.NoError(t, err)
	p.request("tools/list", map[string]any{})
	return p, time.Since(begin)
}

// request sends a request and gives the result.
func (p *guest) request(method string, params any) json.RawMessage {
	p.id++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": p.id, "method": method, "params": params})
	require.NoError(p.t, err)
	_, err = p.in.Write(append(line, '\n'))
	require.NoError(p.t, err)
	require.True(p.t, p.lines.Scan(), "%v", p.lines.Err())
	var reply struct{ Result, Error json.RawMessage }
	require.NoError(p.t, json.Unmarshal(p.lines.Bytes(), &reply))
	require.Nil(p.t, reply.Error, string(reply.Error))
	return reply.Result
}

func (p *guest) call(tool string, arguments any) json.RawMessage {
	return p.request("tools/call", map[string]any{"name": tool, "arguments": arguments})
}

// memory reads what Linux tells of the process's memory: VmRSS, or VmHWM, its most.
func (p *guest) memory(field string) int {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "status"))
	require.NoError(p.t, err)
	m := regexp.MustCompile(field + `:\s+(\d+) kB`).FindSubmatch(text)
	require.NotNil(p.t, m)
	kB, err := strconv.Atoi(string(m[1]))
	require.NoError(p.t, err)
	return kB << 10
}

func (p *guest) end() {
	p.in.Close()
	require.NoError(p.t, p.cmd.Wait())
}
