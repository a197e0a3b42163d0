package units

import (
	"math"
	"time"
)

// Seconds is a span of time as Signal K sends it.
type Seconds float64

// Duration converts to Go's type; spans beyond a hundred years are cut.
func (s Seconds) Duration() time.Duration {
	const most = 100 * 365 * 24 * 3600
	return time.Duration(math.Max(-most, math.Min(most, float64(s))) * float64(time.Second))
}

// Hours is a span counted in hours, as engines do: whole ones from a hundred.
func (s Seconds) Hours() Spoken {
	h := float64(s) / 3600
	if math.Abs(h) >= 100 {
		return say(h, 0, "hour", "hours")
	}
	return say(h, 1, "hour", "hours")
}

// Span is a span in the words a person uses: "40 seconds", "25 minutes",
// "3 hours 20 minutes", "2 days 4 hours". Value is in the largest unit named.
func (s Seconds) Span() Spoken {
	if !finite(float64(s)) {
		return Spoken{}
	}
	x := math.Abs(float64(s))
	var out Spoken
	switch {
	case x < 59.5:
		out = say(x, 0, "second", "seconds")
	case x < 3600-30:
		out = say(x/60, 0, "minute", "minutes")
	case x < 47.5*3600:
		out = parts(x/3600, 60, "hour", "hours", "minute", "minutes")
	default:
		out = parts(x/86400, 24, "day", "days", "hour", "hours")
	}
	if s < 0 && out.Value != 0 {
		out.Value, out.Words = -out.Value, "minus "+out.Words
	}
	return out
}

// parts says x units with a remainder in units of which there are n to one.
func parts(x float64, n int, one, many, partOne, partMany string) Spoken {
	total := int(math.Round(x * float64(n)))
	words := Count(total/n, one, many)
	if rest := total % n; rest > 0 {
		words += " " + Count(rest, partOne, partMany)
	}
	return Spoken{Round(x, 1), many, words}
}

// Age says how long ago something was, without "ago": "40 seconds", "8
// minutes", "about 3 hours", "about 2 days". The unit changes where a person
// would change it, at 90 seconds, 90 minutes and 36 hours.
func Age(d time.Duration) string {
	s := max(0, d.Seconds())
	switch n := math.Round(s); {
	case n == 0:
		return "a moment"
	case n < 90:
		return Count(int(n), "second", "seconds")
	case s < 90*60:
		return Count(int(math.Round(s/60)), "minute", "minutes")
	case s < 36*3600:
		return "about " + Count(int(math.Round(s/3600)), "hour", "hours")
	case s < 60*86400:
		return "about " + Count(int(math.Round(s/86400)), "day", "days")
	case s < 2*365*86400:
		return "about " + Count(int(math.Round(s/86400/30.4)), "month", "months")
	}
	return "about " + Count(int(math.Round(s/86400/365.25)), "year", "years")
}
