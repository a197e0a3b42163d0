package tools

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // small boards come without zone files; 450 kB

	"signalk-mcp/signalk"
	"signalk-mcp/tools/zone"
	"signalk-mcp/units"
)

var getLocalTime = tool{
	name:        "get_local_time",
	description: "What time is it on board: local time and date.",
	answer: func(q query) Result {
		i, z := q.instant(), q.zoneOfBoat()
		local := i.now.In(z.location)
		var res Result
		res.Display = sentence("it is " + local.Format("15:04") + " " + z.words + " on " + local.Format("Monday 2 January 2006"))
		if z.iana != "" {
			res.values.text("iana_timezone", z.iana)
		}
		res.values.text("utc_offset", local.Format("-07:00"))
		if i.warning != "" {
			res.warn(i.warning)
		}
		return res
	},
}

// instant is what time it is, by the clock that can be trusted.
type instant struct {
	now     time.Time
	warning string
}

const (
	// clocksApart is how far host and GPS may differ before one of them is wrong.
	clocksApart = 2 * time.Minute
	// noEarlier is before this program was written: a clock that shows less has
	// no battery, or has counted its weeks round.
	noEarlier = 2025
)

// instant takes the host's clock, unless a living GPS says otherwise: boards
// without a clock battery start anywhere. A GPS that lies in the past has rolled
// over its 1024 weeks.
func (q query) instant() instant {
	i := instant{now: q.Now}
	r := q.Reading("navigation.datetime")
	text, _ := r.Value.Text()
	gps, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || !r.Fresh() || !r.Alive || !q.Link().Up() {
		return i
	}
	gps = gps.Add(r.Age)
	apart := gps.Sub(q.Now).Abs()
	switch {
	case apart <= clocksApart:
	case gps.Year() < noEarlier:
		i.warning = fmt.Sprintf("the GPS says %s, which cannot be; this is the host's clock", gps.Format("January 2006"))
	default:
		i.now = gps
		i.warning = "the clock of this computer differs from the GPS by " + units.Age(apart) + "; this is the GPS time"
	}
	return i
}

// boatZone is the time zone on board.
type boatZone struct {
	location *time.Location
	iana     string
	words    string // "Helsinki time"
}

// zoneOfBoat finds the time zone: the boat's own region, the zone at its
// position, the offset it publishes, the host's.
func (q query) zoneOfBoat() boatZone {
	if region, ok := q.Reading("environment.time.timezoneRegion").Value.Text(); ok && region != "" && region != "Local" {
		if l, err := time.LoadLocation(region); err == nil {
			return boatZone{l, region, zoneWords(region)}
		}
	}
	if p, ok := signalk.PositionOf(q.Reading("navigation.position").Value); ok {
		name, ok := zone.At(p.Latitude, p.Longitude)
		words := zoneWords(name)
		if !ok {
			name, words = zone.Nautical(p.Longitude), "ship's time by the nautical zone"
		}
		if l, err := time.LoadLocation(name); err == nil {
			return boatZone{l, name, words}
		}
	}
	if l, words, ok := q.publishedOffset(); ok {
		return boatZone{l, "", words}
	}
	return hostZone(q.opts.HostZone)
}

// publishedOffset reads environment.time.timezoneOffset, which is signed hhmm,
// east positive: -330 is 3 hours 30 minutes behind UTC.
func (q query) publishedOffset() (l *time.Location, words string, ok bool) {
	x, ok := q.Reading("environment.time.timezoneOffset").Value.Number()
	hhmm := int(x)
	if !ok || x != float64(hhmm) || hhmm < -1400 || hhmm > 1400 || abs(hhmm)%100 >= 60 {
		return nil, "", false
	}
	side := "ahead of"
	if hhmm < 0 {
		side = "behind"
	}
	h, m := abs(hhmm)/100, abs(hhmm)%100
	words = "local time, UTC"
	if hhmm != 0 {
		words = "local time, " + units.Seconds(h*3600+m*60).Span().Words + " " + side + " UTC,"
	}
	seconds := h*3600 + m*60
	if hhmm < 0 {
		seconds = -seconds
	}
	return time.FixedZone("", seconds), words, true
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// hostZone is the zone of the host's clock, which is what is left.
func hostZone(l *time.Location) boatZone {
	switch name := l.String(); name {
	case "UTC", "Etc/UTC":
		return boatZone{l, "UTC", "UTC"}
	case "Local", "":
		return boatZone{l, "", "by the time zone of this computer"}
	default:
		return boatZone{l, name, zoneWords(name)}
	}
}

// zoneWords says an IANA name: "Helsinki time", "Buenos Aires time", "UTC".
func zoneWords(iana string) string {
	if iana == "Etc/UTC" || iana == "UTC" || iana == "GMT" || iana == "Etc/GMT" {
		return "UTC"
	}
	city := iana[strings.LastIndexByte(iana, '/')+1:]
	return foreign(strings.ReplaceAll(city, "_", " "), maxNameSaid) + " time"
}
