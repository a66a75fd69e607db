package form

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/gate"
)

// TestEnds: how a form ends, and what its last line says. A form that has ended takes nothing more.
func TestEnds(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	closed := func(s desk.Status, surface, reason string) error {
		return &desk.ClosedError{ID: "01J", Outcome: desk.Outcome{Status: s, Surface: surface, Reason: reason, At: at}}
	}
	tests := []struct {
		name    string
		end     func(*rig)
		state   State
		closing string
	}{
		{"open", func(*rig) {}, Open, ""},
		{"answered", func(r *rig) { r.keys("1", "enter") }, Sent, "Answer sent."},
		{"dismissed", func(r *rig) { r.keys("ctrl+x", "enter") }, Sent, "Dismissed."},
		{"ctrl+c", func(r *rig) { r.keys("2", "ctrl+c") }, Aborted, "Nothing was sent; the question stays open."},
		{"ctrl+c while asked whether to close", func(r *rig) { r.keys("ctrl+x", "ctrl+c") }, Aborted, "Nothing was sent; the question stays open."},
		{"answered elsewhere", func(r *rig) { r.send(Withdraw{closed(desk.Answered, "inbox", "")}) }, Withdrawn, "Already answered in the inbox."},
		{"dismissed elsewhere", func(r *rig) { r.send(Withdraw{closed(desk.Dismissed, "web", "")}) }, Withdrawn, "Already dismissed on the web page."},
		{"withdrawn by the asker", func(r *rig) { r.send(Withdraw{closed(desk.Cancelled, "", "no longer\x1b[31m needed")}) }, Withdrawn, "The agent withdrew the question: no longer␛[31m needed."},
		{"timeout", func(r *rig) { r.send(Withdraw{closed(desk.Timeout, "", "")}) }, Withdrawn, "The time to answer is over; the question is closed."},
		{"the context ended", func(r *rig) { r.send(Withdraw{context.Canceled}) }, Withdrawn, "Nothing was sent; the question stays open: context canceled."},
		{"not sent", func(r *rig) {
			r.fail = desk.ErrUnsent
			r.keys("1", "enter")
		}, Open, ""},
		{"too late", func(r *rig) { r.fail = closed(desk.Answered, "web", ""); r.keys("1", "enter") }, Withdrawn, "Already answered on the web page."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := open(t, 80, 24, database())
			tt.end(r)
			if got := r.f.State(); got != tt.state {
				t.Errorf("state %v, want %v", got, tt.state)
			}
			if got := r.f.Closing(); got != tt.closing {
				t.Errorf("closing %q, want %q", got, tt.closing)
			}
			if r.quit != (tt.state != Open) {
				t.Errorf("quit %v in state %v", r.quit, tt.state)
			}
			if tt.state == Open {
				return
			}
			sent := len(r.sent)
			r.keys("enter", "esc", "enter")
			r.send(Withdraw{&desk.ClosedError{Outcome: desk.Outcome{Status: desk.Answered}}})
			if len(r.sent) != sent || r.f.State() != tt.state || r.f.Closing() != tt.closing || r.f.View().Content != "" {
				t.Errorf("after its end: sent %+v, %v, %q:\n%s", r.sent, r.f.State(), r.f.Closing(), r.screen())
			}
			if tt.state == Aborted && sent > 0 {
				t.Errorf("committed %+v", r.sent)
			}
		})
	}
}

// TestRefusedReply turns to the question whose answer was refused.
func TestRefusedReply(t *testing.T) {
	r := open(t, 80, 24, database(), deploy())
	r.fail = question.Violations{{Path: "answers.db", Message: "must not be that"}}
	r.keys("1", "enter", "n", "enter", "enter")
	if got := r.screen(); !strings.Contains(got, "1 of 2") || !strings.Contains(got, "This answer must not be that.") {
		t.Errorf("want the first question and the refusal, got:\n%s", got)
	}
	r.fail = nil
	r.keys("2", "enter", "enter")
	if r.f.State() != Sent {
		t.Errorf("state %v after the answer was changed", r.f.State())
	}
}

