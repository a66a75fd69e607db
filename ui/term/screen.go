package term

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	xterm "golang.org/x/term"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// Screen is a full-screen model on a terminal.
type Screen struct {
	program *tea.Program
	options ScreenOptions
	ctx     context.Context // ends with the screen, and ends the editor
	end     context.CancelFunc
	editing sync.Mutex // held while an editor has the terminal
	left    string     // the file that the editor has left; empty for none
}

// ScreenOptions are the options of a screen.
type ScreenOptions struct {
	Model tea.Model
	// In is the terminal. Bubble Tea makes its settings.
	In     File
	Out    io.Writer
	Getenv func(string) string // looks up the variables about the terminal and the editor
	// Leave returns the message that makes the model end by itself, because the context
	// has ended.
	Leave func(cause error) tea.Msg
	// Quit is how long the model may take to end by itself, Kill how long ending it may take.
	Quit, Kill time.Duration
	// Hurry, if not nil, is called before the program is killed.
	Hurry func()
}

// File is a terminal that Bubble Tea takes for a file, so that it can end a read that waits.
type File interface {
	io.ReadWriteCloser
	Fd() uintptr
	Name() string
}

// framesPerSecond is how often Bubble Tea looks for what has changed, which wakes a screen that
// waits: as rarely as a hand does not notice.
const framesPerSecond = 30

// The errors of a screen.
var (
	// ErrStuck means that the model neither ended by itself nor could be ended: it
	// still runs, and must not be read.
	ErrStuck = errors.New("the screen did not end")
	// ErrGone means that the terminal is gone.
	ErrGone = errors.New("the terminal is gone")
)

// NewScreen returns a screen that does not run yet.
func NewScreen(o ScreenOptions) *Screen {
	s := &Screen{options: o}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.program = tea.NewProgram(
		&root{Model: o.Model, screen: s},
		tea.WithInput(&keyboard{File: o.In}),
		tea.WithOutput(o.Out),
		tea.WithEnvironment(environ(o.Getenv)),
		tea.WithoutSignalHandler(), // the caller has one, and ends the context
		tea.WithFPS(framesPerSecond),
	)
	return s
}

// Send sends a message to the model; it does nothing once the screen has ended.
func (s *Screen) Send(msg tea.Msg) { s.program.Send(msg) }

// Left names the file that an editor has left when the screen ended; empty for none. It must not
// be called after ErrStuck.
func (s *Screen) Left() string {
	if s.left == "" {
		return ""
	}
	return words.T("What you wrote is in %s.", question.Line(s.left))
}

// Run shows the model until it ends by itself, or ctx ends; it returns the cause of that, or
// an error that wraps ErrGone. Bubble Tea does not get ctx: it would end the model in an
// unknown state.
func (s *Screen) Run(ctx context.Context) error {
	defer s.end()
	var failed error
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, failed = s.program.Run()
	}()
	select {
	case <-done:
		return failed
	case <-ctx.Done():
	}
	s.end()
	s.editing.Lock() // for good: no editor begins any more
	endsWithin := func(d time.Duration) bool {
		select {
		case <-done:
			return true
		case <-time.After(d):
			return false
		}
	}
	cause := context.Cause(ctx)
	go s.program.Send(s.options.Leave(cause))
	if endsWithin(s.options.Quit) {
		return cause
	}
	if s.options.Hurry != nil {
		s.options.Hurry()
	}
	go s.program.Kill()
	if endsWithin(s.options.Kill) {
		return cause
	}
	return ErrStuck
}

// Redraw takes the terminal again after a shell has changed its settings and its screen, unless
// an editor has it. Bubble Tea believes that all is still as it was, and when it releases and
// restores the terminal at once it may stop its own ticker. Mode 1047 saves no cursor: the one
// to go back to is saved already.
func (s *Screen) Redraw() {
	if !s.editing.TryLock() {
		return
	}
	defer s.editing.Unlock()
	_, _ = xterm.MakeRaw(int(s.options.In.Fd()))
	_, _ = io.WriteString(s.options.Out, ansi.SetModeAltScreen+ansi.SetModeBracketedPaste)
	s.program.Send(tea.ClearScreen())
}

// Release restores the terminal before the process ends, also if the model does not end.
// Nothing is drawn afterwards. It does nothing once the screen has ended.
func (s *Screen) Release() {
	if s.ctx.Err() == nil {
		_ = s.program.ReleaseTerminal()
	}
}

// environ returns the variables from which Bubble Tea learns the abilities of the terminal.
// TMUX is not among them: with it, Bubble Tea runs the tmux command.
func environ(getenv func(string) string) []string {
	var environ []string
	for _, name := range []string{
		"TERM", "COLORTERM", "TERM_PROGRAM", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE",
		"SSH_TTY", "WT_SESSION", "GOOGLE_CLOUD_SHELL",
	} {
		if value := getenv(name); value != "" {
			environ = append(environ, name+"="+value)
		}
	}
	return environ
}

// keyboard is a terminal's input. Bubble Tea ignores the end of its input, and would show the
// model to no user.
type keyboard struct {
	File
	pastes bool // a paste has begun, and not ended
}

// Read implements io.Reader. A paste that the terminal does not mark is marked here, or its line
// break would be Enter.
func (k *keyboard) Read(p []byte) (int, error) {
	const on, off = ansi.BracketedPasteStart, ansi.BracketedPasteEnd
	n, err := k.File.Read(p[:len(p)-len(on+off)])
	begins, ends := bytes.LastIndex(p[:n], []byte(on)), bytes.LastIndex(p[:n], []byte(off))
	if begins != ends {
		k.pastes = begins > ends
	}
	keys := afterReplies(p[:n])
	if !k.pastes && unmarked(p[keys:n]) {
		n = keys + copy(p[keys:], on+string(p[keys:n])+off)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) {
		err = ErrGone
	} else if err != nil {
		err = fmt.Errorf("%w: %w", ErrGone, err)
	}
	return n, err
}

// afterReplies returns where keys begin that were read together with what the terminal replied
// to its program.
func afterReplies(piece []byte) (keys int) {
	for keys < len(piece) && piece[keys] == 0x1b {
		_, _, length, _ := ansi.DecodeSequence(piece[keys:], ansi.NormalState, nil)
		keys += length
	}
	return keys
}

// unmarked reports whether keys that were read at once are a paste without marks: text and a
// line break, which no hand types that fast.
func unmarked(piece []byte) bool {
	text := func(c rune) bool { return c >= ' ' && c != 0x7f }
	return bytes.ContainsAny(piece, "\r\n") && bytes.ContainsFunc(piece, text) && !bytes.ContainsRune(piece, 0x1b)
}

// root is the model of a screen's program.
type root struct {
	tea.Model
	screen *Screen
}

// Init implements tea.Model.
func (r *root) Init() tea.Cmd { return tea.Batch(r.Model.Init(), tea.RequestBackgroundColor) }

// Update implements tea.Model. It opens the editor.
func (r *root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	edit, opens := msg.(Edit)
	if opens {
		return r, tea.Exec(&editing{r.screen, edit.Entry}, func(err error) tea.Msg { return Edited{err} })
	}
	var cmd tea.Cmd
	r.Model, cmd = r.Model.Update(msg)
	return r, cmd
}
