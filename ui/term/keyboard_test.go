package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// pass lets that much time of a synctest bubble pass.
func pass(d time.Duration) { <-time.After(d) }

type leave struct{}

// still is a model that draws nothing, and ends with the message leave.
type still struct{}

func (still) Init() tea.Cmd  { return nil }
func (still) View() tea.View { return tea.NewView("") }
func (m still) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(leave); ok {
		return m, tea.Quit
	}
	return m, nil
}

// broken is an input that fails.
type broken struct{ fault error }

func (b broken) Read([]byte) (int, error) { return 0, b.fault }

// The end of a terminal, however it shows, ends the screen, which says so; an
// interrupted read does not.
func TestGone(t *testing.T) {
	for _, tt := range []struct {
		fault error
		gone  bool
	}{
		{io.EOF, true},
		{errors.New("input/output error"), true},
		{fmt.Errorf("read /dev/tty: %w", os.ErrDeadlineExceeded), false},
	} {
		t.Run(tt.fault.Error(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				screen := NewScreen(ScreenOptions{
					Model: still{}, In: broken{tt.fault}, Out: io.Discard, Getenv: func(string) string { return "" },
					Leave: func(error) tea.Msg { return leave{} }, Quit: time.Minute, Kill: time.Minute,
				})
				ended := make(chan error, 1)
				go func() { ended <- screen.Run(t.Context()) }()
				pass(time.Hour)
				synctest.Wait()
				select {
				case err := <-ended:
					if !tt.gone || !errors.Is(err, tt.fault) || !errors.Is(screen.Gone(), tt.fault) || !strings.HasPrefix(err.Error(), "the terminal is gone: ") {
						t.Errorf("ended with %v", err)
					}
				default:
					if screen.Send(leave{}); tt.gone || screen.Gone() != nil {
						t.Errorf("still there, gone is %v", screen.Gone())
					}
					if err := <-ended; err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
}

// pieces is an input that hands over one of them every 100 ms, after
// a second; then nothing comes until the end of the test.
type pieces struct {
	left []string
	end  <-chan struct{}
	late bool
}

func (r *pieces) Read(p []byte) (int, error) {
	if !r.late {
		r.late = true
		pass(time.Second)
	}
	if pass(100 * time.Millisecond); len(r.left) == 0 {
		<-r.end
		return 0, io.EOF
	}
	n := copy(p, r.left[0])
	r.left = r.left[1:]
	return n, nil
}

// typist is a model that keeps what was typed and pasted.
type typist struct{ typed *strings.Builder }

func (k typist) Init() tea.Cmd  { return nil }
func (k typist) View() tea.View { return tea.NewView("") }
func (k typist) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		k.typed.WriteString(msg.Text)
	case tea.PasteMsg:
		k.typed.WriteString(msg.Content)
	case leave:
		return k, tea.Quit
	}
	return k, nil
}

// A paste is one where nothing marks it too: what comes at once with a line break is
// no Enter.
func TestUnmarkedPaste(t *testing.T) {
	for piece, want := range map[string]string{
		"2\r": "\x1b[200~2\r\x1b[201~", "yes\n": "\x1b[200~yes\n\x1b[201~", "是\r": "\x1b[200~是\r\x1b[201~", "\rx": "\x1b[200~\rx\x1b[201~",
		"2": "2", "\r": "\r", "\r\r": "\r\r", "\x1b\r": "\x1b\r", "\x7f\r": "\x7f\r", "\x1b[200~2\r\x1b[201~": "\x1b[200~2\r\x1b[201~",
		"\x1b[200~2\r": "\x1b[200~2\r", "\x1b[B\r": "\x1b[B\r", "\x1b": "\x1b",
		"\x1b]11;rgb:0/0/0\a2\r": "\x1b]11;rgb:0/0/0\a\x1b[200~2\r\x1b[201~", // behind a reply of the terminal
	} {
		k := &keyboard{in: strings.NewReader(piece)}
		buf := make([]byte, 64)
		if n, err := k.Read(buf); string(buf[:n]) != want || err != nil {
			t.Errorf("%q became %q, %v", piece, buf[:n], err)
		}
	}
}

// A character whose bytes come in pieces, as at the edge of a read on a slow
// line, is that character, pasted and typed. A byte that begins none keeps
// nothing back. The end of a paste is its end, in pieces too.
func TestCharactersInPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var typed strings.Builder
		in := &pieces{left: []string{"\xc3", "\xa9", "\x1b[200~a\xe6\x95", "\xb0\xf0", "\x9f", "\x91\x8d\x1b[201~", "\xe9", "b", "\xff", "c"}, end: t.Context().Done()}
		for at := range ansi.BracketedPasteEnd { // "\x1b" | "[201~" and so on
			in.left = append(in.left, ansi.BracketedPasteStart+"p"+ansi.BracketedPasteEnd[:at], ansi.BracketedPasteEnd[at:], "k")
		}
		screen := NewScreen(ScreenOptions{
			Model: typist{&typed}, In: in, Out: io.Discard, Getenv: func(string) string { return "" },
			Leave: func(error) tea.Msg { return leave{} }, Quit: time.Minute, Kill: time.Minute,
		})
		ended := make(chan error, 1)
		go func() { ended <- screen.Run(t.Context()) }()
		pass(time.Minute)
		screen.Send(leave{})
		if err := <-ended; err != nil || typed.String() != "éa数👍bc"+strings.Repeat("pk", len(ansi.BracketedPasteEnd)) {
			t.Errorf("typed %q, %v", typed.String(), err)
		}
	})
}
