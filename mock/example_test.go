package mock_test

import (
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
