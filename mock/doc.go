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
// With Options.Users or Token security is on: logins, tokens and access requests
// go as they do there, and Approve and Deny answer what a device asks. Record
// writes what a real server says to a file, and Options.Replay plays it.
//
// One table of what clients can see (contract_test.go) is run against the mock
// and, with the build tag real, against both servers. These differences are
// meant:
//
//   - It only reads. PUT and DELETE of values are refused as by a server without
//     handlers; the writing half of the v2 API, meta, and the administrator's
//     pages, but for the answer to access requests, are not found (404).
//   - Course and resources are those of the deltas that announce them.
//   - Own boat's name, MMSI and dimensions are taken from Send, as from the
//     settings; from clients never.
//   - Not there: history, weather, autopilots, radars, snapshots, playback, unit
//     preferences, and the parameters serverevents, events and sourcePolicy. A
//     subscribe message's radius is ignored: it matches every context, as
//     relativePosition does on a server.
//   - displayUnits are off unless Options.DisplayUnits asks for them, and are the
//     default preset's.
//   - Answers are not compressed and have no ETag. Logins are not counted.
//   - Descriptions in meta are those of the specification's version 1.8.2; the
//     servers word some otherwise.
//   - Nothing is pruned or timed out: a context stays until it is forgotten.
//   - Who is 16 MB behind is cut at once, besides the server's own rule of 2 MB for
//     30 seconds.
//
// # The vessel
//
// The Vessel is a sloop whose instruments agree with each other: wind and motion,
// depth and offset, current and charge, position, route and bearings. Options.Scenario
// says what happens to her, Options.Faults what breaks, and when:
//
//	s := mock.NewServer(mock.Options{
//		Scenario: mock.LostBottom,
//		Faults:   []mock.Fault{{Kind: mock.FaultDrop, After: time.Minute}},
//	})
//
// Truth is her state without rounding, to compare answers with. The same
// scenario, seed and start give the same bytes on every machine.
//
// # Scripts
//
// Set, Null, Raise and Drop are steps of a test's own script; Break and Mend begin
// and end faults; Send, SendRaw, SetDoc, Stop, Restart and HalfOpen play the rest.
// With Options.NoVessel the server says only what a test gives it. A Simulation
// is the same server in simulated time, without sockets.
//
// # The control endpoint
//
// With Options.Control tests in any language do the same by POST of a JSON object
// of at most 64 kB, as application/json, to /mock/ and the name of a command:
//
//	set       {"path": "environment.depth.belowKeel", "value": 1.2}
//	null      {"path": "environment.depth.belowKeel"}
//	release   {"path": "environment.depth.belowKeel"}    back to the vessel's instrument
//	raise     {"path": "navigation.anchor", "state": "emergency", "message": "Drags"}
//	drop      {}                                         cuts every connection
//	break     {"fault": "null=environment.depth.*+30s"}  see ParseFault
//	mend      {"fault": "null"}                          or {} for all
//	play      {"scenario": "anchor"}                     the server restarts with it
//
// The answer is {"ok":true}, or {"error":"..."} with a status of 4xx. Only this
// machine is served, by a loopback address and name, and no page of another site.
// GET /mock/state is what the page at / shows, for anybody.
package mock
