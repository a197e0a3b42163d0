package main

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/signalk"
	"signalk-mcp/tools"
)

// A laptop sleeps for eight hours: what it knew is eight hours old, though no
// clock of the program ran.
func TestSleep(t *testing.T) {
	t.Parallel()
	var boot time.Duration
	now := sleepProof(func() time.Duration { return boot })
	v := signalk.NewVessel(signalk.VesselOptions{Now: now})
	stamp := now().UTC().Format(time.RFC3339Nano)
	for _, frame := range []string{
		`{"name":"signalk-server","version":"2.23.0","self":"vessels.urn:mrn:imo:mmsi:230099999","roles":["main"],"timestamp":%q}`,
		`{"context":"vessels.self","updates":[{"$source":"s","timestamp":%q,"values":[{"path":"environment.depth.belowKeel","value":3}]}]}`,
	} {
		require.NoError(t, v.Feed(fmt.Appendf(nil, frame, stamp)))
	}
	v.Complete()
	set := tools.New(v, tools.Options{})
	ask := func() (a struct {
		Status string   `json:"status"`
		Depth  *float64 `json:"below_keel_m"`
		Age    float64  `json:"age_s"`
	}) {
		r, err := set.Call("depth_state", nil)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(r.JSON(), &a))
		return a
	}
	require.NotNil(t, ask().Depth)
	boot += 8 * time.Hour
	a := ask()
	assert.Nil(t, a.Depth)
	assert.NotEmpty(t, a.Status)
}

// The clock of this computer's kernel runs, and beside the one on the wall.
func TestAgeClock(t *testing.T) {
	t.Parallel()
	now := ageClock()
	a := now()
	assert.WithinDuration(t, time.Now(), a, time.Minute)
	assert.Eventually(t, func() bool { return now().After(a) }, 10*time.Second, time.Millisecond)
}
