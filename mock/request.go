package mock

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds of what is asked.
const (
	maxBody      = 1 << 20
	maxAsked     = 1000 // requests whose answer can be asked for again
	maxDevices   = 1000
	maxWord      = 500 // bytes of an id, a description, a path: what is kept
	deviceTerm   = 365 * 24 * time.Hour
	accessSource = "sk-simple-token-security-config"
)

// answer is the server's answer to a request over REST or over the stream. Its
// href can be asked again for how far the request is.
type answer struct {
	State     string           `json:"state"`
	RequestID string           `json:"requestId"`
	Status    int              `json:"statusCode"`
	Message   string           `json:"message,omitempty"`
	Href      string           `json:"href"`
	IP        string           `json:"ip,omitempty"`
	User      *json.RawMessage `json:"user,omitempty"` // the text null for nobody
	Access    *granted         `json:"accessRequest,omitempty"`
}

// granted is the end of an access request.
type granted struct {
	Permission string `json:"permission"` // APPROVED or DENIED
	Token      string `json:"token,omitempty"`
}

func newAnswer(id string, status int, message string) answer {
	if id == "" {
		id = newStartID()
	}
	a := answer{State: "COMPLETED", RequestID: id, Status: status, Message: message, Href: "/signalk/v1/requests/" + id}
	if status == http.StatusAccepted {
		a.State = "PENDING"
	}
	return a
}

// by adds who asked.
func (a answer) by(name string) answer {
	user := json.RawMessage("null")
	if name != "" {
		user = mustEncode(name)
	}
	a.User = &user
	return a
}

// door holds what has been asked and who was let in. Its lock is the innermost.
type door struct {
	mu sync.Mutex
	// Guarded by mu.
	asked   map[string]answer // by request
	order   []string          // of asked
	waiting map[string]wish   // by client
	devices map[string]Permission
}

// wish is an access request that nobody has answered.
type wish struct{ request, description, asked string }

func newDoor() *door {
	return &door{asked: map[string]answer{}, waiting: map[string]wish{}, devices: map[string]Permission{}}
}

func (d *door) device(id string) (Permission, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, has := d.devices[id]
	return p, has
}

// keep remembers an answer. d.mu is held.
func (d *door) keep(a answer) answer {
	if _, has := d.asked[a.RequestID]; !has {
		if len(d.order) >= maxAsked {
			delete(d.asked, d.order[0])
			d.order = slices.Delete(d.order, 0, 1)
		}
		d.order = append(d.order, a.RequestID)
	}
	d.asked[a.RequestID] = a
	return a
}

// accessRequest is what a device asks that wants a token of its own.
type accessRequest struct {
	ClientID    string  `json:"clientId"`
	Description string  `json:"description"`
	Permissions *string `json:"permissions"`
}

// askAccess takes an access request. A new one sounds an alert on board until
// Approve or Deny.
func (s *Server) askAccess(id string, text []byte, ip string) answer {
	var r accessRequest
	_ = json.Unmarshal(text, &r)
	asked := "any"
	bad := r.ClientID == "" || r.Description == "" || len(r.ClientID) > maxWord || len(r.Description) > maxWord
	if r.Permissions != nil {
		asked = *r.Permissions
		bad = bad || len(asked) > maxWord || s.opt.Version == version232 && !Permission(asked).known()
	}
	answerWith := func(status int, message string) answer {
		a := newAnswer(id, status, message).by("")
		a.IP = ip
		return a
	}
	s.door.mu.Lock()
	_, pending := s.door.waiting[r.ClientID]
	var a answer
	switch {
	case bad, len(s.door.waiting) >= maxDevices:
		a = answerWith(http.StatusBadRequest, "")
	case pending:
		a = answerWith(http.StatusBadRequest, fmt.Sprintf("A device with clientId '%s' has already requested access", r.ClientID))
	default:
		a = answerWith(http.StatusAccepted, "")
		s.door.waiting[r.ClientID] = wish{a.RequestID, r.Description, asked}
	}
	s.door.keep(a)
	s.door.mu.Unlock()
	if a.Status == http.StatusAccepted {
		s.announceAccess(r.ClientID, asked, "alert", []string{"visual", "sound"},
			fmt.Sprintf(`The device "%s" has requested access to the server`, r.Description))
	}
	return a
}

