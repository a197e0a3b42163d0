package main

import (
	"context"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"
)

// fault is what a failing network or server does to a connection.
type fault string

// The faults, one after the other.
const (
	noFault      fault = ""
	cut          fault = "cut"          // the connection is closed without an answer
	unavailable  fault = "unavailable"  // HTTP 503
	mute         fault = "mute"         // no answer, and no end
	garbage      fault = "garbage"      // an answer that is no JSON
	unauthorised fault = "unauthorised" // HTTP 401
)

var faults = []fault{cut, unavailable, mute, garbage, unauthorised}

// replies are what a fault writes before it closes the connection.
var replies = map[fault]string{
	unavailable:  "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/html\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
	garbage:      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\nConnection: close\r\n\r\n<html>\x00\x01{{[[",
	unauthorised: "HTTP/1.1 401 Unauthorized\r\nContent-Type: text/html\r\nContent-Length: 12\r\nConnection: close\r\n\r\nUnauthorized",
}

// breaker stands in front of a Signal K server and breaks its connections when
// told to. It forwards bytes, HTTP and WebSocket alike.
type breaker struct {
	URL      string
	target   string
	listener net.Listener
	wait     sync.WaitGroup

	mu    sync.Mutex
	fault fault
	open  map[net.Conn]bool
}

func newBreaker(server string) (*breaker, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "http" || u.Host == "" {
		return nil, usageError("-fail needs a server on http://HOST:PORT")
	}
	target := u.Host
	if u.Port() == "" {
		target = net.JoinHostPort(u.Hostname(), "80")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &breaker{URL: "http://" + l.Addr().String(), target: target, listener: l, open: map[net.Conn]bool{}}
	b.wait.Go(b.accept)
	return b, nil
}

func (b *breaker) accept() {
	for {
		conn, err := b.listener.Accept()
		if err != nil {
			return
		}
		b.wait.Go(func() { b.serve(conn) })
	}
}

// set begins a fault, or ends it with noFault. What is open is cut.
func (b *breaker) set(f fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fault = f
	for conn := range b.open {
		conn.Close()
	}
}

// keep notes an open connection, so that a fault can cut it.
func (b *breaker) keep(conn net.Conn) (f fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[conn] = true
	return b.fault
}

func (b *breaker) drop(conn net.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, conn)
	conn.Close()
}

func (b *breaker) serve(client net.Conn) {
	f := b.keep(client)
	defer b.drop(client)
	switch f {
	case noFault:
	case mute:
		_, _ = io.Copy(io.Discard, client) // until the client, or the fault's end, closes it
		return
	default:
		_ = client.SetReadDeadline(time.Now().Add(time.Second))
		_, _ = client.Read(make([]byte, 4<<10)) // the request: an answer before it would be lost
		_, _ = io.Copy(client, strings.NewReader(replies[f]))
		return
	}
	server, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(context.Background(), "tcp", b.target)
	if err != nil {
		return
	}
	if b.keep(server) != noFault {
		b.drop(server)
		return
	}
	defer b.drop(server)
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(client, server)
		client.Close()
		server.Close()
	})
	_, _ = io.Copy(server, client)
	server.Close()
	back.Wait()
}

// close ends listening and every connection, and waits for what was started.
func (b *breaker) close() {
	b.listener.Close()
	b.set(cut)
	b.wait.Wait()
}
