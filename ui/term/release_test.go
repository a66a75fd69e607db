package term

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// stuck is a terminal that takes no output.
type stuck struct {
	hand
	writes chan struct{}
	end    chan struct{}
}

func (s *stuck) Write(b []byte) (int, error) {
	s.writes <- struct{}{}
	<-s.end
	return len(b), nil
}

// A terminal that takes no output does not hold a process that ends.
func TestReleaseOfStuckTerminal(t *testing.T) {
	terminal := &stuck{writes: make(chan struct{}, 2), end: make(chan struct{})}
	s := NewScreen(ScreenOptions{In: terminal, Out: terminal, Getenv: environment})
	s.display.taken = true
	s.display.resize(tea.WindowSizeMsg{Width: 20, Height: 2})
	go s.display.draw(tea.NewView("one"))
	<-terminal.writes
	s.Release()
	close(terminal.end)
	<-terminal.writes // of the release, which the process does not wait for
}
