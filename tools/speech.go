package tools

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Text that came over the air or from a sensor is data: it is cut, stripped of
// what is not words, and said as what somebody's message or name says.
const (
	maxNameSaid    = 60  // runes of a name in a sentence
	maxMessageSaid = 80  // runes of a message in a sentence
	maxMessage     = 200 // runes of a message in a field
	shortWord      = 5   // runes of a word and its blank, by which words are limited too
)

var (
	links    = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*:/+\S*|\bwww\.\S+`)
	tags     = regexp.MustCompile(`</?[A-Za-z!][^<>]*>`)
	stamps   = regexp.MustCompile(`\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[-+]\d\d:\d\d)?)?`)
	zulu     = regexp.MustCompile(`(:\d\d)Z`)
	timeMark = regexp.MustCompile(`(\d\d)T(\d\d)`)
	fraction = regexp.MustCompile(`(\d)\s*/\s*(\d)`)
	signed   = regexp.MustCompile(`(^|[^0-9A-Za-z])[-+]\s*(\d)`)
	unitSign = regexp.MustCompile(`(\d)\s?(mm|cm|m|km|M|nm|NM|nmi|ft|kn|kt|kts|mph|V|mV|A|mA|Ah|W|kW|Wh|kWh|Hz|rpm|Pa|hPa|kPa|mbar|mb|psi|C|F|K|l|L|h|s|ms|min|sec|deg|rad)\b`)
	piledUp  = regexp.MustCompile(`\s*([.,;:!?'-])[\s.,;:!?'-]*([.,;:!?'-])`)
	loose    = regexp.MustCompile(`\s+([.,;:!?])`)
	innerDot = regexp.MustCompile(`([A-Za-z])\.([0-9A-Za-z])|([0-9])\.([A-Za-z])`)
)

// unitWords are the symbols behind a number that mean one thing only, as people
// write messages: a letter alone may be a name's.
var unitWords = map[string]string{
	"nm": "nautical miles", "NM": "nautical miles", "nmi": "nautical miles", "km": "kilometres", "cm": "centimetres", "mm": "millimetres",
	"ft": "feet", "kn": "knots", "kt": "knots", "kts": "knots", "mph": "miles per hour",
	"V": "volts", "mV": "millivolts", "mA": "milliamps", "Ah": "amp hours", "kW": "kilowatts", "Wh": "watt hours", "kWh": "kilowatt hours",
	"Hz": "hertz", "rpm": "revolutions per minute", "hPa": "hectopascals", "kPa": "kilopascals", "mbar": "millibars",
	"psi": "pounds per square inch", "min": "minutes", "sec": "seconds", "deg": "degrees",
}

// foreign makes a foreign text, such as a name, speakable: words, numbers and
// plain punctuation, at most so many runes, cut at a word. Its numbers and letters
// stay as they are; what an engine would read wrongly becomes a word or a hyphen.
// It is empty if nothing is left.
func foreign(s string, most int) string {
	s = links.ReplaceAllString(strings.ToValidUTF8(s, " "), " a link ")
	s = tags.ReplaceAllString(s, " ")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Mn, r), unicode.Is(unicode.Me, r):
			return -1 // invisible, reversing, piled up
		case r == '−' || r == '–' || r == '—':
			return '-'
		case unicode.IsLetter(r), r >= '0' && r <= '9', strings.ContainsRune(`.,':;()?!-+°%&<>=/`, r):
			return r
		}
		return ' '
	}, s)
	s = cutWords(s, most)
	s = stamps.ReplaceAllStringFunc(s, func(m string) string {
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
			if at, err := time.Parse(layout, m); err == nil {
				return at.UTC().Format(" 15:04 on 2 January 2006 ")
			}
		}
		if at, err := time.Parse(time.DateOnly, m); err == nil {
			return at.Format(" 2 January 2006 ")
		}
		return " " + strings.ReplaceAll(m, "-", " ") + " "
	})
	s = timeMark.ReplaceAllString(zulu.ReplaceAllString(s, "$1 UTC "), "$1 T $2")
	s = fraction.ReplaceAllString(s, "$1 slash $2")
	s = fraction.ReplaceAllString(s, "$1 slash $2") // of 1/2/3 the second, which shares a digit
	s = strings.NewReplacer("°", " degrees ", "%", " percent ", "&", " and ", "<", " less than ", ">", " more than ", "=", " equals ", "/", " ").Replace(s)
	s = innerDot.ReplaceAllString(s, "$1$3 $2$4")
	s = innerDot.ReplaceAllString(s, "$1$3 $2$4") // of a.b.c the second, which shares a letter
	for signed.MatchString(s) {
		s = signed.ReplaceAllStringFunc(s, func(m string) string {
			i := strings.IndexAny(m, "-+")
			word := " minus "
			if m[i] == '+' {
				word = " plus "
			}
			return m[:i] + word + m[len(m)-1:]
		})
	}
	s = loose.ReplaceAllString(piledUp.ReplaceAllString(strings.ReplaceAll(s, "+", " plus "), "$1 "), "$1 ")
	s = cutWords(s, most)
	s = unitSign.ReplaceAllString(s, "$1-$2")
	return strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '(' && r != ')' })
}

