package mock

import "time"

// StartTimed starts a server that pings and expels sooner than a real one.
func StartTimed(o Options, ping, expel time.Duration) (*Server, error) {
	return start(o, timing{ping, expel})
}

// CheckLog tells what is wrong with the table of scenarios.
var CheckLog = checkLog
