package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"time"

	"signalk-mcp/signalk"
	"signalk-mcp/tools"
	"signalk-mcp/units"
)

// report is what doctor found, as it is printed with -json.
type report struct {
	Version string          `json:"version"`
	Checks  []signalk.Check `json:"checks"`
	Stream  *stream         `json:"stream,omitempty"`
	Tools   []toolReport    `json:"tools,omitempty"`
	Missing []string        `json:"missing,omitempty"`
	OK      bool            `json:"ok"`
}

// stream is what came over the link while doctor listened.
type stream struct {
	Link         string        `json:"link"`
	Reason       string        `json:"reason,omitempty"`
	Self         string        `json:"self"`
	Seconds      float64       `json:"seconds"`
	ValuesPerS   float64       `json:"values_per_s"`
	Paths        int           `json:"paths"`
	Sources      []string      `json:"sources"`
	OtherVessels int           `json:"other_vessels"`
	Stats        signalk.Stats `json:"stats"`
	LastDataAgeS *float64      `json:"last_data_age_s,omitempty"`
	ServerAheadS *float64      `json:"server_clock_ahead_s,omitempty"`
	GPSAheadS    *float64      `json:"gps_clock_ahead_s,omitempty"`
}

type toolReport struct {
	Tool    string `json:"tool"`
	Status  string `json:"status"` // live, or as in a result
	Display string `json:"display"`
}

// listenFor is how long doctor listens to the stream.
const listenFor = 5 * time.Second

func doctorCommand(f *flags) runner {
	var b boatFlags
	b.register(f)
	b.level.Level = slog.LevelError // the report says it
	asJSON := f.Bool("json", false, "print the report as JSON")
	return func(ctx context.Context, e env, _ []string) (int, error) { return doctor(ctx, e, &b, *asJSON) }
}

