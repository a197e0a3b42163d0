package zone

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

const (
	// side of a leaf, in the units that the ends of a cut are counted in.
	side = 8
	// endBits hold a point on the outline of a leaf, one of 4 × side.
	endBits = 5
)

// tree is a divided tile with its sections told apart. It points into the file
// and is passed by value, so that a look-up allocates nothing.
type tree struct {
	zones  []byte // two bytes each
	pairs  []byte
	stream bitString
	// The bit where each section of the stream starts; the first is at 0.
	kinds, whole, lines int
	// The bits of an entry in the last two sections.
	wholeBits, lineBits int
}

// openTree reads the head of a divided tile, which checkTree has passed.
func openTree(b []byte) tree {
	z, p := int(b[0]&15), int(b[0]>>4)
	b = b[1:]
	splits := int(binary.LittleEndian.Uint16(b[2*z+p:]))
	t := tree{
		zones:     b[:2*z],
		pairs:     b[2*z : 2*z+p],
		stream:    bitString(b[2*z+p+2:]),
		kinds:     4*splits + 1,
		whole:     7*splits + 2,
		wholeBits: width(z),
		lineBits:  2*endBits + width(p),
	}
	t.lines = t.whole + (t.whole-t.kinds-t.stream.ones(t.kinds, t.whole))*t.wholeBits
	return t
}

// at returns the index of the zone at x, y: from the south-west corner, in
// sides of the tile.
func (t tree) at(x, y float64) int {
	// In level order the quarters of the n-th split node are nodes 4n+1 to
	// 4n+4, so that counting split bits is all the navigation there is.
	node, splits := 0, 0
	for t.stream.bit(node) {
		x, y = 2*x, 2*y
		quarter := 4*splits + 1
		if x >= 1 {
			x--
			quarter++
		}
		if y >= 1 {
			y--
			quarter += 2
		}
		splits += t.stream.ones(node, quarter)
		node = quarter
	}
	kind := t.kinds + node - splits
	cuts := t.stream.ones(t.kinds, kind)
	if !t.stream.bit(kind) {
		whole := kind - t.kinds - cuts
		return t.zone(t.stream.field(t.whole+whole*t.wholeBits, t.wholeBits))
	}
	line := t.stream.field(t.lines+cuts*t.lineBits, t.lineBits)
	ax, ay := outline(line % (4 * side))
	bx, by := outline(line >> endBits % (4 * side))
	pair := t.pairs[line>>(2*endBits)]
	if (bx-ax)*(y-ay) >= (by-ay)*(x-ax) {
		return t.zone(int(pair & 15))
	}
	return t.zone(int(pair >> 4))
}

// zone returns the index of the tile's n-th zone.
func (t tree) zone(n int) int { return int(binary.LittleEndian.Uint16(t.zones[2*n:])) }

// outline returns point p of a leaf's outline, in sides of the leaf.
func outline(p int) (x, y float64) {
	along := float64(p%side) / side
	switch p / side {
	case 0:
		return along, 0
	case 1:
		return 1, along
	case 2:
		return 1 - along, 1
	default:
		return 0, 1 - along
	}
}

// checkTree reports what in a divided tile would lead a look-up out of it.
func checkTree(b []byte, names int) error {
	if len(b) == 0 {
		return errShort
	}
	z, p := int(b[0]&15), int(b[0]>>4)
	if z == 0 {
		return errors.New("no zones")
	}
	if len(b) < 1+2*z+p+2 {
		return errShort
	}
	splits := int(binary.LittleEndian.Uint16(b[1+2*z+p:]))
	if 8*len(b[1+2*z+p+2:]) < 7*splits+2 {
		return errShort
	}
	t := openTree(b)
	// One split for each four nodes but the root: the walk in at then moves
	// forward at every step and stays among the nodes.
	if n := t.stream.ones(0, t.kinds); n != splits {
		return fmt.Errorf("%d nodes are split, want %d", n, splits)
	}
	cuts := t.stream.ones(t.kinds, t.whole)
	if bitLen := t.lines + cuts*t.lineBits; len(t.stream) != (bitLen+7)/8 {
		return fmt.Errorf("%d bytes of tree, want %d bits", len(t.stream), bitLen)
	}
	for i := range z {
		if t.zone(i) >= names {
			return fmt.Errorf("zone %d of %d", t.zone(i), names)
		}
	}
	for _, pair := range t.pairs {
		if max(int(pair&15), int(pair>>4)) >= z {
			return fmt.Errorf("pair %#x of %d zones", pair, z)
		}
	}
	// Where every value of a field is a zone or a pair, as in most tiles, there
	// is nothing to check; reading the others takes most of parse's time.
	for pos := t.whole; pos < t.lines && z < 1<<t.wholeBits; pos += t.wholeBits {
		if t.stream.field(pos, t.wholeBits) >= z {
			return errors.New("whole leaf of no zone")
		}
	}
	for i := 0; i < cuts && p < 1<<(t.lineBits-2*endBits); i++ {
		if t.stream.field(t.lines+i*t.lineBits, t.lineBits)>>(2*endBits) >= p {
			return errors.New("cut leaf of no pair")
		}
	}
	return nil
}

// width returns the bits that hold a number below n.
func width(n int) int { return bits.Len(uint(max(n-1, 0))) }

// bitString counts bits from the least significant of the first byte.
type bitString []byte

func (b bitString) bit(i int) bool { return b[i/8]>>(i%8)&1 == 1 }

// ones returns how many bits are set from from up to, not including, to.
func (b bitString) ones(from, to int) int {
	n := 0
	for ; from < to && from%8 != 0; from++ {
		n += int(b[from/8] >> (from % 8) & 1)
	}
	for ; to-from >= 64; from += 64 {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(b[from/8:]))
	}
	for ; to-from >= 8; from += 8 {
		n += bits.OnesCount8(b[from/8])
	}
	if from < to {
		n += bits.OnesCount8(b[from/8] << (8 - (to - from)))
	}
	return n
}

// field returns the n bits at pos, the first of them the least significant.
func (b bitString) field(pos, n int) int {
	v := 0
	for got := 0; got < n; {
		i, off := pos+got, (pos+got)%8
		v |= int(b[i/8]>>off) << got
		got += 8 - off
	}
	return v & (1<<n - 1)
}
