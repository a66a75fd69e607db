package form

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// TestLastDraft: a form that ends with the record open has what was typed a
// moment ago to be kept.
func TestLastDraft(t *testing.T) {
	gone := Withdraw{context.Canceled}
	first := Withdraw{&desk.ClosedError{Outcome: desk.Outcome{Status: desk.Answered}}}
	tests := []struct {
		name string
		end  func(*rig)
		want bool
	}{
		{"ctrl+c", func(r *rig) { r.keys("ctrl+c") }, true},
		{"the context ended", func(r *rig) { r.send(gone) }, true},
		{"answered elsewhere", func(r *rig) { r.send(first) }, false},
		{"sent", func(r *rig) { r.keys("enter") }, false},
		{"sending failed, then ctrl+c", func(r *rig) { r.fail = errors.New("full"); r.keys("enter", "ctrl+c") }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := fresh(t, 80, 24, record(name()), withKeep(func(question.Reply) {})).show()
			for _, c := range "orders" { // without the commands: no save has begun yet
				r.f.Update(tea.KeyPressMsg{Text: string(c), Code: c})
			}
			tt.end(r)
			kept, ok := r.f.Unsaved()
			want := question.Reply{Answers: []question.Answer{told("name", "orders")}}
			if ok != tt.want || ok && !reflect.DeepEqual(kept, want) {
				t.Errorf("to be kept is %+v, %v, want %+v", kept, ok, want)
			}
			if !r.quit {
				t.Error("the form does not quit")
			}
		})
	}
}

// TestFailedSave: what could not be kept is to be kept when the form ends.
func TestFailedSave(t *testing.T) {
	fault := errors.New("full")
	for want, save := range map[bool]func(question.Reply) error{
		true: func(question.Reply) error { return fault }, false: func(question.Reply) error { return nil },
	} {
		r := fresh(t, 80, 24, record(name()), func(o *Options) { o.Save = save }).show().keys("orders").wait(time.Minute)
		r.keys("ctrl+c")
		if _, ok := r.f.Unsaved(); ok != want {
			t.Errorf("to be kept: %v, want %v", ok, want)
		}
	}
}

// TestChangesAreSpaced: whatever the user types is kept within half a second,
// and no more often.
func TestChangesAreSpaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		var last question.Reply
		began := time.Now()
		l := alive(t, record(name()), withKeep(func(r question.Reply) {
			at, last = append(at, time.Since(began)), r
		}))
		for range 20 { // two seconds of typing
			l.do(tea.KeyPressMsg{Text: "x", Code: 'x'})
			l.wait(100 * time.Millisecond)
		}
		l.wait(time.Hour)
		if len(at) < 4 || len(at) > 6 {
			t.Errorf("kept at %v, want about every %s", at, savePause)
		}
		for i := 1; i < len(at); i++ {
			if pause := at[i] - at[i-1]; pause < savePause {
				t.Errorf("kept at %v: %s is too soon", at, pause)
			}
		}
		if got := last.Answers[0].Custom; got != strings.Repeat("x", 20) {
			t.Errorf("the last draft is %q", got)
		}
		// Keys that change nothing are no news without a deadline…
		before := len(at)
		l.do(tea.KeyPressMsg{Code: tea.KeyLeft})
		l.wait(time.Hour)
		if len(at) != before {
			t.Error("a key that changed nothing was kept")
		}
		// …and a sign of life with one.
		l.do(Status{Deadline: time.Now().Add(time.Minute), Attended: true})
		for range 50 {
			l.do(tea.KeyPressMsg{Code: tea.KeyLeft})
			l.wait(100 * time.Millisecond)
		}
		if n := len(at) - before; n < 3 || n > 10 {
			t.Errorf("five seconds of moving about were told %d times", n)
		}
	})
}

// live runs a form with its commands side by side, as a program does.
type live struct {
	f    *Form
	msgs chan tea.Msg
}

// alive shows a form that the user opened, within a synctest bubble.
func alive(t *testing.T, rec desk.Record, opts ...option) *live {
	t.Helper()
	l := &live{
		f:    New(rec, func(question.Reply) error { return nil }, with(Options{}, opts)),
		msgs: make(chan tea.Msg, 1000), // what comes after the test is left there
	}
	t.Cleanup(func() { l.wait(2 * time.Hour) }) // no timer may outlive the bubble
	l.do(tea.WindowSizeMsg{Width: 80, Height: 24})
	return l
}

func (l *live) do(msg tea.Msg) {
	_, cmd := l.f.Update(msg)
	l.run(cmd)
}

func (l *live) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				l.run(c)
			}
		default:
			l.msgs <- msg
		}
	}()
}

// wait lets that much time pass.
func (l *live) wait(d time.Duration) {
	done := time.After(d)
	for {
		select {
		case msg := <-l.msgs:
			l.do(msg)
		case <-done:
			synctest.Wait()
			return
		}
	}
}
