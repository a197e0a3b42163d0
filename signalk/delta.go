package signalk

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// frame is a text frame of the stream, with the members of every kind that
// matters here: a delta has updates, a hello has a self and a server's name.
// Values stay raw, so that one of an odd type spoils no other.
type frame struct {
	Context string
	Updates []update

	Name, Version, Self, Timestamp string
	ServerStartID                  string `json:"serverStartId"`
	Roles                          []string

	// Merged is there in a delta in which the server merged what we were too slow for.
	Merged json.RawMessage `json:"$backpressure"`
}

type update struct {
	Source string `json:"$source"`
	// From is told besides, and alone by some gateways.
	From      struct{ Label, Src, Talker text } `json:"source"`
	Timestamp string
	Values    []pathValue
	Meta      []pathMeta
}

type pathValue struct {
	Path  text
	Value json.RawMessage
	// State is what a server of 2.32 adds where it turned a silent path to null.
	State struct {
		TimedOut  bool
		LastValue struct {
			Timestamp string
			Value     json.RawMessage
		}
	}
}

// source names who sent an update, as the server names those that do not.
func (u update) source() string {
	if u.Source != "" || u.From.Label.s == "" {
		return u.Source
	}
	for _, t := range []text{u.From.Src, u.From.Talker} {
		if t.s != "" {
			return u.From.Label.s + "." + t.s
		}
	}
	return u.From.Label.s
}

type pathMeta struct {
	Path  text
	Value map[string]json.RawMessage
}

// text is a JSON string; known is false for anything else, and for none. A
// plain string field would be empty for both, and an empty path is the root.
type text struct {
	s     string
	known bool
}

func (t *text) UnmarshalJSON(raw []byte) error {
	if len(raw) >= 2 && raw[0] == '"' {
		if bytes.IndexByte(raw, '\\') < 0 {
			*t = text{string(raw[1 : len(raw)-1]), true}
		} else {
			t.known = json.Unmarshal(raw, &t.s) == nil
		}
	}
	return nil
}

const maxPath = 256 // bytes

// validPath reports whether a path can be kept: not empty, not endless, text.
func validPath(p string) bool {
	return p != "" && len(p) <= maxPath && utf8.ValidString(p) && strings.IndexFunc(p, unicode.IsControl) < 0
}

// parseStamp reads a timestamp; the zero time is "none".
func parseStamp(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
