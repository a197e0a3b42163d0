package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"signalk-mcp/tools"
)

// comparison is what both ways cost, in tokens of one encoding.
type comparison struct {
	Server   string `json:"server"`
	Encoding string `json:"encoding"`
	// Tools is S, what the catalogue costs in every turn, Recipe is P.
	Tools  int `json:"tools"`
	Recipe int `json:"recipe"`
	// Multiplier is what caching leaves of both; 1 without it.
	Multiplier float64   `json:"multiplier"`
	Reads      []reading `json:"reads"`
	Curve      []point   `json:"curve,omitempty"`
	Session    *outcome  `json:"session,omitempty"`
}

// reading is one question, both ways. The counts are tokens of what the model
// reads, but for Command and Call, which it writes to ask.
type reading struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Tool    string `json:"tool"`
	Error   string `json:"error,omitempty"`
	Raw     int    `json:"raw"`         // the server's answer as it comes
	Pretty  int    `json:"indented"`    // the same as jq prints it
	Printed int    `json:"printed"`     // by the recipe's own jq program
	Answer  int    `json:"tool_result"` // by the tool
	Command int    `json:"command"`     // of the recipe, written by the model
	Call    int    `json:"call"`        // of the tool, written by the model
	// KRaw is the breakeven with the raw answer, KPrinted with what the recipe
	// prints; "–" where there is none. Verdict says the latter in words.
	KRaw     string `json:"k_raw"`
	KPrinted string `json:"k_printed"`
	Verdict  string `json:"tools_cost_less"`
}

// point is a turn with so many reads.
type point struct {
	Reads   int     `json:"reads"`
	Tools   float64 `json:"tools"`
	Raw     float64 `json:"raw"`
	Printed float64 `json:"printed"`
}

// outcome is a whole session's cost.
type outcome struct {
	session
	Tools     float64 `json:"tools"`
	Raw       float64 `json:"raw"`
	Printed   float64 `json:"printed"`
	Breakeven string  `json:"k_raw"`
}

// question is what is read both ways: a path of the boat's tree, by the recipe's
// command for an address, and by a tool.
type question struct{ name, address, path, tool, arguments string }

// questions are asked without -path.
var questions = []question{
	{"depth", oneDepth, "", "depth_state", ""},
	{"battery", oneGroup, "", "battery_state", ""},
	{"navigation", oneGroup, "navigation", "read_sensor", `{"path":"navigation"}`},
	{"alarms", allAlarms, "", "get_active_alarms", ""},
	{"wind speed", oneValue, "", "read_sensor", `{"path":"environment.wind.speedApparent"}`},
}

// questionOf asks for any path: one value, or a group.
func questionOf(path string) question {
	path = strings.Trim(strings.ReplaceAll(path, "/", "."), ".")
	return question{path, oneValue, path, "read_sensor", string(encode(map[string]string{"path": path}))}
}

// curveReads is how many reads a turn the curve goes to.
const curveReads = 10

const maxTurns = 1_000_000

