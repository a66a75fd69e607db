package term

import (
	"bytes"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	xterm "golang.org/x/term"
)

// enter switches on the modes of a terminal with a screen. The keyboard's protocol belongs to the
// full screen, so it is switched on last, and off first.
func enter() string {
	return ansi.ResetModeTextCursorEnable + ansi.SetModeBracketedPaste +
		ansi.SetModifyOtherKeys2 + ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes|ansi.KittyReportAlternateKeys)
}

// Leave switches off whatever a screen may have switched on.
func Leave() string {
	return ansi.ResetModifyOtherKeys + ansi.PopKittyKeyboard(1) + ansi.ResetModeFocusEvent +
		ansi.ResetModeSynchronizedOutput + ansi.ResetModeBracketedPaste +
		ansi.ResetModeAltScreenSaveCursor + ansi.SetModeTextCursorEnable
}

// display draws views on a terminal: at once, and only the cells that have changed. Terminals differ
// in the cells of composed emoji, which views do not have (see [Safe]).
type display struct {
	in      File
	console uv.Console
	profile colorprofile.Profile

	mu       sync.Mutex // guards all below, and is held while the terminal is written to
	taken    bool
	renderer *uv.TerminalRenderer // nil until the terminal was taken
	changes  bytes.Buffer         // what the renderer has written
	cells    uv.ScreenBuffer
	shown    tea.View
}

func newDisplay(in, out File, environ []string) *display {
	return &display{
		in: in, console: uv.NewConsole(in, out, environ), profile: colorprofile.Detect(out, environ),
		cells: uv.NewScreenBuffer(0, 0),
	}
}

// take makes the terminal's settings, and clears it.
func (d *display) take() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, err := d.console.MakeRaw()
	if err != nil {
		return err
	}
	d.taken = true
	modes := ansi.SetModeAltScreenSaveCursor + enter()
	if d.renderer == nil {
		modes += ansi.RequestBackgroundColor
	}
	d.clear()
	return d.write(modes)
}

// retake is take after a shell has changed the terminal's settings and its screen while the process
// was stopped. Mode 1047 saves no cursor: the one to go back to is saved already. The keyboard's
// protocol may be on still, and would be left on if it were switched on twice.
func (d *display) retake() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.taken {
		_, _ = xterm.MakeRaw(int(d.in.Fd()))
		d.clear()
		_ = d.write(ansi.SetModeAltScreen + ansi.PopKittyKeyboard(1) + enter())
	}
}

// clear has the next draw draw all.
func (d *display) clear() {
	d.renderer = uv.NewTerminalRenderer(&d.changes, d.console.Environ())
	d.renderer.SetColorProfile(d.profile)
	d.renderer.SetFullscreen(true)
	d.renderer.Erase()
	d.changes.Reset()
	d.shown = tea.View{}
}

// release gives the terminal back as it was. It may be repeated.
func (d *display) release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.taken {
		return
	}
	d.taken = false
	_ = d.write(Leave())
	_ = d.console.Restore()
}

// resize takes the size of the terminal.
func (d *display) resize(size tea.WindowSizeMsg) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cells = uv.NewScreenBuffer(size.Width, size.Height)
	d.clear()
}

// draw shows a view. The user sees all of its changes at once.
func (d *display) draw(v tea.View) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.taken || v.Content == d.shown.Content && sameCursor(v.Cursor, d.shown.Cursor) {
		return
	}
	focus := v.ReportFocus && !d.shown.ReportFocus
	d.shown = v
	d.cells.Clear()
	uv.NewStyledString(v.Content).Draw(d.cells, d.cells.Bounds())
	d.renderer.Render(d.cells.RenderBuffer)
	end := ansi.ResetModeSynchronizedOutput
	if v.Cursor != nil {
		d.renderer.MoveTo(v.Cursor.X, v.Cursor.Y)
		end = ansi.SetModeTextCursorEnable + end
	}
	if focus {
		end += ansi.SetModeFocusEvent
	}
	_ = d.renderer.Flush()
	_ = d.write(ansi.SetModeSynchronizedOutput + ansi.ResetModeTextCursorEnable + d.changes.String() + end)
	d.changes.Reset()
}

// sound writes what draws nothing.
func (d *display) sound(s string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.taken {
		_ = d.write(s)
	}
}

func (d *display) write(s string) error {
	_, err := d.console.Write([]byte(s))
	return err
}

func sameCursor(a, b *tea.Cursor) bool {
	return a == b || a != nil && b != nil && a.Position == b.Position
}
