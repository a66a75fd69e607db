package form

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// MinWidth and MinHeight are the smallest terminal, in cells, on which the
// form can be used. On less it draws what fits; a host does better with the
// plain form.
const (
	MinWidth  = 24
	MinHeight = 8
)

// maxWidth keeps lines readable on wide terminals; a preview may use more.
const (
	maxWidth        = 88
	maxPreviewWidth = 150
)

// edges are the cells that the panel takes: left and right of its text, and
// above and below.
const (
	edgesWide = 4
	edgesHigh = 2
)

// panel draws lines inside a border with a title and a note of where we are in
// its upper edge, who asks and how little time is left in its lower one.
type panel struct {
	title, place, asker, clock string
}

func (p panel) draw(l *look, lines []string, width int) []string {
	out := make([]string, 0, len(lines)+edgesHigh)
	out = append(out, p.upper(l, width))
	side := l.border.Render("│")
	for _, line := range lines {
		// The cell right of the text may hold the mark of a window.
		line = ansi.Truncate(line, width-edgesWide+1, "")
		out = append(out, side+" "+pad(line, width-edgesWide+1)+side)
	}
	return append(out, p.lower(l, width))
}

func (p panel) upper(l *look, width int) string {
	place := ""
	if p.place != "" {
		place = " " + p.place + " ─"
	}
	room := width - ansi.StringWidth(place) - len("╭─  ╮")
	title := cut(p.title, max(room, 0))
	fill := strings.Repeat("─", max(0, width-ansi.StringWidth(title+place)-5))
	return l.border.Render("╭─ ") + l.title.Render(title) + l.border.Render(" "+fill+place+"╮")
}

func (p panel) lower(l *look, width int) string {
	clock, tail := "", "╯"
	if p.clock != "" {
		clock, tail = l.fault.Render(p.clock), " ─╯"
	}
	room := width - ansi.StringWidth("╰"+p.clock+tail)
	if clock != "" {
		room-- // for a blank before it
	}
	if asker := cut(p.asker, room-3); asker != "" {
		room -= ansi.StringWidth(asker) + 3
		return l.border.Render("╰─ ") + l.muted.Render(asker) + l.edge(" "+strings.Repeat("─", max(0, room)), clock, tail)
	}
	return l.edge("╰"+strings.Repeat("─", max(0, room)), clock, tail)
}

// edge is the end of a border, with a clock in it if there is one.
func (l *look) edge(fill, clock, tail string) string {
	if clock == "" {
		return l.border.Render(fill + tail)
	}
	return l.border.Render(fill+" ") + clock + l.border.Render(tail)
}

// asker says who asks, where, and in which round, as far as known.
func asker(rec desk.Record) string {
	var parts []string
	if rec.Asker.Client != "" {
		parts = append(parts, question.Line(rec.Asker.Client))
	}
	if dir := rec.Asker.Directory; dir != "" {
		parts = append(parts, question.Line(filepath.Base(dir)))
	}
	if rec.Round > 1 {
		parts = append(parts, fmt.Sprintf("round %d", rec.Round))
	}
	return strings.Join(parts, " · ")
}
