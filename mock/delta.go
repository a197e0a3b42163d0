package mock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Delta is a Signal K delta as Go code writes it. Send takes one, and
// Vessel.Step returns them. Everything in it is in Signal K's units and signs.
type Delta struct {
	// Context names whose data it is, e.g. "vessels.urn:mrn:imo:mmsi:230123456".
	// If empty, own boat.
	Context string   `json:"context,omitempty"`
	Updates []Update `json:"updates"`
}

// Update is what one source said at one time.
type Update struct {
	// Origin is the update's source object ({label, type, src, pgn}); only
	// data that came in as NMEA has one.
	Origin any `json:"source,omitempty"`
	// Source is $source. If empty, it is made from Origin, or DefaultSource.
	Source string `json:"$source,omitempty"`
	// Timestamp is the source's clock, RFC 3339 in UTC. If empty, the server's.
	Timestamp string      `json:"timestamp,omitempty"`
	Values    []PathValue `json:"values,omitempty"`
	Meta      []PathValue `json:"meta,omitempty"`
}

// PathValue is one path with its value, or with the members of its meta that
// are new or changed. An empty path carries members of the vessel itself, such
// as its name.
type PathValue struct {
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// DefaultSource is the $source of an update that names none.
const DefaultSource = "mock"

// delta is a Delta on its way through the server: its values stay the JSON
// text they came as, so that what is forwarded is what was sent.
type delta struct {
	Context string   `json:"context,omitempty"`
	Updates []update `json:"updates"`
}

type update struct {
	Origin         json.RawMessage `json:"source,omitempty"`
	Source         string          `json:"$source,omitempty"`
	Timestamp      string          `json:"timestamp,omitempty"`
	Values         []pathValue     `json:"values,omitempty"`
	Meta           []pathValue     `json:"meta,omitempty"`
	NotificationID string          `json:"notificationId,omitempty"`
}

type pathValue struct {
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value"`
	// State stands beside a value that the server itself timed out (2.32 with
	// enforceDataTimeouts).
	State json.RawMessage `json:"state,omitempty"`
}

// decodeDelta reads a delta from JSON text (string, []byte, json.RawMessage) or
// from any Go value that marshals to one.
func decodeDelta(v any) (delta, error) {
	var text []byte
	switch v := v.(type) {
	case string:
		text = []byte(v)
	case []byte:
		text = v
	case json.RawMessage:
		text = v
	default:
		var err error
		if text, err = encode(v); err != nil {
			return delta{}, fmt.Errorf("delta: %w", err)
		}
	}
	var d delta
	if err := json.Unmarshal(text, &d); err != nil {
		return delta{}, fmt.Errorf("delta: %w", err)
	}
	if d.Updates == nil {
		return delta{}, errors.New("delta: no updates")
	}
	return d, nil
}

// wire is the delta as decodeDelta would read it, without writing it first.
func (d Delta) wire() (w delta, err error) {
	w.Context = d.Context
	value := func(v any) json.RawMessage {
		if raw, is := v.(json.RawMessage); is {
			return raw
		}
		text, e := encode(v)
		if e != nil && err == nil {
			err = fmt.Errorf("delta: %w", e)
		}
		return text
	}
	values := func(list []PathValue) (all []pathValue) {
		for _, v := range list {
			all = append(all, pathValue{Path: v.Path, Value: value(v.Value)})
		}
		return all
	}
	for _, u := range d.Updates {
		x := update{Source: u.Source, Timestamp: u.Timestamp, Values: values(u.Values), Meta: values(u.Meta)}
		if u.Origin != nil {
			x.Origin = value(u.Origin)
		}
		w.Updates = append(w.Updates, x)
	}
	return w, err
}

// encode marshals as a Signal K server does: compact, and <, > and & as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// mustEncode marshals what is made of valid JSON and plain Go values.
func mustEncode(v any) json.RawMessage {
	text, err := encode(v)
	if err != nil {
		panic(fmt.Sprintf("mock: encode %T: %v", v, err))
	}
	return text
}

// decodeObject returns the members of a JSON object; ok is false for anything
// else. Numbers stay as written.
func decodeObject(text json.RawMessage) (members map[string]any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&members); err != nil || members == nil {
		return nil, false
	}
	return members, true
}

// stampLayout is how the server writes its own times.
const stampLayout = "2006-01-02T15:04:05.000Z"

func stamp(t time.Time) string { return t.UTC().Format(stampLayout) }

// parseStamp reads a delta's timestamp. The zero time, for what is not one,
// sorts first.
func parseStamp(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
