package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// film is a terminal that answers nothing and remembers when it was drawn on.
type film struct {
	mu    sync.Mutex
	shown string
	drawn []time.Time
}

func (f *film) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shown += string(p)
	f.drawn = append(f.drawn, time.Now())
	return len(p), nil
}

// since returns what was drawn since it was last asked.
func (f *film) since() (shown string, drawn []time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	shown, drawn = f.shown, f.drawn
	f.shown, f.drawn = "", nil
	return shown, drawn
}

// count is a model that shows how often it was told something.
type count struct{ told int }

type tell struct{}

func (c *count) Init() tea.Cmd { return nil }
func (c *count) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg.(type) {
	case tell:
		c.told++
	case leave:
		return c, tea.Quit
	}
	return c, nil
}
func (c *count) View() tea.View { return tea.NewView(fmt.Sprintf("told %d.", c.told)) }

// Invariant: what changes is drawn at once, what changes together in one frame,
// and nothing is drawn, or looked for, while nothing changes.
func TestDrawsWhatChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, keys := io.Pipe()
		terminal := &film{}
		model := &count{}
		screen := NewScreen(ScreenOptions{
			Model: model, In: in, Out: terminal, Getenv: func(string) string { return "" },
			Leave: func(error) tea.Msg { return leave{} }, Quit: time.Second, Kill: time.Second,
		})
		ended := make(chan error)
		go func() { ended <- screen.Run(t.Context()) }()
		pass(time.Hour) // the handshake is over
		screen.Send(tea.WindowSizeMsg{Width: 40, Height: 4})
		pass(time.Hour)
		terminal.since()

		began := time.Now()
		screen.Send(tell{})
		synctest.Wait()
		shown, drawn := terminal.since()
		if len(drawn) != 1 || drawn[0].Sub(began) != 0 || !strings.Contains(shown, "1") {
			t.Errorf("drawn %q in %d frames, the first after %s", shown, len(drawn), time.Since(began))
		}
		for range 99 {
			screen.Send(tell{})
		}
		pass(time.Hour)
		shown, drawn = terminal.since()
		if len(drawn) != 1 || drawn[0].Sub(began) != frameInterval || !strings.Contains(shown, "00.") {
			t.Errorf("100 changes at once were drawn as %q in %d frames", shown, len(drawn))
		}

		screen.Send(leave{})
		if err := <-ended; err != nil {
			t.Error(err)
		}
		_, _ = keys.Close(), in.Close()
	})
}

// Bubble Tea has the field that decides when it draws. Where this fails,
// it draws by its own clock: nothing is lost but rest.
func TestTicksAreOurs(t *testing.T) {
	if !setTicks(tea.NewProgram(nil), make(chan time.Time)) {
		t.Error("tea.Program has no field ticker of type *time.Ticker any more: see frames.go")
	}
}
