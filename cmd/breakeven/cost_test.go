package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The figures that others published for the same job: 874 tokens of schemas
// against 466 of recipe in every turn.
const publishedTools, publishedRecipe = 874, 466

func TestPublishedBreakeven(t *testing.T) {
	t.Parallel()
	// Of one depth read, 515 tokens raw and 92 through the tool:
	// (874 − 466)/(515 − 92) = 408/423.
	assert.InDelta(t, 0.96, breakeven(way{publishedTools, 92}, way{publishedRecipe, 515}, 1), 0.005)
	// k* of 1.02 is of their mean read, which saves 408/1.02 = 400 tokens.
	const saved = 400
	assert.InDelta(t, 1.02, breakeven(way{publishedTools, 92}, way{publishedRecipe, 92 + saved}, 1), 0.005)
	// With a cache of an hour, warm for 96 %: 1.02 × 0.175.
	assert.InDelta(t, 0.18, breakeven(way{publishedTools, 92}, way{publishedRecipe, 92 + saved}, 0.175), 0.005)
}

func TestPublishedMultipliers(t *testing.T) {
	t.Parallel()
	// Cold × write + warm × read. The two published results, 0.175 and 0.146, both
	// come of a warm share between 96.026 % and 96.043 %, printed as 96 %.
	const warm = 0.9603
	assert.InDelta(t, 0.175, multiplier(warm, listPrices.Read, listPrices.Hour), 0.0005)
	assert.InDelta(t, 0.146, multiplier(warm, listPrices.Read, listPrices.Write), 0.0005)
	assert.InDelta(t, 1, multiplier(0, 0.1, 1), 0, "nothing is cached, nothing dearer")
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tools, recipe way
		want          string
	}{
		"smaller and shorter":                   {way{286, 50}, way{699, 227}, "from the first read"},
		"smaller, and a read costs the same":    {way{286, 50}, way{699, 50}, "always"},
		"smaller, but a read is longer":         {way{286, 85}, way{699, 18}, "up to 6.2 reads a turn"}, // 413/67
		"larger, and a read is shorter":         {way{874, 92}, way{466, 515}, "from 0.96 reads a turn"},
		"larger, and a read is longer":          {way{874, 92}, way{466, 50}, "never"},
		"larger, and a read costs the same":     {way{874, 92}, way{466, 92}, "never"},
		"as large, and a read is shorter":       {way{466, 92}, way{466, 515}, "from the first read"},
		"nothing to choose between one and two": {way{1, 1}, way{1, 1}, "always"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tt.want, verdict(tt.tools, tt.recipe, 1)) })
	}
	assert.Equal(t, "–", number(math.Inf(1)))
	assert.Equal(t, "–", number(math.NaN()))
}

// Where the curves meet is the breakeven.
func TestCurvesMeet(t *testing.T) {
	t.Parallel()
	tools, recipe := way{874, 92}, way{466, 515}
	for _, m := range []float64{1, 0.175, 0.146} {
		k := breakeven(tools, recipe, m)
		assert.InDelta(t, tools.turn(k, m), recipe.turn(k, m), 1e-9)
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	// Three turns, one read of 10 each, 100 standing, nothing cached. The results
	// are read 3, 2 and 1 times: 3 × 100 + 10 × 6.
	s := session{Turns: 3, Reads: 1, Standing: 1, Fresh: 1}
	assert.InDelta(t, 360, s.cost(way{100, 10}), 1e-9)
	// Cached: 3 × 0.1 × 100, each result written once at 1.25, and read 2 + 1 + 0
	// times at 0.1: 30 + 10 × (3 × 1.25 + 0.3).
	s = session{Turns: 3, Reads: 1, Standing: 0.1, Fresh: 1.25}
	assert.InDelta(t, 70.5, s.cost(way{100, 10}), 1e-9)
	// One turn is a turn.
	tools, recipe := way{874, 92}, way{466, 515}
	one := session{Turns: 1, Reads: 2, Standing: 1, Fresh: 1}
	assert.InDelta(t, tools.turn(2, 1), one.cost(tools), 1e-9)
	assert.InDelta(t, breakeven(tools, recipe, 1), one.breakeven(tools, recipe), 1e-9)
	// At its breakeven a session costs the same both ways.
	s = session{Turns: 20, Standing: 0.175, Fresh: 2}
	s.Reads = s.breakeven(tools, recipe)
	assert.InDelta(t, s.cost(tools), s.cost(recipe), 1e-6)
}
