package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/tiktoken-go/tokenizer"
)

// counter counts tokens by one encoding. It is a proxy: every model has its own
// tokenizer, and what matters here are differences of texts of one kind.
type counter struct {
	name  string
	codec tokenizer.Codec
}

// encodings are those that can be asked for; the first is the default.
var encodings = []string{string(tokenizer.Cl100kBase), string(tokenizer.O200kBase)}

func newCounter(name string) (counter, error) {
	if !slices.Contains(encodings, name) {
		return counter{}, usageError("no encoding %q: there are %s", name, strings.Join(encodings, " and "))
	}
	codec, err := tokenizer.Get(tokenizer.Encoding(name))
	return counter{name, codec}, err
}

// encodingFlag registers -encoding.
func encodingFlag(f *flag.FlagSet) *string {
	return f.String("encoding", encodings[0], "the tokenizer: "+strings.Join(encodings, " or ")+"; a proxy for the model's own")
}

// piece is how much of a text is counted at once: the time that an encoding takes
// grows with the square of a word's length.
const piece = 4 << 10

// count gives the tokens of a text. A long one is counted in pieces, cut where no
// token crosses; only in a piece without such a place a cut may be a token more.
func (c counter) count(s string) (n int) {
	for len(s) > piece {
		cut := cutAt(s[:piece+1])
		n += c.count(s[:cut])
		s = s[cut:]
	}
	k, err := c.codec.Count(s)
	if err != nil { // only in a mode that refuses invalid UTF-8, which is not set
		panic(fmt.Sprintf("%s: %v", c.name, err))
	}
	return n + k
}

// cutAt finds the last place of a text where a letter ends a word: both encodings
// split there before they look for tokens.
func cutAt(s string) int {
	for i := len(s) - 1; i > len(s)/2; i-- {
		if letter := s[i-1] | 0x20; 'a' <= letter && letter <= 'z' && (s[i] == ' ' || s[i] == '"') {
			return i
		}
	}
	i := len(s) - 1
	for s[i]&0xC0 == 0x80 && i > len(s)-4 { // not within a rune
		i--
	}
	return i
}
