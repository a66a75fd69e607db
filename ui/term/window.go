package term

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/words"
)

// MinWidth and MinHeight are the smallest terminal, in cells, for a form or the inbox. On a
// smaller one the line form is better.
const (
	MinWidth  = 24
	MinHeight = 8
)

// Callback is the message of a command that is done: the rest of its work, in the model.
type Callback func() tea.Cmd

// Window is the environment of a full-screen model: its terminal, the gate that every key
// passes, and the clock.
type Window struct {
	Now           func() time.Time
	Gate          *gate.Gate
	Styles        *Styles
	Width, Height int       // of the terminal, in cells; 0 until known
	Appeared      time.Time // when the page with the keyboard appeared
}

// NewWindow returns a window of unknown size.
func NewWindow(now func() time.Time) Window {
	return Window{Now: now, Gate: gate.NewGate(now, nil), Styles: NewStyles(true)}
}

// Fits reports whether the terminal is large enough.
func (w *Window) Fits() bool { return w.Width >= MinWidth && w.Height >= MinHeight }

// Resize takes the terminal's size. With the first the model appears.
func (w *Window) Resize(size tea.WindowSizeMsg, o gate.Origin) tea.Cmd {
	first := w.Width == 0
	w.Width, w.Height = size.Width, size.Height
	cmd := w.Seen()
	if first {
		cmd = tea.Batch(cmd, w.Appear(o))
	}
	return cmd
}

// Appear says that another page has the keyboard now, and why.
func (w *Window) Appear(o gate.Origin) tea.Cmd {
	w.Appeared = w.Now()
	return w.Gate.Show(o)
}

// Seen makes keys count, after a pause, if the terminal is large enough.
func (w *Window) Seen() tea.Cmd { return w.Gate.Seen(w.Fits()) }

// Edit opens the text of an entry in an editor. No key counts until a pause after that: keys
// are not meant for the window.
func (w *Window) Edit(e *Entry) tea.Cmd {
	return tea.Batch(w.Gate.Seen(false), func() tea.Msg { return Edit{e} })
}

// View is a full screen: the result of draw, or a sentence on a terminal that is too small,
// where no key counts. It is empty before the size is known.
func (w *Window) View(draw func() Block) tea.View {
	v := tea.NewView("")
	if w.Width > 0 && w.Height > 0 {
		text := words.T("Too small to answer: make this window %[1]d×%[2]d or larger.", MinWidth, MinHeight)
		b := Block{Lines: Text(w.Styles.Plain, text, w.Width)}.clip(w.Width, w.Height)
		if w.Fits() {
			b = draw()
		}
		v.Content, v.Cursor = strings.Join(b.Lines, "\n"), b.Cursor
	}
	return v
}
