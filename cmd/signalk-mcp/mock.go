package main

import (
	"context"
	"fmt"
	"log/slog"

	"signalk-mcp/mock"
)

// runMock serves the made-up boat until it is told to end.
func runMock(ctx context.Context, args []string, e env) (int, error) {
	f := newFlags("mock", e)
	addr := f.String("addr", "127.0.0.1:3000", "the address to listen on, HOST:PORT")
	server := f.String("server", "2.32.0", "the version of signalk-server to behave as: 2.23.0 or 2.32.0")
	speed := f.Float64("speed", 1, "how many seconds pass on board in one of ours")
	seed := f.Uint64("seed", 0, "makes another boat of the same kind")
	if err := f.parse(args, e, "signalk-mcp mock [flags]: run a Signal K server with a made-up boat"); err != nil {
		return exitUsage, err
	}
	log := slog.New(slog.NewTextHandler(e.stderr, nil))
	s, err := mock.Start(mock.Options{Addr: *addr, Version: *server, Speed: *speed, Seed: *seed, Logger: log})
	if err != nil {
		return exitUsage, err
	}
	defer s.Close()
	fmt.Fprintf(e.stderr, "A made-up boat is at %s; try: signalk-mcp say -url %s\n", s.URL, s.URL)
	<-ctx.Done()
	return exitOK, nil
}