// doctor tells a person on a boat what works and what does not.
func doctor(ctx context.Context, e env, b *boatFlags, asJSON bool) (int, error) {
	boat, err := b.open(ctx, e)
	if err != nil {
		return exitUsage, err
	}
	defer boat.close()
	r := report{Version: buildVersion(), Checks: boat.client.Diagnose(ctx)}
	r.OK = true
	for _, c := range r.Checks {
		r.OK = r.OK && c.OK
	}
	if r.OK {
		r.Stream = follow(ctx, boat.vessel)
		r.OK = r.Stream.Link == "live"
		r.Tools, r.Missing = askAll(boat.set)
	}
	if asJSON {
		enc := json.NewEncoder(e.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		err = enc.Encode(r)
	} else {
		var text bytes.Buffer
		r.print(&text)
		_, err = e.stdout.Write(text.Bytes())
	}
	if err != nil || !r.OK {
		return exitFailed, err
	}
	return exitOK, nil
}

// follow listens to the stream for a while.
func follow(ctx context.Context, v *signalk.Vessel) *stream {
	pause := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	select {
	case <-v.Settled():
	case <-time.After(sayPatience):
	case <-ctx.Done():
	}
	var before signalk.Stats
	v.Read(func(w signalk.View) { before = w.Stats() })
	begin := time.Now()
	pause(listenFor)
	s := &stream{Seconds: seconds(time.Since(begin))}
	v.Read(func(w signalk.View) {
		s.Link, s.Reason = linkName[w.Link().State], w.Link().Reason
		s.Self, s.Stats = w.Self(), w.Stats()
		s.ValuesPerS = float64(int(float64(s.Stats.Values-before.Values)/s.Seconds*10)) / 10
		s.Paths, s.Sources, s.OtherVessels = len(w.Paths("")), w.Sources(), len(w.Others())
		if d, ok := w.Quiet(); ok {
			s.LastDataAgeS = some(seconds(d))
		}
		if d, ok := w.Clock(); ok {
			s.ServerAheadS = some(seconds(d))
		}
		r := w.Reading("navigation.datetime")
		text, _ := r.Value.Text()
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil && r.Fresh() {
			s.GPSAheadS = some(seconds(t.Add(r.Age).Sub(w.Now)))
		}
	})
	return s
}

var linkName = map[signalk.LinkState]string{
	signalk.Connecting: "connecting", signalk.Waiting: "no data", signalk.Live: "live", signalk.Down: "down", signalk.Refused: "refused",
}

func seconds(d time.Duration) float64 {
	return float64(d.Round(10*time.Millisecond).Milliseconds()) / 1000
}

func some(f float64) *float64 { return &f }

// askAll asks every tool, and tells what is missing for those that cannot answer.
func askAll(set *tools.Set) (list []toolReport, missing []string) {
	for _, t := range tools.Catalog() {
		r, err := set.Call(t.Name, tools.Example(t.Name))
		if err != nil {
			continue
		}
		status := r.Status
		if status == "" {
			status = "live"
		}
		list = append(list, toolReport{t.Name, status, r.Spoken()})
		var values map[string]any
		if json.Unmarshal(r.JSON(), &values) != nil {
			continue
		}
		for _, a := range advice {
			_, has := values[a.without]
			if a.tool == t.Name && (a.status == "" || a.status == r.Status) && (a.without == "" || !has && r.Status == "") {
				missing = append(missing, a.say)
			}
		}
	}
	return list, missing
}

// advice says what to do where a tool cannot answer, or not all of it.
var advice = []struct{ tool, status, without, say string }{
	{"depth_state", "", "below_keel_m", "No clearance under the keel: no keel offset is known. Set it in the sounder or the plotter (environment.depth.transducerToKeel), or give the server the draft (design.draft, in its vessel settings) and the transducer's depth (environment.depth.surfaceToTransducer)."},
	{"depth_state", tools.NotFitted, "", "No depth: no sounder is heard (environment.depth)."},
	{"depth_state", tools.Stale, "", "No fresh depth: the sounder has fallen silent, or its data comes without a time."},
	{"battery_state", tools.NotFitted, "", "No battery: no monitor is heard (electrical.batteries)."},
	{"battery_state", "", "soc_fraction", "No state of charge for the first battery: its monitor sends none (electrical.batteries, capacity.stateOfCharge)."},
	{"read_sensor", tools.NotFitted, "", "No position: no GPS is heard (navigation.position); the local time is then that of this computer."},
}

// print writes the report for people.
func (r report) print(w io.Writer) {
	fmt.Fprintf(w, "signalk-mcp %s\n\n", r.Version)
	for _, c := range r.Checks {
		mark := "ok  "
		if !c.OK {
			mark = "FAIL"
		}
		fmt.Fprintf(w, "%s  %-8s %s\n", mark, c.Name, printable(c.Detail))
	}
	if s := r.Stream; s != nil {
		mark := "ok  "
		if s.Link != "live" {
			mark = "FAIL"
		}
		fmt.Fprintf(w, "%s  %-8s %s%s; %v values a second over %v s, %d paths from %d sources, %d other vessels\n", mark, "stream", s.Link,
			printable(map[bool]string{true: "", false: ": " + s.Reason}[s.Reason == ""]), s.ValuesPerS, s.Seconds, s.Paths, len(s.Sources), s.OtherVessels)
		fmt.Fprintf(w, "      %-8s %d frames, %d skipped, %d values unusable, %d beyond a bound, %d merged by the server because we were slow, %d connections\n", "counters",
			s.Stats.Frames, s.Stats.Skipped, s.Stats.BadValues, s.Stats.Full, s.Stats.Backpressure, s.Stats.Hellos)
		if s.ServerAheadS != nil {
			fmt.Fprintf(w, "      %-8s the server's clock is %s this computer's\n", "clock", ahead(*s.ServerAheadS))
		}
		if s.GPSAheadS != nil {
			fmt.Fprintf(w, "      %-8s the GPS's clock is %s this computer's\n", "clock", ahead(*s.GPSAheadS))
		}
		for _, name := range s.Sources {
			fmt.Fprintf(w, "      %-8s %s\n", "source", printable(name))
		}
	}
	if r.Tools != nil {
		fmt.Fprintln(w)
	}
	for _, t := range r.Tools {
		fmt.Fprintf(w, "%-18s %-13s %s\n", t.Tool, t.Status, t.Display)
	}
	for i, m := range r.Missing {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "- %s\n", m)
	}
}

// printable keeps what a server or a bus sends from steering a terminal.
func printable(s string) string {
	if q := strconv.QuoteToGraphic(s); q != `"`+s+`"` {
		return q
	}
	return s
}

// ahead says how far one clock is from another.
func ahead(s float64) string {
	side := "ahead of"
	if s < 0 {
		s, side = -s, "behind"
	}
	if s < 90 {
		return fmt.Sprintf("%.1f s %s", s, side)
	}
	return units.Age(units.Seconds(s).Duration()) + " " + side
}