func newCompare(f *flag.FlagSet) func(context.Context, output) error {
	var b boatFlags
	b.register(f)
	encoding := encodingFlag(f)
	file := f.String("recipe", recipeFile, "the recipe that the tools are compared with")
	var paths, transcripts texts
	f.Var(&paths, "path", "another path of the boat to read; may be given several times")
	f.Var(&transcripts, "transcript", "an agent's transcript: take the cache's warmth from it; may be given several times")
	warm := f.Float64("warm", -1, "share of turns that find the standing part in the prompt cache, 0 to 1; without it nothing is cached")
	ttl := f.String("ttl", "5m", "how long the cache keeps: 5m or 1h")
	price := priceFlags(f)
	turns := f.Int("turns", 20, "turns of the session")
	reads := f.Float64("reads", 1, "reads a turn of the session")
	curve := f.String("curve", "depth", "the read whose cost is drawn over 0 to 10 reads a turn")
	svg := f.String("svg", "", "a file to draw the curve into")
	markdown := f.Bool("markdown", false, "print the table as a README has it")
	return func(ctx context.Context, o output) error {
		c, err := newCounter(*encoding)
		if err != nil {
			return err
		}
		write := map[string]float64{"5m": price.Write, "1h": price.Hour}[*ttl]
		switch {
		case len(o.args) > 0:
			return usageError("%q is left over; compare has only flags", o.args[0])
		case *ttl != "5m" && *ttl != "1h":
			return usageError("-ttl %s: it is 5m or 1h", *ttl)
		case *warm != -1 && !(*warm >= 0 && *warm <= 1):
			return usageError("-warm %v: a share from 0 to 1", *warm)
		case *turns < 1 || *turns > maxTurns || !(*reads >= 0 && *reads <= maxTurns):
			return usageError("-turns must be positive and -reads not negative, and neither larger than %d", maxTurns)
		case slices.Contains(paths, ""):
			return usageError("-path is empty")
		}
		if err := price.check(); err != nil {
			return err
		}
		s := session{Turns: *turns, Reads: *reads, Standing: 1, Fresh: 1}
		switch {
		case len(transcripts) > 0 && *warm >= 0:
			return usageError("-transcript and -warm exclude each other")
		case len(transcripts) > 0:
			u, err := readTranscripts(transcripts)
			if err != nil {
				return err
			}
			s.Standing, s.Fresh = u.multiplier(*price), u.write(*price)
		case *warm >= 0:
			s.Standing, s.Fresh = multiplier(*warm, price.Read, write), write
		}
		asked := questions
		for _, p := range paths {
			asked = append(asked[:len(asked):len(asked)], questionOf(p))
		}
		if !slices.ContainsFunc(asked, func(q question) bool { return q.name == *curve }) {
			return usageError("-curve %s: no such read", *curve)
		}
		server, done, err := b.open(standing())
		if err != nil {
			return err
		}
		defer done()
		r, err := readRecipe(*file, server)
		if err != nil {
			return err
		}
		result, err := compare(ctx, c, r, server, asked, s.Standing, b.mock)
		if err != nil {
			return err
		}
		if b.mock {
			result.Server = "a made-up boat"
		}
		result.follow(*curve, s)
		if *svg != "" {
			if err := os.WriteFile(*svg, plot(result, *curve), 0o644); err != nil {
				return err
			}
		}
		err = o.show(result, func(w io.Writer) {
			if *markdown {
				result.table().markdown(w)
				return
			}
			result.write(w, *curve)
		})
		if err == nil && !slices.ContainsFunc(result.Reads, func(r reading) bool { return r.Error == "" }) {
			err = errors.New("nothing could be measured")
		}
		return err
	}
}

// compare asks every question both ways. What cannot be asked is a row that says
// so.
func compare(ctx context.Context, c counter, r *recipe, server string, asked []question, m float64, still bool) (*comparison, error) {
	set, done, err := toolsOver(ctx, server, still)
	if err != nil {
		return nil, err
	}
	defer done()
	result := &comparison{Server: server, Encoding: c.name, Tools: c.count(string(encode(tools.Catalog()))), Recipe: c.count(r.text), Multiplier: m}
	for _, q := range asked {
		one := reading{Name: q.name, Tool: q.tool}
		if err := one.ask(ctx, q, c, r, set); err != nil {
			one.Error = oneLine(err.Error(), 200)
		} else {
			byTool, raw, printed := result.ways(one)
			one.KRaw, one.KPrinted = number(breakeven(byTool, raw, m)), number(breakeven(byTool, printed, m))
			one.Verdict = verdict(byTool, printed, m)
		}
		result.Reads = append(result.Reads, one)
	}
	return result, nil
}

