package mock_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const asJSON = "Content-Type: application/json"

// securedContract is what is seen of a server that lets nobody in without a token.
var securedContract = []behaviour{
	{name: "who may read", see: func(b *bench) {
		v1, v2 := "/signalk/v1/api/self", "/signalk/v2/api/vessels/self/navigation/course"
		v2Status := map[string]int{"2.23.0": 200, "2.32.0": 401}[b.version]
		for _, tt := range []struct {
			path, header string
			status       int
			body         string
		}{
			{v1, "", 401, "Unauthorized"},
			{v1, "Authorization: Bearer not.the.one", 401, "bad auth token"},
			{v1, "Authorization: Bearer garbage", 401, "bad auth token"},
			{v1, "Authorization: Bearer " + b.token("reader", -time.Hour), 401, "bad auth token"},
			{v1, "Authorization: Bearer " + b.token("nobody", 0), 401, "bad auth token"},
			{v1, "Authorization: Bearer " + b.token("reader", time.Hour), 200, ""},
			{v1, "Authorization: Bearer " + b.admin, 200, ""},
			{v1, "Authorization: Bearer " + b.reader, 200, ""},
			{v1, "Authorization: JWT " + b.reader, 200, ""},
			{v1, "Authorization: bearer " + b.reader, 401, "Unauthorized"}, // case matters
			{v1, "Authorization: Basic " + b.reader, 401, "Unauthorized"},
			{v1, "X-Authorization: Bearer " + b.reader, 200, ""},
			{v1, "Cookie: JAUTHENTICATION=" + b.reader, 200, ""},
			{v1, "Cookie: JAUTHENTICATION=x", 401, "bad auth token"},
			{v1 + "?token=" + b.reader, "", 401, "Unauthorized"}, // WebSocket only
			{"/signalk/v1/api/nosuch", "", 401, "Unauthorized"},
			{"/signalk/v1/api/nosuch", "Authorization: Bearer " + b.reader, 404, ""},
			{v2, "", v2Status, ""},
			{v2, "Authorization: Bearer not.the.one", v2Status, ""},
			{v2, "Authorization: Bearer " + b.reader, 200, ""},
			{"/signalk", "Authorization: Bearer not.the.one", 200, ""},
			{"/signalk/v2/features", "Authorization: Bearer not.the.one", 200, ""},
		} {
			var header []string
			if tt.header != "" {
				header = []string{tt.header}
			}
			status, mime, body := b.get(tt.path, header...)
			assert.Equal(b, tt.status, status, "%s %s", tt.path, tt.header)
			if tt.body != "" {
				assert.Equal(b, tt.body, body, "%s %s", tt.path, tt.header)
				assert.Equal(b, "text/html; charset=utf-8", mime)
			}
		}
	}},
	{name: "login status is never refused", see: func(b *bench) {
		for token, want := range map[string]map[string]any{
			b.admin:       {"status": "loggedIn", "userLevel": "admin", "username": "admin"},
			b.reader:      {"status": "loggedIn", "userLevel": "readonly", "username": "reader"},
			"not.the.one": {"status": "notLoggedIn", "userLevel": nil, "username": nil},
		} {
			_, _, body := b.get("/skServer/loginStatus", "Authorization: Bearer "+token)
			var got map[string]any
			require.NoError(b, json.Unmarshal([]byte(body), &got))
			for _, name := range []string{"authenticationRequired", "securityWasEnabled", "allowNewUserRegistration", "allowDeviceAccessRequests"} {
				assert.Equal(b, true, got[name], name)
			}
			assert.Equal(b, false, got["readOnlyAccess"])
			for name, value := range want {
				assert.Equal(b, value, got[name], name)
			}
		}
	}},
	{name: "tokens that open a stream", see: func(b *bench) {
		p := b.path("mine")
		b.publish(value("", "s.a", p, "1"))
		for _, s := range []*stream{
			b.dial("?subscribe=none&token=" + b.reader),
			b.dial("?subscribe=none", "Authorization: Bearer "+b.reader),
			b.dial("?subscribe=none", "Authorization: JWT "+b.reader),
			b.dial("?subscribe=none", "Cookie: JAUTHENTICATION="+b.reader),
			b.dial("?subscribe=none&token="+b.reader, "Authorization: Bearer not.the.one"), // the query wins
		} {
			s.send(fmt.Sprintf(`{"context":"vessels.self","subscribe":[{"path":%q}]}`, p))
			assert.Equal(b, p+"=1@s.a", s.next().said())
		}
	}},
	{name: "tokens that a stream is refused with", see: func(b *bench) {
		for token, fault := range map[string]string{
			"garbage":                               "jwt malformed",
			"a.b":                                   "jwt malformed",
			"not.the.one":                           "invalid token",
			b.reader[:len(b.reader)-8] + "AAAAAAAA": "invalid signature",
			b.token("reader", -time.Hour):           "jwt expired",
		} {
			body, status := refusal(b.T, b.wsURL("?token="+token))
			assert.Equal(b, 401, status)
			assert.JSONEq(b, `{"error":"`+fault+`"}`, body, token)
		}
		body, status := refusal(b.T, b.wsURL("?token="+b.token("nobody", 0)))
		assert.Equal(b, 401, status)
		assert.Regexp(b, `^\{"error":"Invalid identity \{\\"id\\":\\"nobody\\",\\"iat\\":\d+\}"\}$`, body)
	}},
	{name: "a stream without a token is open and mute", see: func(b *bench) {
		p := b.path("mute")
		b.publish(value("", "s.a", p, "1"))
		s := b.dial("?subscribe=all") // 101 and hello are no proof of access
		s.send(`{"subscribe":[{"path":"*"}]}`)
		s.send(value("", "intruder", p, "2"))
		s.send(`{"requestId":"put-1","context":"vessels.self","put":{"path":"a.b","value":1}}`)
		assert.JSONEq(b, `{"state":"COMPLETED","requestId":"put-1","statusCode":403,"href":"/signalk/v1/requests/put-1"}`, s.next().text, "nothing before it")
		_, _, body := b.get("/signalk/v1/api/vessels/self/"+slashed(p)+"/value", "Authorization: Bearer "+b.reader)
		assert.Equal(b, "1", body)
		s.send(`{"context":"x","unsubscribe":[]}`)
		assert.Contains(b, s.next().text, "supported, received", "this ends the connection all the same")
		assert.Equal(b, `"primus::server::close"`, s.next().text)
	}},
	{name: "a reader's updates are dropped, a writer's have a name", see: func(b *bench) {
		p := b.path("written")
		update := fmt.Sprintf(`{"updates":[{"values":[{"path":%q,"value":1}]}]}`, p)
		reader := b.dial("?subscribe=none&token=" + b.reader)
		reader.send(update)
		reader.send(`{"requestId":"put-2","context":"vessels.self","put":{"path":"a.b","value":1}}`)
		assert.JSONEq(b, `{"state":"COMPLETED","requestId":"put-2","statusCode":403,"href":"/signalk/v1/requests/put-2","user":"reader"}`, reader.next().text)
		status, _, _ := b.get("/signalk/v1/api/vessels/self/"+slashed(p), "Authorization: Bearer "+b.reader)
		assert.Equal(b, 404, status)
		admin := b.dial("?subscribe=none&token=" + b.admin)
		admin.send(update)
		admin.send(`{"requestId":"put-3","context":"vessels.self","put":{"path":"a.b","value":1}}`)
		assert.JSONEq(b, `{"state":"COMPLETED","requestId":"put-3","statusCode":405,"message":"PUT not supported for a.b","href":"/signalk/v1/requests/put-3","user":"admin"}`, admin.next().text)
		_, _, body := b.get("/signalk/v1/api/vessels/self/"+slashed(p)+"/$source", "Authorization: Bearer "+b.reader)
		assert.Equal(b, `"ws.admin"`, body)
	}},
	{name: "who may write", see: func(b *bench) {
		const v1 = "/signalk/v1/api/vessels/self/electrical/switches/a/state"
		for _, tt := range []struct {
			token, accept string
			status        int
			body          string
		}{
			{"", "*/*", 401, "Unauthorized"},
			{"not.the.one", "*/*", 401, "bad auth token"},
			{b.reader, "*/*", 401, "You do not have permission to view this resource, <a href='/admin/#/login'>Please Login</a>"},
			{b.reader, "application/json", 401, `{"error":"Permission Denied"}`},
		} {
			header := []string{asJSON, "Accept: " + tt.accept}
			if tt.token != "" {
				header = append(header, "Authorization: Bearer "+tt.token)
			}
			res := b.do(http.MethodPut, v1, `{"value":1}`, header...)
			assert.Equal(b, tt.status, res.status)
			assert.Equal(b, tt.body, res.body)
		}
		res := b.do(http.MethodPut, v1, `{"value":1}`, asJSON, "Authorization: Bearer "+b.admin)
		assert.Equal(b, 405, res.status)
		assert.Contains(b, res.body, `"user":"admin"`)
	}},
	{name: "login", see: func(b *bench) {
		const good, bad = `{"username":"reader","password":"reader-000"}`, `{"username":"reader","password":"x"}`
		login := func(body, kind string) response {
			return b.do(http.MethodPost, "/signalk/v1/auth/login", body, "Content-Type: "+kind)
		}
		res := login(good, "application/json")
		require.Equal(b, 200, res.status, res.body)
		var given map[string]any
		require.NoError(b, json.Unmarshal([]byte(res.body), &given))
		status, _, _ := b.get("/signalk/v1/api/self", fmt.Sprintf("Authorization: Bearer %s", given["token"]))
		assert.Equal(b, 200, status)
		ttl, has := given["timeToLive"]
		assert.Equal(b, b.version == "2.32.0", has)
		assert.Nil(b, ttl)
		assert.Contains(b, res.Header.Get("Set-Cookie"), "JAUTHENTICATION=ey")

		for _, body := range []string{bad, `{"username":"nobody","password":"x"}`} {
			res = login(body, "application/json")
			assert.Equal(b, 401, res.status)
			assert.JSONEq(b, `{"statusCode":401,"message":"Invalid username/password"}`, res.body)
		}
		res = login(good, "application/json; charset=utf-8")
		assert.Equal(b, map[string]int{"2.23.0": 302, "2.32.0": 200}[b.version], res.status)
		res = login("username=reader&password=reader-000", "application/x-www-form-urlencoded")
		assert.Equal(b, 302, res.status)
		assert.Equal(b, "/", res.Header.Get("Location"))
	}},
	{name: "logout", see: func(b *bench) {
		res := b.do(http.MethodPut, "/signalk/v1/auth/logout", "")
		assert.Equal(b, 200, res.status)
		assert.Equal(b, `"Logout OK"`, res.body)
		assert.Contains(b, strings.Join(res.Header.Values("Set-Cookie"), "\n"), "JAUTHENTICATION=;")
	}},
	{name: "login over the stream", see: func(b *bench) {
		p := b.path("stream")
		s := b.dial("?subscribe=none")
		s.send(`{"requestId":"l1","login":{"username":"reader","password":"x"}}`)
		assert.JSONEq(b, `{"requestId":"l1","state":"COMPLETED","statusCode":401,"login":{}}`, s.next().text)
		s.send(`{"requestId":"l2","login":{"username":"reader","password":"reader-000"}}`)
		var a struct {
			RequestID  string
			StatusCode int
			Login      map[string]any
		}
		text := s.next().text
		require.NoError(b, json.Unmarshal([]byte(text), &a), text)
		assert.Equal(b, "l2", a.RequestID)
		assert.Equal(b, 200, a.StatusCode)
		_, has := a.Login["timeToLive"]
		assert.Equal(b, b.version == "2.32.0", has)
		status, _, _ := b.get("/signalk/v1/api/self", fmt.Sprintf("Authorization: Bearer %s", a.Login["token"]))
		assert.Equal(b, 200, status)
		b.publish(value("", "s.a", p, "1"))
		s.send(fmt.Sprintf(`{"context":"vessels.self","subscribe":[{"path":%q}]}`, p))
		assert.Equal(b, p+"=1@s.a", s.next().said(), "from now on it is served")
		b.publish(value("", "s.a", p, "2"))
		assert.Equal(b, p+"=2@s.a", s.next().said())
	}},
	{name: "a device asks for access and gets it", see: func(b *bench) {
		client := "device-" + b.mark
		a := b.askAccess(fmt.Sprintf(`{"clientId":%q,"description":"My \"clock\""}`, client))
		assert.Equal(b, 202, a.status)
		assert.Equal(b, "PENDING", a.State)
		assert.Equal(b, "/signalk/v1/requests/"+a.RequestID, a.Href)
		assert.JSONEq(b, fmt.Sprintf(`{"state":"PENDING","requestId":%q,"statusCode":202,"href":%q,"ip":"::ffff:127.0.0.1","user":null}`, a.RequestID, a.Href), a.body)
		status, _, body := b.get(a.Href) // without a token
		assert.Equal(b, 200, status)
		assert.JSONEq(b, a.body, body)

		again := b.askAccess(fmt.Sprintf(`{"clientId":%q,"description":"again"}`, client))
		assert.Equal(b, 400, again.status)
		assert.Equal(b, "A device with clientId '"+client+"' has already requested access", again.Message)
		assert.Equal(b, "COMPLETED", again.State)

		n := b.accessNotification("any", client)
		assert.Equal(b, "alert", n.State)
		assert.Equal(b, []string{"visual", "sound"}, n.Method)
		assert.Equal(b, `The device "My "clock"" has requested access to the server`, n.Message)

		assert.Equal(b, 401, b.answerAccess(client, "approved", b.reader).status)
		res := b.answerAccess(client, "approved", b.admin)
		assert.Equal(b, 200, res.status)
		assert.Equal(b, "Request updated", res.body)
		done := b.progress(a.Href)
		assert.Equal(b, "COMPLETED", done.State)
		assert.Equal(b, 200, done.StatusCode)
		assert.Equal(b, "APPROVED", done.AccessRequest.Permission)
		assert.Equal(b, done, b.progress(a.Href), "the token is repeated")
		status, _, _ = b.get("/signalk/v1/api/self", "Authorization: Bearer "+done.AccessRequest.Token)
		assert.Equal(b, 200, status)
		n = b.accessNotification("any", client)
		assert.Equal(b, "normal", n.State)
		assert.Empty(b, n.Method)
		assert.Equal(b, `The device "My "clock"" has been approved`, n.Message)
	}},
	{name: "a device is denied access", see: func(b *bench) {
		client := "device-" + b.mark
		a := b.askAccess(fmt.Sprintf(`{"clientId":%q,"description":"Clock","permissions":"readwrite"}`, client))
		require.Equal(b, 202, a.status)
		assert.Equal(b, "alert", b.accessNotification("readwrite", client).State)
		assert.Equal(b, 200, b.answerAccess(client, "denied", b.admin).status)
		done := b.progress(a.Href)
		assert.Equal(b, "DENIED", done.AccessRequest.Permission)
		assert.Empty(b, done.AccessRequest.Token)
		assert.Equal(b, "normal", b.accessNotification("readwrite", client).State)
		assert.Equal(b, 500, b.answerAccess(client, "approved", b.admin).status, "nothing to answer")
		assert.Equal(b, 202, b.askAccess(fmt.Sprintf(`{"clientId":%q,"description":"Clock"}`, client)).status, "it may ask again")
	}},
	{name: "access requests that are wrong", see: func(b *bench) {
		a := b.askAccess(fmt.Sprintf(`{"clientId":"nameless-%s"}`, b.mark))
		assert.Equal(b, 400, a.status)
		assert.Equal(b, "COMPLETED", a.State)
		a = b.askAccess(fmt.Sprintf(`{"clientId":"bogus-%s","description":"x","permissions":"bogus"}`, b.mark))
		assert.Equal(b, map[string]int{"2.23.0": 202, "2.32.0": 400}[b.version], a.status)
	}},
	{name: "an access request over the stream", see: func(b *bench) {
		s := b.dial("?subscribe=none")
		s.send(fmt.Sprintf(`{"requestId":"a-%s","accessRequest":{"clientId":"stream-%s","description":"Clock"}}`, b.mark, b.mark))
		assert.JSONEq(b, fmt.Sprintf(`{"state":"PENDING","requestId":"a-%[1]s","statusCode":202,"href":"/signalk/v1/requests/a-%[1]s","ip":"::ffff:127.0.0.1","user":null}`, b.mark), s.next().text)
		assert.Equal(b, 200, b.answerAccess("stream-"+b.mark, "approved", b.admin).status)
		assert.Equal(b, "APPROVED", b.progress("/signalk/v1/requests/a-"+b.mark).AccessRequest.Permission)
	}},
}

