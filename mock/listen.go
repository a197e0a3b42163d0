package mock

import (
	"net"
	"sync"
	"time"
)

// gate lets traffic through, or holds it: a network that has gone dead without
// telling anybody.
type gate struct {
	mu   sync.Mutex
	open chan struct{} // closed while traffic passes
}

func newGate() *gate {
	g := &gate{open: make(chan struct{})}
	close(g.open)
	return g
}

func (g *gate) isOpen() bool {
	select {
	case <-g.open:
		return true
	default:
		return false
	}
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.isOpen() {
		g.open = make(chan struct{})
	}
}

func (g *gate) lift() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.isOpen() {
		close(g.open)
	}
}

// pass waits until the gate is open or the connection is closed.
func (g *gate) pass(closed <-chan struct{}) error {
	g.mu.Lock()
	open := g.open
	g.mu.Unlock()
	select {
	case <-open:
		return nil
	case <-closed:
		return net.ErrClosed
	}
}

// listener accepts connections that pass a gate and can be cut.
type listener struct {
	net.Listener
	gate *gate

	mu sync.Mutex
	// Guarded by mu.
	conns  map[*gatedConn]struct{}
	closed bool
}

func listen(addr string, g *gate) (*listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &listener{Listener: l, gate: g, conns: map[*gatedConn]struct{}{}}, nil
}

func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &gatedConn{Conn: conn, listener: l, closed: make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	l.conns[c] = struct{}{}
	return c, nil
}

// cut closes every connection as it stands.
func (l *listener) cut() {
	l.mu.Lock()
	conns := make([]*gatedConn, 0, len(l.conns))
	for c := range l.conns {
		conns = append(conns, c)
	}
	l.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
	}
}

// stop ends listening and cuts every connection.
func (l *listener) stop() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	_ = l.Close()
	l.cut()
}

// gatedConn holds what it reads and writes while its gate is shut. A write
// waits as long as the peer does not read: write deadlines are ignored, because
// the queue's limit ends a slow reader.
type gatedConn struct {
	net.Conn
	listener *listener
	closed   chan struct{}
	once     sync.Once
}

func (c *gatedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if gateErr := c.listener.gate.pass(c.closed); gateErr != nil {
		return 0, gateErr
	}
	return n, err
}

func (c *gatedConn) Write(b []byte) (int, error) {
	if err := c.listener.gate.pass(c.closed); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

func (c *gatedConn) SetWriteDeadline(time.Time) error { return nil }

func (c *gatedConn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

func (c *gatedConn) Close() error {
	err := net.ErrClosed
	c.once.Do(func() {
		close(c.closed)
		c.listener.mu.Lock()
		delete(c.listener.conns, c)
		c.listener.mu.Unlock()
		err = c.Conn.Close()
	})
	return err
}
