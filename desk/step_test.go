package desk_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
)

// mortal is a store whose process is killed at one of its steps: step 2n-1 is
// before the n-th call, step 2n after it.
type mortal struct {
	desk.Store
	step, die int
}

// at runs a call between two steps.
func (s *mortal) at(call func()) {
	s.live()
	call()
	s.live()
}

func (s *mortal) live() {
	if s.step++; s.step != s.die {
		return
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {} // it is not answered at once
}

func (s *mortal) Create(ctx context.Context, kind desk.Kind, id string, data []byte) (err error) {
	s.at(func() { err = s.Store.Create(ctx, kind, id, data) })
	return err
}

func (s *mortal) Decide(ctx context.Context, id string, role desk.Role, data []byte) (err error) {
	s.at(func() { err = s.Store.Decide(ctx, id, role, data) })
	return err
}

func (s *mortal) Put(ctx context.Context, kind desk.Kind, id string, data []byte) (err error) {
	s.at(func() { err = s.Store.Put(ctx, kind, id, data) })
	return err
}

func (s *mortal) Delete(ctx context.Context, kind desk.Kind, id string) (err error) {
	s.at(func() { err = s.Store.Delete(ctx, kind, id) })
	return err
}

func (s *mortal) Mark(ctx context.Context, mark desk.Mark, name, id string) (err error) {
	s.at(func() { err = s.Store.Mark(ctx, mark, name, id) })
	return err
}

func (s *mortal) Unmark(ctx context.Context, mark desk.Mark, name, id string) (err error) {
	s.at(func() { err = s.Store.Unmark(ctx, mark, name, id) })
	return err
}

func (s *mortal) Lock(ctx context.Context, kind desk.Kind, name string) (func(), error) {
	var release func()
	var err error
	s.at(func() { release, err = s.Store.Lock(ctx, kind, name) })
	if err != nil {
		return nil, err
	}
	return func() { s.at(release) }, nil
}

func (s *mortal) Bell(ctx context.Context, id string, look func() bool) error {
	s.at(func() {})
	return s.Store.Bell(ctx, id, look)
}

// runMortal runs a role that is killed at a step. It returns what the role
// said, and whether it outlived the step.
func runMortal(t *testing.T, role, dir, what string, die int) (said []string, alive bool) {
	t.Helper()
	cmd := exec.CommandContext(deadline(t), os.Args[0], dir, what, strconv.Itoa(die))
	cmd.Env = append(os.Environ(), envRole+"="+role, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		said = append(said, lines.Text())
	}
	switch err := cmd.Wait(); {
	case err == nil:
		return said, true
	case cmd.ProcessState.ExitCode() != -1:
		t.Fatalf("%s at step %d ended by itself: %v", role, die, err)
	}
	return said, false
}

// Invariant: at whatever step an asker is killed, one that asks the
// same again finds the same record, pending or answered, unless the answer had
// reached it; the human is asked once. Nothing that the dead left stays for
// longer than the keep time, but for files that the store sweeps.
func TestAskerKilledAtEachStep(t *testing.T) {
	dir := storeDir(t)
	human := open(t, dir)
	ctx, stop := context.WithCancel(deadline(t))
	defer stop()
	events, err := human.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan desk.Record, 1000)
	go func() {
		defer close(asked)
		for ev := range events {
			if ev.Type != desk.Asked {
				continue
			}
			if _, err := human.Reply(ctx, ev.Record.ID, says("to "+ev.Record.Questions[0].Text), desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
				t.Error(err)
			}
			asked <- ev.Record
		}
	}()

	times := map[string]int{}
	step, alive := 1, false
	for ; !alive; step++ {
		question := fmt.Sprintf("Question %d?", step)
		var said []string
		if said, alive = runMortal(t, "asker", dir, question, step); len(said) == 0 {
			said, _ = runMortal(t, "asker", dir, question, 0)
		}
		if want := "answered to " + question; strings.Join(said, "\n") != want {
			t.Errorf("step %d: %q, want %q", step, said, want)
		}
	}
	if step < 20 {
		t.Errorf("an asker lives for %d steps: too few to be all", step)
	}
	// A last one, so that all have been heard of when it has.
	last := ask(t, human)
	for rec := range asked {
		if times[rec.Questions[0].Text]++; rec.ID == last.ID {
			stop()
		}
	}
	for question, n := range times {
		if n != 1 {
			t.Errorf("%s was asked %d times", question, n)
		}
	}
	if len(times) != step { // one per step, and the last
		t.Errorf("%d questions were asked in %d steps", len(times), step)
	}
	checkWhole(t, dir)
	must(after(t, dir, 25*time.Hour).Pending(t.Context())) // clears away what the dead have left
	nothingLeft(t, dir, "pending", "drafts", "showing", "bells")
	t.Logf("killed at %d steps", step-2)
}

