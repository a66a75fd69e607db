package term

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/internal/fatal"
)

// hand is a terminal on which these keys were typed, and which then fails.
type hand struct {
	keys  string
	fault error
}

func (h hand) Read(p []byte) (int, error) { return copy(p, h.keys), h.fault }
func (hand) Write(p []byte) (int, error)  { return len(p), nil }
func (hand) Close() error                 { return nil }
func (hand) Fd() uintptr                  { return ^uintptr(0) }
func (hand) Name() string                 { return "hand" }

// The end of a terminal, however it shows, is an error of reading, and no end of the input.
func TestGone(t *testing.T) {
	for _, fault := range []error{io.EOF, os.ErrClosed, errors.New("input/output error")} {
		_, err := (&keyboard{File: hand{fault: fault}}).Read(make([]byte, 64))
		if !errors.Is(err, ErrGone) || errors.Is(err, io.EOF) {
			t.Errorf("%v became %v", fault, err)
		}
	}
}

// A paste is one where nothing marks it too: what was read at once with a line break is no Enter,
// whatever is read after it before it is handled.
func TestUnmarkedPaste(t *testing.T) {
	const on, off = ansi.BracketedPasteStart, ansi.BracketedPasteEnd
	for piece, want := range map[string]string{
		"2\r": on + "2\r" + off, "yes\n": on + "yes\n" + off, "是\r": on + "是\r" + off, "\rx": on + "\rx" + off,
		"2": "2", "\r": "\r", "\r\r": "\r\r", "\x1b\r": "\x1b\r", "\x7f\r": "\x7f\r", "\x1b[B\r": "\x1b[B\r", "\x1b": "\x1b",
		"\x1bOB\r":       "\x1bOB\r", // where a program has left the cursor keys in their other mode
		on + "2\r" + off: on + "2\r" + off, on + "2\r": on + "2\r",
		"\x1b]11;rgb:0/0/0\a2\r": "\x1b]11;rgb:0/0/0\a" + on + "2\r" + off, // behind a reply of the terminal
	} {
		buf := make([]byte, 64)
		n, err := (&keyboard{File: hand{keys: piece}}).Read(buf)
		if string(buf[:n]) != want || err != nil {
			t.Errorf("%q became %q, %v", piece, buf[:n], err)
		}
	}
	k := &keyboard{File: hand{keys: on + "a long paste\r"}}
	_, err := k.Read(make([]byte, 64))
	k.File = hand{keys: "goes on\r"}
	buf := make([]byte, 64)
	n, again := k.Read(buf)
	if string(buf[:n]) != "goes on\r" || errors.Join(err, again) != nil {
		t.Errorf("the rest of a paste became %q", buf[:n])
	}
}

// A paste may arrive in pieces, with pauses after which what has arrived is decoded: neither a character nor the
// mark of the end is in two of them then.
func TestPasteInPieces(t *testing.T) {
	const on, off = ansi.BracketedPasteStart, ansi.BracketedPasteEnd
	for whole, at := on+"第9行\r"+off, len(on); at < len(whole); at++ {
		k, got := &keyboard{}, []string{}
		for _, piece := range []string{whole[:at], whole[at:]} {
			k.File = hand{keys: piece}
			buf := make([]byte, 64)
			n, err := k.Read(buf)
			fatal.If(t, err)
			got = append(got, string(buf[:n]))
		}
		if strings.Join(got, "") != whole || !utf8.ValidString(got[0]) || !strings.HasSuffix(got[1], off) {
			t.Errorf("read as %q", got)
		}
	}
}

// A paste whose end was lost on the way swallows no Ctrl+C.
func TestLostEndOfPaste(t *testing.T) {
	for _, leave := range []string{"\x03", "\x1b[99;5u"} {
		k := &keyboard{File: hand{keys: ansi.BracketedPasteStart + "half a paste"}}
		_, err := k.Read(make([]byte, 64))
		fatal.If(t, err)
		k.File = hand{keys: leave}
		buf := make([]byte, 64)
		n, err := k.Read(buf)
		got, ended := strings.CutPrefix(string(buf[:n]), ansi.BracketedPasteEnd)
		if !ended || got != leave || err != nil {
			t.Errorf("%q in a paste became %q, %v", leave, buf[:n], err)
		}
	}
}

// Shortcuts are Latin letters. A terminal that reports the letter of a Cyrillic keyboard with
// Ctrl reports the Latin one of the same key, too; of a French keyboard the user's own letter
// counts.
func TestShortcutsOfOtherKeyboards(t *testing.T) {
	if !strings.Contains(enter(), "\x1b[>5u") {
		t.Error("the terminal is not asked for the Latin letters")
	}
	for typed, want := range map[string]string{
		"\x1b[1089::99;5u": "ctrl+c", "\x1b[97::113;5u": "ctrl+a", "\x1b[99;5u": "ctrl+c", "\x1b[13u": "enter",
	} {
		var decoder uv.EventDecoder
		_, event := decoder.Decode([]byte(typed))
		key, _ := asMessage(event).(tea.KeyPressMsg)
		if key.String() != want {
			t.Errorf("%q is %s, want %s", typed, key, want)
		}
	}
}
