package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// args are a call's arguments, taken as models give them: null, "" and absent
// are the same, letter case and surrounding blanks do not matter, a number
// stands for its text, arguments may come as a JSON string, and unknown keys
// are ignored.
type args map[string]json.RawMessage

// maxArgument is the length of a text argument that is still looked at.
const maxArgument = 512

// argError says which argument is wrong, and what is allowed.
type argError struct{ name, allowed string }

func (e *argError) Error() string {
	return fmt.Sprintf("The argument %s is not usable: it must be %s.", e.name, e.allowed)
}

func parseArgs(raw json.RawMessage) (args, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			raw = bytes.TrimSpace([]byte(s))
		}
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, &argError{"list", "an object"}
	}
	a := args{}
	for k, v := range m {
		// Of two spellings of a name the exact one counts.
		if name := strings.ToLower(strings.TrimSpace(k)); m[name] == nil || name == k {
			a[name] = v
		}
	}
	return a, nil
}

// text gives a text argument; empty if it is not there.
func (a args) text(name string) (string, error) {
	raw := bytes.TrimSpace(a[name])
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	switch c := raw[0]; {
	case c == '"':
		var s string
		if json.Unmarshal(raw, &s) == nil && len(s) <= maxArgument {
			return strings.TrimSpace(s), nil
		}
	case c == '-', c >= '0' && c <= '9':
		if len(raw) <= maxArgument {
			return string(raw), nil
		}
	}
	return "", &argError{name, "a short text"}
}
