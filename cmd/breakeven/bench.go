package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"signalk-mcp/mock"
)

// benchRow is how one way to ask did. Times are milliseconds, of good answers;
// one that is not known is left out.
type benchRow struct {
	Side  string `json:"side"`
	Error string `json:"error,omitempty"` // why it could not be measured, or not to the end
	// Start is from the start of the process to its first list of tools, the
	// median of several; Cold the first question.
	Start    float64        `json:"start_ms,omitempty"`
	Cold     float64        `json:"cold_ms,omitempty"`
	P50      float64        `json:"p50_ms,omitempty"`
	P95      float64        `json:"p95_ms,omitempty"`
	Max      float64        `json:"max_ms,omitempty"`
	Asked    int            `json:"asked"`
	Success  float64        `json:"success"`
	Resident int            `json:"resident_kib,omitempty"`
	Errors   map[string]int `json:"errors,omitempty"` // by how they read
	// Recovery is from the end of a fault to the next good answer, the median.
	Recovery float64  `json:"recovery_ms,omitempty"`
	Examples []string `json:"examples,omitempty"` // one error of each kind
}

// The kinds of errors: whether a reader can tell that asking again helps.
const (
	recoverable  = "recoverable"
	terminal     = "terminal"
	unclassified = "unclassified"
)

const (
	askTime      = 2 * time.Second // for one answer
	recoveryTime = 40 * time.Second
	outage       = 150 * time.Millisecond // a fault holds so long before it is asked into
	givenUp      = 5                      // answers in a row that did not come
	maxRounds    = 1_000_000
)

func newBench(f *flag.FlagSet) func(context.Context, output) error {
	var b boatFlags
	b.register(f)
	var s serverFlags
	s.register(f, "mcp")
	binary := f.String("bin", "", "our program; without it signalk-mcp in the PATH, else bin/signalk-mcp")
	n := f.Int("n", 200, "rounds, each with one question to each side")
	warmup := f.Int("warmup", 20, "rounds before those")
	starts := f.Int("starts", 3, "starts of each server on stdio")
	fail := f.String("fail", "0%", "share of rounds in which the way to the boat is broken, such as 2%")
	seed := f.Uint64("seed", 1, "which rounds those are")
	call := f.String("call", "", "the tool to call on the other servers; without it their first that needs no arguments")
	arguments := f.String("args", "{}", "its arguments, JSON")
	return func(ctx context.Context, o output) error {
		share, err := strconv.ParseFloat(strings.TrimSuffix(*fail, "%"), 64)
		switch {
		case err != nil || !(share >= 0 && share <= 50):
			return usageError("-fail %s: from 0%% to 50%%", *fail)
		case *n < 1 || *n > maxRounds || *warmup < 0 || *warmup > maxRounds || *starts < 1 || *starts > 100:
			return usageError("-n from 1 to %d, -warmup not negative, -starts from 1 to 100", maxRounds)
		case !json.Valid([]byte(*arguments)):
			return usageError("-args %s: no JSON", *arguments)
		}
		others, err := s.servers(o.args)
		if err != nil {
			return err
		}
		server, done, err := b.open(mock.Options{}) // one that sails
		if err != nil {
			return err
		}
		defer done()
		var breaks *breaker
		if share > 0 {
			if breaks, err = newBreaker(server); err != nil {
				return err
			}
			defer breaks.close()
			server = breaks.URL
		}
		ours := oursOn(findBinary(*binary), server)
		sides := []*side{
			mcpSide(ctx, ours, "depth_state", json.RawMessage("{}"), *starts, s.timeout),
			restSide(server), curlSide(server),
		}
		for _, other := range others {
			sides = append(sides, mcpSide(ctx, other, *call, json.RawMessage(*arguments), *starts, s.timeout))
		}
		defer func() {
			for _, x := range sides {
				x.close()
			}
		}()
		r := race{sides: sides, breaks: breaks, share: share / 100, random: rand.New(rand.NewPCG(*seed, 0))}
		if err := r.run(ctx, *warmup, *n); err != nil {
			return err
		}
		var rows []benchRow
		var failed []error
		for _, x := range sides {
			rows = append(rows, x.result())
			switch {
			case x.err != nil:
				failed = append(failed, fmt.Errorf("%s: %w", oneLine(x.name, 80), x.err))
			case len(x.times) == 0:
				failed = append(failed, fmt.Errorf("%s: not one good answer", oneLine(x.name, 80)))
			}
		}
		return errors.Join(append([]error{o.show(rows, func(w io.Writer) { writeBench(w, rows) })}, failed...)...)
	}
}

