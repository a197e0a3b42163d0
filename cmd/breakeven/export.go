package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"signalk-mcp/tools"
)

// provider is an API that takes definitions of tools.
type provider struct {
	name string
	// keywords of JSON Schema that it takes; nil for all but those refused.
	keywords []string
	refused  []string // at the root of a schema
	// strict tells whether there is a strict form, and every whether all
	// properties must then be required.
	strict, every bool
	define        func(t tool, parameters map[string]any, strict bool) any
	// wrap puts the definitions together.
	wrap func(list []any) any
	// results says how the API wants a tool's result, with a placeholder for it.
	results any
}

// The rules are those of the providers' own documentation: OpenAI's function
// calling and structured outputs, Anthropic's tool use, Google's function
// declarations, an excerpt of OpenAPI 3.0.
var providers = []provider{
	{
		name: "openai", refused: []string{"oneOf", "anyOf", "allOf", "enum", "not"}, strict: true, every: true,
		define: func(t tool, parameters map[string]any, strict bool) any {
			type function struct {
				Name        string         `json:"name"`
				Description string         `json:"description"`
				Parameters  map[string]any `json:"parameters"`
				Strict      bool           `json:"strict,omitempty"`
			}
			return struct {
				Type     string   `json:"type"`
				Function function `json:"function"`
			}{"function", function{t.Name, t.Description, parameters, strict}}
		},
		wrap:    func(list []any) any { return list },
		results: map[string]any{"role": "tool", "tool_call_id": "ID OF THE CALL", "content": "TEXT OF THE RESULT"},
	},
	{
		name: "claude", refused: []string{"oneOf", "anyOf", "allOf"}, strict: true,
		define: func(t tool, parameters map[string]any, strict bool) any {
			return struct {
				Name        string         `json:"name"`
				Description string         `json:"description"`
				InputSchema map[string]any `json:"input_schema"`
				Strict      bool           `json:"strict,omitempty"`
			}{t.Name, t.Description, parameters, strict}
		},
		wrap: func(list []any) any { return list },
		results: map[string]any{"role": "user", "content": []any{map[string]any{
			"type": "tool_result", "tool_use_id": "ID OF THE CALL", "content": "TEXT OF THE RESULT", "is_error": false,
		}}},
	},
	{
		name:     "gemini",
		keywords: []string{"type", "format", "description", "nullable", "enum", "items", "minItems", "maxItems", "properties", "required", "minimum", "maximum"},
		define: func(t tool, parameters map[string]any, _ bool) any {
			if members, _ := parameters["properties"].(map[string]any); len(members) == 0 {
				parameters = nil // an object without properties is refused
			}
			return struct {
				Name        string         `json:"name"`
				Description string         `json:"description"`
				Parameters  map[string]any `json:"parameters,omitempty"`
			}{t.Name, t.Description, parameters}
		},
		wrap: func(list []any) any { return []any{map[string]any{"functionDeclarations": list}} },
		results: map[string]any{"role": "user", "parts": []any{map[string]any{
			"functionResponse": map[string]any{"name": "NAME OF THE TOOL", "response": map[string]any{"result": "TEXT OF THE RESULT"}},
		}}},
	},
}

func newExport(f *flag.FlagSet) func(context.Context, output) error {
	var names []string
	for _, p := range providers {
		names = append(names, p.name)
	}
	name := f.String("provider", "", strings.Join(names, ", "))
	strict := f.Bool("strict", false, "the strict form, in which the provider holds the model to the schema")
	results := f.Bool("results", false, "print instead how the provider wants results returned")
	var s serverFlags
	s.register(f, "url")
	return func(ctx context.Context, o output) error {
		i := slices.Index(names, *name)
		if i < 0 {
			return usageError("-provider %q: there are %s", *name, strings.Join(names, ", "))
		}
		p := providers[i]
		o.json = true // there is no other form
		if *results {
			return o.show(p.results, nil)
		}
		if *strict && !p.strict {
			return usageError("%s has no strict form", p.name)
		}
		list, err := s.catalogue(ctx, o.args)
		if err != nil {
			return err
		}
		definitions, err := p.export(list, *strict)
		return errors.Join(o.show(definitions, nil), err)
	}
}

