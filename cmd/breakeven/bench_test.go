package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

func TestQuantile(t *testing.T) {
	t.Parallel()
	var times []time.Duration
	for i := 100; i > 0; i-- {
		times = append(times, time.Duration(i)*time.Millisecond)
	}
	assert.Equal(t, 50.0, quantile(times, 0.5), "the nearest rank of 1 to 100 ms")
	assert.Equal(t, 95.0, quantile(times, 0.95))
	assert.Equal(t, 100.0, quantile(times, 1))
	assert.Equal(t, 7.0, quantile([]time.Duration{7 * time.Millisecond}, 0.95))
	assert.Equal(t, 0.0, quantile(nil, 0.5))
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for kind, list := range map[string][]error{
		recoverable: {
			&saying{"No connection to the Signal K server for 2 seconds", "disconnected"}, &saying{"x", "stale"},
			errors.New("curl: (22) The requested URL returned error: 503"), errors.New("timed out after 2s"), errors.New("busy, try again later"),
		},
		terminal: {
			&saying{"x", "unauthorised"}, &saying{"x", "not_fitted"},
			errors.New("curl: (22) The requested URL returned error: 404"), errors.New("401 Unauthorized"),
		},
		unclassified: {
			errors.New("curl: (52) Empty reply from server"), errors.New("EOF"), errors.New("the answer is no JSON"),
			errors.New("port 40412: connection refused"), &saying{"Something went wrong", ""},
		},
	} {
		for _, err := range list {
			assert.Equal(t, kind, classify(err), err.Error())
		}
	}
}

// Rounds take turns, warm-up is not counted, and a side that does not answer is
// given up without holding the others.
func TestRace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		takes := func(name string, d time.Duration, err error) *side {
			return &side{name: name, close: func() {}, ask: func(ctx context.Context) error {
				order = append(order, name)
				pause(ctx, d)
				return err
			}}
		}
		fast, slow := takes("fast", time.Millisecond, nil), takes("slow", 5*time.Millisecond, errors.New("503"))
		dead := takes("dead", time.Hour, nil)
		never := &side{name: "never", err: errors.New("it ended"), close: func() {}}
		r := race{sides: []*side{fast, slow, dead, never}}
		require.NoError(t, r.run(t.Context(), 2, 10))
		assert.Equal(t, []string{"fast", "slow", "dead", "fast", "slow", "dead", "slow", "dead", "fast"}, order[:9], "cold once, then each is first in turn")
		assert.Equal(t, benchRow{Side: "fast", Cold: 1, P50: 1, P95: 1, Max: 1, Asked: 10, Success: 1}, fast.result())
		row := slow.result()
		assert.Equal(t, 0.0, row.Success)
		assert.Equal(t, map[string]int{recoverable: 10}, row.Errors)
		assert.Zero(t, row.Cold+row.P50+row.Max, "no good answer, no time")
		var text bytes.Buffer
		writeBench(&text, []benchRow{fast.result(), row})
		assert.Regexp(t, `(?m)^slow +– +– +– +– +– +0\.0 % +–$`, text.String())
		assert.Contains(t, text.String(), "slow, recoverable: 503")
		assert.Contains(t, dead.result().Error, "given up: 5 questions in a row had no answer within 2s")
		assert.Equal(t, "it ended", never.result().Error)
		assert.Zero(t, never.asked)
	})
}

func TestRaceEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		x := &side{name: "x", close: func() {}, ask: func(ctx context.Context) error { pause(ctx, 100*time.Millisecond); return nil }}
		r := race{sides: []*side{x}}
		assert.ErrorIs(t, r.run(ctx, 0, maxRounds), context.DeadlineExceeded)
		assert.Less(t, x.asked, 12)
	})
}

