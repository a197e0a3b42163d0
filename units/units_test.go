package units_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/units"
)

// words lists what the crew hears; the arithmetic stands beside each.
func TestWords(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		said units.Spoken
		want string
	}{
		"8.5 m/s × 3600/1852 = 16.52 kn":         {units.Speed(8.5).Say(), "16.5 knots"},
		"1852/3600 m/s is one knot":              {units.Speed(1852.0 / 3600).Say(), "1 knot"},
		"no speed":                               {units.Speed(0).Say(), "0 knots"},
		"a depth":                                {units.Length(3.66).Metres(), "3.7 metres"},
		"a metre is singular":                    {units.Length(0.96).Metres(), "1 metre"},
		"no tenths from 100 m":                   {units.Length(250.4).Metres(), "250 metres"},
		"aground":                                {units.Length(-0.2).UnderKeel(), "the bottom is 0.2 metres above the keel, or the keel offset is wrong"},
		"afloat":                                 {units.Length(1.5).UnderKeel(), "1.5 metres below the keel"},
		"just touching is not above":             {units.Length(-0.04).UnderKeel(), "0 metres below the keel"},
		"near distance":                          {units.Length(438.2).Distance(), "438 metres"},
		"3148.6 m / 1852 = 1.70 NM":              {units.Length(3148.6).Distance(), "1.7 nautical miles"},
		"1852 m is one mile":                     {units.Length(1852).Distance(), "1 nautical mile"},
		"37040 m / 1852 = 20 NM":                 {units.Length(37040).Distance(), "20 nautical miles"},
		"negative cross-track is left":           {units.Length(-45.5).CrossTrack(), "46 metres left of track"},
		"positive cross-track is right":          {units.Length(12).CrossTrack(), "12 metres right of track"},
		"no side within half a metre":            {units.Length(-0.4).CrossTrack(), "on track"},
		"353.15 K − 273.15":                      {units.Temperature(353.15).Say(), "80 degrees Celsius"},
		"268.15 K − 273.15":                      {units.Temperature(268.15).Say(), "minus 5 degrees Celsius"},
		"minus zero":                             {units.Temperature(273.14).Say(), "0 degrees Celsius"},
		"1 K above":                              {units.Temperature(274.15).Say(), "1 degree Celsius"},
		"101325 Pa / 100":                        {units.Pressure(101325).Air(), "1013.3 hectopascals"},
		"350000 Pa / 100000":                     {units.Pressure(350000).Bar(), "3.5 bar"},
		"volts":                                  {units.Voltage(12.74).Say(), "12.7 volts"},
		"a negative battery current discharges":  {units.Current(-8.4).Battery(), "discharging at 8.4 amps"},
		"a positive one charges":                 {units.Current(20).Battery(), "charging at 20 amps"},
		"what rounds to zero has no direction":   {units.Current(-0.03).Battery(), "no current"},
		"a charger's positive current comes out": {units.Current(20).Source(), "delivering 20 amps"},
		"a charger's negative current goes in":   {units.Current(-1).Source(), "drawing 1 amp"},
		"watts":                                  {units.Power(55).Say(), "55 watts"},
		"kilowatts":                              {units.Power(12_340).Say(), "12.3 kilowatts"},
		"1440000 J / 3.6e6 = 0.4 kWh":            {units.Energy(1_440_000).Say(), "0.4 kilowatt hours"},
		"1440000 C / 3600 = 400 Ah":              {units.Charge(1_440_000).Say(), "400 amp hours"},
		"a ratio":                                {units.Ratio(0.34).Percent(), "34 percent"},
		"30.5 Hz × 60":                           {units.Frequency(30.5).Revolutions(), "1830 revolutions per minute"},
		"mains":                                  {units.Frequency(50.04).Say(), "50 hertz"},
		"0.12 m³":                                {units.Volume(0.12).Say(), "120 litres"},
		"0.0035 m³":                              {units.Volume(0.0035).Say(), "3.5 litres"},
		"1.2e-6 m³/s × 3.6e6 = 4.32 l/h":         {units.Flow(1.2e-6).Say(), "4.3 litres per hour"},
		"3603600 s / 3600":                       {units.Seconds(3_603_600).Hours(), "1001 hours"},
		"5400 s":                                 {units.Seconds(5400).Hours(), "1.5 hours"},
		"951.6 s = 15.9 min":                     {units.Seconds(951.6).Span(), "16 minutes"},
		"40 s":                                   {units.Seconds(40).Span(), "40 seconds"},
		"12000 s = 3 h 20 min":                   {units.Seconds(12_000).Span(), "3 hours 20 minutes"},
		"3599 s rounds to an hour":               {units.Seconds(3599).Span(), "1 hour"},
		"187200 s = 2 d 4 h":                     {units.Seconds(187_200).Span(), "2 days 4 hours"},
		"1.0 rad":                                {units.Angle(1).Bearing(units.Magnetic), "057 degrees magnetic"},
		"359.8° is 000":                          {units.Angle(6.2797).Bearing(units.True), "000 degrees true"},
		"−0.1 rad is 354.3°":                     {units.Angle(-0.1).Bearing(units.NoKnown), "354 degrees"},
		"wind from 317°":                         {units.Angle(317 * math.Pi / 180).From(units.True), "from 317 degrees true, North-West"},
		"port is negative":                       {units.Angle(-0.698).FromBow(), "40 degrees to port"},
		"5.585 rad is 320°, 40° to port":         {units.Angle(5.585).FromBow(), "40 degrees to port"},
		"starboard is positive":                  {units.Angle(0.0175).FromBow(), "1 degree to starboard"},
		"π has no side":                          {units.Angle(math.Pi).FromBow(), "dead astern"},
		"−π has no side":                         {units.Angle(-math.Pi).FromBow(), "dead astern"},
		"−179.8° rounds to astern":               {units.Angle(-179.8 * math.Pi / 180).FromBow(), "dead astern"},
		"0 has no side":                          {units.Angle(-0.001).FromBow(), "dead ahead"},
		"rudder to starboard is positive":        {units.Angle(0.0873).Rudder(), "5 degrees to starboard"},
		"roll is positive to starboard":          {units.Angle(-0.1745).Heel(), "10 degrees to port"},
		"upright":                                {units.Angle(0.001).Heel(), "upright"},
		"pitch is positive bow up":               {units.Angle(0.0349).Trim(), "2 degrees bow up"},
		"east variation is positive":             {units.Angle(0.1414).Variation(), "8.1 degrees East"},
		"west variation is negative":             {units.Angle(-0.2443).Variation(), "14 degrees West"},
		"0.0035 rad/s × 60 = 12.0° a minute":     {units.AngularRate(0.0035).Turn(), "12 degrees per minute to starboard"},
		"turning to port":                        {units.AngularRate(-0.0035).Turn(), "12 degrees per minute to port"},
		"a bare number":                          {units.Bare(1.23456, ""), "1.235"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, tt.said.Words)
		})
	}
}

