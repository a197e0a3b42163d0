package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"signalk-mcp/mock"
	"signalk-mcp/tools"
)

// situation is a state of a boat with one question about it.
type situation struct {
	name string
	sent []sent
	read func(context.Context, reader) finding
	tool string
	// arguments of the tool, and the member of its result that has the number.
	arguments, member string
	// truth is what is so on the boat; nil where there is no number that could be
	// said as what is now.
	truth *float64
	words string
	// tolerance of the answer: what rounding for speech takes.
	tolerance float64
}

// sent is a value that the boat sent so long ago.
type sent struct {
	path  string
	value any
	ago   time.Duration
}

func is(x float64) *float64 { return &x }

const (
	transducerDepth = "environment.depth.belowTransducer"
	keelDepth       = "environment.depth.belowKeel"
	keelOffset      = "environment.depth.transducerToKeel"
	houseCurrent    = "electrical.batteries.house.current"
	houseVoltage    = "electrical.batteries.house.voltage"
	heading         = "navigation.headingTrue"
	wind            = "environment.wind.speedApparent"
	water           = "environment.water.temperature"
)

func readDepth(ctx context.Context, r reader) finding   { return r.depth(ctx) }
func readCurrent(ctx context.Context, r reader) finding { return r.current(ctx, "house") }

// situations are those in which an answer goes wrong easily. In all with an
// offset the transducer is half a metre above the keel's lower end.
var situations = []situation{
	{
		name: "keel offset stored as −0.5", sent: []sent{{transducerDepth, 4.2, 0}, {keelOffset, -0.5, 0}},
		read: readDepth, tool: "depth_state", member: "below_keel_m", truth: is(3.7), words: "3.7 m under the keel", tolerance: 0.06,
	},
	{
		name: "keel offset stored as 0.5", sent: []sent{{transducerDepth, 4.2, 0}, {keelOffset, 0.5, 0}},
		read: readDepth, tool: "depth_state", member: "below_keel_m", truth: is(3.7), words: "3.7 m under the keel", tolerance: 0.06,
	},
	{
		name: "no keel offset", sent: []sent{{transducerDepth, 4.2, 0}},
		read: readDepth, tool: "depth_state", member: "below_keel_m", words: "the clearance is not known",
	},
	{
		name: "depth below the keel published with the offset added",
		sent: []sent{{transducerDepth, 4.2, 0}, {keelDepth, 4.7, 0}, {keelOffset, 0.5, 0}},
		read: readDepth, tool: "depth_state", member: "below_keel_m", truth: is(3.7), words: "3.7 m under the keel", tolerance: 0.06,
	},
	{
		name: "current −8.9 A", sent: []sent{{houseCurrent, -8.9, 0}, {houseVoltage, 12.6, 0}},
		read: readCurrent, tool: "battery_state", arguments: `{"bank":"house"}`, member: "current", truth: is(-8.9), words: "8.9 A, discharging", tolerance: 0.06,
	},
	{
		name: "current 14.2 A", sent: []sent{{houseCurrent, 14.2, 0}, {houseVoltage, 13.6, 0}},
		read: readCurrent, tool: "battery_state", arguments: `{"bank":"house"}`, member: "current", truth: is(14.2), words: "14.2 A, charging", tolerance: 0.06,
	},
	{
		name: "heading 4.5 rad", sent: []sent{{heading, 4.5, 0}}, // 4.5 × 180/π = 257.8
		read: func(ctx context.Context, r reader) finding { return r.bearing(ctx, heading) },
		tool: "read_sensor", arguments: `{"path":"` + heading + `"}`, member: "value", truth: is(257.8), words: "258 degrees true", tolerance: 0.5,
	},
	{
		name: "water of 285.65 K", sent: []sent{{water, 285.65, 0}}, // 285.65 − 273.15 = 12.5
		read: func(ctx context.Context, r reader) finding { return r.one(ctx, water, staleSlow, 1, freezing, "°C") },
		tool: "read_sensor", arguments: `{"path":"` + water + `"}`, member: "value", truth: is(12.5), words: "12.5 °C", tolerance: 0.5,
	},
	{
		name: "wind of 8.5 m/s", sent: []sent{{wind, 8.5, 0}}, // 8.5 × 3600/1852 = 16.5
		read: func(ctx context.Context, r reader) finding { return r.one(ctx, wind, staleMotion, knots, 0, "kn") },
		tool: "read_sensor", arguments: `{"path":"` + wind + `"}`, member: "value", truth: is(16.5), words: "16.5 knots", tolerance: 0.5,
	},
	{
		name: "depth heard 8 minutes ago", sent: []sent{{transducerDepth, 4.2, 8 * time.Minute}, {keelOffset, -0.5, 8 * time.Minute}},
		read: readDepth, tool: "depth_state", member: "below_keel_m", words: "not known now",
	},
	{
		name: "the sounder lost the bottom", sent: []sent{{transducerDepth, nil, 0}, {keelOffset, -0.5, 0}},
		read: readDepth, tool: "depth_state", member: "below_keel_m", words: "not known now",
	},
	{
		name: "the same, and a depth derived from it stays", sent: []sent{{keelDepth, 3.7, 10 * time.Second}, {transducerDepth, nil, 8 * time.Second}, {keelOffset, -0.5, 0}},
		read: readDepth, tool: "depth_state", member: "below_keel_m", words: "not known now",
	},
	{
		name: "no sounder", sent: []sent{{heading, 1.0, 0}},
		read: readDepth, tool: "depth_state", member: "below_keel_m", words: "the boat does not report it",
	},
}

