package zone_test

import (
	"fmt"

	"signalk-mcp/tools/zone"
)

func Example() {
	for _, p := range []struct {
		name     string
		lat, lon float64
	}{
		{"Tornio", 65.758, 24.172},
		{"Haparanda, across the river", 65.835, 24.130},
		{"half way to the Azores", 40, -18},
	} {
		name, ok := zone.At(p.lat, p.lon)
		if !ok {
			name = zone.Nautical(p.lon)
		}
		fmt.Printf("%s: %s\n", p.name, name)
	}
	// Output:
	// Tornio: Europe/Helsinki
	// Haparanda, across the river: Europe/Stockholm
	// half way to the Azores: Etc/GMT+1
}
