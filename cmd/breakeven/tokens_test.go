package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counted is a text with the counts of gpt-tokenizer: testdata/node/count.mjs.
type counted struct {
	Text   string
	Cl100k int `json:"cl100k_base"`
	O200k  int `json:"o200k_base"`
}

func (x counted) check(t *testing.T) {
	t.Helper()
	for name, want := range map[string]int{"cl100k_base": x.Cl100k, "o200k_base": x.O200k} {
		c, err := newCounter(name)
		require.NoError(t, err)
		assert.Equal(t, want, c.count(x.Text), "%s of %q", name, x.Text)
	}
}

func TestTokensAreThoseOfGPTTokenizer(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/tokens.json")
	require.NoError(t, err)
	var list []counted
	require.NoError(t, json.Unmarshal(text, &list))
	require.Len(t, list, 202, "a catalogue, a recipe, and 200 strings")
	for _, x := range list {
		x.check(t)
	}
}

// A text that is counted in pieces has the tokens that it has as a whole.
func TestCountInPieces(t *testing.T) {
	t.Parallel()
	for _, name := range encodings {
		c, err := newCounter(name)
		require.NoError(t, err)
		for _, file := range []string{"testdata/responses/2.32.0/rest-navigation.json", "../../README.md", "compare.go"} {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Greater(t, len(text), piece)
			whole, err := c.codec.Count(string(text))
			require.NoError(t, err)
			assert.Equal(t, whole, c.count(string(text)), "%s %s", name, file)
		}
	}
}

// Nothing that a server sends takes long to count: a word of a megabyte, as a
// whole, would take hours. Of these one would take seconds.
func TestCountIsBounded(t *testing.T) {
	t.Parallel()
	c, err := newCounter("cl100k_base")
	require.NoError(t, err)
	for name, text := range map[string]string{
		"one letter": "a", "one sign": "§", "invalid": "\xff", "blanks": " ", "NUL": "\x00", "emoji": "👩‍🚒",
	} {
		assert.Positive(t, c.count(strings.Repeat(text, 1<<16/len(text))), name)
	}
}
