package term

import (
	"context"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// withdrawing lends the terminal to an editor during which the context ends.
type withdrawing struct{ end func() }

func (withdrawing) Pause() {}

func (w withdrawing) Lend(func() error) error {
	w.end()
	synctest.Wait()
	return nil
}

// writer is a model that opens the editor at once, and records what it learns.
type writer struct{ learned *[]string }

func (w writer) Init() tea.Cmd  { return func() tea.Msg { return Edit{NewEntry("", "")} } }
func (w writer) View() tea.View { return tea.NewView("") }
func (w writer) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg.(type) {
	case Edited:
		*w.learned = append(*w.learned, "edited")
	case leave:
		*w.learned = append(*w.learned, "leave")
		return w, tea.Quit
	}
	return w, nil
}

// TestEditedBeforeLeave: a model that must leave while an editor is open learns first
// what the editor left.
func TestEditedBeforeLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, keys := io.Pipe()
		var learned []string
		ctx, cancel := context.WithCancel(t.Context())
		screen := NewScreen(ScreenOptions{
			Model: writer{&learned}, In: in, Out: io.Discard, Getenv: func(string) string { return "" }, Lender: withdrawing{cancel},
			Leave: func(error) tea.Msg { return leave{} }, Quit: time.Second, Kill: time.Second,
		})
		_ = screen.Run(ctx)
		if !slices.Equal(learned, []string{"edited", "leave"}) {
			t.Errorf("the model learned %q", learned)
		}
		_, _ = keys.Close(), in.Close()
	})
}
