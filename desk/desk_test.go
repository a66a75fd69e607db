package desk_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// However a record ends, every desk reads the same end, and refuses a later one with it.
func TestEndings(t *testing.T) {
	ends := map[desk.Status]func(*desk.Desk, string) error{
		desk.Answered:  answers(says("DuckDB")),
		desk.Dismissed: answers(question.Reply{Dismissed: true, Reason: "not now"}),
		desk.Discuss:   answers(question.Reply{Discuss: true, Note: "why now?"}),
	}
	byUser := len(ends)
	for _, status := range []desk.Status{desk.Cancelled, desk.Timeout, desk.Unavailable, desk.Failed} {
		ends[status] = closes(status)
	}
	replies := 0
	for status, end := range ends {
		dir := storeDir(t)
		d, other := open(t, dir), open(t, dir)
		asked := ask(t, d)
		if asked.State != desk.Pending || asked.Outcome != nil || asked.Round != 1 || asked.Asker != asker {
			t.Fatalf("asked: %+v", asked)
		}
		err := other.Delivered(t.Context(), asked.ID)
		if !errors.Is(err, desk.ErrPending) {
			t.Errorf("delivered while it is open: %v", err)
		}
		fatal.If(t, end(d, asked.ID))
		got := must(other.Wait(deadline(t), asked.ID))
		if got.State != status || got.Outcome.Status != status || got.Questions[0].Text != "Which database?" ||
			!got.CreatedAt.Equal(asked.CreatedAt) {
			t.Errorf("%s: %+v", status, got)
		}
		if got.Outcome.Reply != nil {
			replies++
		}
		for _, late := range []func(*desk.Desk, string) error{answers(says("late")), closeLate} {
			closed, ok := errors.AsType[*desk.ClosedError](late(other, asked.ID))
			if !ok || closed.Outcome.Status != status || closed.ID != asked.ID {
				t.Errorf("a late end after %s: %v", status, closed)
			}
		}
	}
	if replies != byUser {
		t.Errorf("%d ends have a reply, want %d", replies, byUser)
	}
}

func closeLate(d *desk.Desk, id string) error {
	_, err := d.Close(context.Background(), id, desk.Outcome{Status: desk.Cancelled})
	return err
}

// The end of a request does not keep its record from being ended. A caller that withdraws its
// question while that is stored learns its id: a store elsewhere may have it by then, and would keep
// it before the user for a day.
func TestEndsAfterTheRequest(t *testing.T) {
	ctx, withdraw := context.WithCancel(t.Context())
	d, s := faulty(t, storeDir(t), desk.Options{})
	s.Before(func(_ context.Context, c desktest.Call) error {
		if c.Method == "Ask" {
			withdraw()
		}
		return nil
	})
	rec, attendance, err := d.Submit(ctx, request("Which?"))
	fatal.If(t, err)
	attendance.Release()
	must(d.Reply(ctx, rec.ID, says("x"), byPage))
	must(d.Close(ctx, ask(t, d).ID, desk.Outcome{Status: desk.Timeout}))
}

func TestUnknownIDs(t *testing.T) {
	d := open(t, storeDir(t))
	known := ask(t, d).ID
	for _, id := range []string{"", "x", "../pending/x", "/etc/passwd", "01JZZZZZZZZZZZZZZZZZZZZZZZ", known + "0", known[:25] + "u", known[:25] + "\x00"} {
		_, got := d.Get(t.Context(), id)
		_, replied := d.Reply(t.Context(), id, says("x"), byPage)
		_, waited := d.Wait(t.Context(), id)
		_, found := d.Find(t.Context(), id)
		_, attended := d.Attend(t.Context(), id)
		for _, err := range []error{got, replied, waited, found, attended, closeLate(d, id), d.Delivered(t.Context(), id)} {
			if !errors.Is(err, desk.ErrNotFound) {
				t.Errorf("%q: %v", id, err)
			}
		}
	}
}

