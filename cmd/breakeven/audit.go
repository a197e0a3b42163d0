package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"signalk-mcp/tools"
)

// audit is what a server's catalogue costs a model in every turn. All counts are
// tokens.
type audit struct {
	Server    string `json:"server"`
	Transport string `json:"transport,omitempty"`
	Protocol  string `json:"protocol,omitempty"`
	// Error is why there is no whole catalogue; what came of it is counted.
	Error    string     `json:"error,omitempty"`
	Encoding string     `json:"encoding"`
	Tools    []toolCost `json:"tools"`
	// Seen is the cost of the ordered catalogue as one JSON array of name,
	// description and input schema, by encoding.
	Seen  map[string]int `json:"seen"`
	Total int            `json:"total"`
	// Fingerprint is the SHA-256 of that array.
	Fingerprint string       `json:"fingerprint"`
	Window      float64      `json:"share_of_window"`
	Definitions []repetition `json:"repeated_definitions,omitempty"`
	Fields      []repetition `json:"repeated_fields,omitempty"`
}

// toolCost is what one tool costs. Other is what the server sends besides, such
// as annotations and output schemas, which most hosts keep from the model.
type toolCost struct {
	Name        string `json:"name"`
	NameTokens  int    `json:"name_tokens"`
	Description int    `json:"description"`
	InputSchema int    `json:"input_schema"`
	Other       int    `json:"other"`
	Total       int    `json:"total"`
	// Large marks more than twice the mean of the server's tools.
	Large bool `json:"large,omitempty"`
}

// repetition is what stands in several tools: a definition under $defs, or
// fields that always come together.
type repetition struct {
	What  []string `json:"what"`
	Tools []string `json:"tools"`
	// Wasted is what all but the first cost.
	Wasted int `json:"wasted"`
}

func newAudit(f *flag.FlagSet) func(context.Context, output) error {
	var s serverFlags
	s.register(f, "url")
	encoding := encodingFlag(f)
	window := f.Int("window", 200_000, "tokens of the model's context window")
	baseline := f.String("baseline", "", "a file that -json wrote: fail if a catalogue has grown since")
	return func(ctx context.Context, o output) error {
		c, err := newCounter(*encoding)
		if err != nil {
			return err
		}
		if *window < 1 {
			return usageError("-window %d: it must be positive", *window)
		}
		var before []audit
		if *baseline != "" {
			if before, err = readAudits(*baseline); err != nil {
				return err
			}
		}
		servers, err := s.servers(o.args)
		if err != nil {
			return err
		}
		audits := make([]audit, len(servers))
		var all sync.WaitGroup
		for i, server := range servers {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(ctx, s.timeout)
				defer cancel()
				audits[i] = auditServer(ctx, server, c, *window)
			})
		}
		all.Wait()
		if len(servers) == 0 {
			audits = []audit{auditOurs(c, *window)}
		}
		if err := o.show(audits, func(w io.Writer) {
			for _, a := range audits {
				a.write(w, *window)
			}
		}); err != nil {
			return err
		}
		var failed []error
		for _, a := range audits {
			if a.Error != "" {
				failed = append(failed, fmt.Errorf("%s: %s", oneLine(a.Server, 80), a.Error))
			}
		}
		if *baseline != "" {
			failed = append(failed, growth(before, audits)...)
		}
		return errors.Join(failed...)
	}
}

// auditServer connects to a server and counts. It ends with the context.
func auditServer(ctx context.Context, s server, c counter, window int) audit {
	client, err := s.open(ctx)
	if err != nil {
		return audit{Server: s.name, Transport: s.transport(), Encoding: c.name, Error: err.Error(), Tools: []toolCost{}}
	}
	defer client.close()
	raw, err := client.tools(ctx)
	a := count(raw, c, window)
	a.Server, a.Transport = s.name, s.transport()
	if r := client.InitializeResult(); r != nil {
		a.Protocol = r.ProtocolVersion
	}
	if err != nil {
		a.Error = err.Error()
	}
	return a
}

// auditOurs counts the catalogue of this build.
func auditOurs(c counter, window int) audit {
	var raw []json.RawMessage
	for _, t := range tools.Catalog() {
		raw = append(raw, encode(t))
	}
	a := count(raw, c, window)
	a.Server = "signalk-mcp, this build"
	return a
}

// count counts a catalogue as a server sent it.
func count(raw []json.RawMessage, c counter, window int) audit {
	a := audit{Encoding: c.name, Tools: []toolCost{}, Seen: map[string]int{}}
	list := []tool{}
	for _, r := range raw {
		t, rest, err := seen(r)
		if err != nil {
			a.Error = "a tool is no JSON object: " + oneLine(err.Error(), 100)
			continue
		}
		list = append(list, t)
		cost := toolCost{
			Name: t.Name, NameTokens: c.count(t.Name), Description: c.count(t.Description),
			InputSchema: c.count(string(t.InputSchema)), Other: c.count(string(rest)),
		}
		cost.Total = c.count(string(encode(t))) + cost.Other
		a.Total += cost.Total
		a.Tools = append(a.Tools, cost)
	}
	for i, t := range a.Tools {
		a.Tools[i].Large = t.Total*len(a.Tools) > 2*a.Total
	}
	catalog := encode(list)
	for _, name := range encodings {
		other, err := newCounter(name)
		if err != nil {
			panic(err) // it is one of ours
		}
		a.Seen[name] = other.count(string(catalog))
	}
	sum := sha256.Sum256(catalog)
	a.Fingerprint = hex.EncodeToString(sum[:])
	a.Window = float64(a.Seen[c.name]) / float64(window)
	a.Definitions, a.Fields = repetitions(list, c)
	return a
}

