package tools_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"signalk-mcp/tools"
)

// It is 12:00 UTC on Wednesday 1 July 2026.
func TestGetLocalTime(t *testing.T) {
	t.Parallel()
	const region, offset, position, datetime = "environment.time.timezoneRegion", "environment.time.timezoneOffset", "navigation.position", "navigation.datetime"
	at := func(lat, lon float64) string { return fmt.Sprintf(`{"latitude":%v,"longitude":%v}`, lat, lon) }
	situations(t, "get_local_time", map[string]situation{
		"the boat's region first": {
			boat: func(b *boat) { b.send(region, `"Europe/Lisbon"`, offset, "300", position, at(60.1, 24.9)) },
			says: []string{"13:00 Lisbon time", "Wednesday 1 July 2026"}, // UTC+1 in summer
		},
		"a region that is none": {
			boat: func(b *boat) { b.send(region, `"../../etc/passwd"`, position, at(60.15, 24.95)) },
			says: []string{"15:00 Helsinki time"}, // UTC+3 in summer
			not:  []string{"passwd"},
		},
		"by the position, in harbour": {
			boat: func(b *boat) { b.send(position, at(60.15, 24.95), offset, "0") },
			says: []string{"15:00 Helsinki time"},
		},
		"by a position of yesterday": {
			boat: func(b *boat) { b.from("gps", 20*time.Hour, position, at(50.15, -5.06)) },
			says: []string{"13:00 London time"},
		},
		// 30° W is in the middle of zone −2; its IANA name has the sign turned round.
		"at sea: the nautical zone": {
			boat: func(b *boat) { b.send(position, at(40, -30)) },
			says: []string{"10:00"},
		},
		"by the published offset: 3 h 30 min behind": {
			boat: func(b *boat) { b.send(offset, "-330") },
			says: []string{"08:30 local time, 3 hours 30 minutes behind UTC"},
		},
		"by the published offset: 5 h 45 min ahead": {
			boat: func(b *boat) { b.send(offset, "545") },
			says: []string{"17:45 local time, 5 hours 45 minutes ahead of UTC"},
		},
		"an offset that is none": {
			boat: func(b *boat) { b.send(offset, "199") },
			says: []string{"12:00 UTC"},
		},
		"else the host's zone": {
			boat: func(b *boat) { b.send("navigation.speedOverGround", "1") },
			opts: tools.Options{HostZone: must(time.LoadLocation("America/Argentina/Buenos_Aires"))},
			says: []string{"09:00 Buenos Aires time"},
		},
		"a GPS time of hours ago is no clock": {
			boat: func(b *boat) { b.from("gps", 7*time.Hour, datetime, `"2026-07-01T05:00:00Z"`) },
			says: []string{"12:00 UTC"},
		},
		"a living GPS against a host without a clock": {
			boat: func(b *boat) {
				b.send(datetime, `"2026-07-03T09:00:00Z"`).wait(time.Second).send(datetime, `"2026-07-03T09:00:01Z"`).wait(20 * time.Second)
			},
			says:  []string{"09:00 UTC", "Friday 3 July"},
			warns: "differs from the GPS by about 2 days",
		},
		"a GPS that differs by a minute": {
			boat: func(b *boat) {
				b.send(datetime, `"2026-07-01T12:01:00Z"`).wait(time.Second).send(datetime, `"2026-07-01T12:01:01Z"`)
			},
			says: []string{"12:00 UTC"},
		},
		"a GPS that counted its weeks round": {
			boat: func(b *boat) {
				b.send(datetime, `"2006-11-15T12:00:00Z"`).wait(time.Second).send(datetime, `"2006-11-15T12:00:01Z"`)
			},
			says:  []string{"12:00 UTC on Wednesday 1 July 2026"},
			warns: "the GPS says November 2006",
		},
		"without a link the host's clock goes on": {
			boat: func(b *boat) { b.send(position, at(60.15, 24.95)).lost().wait(time.Hour) },
			says: []string{"16:00 Helsinki time"},
		},
		"a zone that counts westwards": {
			boat: func(b *boat) { b.send(region, `"Etc/GMT+2"`) },
			says: []string{"10:00 local time, 2 hours behind UTC"},
			not:  []string{"GMT plus"},
		},
		"the zone in one object": {
			boat: func(b *boat) {
				b.send("environment.time", `{"millis":1782907200000,"timezoneOffset":300,"timezoneRegion":"Asia/Kathmandu"}`)
			},
			says: []string{"17:45 Kathmandu time"}, // UTC+5:45
		},
		"a file of the zone data that is no region": {
			boat: func(b *boat) { b.send(region, `"posixrules"`, position, at(60.15, 24.95)) },
			says: []string{"Helsinki time"},
		},
		"a clock that never ran": {
			boat:  func(b *boat) { b.send("navigation.datetime", `"2006-11-15T12:00:00Z"`) },
			opts:  tools.Options{Host: func() time.Time { return time.Date(1970, 1, 1, 0, 5, 0, 0, time.UTC) }},
			says:  []string{"It is 12:00"},
			warns: "the server's time",
		},
		"a GPS time that was heard once is not one that runs": {
			boat: func(b *boat) { b.send(datetime, `"2026-07-02T18:00:00Z"`) },
			says: []string{"It is 12:00 UTC on Wednesday 1 July 2026."},
		},
	})
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func TestLocalTimeNamesItsZone(t *testing.T) {
	t.Parallel()
	b := newBoat(t, toolsOptions)
	b.send("navigation.position", `{"latitude":60.15,"longitude":24.95}`)
	a := b.ask("get_local_time", "")
	assert.Equal(t, "Europe/Helsinki", a.m["iana_timezone"])
	assert.Equal(t, "+03:00", a.m["utc_offset"])
}
