package form

import (
	"context"
	"errors"
	"reflect"
	"slices"
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

// A draft of the page may be longer than an answer can be. All of it is there to be cut by the user, and
// nothing of it is sent before.
func TestDraftTooLong(t *testing.T) {
	long := strings.Repeat("a", question.MaxText+5)
	draft := question.Reply{Answers: []question.Answer{told("name", long)}}
	r := fresh(t, 80, 24, record(name()), withDraft(draft)).show().keys("up", "enter")
	if len(r.sent) > 0 || !strings.Contains(r.screen(), "10005") {
		t.Errorf("sent %d replies:\n%s", len(r.sent), r.screen())
	}
	if r.keys("backspace", "backspace", "backspace", "backspace", "backspace", "enter"); len(r.sent) != 1 {
		t.Errorf("not sent:\n%s", r.screen())
	}
}

// A text of the page is sent as it was typed there, unless the user changes it: the field shows a tab as
// spaces.
func TestDraftWithTabs(t *testing.T) {
	const rule = "build:\n\tgo build ./..."
	draft := question.Reply{Answers: []question.Answer{told("name", rule)}}
	r := fresh(t, 80, 24, record(name()), withDraft(draft)).show().keys("up", "enter")
	if got := r.last().Answers[0].Custom; got != rule {
		t.Errorf("sent %q", got)
	}
}

// TestChangesAreSpaced: whatever the user types is kept within half a second,
// and no more often.
func TestChangesAreSpaced(t *testing.T) {
	var at []time.Duration
	var last question.Reply
	var r *rig
	r = fresh(t, 80, 24, record(name()), withKeep(func(draft question.Reply) {
		at, last = append(at, r.Now().Sub(time.Unix(0, 0))), draft
	})).show()
	press := func(n int, key tea.KeyPressMsg) {
		for range n {
			r.send(key)
			r.wait(100 * time.Millisecond)
		}
	}
	press(20, tea.KeyPressMsg{Text: "x", Code: 'x'}) // two seconds of typing
	r.wait(time.Hour)
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
	press(1, tea.KeyPressMsg{Code: tea.KeyLeft})
	r.wait(time.Hour)
	if len(at) != before {
		t.Error("a key that changed nothing was kept")
	}
	// …and a sign of life with one.
	r.send(Status{Deadline: r.Now().Add(time.Minute), Attended: true})
	press(50, tea.KeyPressMsg{Code: tea.KeyLeft})
	if n := len(at) - before; n < 3 || n > 10 {
		t.Errorf("five seconds of moving about were told %d times", n)
	}
}

// TestSaver: the last draft of a record takes the place of one that the store is slow to take, and none takes
// its place. Those of another record are saved.
func TestSaver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Saver
		var kept []string
		save := func(id string, edition int, text string, begins <-chan struct{}) {
			_ = s.Save(id, edition, func() error {
				if begins != nil {
					<-begins
				}
				kept = append(kept, text)
				return nil
			})
		}
		slow := make(chan struct{})
		go save("a", 0, "slow", slow)
		synctest.Wait()
		go save("a", 1, "last", nil)
		close(slow)
		synctest.Wait()
		save("a", 0, "too late", nil)
		save("b", 0, "another", nil)
		if want := []string{"slow", "last", "another"}; !slices.Equal(kept, want) {
			t.Errorf("kept are %q", kept)
		}
	})
}
