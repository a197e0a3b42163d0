package tools

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"signalk-mcp/units"
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
	tags     = regexp.MustCompile(`<[^<>]*>`)
	stamps   = regexp.MustCompile(`\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?)?|\d\dT\d\d:?|:\d\dZ`)
	longNum  = regexp.MustCompile(`\d+\.\d{2,}`)
	signed   = regexp.MustCompile(`(^|[^0-9A-Za-z])[-+]\s*(\d)`)
	unitSign = regexp.MustCompile(`(\d)\s?([A-Za-z]+)\b`)
	piledUp  = regexp.MustCompile(`\s*([.,;:!?'-])[\s.,;:!?'-]*([.,;:!?'-])`)
	loose    = regexp.MustCompile(`\s+([.,;:!?])`)
	innerDot = regexp.MustCompile(`([A-Za-z])\.([0-9A-Za-z])|([0-9])\.([A-Za-z])`)
)

// unitWords are the symbols that people write after a number.
var unitWords = map[string]string{
	"m": "metres", "M": "miles", "nm": "nautical miles", "NM": "nautical miles", "nmi": "nautical miles",
	"km": "kilometres", "cm": "centimetres", "mm": "millimetres", "kg": "kilograms", "g": "grams", "ft": "feet", "kn": "knots", "kt": "knots", "kts": "knots", "mph": "miles per hour",
	"V": "volts", "mV": "millivolts", "A": "amps", "mA": "milliamps", "Ah": "amp hours", "W": "watts", "kW": "kilowatts",
	"Wh": "watt hours", "kWh": "kilowatt hours", "Hz": "hertz", "rpm": "revolutions per minute",
	"Pa": "pascals", "hPa": "hectopascals", "kPa": "kilopascals", "mbar": "millibars", "mb": "millibars", "psi": "pounds per square inch",
	"C": "degrees Celsius", "F": "degrees Fahrenheit", "K": "kelvin", "l": "litres", "L": "litres",
	"h": "hours", "s": "seconds", "ms": "milliseconds", "min": "minutes", "sec": "seconds", "deg": "degrees", "rad": "radians",
}

// foreign makes a foreign text speakable: words, numbers and plain punctuation,
// at most so many runes, cut at a word. It is empty if nothing is left.
func foreign(s string, most int) string {
	s = links.ReplaceAllString(strings.ToValidUTF8(s, " "), " a link ")
	s = tags.ReplaceAllString(s, " ")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Mn, r), unicode.Is(unicode.Me, r):
			return -1 // invisible, reversing, piled up
		case r == '−' || r == '–' || r == '—':
			return '-'
		case unicode.IsLetter(r), r >= '0' && r <= '9', strings.ContainsRune(`.,':;()?!-+°%&`, r):
			return r
		}
		return ' '
	}, s)
	s = strings.NewReplacer("°", " degrees ", "%", " percent ", "&", " and ").Replace(s)
	s = cutWords(s, most)
	s = stamps.ReplaceAllString(s, " ")
	s = innerDot.ReplaceAllString(s, "$1$3 $2$4")
	s = innerDot.ReplaceAllString(s, "$1$3 $2$4") // of a.b.c the second, which shares a letter
	s = longNum.ReplaceAllStringFunc(s, func(n string) string {
		f, err := strconv.ParseFloat(n, 64)
		if err != nil || f > 1e9 {
			return " "
		}
		return units.Number(units.Round(f, 1))
	})
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
	s = unitSign.ReplaceAllStringFunc(s, func(m string) string {
		i := strings.LastIndexAny(m, "0123456789") + 1
		if w, ok := unitWords[strings.TrimSpace(m[i:])]; ok {
			return m[:i] + " " + w
		}
		return m
	})
	s = loose.ReplaceAllString(piledUp.ReplaceAllString(strings.ReplaceAll(s, "+", " plus "), "$1 "), "$1 ")
	s = cutWords(s, most)
	return strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '(' && r != ')' })
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
// more words than ordinary ones of that length; a longer word is cut.
func cutWords(s string, most int) string {
	var b strings.Builder
	words := 0
	for w := range strings.FieldsSeq(s) {
		if words++; words > most/shortWord {
			break
		}
		if n := utf8.RuneCountInString(w); n > most {
			w = string([]rune(w)[:most])
		}
		if b.Len() > 0 {
			if utf8.RuneCountInString(b.String())+1+utf8.RuneCountInString(w) > most {
				break
			}
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
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
