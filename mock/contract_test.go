package mock_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

// behaviour is something that a client can see of a server. Every row holds for
// the mock and, with the build tag real, for signalk-server itself: TestContract
// and TestRealContract.
type behaviour struct {
	name    string
	version string // only this one; both if empty
	see     func(b *bench)
}

// TestContract shows the mock what TestRealContract shows the real servers.
func TestContract(t *testing.T) {
	t.Parallel()
	assert.GreaterOrEqual(t, len(contract)+len(securedContract), 60, "rows")
	for _, version := range []string{"2.23.0", "2.32.0"} {
		o := mock.Options{Version: version, NoVessel: true, DisplayUnits: true}
		runContract(t, version, contract, func(t *testing.T) *bench {
			t.Parallel()
			return newBench(t, o)
		})
		secured := o
		secured.Users = map[string]mock.User{
			"admin":  {Password: "admin-000", Permission: mock.Admin},
			"reader": {Password: "reader-000"},
		}
		runContract(t, version+" secured", securedContract, func(t *testing.T) *bench {
			t.Parallel()
			b := newBench(t, secured)
			b.admin, b.reader = b.server.NewToken("admin", 0), b.server.NewToken("reader", 0)
			b.token = b.server.NewToken
			return b
		})
	}
}

// runContract runs the rows for a version, each with a bench of its own.
func runContract(t *testing.T, name string, rows []behaviour, open func(*testing.T) *bench) {
	version, _, _ := strings.Cut(name, " ")
	for _, row := range rows {
		if row.version == "" || row.version == version {
			t.Run(name+"/"+row.name, func(t *testing.T) { row.see(open(t)) })
		}
	}
}