// A number read aloud must not contradict the words.
func TestValueAgreesWithWords(t *testing.T) {
	t.Parallel()
	for _, s := range []units.Spoken{
		units.Speed(8.53).Say(), units.Length(3.66).Metres(), units.Length(123.4).Metres(), units.Temperature(281.37).Say(),
		units.Current(8.44).Battery(), units.Angle(1).Bearing(units.True), units.Ratio(0.345).Percent(), units.Frequency(30.51).Revolutions(),
		units.Angle(0.5).FromBow(), units.Length(40.4).CrossTrack(),
	} {
		assert.Contains(t, s.Words, strings.TrimPrefix(fmt.Sprint(s.Value), "-"))
	}
	assert.Equal(t, -8.4, units.Current(-8.4).Battery().Value, "the number keeps its sign")
	assert.Equal(t, -40.0, units.Angle(5.585).FromBow().Value, "port is negative whatever turn was sent")
	assert.Equal(t, -46.0, units.Length(-45.5).CrossTrack().Value)
	assert.Equal(t, 0.68, units.Ratio(0.6789).Fraction())
}

func TestAge(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second:              "a moment",
		0:                         "a moment",
		time.Second:               "1 second",
		40 * time.Second:          "40 seconds",
		481 * time.Second:         "8 minutes",
		89 * time.Minute:          "89 minutes",
		7201 * time.Second:        "about 2 hours",
		590 * time.Minute:         "about 10 hours",
		68 * time.Hour:            "about 3 days",
		36 * time.Hour:            "about 2 days",
		100 * 24 * time.Hour:      "about 3 months",
		1024 * 7 * 24 * time.Hour: "about 20 years", // 19.6
	} {
		assert.Equal(t, want, units.Age(d), d)
	}
}

