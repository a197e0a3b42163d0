package units

import (
	"math"
	"strconv"
)

// Spoken is a quantity as a person hears it. The zero Spoken is "not sayable":
// the number was not finite, or too large to be a measurement.
type Spoken struct {
	// Value is rounded as in Words, in Unit, with its sign. Never minus zero.
	Value float64
	// Unit is that of Value, in whole words: "knots", "degrees true".
	Unit string
	// Words is the sentence part to be read aloud: "16.5 knots".
	Words string
}

// Known reports whether there is anything to say.
func (s Spoken) Known() bool { return s.Words != "" }

// largest is the greatest magnitude that is still said, in the spoken unit. A
// log of 10⁹ metres is 25 times round the earth; beyond it is a broken sensor.
const largest = 1e9

// Round rounds half away from zero to a number of decimals. It returns no minus
// zero. What is not finite stays so.
func Round(x float64, decimals int) float64 {
	p := math.Pow10(decimals)
	if r := math.Round(x*p) / p; r != 0 && !math.IsInf(r, 0) {
		return r
	} else if r == 0 {
		return 0
	}
	return x
}

// finite reports whether x is a number that can be said.
func finite(x float64) bool { return !math.IsNaN(x) && math.Abs(x) <= largest }

// say makes a Spoken of a number: at most so many decimals, a word for the
// sign, the singular for 1.
func say(x float64, decimals int, one, many string) Spoken {
	if !finite(x) {
		return Spoken{}
	}
	r := Round(x, decimals)
	words := many
	if math.Abs(r) == 1 {
		words = one
	}
	return Spoken{r, many, digits(r) + " " + words}
}

// digits writes a rounded number, in no more digits than it has, and its sign
// as a word.
func digits(r float64) string {
	s := strconv.FormatFloat(math.Abs(r), 'f', -1, 64)
	if r < 0 {
		s = "minus " + s
	}
	return s
}

// Count is a bare whole number with a noun, such as "1 point" or "12 points".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Number is a bare number, without a unit, in the fewest digits that a person
// needs: three decimals at most. What is smaller is not nothing: "0.5 millionths".
func Number(x float64) string {
	if !finite(x) {
		return "a number beyond all measure"
	}
	if x != 0 && Round(x, 3) == 0 {
		switch size := math.Abs(x); {
		case size < 5e-11:
			return "next to nothing"
		case size < 5e-8:
			return digits(Round(x*1e9, 1)) + " billionths"
		}
		return digits(Round(x*1e6, 1)) + " millionths"
	}
	return digits(Round(x, 3))
}

// Bare is a number whose quantity is not known, with the words for its unit;
// without them it is said to have none that is known.
func Bare(x float64, unit string) Spoken {
	if !finite(x) {
		return Spoken{}
	}
	s := Spoken{Value: Round(x, 3), Unit: unit, Words: Number(x)}
	if s.Value == 0 {
		s.Value = Round(x, 10)
	}
	if unit != "" {
		s.Words += " " + unit
	}
	return s
}
