package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// transcript writes a file of lines.
func transcript(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "t.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600))
	return file
}

func TestTranscript(t *testing.T) {
	t.Parallel()
	u, err := readTranscripts([]string{"testdata/transcript.jsonl"})
	require.NoError(t, err)
	assert.Equal(t, usage{Files: 1, Messages: 2, Repeated: 1, Plain: 10, Read: 8000, Write: 500, Hour: 1500}, *u)
	assert.InDelta(t, 0.8, u.warm(), 1e-9) // 8000 of 10000
	// 0.8 × 0.1 + 0.05 × 1.25 + 0.15 × 2 = 0.08 + 0.0625 + 0.3
	assert.InDelta(t, 0.4425, u.multiplier(listPrices), 1e-9)
	// The same with the 10 that were not cached: (4425 + 10)/10010.
	assert.InDelta(t, 4435.0/10010, u.bill(listPrices), 1e-9)
}

// The published traffic: 96 % warm. Of 100,000 tokens 96,030 were read.
func TestPublishedTraffic(t *testing.T) {
	t.Parallel()
	for ttl, want := range map[string]float64{"5m": 0.146, "1h": 0.175} {
		u, err := readTranscripts([]string{transcript(t,
			`{"message":{"id":"1","usage":{"input_tokens":1,"cache_creation_input_tokens":3970,"cache_creation":{"ephemeral_`+ttl+`_input_tokens":3970}}}}`,
			`{"message":{"id":"2","usage":{"input_tokens":1,"cache_read_input_tokens":96030}}}`)})
		require.NoError(t, err)
		assert.InDelta(t, want, u.multiplier(listPrices), 0.0005, ttl)
	}
}

func TestTranscriptForms(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		line string
		want usage
	}{
		"without a split, all is of 5 minutes":  {`{"message":{"id":"1","usage":{"input_tokens":5,"cache_creation_input_tokens":7}}}`, usage{Messages: 1, Plain: 5, Write: 7}},
		"at the top of the line":                {`{"id":"1","usage":{"input_tokens":5}}`, usage{Messages: 1, Plain: 5}},
		"without ids, nothing is a repetition":  {`{"usage":{"input_tokens":5}}` + "\n" + `{"usage":{"input_tokens":5}}`, usage{Messages: 2, Plain: 10}},
		"other members of any type":             {`{"type":7,"id":{},"message":{"content":[1],"usage":{"input_tokens":5}}}`, usage{Messages: 1, Plain: 5}},
		"blank lines, and no end":               {"\n\r\n" + `{"usage":{"input_tokens":5}}`, usage{Messages: 1, Plain: 5}},
		"negative":                              {`{"usage":{"input_tokens":-5}}` + "\n" + `{"usage":{"input_tokens":1}}`, usage{Messages: 1, Skipped: 1, Plain: 1}},
		"larger than any window":                {`{"usage":{"input_tokens":9000000000}}` + "\n" + `{"usage":{"input_tokens":1}}`, usage{Messages: 1, Skipped: 1, Plain: 1}},
		"not JSON":                              {"\x00\xff{{{\n" + `{"usage":{"input_tokens":1}}`, usage{Messages: 1, Skipped: 1, Plain: 1}},
		"usage that is a text":                  {`{"usage":"much"}` + "\n" + `{"usage":{"input_tokens":1}}`, usage{Messages: 1, Plain: 1}},
		"a list, and a null":                    {"[]\nnull\n" + `{"usage":{"input_tokens":1}}`, usage{Messages: 1, Plain: 1}},
		"a resumed session repeats its message": {`{"requestId":"r","message":{"id":"m","usage":{"input_tokens":1}}}` + "\n" + `{"requestId":"r","message":{"id":"m","usage":{"input_tokens":1}}}`, usage{Messages: 1, Repeated: 1, Plain: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, err := readTranscripts([]string{transcript(t, tt.line)})
			require.NoError(t, err)
			tt.want.Files = 1
			assert.Equal(t, tt.want, *u)
		})
	}
}

// A message that is in two files is one message.
func TestTranscriptsShareMessages(t *testing.T) {
	t.Parallel()
	const line = `{"requestId":"r","message":{"id":"m","usage":{"input_tokens":3}}}`
	u, err := readTranscripts([]string{transcript(t, line), transcript(t, line)})
	require.NoError(t, err)
	assert.Equal(t, usage{Files: 2, Messages: 1, Repeated: 1, Plain: 3}, *u)
}

func TestTranscriptOfNothing(t *testing.T) {
	t.Parallel()
	garbage := make([]byte, 1<<20)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range garbage {
		garbage[i] = byte(random.Uint32())
	}
	for name, text := range map[string]string{"empty": "", "garbage": string(garbage), "no usage": `{"type":"user"}`} {
		_, log, code := call(t, "usage", transcript(t, text))
		assert.Equal(t, exitFailed, code, name)
		assert.Contains(t, log, "has a usage block with input_tokens", name)
	}
	_, log, code := call(t, "usage", t.TempDir())
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, log, "is a directory")
}

// One line of any length does no harm to those after it.
func TestTranscriptWithALongLine(t *testing.T) {
	t.Parallel()
	file := transcript(t, strings.Repeat("x", maxLine+10), `{"usage":{"input_tokens":1}}`, strings.Repeat("y", maxLine+10))
	u, err := readTranscripts([]string{file})
	require.NoError(t, err)
	assert.Equal(t, usage{Files: 1, Messages: 1, Skipped: 2, Plain: 1}, *u)
}

func TestUsageFeedsCompare(t *testing.T) {
	t.Parallel()
	out, log, code := call(t, "usage", "testdata/transcript.jsonl")
	require.Equal(t, exitOK, code, log)
	assert.Contains(t, out, "warm for 80.0 %")
	assert.Contains(t, out, "costs 0.443 of its price")
	out, log, code = call(t, "compare", "-mock", "-json", "-recipe", ourRecipe, "-transcript", "testdata/transcript.jsonl")
	require.Equal(t, exitOK, code, log)
	var c comparison
	require.NoError(t, json.Unmarshal([]byte(out), &c))
	assert.InDelta(t, 0.4425, c.Multiplier, 1e-9)
	// What is new is written to the cache: (500 × 1.25 + 1500 × 2)/2000.
	assert.InDelta(t, 1.8125, c.Session.Fresh, 1e-9)
}

func FuzzTranscript(f *testing.F) {
	text, err := os.ReadFile("testdata/transcript.jsonl")
	require.NoError(f, err)
	for _, line := range bytes.Split(text, []byte("\n")) {
		f.Add(line)
	}
	f.Add([]byte(`{"usage":{"input_tokens":1e400,"cache_creation":null}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		u := &usage{}
		u.addLine(line, map[string]bool{})
		require.LessOrEqual(t, u.Messages+u.Skipped, 1)
		for _, n := range []int64{u.Plain, u.Read, u.Write, u.Hour} {
			require.GreaterOrEqual(t, n, int64(0))
			require.LessOrEqual(t, n, int64(maxTokens))
		}
	})
}