// repetitions finds definitions and fields that are the same, by name and by
// schema, in several tools.
func repetitions(list []tool, c counter) (definitions, fields []repetition) {
	type member struct{ name, schema string }
	inTools := map[bool]map[member][]string{true: {}, false: {}} // definitions, fields
	for _, t := range list {
		seen := map[bool]map[member]bool{true: {}, false: {}}
		var walk func(v any, depth int)
		walk = func(v any, depth int) {
			if depth > 50 {
				return
			}
			switch v := v.(type) {
			case []any:
				for _, e := range v {
					walk(e, depth+1)
				}
			case map[string]any:
				for _, key := range []string{"$defs", "definitions", "properties"} {
					members, _ := v[key].(map[string]any)
					for name, schema := range members {
						m, isDefinition := member{name, string(encode(schema))}, key != "properties"
						if !seen[isDefinition][m] {
							seen[isDefinition][m] = true
							inTools[isDefinition][m] = append(inTools[isDefinition][m], t.Name)
						}
					}
				}
				for _, e := range v {
					walk(e, depth+1)
				}
			}
		}
		var schema any
		if json.Unmarshal(t.InputSchema, &schema) == nil {
			walk(schema, 0)
		}
	}
	// What is in the same tools belongs together.
	group := func(of map[member][]string, atLeast int) (list []repetition) {
		groups := map[string]*repetition{}
		for m, names := range of {
			if len(names) < 2 {
				continue
			}
			key := string(encode(names))
			if groups[key] == nil {
				groups[key] = &repetition{Tools: names}
			}
			groups[key].What = append(groups[key].What, m.name)
			groups[key].Wasted += (len(names) - 1) * c.count(fmt.Sprintf("%q:%s,", m.name, m.schema))
		}
		for _, g := range groups {
			if len(g.What) >= atLeast {
				slices.Sort(g.What)
				list = append(list, *g)
			}
		}
		slices.SortFunc(list, func(x, y repetition) int {
			return cmp.Or(y.Wasted-x.Wasted, slices.Compare(x.What, y.What))
		})
		return list
	}
	return group(inTools[true], 1), group(inTools[false], 2)
}

// write prints the audit for people.
func (a audit) write(w io.Writer, window int) {
	fmt.Fprintf(w, "%s", oneLine(a.Server, 100))
	switch {
	case a.Protocol != "":
		fmt.Fprintf(w, " (%s, %s)", a.Transport, oneLine(a.Protocol, 20))
	case a.Transport != "":
		fmt.Fprintf(w, " (%s)", a.Transport)
	}
	fmt.Fprintln(w)
	if a.Error != "" {
		fmt.Fprintln(w, "  could not be measured whole:", a.Error)
		if len(a.Tools) == 0 {
			fmt.Fprintln(w)
			return
		}
	}
	t := newTable("tool", "name", "description", "input schema", "other", "total", "")
	for _, x := range a.Tools {
		note := ""
		if x.Large {
			note = "over twice the mean"
		}
		t.row(oneLine(x.Name, 64), x.NameTokens, x.Description, x.InputSchema, x.Other, x.Total, note)
	}
	t.row("all", "", "", "", "", a.Total, "")
	t.write(w)
	var each []string
	for _, name := range encodings {
		each = append(each, fmt.Sprintf("%d by %s", a.Seen[name], name))
	}
	fmt.Fprintf(w, "A model sees %s in every turn: %s, proxies for its own tokenizer; %.2f %% of a window of %d.\n",
		plural(len(a.Tools), "tool"), strings.Join(each, ", "), 100*a.Window, window)
	fmt.Fprintln(w, "SHA-256 of the ordered catalogue:", a.Fingerprint)
	writeRepetitions(w, "Definitions", a.Definitions)
	writeRepetitions(w, "Fields", a.Fields)
	fmt.Fprintln(w)
}

func writeRepetitions(w io.Writer, kind string, list []repetition) {
	for _, r := range list[:min(len(list), 10)] {
		fmt.Fprintf(w, "%s %s: the same in %s, %d tokens repeated.\n", kind,
			oneLine(strings.Join(r.What, ", "), 100), plural(len(r.Tools), "tool"), r.Wasted)
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func readAudits(file string) (list []audit, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w; audit -json writes such a file", file, err)
	}
	return list, nil
}

// growth lists what has become dearer since, server by server. What was not
// there before is no growth of a server, but a tool that is new is.
func growth(before, now []audit) (grown []error) {
	for _, a := range now {
		i := slices.IndexFunc(before, func(b audit) bool { return b.Server == a.Server && b.Encoding == a.Encoding })
		if i < 0 {
			grown = append(grown, fmt.Errorf("%s is not in the baseline with %s", oneLine(a.Server, 80), a.Encoding))
			continue
		}
		b := before[i]
		if a.Seen[a.Encoding] > b.Seen[a.Encoding] {
			grown = append(grown, fmt.Errorf("%s grew from %d to %d tokens", oneLine(a.Server, 80), b.Seen[a.Encoding], a.Seen[a.Encoding]))
		}
		was := map[string]int{}
		for _, t := range b.Tools {
			was[t.Name] = t.Total
		}
		for _, t := range a.Tools {
			if n, known := was[t.Name]; !known {
				grown = append(grown, fmt.Errorf("%s is new: %d tokens", oneLine(t.Name, 64), t.Total))
			} else if t.Total > n {
				grown = append(grown, fmt.Errorf("%s grew from %d to %d tokens", oneLine(t.Name, 64), n, t.Total))
			}
		}
	}
	return grown
}
