package mock

import (
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzMessage sends text as a client does, to either version. Whatever it is,
// the server does not panic and still answers with JSON.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{bad`, `null`, `"text"`, `[]`, `{"updates":null}`, `{"updates":[null]}`,
		`{"updates":[{"values":[{"path":"a.b","value":1}]}]}`,
		`{"updates":[{"values":[{"path":"","value":{"name":"X","a":{"b":{"c":1}}}},{"path":"a.b.value","value":{"x":[1,null]}}]}]}`,
		`{"updates":[{"values":[{"path":"a","value":null},{"path":"a.value.b","value":2},{"path":"a.$source","value":3},{"path":"..","value":4}]}]}`,
		`{"context":"vessels","updates":[{"source":{"label":"l","pgn":1,"sentence":"GGA"},"$source":"s..","timestamp":"bad","values":[{"path":"notifications.a"}]}]}`,
		`{"updates":[{"meta":[{"path":"a","value":{"zones":[{"lower":1,"upper":"2","state":5}],"alarmMethod":null}},{"path":"b","value":{"zones":null}}],"values":[{"path":"a","value":1}]}]}`,
		`{"updates":[{"meta":[{"path":"a","value":{"zones":[{"lower":0.5,"state":"alarm"}]}}]},{"values":[{"path":"a","value":1e300},{"path":"a","value":"x"}]}]}`,
		`{"updates":[{"values":[{"path":"resources.routes.r","value":{"name":"R"}},{"path":"navigation.course.calcValues.a.b","value":1},{"path":"navigation.course.calcValues.a","value":1}]}]}`,
		`{"context":"*","subscribe":[{"path":"*","policy":"ideal","minPeriod":"5"},{"path":"a*","period":-1},{"path":"name"}]}`,
		`{"context":{"radius":1},"subscribe":[{"path":"","format":"full"}],"unsubscribe":[{"path":"a"}]}`,
		`{"context":"*","unsubscribe":[{"path":"*"}]}`,
	} {
		f.Add([]byte(seed), []byte(seed), "a/b/value/x/0")
	}
	f.Fuzz(func(t *testing.T, first, second []byte, path string) {
		for _, version := range []string{version223, version232} {
			s, err := Start(Options{NoVessel: true, Version: version})
			require.NoError(t, err)
			c := &client{allowed: true, live: "all", sendMeta: true, sentMeta: map[string]bool{}, gone: make(chan struct{}), wake: make(chan struct{}, 1)}
			s.mu.Lock()
			s.clients = append(s.clients, c)
			s.mu.Unlock()
			s.handle(c, first)
			s.handle(c, second)
			s.mu.Lock()
			c.unsubscribe()
			s.clients = nil
			s.mu.Unlock()
			frames, _ := c.take()
			for _, frame := range frames {
				require.True(t, json.Valid(frame), "%s", frame)
			}
			for _, at := range []string{
				apiV1, apiV1 + "vessels/self", apiV1 + "vessels/self/meta", apiV1 + "vessels/self/" + path,
				apiV2 + "notifications", apiV2 + "resources/routes", apiV2 + "vessels/self/navigation/course/calcValues",
			} {
				r := httptest.NewRequest("GET", "/", nil)
				status, mime, body := s.document(r, at)
				require.True(t, status != 200 || mime != mimeJSON || json.Valid(body), "%s: %s", at, body)
			}
			s.Close()
		}
	})
}