func TestPosition(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		at   units.Position
		want string
	}{
		"minutes are 60 × the fraction": {units.Position{Latitude: 50.101, Longitude: -5.021}, "50 degrees 6.06 minutes North, 5 degrees 1.26 minutes West"},
		"south and east":                {units.Position{Latitude: -33.5, Longitude: 151.25}, "33 degrees 30.00 minutes South, 151 degrees 15.00 minutes East"},
		"one degree":                    {units.Position{Latitude: 1, Longitude: -1}, "1 degree 0.00 minutes North, 1 degree 0.00 minutes West"},
		"59.9999 minutes carry":         {units.Position{Latitude: 59.999999, Longitude: 0}, "60 degrees 0.00 minutes North, 0 degrees 0.00 minutes East"},
		"no minus zero":                 {units.Position{Latitude: -1e-9, Longitude: -1e-9}, "0 degrees 0.00 minutes North, 0 degrees 0.00 minutes East"},
		"out of range":                  {units.Position{Latitude: 91}, ""},
		"not a number":                  {units.Position{Latitude: math.NaN()}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, tt.at.Say())
		})
	}
}

func TestDistanceAndBearing(t *testing.T) {
	t.Parallel()
	// One degree of a great circle of the mean sphere: 2π × 6371008.8 / 360 = 111195.1 m.
	d, b := units.Position{Latitude: 60, Longitude: 24}.To(units.Position{Latitude: 61, Longitude: 24})
	assert.InDelta(t, 111195.1, float64(d), 0.1)
	assert.InDelta(t, 0, float64(b), 1e-12)
	d, b = units.Position{}.To(units.Position{Longitude: -1})
	assert.InDelta(t, 111195.1, float64(d), 0.1)
	assert.InDelta(t, 3*math.Pi/2, float64(b), 1e-12, "due west")
	d, _ = units.Position{Longitude: 179.5}.To(units.Position{Longitude: -179.5})
	assert.InDelta(t, 111195.1, float64(d), 0.1, "across the date line")
}

func TestCompassHasSixteenPoints(t *testing.T) {
	t.Parallel()
	want := strings.Split("North North-North-East North-East East-North-East East East-South-East South-East South-South-East "+
		"South South-South-West South-West West-South-West West West-North-West North-West North-North-West", " ")
	for i, w := range want {
		middle := float64(i) * 22.5
		for _, off := range []float64{-11, 0, 11} { // each point reaches 11.25° to either side
			assert.Equal(t, w, units.Angle((middle+off)*math.Pi/180).Compass(), "%v degrees", middle+off)
		}
	}
}

