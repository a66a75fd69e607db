package inbox

import (
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

// look is the styles of a light or a dark terminal, the same as those of the
// form. The program's colour profile drops what the terminal or NO_COLOR does
// not allow.
type look struct {
	cursor lipgloss.Style // the selected row
	strong lipgloss.Style // what is asked
	plain  lipgloss.Style
	muted  lipgloss.Style // who asks, hints, what has ended
	fault  lipgloss.Style
	border lipgloss.Style
	title  lipgloss.Style
	key    lipgloss.Style // a key's name among the hints
}

func newLook(dark bool) *look {
	pick := lipgloss.LightDark(dark)
	accent := pick(lipgloss.Color("#5f5fd7"), lipgloss.Color("#afafff"))
	muted := pick(lipgloss.Color("#626262"), lipgloss.Color("#9e9e9e"))
	line := pick(lipgloss.Color("#b2b2b2"), lipgloss.Color("#626262"))
	fault := pick(lipgloss.Color("#af0000"), lipgloss.Color("#ff8787"))
	style := lipgloss.NewStyle()
	return &look{
		cursor: style.Bold(true).Foreground(accent),
		strong: style.Bold(true),
		plain:  style,
		muted:  style.Foreground(muted),
		fault:  style.Bold(true).Foreground(fault),
		border: style.Foreground(line),
		title:  style.Bold(true).Foreground(accent),
		key:    style.Foreground(accent),
	}
}

// area returns the look of a text input. The cursor is the terminal's own, so
// that an input method shows its candidates in the right place.
func (l *look) area() textarea.Styles {
	state := textarea.StyleState{
		Text: l.plain, CursorLine: l.plain, Placeholder: l.muted, Prompt: l.border,
		Selection: l.plain.Reverse(true),
	}
	return textarea.Styles{
		Focused: state, Blurred: state,
		Cursor: textarea.CursorStyle{Shape: tea.CursorBar, Blink: true},
	}
}

// each renders every line by itself, so that a line can be moved without
// tearing a style.
func each(style lipgloss.Style, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = style.Render(line)
	}
	return out
}
