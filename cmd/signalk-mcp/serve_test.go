package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
	"signalk-mcp/tools"
	"signalk-mcp/tools/speechtest"
)

// noEnv is an environment without variables.
func noEnv(string) string { return "" }

// connect runs the program with arguments and connects the SDK's client to it.
func connect(t *testing.T, protocol string, args ...string) *mcp.ClientSession {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan int, 1)
	var stderr syncBuffer
	go func() {
		ended <- run(context.Background(), args, env{inR, outW, &stderr, noEnv})
		outW.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: outR, Writer: inW}, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	require.NoError(t, err, stderr.String())
	t.Cleanup(func() {
		session.Close()
		assert.Equal(t, exitOK, <-ended, noSecret(t, stderr.String()))
	})
	return session
}

// TestBothEras talks as hosts do: with a handshake, and, from protocol
// 2026-07-28 on, without one.
func TestBothEras(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			session := connect(t, protocol, "-mock", "-log-level", "error")
			assert.Equal(t, protocol, session.InitializeResult().ProtocolVersion)
			assert.Equal(t, instructions, session.InitializeResult().Instructions)
			list, err := session.ListTools(t.Context(), nil)
			require.NoError(t, err)
			require.Len(t, list.Tools, len(tools.Catalog()))
			for i, tool := range list.Tools {
				want := tools.Catalog()[i]
				assert.Equal(t, want.Name, tool.Name)
				assert.Equal(t, want.Description, tool.Description)
				assert.True(t, tool.Annotations.ReadOnlyHint)
				assert.True(t, tool.Annotations.IdempotentHint)
				assert.False(t, *tool.Annotations.OpenWorldHint)
				assert.Nil(t, tool.OutputSchema)

				var arguments any
				if e := tools.Example(tool.Name); e != nil {
					arguments = e
				}
				res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: arguments})
				require.NoError(t, err)
				assert.False(t, res.IsError, tool.Name)
				text := res.Content[0].(*mcp.TextContent).Text
				structured, err := json.Marshal(res.StructuredContent)
				require.NoError(t, err)
				assert.JSONEq(t, text, string(structured))
				assert.True(t, strings.HasPrefix(text, `{"display":"`), text)
			}
			_, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "no_such_tool"})
			require.ErrorContains(t, err, "unknown tool")
		})
	}
}

// instructions cost every session.
func TestInstructionsAreShort(t *testing.T) {
	t.Parallel()
	assert.Less(t, tokens(t, instructions), 60)
}

// say prints one answer, or one of each tool.
func sayIt(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return runIn(t, nil, append([]string{"say"}, args...)...)
}

// noSecret checks that a text has none of the tests' tokens and passwords, which
// all end alike.
func noSecret(t *testing.T, text string) string {
	t.Helper()
	assert.NotContains(t, text, "-000", "a secret")
	return text
}

func TestSayAll(t *testing.T) {
	t.Parallel()
	code, out, stderr := sayIt(t, "-mock", "-log-level", "error")
	assert.Equal(t, exitOK, code, stderr)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, len(tools.Catalog()))
	for _, l := range lines {
		assert.Empty(t, speechtest.Faults(l), l)
	}
	assert.Empty(t, stderr)
}

func TestSay(t *testing.T) {
	t.Parallel()
	s := mock.NewServer(mock.Options{NoVessel: true})
	defer s.Close()
	now, old := time.Now().UTC().Format(time.RFC3339), time.Now().Add(-2*time.Hour).UTC().Format(time.RFC3339)
	require.NoError(t, s.Send(
		mock.Delta{Updates: []mock.Update{{Source: "a", Timestamp: now, Values: []mock.PathValue{{Path: "environment.depth.belowKeel", Value: 3}}}}},
		mock.Delta{Updates: []mock.Update{{Source: "a", Timestamp: old, Values: []mock.PathValue{{Path: "environment.outside.temperature", Value: 288.15}}}}}))
	for name, tt := range map[string]struct {
		args []string
		code int
		out  string
		err  string
	}{
		"live":               {[]string{"depth_state"}, exitOK, "3 metres below the keel.\n", ""},
		"old":                {[]string{"read_sensor", "path=environment.outside.temperature"}, exitNotNow, "about 2 hours", ""},
		"absent":             {[]string{"battery_state"}, exitNotNow, "does not report", ""},
		"an argument":        {[]string{"read_sensor", "path=environment.depth.belowKeel"}, exitOK, "3 metres", ""},
		"as JSON":            {[]string{"-json", "depth_state"}, exitOK, `"below_keel_m":3`, ""},
		"an unknown tool":    {[]string{"depth"}, exitUsage, "", "there are battery_state, depth_state"},
		"no KEY=VALUE":       {[]string{"read_sensor", "tanks"}, exitUsage, "", "write KEY=VALUE"},
		"an unknown flag":    {[]string{"-urll", "x"}, exitUsage, "", "the flags are -battery-current"},
		"a bad address":      {[]string{"-url", "ftp://boat"}, exitUsage, "", "allowed are http, https, ws and wss"},
		"a bad level":        {[]string{"-log-level", "loud"}, exitUsage, "", "debug, info, warn or error"},
		"a bad sign":         {[]string{"-battery-current", "negative"}, exitUsage, "", "discharging-positive"},
		"two boats":          {[]string{"-mock", "-url", "http://boat"}, exitUsage, "", "exclude each other"},
		"a server not there": {[]string{"-url", "http://127.0.0.1:1", "depth_state"}, exitNotNow, "No connection to the Signal K server at 127 dot 0 dot 0 dot 1 port 1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"-log-level", "error"}, tt.args...)
			if !strings.Contains(strings.Join(tt.args, " "), "-url") && name != "two boats" {
				args = append([]string{"-url", s.URL}, args...)
			}
			code, out, stderr := sayIt(t, args...)
			assert.Equal(t, tt.code, code)
			assert.Contains(t, out, tt.out)
			assert.Contains(t, stderr, tt.err)
			if tt.code == exitUsage {
				assert.Equal(t, 1, strings.Count(stderr, "\n"), "one line: %s", stderr)
				assert.Empty(t, out)
			}
		})
	}
}

