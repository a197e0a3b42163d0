package main

import (
	"flag"
	"fmt"
	"math"
)

// way is one way to the boat's values: what stands in every turn, and what one
// read adds, in tokens.
type way struct {
	Standing float64 `json:"standing"`
	Read     float64 `json:"read"`
}

// turn is what a turn with k reads costs, in tokens of input price. The standing
// part costs m of it: 1, or less with prompt caching.
func (w way) turn(k, m float64) float64 { return w.Standing*m + k*w.Read }

// breakeven gives k* = m·(S−P)/(raw−tool), the reads a turn at which tools and
// recipe cost the same. It is infinite, or not a number, where a read costs the
// same both ways.
func breakeven(tools, recipe way, m float64) float64 {
	return m * (tools.Standing - recipe.Standing) / (recipe.Read - tools.Read)
}

// verdict says in words from how many reads a turn the tools cost less.
func verdict(tools, recipe way, m float64) string {
	k := breakeven(tools, recipe, m)
	saves := recipe.Read > tools.Read // a read is cheaper by the tool
	ahead := tools.Standing <= recipe.Standing
	switch {
	case ahead && saves:
		return "from the first read"
	case ahead && recipe.Read == tools.Read:
		return "always"
	case ahead:
		return fmt.Sprintf("up to %.1f reads a turn", k)
	case saves:
		return fmt.Sprintf("from %.2f reads a turn", k)
	}
	return "never"
}

// prices are what cached input costs, as multiples of plain input.
type prices struct {
	Read  float64 `json:"read"`     // from the cache
	Write float64 `json:"write_5m"` // into it, kept for 5 minutes
	Hour  float64 `json:"write_1h"` // kept for an hour
}

// listPrices are Anthropic's.
var listPrices = prices{Read: 0.1, Write: 1.25, Hour: 2}

// priceFlags registers the flags of other prices than the list's.
func priceFlags(f *flag.FlagSet) *prices {
	p := listPrices
	f.Float64Var(&p.Read, "price-read", p.Read, "price of reading from the cache, of input's")
	f.Float64Var(&p.Write, "price-write-5m", p.Write, "price of writing to a cache of 5 minutes, of input's")
	f.Float64Var(&p.Hour, "price-write-1h", p.Hour, "price of writing to a cache of an hour, of input's")
	return &p
}

// check tells whether the prices can be meant.
func (p *prices) check() error {
	for _, x := range []float64{p.Read, p.Write, p.Hour} {
		if !(x >= 0 && x <= 100) {
			return usageError("a price of %v: from 0 to 100 times input's", x)
		}
	}
	return nil
}

// multiplier is what is left of the price of a standing part that is warm in the
// cache for a share of the turns, and written anew in the others.
func multiplier(warm, read, write float64) float64 { return (1-warm)*write + warm*read }

// session is a conversation: turns with the same number of reads in each, whose
// results stay in the transcript and are read again in every later turn.
type session struct {
	Turns int     `json:"turns"`
	Reads float64 `json:"reads_a_turn"`
	// Standing is the multiplier of what has been there before, Fresh of what is
	// new in a turn.
	Standing float64 `json:"standing_multiplier"`
	Fresh    float64 `json:"fresh_multiplier"`
}

// cost of the whole session: each turn pays the standing part, each result once
// when it comes, and then in each turn that is left. One request a turn.
func (s session) cost(w way) float64 {
	t := float64(s.Turns)
	return t*s.Standing*w.Standing + s.Reads*w.Read*(t*s.Fresh+s.Standing*t*(t-1)/2)
}

// breakeven gives the reads a turn at which both ways cost the same over the
// whole session.
func (s session) breakeven(tools, recipe way) float64 {
	t := float64(s.Turns)
	return s.Standing * t * (tools.Standing - recipe.Standing) /
		((recipe.Read - tools.Read) * (t*s.Fresh + s.Standing*t*(t-1)/2))
}

// number prints a breakeven, which may be none.
func number(k float64) string {
	if math.IsInf(k, 0) || math.IsNaN(k) {
		return "–"
	}
	return fmt.Sprintf("%.2f", k)
}
