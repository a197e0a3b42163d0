package mock

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The functions agree with those of package math, which are good to the last
// bit or two.
func TestExact(t *testing.T) {
	t.Parallel()
	const ulps = 4e-16
	for x := -50.0; x < 50; x += 0.01237 {
		sin, cos := sincos(x)
		require.InDelta(t, math.Sin(x), sin, ulps, "sin %v", x)
		require.InDelta(t, math.Cos(x), cos, ulps, "cos %v", x)
		require.InEpsilon(t, math.Exp(x), exponential(x), 2*ulps, "exp %v", x)
		require.InDelta(t, math.Tanh(x), tanh(x), ulps, "tanh %v", x)
		require.InDelta(t, math.Asin(x/50), arcsin(x/50), 1e-14, "asin %v", x/50) // that of package math is the worse one near 1
		for y := -2.0; y < 2; y += 0.37 {
			require.InDelta(t, math.Atan2(y, x), arctan2(y, x), 2*ulps, "atan2 %v %v", y, x)
			require.InEpsilon(t, math.Hypot(x, y), hypot(x, y), 2*ulps, "hypot %v %v", x, y)
		}
	}
	far := 1e6 * math.Pi
	assert.InDelta(t, math.Sin(far+1), sine(far+1), 1e-9)
	for _, zero := range []float64{sine(0), arctan2(0, 0), arctan2(0, 5), arcsin(0), tanh(0)} {
		assert.Zero(t, zero)
	}
	assert.Equal(t, math.Pi, arctan2(0, -1))
	assert.Equal(t, -math.Pi/2, arctan2(-1, 0))
	assert.Equal(t, math.Pi/2, arcsin(1))
}
