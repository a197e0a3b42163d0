// Package mock is a Signal K server with a vessel of its own, for tests and for
// a laptop without a boat.
//
// A Server is real HTTP and WebSocket on a loopback port, as in httptest:
//
//	s := mock.NewServer(mock.Options{})
//	defer s.Close()
//	client.Dial(s.URL)
//
// It behaves as signalk-server 2.23.0 or 2.32.0 was measured to behave, their
// oddities included: cached values with old timestamps, error texts as bare JSON
// strings, an unsubscribe that ends the connection, minPeriod that drops the last
// value. It writes its own JSON and shares no code with the project's client, so
// that one mistake cannot hide in both ends.
//
// Data goes one way:
//
//	Vessel.Step ─┐
//	Server.Send ─┼─> publish ─> cache ─> REST answers, cached values
//	a client    ─┘      └─────> queues of the subscribers ─> sockets
//
// The cache holds the last value of every context, path and source, and is all
// that answers come from. One lock guards it and the list of subscribers; nobody
// who holds it waits for a socket. A subscriber that does not read is cut when
// its queue is full.
//
// The Vessel is a sloop under way in the Gulf of Finland. Her instruments agree
// with each other: wind and motion, depth and offset, current and charge,
// position, route and bearings. Truth is her state without rounding. With
// Options.NoVessel the server says only what a test gives it, and the methods
// Send, SendRaw, SetDoc, Drop, Stop, Restart and HalfOpen play the rest.
package mock
