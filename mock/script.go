package mock

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Bounds of what a script leaves behind.
const (
	maxRaw      = 1000
	maxDocs     = 1000
	maxRequests = 2000
	maxLogEntry = 2048
)

// Send publishes deltas as if providers had sent them: a Delta, anything that
// marshals to one, or its JSON text as string, []byte or json.RawMessage. They
// are kept and sent to whoever subscribed. What a server changes, is changed: a
// delta without a context is own boat's, one without a time or a source gets
// them, a notification gets its id, and null on a notification becomes the
// state normal. For a frame that no server makes, see SendRaw.
//
// The error is for what is not a delta; nothing of it or after it is sent.
func (s *Server) Send(deltas ...any) error {
	for _, v := range deltas {
		d, err := decodeDelta(v)
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.publish(d)
		s.mu.Unlock()
	}
	return nil
}

// Set makes own boat's path have a value. Where an instrument of the vessel has
// that path, it is the one that says so from now on, until Release; any other is
// published once, from DefaultSource.
func (s *Server) Set(path string, value any) error {
	text, err := encode(value)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	s.mu.Lock()
	in, has := s.instruments[path]
	if has {
		s.held[path] = json.RawMessage(text)
	}
	s.mu.Unlock()
	return s.Send(Delta{Updates: []Update{{Origin: in.origin, Source: in.source, Values: []PathValue{{path, json.RawMessage(text)}}}}})
}

// Null is Set with null: own boat's path has no value now.
func (s *Server) Null(path string) error { return s.Set(path, nil) }

// Release gives a path back to the vessel's instrument.
func (s *Server) Release(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, path)
}

// Raise puts own boat's notification ("navigation.anchor") into a state: alert,
// warn, alarm or emergency, or normal, which clears it.
func (s *Server) Raise(path, state, message string) error {
	method := []string{"visual", "sound"}
	if state == "normal" || state == "nominal" {
		method = []string{}
	}
	return s.Set("notifications."+path, noticeValue{state, method, message})
}

// SendRaw sends a frame as it stands, JSON or not, to every client that has
// subscribed to anything, and tells it to each later one after the cached
// values. It changes nothing in the server. The last thousand are kept.
func (s *Server) SendRaw(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.raw) >= maxRaw {
		s.raw = slices.Delete(s.raw, 0, 1)
	}
	s.raw = append(s.raw, text)
	for _, c := range s.clients {
		if c.told {
			c.push([]byte(text))
		}
	}
}

// SetDoc answers GET on a path ("/signalk/v2/api/resources/routes") with body
// from now on: JSON text as string, []byte or json.RawMessage, sent as it
// stands, or a Go value. A nil body takes that back. Tokens are still checked.
func (s *Server) SetDoc(path string, body any) error {
	var text []byte
	switch body := body.(type) {
	case nil:
	case string:
		text = []byte(body)
	case []byte:
		text = slices.Clone(body)
	case json.RawMessage:
		text = slices.Clone(body)
	default:
		var err error
		if text, err = encode(body); err != nil {
			return fmt.Errorf("document %s: %w", path, err)
		}
	}
	path = strings.TrimSuffix(path, "/")
	s.mu.Lock()
	defer s.mu.Unlock()
	switch _, has := s.docs[path]; {
	case body == nil:
		delete(s.docs, path)
	case !has && len(s.docs) >= maxDocs:
		return fmt.Errorf("document %s: more than %d", path, maxDocs)
	default:
		s.docs[path] = text
	}
	return nil
}

// Drop cuts every connection without a close frame. New ones are served.
func (s *Server) Drop() {
	s.mu.Lock()
	l := s.listener
	s.disconnect()
	s.mu.Unlock()
	if l != nil {
		l.cut()
	}
}

// disconnect ends every stream connection, so that none is counted any more.
// s.mu is held.
func (s *Server) disconnect() {
	for _, c := range s.clients {
		c.unsubscribe()
		c.leave()
	}
	s.clients = nil
}

// Stop ends listening and cuts every connection, as the end of the server's
// process does. The vessel sails on and the memory stays.
func (s *Server) Stop() {
	s.mu.Lock()
	l, server, silence := s.listener, s.http, s.silence
	s.listener, s.http, s.silence = nil, nil, nil
	s.disconnect()
	s.mu.Unlock()
	if silence != nil {
		silence()
	}
	if l != nil {
		l.stop()
		_ = server.Close()
	}
}

// Restart listens again on the same port, after a Stop of its own if there was
// none, with a new serverStartId. With forget the server remembers nothing of
// before, like a new process; a vessel then says everything again at once.
// Documents of SetDoc stay.
func (s *Server) Restart(forget bool) error {
	s.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("restart: %w", http.ErrServerClosed)
	}
	if forget {
		s.forget()
		if s.vessel != nil {
			s.publishAll(s.onBus(s.vessel.all()))
		}
	}
	if s.listener != nil {
		return nil // another Restart was faster
	}
	return s.open()
}

// HalfOpen makes the network dead: connections stay open, but nothing goes in
// or out any more, no pong either, and new ones hang.
func (s *Server) HalfOpen() { s.freeze(true) }

// Thaw ends HalfOpen. What was held is delivered, as far as it fitted in the
// queues.
func (s *Server) Thaw() { s.freeze(false) }

func (s *Server) freeze(frozen bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frozen = frozen
	for _, c := range s.clients {
		c.mu.Lock()
		c.frozen = frozen
		c.mu.Unlock()
	}
	if frozen {
		s.gate.shut()
	} else {
		s.gate.lift()
	}
}

// Now is the server's time, which is the vessel's.
func (s *Server) Now() time.Time { return s.now() }

// Clients is how many stream connections there are.
func (s *Server) Clients() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.clients)
}

// Truth is the state of the vessel: what its instruments would say without
// rounding. With NoVessel it is the zero Truth.
func (s *Server) Truth() Truth {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.vessel == nil {
		return Truth{}
	}
	return s.vessel.Truth()
}

// Requests returns what clients have asked so far: "GET /path?query" with
// " [Authorization header]" if there was one, and "WS text" for a message on a
// stream. The last two thousand are kept, each cut to two kilobytes.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) logRequest(r *http.Request) {
	entry := r.Method + " " + r.RequestURI
	if a := r.Header.Get("Authorization"); a != "" {
		entry += " [" + a + "]"
	}
	s.log(entry)
}

func (s *Server) log(entry string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) >= maxRequests {
		s.requests = slices.Delete(s.requests, 0, 1)
	}
	s.requests = append(s.requests, entry[:min(len(entry), maxLogEntry)])
}
