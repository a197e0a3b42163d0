package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"signalk-mcp/mock"
	"signalk-mcp/signalk"
	"signalk-mcp/tools"
)

// mockBoat are the flags that say what happens to the made-up boat, and how it is
// watched.
type mockBoat struct {
	scenario string
	faults   faultList
	port     int
	control  bool
	list     bool
}

func (b *mockBoat) register(f *flags) {
	f.StringVar(&b.scenario, "scenario", string(mock.Passage), "what happens to the boat, a `name` of -list")
	f.Var(&b.faults, "fault", "what breaks, a `kind` of -list; may be repeated")
	f.IntVar(&b.port, "port", 0, "the `port` to listen on at 127.0.0.1, instead of -addr")
	f.BoolVar(&b.control, "control", false, "let this machine, and the page, script the boat")
	f.BoolVar(&b.list, "list", false, "list the scenarios and faults, and end")
}

// fill puts the flags into the mock's options.
func (b *mockBoat) fill(o *mock.Options) error {
	if b.port < 0 || b.port > 65535 {
		return fmt.Errorf("-port: %d is no port", b.port)
	}
	if b.port > 0 {
		o.Addr = "127.0.0.1:" + strconv.Itoa(b.port)
	}
	o.Scenario, o.Faults, o.Control = mock.Scenario(b.scenario), b.faults, b.control
	return nil
}

// faultList is a flag that may be repeated.
type faultList []mock.Fault

func (l *faultList) String() string { return "" }

func (l *faultList) Set(s string) error {
	f, err := mock.ParseFault(s)
	*l = append(*l, f)
	return err
}

// listMock prints what can happen.
func listMock(w io.Writer) {
	fmt.Fprintln(w, "scenarios (-scenario NAME)")
	for _, s := range mock.Scenarios() {
		fmt.Fprintf(w, "\n  %s: %s\n", s, s.About())
		for _, line := range s.Log() {
			fmt.Fprintf(w, "    %s\n", line)
		}
	}
	fmt.Fprintln(w, "\nfaults (-fault KIND[=TARGET][@AFTER][+FOR]; the default target in brackets)")
	for _, k := range mock.FaultKinds() {
		fmt.Fprintf(w, "\n  %s: %s\n", k, k.About())
	}
}

// speaker asks the tools about the made-up boat, for the mock's page. Until it
// has a server it has nothing to say.
type speaker struct{ set atomic.Pointer[tools.Set] }

func (s *speaker) lines() (lines []string) {
	set := s.set.Load()
	if set == nil {
		return nil
	}
	for _, t := range tools.Catalog() {
		if t.Name == "list_paths" {
			continue // of no interest every second
		}
		if r, err := set.Call(t.Name, tools.Example(t.Name)); err == nil {
			lines = append(lines, strings.ReplaceAll(t.Name, "_", " ")+": "+r.Spoken())
		}
	}
	return lines
}

// listen connects to a mock, by whose clock everything is reckoned, until the end of
// ctx; wait returns after that.
func (s *speaker) listen(ctx context.Context, m *mock.Server) (wait func(), err error) {
	v := signalk.NewVessel(signalk.VesselOptions{Now: m.Now})
	client, err := signalk.NewClient(v, signalk.Options{URL: m.URL})
	if err != nil {
		return nil, err
	}
	s.set.Store(tools.New(v, tools.Options{HostZone: hostZone()}))
	var running sync.WaitGroup
	running.Go(func() { client.Run(ctx) })
	return running.Wait, nil
}
