package mock

import (
	"fmt"
	"slices"
	"time"
)

// StartTimed starts a server that pings and expels sooner than a real one.
func StartTimed(o Options, ping, expel time.Duration) (*Server, error) {
	return start(o, timing{ping, expel})
}

// CheckLog tells what is wrong with the table of scenarios.
func CheckLog() error {
	for _, s := range scenarios {
		if !slices.IsSortedFunc(s.log, func(a, b entry) int { return int(a.second() - b.second()) }) {
			return fmt.Errorf("%s: the log is not in order", s.name)
		}
		for _, e := range s.log {
			if time.Duration(e.second())*time.Second > time.Hour || e.says == "" || len(e.do) == 0 {
				return fmt.Errorf("%s: entry %s", s.name, e.at)
			}
		}
	}
	return nil
}
