// Command signalk-mcp answers questions about a boat over MCP, from a Signal K
// server.
//
// Without a command it serves MCP on stdin and stdout; signalk-mcp -h lists the
// others, and deploy/signalk-mcp.1 is its manual.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"signalk-mcp/tools/spell"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	signal.Ignore(syscall.SIGPIPE) // a host that is gone is an error of a write, not our death
	stdout := os.Stdout
	os.Stdout = os.Stderr // stdout is the protocol's alone
	code := run(ctx, os.Args[1:], env{os.Stdin, stdout, os.Stderr, os.Getenv})
	stop()
	os.Exit(code)
}

// env is what a command gets from outside.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
}

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitNotNow = 3 // say: the answer is not live
)

// command is one of the program's commands: what help, the man page, completion
// and the command line know of it is here.
type command struct {
	name  string
	words string // what may stand behind the flags; empty: nothing
	about string // a sentence without its end
	exit  string // what the exit code says, if it is more than right or wrong
	// flags registers the command's flags, and returns what runs with their values
	// and the words behind them.
	flags func(f *flags) runner
}

type runner func(ctx context.Context, e env, words []string) (code int, err error)

var commands = []command{
	{name: "serve", about: "answer an MCP host on stdin and stdout (the default)", flags: serveCommand},
	{
		name: "say", words: "[TOOL [KEY=VALUE ...]]", about: "print what the tools say: all of them, or one",
		exit: "0 live, 3 old, absent or not connected, 2 wrong usage", flags: sayCommand,
	},
	{
		name: "doctor", about: "go to the server step by step, and tell what works",
		exit: "0 all of it, 1 not, 2 wrong usage", flags: doctorCommand,
	},
	{name: "login", about: "ask the server for a token, to be approved in its pages", flags: loginCommand},
	{
		name: "discover", about: "list the servers that announce themselves on the network",
		exit: "0 some were found, 3 none", flags: discoverCommand,
	},
	{name: "mock", words: "[FILE]", about: "run a Signal K server with a made-up boat", flags: mockCommand},
	{name: "version", about: "print the version", flags: versionCommand},
}

// run is the whole program.
func run(ctx context.Context, args []string, e env) int {
	c := commands[0]
	if len(args) > 0 && (args[0] == "-h" || args[0] == "-help" || args[0] == "--help" || args[0] == "help") {
		if len(args) == 1 {
			overview(e.stdout)
			return exitOK
		}
		args = []string{args[1], "-h"}
	}
	if len(args) > 0 && (args[0] == "-version" || args[0] == "--version") {
		args = append([]string{"version"}, args[1:]...)
	}
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		i := slices.IndexFunc(commands, func(c command) bool { return c.name == args[0] })
		if i < 0 {
			names := commandNames()
			return usageError(e, fmt.Errorf("no command %q%s; the commands are %s", args[0], meant(spell.Nearest(args[0], names)), strings.Join(names, ", ")))
		}
		c, args = commands[i], args[1:]
	}
	f := newFlags(c.name, e.getenv)
	do := c.flags(f)
	if err := f.parse(args, c.words != ""); errors.Is(err, flag.ErrHelp) {
		f.help(e.stdout, c)
		return exitOK
	} else if err != nil {
		return usageError(e, err)
	}
	code, err := do(ctx, e, f.Args())
	switch {
	case err != nil && code == exitUsage:
		return usageError(e, err)
	case err != nil:
		fmt.Fprintf(e.stderr, "signalk-mcp: %v\n", err)
	}
	return code
}

func commandNames() (names []string) {
	for _, c := range commands {
		names = append(names, c.name)
	}
	return names
}

// usageError says in one line what is wrong and what is allowed.
func usageError(e env, err error) int {
	fmt.Fprintf(e.stderr, "signalk-mcp: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
	return exitUsage
}

// meant asks for what may have been meant, if anything.
func meant(nearest string) string {
	if nearest == "" {
		return ""
	}
	return " (did you mean " + nearest + "?)"
}

func versionCommand(*flags) runner {
	return func(_ context.Context, e env, _ []string) (int, error) {
		fmt.Fprintf(e.stdout, "signalk-mcp %s %s %s/%s\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return exitOK, nil
	}
}

// buildVersion is what the Go tool chain wrote into the binary.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
