package mock

import (
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
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
		`{"requestId":"r","put":{"path":"a.b","value":1}}`, `{"requestId":"r","delete":null,"put":5}`,
		`{"requestId":"l","login":{"username":"skipper","password":"x"}}`, `{"requestId":"l","login":"x"}`,
		`{"requestId":"a","accessRequest":{"clientId":"c","description":"d","permissions":"*.."}}`,
		`{"updates":[{"values":[{"path":"","value":{"name":"E","communication":{"callsignVhf":null}}},{"path":"design.draft"}]}]}`,
	} {
		f.Add([]byte(seed), []byte(seed), "a/b/value/x/0")
	}
	f.Fuzz(func(t *testing.T, first, second []byte, path string) {
		for _, version := range []string{version223, version232} {
			s, err := Start(Options{NoVessel: true, Version: version, DisplayUnits: true, Users: map[string]User{"skipper": {Password: "x"}}})
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

// FuzzAnswer shows the announcer packets of the local network. What it says to
// them are packets.
func FuzzAnswer(f *testing.F) {
	a := &announcer{host: "boat.local.", name: "boat", port: 3000, services: []string{"_signalk-http._tcp.local."}, txt: []string{"txtvers=1"},
		addrs: func() []net.IP { return []net.IP{net.IPv4(10, 0, 0, 1)} }}
	f.Add([]byte{}, 5353)
	f.Add(a.packet(0, a.all(), 120), 5353)
	f.Add([]byte("\x00\x4d\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x0d_signalk-http\x04_tcp\x05local\x00\x00\x0c\x00\x01"), 40000)
	f.Fuzz(func(t *testing.T, packet []byte, port int) {
		if reply, _ := a.answer(packet, port); reply != nil {
			var m dnsmessage.Message
			require.NoError(t, m.Unpack(reply))
			require.NotEmpty(t, m.Answers)
		}
	})
}

// FuzzToken shows a server tokens. None but its own opens anything.
func FuzzToken(f *testing.F) {
	s, err := Start(Options{NoVessel: true, Users: map[string]User{"skipper": {Password: "x"}}})
	require.NoError(f, err)
	f.Cleanup(s.Close)
	for _, seed := range []string{"", "..", "a.b.c", s.NewToken("skipper", 0), s.NewToken("nobody", 0), s.NewToken("skipper", -1)} {
		f.Add(seed)
	}
	good := s.NewToken("skipper", 0)
	f.Fuzz(func(t *testing.T, token string) {
		if v := s.judge(token); token != good && v.access == accessGranted {
			parts := strings.Split(token, ".")
			mac, err := base64.RawURLEncoding.DecodeString(parts[2])
			require.NoError(t, err)
			require.Equal(t, s.sign(parts[0]+"."+parts[1]), mac, "only what the key has signed")
		}
	})
}