// measures are symbols that mean one thing behind a number with decimals.
var measures = map[string]string{
	"m": "metres", "A": "amps", "W": "watts", "l": "litres", "L": "litres", "h": "hours", "s": "seconds", "M": "miles",
}

var measured = regexp.MustCompile(`\d+(\.\d+)?\s?[A-Za-z]+\b`)

// foreignMessage is foreign for sentences, in which units are units.
func foreignMessage(s string, most int) string {
	return foreign(measured.ReplaceAllStringFunc(s, func(m string) string {
		i := strings.LastIndexAny(m, "0123456789") + 1
		w, ok := unitWords[strings.TrimSpace(m[i:])]
		if !ok && strings.Contains(m, ".") {
			w, ok = measures[strings.TrimSpace(m[i:])]
		}
		if !ok {
			return m
		}
		number := m[:i]
		if v, err := strconv.ParseFloat(number, 64); err == nil && w == "metres" && v >= 10 {
			number = strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) // centimetres of a ship's distance are noise
		}
		return number + " " + w
	}), most)
}

// field makes a foreign text fit for a field that is not read aloud: as it came,
// but for links and what is invisible or markup, and not endless.
func field(s string, most int) string {
	return cutWords(clean(links.ReplaceAllString(s, "a link")), most)
}

// foreignOr is foreign with words for a text of which nothing is left.
func foreignOr(s string, otherwise string) string {
	if s = foreign(s, maxNameSaid); s == "" {
		return otherwise
	}
	return s
}

// clean strips a foreign text for a field that is not read aloud: no control
// or invisible characters, no markup.
func clean(s string) string {
	s = tags.ReplaceAllString(strings.ToValidUTF8(s, ""), " ")
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			return ' '
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
			return -1
		}
		return r
	}, s)
}

// cutWords folds white space and keeps whole words up to so many runes, and no
// more words than ordinary ones of that length. A longer word is cut. What is
// left does not end in a number, which might have had its unit behind it.
func cutWords(s string, most int) string {
	words := strings.Fields(s)
	runes, n := 0, 0
	for ; n < len(words) && n < most/shortWord; n++ {
		size := utf8.RuneCountInString(words[n])
		if size > most {
			words[n] = string([]rune(words[n])[:most])
			size = most
		}
		if runes += size; n > 0 && runes+n > most {
			break
		}
	}
	if n < len(words) {
		for n > 1 && strings.ContainsAny(words[n-1], "0123456789") {
			n--
		}
	}
	return strings.Join(words[:n], " ")
}

// sentence gives a text a capital and a full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	r, n := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(r)) + s[n:]
	if !strings.ContainsAny(s[len(s)-1:], ".?!") {
		s += "."
	}
	return s
}

// dotted says a host's name, such as boat.local, aloud. Numbers keep their dots.
func dotted(s string) string {
	for innerDot.MatchString(s) {
		s = innerDot.ReplaceAllString(s, "$1$3 dot $2$4")
	}
	return s
}

// list joins words as a person does: "a", "a and b", "a, b and c".
func list(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}