func (s *Server) announceAccess(client, asked, state string, method []string, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.publish(delta{Updates: []update{{Source: accessSource, Values: []pathValue{{
		Path: "notifications.security.accessRequest." + asked + "." + client,
		Value: mustEncode(struct {
			State     string   `json:"state"`
			Method    []string `json:"method"`
			Message   string   `json:"message"`
			Timestamp string   `json:"timestamp"`
		}{state, method, message, stamp(s.now())}),
	}}}}})
}

// Approve answers a device's access request: the device gets a token that is good
// for a year. The error is for a client that has not asked, and for a permission
// that is none.
func (s *Server) Approve(client string, p Permission) error {
	if !p.known() {
		return fmt.Errorf("approve %s: %q is neither %s, %s nor %s", client, p, ReadOnly, ReadWrite, Admin)
	}
	now := s.opt.Now()
	token := s.token(claims{Device: client, Issued: now.Unix(), Expires: now.Add(deviceTerm).Unix()})
	return s.settle(client, p, granted{"APPROVED", token})
}

// Deny answers a device's access request with no. An earlier token of the device
// stays good.
func (s *Server) Deny(client string) error { return s.settle(client, "", granted{"DENIED", ""}) }

func (s *Server) settle(client string, p Permission, g granted) error {
	s.door.mu.Lock()
	w, has := s.door.waiting[client]
	full := len(s.door.devices) >= maxDevices && p != ""
	if has && !full {
		delete(s.door.waiting, client)
		a := s.door.asked[w.request]
		a.State, a.Status, a.Access = "COMPLETED", http.StatusOK, &g
		s.door.keep(a)
		if p != "" {
			s.door.devices[client] = p
		}
	}
	s.door.mu.Unlock()
	switch {
	case !has:
		return fmt.Errorf("client %q has not asked for access", client)
	case full:
		return fmt.Errorf("client %q is one device too many", client)
	}
	message := fmt.Sprintf(`The device "%s" has been %s`, w.description, strings.ToLower(g.Permission))
	s.announceAccess(client, w.asked, "normal", []string{}, message)
	return nil
}

// Waiting lists the clients whose access request has not been answered.
func (s *Server) Waiting() []string {
	s.door.mu.Lock()
	defer s.door.mu.Unlock()
	return sortedKeys(s.door.waiting)
}

// login checks a name and password. It gives a token, or none.
func (s *Server) login(text []byte) (token string) {
	var c struct{ Username, Password string }
	_ = json.Unmarshal(text, &c)
	if u, has := s.opt.Users[c.Username]; has && u.Password == c.Password {
		token = s.NewToken(c.Username, 0)
	}
	return token
}

// loginResult is what a login gives.
func (s *Server) loginResult(token string) any {
	switch {
	case token == "":
		return struct{}{}
	case s.opt.Version == version223:
		return struct {
			Token string `json:"token"`
		}{token}
	}
	return struct {
		TimeToLive *int   `json:"timeToLive"` // of a token that lasts for ever
		Token      string `json:"token"`
	}{nil, token}
}

// isJSON tells whether a request's body is what the server takes for JSON:
// 2.23.0 wants the bare type for a login.
func (s *Server) isJSON(r *http.Request) bool {
	contentType := r.Header.Get("Content-Type")
	if s.opt.Version == version223 {
		return contentType == "application/json"
	}
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/json"
}

const mimeText = "text/plain; charset=utf-8"

