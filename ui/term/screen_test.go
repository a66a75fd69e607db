package term

import (
	"bytes"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/internal/fatal"
)

func environment(string) string { return "" }

// What was typed before the terminal is lent stays for the model.
func TestUnreadKeysStay(t *testing.T) {
	in, keys, err := os.Pipe()
	fatal.If(t, err)
	defer func() { _, _ = in.Close(), keys.Close() }()
	s := NewScreen(ScreenOptions{In: in, Out: in, Getenv: environment})
	stop, err := s.readKeys()
	fatal.If(t, err)
	_, err = keys.WriteString("ab")
	fatal.If(t, err)
	first, _ := asMessage(<-s.messages).(tea.KeyPressMsg)
	unread := stop()
	if first.String() != "a" || len(unread) != 1 {
		t.Fatalf("read %q, left are %v", first, unread)
	}
	second, _ := asMessage(unread[0]).(tea.KeyPressMsg)
	if second.String() != "b" {
		t.Errorf("left is %q", second)
	}
}

// paper is a terminal that shows what is written to it.
type paper struct {
	hand
	bytes.Buffer
}

func (p *paper) Read(b []byte) (int, error)  { return p.hand.Read(b) }
func (p *paper) Write(b []byte) (int, error) { return p.Buffer.Write(b) }

// A view is written once, and then what has changed.
func TestDrawChanges(t *testing.T) {
	p := &paper{}
	d := newDisplay(p, p, nil)
	d.taken = true
	d.clear()
	d.resize(tea.WindowSizeMsg{Width: 20, Height: 2})
	draw := func(text string) string {
		p.Reset()
		d.draw(tea.NewView(text))
		return p.String()
	}
	all := draw("one\ntwo")
	again := draw("one\ntwo")
	changed := draw("one\ntwa")
	partly := strings.Contains(changed, "a") && !strings.Contains(changed, "one")
	if !strings.Contains(all, "one") || again != "" || !partly {
		t.Errorf("wrote %q, %q and %q", all, again, changed)
	}
	d.release()
	d.release()
	if strings.Count(p.String(), Leave()) != 1 || draw("three") != "" {
		t.Errorf("a screen that was released wrote %q", p)
	}
}

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