// Each fault is what it says on a connection that is new, and ends.
func TestBreaker(t *testing.T) {
	t.Parallel()
	s := mock.NewServer(mock.Options{})
	defer s.Close()
	b, err := newBreaker(s.URL)
	require.NoError(t, err)
	defer b.close()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	get := func() (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.URL+depthREST, nil)
		require.NoError(t, err)
		resp, err := client.Do(req)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return fmt.Sprint(resp.StatusCode, " ", string(body)), err
	}
	good := func() {
		text, err := get()
		require.NoError(t, err)
		require.Contains(t, text, "200 {\"belowKeel\"")
	}
	good()
	for f, want := range map[fault]string{unavailable: "503 ", unauthorised: "401 Unauthorized", garbage: "200 <html>\x00\x01{{[["} {
		b.set(f)
		text, err := get()
		require.NoError(t, err, f)
		assert.Equal(t, want, text)
		b.set(noFault)
		good()
	}
	b.set(cut)
	_, err = get()
	require.Error(t, err)
	assert.NotErrorIs(t, err, context.DeadlineExceeded)
	b.set(mute)
	_, err = get()
	require.ErrorIs(t, err, context.DeadlineExceeded)
	b.set(noFault)
	good()
}

// A foreign server and REST in front of a boat whose server fails in each of the
// ways: the rows add up, the failures are classified, and all recover.
func TestBenchWithFaults(t *testing.T) {
	t.Parallel()
	s := mock.NewServer(mock.Options{})
	defer s.Close()
	b, err := newBreaker(s.URL)
	require.NoError(t, err)
	defer b.close()
	rest := restSide(b.URL)
	defer rest.close()
	foreign := mcpSide(t.Context(), fakeServer(t, "good"), "", json.RawMessage("{}"), 2, 10*time.Second)
	require.NoError(t, foreign.err)
	defer foreign.close()
	dead := mcpSide(t.Context(), fakeServer(t, "dies"), "", json.RawMessage("{}"), 2, 10*time.Second)
	require.Error(t, dead.err)
	r := race{sides: []*side{rest, foreign, dead}, breaks: b, share: 0.5, random: rand.New(rand.NewPCG(1, 0))}
	require.NoError(t, r.run(t.Context(), 1, 14))
	require.GreaterOrEqual(t, r.faults, len(faults), "each fault was there")

	row := rest.result()
	require.NoError(t, rest.err)
	assert.Equal(t, 14, row.Asked)
	failures := 0
	for _, n := range row.Errors {
		failures += n
	}
	assert.Equal(t, r.faults, failures)
	assert.InDelta(t, 1-float64(r.faults)/14, row.Success, 1e-9)
	for _, kind := range []string{recoverable, terminal, unclassified} {
		assert.Positive(t, row.Errors[kind], kind)
	}
	assert.Len(t, row.Examples, 3)
	row = foreign.result()
	assert.Equal(t, 1.0, row.Success, "it is not behind the fault")
	assert.Positive(t, row.Start)
	assert.Positive(t, row.P50)
	assert.Contains(t, dead.result().Error, "cannot open")
}

// A boat that nobody answers for is no result.
func TestBenchWithoutABoat(t *testing.T) {
	t.Parallel()
	s := mock.NewServer(mock.Options{})
	s.Close()
	out, log, code := call(t, "bench", "-url", s.URL, "-bin", filepath.Join(t.TempDir(), "none"), "-n", "2", "-warmup", "0")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, log, "signalk-mcp, stdio: fork/exec")
	assert.Contains(t, log, "REST, connection kept: not one good answer")
	assert.Regexp(t, `(?m)^REST, connection kept +– +– +– +– +– +0\.0 %`, out)
}

func TestFirstWithoutArguments(t *testing.T) {
	t.Parallel()
	name, err := firstWithoutArguments([]json.RawMessage{
		json.RawMessage(`5`), json.RawMessage(`{"name":"a","inputSchema":{"type":"object","required":["x"]}}`), json.RawMessage(`{"name":"b","inputSchema":{"type":"object"}}`),
	})
	require.NoError(t, err)
	assert.Equal(t, "b", name)
	_, err = firstWithoutArguments(nil)
	assert.ErrorContains(t, err, "-call")
}
