package main

import (
	"context"
	"fmt"
	"log/slog"

	"signalk-mcp/mock"
)

func mockCommand(f *flags) runner {
	var o mock.Options
	f.StringVar(&o.Addr, "addr", "127.0.0.1:3000", "the `address` to listen on, HOST:PORT")
	f.StringVar(&o.Version, "server", "2.32.0", "the `version` of signalk-server to be: 2.23.0 or 2.32.0")
	f.Float64Var(&o.Speed, "speed", 1, "how many `seconds` pass on board in one of ours")
	f.Uint64Var(&o.Seed, "seed", 0, "a `number` that makes another boat of the same kind")
	return func(ctx context.Context, e env, _ []string) (int, error) { return runMock(ctx, e, o) }
}

// runMock serves the made-up boat until it is told to end.
func runMock(ctx context.Context, e env, o mock.Options) (int, error) {
	o.Logger = slog.New(slog.NewTextHandler(e.stderr, nil))
	s, err := mock.Start(o)
	if err != nil {
		return exitUsage, err
	}
	defer s.Close()
	fmt.Fprintf(e.stderr, "A made-up boat is at %s; try: signalk-mcp say -url %s\n", s.URL, s.URL)
	<-ctx.Done()
	return exitOK, nil
}
