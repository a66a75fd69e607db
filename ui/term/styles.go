package term

import (
	"strings"

	"charm.land/huh/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Styles are those of a light or a dark terminal. A [Screen] drops colours that the terminal
// or NO_COLOR does not allow, so words or marks say everything that colours say.
type Styles struct {
	Strong lipgloss.Style // questions
	Cursor lipgloss.Style // the line with the cursor
	Plain  lipgloss.Style
	Muted  lipgloss.Style // descriptions, hints
	Fault  lipgloss.Style
	Border lipgloss.Style
	Title  lipgloss.Style
	Key    lipgloss.Style // a key's name among the hints

	fields *huh.Styles
}

// NewStyles returns the styles for a terminal with a dark or a light background.
func NewStyles(dark bool) *Styles {
	pick := lipgloss.LightDark(dark)
	// Colours of the 256-colour palette, so that they look the same on terminals
	// that know no others.
	accent := pick(lipgloss.Color("#5f5faf"), lipgloss.Color("#afafff"))
	muted := pick(lipgloss.Color("#626262"), lipgloss.Color("#9e9e9e"))
	line := pick(lipgloss.Color("#b2b2b2"), lipgloss.Color("#626262"))
	fault := pick(lipgloss.Color("#af0000"), lipgloss.Color("#ff8787"))
	style := lipgloss.NewStyle()
	s := &Styles{
		Strong: style.Bold(true),
		Cursor: style.Bold(true).Foreground(accent),
		Plain:  style,
		Muted:  style.Foreground(muted),
		Fault:  style.Bold(true).Foreground(fault),
		Border: style.Foreground(line),
		Title:  style.Bold(true).Foreground(accent),
		Key:    style.Foreground(accent),
	}
	s.fields = s.huhStyles()
	return s
}

// selector is in front of the row with the cursor, SelectorWide cells.
const (
	selector     = "› "
	SelectorWide = 2
)

// Row is the beginning of a row of a list, and its style, with the cursor or without.
func (s *Styles) Row(selected bool) (lead string, style lipgloss.Style) {
	if selected {
		return selector, s.Cursor
	}
	return strings.Repeat(" ", SelectorWide), s.Plain
}

// Rule is a horizontal line of width cells with a text near its left end.
func (s *Styles) Rule(text string, width int) string {
	rule := s.Border.Render("── ") + s.Muted.Render(text) + s.Border.Render(" "+strings.Repeat("─", width))
	return ansi.Truncate(rule, width, "")
}

// entryBorder is in front of each line of a text entry.
const entryBorder = "┃"

// Huh returns the styles for the fields of huh, the same at each call: huh asks for every row.
// A row brings its own styles; a field without the keyboard has no cursor.
func (s *Styles) Huh() *huh.Styles { return s.fields }

func (s *Styles) huhStyles() *huh.Styles {
	t := huh.ThemeBase(false)
	t.Focused = huh.FieldStyles{
		Base: s.Plain, SelectedOption: s.Plain, UnselectedOption: s.Plain, SelectSelector: s.Cursor.SetString(selector),
	}
	t.Blurred = t.Focused
	t.Blurred.SelectSelector = s.Plain.SetString(strings.Repeat(" ", SelectorWide))
	return t
}

// RenderLines renders every line by itself, so that lines can be cut out or moved. The lines
// are text without codes: lipgloss, which looks for them, would take most of the time of a
// long text.
func RenderLines(style lipgloss.Style, lines []string) []string {
	before, after, _ := strings.Cut(style.Render("x"), "x")
	out := make([]string, len(lines))
	for i, line := range lines {
		if line != "" {
			out[i] = before + line + after
		}
	}
	return out
}

// Text wraps a text to width cells and renders its lines.
func Text(style lipgloss.Style, text string, width int) []string {
	return RenderLines(style, Wrap(text, width))
}
