package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// table is rows of cells under a heading. Columns of numbers are set to the
// right.
type table struct {
	heading []string
	rows    [][]string
}

func newTable(heading ...string) *table { return &table{heading: heading} }

// row adds a row. Numbers without a fraction stand as they are, others have two
// digits behind the point.
func (t *table) row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case float64:
			row[i] = strconv.FormatFloat(c, 'f', 2, 64)
		default:
			row[i] = fmt.Sprint(c)
		}
	}
	t.rows = append(t.rows, row)
}

func (t *table) write(w io.Writer) {
	widths, right := make([]int, len(t.heading)), make([]bool, len(t.heading))
	for i, h := range t.heading {
		widths[i], right[i] = utf8.RuneCountInString(h), true
		for _, r := range t.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(r[i]))
			if c := r[i]; c != "" && c != "–" && !unicode.IsDigit(rune(c[0])) && c[0] != '-' {
				right[i] = false
			}
		}
	}
	for _, r := range append([][]string{t.heading}, t.rows...) {
		var line strings.Builder
		for i, c := range r {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if right[i] {
				line.WriteString(pad + c)
			} else {
				line.WriteString(c + pad)
			}
			line.WriteString("  ")
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// markdown writes the table as a README has it.
func (t *table) markdown(w io.Writer) {
	heading := strings.ReplaceAll(strings.Join(t.heading, " | "), "*", `\*`)
	fmt.Fprintf(w, "| %s |\n|%s\n", heading, strings.Repeat("---|", len(t.heading)))
	for _, r := range t.rows {
		fmt.Fprintf(w, "| %s |\n", strings.Join(r, " | "))
	}
}

// oneLine makes a foreign text fit for a terminal: no control characters, no
// line ends, not longer than n runes.
func oneLine(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
