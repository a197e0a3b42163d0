package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync"
)

// pack returns the boundaries in the format that package zone documents.
func pack(b *boundaries) ([]byte, error) {
	type done struct {
		index, trees []byte
		err          error
	}
	var packed [rows]done
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for n := range next {
				index, trees, err := packRow(b, n)
				packed[n] = done{index, trees, err}
			}
		})
	}
	for n := range rows {
		next <- n
	}
	close(next)
	wg.Wait()

	out := []byte("zone\x01")
	out = binary.LittleEndian.AppendUint16(out, uint16(len(b.names)-1))
	for _, name := range b.names[1:] {
		out = append(out, uint8(len(name)))
		out = append(out, name...)
	}
	for n := range rows {
		out = binary.LittleEndian.AppendUint16(out, uint16(columns(n)))
	}
	for n, p := range packed {
		if p.err != nil {
			return nil, fmt.Errorf("latitude %d: %w", n-90, p.err)
		}
		out = append(out, p.index...)
	}
	for _, p := range packed {
		out = append(out, p.trees...)
	}
	return out, nil
}

// packRow packs a row of tiles into its part of the index and its trees.
func packRow(b *boundaries, n int) (index, trees []byte, err error) {
	r := newRow(b, n)
	cells := make([]zone, tileSide*tileSide)
	start, same := 0, sea // the run of tiles that is not in the index yet
	flush := func(end int) {
		if end > start {
			index = binary.AppendUvarint(index, uint64(same)*2)
			index = binary.AppendUvarint(index, uint64(end-start))
		}
		start = end
	}
	for column := range r.columns {
		var splits []bool
		leaves := []leaf{{}}
		if r.paint(column, cells) {
			leaves[0].left = cells[0]
		} else {
			splits, leaves = divide(cells)
		}
		if len(leaves) == 1 && !leaves[0].cut {
			if leaves[0].left != same {
				flush(column)
				same = leaves[0].left
			}
			continue
		}
		flush(column)
		start = column + 1
		tree, err := encode(splits, leaves)
		if err != nil {
			return nil, nil, fmt.Errorf("column %d: %w", column, err)
		}
		index = binary.AppendUvarint(index, uint64(len(tree))*2+1)
		trees = append(trees, tree...)
	}
	flush(r.columns)
	return index, trees, nil
}

// divide returns the tree of a tile: of each node in level order whether it is
// split, and those that are not.
func divide(cells []zone) (splits []bool, leaves []leaf) {
	blocks := []block{{side: tileSide, marks: marksOf(cells)}}
	for len(blocks) > 0 {
		b := blocks[0]
		blocks = blocks[1:]
		l, ok := b.leaf(cells)
		splits = append(splits, !ok)
		if ok {
			leaves = append(leaves, l)
		} else {
			quarters := b.quarters()
			blocks = append(blocks, quarters[:]...)
		}
	}
	return splits, leaves
}

// encode writes a divided tile.
func encode(splits []bool, leaves []leaf) ([]byte, error) {
	var zones []zone
	var pairs [][2]zone
	for i, l := range leaves {
		if l.cut && l.left > l.right {
			// The line the other way, so that a pair has one order.
			l = leaf{cut: true, left: l.right, right: l.left, a: l.b, b: l.a}
			leaves[i] = l
		}
		if !slices.Contains(zones, l.left) {
			zones = append(zones, l.left)
		}
		if l.cut && !slices.Contains(zones, l.right) {
			zones = append(zones, l.right)
		}
		if pair := [2]zone{l.left, l.right}; l.cut && !slices.Contains(pairs, pair) {
			pairs = append(pairs, pair)
		}
	}
	if max(len(zones), len(pairs)) > 15 {
		return nil, fmt.Errorf("%d zones in %d pairs in one tile", len(zones), len(pairs))
	}
	out := []byte{uint8(len(pairs)<<4 | len(zones))}
	for _, z := range zones {
		out = binary.LittleEndian.AppendUint16(out, uint16(z))
	}
	for _, pair := range pairs {
		out = append(out, uint8(slices.Index(zones, pair[1])<<4|slices.Index(zones, pair[0])))
	}
	split := (len(leaves) - 1) / 3
	if split > 0xffff {
		return nil, errors.New("too many nodes in one tile")
	}
	out = binary.LittleEndian.AppendUint16(out, uint16(split))
	var w bitWriter
	for _, s := range splits {
		w.bit(s)
	}
	for _, l := range leaves {
		w.bit(l.cut)
	}
	for _, l := range leaves {
		if !l.cut {
			w.field(slices.Index(zones, l.left), width(len(zones)))
		}
	}
	for _, l := range leaves {
		if l.cut {
			w.field(l.a, width(4*side))
			w.field(l.b, width(4*side))
			w.field(slices.Index(pairs, [2]zone{l.left, l.right}), width(len(pairs)))
		}
	}
	return append(out, w.bytes...), nil
}

// width returns the bits that hold a number below n.
func width(n int) int { return bits.Len(uint(n - 1)) }

// bitWriter fills bytes from the least significant bit.
type bitWriter struct {
	bytes []byte
	n     int // bits written
}

func (w *bitWriter) bit(set bool) {
	if w.n%8 == 0 {
		w.bytes = append(w.bytes, 0)
	}
	if set {
		w.bytes[w.n/8] |= 1 << (w.n % 8)
	}
	w.n++
}

func (w *bitWriter) field(v, n int) {
	for i := range n {
		w.bit(v>>i&1 == 1)
	}
}
