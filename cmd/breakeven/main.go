// Command breakeven measures when named tools are cheaper than a curl recipe
// that a model follows by itself, how much faster, and how much more often right.
//
//	breakeven audit [-url URL | -- COMMAND ...]  what an MCP server's catalogue costs
//	breakeven compare [-mock | -url URL]         tools against the recipe, in tokens
//	breakeven usage FILE ...                     what prompt caching leaves of the cost
//	breakeven bench [-mock | -url URL]           latency, success and memory
//	breakeven truth                              right and wrong answers
//	breakeven export -provider NAME              the catalogue for a provider's API
//
// Each prints a table, or JSON with -json. It is a program apart from the boat's,
// since tokenizers are larger than all of that.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // something could not be measured, or has grown
	exitUsage  = 2
)

// command is one of the program's commands. Its function registers flags and
// returns what is to be done once they are parsed.
type command struct {
	name, usage, about string
	new                func(f *flag.FlagSet) func(ctx context.Context, o output) error
}

var commands = []command{
	{"audit", "audit [flags] [-- COMMAND ...]", "count the tokens of MCP servers' catalogues; without a server, of ours", newAudit},
	{"compare", "compare [flags]", "tokens of the tools against tokens of the recipe, and where they break even", newCompare},
	{"usage", "usage [flags] FILE ...", "read agents' transcripts: how warm the prompt cache was, and what that leaves of the cost", newUsage},
	{"bench", "bench [flags] [-- COMMAND ...]", "time tools, REST and curl side by side; COMMAND is another MCP server", newBench},
	{"truth", "truth [flags]", "what a literal reader of the recipe answers, and what the tools answer, beside the truth", newTruth},
	{"export", "export -provider NAME [flags] [-- COMMAND ...]", "the catalogue as a provider's API wants it", newExport},
}

// errUsage marks what the caller wrote wrongly.
var errUsage = errors.New("usage")

func usageError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUsage, fmt.Sprintf(format, args...))
}

// run is the whole program.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || slices.Contains([]string{"-h", "-help", "--help", "help"}, args[0]) {
		help(stdout)
		return exitOK
	}
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == args[0] })
	if i < 0 {
		fmt.Fprintf(stderr, "breakeven: no command %q\n", args[0])
		help(stderr)
		return exitUsage
	}
	c := commands[i]
	f := flag.NewFlagSet(c.name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	o := output{Writer: stdout, notes: stderr}
	f.BoolVar(&o.json, "json", false, "print JSON instead of a table")
	do := c.new(f)
	err := f.Parse(args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(stdout, "breakeven %s: %s\n", c.usage, c.about)
		f.SetOutput(stdout)
		f.PrintDefaults()
		return exitOK
	case err != nil:
		err = usageError("%v; breakeven %s -h lists the flags", err, c.name)
	default:
		o.args = f.Args()
		err = do(ctx, o)
	}
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "breakeven %s: %s\n", c.name, strings.TrimPrefix(err.Error(), errUsage.Error()+": "))
	if errors.Is(err, errUsage) {
		return exitUsage
	}
	return exitFailed
}

func help(w io.Writer) {
	fmt.Fprintln(w, "breakeven measures when named tools pay. Its commands, each with -h and -json:")
	for _, c := range commands {
		fmt.Fprintf(w, "  %-48s %s\n", c.usage, c.about)
	}
}

// output is where a command writes, and what is left of its command line.
type output struct {
	io.Writer
	notes io.Writer // for people: progress, and what went wrong beside the result
	json  bool
	args  []string
}

// show prints a result: as JSON, or by a function as text.
func (o output) show(v any, text func(w io.Writer)) error {
	if !o.json {
		text(o)
		return nil
	}
	e := json.NewEncoder(o)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// texts is a flag that may be given several times.
type texts []string

func (t *texts) String() string { return strings.Join(*t, " ") }

func (t *texts) Set(s string) error {
	*t = append(*t, s)
	return nil
}

// buildVersion is what the Go tool chain wrote into the binary.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