// Invariant: at whatever step one is killed who types and answers,
// what it had been told is safe is there; what it had not, is there whole or
// not at all; the asker who waits has the answer, without asking again, as soon
// as there is one.
func TestAnswererKilledAtEachStep(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	step, alive := 1, false
	for ; !alive; step++ {
		rec, attendance := submit(t, d, desk.Request{Set: request(fmt.Sprint(step)).Set, Asker: asker})
		got := make(chan verdict, 1)
		go func() {
			rec, err := d.Wait(deadline(t), rec.ID)
			got <- verdict{winner: text(rec), err: err}
		}()
		var said []string
		said, alive = runMortal(t, "answerer", dir, rec.ID, step)
		now, err := d.Get(t.Context(), rec.ID)
		if err != nil {
			t.Fatal(err)
		}
		if len(said) >= 1 && now.State == desk.Pending {
			if r, _, err := d.Draft(t.Context(), rec.ID); err != nil || r.Answers[0].Custom != "ye" {
				t.Errorf("step %d: the draft is %+v, %v", step, r, err)
			}
		}
		want := "yes"
		switch {
		case len(said) == 2 && text(now) != want:
			t.Errorf("step %d: answered, and then %+v", step, now.Outcome)
		case now.State == desk.Pending: // another may answer
			want = "no"
			reply(t, d, rec.ID, want)
		}
		if v := <-got; v.err != nil || v.winner != want {
			t.Errorf("step %d: the asker got %q, %v; want %q", step, v.winner, v.err, want)
		}
		collected(t, d, rec, attendance)
	}
	if step < 6 {
		t.Errorf("an answerer lives for %d steps: too few to be all", step)
	}
	checkWhole(t, dir)
	nothingLeft(t, dir, "pending", "replies", "drafts", "showing", "bells", "askers")
	t.Logf("killed at %d steps", step-2)
}

// playAnswerer types, answers, and says each when it is done.
func playAnswerer(ctx context.Context, d *desk.Desk, id string) error {
	if err := d.SaveDraft(ctx, id, says("ye")); err != nil {
		return err
	}
	fmt.Println("typed")
	if _, err := d.Reply(ctx, id, says("yes"), desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
		return err
	}
	fmt.Println("answered")
	return nil
}

// A store that refuses a question leaves no trace of it: not in the count of
// rounds, not for one who asks the same.
func TestRefusedQuestionLeavesNoTrace(t *testing.T) {
	dir := storeDir(t)
	full := errors.New("no space left")
	failing := desk.New(&tampered{Store: openSpool(t, dir), refuse: func(kind desk.Kind) error {
		if kind == desk.KindPending {
			return full
		}
		return nil
	}}, desk.Options{})
	r := request("Which?")
	for range 3 {
		if _, attendance, err := failing.Submit(t.Context(), r); !errors.Is(err, full) || attendance != nil {
			t.Fatalf("%v, %v", attendance, err)
		}
	}
	d := open(t, dir)
	rec, attendance := submit(t, d, r)
	defer attendance.Release()
	if session := must(d.Session(t.Context(), r.Session)); rec.Round != 1 || len(session) != 1 {
		t.Errorf("round %d of %d", rec.Round, len(session))
	}
}

// Invariant: a question that was stored although its asker was told otherwise
// is not asked again.
func TestQuestionStoredAgainstAllAppearance(t *testing.T) {
	dir := storeDir(t)
	failure := errors.New("the last sync failed")
	s := openSpool(t, dir)
	failing := desk.New(&tampered{Store: s, doubt: func(kind desk.Kind) error {
		if kind == desk.KindPending {
			return failure
		}
		return nil
	}}, desk.Options{})
	if _, _, err := failing.Submit(t.Context(), request("Which?")); !errors.Is(err, failure) {
		t.Fatal(err)
	}
	d := open(t, dir)
	there := must(d.Pending(t.Context()))
	rec, attendance := submit(t, d, request("Which?"))
	defer attendance.Release()
	if len(there) != 1 || rec.ID != there[0].ID {
		t.Errorf("asked again: %s after %+v", rec.ID, there)
	}
}
