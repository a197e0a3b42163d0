// Package spell compares spellings.
package spell

import "strings"

// longest is how many bytes of a text are looked at.
const longest = 64

// Distance is Levenshtein's: how many letters have to be put in, left out or
// exchanged to make one text of the other. Texts are cut to 64 bytes.
func Distance(a, b string) int {
	a, b = a[:min(len(a), longest)], b[:min(len(b), longest)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Nearest gives the word that was meant by a misspelt one, empty if none is near
// enough: half of its letters, and three at most, may be wrong. A word that begins
// with it is nearer than any of them.
func Nearest(word string, among []string) (nearest string) {
	for _, w := range among {
		if len(word) > 1 && strings.HasPrefix(w, word) {
			return w
		}
	}
	best := min(3, (len(word)+1)/2) + 1
	for _, w := range among {
		if d := Distance(word, w); d < best {
			nearest, best = w, d
		}
	}
	return nearest
}
