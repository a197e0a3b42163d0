package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strconv"

	"github.com/ringsaturn/tzf"
	lite "github.com/ringsaturn/tzf-rel-lite"
	pb "github.com/ringsaturn/tzf/gen/go/tzf/v1"
	"google.golang.org/protobuf/proto"

	packed "signalk-mcp/tools/zone"
)

// report says how often package zone names the same zone as each of two finders
// of tzf. All nautical zones count as one, the sea.
type report struct {
	Data string `json:"data"`
	// Default is the finder that tzf recommends. It answers most positions from
	// tiles and misses boundaries by up to 2 km where those are wrong.
	Default *comparison `json:"tzf_default_finder"`
	// Polygons looks into the outlines alone, and asks Default in slivers.
	Polygons *comparison `json:"tzf_polygons"`
}

type comparison struct {
	Random map[string]tally `json:"random_points"`
	Ports  map[string]tally `json:"ports"`
	// Differ lists the points around ports where the two differ.
	Differ []difference `json:"ports_differ"`
}

// tally counts points of one kind.
type tally struct {
	Points  int     `json:"points"`
	Agree   int     `json:"agree"`
	Percent float64 `json:"percent"`
}

func (t *tally) add(agree bool) {
	t.Points++
	if agree {
		t.Agree++
	}
	t.Percent = math.Floor(1e4*float64(t.Agree)/float64(t.Points)) / 100
}

type difference struct {
	Port    string  `json:"port"`
	Km      float64 `json:"km"`
	Bearing int     `json:"bearing"`
	Zone    string  `json:"zone"`
	TZF     string  `json:"tzf"`
}

const (
	// samples of each kind of random points.
	samples = 20_000
	// coastal is how close to the sea a point in a zone must be to count as
	// coastal: the width of territorial water, 12 NM, and as much ashore.
	coastal = 44.4
	// bordering is how close to another zone a point must be to count as such.
	bordering = 5
	// earth is a degree of latitude in kilometres.
	earth = 111.195
)

// finder returns the zone at a position, empty at sea.
type finder func(lat, lon float64) string

// newReport measures the packed boundaries against both finders of tzf.
func newReport(ports []port) (*report, error) {
	tiles, err := tzf.NewDefaultFinder()
	if err != nil {
		return nil, err
	}
	var in pb.Timezones
	if err := proto.Unmarshal(lite.LiteData, &in); err != nil {
		return nil, err
	}
	polygons, err := tzf.NewFinderFromPB(&in, tzf.SetDropPBTZ)
	if err != nil {
		return nil, err
	}
	find := func(finders ...tzf.F) finder {
		return func(lat, lon float64) string {
			for _, f := range finders {
				if name := f.GetTimezoneName(lon, lat); nautical(name) {
					return ""
				} else if name != "" {
					return name
				}
			}
			return ""
		}
	}
	return &report{
		Data:     "tzf-rel-lite v0.0.2025-b2, of release " + in.Version,
		Default:  compare(find(tiles), find(tiles), ports),
		Polygons: compare(find(polygons, tiles), find(tiles), ports),
	}, nil
}

// compare measures at random points, always the same, and around ports. Which
// points are on a coast or near a border is asked of sorter, which may be rough
// if it is quick.
func compare(reference, sorter finder, ports []port) *comparison {
	agree := func(lat, lon float64) bool {
		name, _ := packed.At(lat, lon)
		return name == reference(lat, lon)
	}
	// around tells whether a point so far off in some direction passes.
	around := func(lat, lon, km float64, passes func(name string) bool) bool {
		for bearing := 0; bearing < 360; bearing += 45 {
			if passes(sorter(move(lat, lon, km, bearing))) {
				return true
			}
		}
		return false
	}
	c := &comparison{Random: map[string]tally{}, Ports: map[string]tally{}}
	for kind, wanted := range map[string]func(lat, lon float64) bool{
		"sphere": func(lat, lon float64) bool { return true },
		"land":   func(lat, lon float64) bool { return sorter(lat, lon) != "" },
		"coast": func(lat, lon float64) bool {
			return sorter(lat, lon) != "" && around(lat, lon, coastal, func(name string) bool { return name == "" })
		},
		"border": func(lat, lon float64) bool {
			here := sorter(lat, lon)
			return around(lat, lon, bordering, func(name string) bool { return name != here })
		},
	} {
		random := rand.New(rand.NewPCG(1, 2))
		var t tally
		for t.Points < samples {
			lat := math.Asin(2*random.Float64()-1) * 180 / math.Pi
			lon := 360*random.Float64() - 180
			if wanted(lat, lon) {
				t.add(agree(lat, lon))
			}
		}
		c.Random[kind] = t
	}
	for _, p := range ports {
		for _, km := range []float64{0, 1, 3, 10} {
			kind := fmt.Sprintf("%g km", km)
			for bearing := 0; bearing < 360; bearing += 45 {
				lat, lon := move(p.lat, p.lon, km, bearing)
				t := c.Ports[kind]
				t.add(agree(lat, lon))
				c.Ports[kind] = t
				if !agree(lat, lon) {
					name, _ := packed.At(lat, lon)
					c.Differ = append(c.Differ, difference{p.name, km, bearing, name, reference(lat, lon)})
				}
				if km == 0 {
					break
				}
			}
		}
	}
	return c
}

// move returns the point so many kilometres off on a bearing in degrees, close
// enough on a sphere for the few kilometres asked.
func move(lat, lon, km float64, bearing int) (float64, float64) {
	sin, cos := math.Sincos(float64(bearing) * math.Pi / 180)
	north := min(max(lat+km*cos/earth, -90), 90)
	return north, lon + km*sin/earth/max(math.Cos(lat*math.Pi/180), 0.01)
}

// port is a harbour by name, with its position in degrees.
type port struct {
	name     string
	lat, lon float64
}

// readPorts reads the table that the tests of package zone use.
func readPorts(path string) ([]port, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	if _, err := r.Read(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var ports []port
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return ports, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		lat, errLat := strconv.ParseFloat(record[1], 64)
		lon, errLon := strconv.ParseFloat(record[2], 64)
		if err := errors.Join(errLat, errLon); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, record[0], err)
		}
		ports = append(ports, port{record[0], lat, lon})
	}
}

// agreement returns the report as the text of agreement.json.
func agreement(ports string) ([]byte, error) {
	p, err := readPorts(ports)
	if err != nil {
		return nil, err
	}
	r, err := newReport(p)
	if err != nil {
		return nil, err
	}
	out, err := json.MarshalIndent(r, "", "  ")
	return append(out, '\n'), err
}
