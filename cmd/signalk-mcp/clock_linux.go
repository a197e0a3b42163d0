package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// ageClock is the clock by which readings age.
func ageClock() func() time.Time {
	sinceBoot := func() time.Duration {
		var t unix.Timespec
		if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
			return 0 // Linux has had it since 2.6.39
		}
		return time.Duration(t.Nano())
	}
	if sinceBoot() == 0 {
		return time.Now
	}
	return sleepProof(sinceBoot)
}
