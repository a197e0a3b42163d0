package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"signalk-mcp/signalk"
)

// Options configures a Set. The zero value is fine.
type Options struct {
	// Reversed tells of which banks the monitor counts a discharge as positive,
	// against the schema. If nil, of none.
	Reversed func(bank string) bool
	// HostZone is the zone of the host's clock, the last resort of
	// get_local_time. If nil, time.Local.
	HostZone *time.Location
	// Host is the clock on the wall of this computer, which may be set while the
	// vessel's clock, by which ages are counted, runs on. If nil, the vessel's.
	Host func() time.Time
}

// Set is the catalogue over one vessel.
type Set struct {
	vessel *signalk.Vessel
	opts   Options
	byName map[string]*tool
}

// tool is one tool. Its description opens with the crew's own words and stands
// without the others; its length is paid on every turn.
type tool struct {
	name        string
	description string
	// arguments are the names of its text arguments, required those that a model
	// must give.
	arguments, required []string
	// example is a call of the tool that needs no thought.
	example string
	answer  func(q query) Result
}

// catalog lists the tools by name, which is the order in which hosts get them.
var catalog = []*tool{
	&batteryState,
	&depthState,
	&getActiveAlarms,
	&getLocalTime,
	&getRoute,
	&listPaths,
	&readSensor,
}

// Tool is what a model sees of a tool.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// Catalog gives what a model sees, by name. The bytes are the same in every run.
func Catalog() []Tool {
	list := make([]Tool, len(catalog))
	for i, t := range catalog {
		list[i] = Tool{t.name, t.description, t.schema()}
	}
	return list
}

// schema is flat, without unions, and has properties even where there are none:
// hosts refuse other forms.
func (t *tool) schema() json.RawMessage {
	var properties object
	for _, a := range t.arguments {
		properties.raw(a, []byte(`{"type":"string"}`))
	}
	var o object
	o.text("type", "object")
	o.raw("properties", properties.json())
	if t.required != nil {
		o.texts("required", t.required)
	}
	return o.json()
}

// Example gives arguments with which a tool can be tried.
func Example(name string) json.RawMessage {
	for _, t := range catalog {
		if t.name == name && t.example != "" {
			return json.RawMessage(t.example)
		}
	}
	return nil
}

// New returns the tools over a vessel.
func New(v *signalk.Vessel, o Options) *Set {
	if o.Reversed == nil {
		o.Reversed = func(string) bool { return false }
	}
	if o.HostZone == nil {
		o.HostZone = time.Local
	}
	s := &Set{vessel: v, opts: o, byName: map[string]*tool{}}
	for _, t := range catalog {
		s.byName[t.name] = t
	}
	return s
}

// ErrUnknown is Call's error for a tool that is not in the catalogue.
var ErrUnknown = errors.New("no such tool")

// Call answers one call. Arguments are JSON, taken leniently; a wrong one is an
// answer that says what is allowed.
func (s *Set) Call(name string, arguments json.RawMessage) (r Result, err error) {
	t := s.byName[name]
	if t == nil {
		return r, fmt.Errorf("%w: %q", ErrUnknown, name)
	}
	a, err := parseArgs(arguments)
	if err != nil {
		return wrong(err), nil
	}
	s.vessel.Read(func(v signalk.View) {
		q := query{View: v, opts: s.opts, args: map[string]string{}}
		if q.opts.Host == nil {
			q.opts.Host = func() time.Time { return v.Now }
		}
		for _, name := range t.arguments {
			if q.args[name], err = a.text(strings.ToLower(name)); err != nil {
				r = wrong(err)
				return
			}
		}
		r = t.answer(q)
	})
	return r, nil
}

// wrong is the answer to a wrong argument.
func wrong(err error) Result {
	return Result{Display: err.Error(), IsError: true}
}

// query is one question: the vessel as it is, and the arguments.
type query struct {
	signalk.View
	opts Options
	args map[string]string
}
