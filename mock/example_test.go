package mock_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"signalk-mcp/mock"
)

// A server that says what the test wants.
func ExampleNewServer() {
	s := mock.NewServer(mock.Options{NoVessel: true})
	defer s.Close()

	if err := s.Set("environment.depth.belowKeel", 4.2); err != nil {
		fmt.Println(err)
		return
	}
	res, err := http.Get(s.URL + "/signalk/v1/api/vessels/self/environment/depth/belowKeel/value")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	fmt.Println(string(text))
	fmt.Println(s.Requests()[0])
	// Output:
	// 4.2
	// GET /signalk/v1/api/vessels/self/environment/depth/belowKeel/value
}

// A boat under way, and the truth to compare answers with.
func ExampleNewServer_underWay() {
	s := mock.NewServer(mock.Options{Seed: 1, Start: time.Date(2026, 6, 21, 9, 0, 0, 0, time.UTC)})
	defer s.Close()

	truth := s.Truth()
	fmt.Println("bound for", truth.NextPoint)
	fmt.Printf("draft %.1f m\n", truth.DepthBelowSurface-truth.DepthBelowKeel)
	fmt.Println("afloat:", truth.DepthBelowKeel > 0)
	// Output:
	// bound for Kallbådan
	// draft 1.9 m
	// afloat: true
}

func ExampleServer_Restart() {
	s := mock.NewServer(mock.Options{NoVessel: true})
	defer s.Close()

	before := s.URL
	s.Stop()
	_, err := http.Get(before + "/signalk")
	fmt.Println("stopped:", err != nil)
	if err := s.Restart(true); err != nil {
		fmt.Println(err)
	}
	fmt.Println("same address:", s.URL == before)
	// Output:
	// stopped: true
	// same address: true
}

// A boat whose sounder loses the bottom, on a link that is cut. What is said can
// be compared with the truth.
func ExampleNewServer_scenario() {
	s := mock.NewServer(mock.Options{
		Scenario: mock.LostBottom,
		Faults:   []mock.Fault{{Kind: mock.FaultDrop, After: time.Minute}},
		Speed:    1000, // the bottom is lost after three minutes
	})
	defer s.Close()

	for s.Truth().DepthBelowTransducer < 160 {
		time.Sleep(time.Millisecond)
	}
	res, err := http.Get(s.URL + "/signalk/v1/api/vessels/self/environment/depth/belowTransducer/value")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	fmt.Println(string(text))
	// Output:
	// null
}

// A script: the vessel's own instruments say what the test wants.
func ExampleServer_Set() {
	s := mock.NewServer(mock.Options{})
	defer s.Close()

	for _, err := range []error{
		s.Set("environment.depth.belowKeel", 0.4),
		s.Null("environment.wind.speedApparent"),
		s.Raise("mob", "emergency", "Person overboard"),
		s.Break(mock.Fault{Kind: mock.FaultSilent, Target: "n2k-can0.35"}),
	} {
		if err != nil {
			fmt.Println(err)
		}
	}
	s.Drop()
	res, err := http.Get(s.URL + "/signalk/v1/api/vessels/self/environment/depth/belowKeel")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	var leaf struct {
		Value  float64
		Source string `json:"$source"`
	}
	_ = json.NewDecoder(res.Body).Decode(&leaf)
	fmt.Println(leaf.Value, leaf.Source)
	// Output:
	// 0.4 n2k-can0.40
}

// Ten minutes at anchor, in no time and without a socket.
func ExampleSimulation() {
	start := time.Date(2026, 6, 21, 9, 0, 0, 0, time.UTC)
	x, err := mock.NewSimulation(mock.Options{Scenario: mock.AtAnchor, Start: start})
	if err != nil {
		fmt.Println(err)
		return
	}
	alarms := map[string]bool{}
	for events := x.Open(); x.Time().Before(start.Add(10 * time.Minute)); events = x.Step(time.Second) {
		for _, e := range events {
			if bytes.Contains(e.Text, []byte("Anchor drags")) {
				alarms["the anchor drags"] = true
			}
		}
	}
	fmt.Println(alarms, x.Server().Truth().AnchorRadius > 40)
	// Output:
	// map[the anchor drags:true] true
}

// ParseFault reads what the command line and the control endpoint take.
func ExampleParseFault() {
	f, err := mock.ParseFault("null=environment.depth.*@2m+90s")
	fmt.Println(f.Kind, f.Target, f.After, f.For, err)
	// Output:
	// null environment.depth.* 2m0s 1m30s <nil>
}
