package tools

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"signalk-mcp/signalk"
)

// The statuses of a Result; a live one has none.
const (
	Stale        = "stale"
	NoData       = "no_data"
	NotFitted    = "not_fitted"
	Disconnected = "disconnected"
	Unauthorised = "unauthorised"
)

// Result is an answer. The zero Result is not one: Display must be set.
type Result struct {
	// Display is the sentence to be read aloud. It can be acted on alone.
	Display string
	// Status is empty for a live answer.
	Status string
	// IsError marks an answer that a model must not take for a fact of the boat:
	// a bad argument, or no link and nothing remembered.
	IsError bool

	values  object
	stamp   time.Time // newest value used; zero is left out
	age     time.Duration
	hasAge  bool
	warning string
}

// JSON gives the answer as compact JSON: display, values, timestamp, status,
// age_s, warning, in this order.
func (r Result) JSON() json.RawMessage {
	var o object
	o.text("display", r.Display)
	o = append(o, r.values...)
	if !r.stamp.IsZero() {
		o.text("timestamp", r.stamp.UTC().Format("2006-01-02T15:04:05Z"))
	}
	return append(o, r.state()...).json()
}

// state is the part of an answer that says what is the matter with it.
func (r Result) state() (o object) {
	if r.Status != "" {
		o.text("status", r.Status)
		if r.hasAge {
			o.num("age_s", float64(int64(r.age.Seconds())))
		}
	}
	if r.warning != "" {
		o.text("warning", r.warning)
	}
	return o
}

// Spoken is all that is to be read aloud: the display, and the warning if there
// is one.
func (r Result) Spoken() string {
	if r.warning == "" {
		return r.Display
	}
	return r.Display + " " + r.warning
}

// used notes that a reading went into the answer: the newest gives the time.
func (r *Result) used(x signalk.Reading) {
	if x.Stamp.After(r.stamp) {
		r.stamp = x.Stamp
	}
	if x.WrongClock {
		r.warn("the clock of that sensor is wrong")
	}
}

// warn adds a sentence to the warning.
func (r *Result) warn(s string) {
	if s = sentence(s); !strings.Contains(r.warning, s) {
		r.warning = strings.TrimSpace(r.warning + " " + s)
	}
}

// object is the inside of a JSON object: each member begins with a comma.
type object []byte

func (o *object) key(k string) {
	*o = append(*o, ',')
	*o = append(appendText(*o, k), ':')
}

func (o *object) raw(k string, v []byte) {
	o.key(k)
	*o = append(*o, v...)
}

func (o *object) text(k, v string) {
	o.key(k)
	*o = appendText(*o, v)
}

func (o *object) num(k string, v float64) {
	o.key(k)
	*o = strconv.AppendFloat(*o, v, 'f', -1, 64)
}

func (o *object) flag(k string, v bool) {
	o.key(k)
	*o = strconv.AppendBool(*o, v)
}

func (o *object) texts(k string, v []string) {
	o.key(k)
	*o = append(*o, '[')
	for i, s := range v {
		if i > 0 {
			*o = append(*o, ',')
		}
		*o = appendText(*o, s)
	}
	*o = append(*o, ']')
}

func (o *object) objects(k string, v []object) {
	o.key(k)
	*o = append(*o, '[')
	for i, e := range v {
		if i > 0 {
			*o = append(*o, ',')
		}
		*o = append(*o, e.json()...)
	}
	*o = append(*o, ']')
}

func (o object) json() []byte {
	if len(o) == 0 {
		return []byte("{}")
	}
	b := make([]byte, 0, len(o)+1)
	b = append(append(b, '{'), o[1:]...)
	return append(b, '}')
}

// number is the JSON of a number, without an exponent.
func number(f float64) []byte { return strconv.AppendFloat(nil, f, 'f', -1, 64) }

// appendText writes a JSON string without escaping < > &, which models read as
// six characters each.
func appendText(b []byte, s string) []byte {
	if plainASCII(s) {
		b = append(b, '"')
		b = append(b, s...)
		return append(b, '"')
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return append(b, `""`...)
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

// plainASCII reports whether a text is its own JSON.
func plainASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
