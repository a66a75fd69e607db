package form

import (
	"strings"

	"charm.land/lipgloss/v2"

	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// preview is the preview of an option, safe to show.
type preview struct {
	lines []string
	width int // cells of the longest
}

// newPreviews returns the previews of the options, nil where none has one.
func newPreviews(s *answer.Question) (out []preview) {
	for i, o := range s.Options {
		text := strings.TrimRight(term.Safe(o.Preview), "\n")
		if text == "" {
			continue
		}
		if out == nil {
			out = make([]preview, len(s.Options))
		}
		out[i] = preview{strings.Split(text, "\n"), lipgloss.Width(text)}
	}
	return out
}

// drawPreview shows the preview of the row with the cursor: a heading that says how much
// there is, then the text, its lines cut, never wrapped. Cut says that one was.
func (f *Form) drawPreview(previews []preview, width, rows int) (out []string, cut bool) {
	if f.at >= len(previews) || previews[f.at].lines == nil {
		return nil, false
	}
	text := previews[f.at]
	rows-- // the heading
	if rows < 1 {
		return nil, true
	}
	f.previewY = max(min(f.previewY, len(text.lines)-rows), 0)
	from, to := f.previewY, min(f.previewY+rows, len(text.lines))
	heading := words.T("preview")
	if len(text.lines) > rows {
		heading = words.T("preview %[1]d–%[2]d of %[3]d", from+1, to, len(text.lines))
	}
	out = []string{f.window.Styles.Rule(heading, width)}
	for _, line := range text.lines[from:to] {
		out = append(out, term.Cut(line, width))
	}
	return out, text.width > width
}

// previewStep is by how many lines a key scrolls a preview: no more than the lowest one shows.
const previewStep = 3
