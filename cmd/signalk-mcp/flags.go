package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"signalk-mcp/tools/spell"
)

// flags are those of one command, some with a twin in the environment. A flag's
// usage is one line, with the name of its value in back quotes.
type flags struct {
	*flag.FlagSet
	getenv func(string) string
	twins  map[string]string // variable by flag
	given  map[string]bool   // on the command line
}

func newFlags(name string, getenv func(string) string) *flags {
	f := &flags{flag.NewFlagSet(name, flag.ContinueOnError), getenv, map[string]string{}, map[string]bool{}}
	f.SetOutput(io.Discard)
	return f
}

// twin names the environment variable that stands in for a flag.
func (f *flags) twin(name, variable string) { f.twins[name] = variable }

// parse reads the command line, and for flags that are not on it the
// environment. words allows arguments behind the flags.
func (f *flags) parse(args []string, words bool) error {
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return f.explain(err)
	}
	if f.NArg() > 0 && !words {
		return fmt.Errorf("%s takes no arguments, only flags: %q", f.Name(), f.Arg(0))
	}
	f.Visit(func(x *flag.Flag) { f.given[x.Name] = true })
	for name, variable := range f.twins {
		if v := f.getenv(variable); v != "" && !f.given[name] {
			err := f.Set(name, v)
			if isBool(f.Lookup(name)) && err != nil {
				err = errors.New("allowed are true and false")
			}
			if err != nil {
				return fmt.Errorf("%s: %w", variable, err)
			}
		}
	}
	return nil
}

// explain says of an error of the flag package what is allowed, and what may have
// been meant.
func (f *flags) explain(err error) error {
	if text, ok := strings.CutSuffix(err.Error(), ": parse error"); ok {
		x := f.Lookup(text[strings.LastIndex(text, " -")+2:])
		if x == nil {
			return err
		}
		takes := "a number"
		if isBool(x) {
			takes = "true or false"
		} else if v, ok := x.Value.(flag.Getter); ok {
			if _, ok := v.Get().(time.Duration); ok {
				takes = "a time such as 90s or 10m"
			}
		}
		return fmt.Errorf("%s, which takes %s", text, takes)
	}
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return err
	}
	var names, dashed []string
	f.VisitAll(func(x *flag.Flag) { names, dashed = append(names, x.Name), append(dashed, "-"+x.Name) })
	if len(names) == 0 {
		return fmt.Errorf("%w; this command has no flags", err)
	}
	near := spell.Nearest(name, names)
	if near != "" {
		near = "-" + near
	}
	return fmt.Errorf("%w%s; the flags are %s", err, meant(near), strings.Join(dashed, ", "))
}

func isBool(x *flag.Flag) bool {
	b, ok := x.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// help prints what a person at a terminal needs: less than a screen.
func (f *flags) help(w io.Writer, c command) {
	fmt.Fprintf(w, "usage: %s\n%s.\n", c.usage(f), strings.ToUpper(c.about[:1])+c.about[1:])
	if c.exit != "" {
		fmt.Fprintf(w, "Exit code: %s.\n", c.exit)
	}
	f.VisitAll(func(x *flag.Flag) {
		value, about := flag.UnquoteUsage(x)
		fmt.Fprintf(w, "  %-22s %s\n", strings.TrimSpace("-"+x.Name+" "+value), about)
	})
	if f.twins["url"] != "" {
		fmt.Fprintln(w, "Each flag of the link has a twin in the environment: -url is SIGNALK_URL.")
	}
}

// usage is how a command is written.
func (c command) usage(f *flags) string {
	words := "signalk-mcp " + c.name
	any := false
	f.VisitAll(func(*flag.Flag) { any = true })
	if any {
		words += " [flags]"
	}
	return strings.TrimSpace(words + " " + c.words)
}

// overview prints what the program is, and its commands.
func overview(w io.Writer) {
	fmt.Fprint(w, "signalk-mcp answers questions about a boat over MCP, from a Signal K server.\n\n")
	for _, c := range commands {
		fmt.Fprintf(w, "  signalk-mcp %-9s %s\n", c.name, c.about)
	}
	fmt.Fprint(w, "\nsignalk-mcp COMMAND -h has the flags.\nTo try it without a boat: signalk-mcp say -mock\n")
}

// levelFlag is the level of the log.
type levelFlag struct{ slog.Level }

func (l *levelFlag) Set(s string) error {
	if l.UnmarshalText([]byte(s)) != nil {
		return fmt.Errorf("%q is no level: debug, info, warn or error", s)
	}
	return nil
}
