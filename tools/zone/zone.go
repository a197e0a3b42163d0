package zone

import (
	_ "embed"
	"fmt"
	"math"
	"sync"
)

//go:generate go -C gen run -mod=mod . grid -o ../zones.bin
//go:generate go -C gen run -mod=mod . agree -o ../agreement.json

//go:embed zones.bin
var packed []byte

// world is the embedded grid, read at the first call. What does not parse was
// built wrong, and no caller can mend it.
var world = sync.OnceValue(func() *grid {
	g, err := parse(packed)
	if err != nil {
		panic(fmt.Sprintf("zone: zones.bin: %v", err))
	}
	return g
})

// At returns the IANA name of the time zone whose land or territorial water
// holds a position in degrees, WGS84: lat north, lon east, lon wrapping at 360.
// ok is false at sea, outside every territorial zone, and for a latitude beyond
// ±90 or a number that is not finite.
//
// A boundary is where the source has it, which is simplified to 110 m itself,
// within 160 m as a rule and 0.6 km at the worst that sampling found. The sea
// beside a territorial limit may be given to the shore for up to 1.4 km: a boat
// that close keeps shore time. Where claims overlap, At names the first of the
// source. At may be called from any goroutine; only the first call allocates, to
// read the tiles' index.
func At(lat, lon float64) (name string, ok bool) {
	// Written so that NaN fails too.
	if !(math.Abs(lat) <= 90) || math.IsNaN(lon) || math.IsInf(lon, 0) {
		return "", false
	}
	g := world()
	z := g.at(lat, wrap(lon))
	return g.names[z], z != sea
}

// Nautical returns the IANA name of the nautical time zone of a longitude in
// degrees, east positive, wrapping at 360: zones 15° wide, the zero zone centred
// on Greenwich, so that its edges lie at 7.5° E and W (Anglo-French Conference
// on Time-keeping at Sea, 1917). An edge belongs to the zone east of it; the
// 180th meridian, where the zone of 12 hours changes sign, counts as west.
//
// Names have the sign of POSIX: Etc/GMT-2 is two hours ahead of UTC and lies
// east. The zero zone is Etc/UTC rather than Etc/GMT, because "GMT" is heard as
// London time, which in summer it is not. A longitude that is not finite gets
// Etc/UTC as well, the time a ship keeps that does not know where it is.
func Nautical(lon float64) string {
	if math.IsNaN(lon) || math.IsInf(lon, 0) {
		return nautical[12]
	}
	return nautical[12+int(math.Floor((wrap(lon)+7.5)/15))]
}

// nautical holds the names of the zones from 12 hours behind UTC to 12 ahead.
var nautical = [25]string{
	"Etc/GMT+12", "Etc/GMT+11", "Etc/GMT+10", "Etc/GMT+9", "Etc/GMT+8",
	"Etc/GMT+7", "Etc/GMT+6", "Etc/GMT+5", "Etc/GMT+4", "Etc/GMT+3",
	"Etc/GMT+2", "Etc/GMT+1", "Etc/UTC", "Etc/GMT-1", "Etc/GMT-2",
	"Etc/GMT-3", "Etc/GMT-4", "Etc/GMT-5", "Etc/GMT-6", "Etc/GMT-7",
	"Etc/GMT-8", "Etc/GMT-9", "Etc/GMT-10", "Etc/GMT-11", "Etc/GMT-12",
}

// wrap brings a finite longitude into [-180, 180).
func wrap(lon float64) float64 {
	lon = math.Mod(lon, 360)
	switch {
	case lon >= 180:
		return lon - 360
	case lon < -180:
		return lon + 360
	}
	return lon
}
