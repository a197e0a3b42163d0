package main

import "time"

// sleepProof gives a clock for ages: it starts as the clock on the wall, and then
// counts on with sinceBoot, whatever is done to the wall's. Go's own monotonic
// clock stands still while a computer sleeps; after a night under a closed lid, a
// depth of yesterday would be one of this minute.
func sleepProof(sinceBoot func() time.Duration) func() time.Time {
	start, origin := time.Now().Round(0), sinceBoot()
	return func() time.Time { return start.Add(sinceBoot() - origin) }
}
