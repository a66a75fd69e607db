package desk_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// mirror puts a question on the desk that its host shows as well.
func mirror(t *testing.T, d *desk.Desk) desk.Record {
	t.Helper()
	rec, attendance, err := d.Mirror(t.Context(), desk.Request{Set: set(), Session: "s1", Asker: asker})
	fatal.If(t, err)
	t.Cleanup(attendance.Release)
	return rec
}

// there is an answer that the human gave in the host's dialog.
func there(text string) desk.Outcome {
	r := says(text)
	return desk.Outcome{Status: desk.Answered, Reply: &r, Surface: "host"}
}

// The host decides which reply counts, whatever was first on the desk.
func TestSettle(t *testing.T) {
	dismissal := question.Reply{Dismissed: true}
	for _, tc := range []struct {
		name         string
		reply        *question.Reply // given on the desk before
		end          desk.Outcome    // as the host tells it
		where, later string          // the surfaces of what counts, and of what came too late
	}{
		{"answered there", nil, there("a"), "host", ""},
		{"answered here, and taken", new(says("a")), there("a"), "web", ""},
		{"answered here, after the dialog", new(says("b")), there("a"), "host", "web"},
		{"dismissed there", nil, desk.Outcome{Status: desk.Dismissed, Reply: &dismissal, Surface: "host"}, "host", ""},
		{"answered here, dismissed there", new(says("b")), desk.Outcome{Status: desk.Dismissed, Reply: &dismissal, Surface: "host"}, "host", "web"},
		{"dismissed in both", &dismissal, desk.Outcome{Status: desk.Dismissed, Reply: &dismissal, Surface: "host"}, "web", ""},
		{"answered here, gone there", new(says("b")), desk.Outcome{Status: desk.Cancelled, Reason: "gone", Surface: "host"}, "host", "web"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := storeDir(t)
			d, other := open(t, dir), open(t, dir)
			rec := mirror(t, d)
			if tc.reply != nil {
				got, err := other.Reply(t.Context(), rec.ID, *tc.reply, byPage)
				if err != nil || !got.Outcome.Provisional {
					t.Fatalf("the reply: %+v, %v", got.Outcome, err)
				}
			}
			must(d.Settle(t.Context(), rec.ID, tc.end))
			// A second word changes nothing.
			must(other.Settle(t.Context(), rec.ID, there("z")))
			got := must(other.Get(t.Context(), rec.ID))
			later := ""
			if got.Later != nil {
				later = got.Later.Surface
			}
			if got.Outcome.Surface != tc.where || later != tc.later || got.Outcome.Provisional {
				t.Errorf("it ended %+v, later %+v", got.Outcome, got.Later)
			}
			if open, err := d.Mirrored(t.Context(), "s1"); err != nil || len(open) != 0 {
				t.Errorf("still provisional: %v, %v", open, err)
			}
			_, err := other.Reply(t.Context(), rec.ID, says("late"), byPage)
			if closed, ok := errors.AsType[*desk.ClosedError](err); !ok || closed.Outcome.Surface != tc.where {
				t.Errorf("one who is late is told: %v", err)
			}
		})
	}
}

// Nothing that was asked before is taken for the same question, and nobody
// comes back for one. A reply stays provisional as long as the desk keeps a question without a
// waiting asker.
func TestMirrorsAreNeverTheSame(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	first, second := mirror(t, d), mirror(t, d)
	reply(t, d, first.ID, "a")
	if first.ID == second.ID || first.Content != "" {
		t.Errorf("%+v and %+v", first, second)
	}
	third, _ := submit(t, d, desk.Request{Set: set(), Session: "s1", Asker: first.Asker})
	if third.ID == first.ID || third.Outcome != nil {
		t.Errorf("it got the reply to another: %+v", third)
	}
	open, err := d.Mirrored(t.Context(), "s1")
	if err != nil || len(open) != 3 || open[2].ID != first.ID || !open[2].Outcome.Provisional {
		t.Errorf("provisional are %v, %v", open, err)
	}
	kept := must(after(t, dir, 25*time.Hour).Mirrored(t.Context(), "s1"))
	if len(kept) != 2 { // those that are open
		t.Errorf("a day later provisional are %v", kept)
	}
	must(d.Settle(t.Context(), first.ID, *open[2].Outcome))
	if got := must(d.Get(t.Context(), first.ID)); got.Outcome.Provisional || text(got) != "a" {
		t.Errorf("it reached its host: %+v", got.Outcome)
	}
	if _, err := d.Settle(t.Context(), ask(t, d).ID, there("a")); err == nil {
		t.Error("a question of our own was settled by a host")
	}
}

// Invariant: however a reply here and the host's word meet, the record ends as
// the host says, once, and a reply that did not count is kept or was refused.
func TestRaceWithTheHost(t *testing.T) {
	dir := storeDir(t)
	here, host := open(t, dir), open(t, dir)
	for i := range 100 {
		rec := mirror(t, host)
		var replied, settled error
		var both sync.WaitGroup
		both.Go(func() {
			_, replied = here.Reply(t.Context(), rec.ID, says("here"), byPage)
		})
		both.Go(func() { _, settled = host.Settle(t.Context(), rec.ID, there("there")) })
		both.Wait()
		if settled != nil {
			t.Fatalf("%d: %v", i, settled)
		}
		got := must(here.Get(t.Context(), rec.ID))
		if text(got) != "there" || got.Outcome.Surface != "host" {
			t.Fatalf("%d: it ended %+v", i, got.Outcome)
		}
		if outcomeText(got.Later) != "here" && replied == nil {
			t.Fatalf("%d: the reply is lost: %+v", i, got.Later)
		}
		if closed, ok := errors.AsType[*desk.ClosedError](replied); replied != nil && (!ok || closed.Outcome.Surface != "host") {
			t.Fatalf("%d: its giver is told %v", i, replied)
		}
	}
}