// catalogue gives the tools of the one server that is named, or else ours.
func (s *serverFlags) catalogue(ctx context.Context, command []string) (list []tool, err error) {
	servers, err := s.servers(command)
	switch {
	case err != nil:
		return nil, err
	case len(servers) > 1:
		return nil, usageError("one server at a time")
	case len(servers) == 0:
		for _, t := range tools.Catalog() {
			list = append(list, tool(t))
		}
		return list, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	c, err := servers[0].open(ctx)
	if err != nil {
		return nil, err
	}
	defer c.close()
	raw, err := c.tools(ctx)
	for _, r := range raw {
		if t, _, err := seen(r); err == nil {
			list = append(list, t)
		}
	}
	return list, err
}

// exportName is what all of the providers take as a tool's name.
var exportName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

// export converts a catalogue. What cannot be converted is left out, and named
// in the error.
func (p provider) export(list []tool, strict bool) (any, error) {
	definitions := []any{}
	var left []error
	for _, t := range list {
		parameters, err := p.parameters(t.InputSchema, strict)
		if err == nil && !exportName.MatchString(t.Name) {
			err = errors.New("the name has more than letters, digits, _ and -, or than 64 of them")
		}
		if err != nil {
			left = append(left, fmt.Errorf("%s is left out: %w", oneLine(t.Name, 64), err))
			continue
		}
		definitions = append(definitions, p.define(t, parameters, strict))
	}
	return p.wrap(definitions), errors.Join(left...)
}

func (p provider) parameters(schema json.RawMessage, strict bool) (map[string]any, error) {
	var root map[string]any
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, err
	}
	if root["type"] != "object" {
		return nil, errors.New("its arguments are no object")
	}
	for _, k := range p.refused {
		if _, has := root[k]; has {
			return nil, fmt.Errorf("%s is refused at the root of a schema", k)
		}
	}
	if root["properties"] == nil {
		root["properties"] = map[string]any{} // some clients crash without it
	}
	return p.convert(root, strict, 0)
}

// maxDepth is how deep schemas are nested at most.
const maxDepth = 30

// convert gives a schema with what the provider takes of it.
func (p provider) convert(schema map[string]any, strict bool, depth int) (map[string]any, error) {
	if depth > maxDepth {
		return nil, errors.New("its schema is nested too deep")
	}
	out := map[string]any{}
	for k, v := range schema {
		if k == "$schema" || p.keywords != nil && !slices.Contains(p.keywords, k) {
			if slices.Contains([]string{"$ref", "oneOf", "anyOf", "allOf"}, k) {
				return nil, fmt.Errorf("%s has no counterpart there", k)
			}
			continue
		}
		out[k] = v
	}
	if err := p.convertMembers(out, strict, depth); err != nil {
		return nil, err
	}
	if p.keywords != nil {
		if kinds, ok := out["type"].([]any); ok { // "string" or null
			kinds = slices.DeleteFunc(slices.Clone(kinds), func(k any) bool { return k == "null" })
			if len(kinds) != 1 {
				return nil, errors.New("a type of several has no counterpart there")
			}
			out["type"], out["nullable"] = kinds[0], true
		}
	}
	members, object := out["properties"].(map[string]any)
	if !strict || !object && out["type"] != "object" {
		return out, nil
	}
	if more, has := out["additionalProperties"]; has && more != false && more != true {
		return nil, errors.New("properties of any name are not strict")
	}
	out["additionalProperties"] = false
	if !p.every {
		return out, nil
	}
	required, _ := out["required"].([]any)
	for name, m := range members {
		if !slices.Contains(required, any(name)) {
			if err := allowNull(m.(map[string]any)); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	names := slices.AppendSeq([]string{}, maps.Keys(members)) // [] and not null where there are none
	slices.Sort(names)
	out["required"] = names
	return out, nil
}

// convertMembers converts the schemas within a schema. A required member that is
// none of the properties is dropped.
func (p provider) convertMembers(out map[string]any, strict bool, depth int) error {
	for _, k := range []string{"properties", "$defs", "definitions"} {
		members, ok := out[k].(map[string]any)
		if !ok {
			continue
		}
		converted := map[string]any{}
		for name, m := range members {
			inner, ok := m.(map[string]any)
			if !ok {
				inner = map[string]any{} // true: anything
			}
			c, err := p.convert(inner, strict, depth+1)
			if err != nil {
				return fmt.Errorf("%s: %w", oneLine(name, 64), err)
			}
			converted[name] = c
		}
		out[k] = converted
	}
	if items, ok := out["items"].(map[string]any); ok {
		c, err := p.convert(items, strict, depth+1)
		if err != nil {
			return fmt.Errorf("items: %w", err)
		}
		out["items"] = c
	}
	for _, k := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := out[k].([]any)
		for i, m := range list {
			inner, ok := m.(map[string]any)
			if !ok {
				continue
			}
			c, err := p.convert(inner, strict, depth+1)
			if err != nil {
				return fmt.Errorf("%s: %w", k, err)
			}
			list[i] = c
		}
	}
	if required, ok := out["required"].([]any); ok {
		members, _ := out["properties"].(map[string]any)
		out["required"] = slices.DeleteFunc(slices.Clone(required), func(r any) bool {
			name, _ := r.(string)
			_, has := members[name]
			return !has
		})
	}
	return nil
}

// allowNull lets a model say that it leaves an argument out.
func allowNull(m map[string]any) error {
	switch t := m["type"].(type) {
	case string:
		m["type"] = []any{t, "null"}
	case []any:
		if !slices.Contains(t, any("null")) {
			m["type"] = append(slices.Clone(t), "null")
		}
	default:
		if list, ok := m["anyOf"].([]any); ok {
			m["anyOf"] = append(slices.Clone(list), map[string]any{"type": "null"})
			return nil
		}
		return errors.New("it is optional and has no type that could be null")
	}
	if values, ok := m["enum"].([]any); ok && !slices.Contains(values, nil) {
		m["enum"] = append(slices.Clone(values), nil)
	}
	return nil
}
