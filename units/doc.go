// Package units knows quantities: SI inside, the words of a crew outside.
//
// A value travels through the program as a named float64 in SI, with the sign
// that Signal K gives it (angles from the bow are negative to port, battery
// current is positive when charging). It is converted once, where text is
// made: every type has methods that return a [Spoken], which holds the number
// rounded as it is said, the unit that number is in, and the words. Number and
// words come from one rounding, so they cannot contradict each other.
//
//	depth := units.Length(3.66)
//	depth.Metres().Words                     // "3.7 metres"
//	units.Angle(-0.698).FromBow().Words      // "40 degrees to port"
//	units.Current(-8.4).Battery().Words      // "discharging at 8.4 amps"
//
// The words are made to be read aloud by a speech engine: whole words for
// units and compass points, a word instead of a sign, the singular for 1. The
// rounding comes first and the word is chosen from what was rounded, so that
// -0.03 amps is no current and not a discharge, and 359.6 degrees is 000.
//
// A number that is not finite, or too large to be a measurement, has no words:
// its Spoken is the zero value. Unknown is not zero.
//
// The package imports the standard library only.
package units
