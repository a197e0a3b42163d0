package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tools are right in every situation. The recipe is too, but where the boat
// contradicts itself: nobody wrote the geometry of depths into it, nor what a
// derived depth is worth when the one that it comes from is lost.
func TestTruth(t *testing.T) {
	t.Parallel()
	out, log, code := call(t, "truth", "-json", "-recipe", ourRecipe)
	require.Equal(t, exitOK, code, log)
	var rows []verdictRow
	require.NoError(t, json.Unmarshal([]byte(out), &rows))
	require.Len(t, rows, len(situations))
	var wrong []string
	for _, r := range rows {
		assert.True(t, r.ToolRight, "%s: the tool says %s", r.Situation, r.Tool)
		if !r.ReaderRight {
			wrong = append(wrong, r.Situation)
		}
	}
	assert.Equal(t, []string{"depth below the keel published with the offset added", "the same, and a depth derived from it stays"}, wrong)
	text, _, _ := call(t, "truth", "-recipe", ourRecipe)
	golden(t, "testdata/truth.txt", []byte(text))
	assert.Contains(t, text, "not a language model")
}

// A verdict that calls everything right would be of no use.
func TestVerdictsOfTruth(t *testing.T) {
	t.Parallel()
	known, none := situation{truth: is(3.7), tolerance: 0.06}, situation{}
	assert.True(t, known.right(finding{known: true, value: 3.74}))
	assert.False(t, known.right(finding{known: true, value: 4.7}), "a metre too much")
	assert.False(t, known.right(finding{}), "what is known must be said")
	assert.True(t, none.right(finding{}))
	assert.False(t, none.right(finding{known: true}), "a zero that nobody measured")
	reversed := situation{truth: is(-8.9), tolerance: 0.06}
	assert.False(t, reversed.right(finding{known: true, value: 8.9}), "the wrong sign")
}
