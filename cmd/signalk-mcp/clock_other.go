//go:build !linux

package main

import "time"

// ageClock is the clock by which readings age.
func ageClock() func() time.Time { return time.Now }
