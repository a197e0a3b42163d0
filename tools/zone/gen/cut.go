package main

import "math"

const (
	// smallest is the side, in cells, of a block that is not split further.
	smallest = 2
	// side of a block in the units that the ends of a line are counted in.
	side = 8
	// subcell is the unit of exact arithmetic: 1/16 of a cell holds the ends of
	// a line in the smallest block that is cut, and the centres of cells.
	subcell = 16
	// reach is how far beside the obvious ends of a line others are tried.
	reach = 4
	// maxChanges bounds the pairs of ends tried in blocks with a ragged rim.
	maxChanges = 6
)

// How far, in cells, a boundary may be moved: between two zones or where a zone
// would become sea, and where sea is given to the zone, the safer mistake. They
// decide the size of the file, and package zone's doc states them in metres.
const (
	tolerance    = 1.5
	seaTolerance = 10
)

// block is a square part of a tile, x and y its south-west corner in cells.
type block struct {
	x, y, side int
	marks      []mark
}

// mark is a cell beside one of another zone, in or out of the block. Marks are
// all that has to be looked at: a block whose marks agree is of one zone, and
// the cell farthest on the wrong side of a line is a mark or a corner.
type mark struct {
	x, y int
	zone zone
}

// marksOf returns the marks of a whole tile.
func marksOf(cells []zone) []mark {
	var marks []mark
	for y := range tileSide {
		line := cells[y*tileSide:][:tileSide]
		south, north := line, line
		if y > 0 {
			south = cells[(y-1)*tileSide:][:tileSide]
		}
		if y < tileSide-1 {
			north = cells[(y+1)*tileSide:][:tileSide]
		}
		for x, z := range line {
			if z != south[x] || z != north[x] || z != line[max(x-1, 0)] || z != line[min(x+1, tileSide-1)] {
				marks = append(marks, mark{x, y, z})
			}
		}
	}
	return marks
}

// quarters splits a block in the order SW, SE, NW, NE. The quarters share out
// its marks, in place.
func (b block) quarters() [4]block {
	var quarters [4]block
	half := b.side / 2
	rest := b.marks
	for i := range quarters {
		q := block{x: b.x + i%2*half, y: b.y + i/2*half, side: half}
		n := 0
		for j, m := range rest {
			if m.x >= q.x && m.x < q.x+half && m.y >= q.y && m.y < q.y+half {
				rest[n], rest[j] = m, rest[n]
				n++
			}
		}
		q.marks, rest = rest[:n:n], rest[n:]
		quarters[i] = q
	}
	return quarters
}

// leaf is a block of the zone left, or one cut from a to b into left and right.
type leaf struct {
	cut         bool
	left, right zone
	a, b        int
}

// leaf returns a block as a leaf, or false if it is to be split.
func (b block) leaf(cells []zone) (l leaf, ok bool) {
	zones := []zone{b.at(cells, 0, 0)}
	for _, m := range b.marks {
		if m.zone != zones[0] && m.zone != zones[len(zones)-1] {
			zones = append(zones, m.zone)
		}
	}
	switch {
	case len(zones) == 1:
		return leaf{left: zones[0]}, true
	case b.side == smallest:
		return leaf{left: b.most(cells)}, true
	case len(zones) == 2:
		return b.cut(cells)
	}
	return leaf{}, false
}

// at returns the zone of a cell of the block.
func (b block) at(cells []zone, x, y int) zone { return cells[(b.y+y)*tileSide+b.x+x] }

// most returns the zone with the most cells, the sea only if there is no other.
func (b block) most(cells []zone) zone {
	counts := map[zone]int{}
	best := sea
	for i := range b.side * b.side {
		z := b.at(cells, i%b.side, i/b.side)
		counts[z]++
		if z != sea && (best == sea || counts[z] > counts[best]) {
			best = z
		}
	}
	return best
}

// cut looks for the line that parts a block's two zones best within the
// tolerances. Its ends are sought around the places where the zones change on
// the block's rim: the nearest points need not be the best, and a ragged coast
// makes more than two changes.
func (b block) cut(cells []zone) (best leaf, ok bool) {
	rim := make([]zone, 4*(b.side-1))
	for i := range rim {
		x, y := b.rim(i)
		rim[i] = b.at(cells, x, y)
	}
	var changes []int
	for i, z := range rim {
		if z != rim[(i+len(rim)-1)%len(rim)] {
			changes = append(changes, i)
		}
	}
	if len(changes) > maxChanges {
		return leaf{}, false
	}
	marks := b.marks
	for i := 0; i < len(rim); i += b.side - 1 {
		x, y := b.rim(i)
		marks = append(marks, mark{b.x + x, b.y + y, rim[i]})
	}
	least := math.Inf(1)
	for _, from := range changes {
		for _, to := range changes {
			// Counterclockwise after a lies what is to the right of the line.
			l := leaf{cut: true, left: rim[to], right: rim[from]}
			if l.left == l.right {
				continue
			}
			for i := range (2*reach + 1) * (2*reach + 1) {
				l.a = wrap(b.point(from) - reach + i%(2*reach+1))
				l.b = wrap(b.point(to) - reach + i/(2*reach+1))
				if off := b.off(l, marks); off < least {
					best, least, ok = l, off, true
				}
			}
		}
	}
	return best, ok
}

// rim returns the i-th cell of the block's rim, counterclockwise from the
// south-west corner.
func (b block) rim(i int) (x, y int) {
	last := b.side - 1
	along := i % last
	switch i / last {
	case 0:
		return along, 0
	case 1:
		return last, along
	case 2:
		return last - along, last
	default:
		return 0, last - along
	}
}

// point returns the point of the outline nearest to where cell i of the rim
// meets the cell before it.
func (b block) point(i int) int {
	last := b.side - 1
	at := i/last*b.side + i%last
	if i%last == 0 {
		// A corner cell ends the edge that it is met on.
		at--
	}
	return int(math.Round(float64(at) * side / float64(b.side)))
}

// wrap brings a point of the outline into [0, 4 × side).
func wrap(point int) int { return (point + 4*side) % (4 * side) }

// off returns how far a line is off the cells' boundary: the distances of the
// marks on its wrong side, summed. Beyond a tolerance it is infinite.
func (b block) off(l leaf, marks []mark) float64 {
	if l.a == l.b {
		return math.Inf(1)
	}
	ax, ay := b.outline(l.a)
	bx, by := b.outline(l.b)
	dx, dy := bx-ax, by-ay
	length := math.Sqrt(float64(dx*dx + dy*dy))
	far, farSea := int(tolerance*subcell*length), int(seaTolerance*subcell*length)
	sum := 0
	for _, m := range marks {
		x, y := subcell*(m.x-b.x)+subcell/2, subcell*(m.y-b.y)+subcell/2
		left := dx*(y-ay) - dy*(x-ax)
		want, away := l.left, left
		if left < 0 {
			want, away = l.right, -left
		}
		if m.zone == want {
			continue
		}
		if away > far && (m.zone != sea || away > farSea) {
			return math.Inf(1)
		}
		sum += away
	}
	return float64(sum) / length
}

// outline returns a point of the block's outline, in subcells.
func (b block) outline(point int) (x, y int) {
	whole := subcell * b.side
	along := point % side * whole / side
	switch point / side {
	case 0:
		return along, 0
	case 1:
		return whole, along
	case 2:
		return whole - along, whole
	default:
		return 0, whole - along
	}
}
