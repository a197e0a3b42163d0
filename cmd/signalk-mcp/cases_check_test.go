package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/tools"
	"signalk-mcp/tools/speechtest"
)

// expect is what must hold of an answer: every member that is given. A key is
// dotted ("serverInfo.name"); "." is the whole answer, and "said" is display and
// warning together. Null and missing are the same.
type expect struct {
	IsError *bool                 `json:"is_error"` // unset: either
	Live    bool                  `json:"live"`     // no error and no status
	Offline bool                  `json:"offline"`  // an error with a reason, or status disconnected or unauthorised
	Match   map[string]patterns   `json:"match"`
	Not     map[string]patterns   `json:"not"`
	Num     map[string][2]float64 `json:"num"`    // value, tolerance
	NumIf   map[string][2]float64 `json:"num_if"` // the same, if the key is there
	Equal   map[string]any        `json:"equal"`
	Absent  []string              `json:"absent"`
	Has     map[string][]shape    `json:"has"`     // the list has an element like each of these
	HasNot  map[string][]shape    `json:"has_not"` // and none like these
	Reading []reading             `json:"reading"` // value and unit are one of these
	Clock   map[string]string     `json:"clock"`   // offset from UTC whose HH:MM now is in the text
	MaxLen  map[string]int        `json:"max_len"` // bytes
	AnyOf   []expect              `json:"any_of"`
	When    []condition           `json:"when"`
}

// condition is what must hold if all patterns match.
type condition struct {
	If   shape  `json:"if"`
	Then expect `json:"then"`
}

// reading is a number with the unit that must stand beside it.
type reading struct {
	Unit patterns   `json:"unit"`
	Is   [2]float64 `json:"is"` // value, tolerance
}

// patterns are regular expressions that all apply, one or a list. Letter case is
// ignored, and a dot matches line ends.
type patterns []*regexp.Regexp

