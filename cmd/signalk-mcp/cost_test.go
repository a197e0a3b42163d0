package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"
)

// tokens counts as the hosts' models do, by proxy: cl100k_base.
func tokens(t *testing.T, s string) int {
	t.Helper()
	enc, err := tokenizer.Get(tokenizer.Cl100kBase)
	require.NoError(t, err)
	n, err := enc.Count(s)
	require.NoError(t, err)
	return n
}
