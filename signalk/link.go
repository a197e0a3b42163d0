package signalk

import "time"

// LinkState is how the connection to the server stands.
type LinkState uint8

// The states of a link.
const (
	Connecting LinkState = iota // not yet tried to the end
	Waiting                     // the server said hello, and has not told all it knows
	Live                        // it has: what comes now is news
	Down                        // no connection
	Refused                     // the server is there and does not let us in
)

// Link is the state of the connection, for people.
type Link struct {
	State LinkState
	// Since is when this state began.
	Since time.Time
	// Server is the address as the owner gave it, without secrets.
	Server string
	// Reason says why there is no connection: "connection refused".
	Reason string
}

// Up reports whether what is known is what the server says now.
func (l Link) Up() bool { return l.State == Live }

// deaf is for how long a connection can be without a sign of life: its reads end
// before that.
const deaf = silence + 10*time.Second

// alive notes a sign of life of the server: a frame, or a pong.
func (v *Vessel) alive() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.aliveAt = v.now()
}

// setLink changes the state. A state that goes on keeps its beginning, and the
// server's address is kept throughout.
func (v *Vessel) setLink(l Link) {
	l.Server = v.link.Server
	l.Since = v.now()
	if l.State == v.link.State {
		l.Since = v.link.Since
	}
	v.link = l
}

// SetServer names the server in what is told of the link.
func (v *Vessel) SetServer(address string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.link.Server = address
}

// connection is the number of the present connection.
func (v *Vessel) connection() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.conn
}

// silent reports whether a hello came and no value of the own vessel after it.
func (v *Vessel) silent() bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.link.State == Waiting && v.dataAt.IsZero()
}

// Lost tells that there is no connection, or that the server refuses us.
func (v *Vessel) Lost(refused bool, reason string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	state := Down
	if refused {
		state = Refused
	}
	v.setLink(Link{State: state, Reason: reason})
	v.settle()
}
