package term

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Screen is a full-screen model on a terminal.
type Screen struct {
	program *tea.Program
	options ScreenOptions
	editors context.Context // ends with the screen
	end     context.CancelFunc
	editor  chan struct{} // full while an editor has the terminal
	left    atomic.Pointer[string]
	gone    context.Context // ends with the terminal
}

// ScreenOptions are the options of a screen.
type ScreenOptions struct {
	Model tea.Model
	// In is the terminal's input. If it is a file, Bubble Tea makes the settings of the
	// terminal.
	In     io.Reader
	Out    io.Writer
	Getenv func(string) string // looks up the variables about the terminal and the editor
	// Lender gives the terminal to the editor. Nil if Bubble Tea can.
	Lender Lender
	// Leave returns the message that makes the model end by itself, because the context
	// has ended or the terminal is gone.
	Leave func(cause error) tea.Msg
	// Quit is how long the model may take to end by itself, Kill how long ending it may take.
	Quit, Kill time.Duration
	// Hurry, if not nil, is called before the program is killed.
	Hurry func()
}

// framesPerSecond is how often Bubble Tea looks for what has changed, which wakes a screen that
// waits: as rarely as a hand does not notice.
const framesPerSecond = 30

// ErrStuck means that the model neither ended by itself nor could be ended: it
// still runs, and must not be read.
var ErrStuck = errors.New("the screen did not end")

// NewScreen returns a screen that does not run yet.
func NewScreen(o ScreenOptions) *Screen {
	s := &Screen{options: o, editor: make(chan struct{}, 1)}
	s.editors, s.end = context.WithCancel(context.Background())
	gone, hangUp := context.WithCancelCause(context.Background())
	s.gone = gone
	s.program = tea.NewProgram(
		root{o.Model, s},
		tea.WithInput(input(o.In, hangUp)),
		tea.WithOutput(o.Out),
		tea.WithEnvironment(environ(o.Getenv)),
		tea.WithoutSignalHandler(), // the caller has one, and ends the context
		tea.WithFPS(framesPerSecond),
	)
	return s
}

// Send sends a message to the model; it does nothing once the screen has ended.
func (s *Screen) Send(msg tea.Msg) { s.program.Send(msg) }

// Gone returns why the terminal is gone, nil while it is there.
func (s *Screen) Gone() error { return context.Cause(s.gone) }

// Left names the file that an editor left when the screen ended, also where the model
// did not learn of it; empty for none.
func (s *Screen) Left() string {
	if file := s.left.Load(); file != nil {
		return LeftIn(*file)
	}
	return ""
}

// Run shows the model until it ends by itself, ctx ends or the terminal is gone; it returns
// the cause of these. Bubble Tea gets neither context: it would end the model in an unknown
// state.
func (s *Screen) Run(ctx context.Context) error {
	defer s.end()
	var cause, failed error
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, failed = s.program.Run()
	}()
	select {
	case <-done:
		return failed
	case <-ctx.Done():
		cause = context.Cause(ctx)
	case <-s.gone.Done():
		cause = s.Gone()
	}
	s.end()
	select {
	case s.editor <- struct{}{}:
	case <-time.After(editorKillTime):
	}
	endsWithin := func(d time.Duration) bool {
		select {
		case <-done:
			return true
		case <-time.After(d):
			return false
		}
	}
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

// releaseTime is how long a terminal may take to be given back.
const releaseTime = time.Second

// Release restores the terminal before the process ends, also if the model does not end.
// Nothing is drawn afterwards. It does nothing once the screen has ended, and is only for a
// terminal whose settings are Bubble Tea's.
func (s *Screen) Release() {
	if s.editors.Err() != nil {
		return
	}
	released := make(chan struct{})
	go func() {
		defer close(released)
		_ = s.program.ReleaseTerminal()
	}()
	select {
	case <-released:
	case <-time.After(releaseTime): // it takes no output
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

// keyboard is a terminal's input. Bubble Tea ignores the end of its input, so hangUp is
// called too. A read that was interrupted by a deadline is an end of reading, not of the
// terminal.
type keyboard struct {
	in     io.Reader
	hangUp context.CancelCauseFunc
	begun  []byte // of a character or of the end of a paste; the rest has not arrived
	pastes bool   // a paste has begun, and not ended
}

// Read implements io.Reader. It returns whole characters, and the end of a paste whole: of a
// character in two pieces Bubble Tea would drop both, and after a divided end of a paste all
// further keys would be text, Ctrl+C too. A paste that the terminal does not mark is marked
// here, or its line break would be Enter.
func (k *keyboard) Read(p []byte) (int, error) {
	const on, off = ansi.BracketedPasteStart, ansi.BracketedPasteEnd
	n := copy(p, k.begun)
	k.begun = nil
	more, err := k.in.Read(p[n : len(p)-len(on+off)])
	n += more
	for i := max(n-utf8.UTFMax+1, 0); i < n; i++ {
		if utf8.RuneStart(p[i]) && !utf8.FullRune(p[i:n]) {
			k.begun = bytes.Clone(p[i:n])
			n = i
		}
	}
	if begins, ends := bytes.LastIndex(p[:n], []byte(on)), bytes.LastIndex(p[:n], []byte(off)); begins != ends {
		k.pastes = begins > ends
	}
	for i := len(off) - 1; k.pastes && i > 0; i-- {
		if k.begun == nil && bytes.HasSuffix(p[:n], []byte(off[:i])) {
			n -= i
			k.begun = []byte(off[:i])
		}
	}
	keys := afterReplies(p[:n])
	if !k.pastes && unmarked(p[keys:n]) {
		n = keys + copy(p[keys:], on+string(p[keys:n])+off)
	}
	switch {
	case err == nil:
		return n, nil
	case !errors.Is(err, os.ErrDeadlineExceeded):
		k.hangUp(fmt.Errorf("the terminal is gone: %w", err))
	}
	return n, io.EOF
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

// unmarked reports whether keys that were read at once are a paste without marks: text and
// a line break, which no hand types that fast.
func unmarked(piece []byte) bool {
	text := func(c rune) bool { return c >= ' ' && c != 0x7f }
	return bytes.ContainsAny(piece, "\r\n") && bytes.ContainsFunc(piece, text) && !bytes.ContainsRune(piece, 0x1b)
}

// fileKeyboard is a keyboard that is a file to Bubble Tea.
type fileKeyboard struct {
	*os.File
	keys *keyboard
}

// Read implements io.Reader.
func (k fileKeyboard) Read(p []byte) (int, error) { return k.keys.Read(p) }

func input(in io.Reader, hangUp context.CancelCauseFunc) io.Reader {
	keys := &keyboard{in: in, hangUp: hangUp}
	if f, ok := in.(*os.File); ok {
		return fileKeyboard{f, keys}
	}
	return keys
}
