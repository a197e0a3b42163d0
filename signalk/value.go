package signalk

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind is the JSON type of a Value.
type Kind uint8

// The kinds of a Value.
const (
	Null Kind = iota // known to be unknown: the sensor works but has nothing to say
	Number
	Bool
	Text
	Object
	Array
)

// Value is what one source says on one path. It is immutable. The zero Value is
// null, which is a value of its own and not the same as never heard.
type Value struct {
	kind Kind
	num  float64 // also 0 or 1 of a Bool
	text string
	tree any // map[string]any or []any
}

const (
	maxText = 1024     // bytes kept of a text value
	maxTree = 16 << 10 // bytes of JSON of an object or array that is still kept
)

var errValue = errors.New("value is not usable")

// parseValue reads one JSON value. It refuses numbers that do not fit and
// objects that no boat sends; texts are cut.
func parseValue(raw []byte) (Value, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return Value{}, errValue
	}
	switch c := raw[0]; {
	case c == 'n':
		return Value{}, nil
	case c == 't', c == 'f':
		v := Value{kind: Bool}
		if c == 't' {
			v.num = 1
		}
		return v, nil
	case c == '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return Value{}, errValue
		}
		return Value{kind: Text, text: cut(s, maxText)}, nil
	case c == '{', c == '[':
		if len(raw) > maxTree {
			return Value{}, errValue
		}
		var tree any
		if err := json.Unmarshal(raw, &tree); err != nil {
			return Value{}, errValue
		}
		return valueOf(tree), nil
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(f, 0) {
		return Value{}, errValue
	}
	return Value{kind: Number, num: f}, nil
}

// valueOf wraps what encoding/json made of a JSON value.
func valueOf(x any) Value {
	switch x := x.(type) {
	case float64:
		return Value{kind: Number, num: x}
	case bool:
		v := Value{kind: Bool}
		if x {
			v.num = 1
		}
		return v
	case string:
		return Value{kind: Text, text: cut(x, maxText)}
	case map[string]any:
		return Value{kind: Object, tree: x}
	case []any:
		return Value{kind: Array, tree: x}
	}
	return Value{}
}

// parseNotification keeps of a notification that is too large what counts.
func parseNotification(raw []byte) (Value, error) {
	var n struct{ State, Message, Status any }
	if err := json.Unmarshal(raw, &n); err != nil {
		return Value{}, errValue
	}
	tree := map[string]any{}
	for name, x := range map[string]any{"state": n.State, "message": n.Message} {
		if s, ok := x.(string); ok {
			tree[name] = cut(s, maxText)
		}
	}
	if m, ok := n.Status.(map[string]any); ok {
		status := map[string]any{}
		for _, name := range []string{"acknowledged", "silenced"} {
			if b, ok := m[name].(bool); ok {
				status[name] = b
			}
		}
		tree["status"] = status
	}
	return Value{kind: Object, tree: tree}, nil
}

// cut shortens a text to at most n bytes of whole runes. What is kept does not
// hold on to the rest of it.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.Clone(s[:n])
}

// Kind gives the JSON type.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether the value is null.
func (v Value) IsNull() bool { return v.kind == Null }

// Number gives a number, or one written as a text, as Node-RED flows and small
// boards send it ("12.8"). ok is false for anything else.
func (v Value) Number() (f float64, ok bool) {
	switch v.kind {
	case Number:
		return v.num, true
	case Text:
		s := strings.TrimSpace(v.text)
		if s == "" || strings.Trim(s, "+-.0123456789eE") != "" {
			return 0, false
		}
		f, err := strconv.ParseFloat(s, 64)
		return f, err == nil
	}
	return 0, false
}

// Text gives a text.
func (v Value) Text() (s string, ok bool) { return v.text, v.kind == Text }

// Bool gives a truth value.
func (v Value) Bool() (b, ok bool) { return v.num == 1, v.kind == Bool }

// Member gives a member of an object; null if there is none, or no object.
func (v Value) Member(name string) Value {
	m, _ := v.tree.(map[string]any)
	return valueOf(m[name])
}

// Members gives the names of an object's members, sorted.
func (v Value) Members() []string {
	m, _ := v.tree.(map[string]any)
	return slices.Sorted(maps.Keys(m))
}

// Items gives the elements of an array.
func (v Value) Items() []Value {
	list, _ := v.tree.([]any)
	items := make([]Value, len(list))
	for i, x := range list {
		items[i] = valueOf(x)
	}
	return items
}

// equal compares contents.
func (v Value) equal(w Value) bool {
	if v.tree != nil || w.tree != nil {
		return v.kind == w.kind && reflect.DeepEqual(v.tree, w.tree)
	}
	return v.kind == w.kind && v.num == w.num && v.text == w.text
}
