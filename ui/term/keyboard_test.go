package term

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"testing"

	tea "charm.land/bubbletea/v2"
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

// The end of a terminal, however it shows, is no end of the input for Bubble Tea.
func TestGone(t *testing.T) {
	for _, fault := range []error{io.EOF, os.ErrClosed, errors.New("input/output error")} {
		_, err := keyboard{hand{fault: fault}, new(atomic.Bool)}.Read(nil)
		if !errors.Is(err, ErrGone) || errors.Is(err, io.EOF) {
			t.Errorf("%v became %v", fault, err)
		}
	}
}

// counter is a model that counts the Enters that reach it.
type counter struct{ enters int }

func (*counter) Init() tea.Cmd  { return nil }
func (*counter) View() tea.View { return tea.NewView("") }
func (c *counter) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if key, ok := msg.(tea.KeyPressMsg); ok && key.Code == tea.KeyEnter {
		c.enters++
	}
	return c, nil
}

// An Enter that is read together with text is part of a paste, which nothing need mark.
func TestEnterInAPaste(t *testing.T) {
	for keys, want := range map[string]int{
		"2\r": 0, "yes\n": 0, "是\r": 0, "\rx": 0, "\x1b]11;rgb:0/0/0\a2\r": 0, // the last behind a reply of the terminal
		"\r": 1, "\r\r": 1, "\x1b\r": 1, "\x7f\r": 1, "\x1b[B\r": 1,
	} {
		model, screen := &counter{}, &Screen{}
		_, err := keyboard{hand{keys: keys}, &screen.pasted}.Read(make([]byte, 64))
		if err != nil {
			t.Fatal(err)
		}
		r := &root{model, screen}
		r.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
		if model.enters != want {
			t.Errorf("%q: %d Enters, want %d", keys, model.enters, want)
		}
	}
}