// findBinary finds our program.
func findBinary(given string) string {
	if given != "" {
		return given
	}
	if path, err := exec.LookPath("signalk-mcp"); err == nil {
		return path
	}
	return "bin/signalk-mcp"
}

// oursOn is our program in front of a boat.
func oursOn(binary, boat string) server {
	return server{name: "signalk-mcp, stdio", command: []string{binary, "-url", boat, "-log-level", "error"}}
}

// side is one way to ask.
type side struct {
	name string
	// ask asks once. An answer that says it is not what is now comes as an error.
	ask   func(context.Context) error
	close func()
	pid   int

	err      error // it takes no part, or not any more
	starts   []time.Duration
	cold     time.Duration
	times    []time.Duration // of good answers
	asked    int
	errors   map[string]int
	examples map[string]string
	silent   int // answers in a row that did not come
	recovery []time.Duration
}

// saying is an answer that is an error, in the server's words.
type saying struct{ text, status string }

func (s *saying) Error() string { return s.text }

func mcpSide(ctx context.Context, s server, tool string, arguments json.RawMessage, starts int, timeout time.Duration) *side {
	x := &side{name: s.name, close: func() {}}
	x.err = func() error {
		for i := range starts {
			ctx, cancel := context.WithTimeout(ctx, timeout)
			defer cancel()
			began := time.Now()
			c, err := s.open(ctx)
			if err != nil {
				return err
			}
			list, err := c.tools(ctx)
			if err != nil {
				c.close()
				return err
			}
			if c.process != nil {
				x.starts = append(x.starts, time.Since(began))
			}
			if i < starts-1 && c.process != nil {
				c.close()
				continue
			}
			x.close = c.close
			if c.process != nil {
				x.pid = c.process.Process.Pid
			}
			if tool == "" {
				if tool, err = firstWithoutArguments(list); err != nil {
					return err
				}
			}
			x.ask = func(ctx context.Context) error {
				params := &mcp.CallToolParams{Name: tool, Arguments: arguments}
				res, err := within(ctx, func() (*mcp.CallToolResult, error) { return c.CallTool(ctx, params) })
				if err != nil {
					return err
				}
				return saidBy(res)
			}
			return nil
		}
		return nil
	}()
	return x
}

// firstWithoutArguments finds a tool that can be called as it is.
func firstWithoutArguments(list []json.RawMessage) (string, error) {
	for _, raw := range list {
		t, _, err := seen(raw)
		var schema struct{ Required []string }
		if err == nil && json.Unmarshal(t.InputSchema, &schema) == nil && len(schema.Required) == 0 {
			return t.Name, nil
		}
	}
	return "", errors.New("none of its tools needs no arguments: name one with -call and -args")
}

// saidBy takes a result for an error if it is marked as one, or has a status.
func saidBy(res *mcp.CallToolResult) error {
	text := ""
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text = t.Text
			break
		}
	}
	var members struct{ Display, Status string }
	_ = json.Unmarshal([]byte(text), &members)
	if res.IsError || members.Status != "" && members.Display != "" {
		return &saying{text, members.Status}
	}
	return nil
}

func restSide(server string) *side {
	client := &http.Client{Transport: &http.Transport{}}
	return &side{
		name: "REST, connection kept", close: client.CloseIdleConnections,
		ask: func(ctx context.Context) error {
			body, err := fetch(ctx, client, server+depthREST)
			if err == nil && !json.Valid(body) {
				err = errors.New("the answer is no JSON")
			}
			return err
		},
	}
}

