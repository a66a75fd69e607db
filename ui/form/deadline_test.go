package form

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/term"
)

// TestCountdown: what is left is shown from the start, in minutes until the last
// one, which is counted down second by second.
func TestCountdown(t *testing.T) {
	r := open(t, 80, 24, database())
	r.send(Status{Deadline: r.Now().Add(3 * time.Minute), Attended: true})
	r.wait(time.Millisecond)
	shows := func(want string) {
		t.Helper()
		if !strings.Contains(r.screen(), want) {
			t.Fatalf("want %q in:\n%s", want, r.screen())
		}
	}
	for left := 3; left > 1; left-- {
		shows(fmt.Sprintf("closes in %d min", left))
		r.wait(time.Minute)
	}
	for left := 60; left > 0; left-- {
		shows(fmt.Sprintf("closes in %d s", left))
		r.wait(time.Second)
	}
	shows("time is up")
	if r.send(Status{}); strings.Contains(r.screen(), "time is up") {
		t.Errorf("the time of nobody is up:\n%s", r.screen())
	}
}

// TestOneTimer: however often the deadline moves on, one timer waits for it.
func TestOneTimer(t *testing.T) {
	now := time.Unix(0, 0)
	window := term.NewWindow(func() time.Time { return now })
	f := New(record(database()), nil, Options{Window: &window})
	timers := 0
	var cmd tea.Cmd
	for i := range 100 {
		now = now.Add(time.Second)
		if _, cmd = f.Update(Status{Deadline: now.Add(time.Hour), Attended: true}); cmd != nil {
			timers++
		}
		if i == 0 && cmd == nil {
			t.Fatal("no timer for the first deadline")
		}
	}
	if timers != 1 {
		t.Errorf("%d timers, want 1", timers)
	}
}
