package tools_test

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/tools"
)

// A host with many tools does not show them all to its model: it searches names
// and descriptions by words. So the tool that answers a question must be the one
// that its words find.
func TestQuestionsFindTheirTool(t *testing.T) {
	t.Parallel()
	catalog := tools.Catalog()
	for name, words := range map[string]*regexp.Regexp{
		"names as several words": regexp.MustCompile(`[\p{L}\p{N}]+`),
		"names as one word":      regexp.MustCompile(`[\p{L}\p{N}_]+`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			index := newBM25(catalog, words)
			asked, found := 0, 0
			var lost []string
			for _, q := range questions(t, catalog) {
				asked++
				if got := index.first(q.text); slices.Contains(q.answers, got) {
					found++
				} else {
					lost = append(lost, q.text+" finds "+got)
				}
			}
			require.Greater(t, asked, 30)
			assert.GreaterOrEqual(t, float64(found)/float64(asked), 0.8, "%d of %d; not found:\n%s", found, asked, strings.Join(lost, "\n"))
			t.Logf("%d of %d", found, asked)
		})
	}
}

// question is one of a crew's, with the tools that answer it.
type question struct {
	text    string
	answers []string
}

// questions reads testdata/questions.tsv: question, what answers it, notes. The
// alternatives are split by "or" or a slash, and each begins with the tool that
// is called first. What begins otherwise is answered by none of the tools.
func questions(t *testing.T, catalog []tools.Tool) (list []question) {
	t.Helper()
	text, err := os.ReadFile("testdata/questions.tsv")
	require.NoError(t, err)
	name := regexp.MustCompile(`^[a-z_]+`)
	for _, line := range strings.Split(string(text), "\n")[1:] {
		column := strings.Split(line, "\t")
		if len(column) < 2 {
			continue
		}
		q := question{text: column[0]}
		for _, way := range strings.Split(strings.ReplaceAll(column[1], " or ", " / "), " / ") {
			tool := name.FindString(strings.TrimSpace(way))
			if slices.ContainsFunc(catalog, func(t tools.Tool) bool { return t.Name == tool }) {
				q.answers = append(q.answers, tool)
			}
		}
		if q.answers != nil {
			list = append(list, q)
		}
	}
	return list
}

// bm25 ranks tools by Okapi BM25 over name and description, with the usual
// constants, no stemming and no list of words to leave out.
type bm25 struct {
	words *regexp.Regexp
	names []string
	docs  [][]string
	mean  float64 // words a document
}

func newBM25(catalog []tools.Tool, words *regexp.Regexp) *bm25 {
	b := &bm25{words: words}
	for _, t := range catalog {
		doc := b.split(t.Name + " " + t.Description)
		b.names, b.docs = append(b.names, t.Name), append(b.docs, doc)
		b.mean += float64(len(doc)) / float64(len(catalog))
	}
	return b
}

func (b *bm25) split(s string) []string { return b.words.FindAllString(strings.ToLower(s), -1) }

// first gives the name of the tool that ranks first, alone; else nothing.
func (b *bm25) first(query string) string {
	const k1, length = 1.2, 0.75
	scores := make([]float64, len(b.docs))
	for _, w := range b.split(query) {
		times, in := make([]float64, len(b.docs)), 0.0
		for i, doc := range b.docs {
			for _, x := range doc {
				if x == w {
					times[i]++
				}
			}
			if times[i] > 0 {
				in++
			}
		}
		idf := math.Log(1 + (float64(len(b.docs))-in+0.5)/(in+0.5))
		for i, n := range times {
			scores[i] += idf * n * (k1 + 1) / (n + k1*(1-length+length*float64(len(b.docs[i]))/b.mean))
		}
	}
	best := slices.Max(scores)
	if i := slices.Index(scores, best); best > 0 && !slices.Contains(scores[i+1:], best) {
		return b.names[i]
	}
	return ""
}