// verdictRow is one situation with both answers.
type verdictRow struct {
	Situation   string `json:"situation"`
	Truth       string `json:"truth"`
	Reader      string `json:"recipe"`
	ReaderRight bool   `json:"recipe_right"`
	Tool        string `json:"tool"`
	ToolRight   bool   `json:"tool_right"`
}

// modelled says what the reader is, and what it is not.
const modelled = "The recipe's column is a script that follows every word of the recipe. It models a literal reader, not a language model, which may also forget a rule."

func newTruth(f *flag.FlagSet) func(context.Context, output) error {
	file := f.String("recipe", recipeFile, "the recipe whose commands are run")
	return func(ctx context.Context, o output) error {
		rows, failed := make([]verdictRow, len(situations)), make([]error, len(situations))
		var all sync.WaitGroup
		for i, s := range situations {
			all.Go(func() { rows[i], failed[i] = s.play(ctx, *file) })
		}
		all.Wait()
		if err := errors.Join(failed...); err != nil {
			return err
		}
		return o.show(rows, func(w io.Writer) {
			t := newTable("situation", "truth", "a literal reader of the recipe", "", "the tool", "")
			for _, r := range rows {
				t.row(r.Situation, r.Truth, r.Reader, rightOrWrong(r.ReaderRight), oneLine(r.Tool, 110), rightOrWrong(r.ToolRight))
			}
			t.write(w)
			fmt.Fprintln(w, modelled)
		})
	}
}

func rightOrWrong(right bool) string {
	if right {
		return "right"
	}
	return "WRONG"
}

// play sets up a boat and asks both.
func (s situation) play(ctx context.Context, file string) (row verdictRow, err error) {
	o := standing()
	o.NoVessel = true
	boat := mock.NewServer(o)
	defer boat.Close()
	for _, x := range s.sent {
		err := boat.Send(mock.Delta{Updates: []mock.Update{{
			Timestamp: moment.Add(-x.ago).Format(time.RFC3339), Values: []mock.PathValue{{Path: x.path, Value: x.value}},
		}}})
		if err != nil {
			return row, err
		}
	}
	recipe, err := readRecipe(file, boat.URL)
	if err != nil {
		return row, err
	}
	set, done, err := toolsOver(ctx, boat.URL, true)
	if err != nil {
		return row, err
	}
	defer done()
	found := s.read(ctx, reader{recipe, moment})
	answer, err := set.Call(s.tool, json.RawMessage(s.arguments))
	if err != nil {
		return row, err
	}
	said, err := toolFinding(answer, s.member)
	return verdictRow{s.name, s.words, found.words, s.right(found), said.words, s.right(said)}, err
}

// toolFinding reads a tool's result as a program would: a number is there only
// if it holds now.
func toolFinding(answer tools.Result, member string) (f finding, err error) {
	var members map[string]any
	if err := json.Unmarshal(answer.JSON(), &members); err != nil {
		return f, err
	}
	f.words = answer.Spoken()
	f.value, f.known = members[member].(float64)
	return f, nil
}

// right tells whether an answer is the truth, or claims no number where there is
// none.
func (s situation) right(f finding) bool {
	if s.truth == nil || !f.known {
		return s.truth == nil && !f.known
	}
	return math.Abs(f.value-*s.truth) <= s.tolerance
}
