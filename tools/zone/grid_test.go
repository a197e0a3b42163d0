package zone

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stream writes bits, least significant of a byte first, from '0' and '1'.
func stream(bits ...string) []byte {
	var out []byte
	n := 0
	for _, s := range bits {
		for _, c := range s {
			if n%8 == 0 {
				out = append(out, 0)
			}
			out[n/8] |= uint8(c-'0') << (n % 8)
			n++
		}
	}
	return out
}

// plane is a world of one tile a row, all sea but the first degree north of the
// equator, which is divided, and A north of that. The divided tile:
//
//	NW  B         NE  sea
//	SW  A         SE  A above, B below the diagonal from SW to NE
func plane() []byte {
	out := []byte(magic)
	out = append(out, 2, 0, 1, 'A', 1, 'B')
	for range rows {
		out = binary.LittleEndian.AppendUint16(out, 1)
	}
	tree := []byte{1<<4 | 3, 1, 0, 2, 0, 0, 0, 1<<4 | 0, 1, 0}
	tree = append(tree, stream(
		"10000", // the root is split
		"0100",  // SE is cut
		"00",    // SW: zone 0, A
		"10",    // NW: zone 1, B
		"01",    // NE: zone 2, the sea
		"00000"+ // from eighth 0, the SW corner,
			"00001", // to eighth 16, the NE corner; the only pair takes no bits
	)...)
	out = append(out, 0*2, 90)              // 90 tiles of sea
	out = append(out, uint8(len(tree)*2+1)) // the divided one
	out = append(out, 1*2, 89)              // 89 of A
	return append(out, tree...)
}

func TestGridAt(t *testing.T) {
	g, err := parse(plane())
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		lat, lon float64
		want     string
	}{
		"a row of sea":             {-0.001, 0, ""},
		"the south pole":           {-90, 0, ""},
		"a row of A":               {1, 0, "A"},
		"the north pole":           {90, 0, "A"},
		"SW":                       {0.25, -90, "A"},
		"NW":                       {0.75, -90, "B"},
		"NE":                       {0.75, 90, ""},
		"SE, 80 % up at half way":  {0.4, 90, "A"},
		"SE, 20 % up at half way":  {0.1, 90, "B"},
		"SE, 51 % up at half way":  {0.255, 90, "A"},
		"SE, 49 % up at half way":  {0.245, 90, "B"},
		"quarters start in the SW": {0.5, 0, ""},
		"the tile's SW corner":     {0, -180, "A"},
		"close to its NE corner":   {0.999, 179.999, ""},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tt.want, g.names[g.at(tt.lat, tt.lon)]) })
	}
}

func TestParseShort(t *testing.T) {
	whole := plane()
	for n := range whole {
		_, err := parse(whole[:n])
		assert.Error(t, err, "%d bytes", n)
	}
	_, err := parse(append(whole, 0))
	assert.Error(t, err)
}

// TestParseFlipped spoils one bit at a time. Not every error shows, but none may
// lead a look-up out of the file.
func TestParseFlipped(t *testing.T) {
	file := plane()
	for i := range 8 * len(file) {
		file[i/8] ^= 1 << (i % 8)
		lookAround(t, file)
		file[i/8] ^= 1 << (i % 8)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(plane())
	f.Fuzz(lookAround)
}

func lookAround(t *testing.T, file []byte) {
	g, err := parse(file)
	if err != nil {
		return
	}
	require.LessOrEqual(t, len(g.tiles), rows*maxColumns)
	for lat := -89.9; lat < 90; lat += 0.23 {
		for lon := -180.0; lon < 180; lon += 37 {
			require.Less(t, g.at(lat, lon), len(g.names))
		}
	}
}

func TestBitString(t *testing.T) {
	// 20 bytes of 0b01101101, bits 0 2 3 5 6 of each.
	b := make(bitString, 20)
	set := func(i int) bool { m := i % 8; return m == 0 || m == 2 || m == 3 || m == 5 || m == 6 }
	for i := range b {
		b[i] = 0b01101101
	}
	for from := range 8 * len(b) {
		n := 0
		for to := from; to < 8*len(b); to++ {
			require.Equal(t, n, b.ones(from, to), "%d to %d", from, to)
			if set(to) {
				n++
			}
		}
		require.Equal(t, set(from), b.bit(from))
	}
	assert.Equal(t, 0b101101, b.field(0, 6))
	assert.Equal(t, 0b1101101_01, b.field(6, 9), "bits 6 and 7, then seven of the next byte")
	assert.Zero(t, b.field(3, 0))
}

func BenchmarkAt(b *testing.B) {
	for name, tt := range map[string]struct{ lat, lon, span float64 }{
		"sea":    {20, -50, 10},
		"coast":  {53, 4, 4},
		"border": {38, -87, 2}, // Indiana and Kentucky, where counties choose
	} {
		b.Run("place="+name, func(b *testing.B) {
			world()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				// Steps by the golden ratio spread over the square.
				x, y := float64(i%1000)*0.618034, float64(i%997)*0.754878
				At(tt.lat+tt.span*(x-float64(int(x))), tt.lon+tt.span*(y-float64(int(y))))
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parse(packed); err != nil {
			b.Fatal(err)
		}
	}
}