const depthREST = "/signalk/v1/api/vessels/self/environment/depth"

func curlSide(server string) *side {
	x := &side{name: "curl, a process each", close: func() {}}
	path, err := exec.LookPath("curl")
	if err != nil {
		x.err = err
		return x
	}
	x.ask = func(ctx context.Context) error {
		var said tail
		cmd := exec.CommandContext(ctx, path, "-fsS", server+depthREST)
		if token := os.Getenv("SIGNALK_TOKEN"); token != "" { // not where every user of the machine sees it
			cmd.Args = append(cmd.Args, "-K", "-")
			cmd.Stdin = strings.NewReader(fmt.Sprintf("header = %q\n", "Authorization: Bearer "+token))
		}
		cmd.Stderr, cmd.WaitDelay = &said, farewell
		out, err := cmd.Output()
		switch {
		case err != nil && said.last() != "":
			return errors.New(said.last())
		case err == nil && !json.Valid(out):
			return errors.New("the answer is no JSON")
		}
		return err
	}
	return x
}

// race asks all sides in turn, so that what disturbs the machine disturbs all.
type race struct {
	sides  []*side
	breaks *breaker
	share  float64
	random *rand.Rand
	faults int
}

func (r *race) run(ctx context.Context, warmup, n int) error {
	for _, x := range r.sides {
		if x.err == nil {
			x.cold = r.once(ctx, x, false)
		}
	}
	for round := range warmup + n {
		broken := round >= warmup && r.breaks != nil && r.random.Float64() < r.share
		if broken {
			r.breaks.set(faults[r.faults%len(faults)])
			r.faults++
			pause(ctx, outage)
		}
		for i := range r.sides { // each is first as often as the others
			if x := r.sides[(round+i)%len(r.sides)]; x.err == nil {
				r.once(ctx, x, round >= warmup)
			}
		}
		if broken {
			r.breaks.set(noFault)
			r.recover(ctx)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// once asks one side, and counts if it is to be counted. It returns the time of a
// good answer.
func (r *race) once(ctx context.Context, x *side, counted bool) time.Duration {
	asking, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	began := time.Now()
	err := x.ask(asking)
	took := time.Since(began)
	if asking.Err() != nil {
		err = fmt.Errorf("timed out after %v", askTime)
		x.silent++
	} else {
		x.silent = 0
	}
	if x.silent == givenUp {
		x.err = fmt.Errorf("given up: %d questions in a row had no answer within %v", givenUp, askTime)
	}
	switch {
	case counted && err == nil:
		x.asked++
		x.times = append(x.times, took)
		return took
	case err == nil:
		return took
	case !counted:
		return 0
	}
	x.asked++
	kind := classify(err)
	if x.errors == nil {
		x.errors, x.examples = map[string]int{}, map[string]string{}
	}
	x.errors[kind]++
	x.examples[kind] = oneLine(err.Error(), 240)
	return 0
}

// recover waits until every side answers well again, and takes the time of each.
func (r *race) recover(ctx context.Context) {
	began := time.Now()
	limit, cancel := context.WithTimeout(ctx, recoveryTime)
	defer cancel()
	var all sync.WaitGroup
	for _, x := range r.sides {
		all.Go(func() { x.recover(limit, began) })
	}
	all.Wait()
}

func (x *side) recover(ctx context.Context, began time.Time) {
	for x.err == nil {
		asking, cancel := context.WithTimeout(ctx, askTime)
		err := x.ask(asking)
		cancel()
		if err == nil {
			x.recovery = append(x.recovery, time.Since(began))
			return
		}
		if ctx.Err() != nil {
			x.err = fmt.Errorf("no good answer within %v of a fault's end: %s", recoveryTime, oneLine(err.Error(), 120))
		}
		pause(ctx, 10*time.Millisecond)
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

var (
	saysAgain = regexp.MustCompile(`(?i)\b(50[234]|429)\b|service unavailable|temporar|retry|try again|trying again|tries again|timed out|timeout`)
	saysNever = regexp.MustCompile(`(?i)\b40[134]\b|unauthori[sz]ed|forbidden|not found|does not report`)
)

// classify tells whether a reader of an error knows that asking again helps, or
// that it does not. A status of ours says it outright; other texts must have the
// usual words or the HTTP code.
func classify(err error) string {
	var said *saying
	if errors.As(err, &said) {
		switch said.status {
		case "disconnected", "stale", "no_data":
			return recoverable
		case "unauthorised", "not_fitted":
			return terminal
		}
	}
	switch text := err.Error(); {
	case saysAgain.MatchString(text):
		return recoverable
	case saysNever.MatchString(text):
		return terminal
	}
	return unclassified
}

// quantile gives the time under which a share of them lies; 0 of none.
func quantile(times []time.Duration, share float64) float64 {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	i := int(share*float64(len(sorted))+0.999999) - 1 // nearest rank
	return milliseconds(sorted[min(max(i, 0), len(sorted)-1)])
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (x *side) result() benchRow {
	row := benchRow{
		Side: x.name, Start: quantile(x.starts, 0.5), Cold: milliseconds(x.cold),
		P50: quantile(x.times, 0.5), P95: quantile(x.times, 0.95), Max: quantile(x.times, 1),
		Asked: x.asked, Errors: x.errors, Recovery: quantile(x.recovery, 0.5),
	}
	if x.err != nil {
		row.Error = oneLine(x.err.Error(), 200)
	}
	if x.asked > 0 {
		row.Success = float64(len(x.times)) / float64(x.asked)
	}
	if x.pid != 0 {
		row.Resident = residentKiB(x.pid)
	}
	for _, kind := range []string{recoverable, terminal, unclassified} {
		if e := x.examples[kind]; e != "" {
			row.Examples = append(row.Examples, kind+": "+e)
		}
	}
	return row
}

func writeBench(w io.Writer, rows []benchRow) {
	milli := func(ms float64) string {
		if ms == 0 {
			return "–"
		}
		return fmt.Sprintf("%.2f", ms)
	}
	t := newTable("side", "start to list", "cold", "p50", "p95", "max", "success", "resident")
	wrong := false
	for _, r := range rows {
		success, resident := "–", "–"
		if r.Asked > 0 {
			success = fmt.Sprintf("%.1f %%", 100*r.Success)
		}
		if r.Resident > 0 {
			resident = fmt.Sprintf("%.1f MiB", float64(r.Resident)/1024)
		}
		wrong = wrong || len(r.Errors) > 0
		t.row(oneLine(r.Side, 60), milli(r.Start), milli(r.Cold), milli(r.P50), milli(r.P95), milli(r.Max), success, resident)
	}
	t.write(w)
	fmt.Fprintln(w, "Times in ms, of good answers. Cold is the first question, which for us includes the wait for the first data.")
	for _, r := range rows {
		if r.Error != "" {
			fmt.Fprintf(w, "%s: %s\n", oneLine(r.Side, 60), r.Error)
		}
	}
	if !wrong {
		return
	}
	fmt.Fprintln(w, "\nHow each side's errors read: does the reader know that asking again helps, or that it does not?")
	t = newTable("side", recoverable, terminal, unclassified, "good again after")
	for _, r := range rows {
		again := "–"
		if r.Recovery > 0 {
			again = fmt.Sprintf("%.0f ms", r.Recovery)
		}
		t.row(oneLine(r.Side, 60), r.Errors[recoverable], r.Errors[terminal], r.Errors[unclassified], again)
	}
	t.write(w)
	for _, r := range rows {
		for _, e := range r.Examples {
			fmt.Fprintf(w, "%s, %s\n", oneLine(r.Side, 60), e)
		}
	}
}