// contract is what is seen of a server without security.
var contract = []behaviour{
	// Discovery and plain documents.

	{name: "discovery repeats the Host header", see: func(b *bench) {
		for _, path := range []string{"/signalk", "/signalk/"} {
			status, mime, body := b.get(path, "Host: boat.local:8080")
			assert.Equal(b, 200, status)
			assert.Equal(b, "application/json; charset=utf-8", mime)
			assert.Contains(b, body, `"signalk-http":"http://boat.local:8080/signalk/v1/api/"`)
			assert.Contains(b, body, `"signalk-ws":"ws://boat.local:8080/signalk/v1/stream"`)
			assert.Contains(b, body, `"server":{"id":"signalk-server-node","version":"`+b.version+`"}`)
			assert.NotContains(b, body, `"v2"`)
		}
	}},
	{name: "discovery behind TLS", see: func(b *bench) {
		_, _, body := b.get("/signalk", "Host: boat.local", "X-Forwarded-Proto: https")
		assert.Contains(b, body, `"signalk-http":"https://boat.local/signalk/v1/api/"`)
		assert.Contains(b, body, `"signalk-ws":"wss://boat.local/signalk/v1/stream"`)
	}},
	{name: "features", see: func(b *bench) {
		var features struct {
			APIs    []string
			Plugins []struct{ ID string }
		}
		b.getJSON("/signalk/v2/features", &features)
		assert.Subset(b, features.APIs, []string{"resources", "course", "notifications"})
		assert.Equal(b, b.version == "2.32.0", strings.Contains(fmt.Sprint(features.APIs), "sensors"))
	}},
	{name: "login status without security", see: func(b *bench) {
		_, _, body := b.get("/skServer/loginStatus")
		assert.Contains(b, body, `"authenticationRequired":false`)
	}},
	{name: "self is the same in REST and hello", see: func(b *bench) {
		var self string
		b.getJSON("/signalk/v1/api/self", &self)
		assert.Equal(b, b.dial("?subscribe=none").self, self)
		assert.True(b, strings.HasPrefix(self, "vessels.urn:mrn:"), self)
	}},
	{name: "what is missing is 404 with a page", see: func(b *bench) {
		for _, path := range []string{
			"/signalk/v1/api",
			"/signalk/v1/api/vessels/self/no/such",
			"/signalk/v1/api/vessels/200000001",
			"/signalk/v1/api/resources",
			"/signalk/v2/api/nothing",
			"/signalk/v2/api/resources/nothing",
			"/signalk/v2/api/vessels/self/navigation/course/activeRoute",
		} {
			status, mime, body := b.get(path)
			assert.Equal(b, 404, status, path)
			assert.Equal(b, "text/html; charset=utf-8", mime, path)
			assert.Contains(b, body, "<pre>Cannot GET "+path+"</pre>")
		}
	}},
	{name: "the stream without an upgrade", see: func(b *bench) {
		status, _, body := b.get("/signalk/v1/stream")
		assert.Equal(b, 426, status)
		assert.Equal(b, "Upgrade Required", strings.TrimSpace(body))
	}},
	{name: "an upgrade elsewhere gets no answer", see: func(b *bench) {
		short := websocket.Dialer{HandshakeTimeout: 200 * time.Millisecond}
		for _, path := range []string{"/", "/signalk/v2/stream"} {
			_, _, err := short.Dial("ws"+strings.TrimPrefix(b.url, "http")+path, nil)
			var timeout net.Error
			require.ErrorAs(b, err, &timeout, path)
			assert.True(b, timeout.Timeout(), path)
		}
	}},

	// The full tree.

	{name: "own boat is there before anything is heard", see: func(b *bench) {
		var own map[string]any
		b.getJSON("/signalk/v1/api/vessels/self", &own)
		assert.True(b, own["uuid"] != nil || own["mmsi"] != nil, own)
	}},
	{name: "a leaf", see: func(b *bench) {
		p := b.path("leaf")
		b.publish(stamped("", "s.a", "2020-01-02T03:04:05.678Z", p, "5.5"))
		var leaf map[string]any
		b.getJSON("/signalk/v1/api/vessels/self/"+slashed(p), &leaf)
		assert.Equal(b, 5.5, leaf["value"])
		assert.Equal(b, "s.a", leaf["$source"])
		assert.Equal(b, "2020-01-02T03:04:05.678Z", leaf["timestamp"])
		assert.NotContains(b, leaf, "values", "one source only")
		if b.version == "2.23.0" {
			assert.Equal(b, map[string]any{}, leaf["meta"])
		} else {
			assert.NotContains(b, leaf, "meta")
		}
	}},
	{name: "members of a leaf and of its value", see: func(b *bench) {
		p, null := b.path("place"), b.path("null")
		b.publish(value("", "s.a", p, `{"latitude":60.1,"longitude":24.5}`), value("", "s.a", null, "null"))
		for path, want := range map[string]string{
			p + ".value":          `{"latitude":60.1,"longitude":24.5}`,
			p + ".value.latitude": "60.1",
			p + ".$source":        `"s.a"`,
			null + ".value":       "null",
		} {
			status, _, body := b.get("/signalk/v1/api/vessels/self/" + slashed(path))
			assert.Equal(b, 200, status, path)
			assert.JSONEq(b, want, body, path)
		}
		status, _, _ := b.get("/signalk/v1/api/vessels/self/" + slashed(p+".latitude"))
		assert.Equal(b, 404, status)
	}},
	{name: "a second source makes values, the last writer is on top", see: func(b *bench) {
		p := b.path("two")
		b.publish(value("", "s.a", p, "1"), value("", "s.b", p, "2"), value("", "s.a", p, "3"))
		var leaf struct {
			Value  float64
			Source string `json:"$source"`
			Values map[string]struct{ Value float64 }
		}
		b.getJSON("/signalk/v1/api/vessels/self/"+slashed(p), &leaf)
		assert.Equal(b, 3.0, leaf.Value)
		assert.Equal(b, "s.a", leaf.Source)
		assert.Equal(b, 3.0, leaf.Values["s.a"].Value)
		assert.Equal(b, 2.0, leaf.Values["s.b"].Value)
	}},
	{name: "an old timestamp does not keep a value out", see: func(b *bench) {
		p := b.path("back")
		b.publish(value("", "s.a", p, "1"), stamped("", "s.a", "2014-08-15T19:00:00.042Z", p, "2"))
		_, _, body := b.get("/signalk/v1/api/vessels/self/" + slashed(p) + "/value")
		assert.Equal(b, "2", body)
	}},
	{name: "root values are plain and merge", see: func(b *bench) {
		v := b.vessel()
		b.publish(
			value(v, "ais", "", `{"name":"OTHER \"X\" ÅÄÖ"}`),
			value(v, "ais", "", `{"communication":{"callsignVhf":"ZZ99"}}`),
			value(v, "ais", "navigation.speedOverGround", "3"),
		)
		var vessel map[string]json.RawMessage
		b.getJSON("/signalk/v1/api/"+strings.Replace(v, ".", "/", 1), &vessel)
		assert.JSONEq(b, `"OTHER \"X\" ÅÄÖ"`, string(vessel["name"]))
		assert.JSONEq(b, `{"callsignVhf":"ZZ99"}`, string(vessel["communication"]))
		assert.Contains(b, string(vessel["navigation"]), `"value":3`)
	}},
	{name: "escaped colons are not found", version: "2.23.0", see: func(b *bench) {
		v := b.vessel()
		b.publish(value(v, "ais", "navigation.speedOverGround", "3"))
		name := strings.TrimPrefix(v, "vessels.")
		status, _, _ := b.get("/signalk/v1/api/vessels/" + name)
		assert.Equal(b, 200, status)
		status, _, _ = b.get("/signalk/v1/api/vessels/" + strings.ReplaceAll(name, ":", "%3A"))
		assert.Equal(b, 404, status)
	}},
	{name: "the tree has units from the specification", see: func(b *bench) {
		v := b.vessel()
		b.publish(value(v, "n2k", "environment.depth.belowTransducer", "7.5"))
		at := "/signalk/v1/api/" + strings.Replace(v, ".", "/", 1) + "/environment/depth"
		var leaf struct{ Meta map[string]any }
		b.getJSON(at+"/belowTransducer", &leaf)
		assert.Equal(b, "m", leaf.Meta["units"])
		assert.Equal(b, "Depth below Transducer", leaf.Meta["description"])
		var meta map[string]any
		b.getJSON(at+"/belowTransducer/meta", &meta)
		assert.Equal(b, "m", meta["units"])
		b.getJSON(at+"/meta", &meta)
		assert.Equal(b, "Depth related data", meta["description"])
	}},
	{name: "meta flat by path", version: "2.32.0", see: func(b *bench) {
		p := b.path("named")
		b.publish(value("", "s.a", p, "1"), meta("", p, `{"displayName":"Named"}`))
		var all map[string]map[string]any
		b.getJSON("/signalk/v1/api/vessels/self/meta", &all)
		assert.Equal(b, "Named", all[p]["displayName"])
	}},
	{name: "no meta flat by path", version: "2.23.0", see: func(b *bench) {
		status, _, _ := b.get("/signalk/v1/api/vessels/self/meta")
		assert.Equal(b, 404, status)
	}},
	{name: "resource kinds", see: func(b *bench) {
		var kinds map[string]any
		b.getJSON("/signalk/v2/api/resources", &kinds)
		for _, kind := range []string{"routes", "waypoints", "notes", "regions", "charts"} {
			assert.Contains(b, kinds, kind)
		}
	}},
	{name: "an unknown route", see: func(b *bench) {
		status, _, body := b.get("/signalk/v2/api/resources/routes/00000000-0000-4000-8000-000000000000")
		if b.version == "2.23.0" {
			assert.Equal(b, 200, status)
			assert.JSONEq(b, `{}`, body)
		} else {
			assert.Equal(b, 404, status)
			assert.JSONEq(b, `{"state":"FAILED","statusCode":404,"message":"Resource not found! (00000000-0000-4000-8000-000000000000)"}`, body)
		}
	}},
	{name: "an unknown notification", see: func(b *bench) {
		status, _, body := b.get("/signalk/v2/api/notifications/00000000-0000-4000-8000-000000000000")
		assert.Equal(b, map[string]int{"2.23.0": 200, "2.32.0": 404}[b.version], status)
		assert.JSONEq(b, `{"state":"FAILED","statusCode":404,"message":"Resource not found."}`, body)
		status, _, _ = b.get("/signalk/v2/api/notifications/nosuch")
		assert.Equal(b, map[string]int{"2.23.0": 200, "2.32.0": 400}[b.version], status)
	}},
	{name: "no course", see: func(b *bench) {
		_, _, body := b.get("/signalk/v2/api/vessels/self/navigation/course")
		assert.JSONEq(b, `{"startTime":null,"targetArrivalTime":null,"arrivalCircle":0,"activeRoute":null,"nextPoint":null,"previousPoint":null}`, body)
		status, _, body := b.get("/signalk/v2/api/vessels/self/navigation/course/calcValues")
		assert.Equal(b, 400, status)
		assert.JSONEq(b, `{"state":"FAILED","statusCode":400,"message":"No active destination!"}`, body)
		_, _, body = b.get("/signalk/v2/api/resources/routes")
		assert.JSONEq(b, `{}`, body)
	}},
	{name: "a destination is in the stream and in v2, not in the tree", see: func(b *bench) {
		stream := b.dial("?subscribe=self&sendCachedValues=false")
		b.sailTo(60.1, 24.2)
		f := stream.find("navigation.course.nextPoint")
		assert.Equal(b, stream.self, f.Context)
		var course map[string]any
		b.getJSON("/signalk/v2/api/vessels/self/navigation/course", &course)
		require.IsType(b, map[string]any{}, course["nextPoint"])
		next := course["nextPoint"].(map[string]any)
		assert.Equal(b, "Location", next["type"])
		assert.Equal(b, map[string]any{"latitude": 60.1, "longitude": 24.2}, next["position"])
		assert.Nil(b, course["activeRoute"])
		b.eventually(func() bool {
			b.fix()
			status, _, _ := b.get("/signalk/v2/api/vessels/self/navigation/course/calcValues")
			return status == 200
		}, "values are reckoned")
		var navigation map[string]map[string]any
		b.getJSON("/signalk/v1/api/vessels/self/navigation", &navigation)
		assert.Equal(b, []string{"calcValues"}, keys(navigation["course"]))
		leaf := navigation["courseGreatCircle"]["nextPoint"].(map[string]any)
		assert.NotContains(b, leaf, "$source", "value here is a segment of a path")
		assert.Contains(b, leaf["value"], "type")
		var calc map[string]any
		b.getJSON("/signalk/v2/api/vessels/self/navigation/course/calcValues", &calc)
		assert.IsType(b, 0.0, calc["distance"])
		assert.Contains(b, calc, "velocityMadeGoodToCourse", "the document's name for it")

		b.sailNowhere()
		assert.Equal(b, "null", valueOf(stream.find("navigation.course.nextPoint")))
		b.getJSON("/signalk/v2/api/vessels/self/navigation/course", &course)
		assert.Nil(b, course["nextPoint"])
		var after map[string]any
		b.getJSON("/signalk/v2/api/vessels/self/navigation/course/calcValues", &after)
		assert.IsType(b, 0.0, after["distance"], "goes on after the course is cleared")
	}},
	{name: "a route is in the stream and in v2, not in the tree", see: func(b *bench) {
		const id = "8a0a7f2e-0000-4000-8000-000000000009"
		stream := b.dial("?subscribe=self&sendCachedValues=false")
		b.putRoute(id, `{"name":"R","feature":{"type":"Feature","geometry":{"type":"LineString","coordinates":[[24.1,60.1],[24.2,60.2]]}}}`)
		assert.Contains(b, stream.find("resources.routes."+id).text, `"name":"R"`)
		at := "/signalk/v2/api/resources/routes"
		var list map[string]struct {
			Name, Timestamp string
			Source          string `json:"$source"`
			Feature         struct {
				Geometry struct{ Coordinates [][]float64 }
			}
		}
		b.getJSON(at, &list)
		r := list[id]
		assert.Equal(b, "R", r.Name)
		assert.Equal(b, "resources-provider", r.Source)
		assert.NotEmpty(b, r.Timestamp)
		assert.Equal(b, [][]float64{{24.1, 60.1}, {24.2, 60.2}}, r.Feature.Geometry.Coordinates, "longitude first")
		one := r
		b.getJSON(at+"/"+id, &one)
		assert.Equal(b, r, one)
		status, _, _ := b.get("/signalk/v1/api/vessels/self/resources")
		assert.Equal(b, 404, status)
	}},
	{name: "documents that a server has of itself", see: func(b *bench) {
		p := b.path("sourced")
		b.publish(value("", "s.a", p, "1"), value("", "plain", p, "1"))
		var sources map[string]map[string]any
		b.getJSON("/signalk/v1/api/sources", &sources)
		assert.Contains(b, sources["s"], "a", "a source's name is a path")
		assert.Contains(b, sources, "plain")
		var root map[string]any
		b.getJSON("/signalk/v1/api/", &root)
		assert.Subset(b, keys(root), []string{"vessels", "self", "version", "sources"})
		assert.Equal(b, "0.1.0", root["version"])
		var self string
		b.getJSON("/signalk/v1/api/self", &self)
		assert.Contains(b, root["vessels"], strings.TrimPrefix(self, "vessels."))
		status, _, _ := b.get("/signalk/v1/api/vessels/self/")
		assert.Equal(b, 200, status, "a slash at the end of an object")
	}},
	{name: "a browser of another site may read", see: func(b *bench) {
		for _, method := range []string{http.MethodGet, http.MethodOptions} {
			res := b.do(method, "/signalk/v1/api/self", "", "Origin: http://other.example", "Access-Control-Request-Method: GET")
			assert.Equal(b, "*", res.Header.Get("Access-Control-Allow-Origin"))
			assert.Equal(b, "true", res.Header.Get("Access-Control-Allow-Credentials"))
			assert.Equal(b, map[string]int{http.MethodGet: 200, http.MethodOptions: 204}[method], res.status)
		}
	}},

	// Writes, logins and access requests, of which none is taken.

	{name: "a PUT that nobody handles", see: func(b *bench) {
		for _, method := range []string{http.MethodPut, http.MethodDelete} {
			res := b.do(method, "/signalk/v1/api/vessels/self/electrical/switches/a/state", `{"value":1}`, "Content-Type: application/json")
			assert.Equal(b, 405, res.status)
			var a map[string]any
			require.NoError(b, json.Unmarshal([]byte(res.body), &a))
			assert.Equal(b, "COMPLETED", a["state"])
			assert.Equal(b, 405.0, a["statusCode"])
			assert.Equal(b, method+" not supported for electrical.switches.a.state", a["message"])
			assert.Equal(b, "/signalk/v1/requests/"+a["requestId"].(string), a["href"])
			status, _, again := b.get(a["href"].(string))
			assert.Equal(b, 200, status)
			assert.JSONEq(b, res.body, again)
		}
		res := b.do(http.MethodPost, "/signalk/v1/api/vessels/self/a/b", `{"value":1}`, "Content-Type: application/json")
		assert.Equal(b, 404, res.status)
		assert.Contains(b, res.body, "<pre>Cannot POST /signalk/v1/api/vessels/self/a/b</pre>")
	}},
	{name: "a put over the stream that nobody handles", see: func(b *bench) {
		s := b.dial("?subscribe=none")
		for _, verb := range []string{"put", "delete"} {
			s.send(fmt.Sprintf(`{"requestId":"r-%s","context":"vessels.self",%q:{"path":"a.b","value":1}}`, verb, verb))
			assert.JSONEq(b, fmt.Sprintf(`{"state":"COMPLETED","requestId":"r-%s","statusCode":405,"message":"%s not supported for a.b","href":"/signalk/v1/requests/r-%s"}`,
				verb, strings.ToUpper(verb), verb), s.next().text)
		}
	}},
	{name: "a request that is not known", see: func(b *bench) {
		status, mime, body := b.get("/signalk/v1/requests/nosuch")
		assert.Equal(b, 500, status)
		assert.Equal(b, "text/plain; charset=utf-8", mime)
		assert.Equal(b, "Unable to check request: not found", body)
	}},
	{name: "no login without security", see: func(b *bench) {
		res := b.do(http.MethodPost, "/signalk/v1/auth/login", `{"username":"a","password":"b"}`, "Content-Type: application/json")
		assert.Equal(b, 404, res.status)
		assert.Equal(b, "text/html; charset=utf-8", res.Header.Get("Content-Type"))
		p := b.path("after")
		s := b.dial("?subscribe=none")
		s.send(`{"requestId":"l","login":{"username":"a","password":"b"}}`)
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q}`, p))
		b.publish(value("", "s.a", p, "1"))
		assert.Equal(b, p+"=1@s.a", s.next().said(), "no answer came")
	}},
	{name: "no access request without security", see: func(b *bench) {
		res := b.do(http.MethodPost, "/signalk/v1/access/requests", `{"clientId":"x","description":"y"}`, "Content-Type: application/json")
		if b.version == "2.23.0" {
			assert.Equal(b, 500, res.status)
			assert.Equal(b, "text/html; charset=utf-8", res.Header.Get("Content-Type"))
		} else {
			assert.Equal(b, 404, res.status)
			assert.JSONEq(b, `{"message":"Access requests not available. Server security is not enabled."}`, res.body)
		}
	}},

	// Connecting.

	{name: "hello comes first", see: func(b *bench) {
		for _, path := range []string{"", "/"} {
			s := b.dial(path + "?subscribe=none")
			assert.Equal(b, "signalk-server", s.hello["name"])
			assert.Equal(b, b.version, s.hello["version"])
			assert.Equal(b, []any{"master", "main"}, s.hello["roles"])
			at, err := time.Parse(time.RFC3339, s.hello["timestamp"].(string))
			require.NoError(b, err)
			assert.WithinDuration(b, time.Now(), at, time.Minute)
			if b.version == "2.32.0" {
				assert.Len(b, s.hello["serverStartId"], 36)
			} else {
				assert.NotContains(b, s.hello, "serverStartId")
			}
		}
	}},
	{name: "subscribe=self, also by default", see: func(b *bench) {
		p, v := b.path("own"), b.vessel()
		b.publish(value("", "s.a", p, "1"), value(v, "ais", p, "2"))
		for _, query := range []string{"?subscribe=self", "", "?subscribe="} {
			s := b.dial(query)
			assert.Equal(b, p+"=1@s.a", s.find(p).said(), "cached")
			b.publish(value(v, "ais", p, "3"), value("", "s.a", p, "4"))
			f := s.find(p)
			assert.Equal(b, p+"=4@s.a", f.said())
			assert.Equal(b, s.self, f.Context, "never vessels.self")
			b.publish(value("", "s.a", p, "1"))
		}
	}},
	{name: "subscribe=all", see: func(b *bench) {
		p, v := b.path("all"), b.vessel()
		b.publish(value(v, "ais", p, "2"))
		s := b.dial("?subscribe=all")
		f := s.find(p)
		assert.Equal(b, v, f.Context)
		assert.Equal(b, p+"=2@ais", f.said())
		b.publish(value(v, "ais", p, "3"))
		assert.Equal(b, p+"=3@ais", s.find(p).said())
	}},
	{name: "subscribe=none is quiet", see: func(b *bench) {
		p := b.path("none")
		s := b.dial("?subscribe=none")
		b.publish(value("", "s.a", p, "1"))
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q}`, p))
		assert.Equal(b, p+"=1@s.a", s.next().said(), "the first frame after the hello")
	}},
	{name: "an unknown subscribe value brings all live deltas and no cached ones", see: func(b *bench) {
		p, v := b.path("odd"), b.vessel()
		b.publish(value(v, "ais", p, "1"))
		s := b.dial("?subscribe=navigation")
		b.publish(value(v, "ais", p, "2"))
		assert.Equal(b, p+"=2@ais", s.find(p).said())
	}},
	{name: "sendCachedValues=false, but not for a subscribe message", see: func(b *bench) {
		p := b.path("uncached")
		b.publish(value("", "s.a", p, "1"))
		s := b.dial("?subscribe=self&sendCachedValues=false")
		b.publish(value("", "s.a", p, "2"))
		assert.Equal(b, p+"=2@s.a", s.find(p).said())
		s = b.dial("?subscribe=none&sendCachedValues=false")
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q}`, p))
		assert.Equal(b, p+"=2@s.a", s.next().said())
	}},
	{name: "a query stream gets a delta as it was sent", see: func(b *bench) {
		p, q := b.path("one"), b.path("two")
		s := b.dial("?subscribe=self&sendCachedValues=false")
		b.publish(fmt.Sprintf(`{"updates":[{"$source":"s.a","values":[{"path":%q,"value":1},{"path":%q,"value":"x"}]}]}`, p, q))
		f := s.find(p)
		require.Len(b, f.Updates, 1)
		assert.Equal(b, []pathValue{{p, json.RawMessage("1")}, {q, json.RawMessage(`"x"`)}}, f.Updates[0].Values)
		assert.NotEmpty(b, f.Updates[0].Timestamp, "filled in")
	}},
	{name: "an update without a source is from ws", see: func(b *bench) {
		p := b.path("nosource")
		s := b.dial("?subscribe=self&sendCachedValues=false")
		b.publish(fmt.Sprintf(`{"updates":[{"values":[{"path":%q,"value":1}]}]}`, p))
		assert.Equal(b, p+"=1@ws", s.find(p).said())
	}},
	{name: "null is a value", see: func(b *bench) {
		p := b.path("null")
		s := b.dial("?subscribe=self&sendCachedValues=false")
		b.publish(value("", "s.a", p, "null"))
		assert.Equal(b, p+"=null@s.a", s.find(p).said())
	}},
	{name: "a value of 256 kB is one frame", see: func(b *bench) {
		p := b.path("big")
		s := b.dial("?subscribe=none")
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q}`, p))
		b.publish(value("", "s.a", p, `"`+strings.Repeat("x", 256<<10)+`"`))
		assert.Greater(b, len(s.find(p).text), 256<<10)
		b.publish(value("", "s.a", p, "null"))
	}},
	{name: "a message of 12 MB closes with 1009", see: func(b *bench) {
		s := b.dial("?subscribe=none")
		_ = s.conn.WriteMessage(websocket.TextMessage, make([]byte, 12<<20))
		_, err := s.read()
		// The close frame may be lost when the rest of the message meets a closed socket.
		var closed *websocket.CloseError
		if errors.As(err, &closed) {
			assert.Contains(b, []int{websocket.CloseMessageTooBig, websocket.CloseAbnormalClosure}, closed.Code)
		}
		assert.Error(b, err)
	}},

	{name: "own ship's name is the settings' alone", see: func(b *bench) {
		s := b.dial("?subscribe=self&sendCachedValues=false")
		end := b.path("end")
		b.publish(
			value("", "evil", "", `{"name":"EVIL"}`),
			value("", "evil", "design.draft", `{"maximum":99}`),
			value("", "evil", "", `{"mmsi":"123456789","communication":{"callsignVhf":"EVIL"},"flag":"FI"}`),
			value("", "evil", end, "0"),
		)
		frames := s.until(end)
		shells := 0
		for _, f := range frames {
			if strings.Contains(f.text, `"evil"`) && len(f.Updates[0].Values) == 0 {
				shells++
			}
		}
		assert.Equal(b, map[string]int{"2.23.0": 2}[b.version], shells, "updates without values or meta")
		assert.Equal(b, []string{`={"flag":"FI"}@evil`}, mine(frames, ""), "what is left")
		assert.Empty(b, mine(frames, "design.draft"))
	}},
	{name: "thirty streams from one address", version: "2.32.0", see: func(b *bench) {
		for range 30 {
			b.dial("?subscribe=none")
		}
		body, status := refusal(b.T, b.wsURL("?subscribe=none"))
		assert.Equal(b, 429, status)
		assert.JSONEq(b, `{"error":"{\"error\":\"Too many concurrent websocket connections from same IP address\"}"}`, body)
	}},
	{name: "who does not keep up gets the latest values, marked", see: func(b *bench) {
		p := b.path("flood")
		s := b.dial("?subscribe=none")
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":"%s*"}`, p))
		load := strings.Repeat("x", 64<<10)
		const sent = 180 // 12 MB: more than the sockets hold, and half a megabyte
		var deltas []string
		for i := range sent {
			deltas = append(deltas, value("", "s.a", fmt.Sprintf("%s.%d", p, i%2), fmt.Sprintf(`"%s%d"`, load, i)))
		}
		b.publish(deltas...)
		received, marked := 0, 0
		last := map[string]string{}
		for last[p+".0"] != "178" || last[p+".1"] != "179" {
			f := s.next()
			received++
			for _, u := range f.Updates {
				assert.Equal(b, "s.a", u.Source)
				assert.NotEmpty(b, u.Timestamp)
				for _, v := range u.Values {
					last[v.Path] = strings.Trim(string(v.Value), `x"`)
				}
			}
			if strings.Contains(f.text, "$backpressure") {
				marked++
				assert.Equal(b, s.self, f.Context)
				assert.Regexp(b, `"\$backpressure":\{"accumulated":[12],"duration":\d+\}`, f.text[len(f.text)-300:]+f.text[:300])
			}
		}
		assert.Positive(b, marked)
		assert.Less(b, received, sent, "what lay between is lost")
		b.publish(value("", "s.a", p+".0", "null"), value("", "s.a", p+".1", "null"))
		assert.Equal(b, p+".0=null@s.a", s.next().said(), "and then as before")
	}},

	// Subscribe messages.

	{name: "cached values of every source at once, by their old timestamps", see: func(b *bench) {
		p := b.path("cached")
		b.publish(
			stamped("", "s.new", "2022-05-05T00:00:00.000Z", p, "1"),
			stamped("", "s.old", "2014-08-15T19:00:00.042Z", p, "2"),
			stamped("", "s.mid", "2020-05-05T00:00:00.000Z", p, "3"),
		)
		s := b.dial("?subscribe=none")
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q}`, p))
		first := s.next()
		assert.Equal(b, p+"=2@s.old", first.said())
		assert.Equal(b, "2014-08-15T19:00:00.042Z", first.Updates[0].Timestamp)
		assert.Equal(b, p+"=3@s.mid", s.next().said())
		assert.Equal(b, p+"=1@s.new", s.next().said())
	}},
	{name: "cached values on connect are sorted by timestamp", see: func(b *bench) {
		p, q := b.path("late"), b.path("early")
		b.publish(
			stamped("", "s.a", "2001-02-01T00:00:00.000Z", p, "1"),
			stamped("", "s.a", "2001-01-01T00:00:00.000Z", q, "2"),
		)
		s := b.dial("?subscribe=self")
		frames := s.until(p)
		assert.Equal(b, []string{q + "=2@s.a"}, mine(frames, q), "the earlier one came first")
	}},
	{name: "contexts", see: func(b *bench) {
		p, v := b.path("context"), b.vessel()
		b.publish(value("", "s.a", p, "1"), value(v, "ais", p, "2"))
		self, other := p+"=1@s.a", p+"=2@ais"
		for context, want := range map[string][]string{
			`"vessels.self"`:                       {self},
			`"self"`:                               {self},
			`"vessels.*"`:                          {self, other},
			`"*"`:                                  {self, other},
			fmt.Sprintf("%q", v):                   {other},
			`null`:                                 {self, other},
			`{"relativePosition":{"radius":1}}`:    {self, other},
			`"vessels.urn:mrn:imo:mmsi:000000000"`: nil,
			fmt.Sprintf("%q", v[len("vessels."):]): nil,
			fmt.Sprintf("%q", "vessels."+v[len(v)-9:]):    nil,
			fmt.Sprintf("%q", strings.Repeat("v", 1<<10)): nil,
			fmt.Sprintf("%q", "vessels.*"+v[len(v)-9:]):   {other},
			fmt.Sprintf("%q", v[:len(v)-1]+"*"):           {other},
		} {
			s := b.dial("?subscribe=none")
			// The mark's own subscription ends the list of answers.
			end := b.path("end")
			s.send(fmt.Sprintf(`{"context":%s,"subscribe":[{"path":%q}]}`, context, p))
			s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q}`, end))
			b.publish(value("", "s.a", end, "0"))
			frames := s.until(end)
			assert.ElementsMatch(b, want, mine(frames, p), context)
		}
	}},
	{name: "paths", see: func(b *bench) {
		p := b.path("electrical.batteries")
		house, deep, end := p+".house.voltage", p+".house.deep.voltage", b.path("end")
		b.publish(value("", "s.a", house, "12"), value("", "s.a", deep, "13"), value("", "s.a", end, "0"))
		for path, want := range map[string][]string{
			house:                    {house},
			p:                        nil,
			p + ".":                  nil,
			p + ".*":                 {house, deep},
			p + ".*.voltage":         {house, deep},
			p + ".*.deep.*":          {deep},
			p + "*age":               {house, deep},
			p + ".house.volt":        nil,
			"*" + p[1:] + ".house.*": {house, deep},
		} {
			s := b.dial("?subscribe=none")
			s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q},{"path":%q}`, path, end))
			var got []string
			for _, f := range s.until(end) {
				if path, _, _ := f.value(); path != end {
					got = append(got, path)
				}
			}
			assert.ElementsMatch(b, want, got, path)
		}
	}},
	{name: "a path that appears later", see: func(b *bench) {
		s := b.dial("?subscribe=none")
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":"%s*"}`, b.path("")))
		p := b.path("later")
		b.publish(value("", "s.a", p, "1"), value("", "s.a", p, "2"))
		assert.Equal(b, p+"=1@s.a", s.next().said())
		assert.Equal(b, p+"=2@s.a", s.next().said())
	}},
	{name: "one delta for each value", see: func(b *bench) {
		p, q := b.path("a"), b.path("b")
		s := b.dial("?subscribe=none")
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":"%s*"}`, b.path("")))
		b.publish(fmt.Sprintf(`{"updates":[{"$source":"s.a","values":[{"path":%q,"value":1},{"path":%q,"value":2}]}]}`, p, q))
		f := s.next()
		assert.Len(b, f.Updates[0].Values, 1)
		assert.Equal(b, p+"=1@s.a", f.said())
		assert.Equal(b, q+"=2@s.a", s.next().said())
	}},
	{name: "announceNewPaths tells one value of each path", see: func(b *bench) {
		v, old, end := b.vessel(), b.path("old"), b.path("end")
		b.publish(stamped(v, "s.a", "2020-01-01T00:00:00.000Z", old, "1"), stamped(v, "s.b", "2019-01-01T00:00:00.000Z", old, "2"))
		s := b.dial("?subscribe=none")
		s.send(fmt.Sprintf(`{"context":%q,"subscribe":[{"path":"no.such"}],"announceNewPaths":true}`, v))
		s.settle()
		assert.Equal(b, []string{old + "=2@s.b", old + "=1@s.a"}, []string{s.next().said(), s.next().said()}, "the whole cache, by time")
		fresh := b.path("fresh")
		b.publish(value(v, "s.a", old, "3"), value(v, "s.a", fresh, "4"), value(v, "s.a", fresh, "5"), value(v, "s.a", end, "0"))
		frames := s.until(end)
		assert.Empty(b, mine(frames, old), "no news")
		assert.Equal(b, []string{fresh + "=4@s.a"}, mine(frames, fresh), "the first")
	}},
	{name: "policies that are not known", see: func(b *bench) {
		for row, complaint := range map[string]string{
			`"policy":"ideal"`:                "Only 'instant' and 'fixed' policies supported, ignoring policy ideal",
			`"policy":"ideal","minPeriod":1`:  "minPeriod assumes policy 'instant', ignoring policy ideal",
			`"policy":"instant","period":300`: "period assumes policy 'fixed', ignoring policy instant",
			`"format":"full"`:                 "Only delta format supported, using it",
		} {
			p := b.path("policy" + fmt.Sprint(len(row)))
			b.publish(value("", "s.a", p, "1"))
			s := b.dial("?subscribe=none")
			s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q,%s}`, p, row))
			frames := s.until(p)
			text, err := json.Marshal(complaint)
			require.NoError(b, err)
			assert.Equal(b, strings.ReplaceAll(string(text), `\u0026`, "&"), frames[0].text, "a JSON string")
			assert.Equal(b, p+"=1@s.a", frames[len(frames)-1].said(), "the cached value comes all the same")
			b.publish(value("", "s.a", p, "2"))
			assert.Equal(b, p+"=2@s.a", s.find(p).said(), "and so do live ones, at once")
		}
	}},
	{name: "minPeriod drops the last value and starves the second source", see: func(b *bench) {
		p, end := b.path("minperiod"), b.path("end")
		s := b.dial("?subscribe=none")
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q,"policy":"instant","minPeriod":60000},{"path":%q}`, p, end))
		b.publish(
			value("", "s.a", p, "1"), value("", "s.b", p, "2"), value("", "s.a", p, "3"),
			value("", "s.a", end, "0"),
		)
		assert.Equal(b, []string{p + "=1@s.a"}, mine(s.until(end), p))
	}},
	{name: "period sends the latest of each source, late", see: func(b *bench) {
		p := b.path("period")
		s := b.dial("?subscribe=none")
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q,"period":200}`, p))
		start := time.Now()
		b.publish(value("", "s.a", p, "1"), value("", "s.b", p, "2"), value("", "s.a", p, "3"), value("", "s.b", p, "4"))
		got := []string{s.next().said(), s.next().said()}
		assert.Equal(b, []string{p + "=4@s.b", p + "=3@s.a"}, got, "the latest first")
		assert.GreaterOrEqual(b, time.Since(start), 190*time.Millisecond)
	}},
	{name: "policy fixed is a period", see: func(b *bench) {
		p := b.path("fixed")
		s := b.dial("?subscribe=none")
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q,"policy":"fixed","period":100}`, p))
		b.publish(value("", "s.a", p, "1"), value("", "s.a", p, "2"))
		assert.Equal(b, p+"=2@s.a", s.next().said())
	}},
	{name: "overlapping rows and messages deliver twice", see: func(b *bench) {
		p, end := b.path("twice"), b.path("end")
		s := b.dial("?subscribe=none")
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q},{"path":"%s*"}`, p, b.path("tw")))
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q},{"path":%q}`, p, end))
		b.publish(value("", "s.a", p, "1"), value("", "s.a", end, "0"))
		assert.Len(b, mine(s.until(end), p), 3)
		q := b.dial("?subscribe=self&sendCachedValues=false")
		q.subscribe("vessels.self", fmt.Sprintf(`{"path":%q}`, p))
		q.find(p)
		b.publish(value("", "s.a", p, "2"), value("", "s.a", end, "0"))
		assert.Len(b, mine(q.until(end), p), 2, "on top of the query's subscription")
	}},
	{name: "unsubscribe from everything", see: func(b *bench) {
		p, end := b.path("unsubscribed"), b.path("end")
		s := b.dial("?subscribe=self&sendCachedValues=false")
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q}`, p))
		s.send(`{"context":"*","unsubscribe":[{"path":"*"}]}`)
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q}`, end))
		b.publish(value("", "s.a", end, "0"))
		s.find(end)
		b.publish(value("", "s.a", p, "1"), value("", "s.a", end, "1"))
		assert.Empty(b, mine(s.until(end), p))
	}},
	{name: "any other unsubscribe ends the connection", see: func(b *bench) {
		s := b.dial("?subscribe=none")
		s.send(`{"context": "vessels.self", "unsubscribe": [{"path": "a.b"}]}`)
		assert.Equal(b, `"Only '{\"context\":\"*\",\"unsubscribe\":[{\"path\":\"*\"}]}' supported, received {\"context\":\"vessels.self\",\"unsubscribe\":[{\"path\":\"a.b\"}]}"`, s.next().text)
		assert.Equal(b, `"primus::server::close"`, s.next().text)
		_, err := s.read()
		assert.True(b, websocket.IsCloseError(err, websocket.CloseNoStatusReceived), "%v", err)
	}},
	{name: "what is not understood is ignored", see: func(b *bench) {
		p := b.path("ignored")
		s := b.dial("?subscribe=none")
		for _, message := range []string{`{bad`, `"text"`, `null`, `[1]`, `{"foo":1}`, `{"subscribe":{"path":"*"}}`, `{"context":"vessels.self","subscribe":[{}]}`, ``} {
			s.send(message)
		}
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q}`, p))
		b.publish(value("", "s.a", p, "1"))
		assert.Equal(b, p+"=1@s.a", s.next().said())
	}},
	{name: "a root member is a path to 2.32 only", see: func(b *bench) {
		v, end := b.vessel(), b.path("end")
		b.publish(value(v, "ais", "", `{"name":"OTHER"}`), value(v, "ais", end, "0"))
		s := b.dial("?subscribe=none")
		s.subscribe(v, fmt.Sprintf(`{"path":"name"},{"path":%q}`, end))
		want := map[string][]string{"2.32.0": {`name="OTHER"@ais`}}[b.version]
		assert.Equal(b, want, mine(s.until(end), "name"))
		b.publish(value(v, "ais", "", `{"name":"RENAMED"}`), value(v, "ais", end, "1"))
		if want != nil {
			want = []string{`name="RENAMED"@ais`}
		}
		assert.Equal(b, want, mine(s.until(end), "name"))
	}},
	{name: "the root path", see: func(b *bench) {
		v, p := b.vessel(), b.path("value")
		b.publish(value(v, "ais", "", `{"name":"OTHER","mmsi":"1"}`), value(v, "ais", p, "1"))
		s := b.dial("?subscribe=none")
		end := b.path("end")
		s.subscribe(v, `{"path":""}`)
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q}`, end))
		b.publish(value("", "s.a", end, "0"))
		frames := s.until(end)
		assert.Len(b, mine(frames, ""), 2, "once for each member")
		want := 0
		if b.version == "2.23.0" {
			want = 1
		}
		assert.Len(b, mine(frames, p), want, "2.23 answers with all it has")
	}},
	{name: "the star path", see: func(b *bench) {
		v, p, end := b.vessel(), b.path("value"), b.path("end")
		b.publish(value(v, "ais", "", `{"name":"OTHER"}`), value(v, "ais", p, "1"))
		s := b.dial("?subscribe=none")
		s.subscribe(v, `{"path":"*"}`)
		s.subscribe("vessels.self", fmt.Sprintf(`{"path":%q}`, end))
		b.publish(value("", "s.a", end, "0"))
		frames := s.until(end)
		assert.Len(b, mine(frames, ""), 1)
		want := 1
		if b.version == "2.23.0" {
			want = 2
		}
		assert.Len(b, mine(frames, p), want, "2.23 tells cached values twice")
	}},

	// Meta.

	{name: "sendMeta=all tells meta before the first value, groups too, once", see: func(b *bench) {
		v, end := b.vessel(), b.path("end")
		const depth = "environment.depth.belowTransducer"
		b.publish(value(v, "n2k", depth, "7"))
		s := b.dial("?subscribe=none&sendMeta=all")
		s.subscribe(v, fmt.Sprintf(`{"path":%q},{"path":%q}`, depth, end))
		first, group, val := s.next(), s.next(), s.next()
		require.Len(b, first.Updates, 1)
		require.Len(b, first.Updates[0].Meta, 1)
		assert.Equal(b, depth, first.Updates[0].Meta[0].Path)
		assert.Contains(b, string(first.Updates[0].Meta[0].Value), `"units":"m"`)
		assert.Empty(b, first.Updates[0].Source, "no $source")
		assert.NotEmpty(b, first.Updates[0].Timestamp)
		assert.Equal(b, v, first.Context)
		assert.Equal(b, `meta environment.depth={"description":"Depth related data"}`, group.said())
		assert.Equal(b, depth+"=7@n2k", val.said())
		b.publish(value(v, "n2k", depth, "8"))
		assert.Equal(b, depth+"=8@n2k", s.next().said(), "no meta again")
	}},
	{name: "no meta is told unasked", see: func(b *bench) {
		v := b.vessel()
		const depth = "environment.depth.belowTransducer"
		b.publish(value(v, "n2k", depth, "7"))
		s := b.dial("?subscribe=none")
		s.subscribe(v, fmt.Sprintf(`{"path":%q}`, depth))
		assert.Equal(b, depth+"=7@n2k", s.next().said())
	}},
	{name: "changed meta goes to everybody, the changed keys only", see: func(b *bench) {
		p := b.path("meta")
		b.publish(value("", "s.a", p, "1"), meta("", p, `{"units":"m","displayName":"One"}`))
		query := b.dial("?subscribe=self&sendCachedValues=false")
		rows := b.dial("?subscribe=none")
		rows.subscribe("vessels.self", fmt.Sprintf(`{"path":%q}`, p))
		rows.find(p)
		b.publish(meta("", p, `{"displayName":"Two"}`))
		want := "meta " + p + `={"displayName":"Two"}`
		assert.Equal(b, want, query.find(p).said())
		assert.Equal(b, want, rows.next().said())
		var merged map[string]any
		b.getJSON("/signalk/v1/api/vessels/self/"+slashed(p)+"/meta", &merged)
		assert.Equal(b, "m", merged["units"], "merged, not replaced")
		assert.Equal(b, "Two", merged["displayName"])
	}},

	{name: "how a value would be shown", see: func(b *bench) {
		v := b.vessel()
		at := "/signalk/v1/api/" + strings.Replace(v, ".", "/", 1) + "/"
		knots := `{"category":"speed","targetUnit":"kn","formula":"value * 1.94384","inverseFormula":"value * 0.514444","symbol":"kn","displayFormat":"0.0"}`
		inMetres := `{"category":"depth","targetUnit":"m","formula":"value","inverseFormula":"value","symbol":"m","displayFormat":"0.0"}`
		miles := `{"category":"distance","targetUnit":"naut-mile","formula":"value * 0.0005399568034557236","inverseFormula":"value / 0.0005399568034557236","symbol":"nmi","displayFormat":"0.0"}`
		new := b.version == "2.32.0"
		for path, want := range map[string]string{
			"navigation.speedOverGround":                    knots,
			"environment.depth.belowKeel":                   map[bool]string{true: inMetres}[new],
			"navigation.gnss.antennaAltitude":               map[bool]string{true: miles}[new],
			"environment.wind.angleApparent":                `{"category":"angle","targetUnit":"degree","formula":"value * 57.29577951308231","inverseFormula":"value / 57.29577951308231","symbol":"°","displayFormat":"0.0"}`,
			"electrical.batteries.0.capacity.timeRemaining": `{"category":"time","targetUnit":"hour","formula":"value * 0.0002777777777777778","inverseFormula":"value / 0.0002777777777777778","symbol":"hour","displayFormat":"0.0"}`,
			"navigation.state":                              "",
		} {
			b.publish(value(v, "s.a", path, "1"))
			var meta, leaf struct {
				Meta         struct{ DisplayUnits json.RawMessage }
				DisplayUnits json.RawMessage
			}
			b.getJSON(at+slashed(path)+"/meta", &meta)
			b.getJSON(at+slashed(path), &leaf)
			if want == "" {
				assert.Empty(b, meta.DisplayUnits, path)
				assert.Empty(b, leaf.Meta.DisplayUnits, path)
				continue
			}
			assert.JSONEq(b, want, string(meta.DisplayUnits), path)
			if new {
				assert.JSONEq(b, want, string(leaf.Meta.DisplayUnits), path)
			} else {
				assert.Empty(b, leaf.Meta.DisplayUnits, "2.23 has it in no tree")
			}
			s := b.dial("?subscribe=none&sendMeta=all")
			s.subscribe(v, fmt.Sprintf(`{"path":%q}`, path))
			assert.Contains(b, s.next().text, `"displayUnits":{"category":`)
		}
	}},

	// Notifications.

	{name: "a notification gets an id and a status, and empty updates follow", see: func(b *bench) {
		p := "notifications." + b.path("alarm")
		s := b.dial("?subscribe=self&sendCachedValues=false")
		b.publish(value("", "plug.1", p, `{"state":"alarm","method":["visual","sound"],"message":"A"}`))
		f := s.find(p)
		n := notificationOf(b, f)
		assert.Equal(b, "alarm", n.State)
		assert.Equal(b, []string{"visual", "sound"}, n.Method)
		assert.Len(b, n.ID, 36)
		assert.Equal(b, n.ID, f.Updates[0].NotificationID)
		assert.Equal(b, map[string]bool{"silenced": false, "acknowledged": false, "canSilence": true, "canAcknowledge": true, "canClear": false}, n.Status)
		for f = s.next(); f.Context != s.self || len(f.Updates) > 0; f = s.next() {
		}
		assert.Contains(b, f.text, `"updates":[]`)
		b.publish(value("", "plug.1", p, `{"state":"normal","method":[],"message":"ok"}`))
		again := notificationOf(b, s.find(p))
		assert.Equal(b, n.ID, again.ID, "the id stays")
		assert.Equal(b, "normal", again.State)
	}},
	{name: "null clears a notification as normal", see: func(b *bench) {
		p := "notifications." + b.path("null")
		s := b.dial("?subscribe=self&sendCachedValues=false")
		b.publish(value("", "plug.1", p, `null`))
		n := notificationOf(b, s.find(p))
		assert.Equal(b, "normal", n.State)
		assert.Empty(b, n.Method)
		assert.Empty(b, n.Message)
	}},
	{name: "a notification that is no object is swallowed", see: func(b *bench) {
		p, end := "notifications."+b.path("text"), b.path("end")
		s := b.dial("?subscribe=self&sendCachedValues=false")
		b.publish(value("", "plug.1", p, `"text"`), value("", "s.a", end, "0"))
		assert.Empty(b, mine(s.until(end), p))
	}},
	{name: "notifications leave a delta of mixed values", see: func(b *bench) {
		p, n := b.path("mixed"), "notifications."+b.path("mixed")
		s := b.dial("?subscribe=self&sendCachedValues=false")
		b.publish(fmt.Sprintf(`{"updates":[{"$source":"s.a","values":[{"path":%q,"value":{"state":"warn"}},{"path":%q,"value":2}]}]}`, n, p))
		frames := s.until(p)
		assert.Len(b, mine(frames, n), 1, "first, in a delta of its own")
		assert.Len(b, frames[len(frames)-1].Updates[0].Values, 1)
	}},
	{name: "two sources have two notifications", see: func(b *bench) {
		p := "notifications." + b.path("two")
		b.publish(
			value("", "plug.1", p, `{"state":"alarm","method":["visual"],"message":"one"}`),
			value("", "plug.2", p, `{"state":"normal","method":[],"message":"two"}`),
		)
		var leaf struct {
			Value  notification
			Values map[string]struct{ Value notification }
		}
		b.getJSON("/signalk/v1/api/vessels/self/"+slashed(p), &leaf)
		assert.Equal(b, "normal", leaf.Value.State, "the last writer hides the alarm")
		one, two := leaf.Values["plug.1"].Value, leaf.Values["plug.2"].Value
		assert.Equal(b, "alarm", one.State)
		assert.NotEqual(b, one.ID, two.ID)
		var all map[string]struct {
			Context, Path string
			Value         notification
		}
		b.getJSON("/signalk/v2/api/notifications", &all)
		assert.Equal(b, "alarm", all[one.ID].Value.State)
		assert.Equal(b, p, all[one.ID].Path)
		assert.True(b, strings.HasPrefix(all[one.ID].Context, "vessels.urn:"))
	}},
	{name: "zones raise notifications", see: func(b *bench) {
		p := b.path("depth")
		n := "notifications." + p
		s := b.dial("?subscribe=self&sendCachedValues=false")
		b.publish(meta("", p, `{"zones":[{"upper":2,"state":"alarm","message":"Shallow","x":1},{"lower":2,"upper":3,"state":"warn"},{"lower":90,"state":"alert"}]}`))
		for _, step := range []struct{ value, state, message string }{
			{"5", "normal", "Value is within normal range"}, // the first value, even if normal
			{"2.5", "warn", "2 < value < 3"},                // no message configured
			{"1.99", "alarm", "Shallow"},
			{"2", "warn", "2 < value < 3"}, // lower bound inclusive
			{"3", "normal", "Value is within normal range"},
			{"91", "alert", "90 < value < undefined"},
			{"null", "normal", "Value is within normal range"}, // a lost sensor clears its alarm
		} {
			b.publish(value("", "d.1", p, step.value))
			frames := s.until(n)
			assert.Contains(b, mine(frames, p), p+"="+step.value+"@d.1", "the value comes first")
			f := frames[len(frames)-1]
			got := notificationOf(b, f)
			assert.Equal(b, step.state, got.State, step.value)
			assert.Equal(b, step.message, got.Message, step.value)
			assert.Equal(b, []string{"visual"}, got.Method)
			assert.Equal(b, "self.notificationhandler", f.Updates[0].Source)
		}
		end := b.path("end")
		b.publish(value("", "d.1", p, "4"), value("", "d.1", p, "5"), value("", "s.a", end, "0"))
		assert.Empty(b, mine(s.until(end), n), "nothing while the zone is the same")
	}},
	{name: "zones set to null send normal", see: func(b *bench) {
		p := b.path("cleared")
		n := "notifications." + p
		b.publish(meta("", p, `{"zones":[{"upper":2,"state":"alarm","message":"Low"}]}`), value("", "d.1", p, "1"))
		s := b.dial("?subscribe=self&sendCachedValues=false")
		b.publish(meta("", p, `{"zones":null}`))
		assert.Equal(b, "normal", notificationOf(b, s.find(n)).State)
	}},
	{name: "zones of other vessels raise nothing", see: func(b *bench) {
		p, v, end := b.path("other"), b.vessel(), b.path("end")
		s := b.dial("?subscribe=all&sendCachedValues=false")
		b.publish(meta(v, p, `{"zones":[{"upper":2,"state":"alarm"}]}`), value(v, "d.1", p, "1"), value("", "s.a", end, "0"))
		assert.Empty(b, mine(s.until(end), "notifications."+p))
	}},
}

// notification is a notification's value.
type notification struct {
	State, Message, ID string
	Method             []string
	Status             map[string]bool
}

func notificationOf(b *bench, f frame) (n notification) {
	b.Helper()
	_, text, _ := f.value()
	require.NoError(b, json.Unmarshal([]byte(text), &n), f.text)
	return n
}

// slashed is a path as a URL has it.
func slashed(path string) string { return strings.ReplaceAll(path, ".", "/") }

func keys[V any](m map[string]V) []string {
	var names []string
	for k := range m {
		names = append(names, k)
	}
	return names
}

// valueOf is the value of a frame of one value.
func valueOf(f frame) string {
	_, v, _ := f.value()
	return v
}
