package mock

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOverflow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p pressure
		assert.False(t, p.tooMuch(overflow+1))
		time.Sleep(overflowTime)
		assert.False(t, p.tooMuch(overflow+1))
		assert.False(t, p.tooMuch(overflow), "it got better")
		assert.False(t, p.tooMuch(overflow+1))
		time.Sleep(overflowTime + time.Second)
		assert.True(t, p.tooMuch(overflow+1))
	})
}

// Of 2.32.0 values of different times have an update each, of 2.23.0 a source has
// one, with its latest time.
func TestFlush(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		version223: `[{"context":"vessels.a","updates":[
			{"$source":"s","timestamp":"2026-01-01T00:00:02Z","values":[{"path":"x","value":2},{"path":"y","value":3}]},
			{"$source":"t","timestamp":"2026-01-01T00:00:01Z","values":[{"path":"x","value":4}]}],"$backpressure":{"accumulated":4,"duration":0}},
			{"context":"vessels.b","updates":[{"$source":"s","timestamp":"2026-01-01T00:00:01Z","values":[{"path":"x","value":5}]}],"$backpressure":{"accumulated":4,"duration":0}}]`,
		version232: `[{"context":"vessels.a","updates":[
			{"$source":"s","timestamp":"2026-01-01T00:00:02Z","values":[{"path":"x","value":2}]},
			{"$source":"s","timestamp":"2026-01-01T00:00:01Z","values":[{"path":"y","value":3}]},
			{"$source":"t","timestamp":"2026-01-01T00:00:01Z","values":[{"path":"x","value":4}]}],"$backpressure":{"accumulated":4,"duration":0}},
			{"context":"vessels.b","updates":[{"$source":"s","timestamp":"2026-01-01T00:00:01Z","values":[{"path":"x","value":5}]}],"$backpressure":{"accumulated":4,"duration":0}}]`,
	} {
		synctest.Test(t, func(t *testing.T) {
			p := pressure{active: true, since: time.Now(), latest: map[pressureKey]*lateValue{}}
			for _, text := range []string{
				`{"context":"vessels.a","updates":[{"$source":"s","timestamp":"2026-01-01T00:00:00Z","values":[{"path":"x","value":1}]}]}`,
				`{"context":"vessels.a","updates":[{"$source":"s","timestamp":"2026-01-01T00:00:01Z","values":[{"path":"y","value":3}]}]}`,
				`{"context":"vessels.a","updates":[{"$source":"t","timestamp":"2026-01-01T00:00:01Z","values":[{"path":"x","value":4}]}]}`,
				`{"context":"vessels.b","updates":[{"$source":"s","timestamp":"2026-01-01T00:00:01Z","values":[{"path":"x","value":5}]}]}`,
				`{"context":"vessels.a","updates":[{"$source":"s","timestamp":"2026-01-01T00:00:02Z","values":[{"path":"x","value":2}]},{"meta":[{"path":"x","value":{}}]}]}`,
			} {
				d, err := decodeDelta(text)
				require.NoError(t, err)
				p.keep(d)
			}
			assert.JSONEq(t, want, string(mustEncode(p.flush(version))))
			assert.False(t, p.active)
		})
	}
}