// asked is the answer to an access request.
type asked struct {
	status        int
	body          string
	State         string
	RequestID     string
	StatusCode    int
	Message, Href string
	AccessRequest struct{ Permission, Token string }
}

func (b *bench) askAccess(body string) asked {
	b.Helper()
	res := b.do(http.MethodPost, "/signalk/v1/access/requests", body, asJSON)
	a := asked{status: res.status, body: res.body}
	require.NoError(b, json.Unmarshal([]byte(res.body), &a), res.body)
	return a
}

func (b *bench) progress(href string) (a asked) {
	b.Helper()
	b.getJSON(href, &a)
	return a
}

// answerAccess answers an access request as the administrator's page does.
func (b *bench) answerAccess(client, verdict, token string) response {
	b.Helper()
	return b.do(http.MethodPut, "/skServer/security/access/requests/"+client+"/"+verdict,
		`{"expiration":"1y","permissions":"readonly"}`, asJSON, "Authorization: Bearer "+token)
}

func (b *bench) accessNotification(permission, client string) (n notification) {
	b.Helper()
	_, _, body := b.get("/signalk/v1/api/vessels/self/notifications/security/accessRequest/"+permission+"/"+client+"/value", "Authorization: Bearer "+b.reader)
	require.NoError(b, json.Unmarshal([]byte(body), &n), body)
	return n
}
