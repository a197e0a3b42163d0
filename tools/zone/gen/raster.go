package main

import (
	"cmp"
	"math"
	"slices"
)

const (
	// rows of tiles, as the format has them.
	rows = 180
	// tileSide is the side of a tile in cells: 0.001°, or 109 m, the precision
	// that the source is simplified to.
	tileSide = 1 << 10
)

// row is one row of tiles, each of its lines of cells as stretches of one zone.
type row struct {
	columns int // tiles
	lines   [tileSide][]stretch
	// next is, for each line, the stretch at the tile that paint is to do next.
	next [tileSide]int
}

// stretch is a length of a line in one zone, up to but not including end.
type stretch struct {
	end  int
	zone zone
}

// span is a stretch of cells inside one polygon.
type span struct {
	start, end int
	zone       zone
}

// newRow gives each cell of a row the zone that holds its centre.
func newRow(b *boundaries, n int) *row {
	r := &row{columns: columns(n)}
	south := float64(n - 90)
	cells := float64(r.columns * tileSide)
	type crossing struct {
		polygon int32
		cell    int // the first whose centre is not west of the edge
	}
	var crossings [tileSide][]crossing
	for _, e := range b.rows[n] {
		for i := max(0, int((e.y0-south)*tileSide)-1); i < tileSide; i++ {
			// Half open, so that a vertex on the line counts once.
			y := south + (float64(i)+0.5)/tileSide
			if y < e.y0 {
				continue
			}
			if y >= e.y1 {
				break
			}
			// The conversions keep the compiler from fusing the operations, which
			// would round otherwise on some processors.
			x := e.x0 + float64((y-e.y0)/(e.y1-e.y0)*(e.x1-e.x0))
			cell := math.Ceil(float64((x+180)/360*cells) - 0.5)
			crossings[i] = append(crossings[i], crossing{e.polygon, int(cell)})
		}
	}
	var spans []span
	for i, c := range crossings {
		slices.SortFunc(c, func(p, q crossing) int {
			return cmp.Or(cmp.Compare(p.polygon, q.polygon), cmp.Compare(p.cell, q.cell))
		})
		spans = spans[:0]
		for ; len(c) >= 2; c = c[2:] {
			if c[0].cell < c[1].cell {
				spans = append(spans, span{c[0].cell, c[1].cell, b.polygons[c[0].polygon]})
			}
		}
		r.lines[i] = flatten(spans, r.columns*tileSide)
	}
	return r
}

// columns returns the number of tiles in a row: as wide as high at its edge
// nearer to the equator.
func columns(row int) int {
	south := float64(row - 90)
	lat := min(math.Abs(south), math.Abs(south+1))
	return int(math.Round(360 * math.Cos(lat*math.Pi/180)))
}

// flatten turns spans, which may overlap or leave slivers, into stretches up to end.
// A territorial zone goes before the sea, and the first of zones before others.
func flatten(spans []span, end int) []stretch {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	var runs []stretch
	var open []span
	for at := 0; at < end; {
		for len(spans) > 0 && spans[0].start <= at {
			open = append(open, spans[0])
			spans = spans[1:]
		}
		open = slices.DeleteFunc(open, func(s span) bool { return s.end <= at })
		next := end
		if len(spans) > 0 {
			next = min(next, spans[0].start)
		}
		z := nowhere
		for _, s := range open {
			next = min(next, s.end)
			if z == nowhere || z == sea || s.zone != sea && s.zone < z {
				z = s.zone
			}
		}
		if last := len(runs) - 1; last >= 0 && runs[last].zone == z {
			runs[last].end = next
		} else {
			runs = append(runs, stretch{next, z})
		}
		at = next
	}
	return runs
}

// paint fills cells, tileSide lines of as many, with a tile. Tiles must be
// painted from west to east. A tile of one zone is not painted: uniform is true
// and the zone in the first cell.
func (r *row) paint(column int, cells []zone) (uniform bool) {
	west := column * tileSide
	uniform = true
	for i, runs := range r.lines {
		n := r.next[i]
		for runs[n].end <= west {
			n++
		}
		r.next[i] = n
		if i == 0 {
			cells[0] = runs[n].zone
		}
		uniform = uniform && runs[n].zone == cells[0] && runs[n].end >= west+tileSide
	}
	if uniform && cells[0] != nowhere {
		return true
	}
	for i, runs := range r.lines {
		line := cells[i*tileSide:][:tileSide]
		n := r.next[i]
		for at := 0; at < tileSide; n++ {
			end := min(runs[n].end-west, tileSide)
			for j := at; j < end; j++ {
				line[j] = runs[n].zone
			}
			at = end
		}
	}
	fill(cells)
	return false
}

// fill gives the cells of slivers to what is beside them, a ring at a time, and
// rather to a zone than to the sea.
func fill(cells []zone) {
	type cell struct {
		i    int
		zone zone
	}
	var gaps []int
	for i, z := range cells {
		if z == nowhere {
			gaps = append(gaps, i)
		}
	}
	for len(gaps) > 0 {
		var ring []cell
		gaps = slices.DeleteFunc(gaps, func(i int) bool {
			z := nowhere
			consider := func(inside bool, j int) {
				if inside && cells[j] != nowhere && (z == nowhere || z == sea) {
					z = cells[j]
				}
			}
			consider(i%tileSide > 0, i-1)
			consider(i%tileSide < tileSide-1, i+1)
			consider(i >= tileSide, i-tileSide)
			consider(i < len(cells)-tileSide, i+tileSide)
			if z != nowhere {
				ring = append(ring, cell{i, z})
			}
			return z != nowhere
		})
		if len(ring) == 0 {
			// A tile that no polygon reaches.
			for _, i := range gaps {
				cells[i] = sea
			}
			return
		}
		for _, c := range ring {
			cells[c.i] = c.zone
		}
	}
}