// TestWithdrawnWhileSending: a reply on its way may have been the first, so
// its fate decides.
func TestWithdrawnWhileSending(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want State
	}{
		{"it was the first", nil, Sent},
		{"it failed", errors.New("no space left"), Withdrawn},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := open(t, 80, 24, database())
			r.fail = tt.err
			r.keys("1")
			r.send(tea.KeyPressMsg{Code: tea.KeyEnter})
			r.Set(r.Now().Add(gate.Settle))
			_, commit := r.f.Update(gate.Tick{})
			r.send(Withdraw{context.Canceled})
			r.keys("esc", "enter")
			if r.f.State() != Open {
				t.Fatalf("state %v before commit returned", r.f.State())
			}
			r.run(commit)
			if r.f.State() != tt.want || len(r.sent) != 1 {
				t.Errorf("state %v after %d commits, want %v after one", r.f.State(), len(r.sent), tt.want)
			}
		})
	}
}

// TestBreak: what comes by itself asks at the first Ctrl+C, and is left with the
// second; nothing is said to it by that.
func TestBreak(t *testing.T) {
	r := fresh(t, 80, 24, record(database()), func(o *Options) { o.Break = true }).show().keys("ctrl+c")
	if r.f.State() != Open || !strings.Contains(r.screen(), "Dismiss without answering?") {
		t.Fatalf("after Ctrl+C:\n%s", r.screen())
	}
	r.keys("esc", "ctrl+c", "ctrl+c")
	if r.f.State() != Aborted || r.sent != nil || !strings.Contains(r.f.Closing(), "stays open") {
		t.Errorf("state %d, sent %+v, %q", r.f.State(), r.sent, r.f.Closing())
	}
}

// TestBreakIsSaidAsItIs: the key's help and the last line say what becomes of the
// record.
func TestBreakIsSaidAsItIs(t *testing.T) {
	for status, want := range map[desk.Status][2]string{
		"": {"leave; the question stays open", "stays open"}, desk.Cancelled: {"withdraw the question", "withdrawn"}, desk.Dismissed: {"ctrl+c     dismiss", "Dismissed."},
	} {
		r := fresh(t, 80, 24, record(database()), func(o *Options) { o.Interrupted = status }).show().keys("?")
		if !strings.Contains(r.screen(), want[0]) {
			t.Errorf("%q: want %q in\n%s", status, want[0], r.screen())
		}
		if r.keys("ctrl+c"); !strings.Contains(r.f.Closing(), want[1]) {
			t.Errorf("%q: %q", status, r.f.Closing())
		}
	}
}

// What the shared desk did not take is sent again while its user does nothing else, and not
// once they have changed something.
func TestSentAgain(t *testing.T) {
	r := open(t, 80, 24, database())
	r.fail = desk.ErrUnsent
	r.keys("2", "enter").wait(againAfter)
	if len(r.sent) != 2 || r.f.State() != Open {
		t.Fatalf("sent %+v", r.sent)
	}
	r.keys("1").wait(3 * againAfter)
	if len(r.sent) != 2 {
		t.Errorf("what was changed is sent: %+v", r.sent[2:])
	}
	r.keys("enter")
	r.fail = nil
	r.wait(againAfter)
	if r.f.State() != Sent || len(r.sent) != 4 || r.sent[3].Answers[0].Selected[0] != r.sent[2].Answers[0].Selected[0] {
		t.Errorf("state %v, sent %+v", r.f.State(), r.sent)
	}
}

// What keys for another program have sent is not sent again once they were taken back.
func TestSentAstray(t *testing.T) {
	r := fresh(t, 80, 24, record(database()), withOrigin(gate.Appeared)).show().wait(gate.Quiet)
	r.fail = desk.ErrUnsent
	if r.keys("2", "enter", "q").wait(3 * againAfter); len(r.sent) != 1 {
		t.Errorf("sent %+v", r.sent)
	}
}
