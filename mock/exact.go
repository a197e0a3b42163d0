package mock

import "math"

// The functions here give the same bits on every processor, so that a vessel
// does. Those of package math do not: some have machine code of their own, and
// where a processor can round x*y + z once (arm64), the compiler lets it. A
// conversion to float64 around a product keeps it from that; every sum of
// products in this package has one, and TestNoFusedArithmetic looks.

// sincos of an angle within some million turns. Sum of the series on ±π/4.
func sincos(x float64) (sin, cos float64) {
	// π/2 in three parts, of which the first two are short: their multiples are exact.
	const p1, p2, p3 = 1.57079625129699707031, 7.54978941586159635335e-8, 5.39030285815811905290e-15
	k := math.Round(float64(x * (2 / math.Pi)))
	r := x - float64(k*p1)
	r -= float64(k * p2)
	r -= float64(k * p3)
	z := float64(r * r)
	sin, cos = 1, 1
	for n := 16.0; n > 0; n -= 2 {
		sin = 1 - float64(z/(n*(n+1))*sin)
		cos = 1 - float64(z/(n*(n-1))*cos)
	}
	sin = float64(sin * r)
	switch int64(k) & 3 {
	case 1:
		return cos, -sin
	case 2:
		return -sin, -cos
	case 3:
		return -cos, sin
	}
	return sin, cos
}

func sine(x float64) float64 { s, _ := sincos(x); return s }

func cosine(x float64) float64 { _, c := sincos(x); return c }

// hypot of lengths that are neither huge nor tiny.
func hypot(x, y float64) float64 { return math.Sqrt(float64(x*x) + float64(y*y)) }

// arctan of x >= 0: halved until the series is short.
func arctan(x float64) float64 {
	if x > 1 {
		return math.Pi/2 - arctan(1/x)
	}
	const halvings = 2
	for range halvings {
		x /= 1 + math.Sqrt(1+float64(x*x))
	}
	z, sum := float64(x*x), 0.0
	for n := 23.0; n > 0; n -= 2 {
		sum = 1/n - float64(z*sum)
	}
	return float64(x*sum) * (1 << halvings)
}

// arctan2 is the angle of the point (x, y) from the x axis, in (-π, π].
func arctan2(y, x float64) float64 {
	a := math.Pi / 2
	if x != 0 {
		a = arctan(math.Abs(y / x))
	} else if y == 0 {
		return 0
	}
	if x < 0 {
		a = math.Pi - a
	}
	if y < 0 {
		a = -a
	}
	return a
}

func arcsin(x float64) float64 { return arctan2(x, math.Sqrt(float64((1-x)*(1+x)))) }

// exponential of a moderate x: 2^k times the series on ±(ln 2)/2.
func exponential(x float64) float64 {
	const high, low = 6.93147180369123816490e-01, 1.90821492927058770002e-10 // of ln 2
	k := math.Round(float64(x * math.Log2E))
	r := x - float64(k*high)
	r -= float64(k * low)
	sum := 1.0
	for n := 16.0; n > 0; n-- {
		sum = 1 + float64(r/n*sum)
	}
	return math.Ldexp(sum, int(k))
}

func tanh(x float64) float64 {
	if math.Abs(x) > 20 {
		return math.Copysign(1, x)
	}
	return 1 - 2/(exponential(2*x)+1)
}
