package mock

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// Play starts another scenario: the server restarts, remembers nothing, and the
// vessel is where the scenario begins.
func (s *Server) Play(name Scenario) error {
	if _, err := name.find(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.vessel != nil {
		s.vessel = newVessel(name, s.opt.Seed, s.now(), s.opt.Self, s.opt.Version)
		clear(s.held)
		clear(s.instruments)
	}
	s.mu.Unlock()
	return s.Restart(true)
}

// ownPrefix is where the mock's own documents are; no real server has them.
const ownPrefix = "/mock/"

// serveOwn answers the page and the control endpoint; false is for what is not
// theirs.
func (s *Server) serveOwn(w http.ResponseWriter, r *http.Request, path string) bool {
	switch command, own := strings.CutPrefix(path, ownPrefix); {
	case path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		servePage(w)
	case !own:
		return false
	case command == "state" && r.Method == http.MethodGet:
		sendJSON(w, http.StatusOK, s.state())
	default:
		status, err := s.control(r, command)
		if err != nil {
			sendJSON(w, status, map[string]string{"error": err.Error()})
		} else {
			sendJSON(w, status, map[string]bool{"ok": true})
		}
	}
	return true
}

// sendJSON sends JSON that no other site's script may read.
func sendJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", mimeJSON)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	text := mustEncode(body)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text)
	_ = http.NewResponseController(w).Flush() // whole, before a command cuts the connection
}

// maxCommand is how long the body of a command may be.
const maxCommand = 64 << 10

// control carries out one command of the control endpoint, and gives the status
// of the answer.
func (s *Server) control(r *http.Request, command string) (int, error) {
	switch {
	case !s.opt.Control:
		return http.StatusNotFound, errors.New("the control endpoint is off; it is an option of the mock (-control)")
	case !fromHere(r):
		return http.StatusForbidden, errors.New("the control endpoint is for this machine alone, by a loopback address")
	case r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, errors.New("commands are sent by POST")
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return http.StatusUnsupportedMediaType, errors.New("commands are sent as application/json")
	}
	var c struct {
		Path     string
		Value    json.RawMessage
		State    string
		Message  string
		Fault    string
		Scenario Scenario
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxCommand+1))
	switch {
	case err != nil:
		return http.StatusBadRequest, err
	case len(body) > maxCommand:
		return http.StatusRequestEntityTooLarge, fmt.Errorf("the command is longer than %d bytes", maxCommand)
	}
	if err := json.Unmarshal(body, &c); err != nil && len(body) > 0 {
		return http.StatusBadRequest, fmt.Errorf("the command is no JSON object: %w", err)
	}
	needs := func(name, value string) error {
		if value == "" {
			return fmt.Errorf("%s needs %q", command, name)
		}
		return nil
	}
	switch command {
	case "set":
		if err = needs("path", c.Path); err == nil {
			err = needs("value", string(c.Value))
		}
		if err == nil {
			err = s.Set(c.Path, c.Value)
		}
	case "null":
		if err = needs("path", c.Path); err == nil {
			err = s.Null(c.Path)
		}
	case "release":
		s.Release(c.Path)
	case "raise":
		if err = errors.Join(needs("path", c.Path), needs("state", c.State)); err == nil {
			err = s.Raise(c.Path, c.State, c.Message)
		}
	case "drop":
		// After the answer, which goes by one of the connections.
		s.work.Go(func() { <-r.Context().Done(); s.Drop() })
	case "break":
		var f Fault
		if f, err = ParseFault(c.Fault); err == nil && f.For == 0 && (f.Kind == FaultRefuse || f.Kind == FaultHalfOpen) {
			err = fmt.Errorf("%s cuts the control endpoint off too: give it an end, as in %s+30s", f.Kind, f)
		}
		if err == nil {
			err = s.Break(f)
		}
	case "mend":
		s.Mend(FaultKind(c.Fault))
	case "play":
		if _, err = c.Scenario.find(); err == nil {
			s.work.Go(func() { <-r.Context().Done(); _ = s.Play(c.Scenario) })
		}
	default:
		return http.StatusNotFound, fmt.Errorf("no command %q; they are set, null, release, raise, drop, break, mend and play", command)
	}
	if err != nil {
		return http.StatusBadRequest, err
	}
	return http.StatusOK, nil
}

// fromHere reports whether a request comes from this machine, and from no page of
// another site: its address, the name it asked for and the site it comes from
// are loopback's.
func fromHere(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !loopback(host) {
		return false
	}
	name := r.Host
	if h, _, err := net.SplitHostPort(name); err == nil {
		name = h
	}
	if !loopback(strings.Trim(name, "[]")) {
		return false
	}
	origin := r.Header.Get("Origin")
	return origin == "" || origin == "http://"+r.Host || origin == "https://"+r.Host
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
