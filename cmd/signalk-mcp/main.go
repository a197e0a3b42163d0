// Command signalk-mcp answers questions about a boat over MCP, from a Signal K
// server.
//
//	signalk-mcp                        serve MCP on stdio
//	signalk-mcp say [TOOL [KEY=VALUE]] print what the tools say
//	signalk-mcp doctor                 find out what does not work
//	signalk-mcp login                  get a token from the server
//	signalk-mcp discover               list the servers on the network
//	signalk-mcp mock                   run a Signal K server with a made-up boat
//	signalk-mcp version
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
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

// command is one of the program's commands.
type command struct {
	name, usage, about string
	run                func(ctx context.Context, args []string, e env) (int, error)
}

var commands = []command{
	{"serve", "serve [flags]", "answer an MCP host on stdin and stdout (the default)", serve},
	{"say", "say [flags] [TOOL [KEY=VALUE ...]]", "print what the tools say: all of them, or one", say},
	{"doctor", "doctor [flags]", "find out what does not work", doctor},
	{"login", "login [flags]", "get a token from the server", login},
	{"discover", "discover", "list the servers on the network", discover},
	{"mock", "mock [flags]", "run a Signal K server with a made-up boat", runMock},
	{"version", "version", "print the version", version},
}

// run is the whole program.
func run(ctx context.Context, args []string, e env) int {
	c := commands[0]
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		i := slices.IndexFunc(commands, func(c command) bool { return c.name == args[0] })
		if i < 0 {
			names := make([]string, len(commands))
			for i, c := range commands {
				names[i] = c.name
			}
			return usageError(e, fmt.Errorf("no command %q; the commands are %s", args[0], strings.Join(names, ", ")))
		}
		c, args = commands[i], args[1:]
	}
	code, err := c.run(ctx, args, e)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil && code == exitUsage:
		return usageError(e, err)
	case err != nil:
		fmt.Fprintf(e.stderr, "signalk-mcp: %v\n", err)
	}
	return code
}

// usageError says in one line what is wrong and what is allowed.
func usageError(e env, err error) int {
	fmt.Fprintf(e.stderr, "signalk-mcp: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
	return exitUsage
}

// flags is a FlagSet each of whose flags has a twin in the environment.
type flags struct {
	*flag.FlagSet
	getenv func(string) string
	twins  map[string]string
	words  bool // there may be arguments that are no flags
}

func newFlags(name string, e env) *flags {
	f := &flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError), getenv: e.getenv, twins: map[string]string{}}
	f.SetOutput(io.Discard)
	return f
}

// twin names the environment variable that stands in for a flag.
func (f *flags) twin(name, variable string) { f.twins[name] = variable }

// parse reads the command line, and for flags that are not on it the
// environment.
func (f *flags) parse(args []string, e env, about string) error {
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(e.stdout, about)
		f.SetOutput(e.stdout)
		f.PrintDefaults()
		return err
	}
	var names []string
	f.VisitAll(func(x *flag.Flag) { names = append(names, "-"+x.Name) })
	if err != nil {
		if len(names) == 0 {
			return fmt.Errorf("%w; this command has no flags", err)
		}
		return fmt.Errorf("%w; the flags are %s", err, strings.Join(names, ", "))
	}
	if f.NArg() > 0 && !f.words {
		return fmt.Errorf("%s takes no arguments, only flags: %q", f.Name(), f.Arg(0))
	}
	given := map[string]bool{}
	f.Visit(func(x *flag.Flag) { given[x.Name] = true })
	for name, variable := range f.twins {
		if v := f.getenv(variable); v != "" && !given[name] {
			err := f.Set(name, v)
			if b, ok := f.Lookup(name).Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() && err != nil {
				err = errors.New("allowed are true and false")
			}
			if err != nil {
				return fmt.Errorf("%s: %w", variable, err)
			}
		}
	}
	return nil
}

// levelFlag is the level of the log.
type levelFlag struct{ slog.Level }

func (l *levelFlag) Set(s string) error {
	if l.UnmarshalText([]byte(s)) != nil {
		return fmt.Errorf("%q is no level: debug, info, warn or error", s)
	}
	return nil
}

func version(_ context.Context, args []string, e env) (int, error) {
	f := newFlags("version", e)
	if err := f.parse(args, e, "signalk-mcp version: print the version"); err != nil {
		return exitUsage, err
	}
	fmt.Fprintf(e.stdout, "signalk-mcp %s %s %s/%s\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return exitOK, nil
}

// buildVersion is what the Go tool chain wrote into the binary.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
