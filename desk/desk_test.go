package desk_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEndings(t *testing.T) {
	reply := func(r question.Reply) func(context.Context, *desk.Desk, string) (desk.Record, error) {
		return func(ctx context.Context, d *desk.Desk, id string) (desk.Record, error) {
			return d.Reply(ctx, id, r, byPage)
		}
	}
	closing := func(s desk.Status) func(context.Context, *desk.Desk, string) (desk.Record, error) {
		return func(ctx context.Context, d *desk.Desk, id string) (desk.Record, error) {
			return d.Close(ctx, id, desk.Outcome{Status: s, Reason: "because"})
		}
	}
	tests := []struct {
		name   string
		end    func(context.Context, *desk.Desk, string) (desk.Record, error)
		status desk.Status
		reply  bool
	}{
		{"answered", reply(says("DuckDB")), desk.Answered, true},
		{"dismissed", reply(question.Reply{Dismissed: true, Reason: "not now"}), desk.Dismissed, true},
		{"discuss", reply(question.Reply{Discuss: true, Note: "why now?"}), desk.Discuss, true},
		{"withdrawn", closing(desk.Cancelled), desk.Cancelled, false},
		{"timeout", closing(desk.Timeout), desk.Timeout, false},
		{"unavailable", closing(desk.Unavailable), desk.Unavailable, false},
		{"failed", closing(desk.Failed), desk.Failed, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx := deadline(t)
			dir := storeDir(t)
			d, other := open(t, dir), open(t, dir)
			asked := ask(t, d)
			if asked.State != desk.Pending || asked.Outcome != nil || asked.Round != 1 || asked.Asker != asker {
				t.Fatalf("asked: %+v", asked)
			}

			// The end of a request must not keep its record from being ended.
			ended, cancel := context.WithCancel(ctx)
			cancel()
			rec, err := tt.end(ended, d, asked.ID)
			if err != nil {
				t.Fatal(err)
			}
			for name, get := range map[string]func() (desk.Record, error){
				"returned":          func() (desk.Record, error) { return rec, nil },
				"got elsewhere":     func() (desk.Record, error) { return other.Get(ctx, asked.ID) },
				"waited for":        func() (desk.Record, error) { return other.Wait(ctx, asked.ID) },
				"found by a prefix": func() (desk.Record, error) { return other.Find(ctx, asked.ID[:20]) },
				"archived": func() (desk.Record, error) {
					if err := other.Delivered(ctx, asked.ID); err != nil {
						return desk.Record{}, err
					}
					return d.Get(ctx, asked.ID)
				},
			} {
				got, err := get()
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if got.State != tt.status || got.Outcome == nil || got.Outcome.Status != tt.status {
					t.Errorf("%s: state %q, outcome %+v", name, got.State, got.Outcome)
				}
				if got.Outcome != nil && (got.Outcome.Reply != nil) != tt.reply {
					t.Errorf("%s: reply %+v", name, got.Outcome.Reply)
				}
				if got.SessionID != "s1" || got.Asker != asker || !got.CreatedAt.Equal(asked.CreatedAt) || got.Questions[0].Text != "Which database?" {
					t.Errorf("%s: lost something of what was asked: %+v", name, got)
				}
			}

			// Whoever comes now is told who was first, archived or not.
			for _, late := range []func(context.Context, *desk.Desk, string) (desk.Record, error){reply(says("late")), closing(desk.Cancelled)} {
				_, err := late(ctx, other, asked.ID)
				closed, ok := errors.AsType[*desk.ClosedError](err)
				if !ok || closed.Outcome.Status != tt.status || closed.ID != asked.ID {
					t.Errorf("late answer: %v", err)
				}
			}
		})
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
}

