package tools

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // small boards come without zone files; 450 kB

	"signalk-mcp/signalk"
	"signalk-mcp/tools/zone"
	"signalk-mcp/units"
)

var getLocalTime = tool{
	name:        "get_local_time",
	description: "The time: local time, day, date.",
	answer: func(q query) Result {
		i, z := q.instant(), q.zoneOfBoat()
		if !i.known {
			return Result{Display: sentence("I cannot tell the time: " + i.warning), Status: NoData}
		}
		local := i.now.In(z.location)
		var res Result
		res.Display = sentence("it is " + local.Format("15:04") + " " + z.words + " on " + local.Format("Monday 2 January 2006"))
		if z.iana != "" {
			res.values.text("iana_timezone", z.iana)
		}
		res.values.text("utc_offset", local.Format("-07:00"))
		for _, w := range []string{i.warning, z.warning} {
			if w != "" {
				res.warn(w)
			}
		}
		return res
	},
}

// instant is what time it is, by the clock that can be trusted; known is false if
// none can.
type instant struct {
	now     time.Time
	known   bool
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
	host := q.opts.Host()
	i := instant{now: host, known: host.Year() >= noEarlier}
	gps, rolled := q.gpsTime()
	switch apart := gps.Sub(host).Abs(); {
	case !gps.IsZero() && apart > clocksApart:
		i = instant{gps, true, "the clock of this computer differs from the GPS by " + units.Age(apart) + "; this is the GPS time"}
	case gps.IsZero() && !rolled.IsZero() && i.known:
		i.warning = fmt.Sprintf("the GPS says %s, which cannot be; this is the clock of this computer", rolled.Format("January 2006"))
	}
	if i.known {
		return i
	}
	i.warning = fmt.Sprintf("the clock of this computer says %s, and no GPS tells the time", host.Format("January 2006"))
	if server := q.ServerNow(); server.Year() >= noEarlier {
		i = instant{server, true, fmt.Sprintf("the clock of this computer says %s; this is the server's time", host.Format("January 2006"))}
	}
	return i
}

// gpsTime is the time by a GPS whose clock was seen to run; zero if there is none.
// rolled is what one says that cannot be right.
func (q query) gpsTime() (gps, rolled time.Time) {
	if !q.Link().Up() {
		return gps, rolled
	}
	for _, r := range q.Readings("navigation.datetime") {
		text, _ := r.Value.Text()
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil || !r.Fresh() || !r.Moves {
			continue
		}
		if at = at.Add(r.Held); at.Year() < noEarlier {
			rolled = at
			continue
		}
		return at, rolled
	}
	return gps, rolled
}

// boatZone is the time zone on board.
type boatZone struct {
	location *time.Location
	iana     string
	words    string // "Helsinki time"
	warning  string
}

// zoneOfBoat finds the time zone: the boat's own region, the zone at its
// position, the offset it publishes, the host's.
func (q query) zoneOfBoat() boatZone {
	if region, _ := q.timeSetting("timezoneRegion").Text(); regionName.MatchString(region) {
		if l, err := time.LoadLocation(region); err == nil {
			return boatZone{location: l, iana: region, words: zoneWords(region)}
		}
	}
	if p, age, ok := q.lastPosition(); ok {
		name, ok := zone.At(p.Latitude, p.Longitude)
		words := zoneWords(name)
		if !ok {
			name, words = zone.Nautical(p.Longitude), "ship's time by the nautical zone"
		}
		if l, err := time.LoadLocation(name); err == nil {
			z := boatZone{location: l, iana: name, words: words}
			if age > oldPosition {
				z.warning = "the time zone is that of a position that is " + units.Age(age) + " old"
			}
			return z
		}
	}
	if l, words, ok := q.publishedOffset(); ok {
		return boatZone{location: l, words: words}
	}
	return hostZone(q.opts.HostZone)
}

// regionName is the form of the names of regions; the zone files have others too,
// such as localtime and posixrules.
var regionName = regexp.MustCompile(`^([A-Z][A-Za-z]+/[A-Za-z0-9_+/-]+|UTC|GMT|Zulu)$`)

// timeSetting reads what is set about the time on board, of a path of its own or
// of a member.
func (q query) timeSetting(name string) signalk.Value {
	if v := q.Reading("environment.time." + name).Value; !v.IsNull() {
		return v
	}
	return q.Reading("environment.time").Value.Member(name)
}

// oldPosition is an age at which a boat may be in another zone by now.
const oldPosition = 24 * time.Hour

// lastPosition is where the boat is, or was when that was last known.
func (q query) lastPosition() (p units.Position, age time.Duration, ok bool) {
	for _, r := range q.Readings("navigation.position") {
		if p, ok := signalk.PositionOf(r.Value); ok {
			return p, r.Age, true
		}
		if p, ok := signalk.PositionOf(r.Before); ok {
			return p, r.BeforeAge, true
		}
	}
	return p, 0, false
}

// publishedOffset reads environment.time.timezoneOffset, which is signed hhmm,
// east positive: -330 is 3 hours 30 minutes behind UTC.
func (q query) publishedOffset() (l *time.Location, words string, ok bool) {
	x, ok := q.timeSetting("timezoneOffset").Number()
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
		return boatZone{location: l, iana: "UTC", words: "UTC"}
	case "Local", "":
		return boatZone{location: l, words: "by the time zone of this computer"}
	default:
		return boatZone{location: l, iana: name, words: zoneWords(name)}
	}
}

// zoneWords says an IANA name: "Helsinki time", "Buenos Aires time", "UTC".
func zoneWords(iana string) string {
	if iana == "Etc/UTC" || iana == "UTC" || iana == "GMT" || iana == "Etc/GMT" {
		return "UTC"
	}
	if h, ok := strings.CutPrefix(iana, "Etc/GMT"); ok { // these names count westwards
		n, err := strconv.Atoi(h)
		if err == nil && n != 0 {
			side := "behind"
			if n < 0 {
				side = "ahead of"
			}
			return "local time, " + units.Seconds(abs(n)*3600).Span().Words + " " + side + " UTC,"
		}
		return "UTC"
	}
	city := iana[strings.LastIndexByte(iana, '/')+1:]
	return foreign(strings.ReplaceAll(city, "_", " "), maxNameSaid) + " time"
}