func TestCloseTakesOnlyEndsWithoutAHuman(t *testing.T) {
	d := open(t, storeDir(t))
	rec := ask(t, d)
	r := says("x")
	for _, o := range []desk.Outcome{
		{}, {Status: desk.Pending}, {Status: "gone"}, {Status: desk.Answered}, {Status: desk.Dismissed},
		{Status: desk.Answered, Reply: &r}, {Status: desk.Timeout, Reply: &r},
	} {
		if _, err := d.Close(t.Context(), rec.ID, o); err == nil {
			t.Errorf("closed with %+v", o)
		}
	}
	if got, err := d.Get(t.Context(), rec.ID); err != nil || got.State != desk.Pending {
		t.Errorf("after refusals: %q, %v", got.State, err)
	}
	long := strings.Repeat("x", question.MaxText+1)
	got, err := d.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: long})
	if err != nil || question.Count(got.Outcome.Reason) != question.MaxText {
		t.Errorf("the reason has %d characters, %v", question.Count(got.Outcome.Reason), err)
	}
}

func TestFind(t *testing.T) {
	dir := storeDir(t)
	now := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	d := desk.New(openStore(t, dir), desk.Options{Now: func() time.Time { return now }})
	old := ask(t, d)
	must(d.Reply(t.Context(), old.ID, says("x"), byPage))
	fatal.If(t, d.Delivered(t.Context(), old.ID))
	now = now.AddDate(0, 1, 0)
	first := ask(t, d)
	now = now.Add(time.Hour)
	second := ask(t, d)

	common := 0
	for first.ID[common] == second.ID[common] {
		common++
	}
	tests := []struct {
		prefix string
		want   string
		err    error
	}{
		{first.ID, first.ID, nil},
		{first.ID[:common+1], first.ID, nil},
		{strings.ToLower(first.ID), first.ID, nil},
		{"\x20" + first.ID, "", desk.ErrNotFound},
		{first.ID[:common], "", desk.ErrAmbiguous},
		{old.ID[:10], old.ID, nil},
		{"01", "", desk.ErrAmbiguous}, // of the two that are not archived
		{"7", "", desk.ErrNotFound},
		{"", "", desk.ErrNotFound},
	}
	for _, tt := range tests {
		rec, err := d.Find(t.Context(), tt.prefix)
		if !errors.Is(err, tt.err) || rec.ID != tt.want {
			t.Errorf("Find(%q) = %q, %v; want %q, %v", tt.prefix, rec.ID, err, tt.want, tt.err)
		}
	}
}

// Ids ascend also where the clock is set back, and a question that is reopened then is found by its
// old ticket.
func TestIDsAscendWhenTheClockIsSetBack(t *testing.T) {
	clock := []time.Duration{0, time.Second, -time.Hour, -100 * 365 * 24 * time.Hour, 0, time.Hour}
	start := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	var at time.Time
	dir := storeDir(t)
	clocked := func() *desk.Desk {
		return desk.New(openStore(t, dir), desk.Options{Now: func() time.Time { return at }})
	}
	d := clocked()
	last := ""
	for _, shift := range clock {
		at = start.Add(shift)
		for range 3 {
			rec := detached(t, d, request("After "+last+"?"))
			if rec.ID <= last {
				t.Errorf("clock %v: id %s is not above %s", shift, rec.ID, last)
			}
			if !rec.CreatedAt.Equal(at) {
				t.Errorf("created at %v, asked at %v", rec.CreatedAt, at)
			}
			if got, err := d.Get(t.Context(), rec.ID); err != nil || got.ID != rec.ID {
				t.Errorf("clock %v: %v", shift, err)
			}
			last = rec.ID
		}
	}
	reply(t, d, last, "yes")
	at = start.Add(-time.Hour)
	another := clocked()
	again := must(another.Reopen(t.Context(), last))
	if latest := must(another.Latest(t.Context(), last)); latest.ID != again.ID {
		t.Errorf("the ticket of a reopened question leads to %s, not to %s", latest.ID, again.ID)
	}
}
