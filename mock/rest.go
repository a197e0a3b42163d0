package mock

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/gorilla/websocket"
)

const (
	apiV1    = "/signalk/v1/api/"
	apiV2    = "/signalk/v2/api/"
	mimeJSON = "application/json; charset=utf-8"
	mimeHTML = "text/html; charset=utf-8"
)

// serve answers every request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.work.Done()
	s.logRequest(r)

	// Escaped, because a server does not undo %3A in a context's name.
	path := r.URL.EscapedPath()
	if websocket.IsWebSocketUpgrade(r) {
		if strings.TrimSuffix(path, "/") != streamPath {
			// An upgrade elsewhere gets no answer at all.
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		}
		s.serveStream(w, r)
		return
	}
	if s.serveOwn(w, r, path) || s.serveRequest(w, r, path) {
		return
	}
	if s.protected(path) {
		switch s.requestAccess(r).access {
		case accessNone:
			reply(w, http.StatusUnauthorized, mimeHTML, []byte("Unauthorized"))
			return
		case accessRefused:
			reply(w, http.StatusUnauthorized, mimeHTML, []byte("bad auth token"))
			return
		}
	}
	status, mime, body := s.document(r, path)
	reply(w, status, mime, body)
}

func reply(w http.ResponseWriter, status int, mime string, body []byte) {
	w.Header().Set("Content-Type", mime)
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Allow-Credentials", "true")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// document finds what a request asks for.
func (s *Server) document(r *http.Request, path string) (status int, mime string, body []byte) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return notFound(r, path)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if body, ok := s.docs[strings.TrimSuffix(path, "/")]; ok {
		return http.StatusOK, mimeJSON, body
	}
	var found any
	status = http.StatusOK
	switch strings.TrimSuffix(path, "/") {
	case "/signalk":
		found = s.discovery(r)
	case "/signalk/v2/features":
		found = features(s.opt.Version)
	case "/skServer/loginStatus":
		found = s.loginStatus(r)
	case streamPath:
		return http.StatusUpgradeRequired, "text/plain", []byte("Upgrade Required")
	default:
		if rest, ok := strings.CutPrefix(path, apiV1); ok {
			found, ok = s.treeDocument(rest)
			if !ok {
				return notFound(r, path)
			}
		} else if rest, ok := strings.CutPrefix(path, apiV2); ok {
			found, status = s.apiDocument(strings.TrimSuffix(rest, "/"))
		} else {
			status = http.StatusNotFound
		}
		if found == nil && status == http.StatusNotFound {
			return notFound(r, path)
		}
	}
	return status, mimeJSON, mustEncode(found)
}

// page is what Express answers when it has nothing to say.
const page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Error</title>\n</head>\n<body>\n<pre>%s</pre>\n</body>\n</html>\n"

// notFound is the answer for a path that nobody handles.
func notFound(r *http.Request, path string) (int, string, []byte) {
	return http.StatusNotFound, mimeHTML, fmt.Appendf(nil, page, "Cannot "+r.Method+" "+html.EscapeString(path))
}

// failure is the body of an error of the v2 API.
type failure struct {
	State   string `json:"state"`
	Status  int    `json:"statusCode"`
	Message string `json:"message"`
}

func failed(status int, message string) failure { return failure{"FAILED", status, message} }

// discovery names the addresses as the caller sees them: it repeats the
// request's Host header, right or wrong.
func (s *Server) discovery(r *http.Request) any {
	type v1 struct {
		Version string `json:"version"`
		HTTP    string `json:"signalk-http"`
		WS      string `json:"signalk-ws"`
	}
	type server struct {
		ID      string `json:"id"`
		Version string `json:"version"`
	}
	secure := ""
	if s.opt.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		secure = "s"
	}
	return struct {
		Endpoints map[string]v1 `json:"endpoints"`
		Server    server        `json:"server"`
	}{
		map[string]v1{"v1": {s.opt.Version, "http" + secure + "://" + r.Host + apiV1, "ws" + secure + "://" + r.Host + streamPath}},
		server{"signalk-server-node", s.opt.Version},
	}
}

// features lists the APIs of a version, with the plugins that answer here.
func features(version string) any {
	type plugin struct {
		ID      string `json:"id"`
		Name    string `json:"name"`
		Version string `json:"version"`
		Enabled bool   `json:"enabled"`
	}
	apis := []string{"resources", "course", "weather", "autopilot", "radar", "history", "notifications"}
	if version == version232 {
		apis = []string{"resources", "course", "weather", "autopilot", "radar", "ble", "history", "notifications", "sensors"}
	}
	return struct {
		APIs    []string `json:"apis"`
		Plugins []plugin `json:"plugins"`
	}{apis, []plugin{
		{"course-provider", "Course Data provider", "1.4.0", true},
		{"resources-provider", "Resources Provider (built-in)", "1.5.2", true},
	}}
}

// apiDocument answers the v2 API. A nil document with 404 is a path that the
// server does not know.
func (s *Server) apiDocument(path string) (any, int) {
	const course = "vessels/self/navigation/course"
	switch path {
	case course:
		return s.course(), http.StatusOK
	case course + "/calcValues":
		return s.calcValues()
	case "resources":
		return resourceTypes(), http.StatusOK
	case "notifications":
		return s.notifications(), http.StatusOK
	}
	if id, ok := strings.CutPrefix(path, "notifications/"); ok {
		return s.notification(id)
	}
	if rest, ok := strings.CutPrefix(path, "resources/"); ok {
		kind, id, one := strings.Cut(rest, "/")
		return s.resources(kind, id, one)
	}
	return nil, http.StatusNotFound
}

// rawValue is the value that own boat's path has now; null if it has none.
func (s *Server) rawValue(path string) json.RawMessage {
	if r, ok := s.cache.current(s.self, path); ok && len(r.Value) > 0 {
		return r.Value
	}
	return json.RawMessage("null")
}
