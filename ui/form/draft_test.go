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

// TestDraft gives what is kept of what a user did, and that a form which
// starts from it holds the same again.
func TestDraft(t *testing.T) {
	prefilled := name()
	prefilled.Default = "orders"
	ask := func(qs ...question.Question) []question.Question { return qs }
	draft := func(as ...question.Answer) question.Reply { return question.Reply{Answers: as} }
	tests := []struct {
		name string
		qs   []question.Question
		keys []string
		want question.Reply
	}{
		{"nothing touched", ask(database(), features(), prefilled), nil, question.Reply{}},
		{"moved", ask(database()), []string{"down", "down"}, draft(told("db", "", "none"))},
		{"a digit", ask(database()), []string{"2"}, draft(told("db", "", "sqlite"))},
		{"words not confirmed", ask(database()), []string{"0", "Red"}, draft(told("db", "Red"))},
		{"words beside another option", ask(database()), []string{"0", "Red", "esc", "1"}, draft(told("db", "Red", "pg"))},
		{"marks", ask(features()), []string{"down", "space"}, draft(told("features", "", "search", "export"))},
		{"every mark taken off", ask(features()), []string{"space"}, draft(told("features", ""))},
		{"words being written beside marks", ask(features()), []string{"0", "Dark"}, draft(told("features", "Dark", "search"))},
		{"words taken off", ask(features()), []string{"0", "Dark", "enter", "space"}, question.Reply{}},
		{"text", ask(name()), []string{"ord", "alt+enter", "ers"}, draft(told("name", "ord\ners"))},
		{"a proposed text removed", ask(prefilled), []string{"ctrl+u"}, draft(told("name", ""))},
		{"confirmed and not", ask(database(), name()), []string{"2", "enter", "ord"}, draft(told("db", "", "sqlite"), told("name", "ord"))},
		{"a follow-up that is hidden now", ask(withFollowUp()), []string{"1", "enter", "2", "shift+tab", "2"},
			draft(told("db", "", "sqlite"), told("version", "", "18"))},
		{"a note beside an answer", ask(database()), []string{"ctrl+n", "soon"}, question.Reply{Answers: []question.Answer{noted(told("db", ""), "soon")}}},
		{"a note", ask(database(), features()), []string{"1", "enter", "down", "enter", "ctrl+n", "soon"}, question.Reply{Note: "soon", Answers: []question.Answer{told("db", "", "pg")}}},
		{"a reason", ask(database()), []string{"ctrl+x", "later"}, question.Reply{Reason: "later"}},
		{"what is to be discussed", ask(database()), []string{"ctrl+d", "cost"}, question.Reply{Reason: "cost"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := open(t, 80, 24, tt.qs...).keys(tt.keys...)
			if got := r.f.set.Draft(); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("draft %+v, want %+v", got, tt.want)
			}
			again := fresh(t, 80, 24, record(tt.qs...), withDraft(tt.want)).show()
			if got := again.f.set.Draft(); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("restored %+v, want %+v", got, tt.want)
			}
			offered := strings.Contains(again.screen(), "Your draft is back")
			if want := !reflect.DeepEqual(tt.want, question.Reply{}); offered != want {
				t.Errorf("the draft is offered: %v, want %v", offered, want)
			}
		})
	}
}

// TestDraftIsNoAnswer: what a user chose earlier is sent only after they went
// through it, page by page, and over the review where there is one.
func TestDraftIsNoAnswer(t *testing.T) {
	r := fresh(t, 80, 24, record(database()), withDraft(question.Reply{Answers: []question.Answer{told("db", "", "sqlite")}})).show()
	r.keys("2", "enter")
	if got, want := r.last().Answers, []question.Answer{told("db", "", "sqlite")}; !reflect.DeepEqual(got, want) {
		t.Errorf("sent %+v, want %+v", got, want)
	}

	files := filed("db", "", "pg")
	r = fresh(t, 80, 24, record(database()), withDraft(files)).show()
	if r.keys("1", "enter"); !reflect.DeepEqual(r.last().Answers, files.Answers) {
		t.Errorf("sent %+v, want %+v", r.last(), files)
	}

	all := question.Reply{Note: "soon", Answers: []question.Answer{told("db", "", "pg"), told("version", "", "18"), told("name", "orders")}}
	r = fresh(t, 80, 24, record(withFollowUp(), name()), withDraft(all)).show()
	r.keys("1", "enter", "2", "enter", "right", "enter")
	if len(r.sent) > 0 {
		t.Fatalf("sent %+v without the review", r.sent)
	}
	if r.keys("enter"); !reflect.DeepEqual(r.last(), all) {
		t.Errorf("sent %+v, want %+v", r.last(), all)
	}
}

