package zone

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

const (
	magic = "zone\x01"

	// rows of tiles, one a degree of latitude, from the south.
	rows = 180
	// maxColumns bounds the tiles of a row, so that no file, however wrong,
	// takes more memory than rows × maxColumns × 4 bytes.
	maxColumns = 360

	// sea is the index of what no zone holds.
	sea = 0
	// divided marks a tile that holds more than one zone.
	divided = 1 << 31
)

var errShort = errors.New("unexpected end")

// grid is a parsed file. Nothing writes to it after parse.
type grid struct {
	// names by zone index; names[sea] is empty.
	names []string
	// first is the index in tiles of each row's westernmost tile; the last
	// entry closes the last row.
	first [rows + 1]int
	// tiles hold a zone index, or divided and an offset into trees.
	tiles []uint32
	// trees are the divided tiles, end to end, in the file itself.
	trees []byte
}

// at returns the index of the zone at a position: lat in [-90, 90], lon in
// [-180, 180).
func (g *grid) at(lat, lon float64) int {
	y := lat + 90
	row := min(int(y), rows-1)
	columns := g.first[row+1] - g.first[row]
	x := (lon + 180) / 360 * float64(columns)
	column := min(int(x), columns-1)
	t := g.tiles[g.first[row]+column]
	if t&divided == 0 {
		return int(t)
	}
	return openTree(g.trees[t&^divided:]).at(x-float64(column), y-float64(row))
}

// parse reads a file and checks all that a look-up relies on. It keeps data.
func parse(data []byte) (*grid, error) {
	r := &reader{data: data}
	if string(r.bytes(len(magic))) != magic {
		return nil, errors.New("not a zone file")
	}
	g := &grid{names: []string{sea: ""}}
	for range r.uint16() {
		g.names = append(g.names, string(r.bytes(int(r.uint8()))))
	}
	for row := range rows {
		columns := int(r.uint16())
		if r.err == nil && (columns == 0 || columns > maxColumns) {
			return nil, fmt.Errorf("row %d: %d tiles", row, columns)
		}
		g.first[row+1] = g.first[row] + columns
	}
	total := g.first[rows]
	g.tiles = make([]uint32, 0, total)
	size := uint64(0)
	for len(g.tiles) < total && r.err == nil {
		n := r.uvarint()
		if n&1 == 1 {
			g.tiles = append(g.tiles, divided|uint32(size))
			if n/2 > uint64(len(data))-size {
				return nil, errShort
			}
			size += n / 2
			continue
		}
		run := r.uvarint()
		if n/2 >= uint64(len(g.names)) || run > uint64(total-len(g.tiles)) {
			return nil, fmt.Errorf("tile %d: run of %d in zone %d", len(g.tiles), run, n/2)
		}
		for range run {
			g.tiles = append(g.tiles, uint32(n/2))
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	g.trees = r.data
	if size != uint64(len(g.trees)) {
		return nil, fmt.Errorf("%d bytes of divided tiles, want %d", len(g.trees), size)
	}
	end := len(g.trees)
	for i, t := range slices.Backward(g.tiles) {
		if t&divided == 0 {
			continue
		}
		start := int(t &^ divided)
		if err := checkTree(g.trees[start:end], len(g.names)); err != nil {
			return nil, fmt.Errorf("tile %d: %w", i, err)
		}
		end = start
	}
	return g, nil
}

// reader takes the file apart from the front. After err it returns zeros.
type reader struct {
	data []byte
	err  error
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.data) {
		r.data, r.err = nil, errShort
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) uint8() uint8 {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uint16() uint16 {
	if b := r.bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.data, r.err = nil, errShort
		return 0
	}
	r.data = r.data[n:]
	return v
}