func TestWrapStaysInRange(t *testing.T) {
	t.Parallel()
	in := func(x float64) bool {
		if math.Abs(x) > 1e6 { // a million radians: beyond it the fraction of a turn is lost
			x = math.Mod(x, 1e6)
		}
		a := units.Angle(x)
		w, s := a.Wrap(), a.WrapSigned()
		b := a.Bearing(units.True)
		return w >= 0 && w < 2*math.Pi && s > -math.Pi-1e-9 && s <= math.Pi && b.Value >= 0 && b.Value < 360 &&
			math.Abs(math.Sin(float64(w))-math.Sin(x)) < 1e-6 && math.Abs(math.Cos(float64(s))-math.Cos(x)) < 1e-6
	}
	require.NoError(t, quick.Check(in, nil))
	for _, x := range []float64{0, -0.0, math.Pi, -math.Pi, 2 * math.Pi, -2 * math.Pi, -1e-17, math.Nextafter(2*math.Pi, 0)} {
		assert.True(t, in(x), x)
	}
}

// everything says one number in every way there is.
func everything(x float64) []units.Spoken {
	a := units.Angle(x)
	return []units.Spoken{
		units.Speed(x).Say(), units.Length(x).Metres(), units.Length(x).Distance(), units.Length(x).UnderKeel(), units.Length(x).CrossTrack(),
		units.Temperature(x).Say(), units.Pressure(x).Air(), units.Pressure(x).Bar(), units.Voltage(x).Say(),
		units.Current(x).Say(), units.Current(x).Battery(), units.Current(x).Source(), units.Power(x).Say(), units.Energy(x).Say(),
		units.Charge(x).Say(), units.Ratio(x).Percent(), units.Frequency(x).Say(), units.Frequency(x).Revolutions(),
		units.Volume(x).Say(), units.Flow(x).Say(), units.Seconds(x).Hours(), units.Seconds(x).Span(),
		a.Bearing(units.True), a.From(units.True), a.FromBow(), a.Rudder(), a.Heel(), a.Trim(), a.Variation(), a.Size(), a.Turned(),
		units.AngularRate(x).Turn(), units.Bare(x, "things"),
	}
}

func TestNothingThatIsNoNumberIsSaid(t *testing.T) {
	t.Parallel()
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300} {
		for i, s := range everything(x) {
			assert.False(t, s.Known(), "%v said as %q (%d)", x, s.Words, i)
			assert.Zero(t, s.Value)
		}
	}
}

func TestNoSignAndNoMinusZeroIsSaid(t *testing.T) {
	t.Parallel()
	check := func(x float64) bool {
		ok := true
		for _, s := range everything(x) {
			ok = ok && !strings.ContainsAny(s.Words, "+°%/_") && !strings.HasPrefix(s.Words, "-") && !strings.Contains(s.Words, " -") &&
				!strings.Contains(s.Words, "minus 0 ") && !(s.Value == 0 && math.Signbit(s.Value)) && !math.IsNaN(s.Value) && !math.IsInf(s.Value, 0)
			if !ok {
				t.Logf("%v: %+v", x, s)
				return false
			}
		}
		return ok
	}
	for _, x := range []float64{0, math.Copysign(0, -1), -1e-9, 1e-9, -0.049, 0.5, -0.5, 1, -1, 273.15, 273.149, math.Pi, -math.Pi} {
		assert.True(t, check(x))
	}
	require.NoError(t, quick.Check(func(x float64) bool { return check(math.Mod(x, 1e8)) }, nil))
}

func TestRoundIsHalfAwayFromZero(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 0.3, units.Round(0.25, 1))
	assert.Equal(t, -0.3, units.Round(-0.25, 1))
	assert.Equal(t, 3.0, units.Round(2.5, 0))
	assert.False(t, math.Signbit(units.Round(-0.04, 1)), "no minus zero")
	once := func(x float64, d uint8) bool {
		r := units.Round(x, int(d%5))
		return r == units.Round(r, int(d%5))
	}
	require.NoError(t, quick.Check(func(x float64, d uint8) bool { return once(math.Mod(x, 1e9), d) }, nil))
}

func ExampleAngle_FromBow() {
	fmt.Println(units.Angle(-0.698).FromBow().Words)
	// Output: 40 degrees to port
}
