package mock

import (
	"net/http"
	"strings"
)

// access is what a request's token opens. It is that of a server with security
// on and allow_readonly off; without Options.Token everything is open.
type access int

const (
	accessGranted access = iota
	accessNone           // no token
	accessRefused        // a token, but not ours: worse than none
)

func (s *Server) judge(token string) access {
	switch {
	case s.expired.Load() && token != "":
		return accessRefused
	case s.expired.Load():
		return accessNone
	case s.opt.Token == "" || token == s.opt.Token:
		return accessGranted
	case token == "":
		return accessNone
	}
	return accessRefused
}

func (s *Server) requestAccess(r *http.Request) access { return s.judge(requestToken(r)) }

// streamAccess is the access of an upgrade: a stream is opened without a token
// too, and then stays mute.
func (s *Server) streamAccess(r *http.Request) access { return s.judge(streamToken(r)) }

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

// tokenFault is the server's word for a token that is not its own.
func tokenFault(token string) string {
	if strings.Count(token, ".") != 2 {
		return "jwt malformed"
	}
	return "invalid signature"
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
