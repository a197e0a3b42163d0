package main

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/tools"
)

// exported runs export, and decodes what it prints.
func exported(t *testing.T, into any, args ...string) {
	t.Helper()
	out, log, code := call(t, append([]string{"export"}, args...)...)
	require.Equal(t, exitOK, code, log)
	require.NoError(t, json.Unmarshal([]byte(out), into))
}

// names are the tools of the catalogue, in its order.
func names() (list []string) {
	for _, t := range tools.Catalog() {
		list = append(list, t.Name)
	}
	return list
}

var providerName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) // of OpenAI and Anthropic alike

// eachSchema calls a function for a schema and all within it.
func eachSchema(schema map[string]any, f func(map[string]any)) {
	f(schema)
	members, _ := schema["properties"].(map[string]any)
	for _, m := range members {
		eachSchema(m.(map[string]any), f)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		eachSchema(items, f)
	}
}

type openAITool struct {
	Type     string
	Function struct {
		Name, Description string
		Parameters        map[string]any
		Strict            bool
	}
}

func TestExportOpenAI(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		args := []string{"-provider", "openai"}
		if strict {
			args = append(args, "-strict")
		}
		var list []openAITool
		exported(t, &list, args...)
		require.Len(t, list, 7)
		for i, d := range list {
			assert.Equal(t, names()[i], d.Function.Name)
			checkOpenAI(t, d, strict)
		}
	}
	// An argument that may be left out is one that may be null.
	var list []openAITool
	exported(t, &list, "-provider", "openai", "-strict")
	assert.Equal(t, map[string]any{"bank": map[string]any{"type": []any{"string", "null"}}}, list[0].Function.Parameters["properties"])
	assert.Equal(t, map[string]any{"path": map[string]any{"type": "string"}}, list[6].Function.Parameters["properties"])
}

// checkOpenAI checks a definition by OpenAI's rules of functions, and in strict
// mode of structured outputs: every object closed, every property required.
func checkOpenAI(t *testing.T, d openAITool, strict bool) {
	t.Helper()
	assert.Equal(t, "function", d.Type)
	assert.Regexp(t, providerName, d.Function.Name)
	assert.NotEmpty(t, d.Function.Description)
	assert.Equal(t, strict, d.Function.Strict)
	assert.Equal(t, "object", d.Function.Parameters["type"])
	assert.Contains(t, d.Function.Parameters, "properties")
	for _, k := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} {
		assert.NotContains(t, d.Function.Parameters, k, "not at the root")
	}
	eachSchema(d.Function.Parameters, func(s map[string]any) {
		members, object := s["properties"].(map[string]any)
		if !strict || !object {
			return
		}
		assert.Equal(t, false, s["additionalProperties"])
		required, isList := s["required"].([]any)
		assert.True(t, isList, "a list, also where it is empty")
		assert.Len(t, required, len(members))
		for _, name := range required {
			assert.Contains(t, members, name)
		}
	})
}

type claudeTool struct {
	Name, Description string
	InputSchema       map[string]any `json:"input_schema"`
	Strict            bool
}

// Claude's rules: type object at the root, no combinations there, and in strict
// mode every object closed, while properties may stay optional.
func TestExportClaude(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		args := []string{"-provider", "claude"}
		if strict {
			args = append(args, "-strict")
		}
		var list []claudeTool
		exported(t, &list, args...)
		require.Len(t, list, 7)
		for i, d := range list {
			assert.Equal(t, names()[i], d.Name)
			assert.Regexp(t, providerName, d.Name)
			assert.NotEmpty(t, d.Description)
			assert.Equal(t, strict, d.Strict)
			assert.Equal(t, "object", d.InputSchema["type"])
			for _, k := range []string{"oneOf", "anyOf", "allOf"} {
				assert.NotContains(t, d.InputSchema, k)
			}
			eachSchema(d.InputSchema, func(s map[string]any) {
				if _, object := s["properties"]; object && strict {
					assert.Equal(t, false, s["additionalProperties"])
				}
			})
		}
		assert.Nil(t, list[0].InputSchema["required"], "bank stays optional")
	}
}

type geminiTool struct {
	Declarations []struct {
		Name, Description string
		Parameters        map[string]any
	} `json:"functionDeclarations"`
}

// geminiKeywords are the members of Google's Schema that every version of the API
// takes.
var geminiKeywords = []string{"type", "format", "description", "nullable", "enum", "items", "minItems", "maxItems", "properties", "required", "minimum", "maximum"}

func checkGemini(t *testing.T, schema map[string]any) {
	t.Helper()
	eachSchema(schema, func(s map[string]any) {
		for k := range s {
			assert.Contains(t, geminiKeywords, k)
		}
		assert.IsType(t, "", s["type"], "one type, no list")
	})
}