// What a tool says of a wrong argument is an answer, and wrong usage.
func TestSayWrongArgument(t *testing.T) {
	t.Parallel()
	code, out, _ := sayIt(t, "-mock", "-log-level", "error", "battery_state", "bank=windlass")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, out, "No battery is called windlass; there is house and start.")
}

func TestCommands(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args     []string
		code     int
		out, err string
	}{
		"version":             {[]string{"version"}, exitOK, "signalk-mcp ", ""},
		"help":                {[]string{"-h"}, exitOK, "signalk-mcp doctor", ""},
		"help of the default": {[]string{"serve", "-h"}, exitOK, "-battery-current", ""},
		"help by its name":    {[]string{"help", "mock"}, exitOK, "-seed", ""},
		"a flag misspelt":     {[]string{"say", "-batery-current", "x"}, exitUsage, "", "did you mean -battery-current?"},
		"a command misspelt":  {[]string{"docter"}, exitUsage, "", "did you mean doctor?"},
		"help of say":         {[]string{"say", "-h"}, exitOK, "Exit code", ""},
		"an unknown command":  {[]string{"srve"}, exitUsage, "", "the commands are serve, say"},
		"serve with a word":   {[]string{"serve", "boat"}, exitUsage, "", "takes no arguments"},
		"doctor with a word":  {[]string{"doctor", "http://boat:3000"}, exitUsage, "", "takes no arguments"},
		"login with a word":   {[]string{"login", "http://boat:3000"}, exitUsage, "", "takes no arguments"},
		"a flag too late":     {[]string{"say", "depth_state", "-json"}, exitUsage, "", "before the tool"},
		"mock without port":   {[]string{"mock", "-addr", "nonsense"}, exitUsage, "", "nonsense"},
		"mock of no version":  {[]string{"mock", "-server", "1.0"}, exitUsage, "", "2.23.0"},
		"mock -list":          {[]string{"mock", "-list"}, exitOK, "man-overboard: a person overboard", ""},
		"mock of the moon":    {[]string{"mock", "-scenario", "moon"}, exitUsage, "", "is none of passage, anchor"},
		"mock with a mutiny":  {[]string{"mock", "-fault", "mutiny"}, exitUsage, "", "is none of drop, refuse"},
		"mock at no port":     {[]string{"mock", "-port", "70000"}, exitUsage, "", "70000 is no port"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, log := runIn(t, nil, tt.args...)
			assert.Equal(t, tt.code, code)
			assert.Contains(t, out, tt.out)
			assert.Contains(t, log, tt.err)
			if tt.code != exitOK {
				assert.Empty(t, out, "stdout is the protocol's")
			}
		})
	}
}

// A port that somebody has is no wrong use.
func TestMockPortInUse(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	code, out, log := runIn(t, nil, "mock", "-addr", l.Addr().String())
	assert.Equal(t, exitFailed, code)
	assert.Empty(t, out)
	assert.Equal(t, "signalk-mcp: "+l.Addr().String()+" is in use by another program; -port takes another\n", log)
}

// A flag on the command line counts before its twin in the environment.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	vars := map[string]string{"SIGNALK_URL": "http://127.0.0.1:1", "SIGNALK_LOG_LEVEL": "error"}
	code, out, _ := runIn(t, vars, "say", "depth_state")
	assert.Equal(t, exitNotNow, code)
	assert.Contains(t, out, "127 dot 0 dot 0 dot 1 port 1")
	code, out, _ = runIn(t, vars, "say", "-url", "http://127.0.0.1:2", "depth_state")
	assert.Equal(t, exitNotNow, code)
	assert.Contains(t, out, "127 dot 0 dot 0 dot 1 port 2")
	code, out, log := runIn(t, vars, "say", "-mock", "depth_state")
	assert.Equal(t, exitOK, code, log)
	assert.Contains(t, out, "below the keel")
	vars["SIGNALK_INSECURE"] = "perhaps"
	code, _, log = runIn(t, vars)
	assert.Equal(t, exitUsage, code)
	assert.Equal(t, "signalk-mcp: SIGNALK_INSECURE: allowed are true and false\n", log)
	delete(vars, "SIGNALK_INSECURE")
	vars["SIGNALK_TOKEN"] = "token-000\nX-Evil: yes"
	code, _, log = runIn(t, vars)
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, log, "token")
}

func TestBatteryCurrentFlag(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]map[string]bool{
		"":                     {"house": false},
		"discharging-positive": {"house": true, "start": true},
		"charging-positive":    {"house": false},
		"House=discharging-positive, start=charging-positive": {"house": true, "start": false, "279": false},
		"discharging-positive,start=charging-positive":        {"house": true, "start": false},
		"house:discharging-positive":                          {"house": true, "start": false},
	} {
		reversed, err := parseReversed(in)
		require.NoError(t, err, in)
		for bank, is := range want {
			assert.Equal(t, is, reversed(bank), "%s: %s", in, bank)
		}
	}
	for _, in := range []string{"reversed", "house=", "=", "house=negative"} {
		_, err := parseReversed(in)
		require.Error(t, err, in)
	}
}
