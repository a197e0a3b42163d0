// Package speechtest tells whether a sentence can be read aloud by a speech
// engine to tired people. Every test that gets a display asks it.
package speechtest

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxWords is how long an answer may be; a list may have as many again.
const MaxWords = 30

type fault struct {
	what string
	re   *regexp.Regexp
}

// marks are what no text may have, whoever wrote it.
var marks = []fault{
	{"a symbol that is not read, or read wrongly", regexp.MustCompile("[°%/_*#<>{}\\[\\]|~^=@$\\\\`\"+]")},
	{"a sign before a number", regexp.MustCompile(`(^|[^0-9A-Za-z])[-−–]\s?\d`)},
	{"letters for a unit", regexp.MustCompile(`\d\s?(mm|cm|m|km|M|nm|NM|nmi|ft|kn|kt|kts|mph|V|mV|A|mA|Ah|W|kW|Wh|kWh|Hz|rpm|Pa|hPa|kPa|mbar|mb|psi|C|F|K|l|L|h|s|ms|min|sec|deg|rad)\b`)},
	{"a time stamp", regexp.MustCompile(`\d{4}-\d\d-\d\d|\d\dT\d\d:|:\d\dZ`)},
	{"a path", regexp.MustCompile(`[A-Za-z]{2,}\.[A-Za-z0-9]*[A-Za-z]|[a-z]\.\d+\.[a-z]`)},
	{"a doubled stop or blank", regexp.MustCompile(`\.\.|  |\s[.,;:]`)},
}

// words are what our own words must not have.
var words = []fault{
	{"an exponent", regexp.MustCompile(`\d[eE][-+]?\d`)},
	{"minus zero", regexp.MustCompile(`\bminus 0(\.0+)?\b`)},
	{"a number that is none", regexp.MustCompile(`(?i)\b(nan|inf|infinity|nil|null|undefined)\b`)},
	{"a full circle for north", regexp.MustCompile(`\b360 degrees (true|magnetic)`)},
	{"the plural for 1", regexp.MustCompile(`(^|[^\d.])1 (metres|knots|volts|amps|degrees|minutes|hours|seconds|days|litres|points|values|readings|alarms|watts|nautical miles)\b`)},
	{"decimal coordinates", regexp.MustCompile(`\d\.\d{4,}`)},
}

// Faults lists what is wrong with a display that is in our own words.
func Faults(display string) []string {
	return append(find(words, display), Marks(display)...)
}

// Marks lists what is wrong with a display that may have a name or a message of
// somebody else's in it, such as "undefined".
func Marks(display string) []string {
	bad := find(marks, display)
	for _, r := range display {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError {
			bad = append(bad, fmt.Sprintf("an invisible character (%U)", r))
		}
	}
	switch first, _ := utf8.DecodeRuneInString(display); {
	case display == "":
		bad = append(bad, "nothing")
	case unicode.ToUpper(first) != first:
		bad = append(bad, "no capital at its beginning")
	case !strings.ContainsAny(display[len(display)-1:], ".?!"):
		bad = append(bad, "no stop at its end")
	}
	if n := len(strings.Fields(display)); n > 2*MaxWords {
		bad = append(bad, fmt.Sprintf("%d words", n))
	}
	return bad
}

func find(faults []fault, display string) []string {
	var bad []string
	for _, f := range faults {
		if m := f.re.FindString(display); m != "" {
			bad = append(bad, fmt.Sprintf("%s (%q)", f.what, m))
		}
	}
	return bad
}