// serveRequest answers what is no reading: logins, access requests, their
// progress, and writes, of which none is taken. ok is false for the rest.
func (s *Server) serveRequest(w http.ResponseWriter, r *http.Request, path string) (ok bool) {
	const (
		requests = "/signalk/v1/requests/"
		answers  = "/skServer/security/access/requests/"
	)
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		reply(w, http.StatusRequestEntityTooLarge, mimeText, []byte("request entity too large"))
		return true
	}
	switch client, isAnswer := strings.CutPrefix(path, answers); {
	case r.Method == http.MethodOptions: // a browser's question before another
		w.Header().Set("Access-Control-Allow-Methods", "GET,HEAD,PUT,PATCH,POST,DELETE")
		w.Header().Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
		reply(w, http.StatusNoContent, mimeText, nil)
	case r.Method == http.MethodGet && strings.HasPrefix(path, requests):
		s.replyProgress(w, strings.TrimPrefix(path, requests))
	case r.Method == http.MethodPost && path == "/signalk/v1/access/requests":
		s.replyAccess(w, r, text)
	case !s.opt.secured():
		return s.replyWrite(w, r, path)
	case r.Method == http.MethodPost && path == "/signalk/v1/auth/login":
		s.replyLogin(w, r, text)
	case r.Method == http.MethodPut && path == "/signalk/v1/auth/logout":
		http.SetCookie(w, &http.Cookie{Name: "JAUTHENTICATION", Path: "/", Expires: time.Unix(0, 0)})
		reply(w, http.StatusOK, mimeJSON, []byte(`"Logout OK"`))
	case r.Method == http.MethodPut && isAnswer:
		s.replyAnswer(w, r, client, text)
	default:
		return s.replyWrite(w, r, path)
	}
	return true
}

func (s *Server) replyProgress(w http.ResponseWriter, id string) {
	s.door.mu.Lock()
	a, has := s.door.asked[id]
	s.door.mu.Unlock()
	if !has {
		reply(w, http.StatusInternalServerError, mimeText, []byte("Unable to check request: not found"))
		return
	}
	reply(w, http.StatusOK, mimeJSON, mustEncode(a))
}

func (s *Server) replyAccess(w http.ResponseWriter, r *http.Request, text []byte) {
	switch {
	case !s.opt.secured() && s.opt.Version == version223:
		text := fmt.Appendf(nil, page, "app.securityStrategy.requestAccess is not a function")
		reply(w, http.StatusInternalServerError, mimeHTML, text)
	case !s.opt.secured():
		const none = `{"message":"Access requests not available. Server security is not enabled."}`
		reply(w, http.StatusNotFound, mimeJSON, []byte(none))
	default:
		a := s.askAccess("", text, sourceIP(r))
		reply(w, a.Status, mimeJSON, mustEncode(a))
	}
}

// sourceIP is an address as a server on all addresses sees it.
func sourceIP(r *http.Request) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	if ip := net.ParseIP(host); ip != nil && ip.To4() != nil {
		return "::ffff:" + host
	}
	return host
}

