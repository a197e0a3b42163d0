// Package zone finds the IANA time zone at a position, without a network, from
// boundaries packed into the binary. [At] knows land and territorial water, out
// to 12 NM; past that a ship keeps the time of its meridian:
//
//	name, ok := zone.At(lat, lon)
//	if !ok {
//		name = zone.Nautical(lon)
//	}
//	loc, err := time.LoadLocation(name)
//
// # The file
//
// The module in gen makes zones.bin. LICENSE-DATA says from what and on which
// terms, agreement.json how well it matches. Integers are little-endian:
//
//	"zone\x01"
//	uint16       number of zones, then of each: uint8 length, name
//	180×uint16   number of tiles in each degree of latitude, from the south:
//	             as many as make them about square
//	uvarint...   index of the tiles, from 180° W eastward, row after row. Even
//	             n: a run of tiles in zone n/2 (0 the sea, k the k-th name), as
//	             long as the next uvarint says. Odd n: a divided tile, n/2 bytes
//	then the divided tiles in the same order, each a quadtree:
//	uint8        z zones (low half of the byte) in p pairs (high half)
//	z×uint16     the zones
//	p×uint8      the pairs, of those: left (low half) and right (high half)
//	uint16       s, the number of nodes that are split
//	4s+1 bits    split or not: the nodes in level order, quarters as SW SE NW NE
//	3s+1 bits    cut or whole: the leaves in the same order
//	w(z) bits    the zone, of each whole leaf; w(n) is the length of n-1
//	10+w(p) bits of each cut leaf, where a straight line cuts it: from (5 bits)
//	             and to (5) where on the outline, in eighths of a side from SW
//	             counterclockwise, and the pair to its left and right
//
// Bits fill bytes from the least significant.
package zone