func TestUnknownIDs(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	known := ask(t, d).ID
	for _, id := range []string{
		"", "x", "../pending/x", "..", "/etc/passwd", "01JZZZZZZZZZZZZZZZZZZZZZZZ", known + "0", known[:25] + "u", "8" + known[1:],
		"../../../../../../etc/pass", known[:25] + "\x00",
	} {
		if _, err := d.Get(t.Context(), id); !errors.Is(err, desk.ErrNotFound) {
			t.Errorf("Get(%q): %v", id, err)
		}
		if _, err := d.Reply(t.Context(), id, says("x"), byPage); !errors.Is(err, desk.ErrNotFound) {
			t.Errorf("Reply(%q): %v", id, err)
		}
		if _, err := d.Close(t.Context(), id, desk.Outcome{Status: desk.Timeout}); !errors.Is(err, desk.ErrNotFound) {
			t.Errorf("Close(%q): %v", id, err)
		}
		if _, err := d.Wait(t.Context(), id); !errors.Is(err, desk.ErrNotFound) {
			t.Errorf("Wait(%q): %v", id, err)
		}
		if err := d.Delivered(t.Context(), id); !errors.Is(err, desk.ErrNotFound) {
			t.Errorf("Archive(%q): %v", id, err)
		}
		if _, err := d.Find(t.Context(), id); !errors.Is(err, desk.ErrNotFound) {
			t.Errorf("Find(%q): %v", id, err)
		}
	}
}

func TestArchiveLeavesPendingAlone(t *testing.T) {
	d := open(t, storeDir(t))
	rec := ask(t, d)
	if err := d.Delivered(t.Context(), rec.ID); !errors.Is(err, desk.ErrPending) {
		t.Errorf("archived a pending record: %v", err)
	}
}

func TestPending(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	if open, err := d.Pending(t.Context()); err != nil || len(open) != 0 {
		t.Fatalf("on an empty desk: %v, %v", open, err)
	}
	var want []string
	for i := range 9 {
		rec := ask(t, d)
		switch i % 3 {
		case 0:
			want = append(want, rec.ID)
		case 1:
			if _, err := d.Reply(t.Context(), rec.ID, says("x"), byPage); err != nil {
				t.Fatal(err)
			}
		case 2:
			if _, err := d.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled}); err != nil {
				t.Fatal(err)
			}
			if err := d.Delivered(t.Context(), rec.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	records, err := open(t, dir).Pending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, rec := range records {
		got = append(got, rec.ID)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("pending %v, want %v", got, want)
	}
}

func TestFind(t *testing.T) {
	dir := storeDir(t)
	now := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	d := desk.New(openStore(t, dir), desk.Options{Now: func() time.Time { return now }})
	old := ask(t, d)
	if _, err := d.Reply(t.Context(), old.ID, says("x"), byPage); err != nil {
		t.Fatal(err)
	}
	if err := d.Delivered(t.Context(), old.ID); err != nil {
		t.Fatal(err)
	}
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
		{strings.ToLower(first.ID[:common+1]), first.ID, nil},
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

func TestRoundsAreCountedBySession(t *testing.T) {
	d := open(t, storeDir(t))
	for _, tt := range []struct {
		session string
		round   int
	}{{"a", 1}, {"a", 2}, {"b", 1}, {"", 1}, {"", 1}, {"a", 3}} {
		rec, err := d.Ask(t.Context(), set(), tt.session, asker)
		if err != nil || rec.Round != tt.round {
			t.Errorf("session %q: round %d, want %d (%v)", tt.session, rec.Round, tt.round, err)
		}
	}
}

func TestIDsAscendWhenTheClockIsSetBack(t *testing.T) {
	clock := []time.Duration{0, time.Second, -time.Hour, -100 * 365 * 24 * time.Hour, 0, time.Hour}
	start := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	var at time.Time
	d := desk.New(openStore(t, storeDir(t)), desk.Options{Now: func() time.Time { return at }})
	last := ""
	for _, shift := range clock {
		at = start.Add(shift)
		for range 3 {
			rec := ask(t, d)
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
}
