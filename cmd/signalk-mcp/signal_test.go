package main

import (
	"bufio"
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An end that was asked for is no error, and no line in the host's log.
func TestEndBySignal(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	defer inW.Close()
	var log syncBuffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"-mock", "-log-level", "warn"}, env{inR, outW, &log, noEnv})
		outW.Close()
	}()
	_, err := io.WriteString(inW, initialize)
	require.NoError(t, err)
	_, err = bufio.NewReader(outR).ReadString('\n')
	require.NoError(t, err)
	cancel()
	assert.Equal(t, exitOK, <-ended)
	assert.Empty(t, log.String())
}
