package spell_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"signalk-mcp/tools/spell"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"url", "url", 0}, {"", "abc", 3}, {"abc", "", 3},
		{"kitten", "sitting", 3}, // k to s, e to i, and a g: Levenshtein's example
		{"doctr", "doctor", 1}, {"mcok", "mock", 2},
		{strings.Repeat("a", 1<<20), strings.Repeat("b", 1<<20), 64},
	} {
		assert.Equal(t, tt.want, spell.Distance(tt.a, tt.b), "%.10s %.10s", tt.a, tt.b)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	commands := []string{"serve", "say", "doctor", "login", "discover", "mock", "version"}
	for word, want := range map[string]string{
		"srve": "serve", "mcok": "mock", "docter": "doctor", "logon": "login", "sya": "say", "x": "", "": "", "autopilot": "",
		"doc": "doctor", "ver": "version", "versoin": "version", "d": "",
	} {
		assert.Equal(t, want, spell.Nearest(word, commands), word)
	}
}
