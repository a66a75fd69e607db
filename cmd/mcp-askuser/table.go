package main

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// table is rows for people, aligned by the cells that a terminal gives each
// character. Where it is wider than the terminal its widest columns are cut.
type table struct {
	rows  [][]string
	whole int  // the columns at the start that are cut last; the first never is
	rigid bool // nothing is cut, as it is to be copied
}

// columnGap is the space between two columns.
const columnGap = 2

// add appends a row of texts from wherever: they come out safe, on one line.
func (t *table) add(cells ...string) {
	for i := range cells {
		cells[i] = question.Line(cells[i])
	}
	t.rows = append(t.rows, cells)
}

// printTable writes a table to standard output. Programs get a tab between two
// columns, and all that there is.
func (a *app) printTable(t table) error {
	var b strings.Builder
	if width := a.out.width(); width > 0 {
		b.WriteString(t.text(width))
	} else {
		for _, row := range t.rows {
			b.WriteString(strings.Join(row, "\t") + "\n")
		}
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

// text draws the table no wider than width, 0 for any.
func (t *table) text(width int) string {
	widths := t.widths(width)
	var b strings.Builder
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			cell = ansi.Truncate(cell, widths[i], "…")
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", widths[i]+columnGap-ansi.StringWidth(cell)))
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

func (t *table) widths(width int) []int {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	if width == 0 || t.rigid || widths == nil {
		return widths
	}
	left := width - columnGap*(len(widths)-1)
	for _, w := range widths {
		left -= w
	}
	const little = 8 // cells say next to nothing
	for from := max(1, t.whole); left < 0; {
		widest := len(widths) - 1
		for i := from; i < len(widths); i++ {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		switch {
		case from > 1 && widths[widest] <= little:
			from = 1
		case widths[widest] <= 1:
			return widths
		default:
			widths[widest]--
			left++
		}
	}
	return widths
}

// shortened returns the least beginnings of the ids by which they are told
// apart, of the same length each, and no shorter than least.
func shortened(records []desk.Record, least int) []string {
	n := least
	for i := 1; i < len(records); i++ { // sorted by id, in either direction
		a, b := records[i-1].ID, records[i].ID
		same := 0
		for same < len(a) && same < len(b) && a[same] == b[same] {
			same++
		}
		n = max(n, same+1)
	}
	out := make([]string, len(records))
	for i, rec := range records {
		out[i] = rec.ID[:min(n, len(rec.ID))]
	}
	return out
}

// The least lengths of shortened ids. The first characters of an id are its
// time: eight tell seconds apart, which is enough for what is open, ten tell
// milliseconds.
const (
	shortOpen = 8
	shortPast = 10
)
