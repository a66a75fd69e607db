package desk_test

import (
	"context"
	"errors"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Invariant: an answer that was delivered, by a process that was
// killed right afterwards, goes to nobody who asks the same again, is found by
// its ticket, and is archived by whoever comes across it.
func TestDelivered(t *testing.T) {
	for name, meet := range map[string]func(t *testing.T, dir string){
		"a list of what is open": func(t *testing.T, dir string) { must(open(t, dir).Pending(t.Context())) },
		"somebody else's archiving": func(t *testing.T, dir string) {
			other := open(t, dir)
			rec := must(other.Ask(t.Context(), request("Another?").Set, "", asker))
			reply(t, other, rec.ID, "x")
			if err := other.Archive(t.Context(), rec.ID); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := storeDir(t)
			d := open(t, dir)
			rec, attendance := submit(t, d, request("Which?"))
			reply(t, d, rec.ID, "yes")
			rec = must(d.Wait(deadline(t), rec.ID))
			for range 2 {
				if err := d.Delivered(t.Context(), rec); err != nil {
					t.Fatal(err)
				}
			}
			must(open(t, dir).Pending(t.Context())) // leaves alone what is attended
			if err := openSpool(t, dir).Create(t.Context(), desk.KindPending, rec.ID, nil); !errors.Is(err, desk.ErrExists) {
				t.Errorf("archived under the hands of its asker: %v", err)
			}
			attendance.Release() // as by a kill

			again, attendance := submit(t, open(t, dir), request("Which?"))
			defer attendance.Release()
			if again.ID == rec.ID || again.Outcome != nil {
				t.Errorf("delivered again: %+v", again.Outcome)
			}
			byTicket := func() {
				t.Helper()
				if got := must(open(t, dir).Get(t.Context(), rec.ID)); text(got) != "yes" {
					t.Errorf("by its ticket: %+v", got.Outcome)
				}
			}
			byTicket()
			meet(t, dir)
			byTicket()
			s := openSpool(t, dir)
			for _, kind := range []desk.Kind{desk.KindPending, desk.KindReplies} {
				if _, err := s.Get(t.Context(), kind, rec.ID); !errors.Is(err, desk.ErrNotFound) {
					t.Errorf("still in %s: %v", kind, err)
				}
			}
			if err := d.Archive(t.Context(), rec.ID); err != nil { // the late one
				t.Error(err)
			}
		})
	}
}

// What is not delivered stays for its asker, whoever comes across it.
func TestUndeliveredStays(t *testing.T) {
	dir := storeDir(t)
	rec, attendance := submit(t, open(t, dir), request("Which?"))
	attendance.Release()
	reply(t, open(t, dir), rec.ID, "yes")
	must(open(t, dir).Pending(t.Context()))
	other := ask(t, open(t, dir))
	answerAndArchive(t, open(t, dir), other.ID)
	again, attendance := submit(t, open(t, dir), request("Which?"))
	defer attendance.Release()
	if again.ID != rec.ID || text(again) != "yes" {
		t.Errorf("asked again: %+v", again)
	}
}

// doubtful is a store that does not know, the first time, whether it has
// created something. It had, or not.
type doubtful struct {
	desk.Store
	had  bool
	seen map[desk.Kind]bool
}

func (s *doubtful) doubt(kind desk.Kind, create func() error) error {
	if s.seen[kind] {
		return create()
	}
	s.seen[kind] = true
	if s.had {
		if err := create(); err != nil {
			return err
		}
	}
	return desk.ErrUncertain
}

func (s *doubtful) Create(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	return s.doubt(kind, func() error { return s.Store.Create(ctx, kind, id, data) })
}

func (s *doubtful) Decide(ctx context.Context, id string, role desk.Role, data []byte) error {
	return s.doubt(desk.KindReplies, func() error { return s.Store.Decide(ctx, id, role, data) })
}

