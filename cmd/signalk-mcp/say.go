package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"signalk-mcp/tools"
	"signalk-mcp/tools/spell"
)

// sayPatience is how long say waits for the first picture of the boat.
const sayPatience = 5 * time.Second

func sayCommand(f *flags) runner {
	var b boatFlags
	b.register(f)
	asJSON := f.Bool("json", false, "print the whole results, as JSON, one a line")
	return func(ctx context.Context, e env, words []string) (int, error) { return say(ctx, e, &b, *asJSON, words) }
}

// say prints what the tools say, for people, shells and voice pipelines.
func say(ctx context.Context, e env, b *boatFlags, asJSON bool, words []string) (int, error) {
	names, arguments, err := asked(words)
	if err != nil {
		return exitUsage, err
	}
	boat, err := b.open(ctx, e)
	if err != nil {
		return exitUsage, err
	}
	defer boat.close()
	select {
	case <-boat.vessel.Settled():
	case <-time.After(sayPatience):
	case <-ctx.Done():
		return exitFailed, ctx.Err()
	}
	code := exitOK
	for _, name := range names {
		a := arguments
		if a == nil {
			a = tools.Example(name)
		}
		r, err := boat.set.Call(name, a)
		if err != nil {
			return exitFailed, err
		}
		line := r.Spoken()
		if asJSON {
			line = string(r.JSON())
		}
		if _, err := fmt.Fprintln(e.stdout, line); err != nil {
			return exitFailed, fmt.Errorf("the answer was not taken: %w", err)
		}
		switch {
		case r.IsError && r.Status == "":
			code = exitUsage
		case r.Status != "" && code == exitOK:
			code = exitNotNow
		}
	}
	return code, nil
}

// asked reads which tool is meant, with its arguments: all of them if none is
// named.
func asked(words []string) (names []string, arguments json.RawMessage, err error) {
	for _, t := range tools.Catalog() {
		names = append(names, t.Name)
	}
	if len(words) == 0 {
		return names, nil, nil
	}
	if !slices.Contains(names, words[0]) {
		return nil, nil, fmt.Errorf("no tool %q%s: there are %s", words[0], meant(spell.Nearest(words[0], names)), strings.Join(names, ", "))
	}
	given := map[string]string{}
	for _, w := range words[1:] {
		k, v, ok := strings.Cut(w, "=")
		switch {
		case strings.HasPrefix(w, "-"):
			return nil, nil, fmt.Errorf("%q comes too late: flags stand before the tool", w)
		case !ok:
			return nil, nil, fmt.Errorf("%q is no argument: write KEY=VALUE, such as path=navigation.position", w)
		}
		given[k] = v
	}
	arguments, err = json.Marshal(given)
	return words[:1], arguments, err
}
