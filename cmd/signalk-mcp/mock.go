package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"syscall"

	"signalk-mcp/mock"
)

// mockFlags are those of the command.
type mockFlags struct {
	addr, server string
	speed        float64
	seed         uint64
	boat         mockBoat
	serving      serverFlags
}

func (m *mockFlags) register(f *flags) {
	f.StringVar(&m.addr, "addr", "127.0.0.1:3000", "the `address` to listen on, HOST:PORT")
	f.StringVar(&m.server, "server", "", "the `version` of signalk-server to be: 2.23.0 or 2.32.0")
	f.Float64Var(&m.speed, "speed", 1, "how many `seconds` pass on board in one of ours")
	f.Uint64Var(&m.seed, "seed", 0, "a `number` that makes another boat of the same kind")
	m.boat.register(f)
	m.serving.register(f)
}

func mockCommand(f *flags) runner {
	var m mockFlags
	m.register(f)
	return func(ctx context.Context, e env, words []string) (int, error) { return runMock(ctx, e, &m, words) }
}

// runMock serves the made-up boat until it is told to end.
func runMock(ctx context.Context, e env, m *mockFlags, words []string) (int, error) {
	switch {
	case m.boat.list:
		listMock(e.stdout)
		return exitOK, nil
	case m.serving.record != "":
		return m.serving.runRecord(ctx, words, e)
	case len(words) > 0:
		return exitUsage, fmt.Errorf("mock takes no arguments, only flags: %q", words[0])
	}
	var said speaker
	o := mock.Options{
		Addr: m.addr, Version: m.server, Speed: m.speed, Seed: m.seed,
		Spoken: said.lines, Logger: slog.New(slog.NewTextHandler(e.stderr, nil)),
	}
	if err := m.boat.fill(&o); err != nil {
		return exitUsage, err
	}
	release, err := m.serving.apply(&o)
	if err != nil {
		return exitUsage, err
	}
	defer release()
	s, err := mock.Start(o)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return exitFailed, fmt.Errorf("%s is in use by another program; -port takes another", o.Addr)
	case err != nil:
		return exitUsage, err
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	wait, err := said.listen(ctx, s)
	if err != nil {
		return exitFailed, err
	}
	defer wait()
	fmt.Fprintf(e.stderr, "A made-up boat is at %s, for a browser too; try: signalk-mcp say -url %s\n", s.URL, s.URL)
	<-ctx.Done()
	return exitOK, nil
}
