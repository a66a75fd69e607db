package term

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// MinWidth and MinHeight are the smallest terminal, in cells, on which a form
// or the inbox can be used; a host does better with the line form on less.
const (
	MinWidth  = 24
	MinHeight = 8
)

// Then is the message of a command that is done: what follows from it in the
// model.
type Then func() tea.Cmd

// Alarm is the one timer of a model that shows an age or the time left.
type Alarm struct {
	At time.Time // when it fires; zero while it does not run
}

// Set returns a command that has the model drawn again at a time, unless the alarm fires
// before. After delivers a message when a time has passed.
func (a *Alarm) Set(now, at time.Time, after func(time.Duration, Then) tea.Cmd) tea.Cmd {
	if !a.At.IsZero() && !at.Before(a.At) {
		return nil
	}
	a.At = at
	return after(at.Sub(now), func() tea.Cmd {
		if at.Equal(a.At) { // else an earlier one was set
			a.At = time.Time{}
		}
		return nil
	})
}

// Window is the surroundings of a full-screen model: its terminal, as far as that is
// known, the gate that every key passes, and the clock.
type Window struct {
	Now           func() time.Time
	Gate          *act.Gate
	Styles        *Styles
	Width, Height int       // of the terminal, in cells; 0 until known
	Appeared      time.Time // when what has the keyboard came

	edited []*Entry // in an editor, since then
}

// NewWindow returns a window of unknown size.
func NewWindow(now func() time.Time) Window {
	return Window{Now: now, Gate: act.NewGate(now, nil), Styles: NewStyles(true)}
}

// Fits reports whether the terminal is large enough.
func (w *Window) Fits() bool { return w.Width >= MinWidth && w.Height >= MinHeight }

// Resize takes the terminal's size. With the first the model appears.
func (w *Window) Resize(size tea.WindowSizeMsg, o act.Origin) tea.Cmd {
	first := w.Width == 0
	w.Width, w.Height = size.Width, size.Height
	cmd := w.Seen()
	if first {
		cmd = tea.Batch(cmd, w.Appear(o))
	}
	return cmd
}

// Appear says that something else has the keyboard now, and who brought it
// there.
func (w *Window) Appear(o act.Origin) tea.Cmd {
	w.Appeared, w.edited = w.Now(), nil
	return w.Gate.Show(o)
}

// Seen has keys count, after a pause, if the terminal is large enough.
func (w *Window) Seen() tea.Cmd { return w.Gate.Seen(w.Fits()) }

// Edit has the text of an entry edited elsewhere. No key counts until it is, nor
// before a pause after it: none of them is meant for the window.
func (w *Window) Edit(e *Entry) tea.Cmd {
	if !slices.Contains(w.edited, e) {
		w.edited = append(w.edited, e)
	}
	return tea.Batch(w.Gate.Seen(false), func() tea.Msg { return Edit{e} })
}

// Left names the files with what was written in editors, for a human whose question
// ended before that was sent; empty where nothing was. Lost says that it is kept nowhere
// else.
func (w *Window) Left(lost bool) string {
	var files []string
	for _, e := range w.edited {
		if file := e.leave(lost); file != "" {
			files = append(files, file)
		}
	}
	return LeftIn(strings.Join(files, ", "))
}

// LeftIn names the file with what was written in an editor, if there is one.
func LeftIn(file string) string {
	if file == "" {
		return ""
	}
	return words.T("What you wrote is in %s.", question.Line(file))
}

// View is a full screen: what draw returns, or what replaces what does
// not fit, since what cannot be read takes no keys. It is empty before the size
// is known.
func (w *Window) View(draw func() Block) tea.View {
	v := tea.NewView("")
	v.AltScreen = true
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
