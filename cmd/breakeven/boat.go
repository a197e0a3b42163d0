package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"signalk-mcp/mock"
	"signalk-mcp/signalk"
	"signalk-mcp/tools"
)

// boatFlags say which boat is looked at.
type boatFlags struct {
	url  string
	mock bool
}

func (b *boatFlags) register(f *flag.FlagSet) {
	f.StringVar(&b.url, "url", os.Getenv("SIGNALK_URL"), "the Signal K server, http://HOST:PORT ($SIGNALK_URL)")
	f.BoolVar(&b.mock, "mock", false, "a made-up boat inside this program, standing still at one moment")
}

// moment is the time on the made-up boat: what is measured on it is the same in
// every run.
var moment = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// standing are the options of a made-up boat that stands at that moment.
func standing() mock.Options {
	return mock.Options{Start: moment, Now: func() time.Time { return moment }}
}

// open gives the address of the server, and what ends it if it is ours: a made-up
// boat with these options.
func (b *boatFlags) open(o mock.Options) (server string, done func(), err error) {
	switch {
	case b.mock:
		s, err := mock.Start(o)
		if err != nil {
			return "", nil, err
		}
		return s.URL, s.Close, nil
	case b.url == "":
		return "", nil, usageError("which boat: -mock, or -url http://HOST:PORT")
	}
	server = strings.TrimSuffix(b.url, "/")
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	return server, func() {}, nil
}

// toolsOver connects to a server and gives the tools over its vessel, once the
// first picture of it is complete, or cannot be had. done ends the connection.
// With a boat that stands still its clock does too, so that ages are the same in
// every run.
func toolsOver(ctx context.Context, server string, still bool) (set *tools.Set, done func(), err error) {
	var o signalk.VesselOptions
	var late atomic.Bool // a second after everything was heard
	if still {
		o.Now = func() time.Time {
			if late.Load() {
				return moment.Add(time.Second)
			}
			return moment
		}
	}
	v := signalk.NewVessel(o)
	client, err := signalk.NewClient(v, signalk.Options{URL: server, Credentials: signalk.Credentials{Token: os.Getenv("SIGNALK_TOKEN")}})
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var feeding sync.WaitGroup
	feeding.Go(func() { client.Run(ctx) })
	done = func() {
		cancel()
		feeding.Wait()
	}
	limit := time.After(firstPicture)
	news := time.NewTicker(quiet)
	defer news.Stop()
	for heard, same := 0, 0; ; {
		select {
		case <-v.Settled():
			return tools.New(v, tools.Options{HostZone: time.UTC}), done, nil
		case <-news.C:
			n := v.Len()
			if same++; n == 0 || n != heard {
				heard, same = n, 0
			}
			if same == quietTicks {
				late.Store(true)
			}
		case <-limit:
			done()
			return nil, nil, fmt.Errorf("%s told nothing of the boat within %v", server, firstPicture)
		case <-ctx.Done():
			done()
			return nil, nil, context.Cause(ctx)
		}
	}
}

const (
	// firstPicture is how long the first values may take.
	firstPicture = 10 * time.Second
	// quiet, so often in a row, is how long nothing new comes before a boat that
	// stands still has said all.
	quiet      = 100 * time.Millisecond
	quietTicks = 5
)