func (s *Server) replyLogin(w http.ResponseWriter, r *http.Request, text []byte) {
	if !s.isJSON(r) {
		w.Header().Set("Location", "/")
		reply(w, http.StatusFound, mimeText, []byte("Found. Redirecting to /"))
		return
	}
	token := s.login(text)
	if token == "" {
		reply(w, http.StatusUnauthorized, mimeJSON, []byte(`{"statusCode":401,"message":"Invalid username/password"}`))
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: "JAUTHENTICATION", Value: token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	reply(w, http.StatusOK, mimeJSON, mustEncode(s.loginResult(token)))
}

// replyAnswer is an administrator's answer to an access request.
func (s *Server) replyAnswer(w http.ResponseWriter, r *http.Request, path string, text []byte) {
	client, verdict, _ := strings.Cut(path, "/")
	if v := s.requestAccess(r); v.access != accessGranted || v.permission != Admin {
		forbid(w, r)
		return
	}
	var body struct{ Permissions Permission }
	_ = json.Unmarshal(text, &body)
	var err error
	switch verdict {
	case "approved":
		if body.Permissions == "" {
			body.Permissions = ReadOnly
		}
		err = s.Approve(client, body.Permissions)
	case "denied":
		err = s.Deny(client)
	default:
		err = fmt.Errorf("no answer %q", verdict)
	}
	if err != nil {
		reply(w, http.StatusInternalServerError, mimeText, []byte("Unable update request"))
		return
	}
	reply(w, http.StatusOK, mimeText, []byte("Request updated"))
}

// forbid refuses what a visitor may not do.
func forbid(w http.ResponseWriter, r *http.Request) {
	if accept := r.Header.Get("Accept"); strings.Contains(accept, "json") && !strings.Contains(accept, "*/*") {
		reply(w, http.StatusUnauthorized, mimeJSON, []byte(`{"error":"Permission Denied"}`))
		return
	}
	const page = "You do not have permission to view this resource, <a href='/admin/#/login'>Please Login</a>"
	reply(w, http.StatusUnauthorized, mimeText, []byte(page))
}

// replyWrite answers an attempt to change something: nobody here handles it.
func (s *Server) replyWrite(w http.ResponseWriter, r *http.Request, path string) (ok bool) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || !s.protected(path) {
		return false
	}
	v := s.requestAccess(r)
	if v.access != accessGranted {
		return false // the reader of tokens refuses it
	}
	if !v.mayWrite() {
		forbid(w, r)
		return true
	}
	rest, self := strings.CutPrefix(path, apiV1+"vessels/self/")
	if !self || r.Method != http.MethodPut && r.Method != http.MethodDelete {
		return false
	}
	a := s.refuseWrite("", r.Method, strings.ReplaceAll(rest, "/", "."), v)
	reply(w, a.Status, mimeJSON, mustEncode(a))
	return true
}

// refuseWrite answers a PUT or DELETE of a value.
func (s *Server) refuseWrite(id, method, path string, v visitor) answer {
	a := newAnswer(id, http.StatusMethodNotAllowed, method+" not supported for "+path[:min(len(path), maxWord)])
	if !v.mayWrite() {
		a = newAnswer(id, http.StatusForbidden, "")
	}
	if v.name != "" {
		a = a.by(v.name)
	}
	s.door.mu.Lock()
	defer s.door.mu.Unlock()
	return s.door.keep(a)
}

// streamRequest is a request over the stream.
type streamRequest struct {
	RequestID string          `json:"requestId"`
	Login     json.RawMessage `json:"login"`
	Access    json.RawMessage `json:"accessRequest"`
	Put       *struct{ Path string }
	Delete    *struct{ Path string }
}

// answerRequest answers a request over the stream, if there is one in text. No
// lock is held.
func (s *Server) answerRequest(c *client, text []byte) {
	var r streamRequest
	if json.Unmarshal(text, &r) != nil || r.RequestID == "" || len(r.RequestID) > maxWord {
		return
	}
	s.mu.Lock()
	v := c.who
	s.mu.Unlock()
	switch secured := s.opt.secured(); {
	case r.Login != nil && secured:
		s.loginStream(c, r)
	case r.Access != nil && secured:
		c.push(mustEncode(s.askAccess(r.RequestID, r.Access, c.ip)))
	case r.Put != nil:
		c.push(mustEncode(s.refuseWrite(r.RequestID, http.MethodPut, r.Put.Path, v)))
	case r.Delete != nil:
		c.push(mustEncode(s.refuseWrite(r.RequestID, http.MethodDelete, r.Delete.Path, v)))
	}
}

// loginStream lets a client in over its stream.
func (s *Server) loginStream(c *client, r streamRequest) {
	status, token := http.StatusUnauthorized, s.login(r.Login)
	s.mu.Lock()
	defer s.mu.Unlock()
	if token != "" {
		status = http.StatusOK
		c.token, c.who, c.allowed = token, s.judge(token), true
	}
	c.push(mustEncode(struct {
		RequestID string `json:"requestId"`
		State     string `json:"state"`
		Status    int    `json:"statusCode"`
		Login     any    `json:"login"`
	}{r.RequestID, "COMPLETED", status, s.loginResult(token)}))
}
