package form

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/term"
)

func (l *live) shows(words string) bool { return strings.Contains(l.f.View().Content, words) }

// TestCountdown: what is left is shown from the start, in minutes until the last
// one, which is counted down second by second.
func TestCountdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := alive(t, record(database()))
		l.do(Status{Deadline: time.Now().Add(3 * time.Minute), Attended: true})
		l.wait(time.Millisecond)
		for left := 3; left > 1; left-- {
			if want := fmt.Sprintf("closes in %d min", left); !l.shows(want) {
				t.Fatalf("want %q in:\n%s", want, l.f.View().Content)
			}
			l.wait(time.Minute)
		}
		for left := 60; left > 0; left-- {
			if want := fmt.Sprintf("closes in %d s", left); !l.shows(want) {
				t.Fatalf("want %q in:\n%s", want, l.f.View().Content)
			}
			l.wait(time.Second)
		}
		if !l.shows("time is up") {
			t.Errorf("want the end in:\n%s", l.f.View().Content)
		}
		if l.do(Status{}); l.shows("time is up") {
			t.Errorf("the time of nobody is up:\n%s", l.f.View().Content)
		}
	})
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