// TestForeignDraft: a draft of another set, or a spoilt one, spoils nothing.
func TestForeignDraft(t *testing.T) {
	plain := closedChoice(database())
	r := fresh(t, 80, 24, record(plain, name()), withDraft(question.Reply{Answers: []question.Answer{
		told("db", "free text", "mysql", "none", "pg"), told("nobody", "x"), told("name", "a\x1b[2Jb"),
	}})).show()
	checkScreen(t, r)
	r.checks = true
	r.keys("3", "enter")
	checkScreen(t, r)
	if got, want := r.f.page().focused().Text(), "a␛[2Jb"; got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
	r.keys("right", "enter", "enter")
	if got := r.last().Answers[0]; !reflect.DeepEqual(got.Selected, []string{"none"}) {
		t.Errorf("sent %+v, want the last option, the first of the two that are left", got)
	}
}

// TestLastDraft: a form that ends with the record open keeps what was typed a
// moment ago.
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
			var kept []question.Reply
			r := fresh(t, 80, 24, record(name()), withKeep(func(d question.Reply) { kept = append(kept, d) })).show()
			for _, c := range "orders" { // without the commands: no timer has fired yet
				r.f.Update(tea.KeyPressMsg{Text: string(c), Code: c})
			}
			tt.end(r)
			if !tt.want {
				if len(kept) > 0 {
					t.Errorf("kept %+v", kept)
				}
				return
			}
			want := question.Reply{Answers: []question.Answer{told("name", "orders")}}
			if len(kept) != 1 || !reflect.DeepEqual(kept[0], want) {
				t.Errorf("kept %+v, want once %+v", kept, want)
			}
			if !r.quit {
				t.Error("the form does not quit")
			}
		})
	}
}

// TestSavesKeepTheirOrder: a save that was overtaken must not undo the later, even
// where that failed.
func TestSavesKeepTheirOrder(t *testing.T) {
	for _, fault := range []error{nil, errors.New("full")} {
		var kept []string
		f := Form{options: Options{Keep: NewDraft(func(r question.Reply) error { kept = append(kept, r.Note); return fault })}}
		older, newer := f.handOver(question.Reply{Note: "a"}, time.Time{}), f.handOver(question.Reply{Note: "b"}, time.Time{})
		newer()
		older()
		if !reflect.DeepEqual(kept, []string{"b"}) {
			t.Errorf("%v: kept %q", fault, kept)
		}
	}
}

// TestFailedSave: what could not be kept is handed over again when the form ends.
func TestFailedSave(t *testing.T) {
	var kept []string
	fault := errors.New("full")
	f := fresh(t, 80, 24, record(name()), func(o *Options) {
		o.Keep = NewDraft(func(r question.Reply) error { kept = append(kept, r.Note); return fault })
	}).show().f
	f.drafts.last = f.set.Draft()
	f.handOver(f.drafts.last, time.Time{})()
	fault = nil
	f.end(Aborted)()
	if f.end(Aborted)(); len(kept) != 2 {
		t.Errorf("kept %d times, want 2", len(kept))
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
		// …and a sign of life with one, every two seconds at most.
		l.do(Deadline{At: time.Now().Add(time.Minute)})
		for range 50 {
			l.do(tea.KeyPressMsg{Code: tea.KeyLeft})
			l.wait(100 * time.Millisecond)
		}
		if n := len(at) - before; n != 3 {
			t.Errorf("five seconds of moving about were told %d times, want 3", n)
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
