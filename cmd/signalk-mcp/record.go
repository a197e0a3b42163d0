package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"signalk-mcp/mock"
	"signalk-mcp/signalk"
)

// serverFlags are the flags of mock that are about the server, not the boat.
type serverFlags struct {
	user, ca        string
	announce, units bool
	replay, record  string
	originalTimes   bool
	recordTime      time.Duration
	recordSize      int64
}

func (m *serverFlags) register(f *flags) {
	f.StringVar(&m.user, "user", "", "security on, with this administrator: `NAME:PASSWORD`")
	f.BoolVar(&m.announce, "announce", false, "make the server known on the local network (mDNS)")
	f.BoolVar(&m.units, "display-units", false, "tell in the meta how each value would be shown")
	f.StringVar(&m.replay, "replay", "", "play this recording, a `file`, over and over")
	f.BoolVar(&m.originalTimes, "original-times", false, "leave the times of a recording as they are")
	f.StringVar(&m.record, "record", "", "record the server at this `URL` to FILE; serve nothing")
	f.DurationVar(&m.recordTime, "record-time", 0, "how long to record; without it until interrupted")
	f.Int64Var(&m.recordSize, "record-size", 100, "how many `megabytes` to record at most")
	f.StringVar(&m.ca, "ca", "", "a PEM `file` of certificates to trust when recording")
	f.twin("ca", "SIGNALK_CA")
}

// apply adds what the flags say to the options. release is to be called when the
// server is closed.
func (m *serverFlags) apply(o *mock.Options) (release func(), err error) {
	o.Announce, o.DisplayUnits, o.OriginalTimes = m.announce, m.units, m.originalTimes
	if m.user != "" {
		name, password, ok := strings.Cut(m.user, ":")
		if !ok || name == "" || password == "" {
			return nil, errors.New("-user is not NAME:PASSWORD")
		}
		o.Users = map[string]mock.User{name: {Password: password, Permission: mock.Admin}}
	}
	if m.replay == "" {
		return func() {}, nil
	}
	file, err := os.Open(m.replay)
	if err != nil {
		return nil, fmt.Errorf("-replay: %w", err)
	}
	o.Replay = file
	return func() { file.Close() }, nil
}

// runRecord writes what a server says to a new file.
func (m *serverFlags) runRecord(ctx context.Context, args []string, e env) (int, error) {
	if len(args) != 1 {
		return exitUsage, errors.New("-record wants the name of one file to write, after the flags")
	}
	if m.recordSize <= 0 || m.recordSize > 1<<20 || m.recordTime < 0 {
		return exitUsage, errors.New("-record-size is between 1 and 1048576 megabytes, and -record-time is not negative")
	}
	o := mock.RecordOptions{
		URL: m.record, Token: e.getenv("SIGNALK_TOKEN"), MaxTime: m.recordTime, MaxBytes: m.recordSize << 20,
	}
	if m.ca != "" {
		roots, err := signalk.ReadRoots(m.ca)
		if err != nil {
			return exitUsage, err
		}
		o.TLS = &tls.Config{RootCAs: roots}
	}
	// For its owner's eyes: it tells where the boat was.
	file, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return exitUsage, fmt.Errorf("-record writes a new file: %w", err)
	}
	fmt.Fprintf(e.stderr, "Recording to %s until interrupted.\n", args[0])
	r, err := mock.Record(ctx, file, o)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		if r.Frames < 2 { // the hello alone tells nothing of the boat
			os.Remove(args[0])
		}
		return exitFailed, fmt.Errorf("-record: %w", err)
	}
	fmt.Fprintf(e.stderr, "Recorded %d frames, %d bytes, in %s: %s.\n", r.Frames, r.Bytes, r.Took.Round(time.Second), r.End)
	return exitOK, nil
}
