package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
)

// The plot's measures, in pixels.
const (
	plotWidth, plotHeight    = 640.0, 400.0
	plotLeft, plotBottom     = 70.0, 50.0
	plotTop, plotRight       = 60.0, 20.0
	plotInnerW, plotInnerH   = plotWidth - plotLeft - plotRight, plotHeight - plotTop - plotBottom
	plotFont                 = `font-family="sans-serif" font-size="13"`
	plotBack, plotInk, light = "#ffffff", "#333333", "#dddddd"
)

// plot draws the curve of a comparison as SVG.
func plot(c *comparison, name string) []byte {
	lines := []struct {
		label, colour string
		y             func(point) float64
	}{
		{"recipe, raw answers", "#c0392b", func(p point) float64 { return p.Raw }},
		{"recipe, as its jq prints", "#e08e0b", func(p point) float64 { return p.Printed }},
		{"seven tools", "#1f6fb2", func(p point) float64 { return p.Tools }},
	}
	top := 1.0
	for _, p := range c.Curve {
		for _, l := range lines {
			top = max(top, l.y(p))
		}
	}
	step := niceStep(top)
	top = step * math.Ceil(top/step)
	x := func(reads float64) float64 { return plotLeft + plotInnerW*reads/curveReads }
	y := func(tokens float64) float64 { return plotTop + plotInnerH*(1-tokens/top) }
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" role="img">`+"\n", plotWidth, plotHeight, plotWidth, plotHeight)
	title := fmt.Sprintf("A turn's input with reads of %s, in tokens of %s", name, c.Encoding)
	if c.Multiplier != 1 {
		title += fmt.Sprintf(", caching at %.3f", c.Multiplier)
	}
	fmt.Fprintf(&b, "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=%q/>\n", html.EscapeString(title), plotBack)
	text := func(x, y float64, anchor, colour, s string) {
		fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=%q fill=%q %s>%s</text>\n", x, y, anchor, colour, plotFont, html.EscapeString(s))
	}
	text(plotLeft, 20, "start", plotInk, title)
	for t := 0.0; t <= top; t += step {
		fmt.Fprintf(&b, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=%q/>\n", plotLeft, y(t), plotWidth-plotRight, y(t), light)
		text(plotLeft-8, y(t)+4, "end", plotInk, fmt.Sprintf("%g", t))
	}
	for k := 0; k <= curveReads; k += 2 {
		text(x(float64(k)), plotHeight-plotBottom+20, "middle", plotInk, fmt.Sprint(k))
	}
	text(plotLeft+plotInnerW/2, plotHeight-12, "middle", plotInk, "reads a turn")
	for i, l := range lines {
		fmt.Fprintf(&b, `<polyline fill="none" stroke=%q stroke-width="2.5" points="`, l.colour)
		for j, p := range c.Curve {
			if j > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%.1f,%.1f", x(float64(p.Reads)), y(l.y(p)))
		}
		b.WriteString("\"/>\n")
		text(plotLeft+float64(i)*190, 44, "start", l.colour, l.label)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// niceStep is 1, 2 or 5 times a power of ten, so that four to ten of it reach n.
func niceStep(n float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(n)))
	switch x := n / power; {
	case x <= 2:
		return power / 5
	case x <= 5:
		return power / 2
	}
	return power
}
