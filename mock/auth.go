package mock

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Permission is what a user or a device may do.
type Permission string

const (
	ReadOnly  Permission = "readonly"
	ReadWrite Permission = "readwrite"
	Admin     Permission = "admin"
)

func (p Permission) known() bool { return p == ReadOnly || p == ReadWrite || p == Admin }

// User is somebody who may log in.
type User struct {
	Password string
	// Permission. If empty, ReadOnly.
	Permission Permission
}

// access is what a request's token opens.
type access int

const (
	accessGranted access = iota
	accessNone           // no token
	accessRefused        // a token, but not ours: worse than none
)

// visitor is who asks, as far as a token tells.
type visitor struct {
	access     access
	name       string // of the user, or a device's id; empty without security
	permission Permission
	fault      string // the server's word for a token that is refused
}

// mayWrite tells whether a visitor's updates are taken.
func (v visitor) mayWrite() bool { return v.access == accessGranted && v.permission != ReadOnly }

// tokenReader is who Options.Token belongs to.
const tokenReader = "reader"

// secured tells whether security is on.
func (o Options) secured() bool { return o.Token != "" || len(o.Users) > 0 }

// judge tells who a token belongs to.
func (s *Server) judge(token string) visitor {
	switch {
	case s.expired.Load() && token != "":
		return visitor{access: accessRefused, fault: "jwt expired"}
	case s.expired.Load():
		return visitor{access: accessNone}
	case !s.opt.secured():
		return visitor{permission: Admin}
	case token == "" && s.opt.Anonymous:
		return visitor{permission: ReadOnly}
	case token == "":
		return visitor{access: accessNone}
	case token == s.opt.Token:
		return visitor{name: tokenReader, permission: ReadOnly}
	}
	v, fault := s.bearer(token)
	if fault != "" {
		return visitor{access: accessRefused, fault: fault}
	}
	return v
}

// claims are what a token says.
type claims struct {
	User    string `json:"id,omitempty"`
	Device  string `json:"device,omitempty"`
	Issued  int64  `json:"iat"`
	Expires int64  `json:"exp,omitempty"` // never, if 0
}

// bearer checks a token that the server signed (RFC 7519, HS256), and says what
// is wrong with it in the words of the library that the server uses.
func (s *Server) bearer(token string) (visitor, string) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return visitor{}, "jwt malformed"
	}
	decode := base64.RawURLEncoding.DecodeString
	header, err1 := decode(parts[0])
	text, err2 := decode(parts[1])
	mac, err3 := decode(parts[2])
	var c claims
	if err1 != nil || err2 != nil || !json.Valid(header) || json.Unmarshal(text, &c) != nil {
		return visitor{}, "invalid token"
	}
	if err3 != nil || !hmac.Equal(mac, s.sign(parts[0]+"."+parts[1])) {
		return visitor{}, "invalid signature"
	}
	if c.Expires != 0 && s.opt.Now().Unix() >= c.Expires {
		return visitor{}, "jwt expired"
	}
	if u, has := s.opt.Users[c.User]; has && c.Device == "" {
		return visitor{name: c.User, permission: u.permission()}, ""
	}
	if p, has := s.door.device(c.Device); has {
		return visitor{name: c.Device, permission: p}, ""
	}
	return visitor{}, fmt.Sprintf("Invalid identity %s", text)
}

func (u User) permission() Permission {
	if u.Permission == "" {
		return ReadOnly
	}
	return u.Permission
}

func newKey() []byte {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return key
}

func (s *Server) sign(text string) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// token makes a token of claims.
func (s *Server) token(c claims) string {
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(mustEncode(c))
	return signed + "." + encode(s.sign(signed))
}

// NewToken makes a token as a login of the user does, which is good for so long
// by Options.Now; with 0 for ever, and a negative life makes one that has
// expired. A name that is not in Options.Users gives a token of nobody.
func (s *Server) NewToken(user string, life time.Duration) string {
	c := claims{User: user, Issued: s.opt.Now().Unix()}
	if life != 0 {
		c.Expires = s.opt.Now().Add(life).Unix()
	}
	return s.token(c)
}

func (s *Server) requestAccess(r *http.Request) visitor { return s.judge(requestToken(r)) }

// streamToken is the token of an upgrade, where one in the query wins.
func streamToken(r *http.Request) string {
	if token := r.URL.Query().Get("token"); token != "" {
		return token
	}
	return requestToken(r)
}

// requestToken finds a token where the server looks for one. Letter case
// matters: "bearer" is no token at all.
func requestToken(r *http.Request) string {
	for _, header := range []string{r.Header.Get("Authorization"), r.Header.Get("X-Authorization")} {
		for _, scheme := range []string{"Bearer ", "JWT "} {
			if token, ok := strings.CutPrefix(header, scheme); ok {
				return token
			}
		}
	}
	if cookie, err := r.Cookie("JAUTHENTICATION"); err == nil {
		return cookie.Value
	}
	return ""
}

func refuseStream(w http.ResponseWriter, status int, fault string) {
	w.Header().Set("Connection", "close")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(mustEncode(map[string]string{"error": fault}))
}

// protected tells whether a REST path needs a token. 2.23.0 protects nothing
// under v2.
func (s *Server) protected(path string) bool {
	switch {
	case strings.HasPrefix(path, "/signalk/v1/api"):
		return true
	case strings.HasPrefix(path, "/signalk/v2/api"):
		return s.opt.Version != version223
	}
	return false
}

// loginStatus is the way to test a token that touches nothing.
func (s *Server) loginStatus(r *http.Request) any {
	secured := s.opt.secured()
	status := map[string]any{
		"status": "notLoggedIn", "readOnlyAccess": secured && s.opt.Anonymous,
		"authenticationRequired": secured, "securityWasEnabled": secured,
	}
	if secured {
		status["allowNewUserRegistration"], status["allowDeviceAccessRequests"] = true, true
		if v := s.requestAccess(r); v.access == accessGranted && v.name != "" {
			status["status"], status["userLevel"], status["username"] = "loggedIn", v.permission, v.name
		}
	}
	return status
}