func (one *reading) ask(ctx context.Context, q question, c counter, r *recipe, set *tools.Set) error {
	address := q.address
	if q.path != "" {
		address = "$V/" + strings.ReplaceAll(q.path, ".", "/")
	}
	command, err := r.command(q.address, address)
	if err != nil {
		return err
	}
	one.Path = strings.TrimPrefix(address, "$V/")
	answer, err := set.Call(q.tool, json.RawMessage(q.arguments))
	if err != nil {
		return err
	}
	raw, printed, err := r.run(ctx, command)
	if err != nil {
		return err
	}
	if q.address == oneValue && q.path != "" && printed == `{"timestamp":null,"units":null,"value":null}` {
		// The path is a group's.
		if command, err = r.command(oneGroup, address); err != nil {
			return err
		}
		if printed, err = command.filter(ctx, raw); err != nil {
			return err
		}
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, raw, "", "  "); err != nil {
		return fmt.Errorf("the server's answer is no JSON: %w", err)
	}
	one.Raw, one.Pretty, one.Printed = c.count(string(raw)), c.count(pretty.String()), c.count(printed)
	one.Answer = c.count(string(answer.JSON()))
	one.Command = c.count(command.line)
	one.Call = c.count(string(encode(struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{q.tool, json.RawMessage(cmp.Or(q.arguments, "{}"))})))
	return nil
}

// ways are the ways to one reading: by tool, raw, and as the recipe prints it.
func (c *comparison) ways(r reading) (byTool, raw, printed way) {
	s, p := float64(c.Tools), float64(c.Recipe)
	return way{s, float64(r.Answer)}, way{p, float64(r.Raw)}, way{p, float64(r.Printed)}
}

// follow works out the curve and the session for one reading. One that could not
// be measured has none; its row says why.
func (c *comparison) follow(name string, s session) {
	i := slices.IndexFunc(c.Reads, func(r reading) bool { return r.Name == name })
	if c.Reads[i].Error != "" {
		return
	}
	byTool, raw, printed := c.ways(c.Reads[i])
	for k := range curveReads + 1 {
		x := float64(k)
		c.Curve = append(c.Curve, point{k, byTool.turn(x, c.Multiplier), raw.turn(x, c.Multiplier), printed.turn(x, c.Multiplier)})
	}
	c.Session = &outcome{s, s.cost(byTool), s.cost(raw), s.cost(printed), number(s.breakeven(byTool, raw))}
}

// table is the comparison as rows.
func (c *comparison) table() *table {
	t := newTable("read", "raw", "indented", "recipe prints", "tool result", "k* raw", "k* recipe", "tools cost less than the recipe")
	for _, r := range c.Reads {
		if r.Error != "" {
			t.row(r.Name, "–", "–", "–", "–", "–", "–", "not measured: "+r.Error)
			continue
		}
		t.row(r.Name, r.Raw, r.Pretty, r.Printed, r.Answer, r.KRaw, r.KPrinted, r.Verdict)
	}
	return t
}

func (c *comparison) write(w io.Writer, curve string) {
	fmt.Fprintf(w, "%s. Tokens by %s, a proxy for a model's own tokenizer.\n", oneLine(c.Server, 100), c.Encoding)
	fmt.Fprintf(w, "In every turn: S = %d for the seven tools, P = %d for the recipe; caching leaves %.3f of both.\n", c.Tools, c.Recipe, c.Multiplier)
	fmt.Fprintln(w, "k* = (S − P)/(raw − tool): the reads a turn at which both cost the same.")
	fmt.Fprintln(w)
	c.table().write(w)
	fmt.Fprintln(w)
	t := newTable("to ask, a model writes", "by the recipe", "by the tool")
	for _, r := range c.Reads {
		if r.Error == "" {
			t.row(r.Name, r.Command, r.Call)
		}
	}
	t.write(w)
	if c.Session == nil {
		return
	}
	fmt.Fprintf(w, "\nA turn's cost with so many reads of %s, in tokens of input price:\n", curve)
	t = newTable("reads", "tools", "raw", "recipe prints")
	for _, p := range c.Curve {
		t.row(p.Reads, p.Tools, p.Raw, p.Printed)
	}
	t.write(w)
	s := c.Session
	fmt.Fprintf(w, "\nA session of %d turns with %g reads each, whose results stay in the transcript: tools %.0f, raw %.0f, recipe prints %.0f; k* raw %s.\n",
		s.Turns, s.Reads, s.Tools, s.Raw, s.Printed, s.Breakeven)
}
