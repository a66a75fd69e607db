package term

import (
	"errors"
	"io"
	"os"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// pass lets that much time of a synctest bubble pass.
func pass(d time.Duration) { <-time.After(d) }

// broken is a terminal that fails.
type broken struct{ fault error }

func (b broken) Read([]byte) (int, error)    { return 0, b.fault }
func (b broken) Write(p []byte) (int, error) { return len(p), nil }
func (broken) Close() error                  { return nil }
func (broken) Fd() uintptr                   { return ^uintptr(0) }
func (broken) Name() string                  { return "broken" }

// The end of a terminal, however it shows, is no end of the input for Bubble Tea.
func TestGone(t *testing.T) {
	for _, fault := range []error{io.EOF, os.ErrClosed, errors.New("input/output error")} {
		_, err := keyboard{broken{fault}}.Read(nil)
		if !errors.Is(err, ErrGone) || errors.Is(err, io.EOF) {
			t.Errorf("%v became %v", fault, err)
		}
	}
}

// typist is a model that keeps the keys that reach it.
type typist struct{ typed string }

func (*typist) Init() tea.Cmd  { return nil }
func (*typist) View() tea.View { return tea.NewView("") }
func (k *typist) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		k.typed += key.String() + " "
	}
	return k, nil
}

// An Enter that comes together with other keys is part of a paste, which nothing need mark.
func TestEnterInAPaste(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &typist{}
		r := &root{Model: model}
		for _, stroke := range []struct {
			after time.Duration
			key   tea.KeyPressMsg
		}{
			{time.Second, tea.KeyPressMsg{Code: tea.KeyEnter}},
			{time.Second, tea.KeyPressMsg{Code: '2', Text: "2"}},
			{time.Millisecond, tea.KeyPressMsg{Code: tea.KeyEnter}},
			{time.Millisecond, tea.KeyPressMsg{Code: tea.KeyEnter}},
			{time.Second, tea.KeyPressMsg{Code: 'y', Text: "y"}},
			{30 * time.Millisecond, tea.KeyPressMsg{Code: tea.KeyEnter}},
		} {
			pass(stroke.after)
			r.Update(stroke.key)
		}
		if want := "enter 2 y enter "; model.typed != want {
			t.Errorf("the model got %q, want %q", model.typed, want)
		}
	})
}