func TestExportGemini(t *testing.T) {
	t.Parallel()
	var list []geminiTool
	exported(t, &list, "-provider", "gemini")
	require.Len(t, list, 1)
	require.Len(t, list[0].Declarations, 7)
	for i, d := range list[0].Declarations {
		assert.Equal(t, names()[i], d.Name)
		if members, _ := d.Parameters["properties"].(map[string]any); d.Parameters != nil {
			assert.NotEmpty(t, members, "an object without properties is refused: %s", d.Name)
			checkGemini(t, d.Parameters)
		}
	}
	assert.Nil(t, list[0].Declarations[1].Parameters, "depth_state has no arguments")
	assert.NotNil(t, list[0].Declarations[0].Parameters)
}

// A catalogue that is not ours has what ours avoids.
func TestExportOfForeignSchemas(t *testing.T) {
	t.Parallel()
	const schema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":true,
		"properties":{
			"from":{"type":"object","title":"Place","properties":{"lat":{"type":"number","exclusiveMinimum":-90},"lon":{"type":"number"}},"required":["lat","none"]},
			"kinds":{"type":"array","items":{"type":"object","properties":{"x":{"type":["string","null"]}}},"uniqueItems":true},
			"unit":{"enum":["m","ft"],"type":"string","default":"m"}},
		"required":["from"]}`
	list := []tool{{"plan", "Plans.", json.RawMessage(schema)}}
	decoded := func(p provider, strict bool) (into []map[string]any) {
		v, err := p.export(list, strict)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(encode(v), &into))
		return into
	}
	var openAI []openAITool
	require.NoError(t, json.Unmarshal(encode(decoded(providers[0], true)), &openAI))
	checkOpenAI(t, openAI[0], true)
	members := openAI[0].Function.Parameters["properties"].(map[string]any)
	assert.Equal(t, []any{"m", "ft", nil}, members["unit"].(map[string]any)["enum"])
	assert.Equal(t, "object", members["from"].(map[string]any)["type"], "what is required is not null")

	var gemini []geminiTool
	require.NoError(t, json.Unmarshal(encode(decoded(providers[2], false)), &gemini))
	checkGemini(t, gemini[0].Declarations[0].Parameters)
	from := gemini[0].Declarations[0].Parameters["properties"].(map[string]any)["from"].(map[string]any)
	assert.Equal(t, []any{"lat"}, from["required"], "none is no property")
}

// What has no counterpart is left out by name, and the rest is there.
func TestExportLeavesOut(t *testing.T) {
	t.Parallel()
	good := tool{"good", "", json.RawMessage(`{"type":"object"}`)}
	deep := `{"type":"string"}`
	for range 40 {
		deep = `{"type":"object","properties":{"x":` + deep + `}}`
	}
	for name, tt := range map[string]struct {
		provider int
		strict   bool
		tool     tool
	}{
		"a combination at the root":    {1, false, tool{"bad", "", json.RawMessage(`{"type":"object","oneOf":[{}]}`)}},
		"a union for Gemini":           {2, false, tool{"bad", "", json.RawMessage(`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"number"}]}}}`)}},
		"two types for Gemini":         {2, false, tool{"bad", "", json.RawMessage(`{"type":"object","properties":{"a":{"type":["string","number"]}}}`)}},
		"a reference for Gemini":       {2, false, tool{"bad", "", json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}}`)}},
		"any names, strictly":          {0, true, tool{"bad", "", json.RawMessage(`{"type":"object","additionalProperties":{"type":"string"}}`)}},
		"no type to be null, strictly": {0, true, tool{"bad", "", json.RawMessage(`{"type":"object","properties":{"a":{"const":1}}}`)}},
		"no object":                    {0, false, tool{"bad", "", json.RawMessage(`{"type":"array"}`)}},
		"a boolean schema":             {0, false, tool{"bad", "", json.RawMessage(`true`)}},
		"a name with a dot":            {1, false, tool{"bad.name", "", json.RawMessage(`{"type":"object"}`)}},
		"no end of nesting":            {0, false, tool{"bad", "", json.RawMessage(deep)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := providers[tt.provider].export([]tool{tt.tool, good}, tt.strict)
			require.ErrorContains(t, err, "bad")
			assert.ErrorContains(t, err, "left out")
			assert.Contains(t, string(encode(v)), "good")
			assert.NotContains(t, string(encode(v)), "bad")
		})
	}
}

func TestExportResults(t *testing.T) {
	t.Parallel()
	for name, wants := range map[string]string{"openai": `"tool_call_id"`, "claude": `"tool_result"`, "gemini": `"functionResponse"`} {
		out, log, code := call(t, "export", "-provider", name, "-results")
		require.Equal(t, exitOK, code, log)
		assert.Contains(t, out, wants)
	}
}
