//go:build linux

package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

type point struct{ x, y float64 }

// picture draws a curve over powers of ten, as an SVG that is readable on light
// and dark pages.
func picture(title, unit string, points []point) []byte {
	const width, height, left, right, top, bottom = 480, 240, 56, 24, 40, 32
	most := 0.0
	for _, p := range points {
		most = max(most, p.y)
	}
	step := math.Pow(10, math.Floor(math.Log10(most)))
	for most/step < 3 {
		step /= 2
	}
	most = math.Ceil(most/step) * step
	first, last := math.Log10(points[0].x), math.Log10(points[len(points)-1].x)
	x := func(v float64) float64 {
		return left + (math.Log10(v)-first)/(last-first)*(width-left-right)
	}
	y := func(v float64) float64 { return top + (1-v/most)*(height-top-bottom) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="sans-serif" font-size="12" fill="#777">`+"\n", width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n<text x=\"%d\" y=\"20\">%s, %s</text>\n", html.EscapeString(title), left, html.EscapeString(title), unit)
	for v := 0.0; v <= most+step/2; v += step {
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#7774"/><text x="%d" y="%.1f" text-anchor="end">%g</text>`+"\n", left, y(v), width-right, left-8, y(v)+4, v)
	}
	var line strings.Builder
	for i, p := range points {
		fmt.Fprintf(&line, "%c%.1f %.1f", "ML"[min(i, 1)], x(p.x), y(p.y))
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="#06c"/><text x="%.1f" y="%d" text-anchor="middle">%g</text>`+"\n", x(p.x), y(p.y), x(p.x), height-10, p.x)
	}
	fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="#06c" stroke-width="2"/>`+"\n</svg>\n", line.String())
	return []byte(b.String())
}