// A doubt is cleared with the same bytes: the human was first, and is told so.
func TestDoubt(t *testing.T) {
	for _, had := range []bool{true, false} {
		d := desk.New(&doubtful{Store: openSpool(t, storeDir(t)), had: had, seen: map[desk.Kind]bool{}}, desk.Options{})
		rec, attendance := submit(t, d, request("Which?"))
		reply(t, d, rec.ID, "yes")
		collected(t, d, rec, attendance)
		if got := must(d.Get(t.Context(), rec.ID)); text(got) != "yes" {
			t.Errorf("stored at once %v: %+v", had, got.Outcome)
		}
	}
}

// keepsPlace is a store that stores an outcome at once, does not hear so before it was
// collected, and keeps its place.
type keepsPlace struct {
	desk.Store
	collect func(id string)
}

func (s *keepsPlace) Decide(ctx context.Context, id string, role desk.Role, data []byte) error {
	if err := s.Store.Decide(ctx, id, role, data); err != nil {
		return err
	}
	s.collect(id)
	return desk.ErrExists
}

// The first answerer reads that they were first, also where the asker collected the
// answer before the store could say that it was stored.
func TestFirstThoughCollected(t *testing.T) {
	s := &keepsPlace{Store: openSpool(t, storeDir(t))}
	asking := desk.New(s.Store, desk.Options{})
	s.collect = func(id string) {
		if err := asking.Archive(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	rec, attendance := submit(t, asking, request("Which?"))
	attendance.Release()
	got, err := desk.New(s, desk.Options{}).Reply(t.Context(), rec.ID, says("yes"), desk.Evidence{Surface: "tty", How: desk.HowPage})
	if err != nil || text(got) != "yes" {
		t.Errorf("%s, %v", got.State, err)
	}
}

// roles is a store that notes in which role records are ended.
type roles struct {
	desk.Store
	last desk.Role
}

func (s *roles) Decide(ctx context.Context, id string, role desk.Role, data []byte) error {
	s.last = role
	return s.Store.Decide(ctx, id, role, data)
}

// Who ends a record does so in a role: the human who answers, dismisses or
// closes it on a surface, else the asker, also where it takes the defaults.
func TestRoles(t *testing.T) {
	s := &roles{Store: openSpool(t, storeDir(t))}
	d := desk.New(s, desk.Options{})
	asked := withDefault()
	byTimeout, _ := asked.DefaultReply()
	for _, tc := range []struct {
		end  func(id string) (desk.Record, error)
		want desk.Role
	}{
		{func(id string) (desk.Record, error) {
			return d.Reply(t.Context(), id, says("x"), desk.Evidence{Surface: "tty", How: desk.HowPage})
		}, desk.RoleHuman},
		{func(id string) (desk.Record, error) {
			return d.Reply(t.Context(), id, question.Reply{Dismissed: true}, desk.Evidence{Surface: "tty", How: desk.HowPage})
		}, desk.RoleHuman},
		{func(id string) (desk.Record, error) {
			return d.Reply(t.Context(), id, byTimeout, desk.Evidence{Surface: "timeout", How: desk.HowTimeout})
		}, desk.RoleAsker},
		{func(id string) (desk.Record, error) {
			return d.Close(t.Context(), id, desk.Outcome{Status: desk.Cancelled, Surface: "shell"})
		}, desk.RoleHuman},
		{func(id string) (desk.Record, error) {
			return d.Close(t.Context(), id, desk.Outcome{Status: desk.Timeout})
		}, desk.RoleAsker},
	} {
		open, attendance := submit(t, d, desk.Request{Set: asked, Asker: asker, OnTimeout: desk.OnTimeoutDefault})
		attendance.Release()
		rec, err := tc.end(open.ID)
		if err == nil {
			err = d.Archive(t.Context(), open.ID)
		}
		if err != nil || s.last != tc.want {
			t.Errorf("%s %+v: as %s, want %s (%v)", rec.State, rec.Outcome, s.last, tc.want, err)
		}
	}
}
