package mock

import (
	"fmt"
	"net"
	"net/http"
	"time"
)

// Simulation is a Server in simulated time, with one client: without sockets,
// goroutines or clock, so that ten minutes pass in milliseconds and the same
// options give the same bytes. It is for one goroutine.
type Simulation struct {
	server *Server
	client *client
	time   time.Time
	frozen time.Time // since when nothing has come; zero while the link is good
}

// Event is what a client of a Simulation notices.
type Event struct {
	Kind EventKind
	Text []byte // of a frame
}

// EventKind tells events apart.
type EventKind string

// The kinds of events. The first frame after EventOpened is the hello.
const (
	EventOpened  EventKind = "opened"
	EventFrame   EventKind = "frame"
	EventLost    EventKind = "lost"    // the connection is gone, or nobody answers
	EventRefused EventKind = "refused" // the server does not let the client in
)

// deadAfter is how long a client of a Simulation bears a connection over which
// nothing comes, not even a pong.
const deadAfter = 25 * time.Second

// NewSimulation makes one. Of the options, those of address and speed do nothing.
func NewSimulation(o Options) (*Simulation, error) {
	x := &Simulation{}
	if o.Start.IsZero() {
		o.Start = time.Now()
	}
	x.time = o.Start
	o.Speed, o.Now = 1, func() time.Time { return x.time }
	o, err := o.fill()
	if err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	x.server = prepare(o, realTiming)
	x.server.simulated = true
	x.server.nowhere()
	return x, nil
}

// Server is the server, to script it.
func (x *Simulation) Server() *Server { return x.server }

// Time is the server's.
func (x *Simulation) Time() time.Time { return x.time }

// Step moves the time on, by whole seconds, and returns what the client notices:
// it asks for everything of every vessel, and when it has no connection, tries
// once.
func (x *Simulation) Step(d time.Duration) []Event {
	x.time = x.time.Add(d.Truncate(time.Second))
	x.server.tick()
	return x.look()
}

// look is what the client notices without time passing.
func (x *Simulation) look() (events []Event) {
	x.server.mu.Lock()
	frozen, stopped := x.server.frozen, x.server.listener == nil
	x.server.mu.Unlock()
	if !frozen {
		x.frozen = time.Time{}
	} else if x.frozen.IsZero() {
		x.frozen = x.time
	}
	if x.client != nil && (gone(x.client) || frozen && x.time.Sub(x.frozen) >= deadAfter) {
		x.server.part(x.client)
		x.client = nil
		events = append(events, Event{Kind: EventLost})
	}
	switch {
	case x.client != nil && frozen:
		return nil
	case x.client != nil:
	case x.server.expired.Load():
		return append(events, Event{Kind: EventRefused})
	case stopped || frozen:
		return append(events, Event{Kind: EventLost})
	default:
		x.client = &client{
			gone: make(chan struct{}), wake: make(chan struct{}, 1), allowed: true,
			live: "all", cached: true, sendMeta: true, sentMeta: map[string]bool{},
		}
		x.server.join(x.client)
		events = append(events, Event{Kind: EventOpened})
	}
	frames, _ := x.client.take()
	for _, text := range frames {
		events = append(events, Event{EventFrame, text})
	}
	return events
}

func gone(c *client) bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// Open is what the client notices before the first Step.
func (x *Simulation) Open() []Event { return x.look() }

// nowhere is where a server in a Simulation listens. s.mu is held.
func (s *Server) nowhere() {
	s.listener = &listener{Listener: noListener{}, gate: s.gate}
	s.http = &http.Server{}
	s.startID = ""
	if s.opt.Version == version232 {
		s.startID = formatUUID(s.ids.rng.Uint64(), s.ids.rng.Uint64())
	}
}

type noListener struct{ net.Listener }

func (noListener) Close() error { return nil }
