package tools

import (
	"strings"

	"signalk-mcp/signalk"
	"signalk-mcp/units"
)

// linkWords says how the connection stands, as a sentence without its end.
func (q query) linkWords() string {
	l := q.Link()
	server := "the Signal K server"
	if l.Server != "" {
		server += " at " + spokenAddress(l.Server)
	}
	since := units.Age(q.Now.Sub(l.Since))
	switch l.State {
	case signalk.Connecting:
		return "not connected to " + server + " yet"
	case signalk.Waiting:
		if _, flows := q.Quiet(); flows {
			return "just connected to " + server + ", and its data is still coming in"
		}
		return "connected to " + server + ", which has sent no data for " + since
	case signalk.Refused:
		return server + " has refused access for " + since + ": " + foreign(dotted(l.Reason), maxReasonSaid) + "; signalk-mcp login gets a new token"
	}
	return "no connection to " + server + " for " + since + ": " + foreign(dotted(l.Reason), maxReasonSaid)
}

// offline gives the status of answers without a live link.
func (q query) offline() string {
	if q.Link().State == signalk.Refused {
		return Unauthorised
	}
	return Disconnected
}

// unreachable is the answer when there is no link and nothing is remembered.
func (q query) unreachable(values object) Result {
	r := Result{Display: sentence(q.linkWords()), Status: q.offline(), IsError: true, values: values}
	r.values.text("server", q.Link().Server)
	return r
}

const (
	maxAddressSaid = 80  // runes
	maxReasonSaid  = 160 // of a reason, which are our own words but for a name
)

// spokenAddress says a server's address: "boat dot local port 3000", "192 dot 168
// dot 1 dot 5 port 3000".
func spokenAddress(host string) string {
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:i] + " port " + host[i+1:]
	}
	return foreign(strings.NewReplacer(".", " dot ", ":", " ", "[", "", "]", "").Replace(host), maxAddressSaid)
}
