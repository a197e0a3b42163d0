// Package tools answers a crew's questions from a vessel's state: one file a
// tool, listed in catalog.go. A tool is a pure function of a view of the
// vessel; it opens no socket and parses no delta.
//
// Every answer is a flat JSON object that begins with display, a sentence made
// to be read aloud. Then come the values, converted and rounded as the sentence
// says them, the timestamp of the newest value used, and, when the answer is
// not simply what is now, a status:
//
//	(none)        live
//	stale         the value is older than its limit
//	no_data       the sensor is fitted and has nothing to say now
//	not_fitted    the boat does not report this
//	disconnected  there is no link; what is told is remembered
//	unauthorised  the server refuses us
//
// Values of anything but a live answer carry the prefix last_, so that no
// program takes them for what is now.
//
//	set, err := tools.New(vessel, tools.Options{})
//	result := set.Call("depth_state", nil)
//	result.Display // "3.7 metres below the keel."
//
// Where the words come from: package units knows quantities and signs, link.go
// the state of the connection, speech.go makes foreign text speakable, names.go
// turns paths into words.
package tools
