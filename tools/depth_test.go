package tools_test

import (
	"testing"
	"time"
)

const (
	belowKeel           = "environment.depth.belowKeel"
	belowTransducer     = "environment.depth.belowTransducer"
	belowSurface        = "environment.depth.belowSurface"
	transducerToKeel    = "environment.depth.transducerToKeel"
	surfaceToTransducer = "environment.depth.surfaceToTransducer"
)

func TestDepthState(t *testing.T) {
	t.Parallel()
	situations(t, "depth_state", map[string]situation{
		"published clearance": {
			boat: func(b *boat) { b.send(belowKeel, "3.66", belowTransducer, "4.16") },
			num:  map[string]float64{"below_keel_m": 3.7, "below_transducer_m": 4.2},
			says: []string{"3.7 metres below the keel"},
		},
		"offset negative, as NMEA 2000 sends it: 4.2 − 0.5": {
			boat: func(b *boat) { b.send(belowTransducer, "4.2", transducerToKeel, "-0.5") },
			num:  map[string]float64{"below_keel_m": 3.7},
			not:  []string{"4.7"},
		},
		"offset positive, as NMEA 0183 sends it: 4.2 − 0.5": {
			boat: func(b *boat) { b.send(belowTransducer, "4.2", transducerToKeel, "0.5") },
			num:  map[string]float64{"below_keel_m": 3.7},
			not:  []string{"4.7"},
		},
		"draft and mount: 3.0 + 0.4 − 1.9": {
			boat: func(b *boat) {
				b.from("defaults", 268*time.Hour, surfaceToTransducer, "0.4", "design.draft", `{"maximum":1.9,"minimum":0.9,"canoe":0.6}`).
					send(belowTransducer, "3.0")
			},
			num:    map[string]float64{"below_keel_m": 1.5, "below_surface_m": 3.4, "below_transducer_m": 3},
			absent: []string{"status"},
		},
		"surface and current draft: 3.1 − 1.8": {
			boat: func(b *boat) {
				b.from("defaults", 4*time.Hour, "design.draft", `{"maximum":2.1,"current":1.8}`).send(belowSurface, "3.1")
			},
			num: map[string]float64{"below_keel_m": 1.3, "below_surface_m": 3.1},
		},
		"draft as a leaf of older servers: 3.1 − 2.1": {
			boat: func(b *boat) {
				b.send("design.draft.maximum", "2.1", "design.draft.minimum", "0.9", belowSurface, "3.1")
			},
			num:  map[string]float64{"below_keel_m": 1},
			says: []string{"1 metre below the keel"},
		},
		"only a minimum draft is no draft": {
			boat:   func(b *boat) { b.send("design.draft", `{"minimum":0.9,"canoe":0.6}`, belowSurface, "3.1") },
			num:    map[string]float64{"below_surface_m": 3.1},
			says:   []string{"3.1 metres below the surface", "draft is not set"},
			absent: []string{"below_keel_m"},
		},
		"no offset": {
			boat:   func(b *boat) { b.send(belowTransducer, "3.2") },
			num:    map[string]float64{"below_transducer_m": 3.2},
			says:   []string{"below the transducer", "keel offset is not set"},
			absent: []string{"below_keel_m"},
		},
		"the published clearance is trusted before an offset": {
			boat: func(b *boat) { b.send(belowKeel, "3.5", belowTransducer, "5", transducerToKeel, "-1.4") },
			num:  map[string]float64{"below_keel_m": 3.5},
		},
		"aground, or a wrong offset": {
			boat: func(b *boat) { b.send(belowKeel, "-0.2") },
			num:  map[string]float64{"below_keel_m": -0.2},
			says: []string{"0.2 metres above the keel"},
		},
		"zero is measured": {
			boat: func(b *boat) { b.send(belowKeel, "0") },
			num:  map[string]float64{"below_keel_m": 0},
			says: []string{"0 metres below the keel"},
		},
		// The plugin of before adds a negative offset to what N2K sends: 5 + 1.5.
		"clearance above the transducer's depth: 5 − 1.5": {
			boat:  func(b *boat) { b.send(belowKeel, "6.5", belowTransducer, "5", transducerToKeel, "-1.5") },
			num:   map[string]float64{"below_keel_m": 3.5},
			not:   []string{"6.5 metres below the keel"},
			warns: "wrong sign",
		},
		"a clearance that cannot be, and no other": {
			boat:   func(b *boat) { b.send(belowKeel, "6.5", belowTransducer, "5") },
			num:    map[string]float64{"below_transducer_m": 5},
			absent: []string{"below_keel_m"},
			warns:  "cannot be",
		},
		// A gateway puts depth and a negative offset into belowSurface.
		"surface above the transducer": {
			boat:  func(b *boat) { b.send(belowSurface, "3.7", belowTransducer, "4.2", "design.draft", `{"maximum":1.8}`) },
			num:   map[string]float64{"below_keel_m": 1.9},
			warns: "below the surface is reported smaller",
		},
		"two sources of the clearance: the smaller": {
			boat: func(b *boat) {
				b.from("n2k", time.Second, belowKeel, "3.5", belowTransducer, "5", transducerToKeel, "-1.5").
					from("derived-data", time.Second, belowKeel, "6.5")
			},
			num:   map[string]float64{"below_keel_m": 3.5},
			warns: "two sources disagree: 3.5 metres and 6.5 metres",
		},
		"two sounders within half a metre": {
			boat: func(b *boat) {
				b.from("b", time.Second, belowTransducer, "5.3").from("a", time.Second, belowTransducer, "5", transducerToKeel, "1.5")
			},
			num: map[string]float64{"below_keel_m": 3.5, "below_transducer_m": 5},
		},
		"two sounders that disagree: the smaller clearance": {
			boat: func(b *boat) {
				b.from("a", time.Second, belowTransducer, "5", belowKeel, "3.5", transducerToKeel, "1.5").from("b", time.Second, belowTransducer, "3")
			},
			num:   map[string]float64{"below_keel_m": 1.5},
			warns: "two sources disagree",
		},
		"the sounder lost the bottom": {
			boat: func(b *boat) {
				b.from("s", 20*time.Second, belowTransducer, "25").from("s", 10*time.Second, belowTransducer, "null")
			},
			num:    map[string]float64{"last_below_transducer_m": 25, "age_s": 20},
			says:   []string{"No depth now", "20 seconds ago"},
			absent: []string{"below_transducer_m", "below_keel_m"},
			status: "no_data",
		},
		"the clearance was worked out from a depth that is lost": {
			boat: func(b *boat) {
				b.from("derived-data", time.Second, belowKeel, "3.5").from("s", 2*time.Second, belowTransducer, "5").
					wait(time.Second).from("s", 0, belowTransducer, "null")
			},
			says:   []string{"No depth now"},
			absent: []string{"below_keel_m"},
			status: "no_data",
		},
		"the sounder is silent for eight minutes": {
			boat: func(b *boat) {
				b.from("s", 480*time.Second, belowTransducer, "6.1", belowKeel, "5.6").from("gps", time.Second, "navigation.speedOverGround", "2.6")
			},
			num:    map[string]float64{"age_s": 480, "last_below_keel_m": 5.6},
			says:   []string{"8 minutes", "5.6 metres below the keel"},
			absent: []string{"below_keel_m", "below_transducer_m"},
			status: "stale",
		},
		"an old clearance beside a live transducer: 4 − 1.5": {
			boat: func(b *boat) {
				b.from("s", 480*time.Second, belowKeel, "5.6").send(belowTransducer, "4", transducerToKeel, "1.5")
			},
			num: map[string]float64{"below_keel_m": 2.5},
		},
		"a stamp a day ahead, heard once": {
			boat:   func(b *boat) { b.from("s", -24*time.Hour, belowKeel, "3") },
			says:   []string{"age", "not known"},
			absent: []string{"below_keel_m", "age_s", "timestamp"},
			status: "stale",
			warns:  "clock",
		},
		"a living sounder with a wrong clock": {
			boat: func(b *boat) {
				b.from("s", 24*time.Hour, belowKeel, "3").wait(time.Second).from("s", 24*time.Hour, belowKeel, "3.1")
			},
			num:    map[string]float64{"below_keel_m": 3.1},
			absent: []string{"timestamp"},
			warns:  "clock of that sensor is wrong",
		},
		"never a depth": {
			boat:   func(b *boat) { b.send("navigation.speedOverGround", "2.6") },
			says:   []string{"This boat does not report depth"},
			status: "not_fitted",
		},
		"an offset alone is no depth": {
			boat:   func(b *boat) { b.send(transducerToKeel, "-1.5") },
			status: "not_fitted",
		},
		"a depth that cannot be": {
			boat:   func(b *boat) { b.send(belowTransducer, "-4") },
			says:   []string{"No usable depth", "minus 4"},
			absent: []string{"below_transducer_m"},
			status: "no_data",
			warns:  "cannot be",
		},
		"a depth as a text": {
			boat: func(b *boat) { b.send(belowKeel, `"3.0"`) },
			num:  map[string]float64{"below_keel_m": 3},
		},
		"link lost": {
			boat:   func(b *boat) { b.alive(belowKeel, "3").lost().wait(3 * time.Minute) },
			num:    map[string]float64{"last_below_keel_m": 3, "age_s": 180},
			says:   []string{"No connection", "boat dot local port 3000", "3 minutes", "connection refused"},
			absent: []string{"below_keel_m"},
			status: "disconnected",
		},
		"link lost, aground before": {
			boat:   func(b *boat) { b.alive(belowKeel, "-0.2").lost().wait(time.Minute) },
			says:   []string{"0.2 metres above the keel"},
			status: "disconnected",
		},
		"link lost, nothing known": {
			boat:   func(b *boat) { b.lost().wait(3 * time.Minute) },
			says:   []string{"No connection"},
			status: "disconnected",
			wrong:  true,
		},
		"hello, then silence": {
			boat:   func(b *boat) { b.wait(12 * time.Second) },
			says:   []string{"no data for 12 seconds"},
			status: "disconnected",
			wrong:  true,
		},
		"token refused": {
			boat:   func(b *boat) { b.v.Lost(true, "the token has expired"); b.wait(time.Minute) },
			says:   []string{"refused access", "token"},
			not:    []string{"not report"},
			status: "unauthorised",
			wrong:  true,
		},
		// A sounder that loses the bottom sends null for its own depth only (DPT).
		"lost bottom, and a depth below the surface of before": {
			boat: func(b *boat) {
				b.from("cfg", time.Hour, "design.draft", `{"maximum":1.9}`).
					from("s", 0, belowTransducer, "4.4", surfaceToTransducer, "0.5", belowSurface, "4.9").
					wait(time.Second).from("s", 0, belowTransducer, "null", surfaceToTransducer, "0.5")
			},
			num:    map[string]float64{"last_below_keel_m": 3}, // 4.9 − 1.9
			absent: []string{"below_keel_m", "below_surface_m"},
			status: "no_data",
		},
		"a clearance that the offset contradicts: 4.7, and 5 − 1.5": {
			boat:  func(b *boat) { b.send(belowKeel, "4.7", belowTransducer, "5", transducerToKeel, "-1.5") },
			num:   map[string]float64{"below_keel_m": 3.5},
			warns: "3.5 metres below the keel by the keel offset",
		},
		"the last one keeps to what can be: 5 − 1.5, not 6.5": {
			boat: func(b *boat) {
				b.from("derived-data", time.Minute, belowKeel, "6.5").from("n2k", time.Minute, belowTransducer, "5", transducerToKeel, "-1.5")
			},
			num:    map[string]float64{"last_below_keel_m": 3.5, "age_s": 60},
			not:    []string{"6.5"},
			status: "stale",
		},
		"an offset of 0 is none": {
			boat:   func(b *boat) { b.send(belowTransducer, "5", transducerToKeel, "0") },
			num:    map[string]float64{"below_transducer_m": 5},
			says:   []string{"keel offset is not set"},
			absent: []string{"below_keel_m"},
		},
		"a draft of 0 is none": { // AIS static data has 0 for not available
			boat:   func(b *boat) { b.send(belowSurface, "3", "design.draft", `{"maximum":0}`) },
			num:    map[string]float64{"below_surface_m": 3},
			says:   []string{"draft is not set"},
			absent: []string{"below_keel_m"},
		},
		"two mounts: the one that leaves less, 3 + 0.2 − 1.9": {
			boat: func(b *boat) {
				b.from("a", time.Second, surfaceToTransducer, "0.6").from("b", time.Second, surfaceToTransducer, "0.2").
					send(belowTransducer, "3", "design.draft", `{"maximum":1.9}`)
			},
			num: map[string]float64{"below_keel_m": 1.3, "below_surface_m": 3.2, "below_transducer_m": 3},
		},
		"what a converter makes of not available": { // 0xFFFFFFFF centimetres
			boat:   func(b *boat) { b.send(belowTransducer, "42949672.95", transducerToKeel, "1") },
			absent: []string{"below_keel_m", "below_transducer_m"},
			status: "no_data",
			warns:  "cannot be",
		},
		"one sounder sends what cannot be, the other a depth": {
			boat: func(b *boat) {
				b.from("a", time.Second, belowKeel, "42949672.95").from("b", time.Second, belowKeel, "3")
			},
			num:   map[string]float64{"below_keel_m": 3},
			warns: "is not used",
		},
		"a number beyond what JSON readers hold": {
			boat: func(b *boat) {
				b.frame(`{"context":"vessels.self","updates":[{"$source":"s","timestamp":%q,"values":[{"path":"environment.depth.belowKeel","value":1e400}]}]}`, stamp(b.time))
			},
			absent: []string{"below_keel_m"},
			status: "no_data",
		},
		"a certificate that has expired": {
			boat: func(b *boat) {
				b.v.Lost(false, "by this computer's clock its TLS certificate has expired or is not valid yet; set the clock or renew the certificate, or trust any with -insecure")
			},
			says:   []string{"set the clock or renew the certificate"},
			status: "disconnected",
			wrong:  true,
		},
		"a certificate that nobody signed": {
			boat: func(b *boat) {
				b.v.Lost(false, "its TLS certificate is signed by nobody who is trusted; trust it with -ca FILE, or any with -insecure")
			},
			says:   []string{"with -ca FILE", "with -insecure"},
			status: "disconnected",
			wrong:  true,
		},
	})
}