func (p *patterns) UnmarshalJSON(b []byte) error {
	var list []string
	if b[0] == '"' {
		b = slices.Concat([]byte{'['}, b, []byte{']'})
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	for _, s := range list {
		re, err := regexp.Compile("(?is)" + s)
		if err != nil {
			return err
		}
		*p = append(*p, re)
	}
	return nil
}

// shape describes an object by a pattern for each key, or a text by one pattern.
type shape map[string]patterns

func (s *shape) UnmarshalJSON(b []byte) error {
	var of map[string]patterns
	if b[0] != '{' {
		b = slices.Concat([]byte(`{".":`), b, []byte{'}'})
	}
	err := json.Unmarshal(b, &of)
	*s = of
	return err
}

func (s shape) fits(v any) bool {
	for key, ps := range s {
		for _, p := range ps {
			if x := dig(v, key); x == nil || !p.MatchString(plain(x)) {
				return false
			}
		}
	}
	return true
}

func (s shape) fitsAny(list any) bool {
	elements, _ := list.([]any)
	return slices.ContainsFunc(elements, s.fits)
}

// answer is what a tool, or another method, said.
type answer struct {
	content any
	isError bool
}

// faults lists what does not hold of an answer.
func (e *expect) faults(a answer) (bad []string) {
	holds := func(ok bool, format string, args ...any) {
		if !ok {
			bad = append(bad, fmt.Sprintf(format, args...))
		}
	}
	status := dig(a.content, "status")
	holds(e.IsError == nil || a.isError == *e.IsError, "isError is %v", a.isError)
	holds(!e.Live || !a.isError && status == nil, "it is not live")
	holds(!e.Offline || a.isError || status == tools.Disconnected || status == tools.Unauthorised, "it does not say that it is offline")
	for key, ps := range e.Match {
		for _, p := range ps {
			holds(shape{key: {p}}.fits(a.content), "%s does not match %s", key, p)
		}
	}
	for key, ps := range e.Not {
		for _, p := range ps {
			holds(!shape{key: {p}}.fits(a.content), "%s matches %s", key, p)
		}
	}
	for key, want := range e.Num {
		holds(near(dig(a.content, key), want), "%s is not %v±%v", key, want[0], want[1])
	}
	for key, want := range e.NumIf {
		x := dig(a.content, key)
		holds(x == nil || near(x, want), "%s is not %v±%v", key, want[0], want[1])
	}
	for key, want := range e.Equal {
		holds(reflect.DeepEqual(dig(a.content, key), want), "%s is not %v", key, want)
	}
	for _, key := range e.Absent {
		holds(dig(a.content, key) == nil, "%s is there", key)
	}
	for key, shapes := range e.Has {
		for _, s := range shapes {
			holds(s.fitsAny(dig(a.content, key)), "%s has nothing like %v", key, s)
		}
	}
	for key, shapes := range e.HasNot {
		for _, s := range shapes {
			holds(!s.fitsAny(dig(a.content, key)), "%s has %v", key, s)
		}
	}
	holds(e.Reading == nil || slices.ContainsFunc(e.Reading, func(r reading) bool {
		return near(dig(a.content, "value"), r.Is) && shape{"unit": r.Unit}.fits(a.content)
	}), "value and unit are no pair of %v", e.Reading)
	for key, offset := range e.Clock {
		holds(showsTime(plain(dig(a.content, key)), offset), "%s has not the time at %s", key, offset)
	}
	for key, most := range e.MaxLen {
		n := len(plain(dig(a.content, key)))
		holds(n <= most, "%s has %d bytes", key, n)
	}
	var alternatives []string
	for _, alternative := range e.AnyOf {
		faults := alternative.faults(a)
		if faults == nil {
			alternatives = nil
			break
		}
		alternatives = append(alternatives, strings.Join(faults, ", "))
	}
	holds(alternatives == nil, "no alternative holds: %s", strings.Join(alternatives, "; or "))
	for _, c := range e.When {
		if c.If.fits(a.content) {
			bad = append(bad, c.Then.faults(a)...)
		}
	}
	return bad
}

// differences compares two answers in some keys; without keys in all but those
// that change from second to second.
func differences(a, b answer, keys []string) (bad []string) {
	if keys == nil {
		x, _ := a.content.(map[string]any)
		y, _ := b.content.(map[string]any)
		keys = slices.Concat(slices.Collect(maps.Keys(x)), slices.Collect(maps.Keys(y)))
		keys = slices.DeleteFunc(keys, func(k string) bool { return k == "age_s" || k == "timestamp" })
	}
	for _, k := range keys {
		if x, y := dig(a.content, k), dig(b.content, k); !reflect.DeepEqual(x, y) {
			bad = append(bad, fmt.Sprintf("%s is %v, and before it was %v", k, x, y))
		}
	}
	return bad
}

// dig finds a dotted key; nil if there is none.
func dig(v any, key string) any {
	switch key {
	case ".":
		return v
	case "said":
		return plain(dig(v, "display")) + " " + plain(dig(v, "warning"))
	}
	for name := range strings.SplitSeq(key, ".") {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

func near(x any, want [2]float64) bool {
	const rounding = 1e-9 // of the tolerance itself
	f, ok := x.(float64)
	return ok && math.Abs(f-want[0]) <= want[1]+rounding
}

// showsTime reports whether a text has the time of day at an offset from UTC,
// to the minute before or after.
func showsTime(text, offset string) bool {
	zone, err := time.Parse("-07:00", offset)
	if err != nil {
		return false
	}
	return slices.ContainsFunc([]time.Duration{-time.Minute, 0, time.Minute}, func(d time.Duration) bool {
		clock := time.Now().Add(d).In(zone.Location()).Format("15:04")
		return regexp.MustCompile(`\b` + clock + `\b`).MatchString(text)
	})
}

// plain is the text that patterns look at: of anything but a text, its JSON.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// readAnswer takes the result of a tools/call apart, and checks what holds for
// every answer.
func readAnswer(t testing.TB, result json.RawMessage) answer {
	t.Helper()
	var r struct {
		IsError           bool
		StructuredContent json.RawMessage
		Content           []struct{ Type, Text string }
	}
	require.NoError(t, json.Unmarshal(result, &r), "%s", result)
	require.NotEmpty(t, r.Content, "%s", result)
	assert.Equal(t, "text", r.Content[0].Type)
	text := r.Content[0].Text
	assert.True(t, strings.HasPrefix(text, `{"display":"`), "display comes first: %s", text)
	assert.JSONEq(t, string(r.StructuredContent), text, "both hold the same")
	a := answer{isError: r.IsError}
	require.NoError(t, json.Unmarshal([]byte(text), &a.content), text)
	lintAnswer(t, a.content)
	return a
}

var utcStamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`)

// lintAnswer looks at the members that every answer, and every row of a list,
// may have. What a sensor sent as an object is its own affair.
func lintAnswer(t testing.TB, v any) {
	t.Helper()
	rows, _ := v.([]any)
	for _, row := range rows {
		lintAnswer(t, row)
	}
	members, _ := v.(map[string]any)
	for k, x := range members {
		switch k {
		case "display", "warning":
			assert.Empty(t, speechtest.Marks(plain(x)), "%s: %v", k, x)
		case "status":
			assert.Contains(t, []any{tools.Stale, tools.NoData, tools.NotFitted, tools.Disconnected, tools.Unauthorised}, x)
		case "age_s":
			assert.GreaterOrEqual(t, x, 0.0)
		case "timestamp":
			assert.Regexp(t, utcStamp, x)
		case "value":
			continue
		}
		lintAnswer(t, x)
	}
}

// The check of the checks: what holds, and what must not pass.
func TestExpect(t *testing.T) {
	t.Parallel()
	const said = `{"display":"3.7 metres below the keel.","below_keel_m":3.7,"value":16.5,"unit":"knots",
		"alarms":[{"path":"fire","state":"alarm"}],"banks":["house"],"nothing":null}`
	for name, tt := range map[string]struct{ holds, fails string }{
		"live":    {`{"live":true}`, `{"offline":true}`},
		"error":   {`{"is_error":false}`, `{"is_error":true}`},
		"match":   {`{"match":{"said":["KEEL","3\\.7"]}}`, `{"match":{"said":["KEEL","4\\.7"]}}`},
		"of none": {`{"not":{"nothing":""}}`, `{"match":{"nothing":""}}`},
		"not":     {`{"not":{"display":["minus","port"]}}`, `{"not":{"display":["minus","keel"]}}`},
		"num":     {`{"num":{"below_keel_m":[3.75,0.05]}}`, `{"num":{"below_keel_m":[4.7,0.05]}}`},
		"no num":  {`{"num_if":{"nothing":[0,1]}}`, `{"num":{"nothing":[0,1]}}`},
		"num if":  {`{"num_if":{"value":[16.5,0]}}`, `{"num_if":{"value":[8.5,1]}}`},
		"equal":   {`{"equal":{"unit":"knots","nothing":null}}`, `{"equal":{"unit":"m/s"}}`},
		"absent":  {`{"absent":["nothing","missing"]}`, `{"absent":["value"]}`},
		"has":     {`{"has":{"alarms":[{"path":"^fire$","state":"alarm|warn"}]}}`, `{"has":{"alarms":[{"path":"^fire$","state":"warn"}]}}`},
		"has one": {`{"has":{"banks":["house"]}}`, `{"has":{"banks":["house","start"]}}`},
		"has not": {`{"has_not":{"alarms":[{"path":"mob"}]}}`, `{"has_not":{"alarms":[{"path":"^fire$"}]}}`},
		"reading": {`{"reading":[{"unit":"^m/s$","is":[8.5,0.1]},{"unit":"knot","is":[16.5,0.1]}]}`, `{"reading":[{"unit":"knot","is":[8.5,0.1]}]}`},
		"max len": {`{"max_len":{"display":26}}`, `{"max_len":{"display":25}}`},
		"clock":   {`{}`, `{"clock":{"display":"+00:00"}}`},
		"any of":  {`{"any_of":[{"absent":["value"]},{"equal":{"unit":"knots"}}]}`, `{"any_of":[{"absent":["value"]},{"equal":{"unit":"m/s"}}]}`},
		"when":    {`{"when":[{"if":{"display":"aground"},"then":{"absent":["value"]}}]}`, `{"when":[{"if":{"display":"keel"},"then":{"absent":["value"]}}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var a answer
			require.NoError(t, json.Unmarshal([]byte(said), &a.content))
			var holds, fails expect
			require.NoError(t, json.Unmarshal([]byte(tt.holds), &holds))
			require.NoError(t, json.Unmarshal([]byte(tt.fails), &fails))
			assert.Empty(t, holds.faults(a))
			assert.NotEmpty(t, fails.faults(a))
		})
	}
	assert.True(t, showsTime("It is "+time.Now().UTC().Add(-210*time.Minute).Format("15:04")+" now.", "-03:30"))
}
