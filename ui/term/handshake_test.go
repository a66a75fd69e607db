package term

import (
	"errors"
	"io"
	"regexp"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// slow is a terminal that answers what it is asked, in order, each after a
// while.
type slow struct {
	after   time.Duration
	keys    io.Writer // what comes from the terminal
	queries chan string

	mu    sync.Mutex
	asked int // how many answers are still to come
	shown string
}

var query = regexp.MustCompile(`\x1b\]11;\?(?:\x07|\x1b\\)|\x1b\[c|\x1b\[\?u|\x1b\[\?\d+\$p`)

// Write is what the program draws.
func (s *slow) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown += string(p)
	for _, q := range query.FindAllString(string(p), -1) {
		s.asked++
		s.queries <- q
	}
	return len(p), nil
}

func (s *slow) answer() {
	for q := range s.queries {
		pass(s.after)
		answers := map[byte]string{'c': "\x1b[?62;22c", 'u': "\x1b[?0u", 'p': q[:len(q)-2] + ";2$y"}
		a, known := answers[q[len(q)-1]]
		if !known {
			a = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"
		}
		s.mu.Lock()
		s.asked-- // before the answer can be read, and acted upon
		s.mu.Unlock()
		if _, err := io.WriteString(s.keys, a); err != nil {
			return
		}
	}
}

func (s *slow) open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// probe is a model that quits when it learns its size, or at once.
type probe struct {
	terminal *slow
	atOnce   bool
	open     int // answers still to come when it could draw
	drew     bool
	light    bool
	keys     int
}

func (p *probe) Init() tea.Cmd {
	if p.atOnce {
		return tea.Quit
	}
	return nil
}

func (p *probe) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.drew, p.open = true, p.terminal.open()
		return p, tea.Quit
	case tea.BackgroundColorMsg:
		p.light = !msg.IsDark()
	case tea.KeyPressMsg, tea.PasteMsg:
		p.keys++
	}
	return p, nil
}

func (p *probe) View() tea.View { v := tea.NewView(""); v.AltScreen = true; return v }

// TestHandshake: a model is shown when the terminal has answered everything,
// and the terminal is given back no earlier. One that never answers keeps
// neither from happening.
func TestHandshake(t *testing.T) {
	tests := []struct {
		name   string
		after  time.Duration
		atOnce bool
		typed  string
		open   int // answers still to come in the end
	}{
		{"answers", 10 * time.Millisecond, false, "", 0},
		{"answers late", 60 * time.Millisecond, false, "xyz\r", 0},
		{"quits at once", 60 * time.Millisecond, true, "", 0},
		{"never answers", time.Hour, false, "", -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in, keys := io.Pipe()
				terminal := &slow{after: tt.after, keys: keys, queries: make(chan string, 100)}
				p := &probe{terminal: terminal, atOnce: tt.atOnce}
				screen := NewScreen(ScreenOptions{
					Model: p, In: in, Out: terminal, Getenv: func(string) string { return "" },
					Leave: func(error) tea.Msg { return tea.Quit() }, Quit: time.Second, Kill: time.Second,
				})
				go terminal.answer()
				if tt.typed != "" {
					go func() { _, _ = io.WriteString(keys, tt.typed) }()
				}
				began := time.Now()
				if err := screen.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				took := time.Since(began)
				_, _ = keys.Close(), in.Close()
				close(terminal.queries)
				defer pass(2*answerTimeout + 100*tt.after) // what still waits for its time
				if p.keys > 0 {
					t.Errorf("the model got %d keys that were typed before it was there", p.keys)
				}
				if p.drew == tt.atOnce {
					t.Errorf("shown: %v", p.drew)
				}
				if tt.after > answerTimeout {
					if took > 2*answerTimeout {
						t.Errorf("a silent terminal held the screen for %s", took)
					}
					return
				}
				if p.open != 0 || terminal.open() != 0 {
					t.Errorf("%d answers were to come when the model was shown, %d in the end", p.open, terminal.open())
				}
				if !p.light {
					t.Error("the model does not know the background")
				}
			})
		})
	}
}

// TestScreenEnds: the end of the context, and of the terminal, makes the model
// leave, and a model that does not is killed.
func TestScreenEnds(t *testing.T) {
	for _, stubborn := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			in, keys := io.Pipe()
			terminal := &slow{keys: keys, queries: make(chan string, 100)}
			go terminal.answer()
			left := make(chan error, 1)
			hurried := false
			screen := NewScreen(ScreenOptions{
				Model: &stays{stubborn}, In: in, Out: terminal, Getenv: func(string) string { return "" },
				Leave: func(cause error) tea.Msg { left <- cause; return leave{} },
				Quit:  time.Second, Kill: time.Second, Hurry: func() { hurried = true },
			})
			lost := errors.New("the line is cut")
			time.AfterFunc(time.Minute, func() { _ = keys.CloseWithError(lost) })
			if err := screen.Run(t.Context()); !errors.Is(err, lost) {
				t.Errorf("Run returned %v", err)
			}
			if cause := <-left; !errors.Is(cause, lost) || hurried != stubborn {
				t.Errorf("left because of %v, hurried: %v", cause, hurried)
			}
			_, _ = keys.Close(), in.Close()
			close(terminal.queries)
		})
	}
}

type leave struct{}

// stays is a model that ends on the message leave, unless it is stubborn.
type stays struct{ stubborn bool }

func (s *stays) Init() tea.Cmd  { return nil }
func (s *stays) View() tea.View { return tea.NewView("") }
func (s *stays) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(leave); ok && !s.stubborn {
		return s, tea.Quit
	}
	return s, nil
}
