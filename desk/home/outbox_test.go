//go:build unix

package home_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/home"
	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/spool"
	"mcp-askuser/desk/storetest"
	"mcp-askuser/question"
)

// shared is a shared desk in this process, which can be out of reach, and refuse
// answers.
type shared struct {
	*storetest.Faulty

	mu     sync.Mutex
	refuse map[string]error // what Decide returns, by record
	tried  map[string]int   // calls of Decide
}

func newShared(t *testing.T) *shared {
	return &shared{Faulty: &storetest.Faulty{Store: newSpool(t, t.TempDir())}, refuse: map[string]error{}, tried: map[string]int{}}
}

func newSpool(t *testing.T, dir string) *spool.Spool {
	t.Helper()
	s, err := spool.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *shared) off() { s.FailAt(1, desk.ErrUnreachable, true) }
func (s *shared) on()  { s.FailAt(0, nil, false) }

func (s *shared) MayAnswer(context.Context, string) error { return nil }

func (s *shared) Place(_ context.Context, id, _ string) (string, error) { return id, nil }

func (s *shared) Ping(ctx context.Context) error {
	_, err := s.Locks(ctx, desk.KindPresent)
	return err
}

func (s *shared) Rules(ctx context.Context, _ string) (desk.Rules, error) {
	return desk.Rules{}, s.Ping(ctx)
}

func (s *shared) Keys(ctx context.Context, _ string, _ func(*proof.Keys) error) (map[string]proof.Keys, error) {
	return map[string]proof.Keys{}, s.Ping(ctx)
}

func (s *shared) Sign(context.Context, string, []byte) (key string, signature []byte, err error) {
	return "", nil, nil
}

func (s *shared) Decide(ctx context.Context, id string, role desk.Role, data []byte) error {
	s.mu.Lock()
	s.tried[id]++
	refused := s.refuse[id]
	s.mu.Unlock()
	if refused != nil {
		return refused
	}
	return s.Faulty.Decide(ctx, id, role, data)
}

func (s *shared) tries(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tried[id]
}

func (s *shared) refuses(id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse[id] = err
}

// pass lets time pass in a test whose clock is its own.
func pass(d time.Duration) { <-time.After(d) }

// bed is a machine and the desk that it shares.
type bed struct {
	t    *testing.T
	far  *shared
	near *storetest.Faulty
	dir  string
	s    *home.Store
	d    *desk.Desk
}

func newBed(t *testing.T) *bed {
	b := &bed{t: t, far: newShared(t), dir: t.TempDir()}
	b.near = &storetest.Faulty{Store: newSpool(t, b.dir)}
	b.open()
	return b
}

// open is the next process of the machine.
func (b *bed) open() {
	if b.s != nil {
		b.s.Close()
	}
	b.s = home.Join(b.near, b.far, nil)
	b.d = desk.New(b.s, desk.Options{})
}

// asked is a question on the shared desk, in view of the machine.
func (b *bed) asked(text string) desk.Record {
	b.t.Helper()
	rec, attendance, err := desk.New(b.far, desk.Options{}).Submit(b.t.Context(), request(text))
	if err == nil {
		attendance.Release()
		_, err = b.d.Get(b.t.Context(), rec.ID)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return rec
}

// answers gives an answer on the machine.
func (b *bed) answers(id, option string) error {
	_, err := b.d.Reply(b.t.Context(), id, says(option), desk.Evidence{Surface: "tty", How: desk.HowPage})
	return err
}

// queues gives an answer that cannot be sent.
func (b *bed) queues(id, option string) {
	b.t.Helper()
	if err := b.answers(id, option); !errors.Is(err, desk.ErrUnsent) {
		b.t.Fatalf("without the desk: %v", err)
	}
}

// outcome is what the shared desk has; empty while the question is open.
func (b *bed) outcome(id string) string {
	b.t.Helper()
	rec, err := desk.New(b.far, desk.Options{}).Get(b.t.Context(), id)
	switch {
	case err != nil:
		b.t.Fatal(err)
	case rec.Outcome == nil:
		return ""
	case rec.Reply() == nil:
		return string(rec.State)
	}
	return rec.Reply().Answers[0].Selected[0]
}

// entries are the ids in the outbox of the machine.
func (b *bed) entries() (ids []string) {
	for id, err := range b.near.List(b.t.Context(), "outbox", desk.Range{}) {
		if err != nil {
			b.t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// An answer that the desk refuses is set aside with its reason, told once, and
// offered again; those behind it are sent.
func TestOutboxRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		good, bad := b.asked("Good?"), b.asked("Bad?") // the newest is sent first
		b.far.off()
		b.queues(good.ID, "a")
		b.queues(bad.ID, "b")
		b.far.refuses(bad.ID, errors.New("message size exceeds maximum allowed"))
		b.far.on()
		pass(5 * time.Second)
		if got := b.outcome(good.ID); got != "a" {
			t.Errorf("the answer behind it: %q", got)
		}
		if n := b.far.tries(bad.ID); n > 2 {
			t.Errorf("it was tried %d times in five seconds", n)
		}
		n := notice(t, b.s)
		if n.ID != bad.ID || n.Reason != "store the reply: message size exceeds maximum allowed" || n.First != nil {
			t.Errorf("the user is told %+v", n)
		}
		for range 2 {
			if err := b.s.Told(t.Context(), bad.ID); err != nil {
				t.Error(err)
			}
		}
		b.open() // a notice is shown once; every process offers the answer
		if all, err := b.s.Notices(t.Context()); err != nil || len(all) > 0 {
			t.Errorf("told again: %+v, %v", all, err)
		}
		rec, err := b.d.Get(t.Context(), bad.ID)
		if err != nil || rec.Unsent || rec.State != desk.Pending {
			t.Errorf("the question is %s, unsent %v, %v", rec.State, rec.Unsent, err)
		}
		if draft, _, err := b.d.Draft(t.Context(), bad.ID); err != nil || draft.Answers[0].Selected[0] != "b" {
			t.Errorf("what is offered is %+v, %v", draft, err)
		}
		b.far.refuses(bad.ID, nil)
		if err := b.answers(bad.ID, "a"); err != nil || b.outcome(bad.ID) != "a" {
			t.Errorf("answered again: %v", err)
		}
		if ids := b.entries(); len(ids) > 0 {
			t.Errorf("the outbox has %v", ids)
		}
		b.s.Close()
	})
}

// An answer of which the desk says nothing definite is tried again with longer and
// longer pauses, and does not block others.
func TestOutboxBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		good, bad := b.asked("Good?"), b.asked("Bad?")
		b.far.off()
		b.queues(good.ID, "a")
		b.queues(bad.ID, "b")
		b.far.refuses(bad.ID, desk.ErrUncertain)
		b.far.on()
		pass(10 * time.Minute)
		if got := b.outcome(good.ID); got != "a" {
			t.Errorf("the answer behind it: %q", got)
		}
		if n := b.far.tries(bad.ID); n < 20 || n > 60 { // twice each time, see Desk.decide
			t.Errorf("it was tried %d times in ten minutes", n)
		}
		b.far.refuses(bad.ID, nil)
		pass(2 * time.Minute)
		if got := b.outcome(bad.ID); got != "b" {
			t.Errorf("in the end the desk has %q", got)
		}
		b.s.Close()
	})
}

// An answer that comes so late that the first one was collected long ago does not
// count and leaves nothing behind, and its user reads who answered first.
func TestOutboxStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		rec := b.asked("Which?")
		b.far.off()
		b.queues(rec.ID, "a")
		b.s.Close()
		b.far.on()
		others := desk.New(b.far, desk.Options{})
		if _, err := others.Reply(t.Context(), rec.ID, says("b"), desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
		if err := others.Archive(t.Context(), rec.ID); err != nil {
			t.Fatal(err)
		}
		pass(25 * time.Hour)
		b.open()
		if _, err := b.d.Pending(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := notice(t, b.s); n.ID != rec.ID || n.First == nil || n.First.Surface != "web" {
			t.Errorf("the user is told %+v", n)
		}
		if _, err := b.far.Get(t.Context(), desk.KindReplies, rec.ID); !errors.Is(err, desk.ErrNotFound) {
			t.Errorf("what is left on the desk: %v", err)
		}
		if got := b.outcome(rec.ID); got != "b" {
			t.Errorf("what counts is %q", got)
		}
		if err := b.s.Told(t.Context(), rec.ID); err != nil || len(b.entries()) > 0 {
			t.Errorf("once told, the outbox has %v, %v", b.entries(), err)
		}
		b.s.Close()
	})
}

// Invariant: at whatever step this machine's store fails, or the process dies, an
// answer that was kept, as its user was told, reaches the desk; a second thought
// that could not be kept leaves the first.
func TestOutboxLosesNothingHere(t *testing.T) {
	storetest.EachStep(t, func(t *testing.T, step int, dies bool) (met bool) {
		synctest.Test(t, func(t *testing.T) {
			b := newBed(t)
			rec := b.asked("Which?")
			b.far.off()
			b.queues(rec.ID, "a")
			b.near.FailAt(step, storetest.ErrFault, dies)
			kept := errors.Is(b.answers(rec.ID, "b"), desk.ErrUnsent)
			b.far.on()
			pass(2 * time.Minute)
			met = b.near.Met()
			b.near.FailAt(0, nil, false)
			b.open()
			if _, err := b.d.Pending(t.Context()); err != nil {
				t.Error(err)
			}
			pass(2 * time.Minute)
			if got := b.outcome(rec.ID); got != "b" && (kept || got != "a") {
				t.Errorf("step %d, dies %v: kept %v, and the desk has %q", step, dies, kept, got)
			}
			if ids := b.entries(); len(ids) > 0 {
				t.Errorf("step %d, dies %v: left in the outbox: %v", step, dies, ids)
			}
			b.s.Close()
		})
		return met
	})
}

// Invariant: at whatever step the desk fails, an answer counts once, and no user reads
// that it does not.
func TestOutboxLosesNothingThere(t *testing.T) {
	for _, fault := range []error{desk.ErrUncertain, desk.ErrUnreachable} {
		storetest.EachStep(t, func(t *testing.T, step int, dies bool) (met bool) {
			synctest.Test(t, func(t *testing.T) {
				b := newBed(t)
				rec := b.asked("Which?")
				b.far.off()
				b.queues(rec.ID, "a")
				b.far.FailAt(step, fault, dies)
				pass(5 * time.Second)
				met = b.far.Met()
				b.far.on()
				pass(2 * time.Minute)
				if got := b.outcome(rec.ID); got != "a" {
					t.Errorf("step %d, dies %v: the desk has %q", step, dies, got)
				}
				if all, err := b.s.Notices(t.Context()); err != nil || len(all) > 0 || len(b.entries()) > 0 {
					t.Errorf("step %d, dies %v: notices %+v, left %v, %v", step, dies, all, b.entries(), err)
				}
				b.s.Close()
			})
			return met
		})
	}
}

// A record on the shared desk is not taken for one of this machine because its
// directory cannot be read: an answer would be decided where no question is.
func TestUnreadableHome(t *testing.T) {
	b := newBed(t)
	t.Cleanup(b.s.Close)
	rec := b.asked("Which?")
	b.near.FailAt(1, storetest.ErrFault, true)
	if err := b.s.Decide(t.Context(), rec.ID, desk.RoleHuman, []byte("{}")); !errors.Is(err, storetest.ErrFault) {
		t.Errorf("an answer while the directory cannot be read: %v", err)
	}
	b.near.FailAt(0, nil, false)
	if _, err := b.near.Get(t.Context(), desk.KindReplies, rec.ID); !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("on this machine: %v", err)
	}
}

// A process that has reached the desk waits for an election before it asks on its
// own machine, once an outage; one that never has does not.
func TestQuestionWaitsForElection(t *testing.T) {
	for _, tc := range []struct {
		name          string
		reached       bool
		outage, least time.Duration
		most          time.Duration
		want          string
	}{
		{"an election", true, 8 * time.Second, 8 * time.Second, 12 * time.Second, ""},
		{"no desk any more", true, time.Hour, 12 * time.Second, 13 * time.Second, home.Local},
		{"never reached", false, time.Hour, 0, 3 * time.Second, home.Local},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBed(t)
				if tc.reached {
					b.asked("Before?")
				}
				b.far.off()
				defer time.AfterFunc(tc.outage, b.far.on).Stop()
				began := time.Now()
				rec := submit(t, b.d, "Which?")
				if took := time.Since(began); took < tc.least || took > tc.most || rec.Home != tc.want {
					t.Errorf("asked at %q after %s", rec.Home, took)
				}
				began = time.Now()
				if tc.want == home.Local {
					submit(t, b.d, "And?")
					if took := time.Since(began); took > time.Second {
						t.Errorf("the next one after %s", took)
					}
				}
				b.s.Close()
			})
		})
	}
}

// The same question, asked again during an election, is found: its user is not asked
// twice.
func TestFoundAfterElection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		first, attendance, err := b.d.Submit(t.Context(), request("Which?"))
		if err != nil {
			t.Fatal(err)
		}
		attendance.Release()
		b.far.off()
		time.AfterFunc(6*time.Second, b.far.on)
		if again := submit(t, b.d, "Which?"); again.ID != first.ID {
			t.Errorf("asked anew, as %s", again.ID)
		}
		b.s.Close()
	})
}

// belled is a shared desk that rings on command.
type belled struct {
	*shared
	rings chan bool
}

func (b belled) Bell(ctx context.Context, _ string, look func() bool) error {
	for !look() {
		select {
		case <-b.rings:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// A bell that rings while the desk cannot be read is heard when it can.
func TestBellWhileOutOfReach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := belled{newShared(t), make(chan bool)}
		s := home.Join(newSpool(t, t.TempDir()), far, nil)
		asking := desk.New(s, desk.Options{})
		rec := submit(t, asking, "Which?")
		far.off()
		time.AfterFunc(time.Second, func() {
			if err := reply(t, desk.New(far.Store, desk.Options{}), rec.ID); err != nil {
				t.Error(err)
			}
			far.rings <- true
		})
		time.AfterFunc(5*time.Second, far.on)
		began := time.Now()
		waiting := make(chan desk.Record)
		go func() {
			ended, err := asking.Wait(t.Context(), rec.ID)
			if err != nil {
				t.Error(err)
			}
			waiting <- ended
		}()
		if ended := <-waiting; ended.State != desk.Answered || time.Since(began) > 8*time.Second {
			t.Errorf("%s after %s", ended.State, time.Since(began))
		}
		s.Close()
	})
}

// archiveAway is a shared desk whose archive can be out of reach alone, as while its
// nodes choose a leader for it.
type archiveAway struct {
	belled
	away atomic.Bool
}

func (a *archiveAway) Read(ctx context.Context, keys ...desk.Key) []desk.Document {
	docs := a.shared.Read(ctx, keys...)
	for i, key := range keys {
		if a.away.Load() && key.Kind == desk.KindArchive {
			docs[i] = desk.Document{Err: desk.ErrUnreachable}
		}
	}
	return docs
}

// An answer that was stored while the archive is out of reach is queued until it is
// known that it counts, and the agent waits on for it.
func TestArchiveOutOfReach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := &archiveAway{belled: belled{newShared(t), make(chan bool)}}
		agent := home.Join(newSpool(t, t.TempDir()), far, nil)
		user := home.Join(newSpool(t, t.TempDir()), far, nil)
		asking, answering := desk.New(agent, desk.Options{}), desk.New(user, desk.Options{})
		rec := submit(t, asking, "Which?")
		if _, err := answering.Get(t.Context(), rec.ID); err != nil {
			t.Fatal(err)
		}
		far.away.Store(true)
		waiting := make(chan desk.Record, 1)
		go func() {
			ended, err := asking.Wait(t.Context(), rec.ID)
			if err != nil {
				t.Error(err)
			}
			waiting <- ended
		}()
		synctest.Wait() // until the agent listens for the bell
		if err := reply(t, answering, rec.ID); !errors.Is(err, desk.ErrUnsent) {
			t.Errorf("the user is told: %v", err)
		}
		far.rings <- true
		time.AfterFunc(5*time.Second, func() { far.away.Store(false) })
		if ended := <-waiting; ended.State != desk.Answered {
			t.Errorf("the agent has %s", ended.State)
		}
		eventually(t, "nothing is queued", func() bool { _, queued := user.LocalOutcome(rec.ID); return !queued })
		if all, err := user.Notices(t.Context()); err != nil || len(all) > 0 {
			t.Errorf("notices: %+v, %v", all, err)
		}
		agent.Close()
		user.Close()
	})
}

// The contract of a store holds over any two homes.
func TestStoreInMemory(t *testing.T) {
	storetest.Run(t, func(t *testing.T) desk.Store { return join(t, newSpool(t, t.TempDir()), newShared(t)) })
}

// Two processes of a machine that send the same answer at once are one answer.
func TestOutboxOfTwoProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		var ids []string
		for _, text := range []string{"One?", "Two?", "Three?"} {
			ids = append(ids, b.asked(text).ID)
		}
		b.far.off()
		for _, id := range ids {
			b.queues(id, "a")
		}
		other := home.Join(newSpool(t, b.dir), b.far, nil)
		if _, queued := other.LocalOutcome(ids[0]); !queued {
			t.Error("the other process does not know of the answer")
		}
		if _, err := other.Marks(t.Context(), desk.MarkContent, "x"); err != nil {
			t.Error(err)
		}
		b.far.on()
		pass(time.Minute)
		for _, id := range ids {
			if got := b.outcome(id); got != "a" {
				t.Errorf("%s has %q", id, got)
			}
		}
		if all, err := b.s.Notices(t.Context()); err != nil || len(all) > 0 || len(b.entries()) > 0 {
			t.Errorf("notices %+v, left %v, %v", all, b.entries(), err)
		}
		other.Close()
		b.s.Close()
	})
}

// slowFar is a shared desk on which a decision takes as long as its test wants.
type slowFar struct {
	*shared
	deciding, decide chan bool
}

func (s slowFar) Decide(ctx context.Context, id string, role desk.Role, data []byte) error {
	s.deciding <- true
	<-s.decide
	return s.shared.Decide(ctx, id, role, data)
}

// A second answer that is given while the first is being sent is not removed with
// it: its user reads that the first answer counts.
func TestOutboxReplacedWhileSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		rec := b.asked("Which?")
		b.far.off()
		b.queues(rec.ID, "a")
		b.s.Close()
		far := slowFar{b.far, make(chan bool), make(chan bool)}
		s := home.Join(b.near, far, nil)
		b.far.on()
		if _, err := desk.New(s, desk.Options{}).Pending(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-far.deciding
		b.far.refuses(rec.ID, desk.ErrUncertain)
		b.open() // another process, which sends nothing
		if _, err := b.d.Get(t.Context(), rec.ID); err != nil {
			t.Fatal(err)
		}
		b.queues(rec.ID, "b")
		b.s.Close()
		b.far.refuses(rec.ID, nil)
		far.decide <- true
		go func() {
			for range far.deciding {
				far.decide <- true
			}
		}()
		n := notice(t, s)
		if got := b.outcome(rec.ID); got != "a" || n.First == nil || n.First.Reply.Answers[0].Selected[0] != "a" {
			t.Errorf("the desk has %q, and the user is told %+v", got, n)
		}
		s.Close()
		close(far.deciding)
	})
}

// The desk goes out of reach between attaching a file and sending the answer: the answer
// arrives with it. What is attached meanwhile is refused, and the answer so far stays.
func TestOutboxKeepsFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		defer func() { b.s.Close() }()
		rec := b.asked("Which?")
		f, err := b.d.AttachFile(t.Context(), rec.ID, "log.txt", strings.NewReader("a log\n"))
		if err != nil {
			t.Fatal(err)
		}
		b.far.off()
		if _, err := b.d.AttachFile(t.Context(), rec.ID, "other.txt", strings.NewReader("other\n")); !errors.Is(err, desk.ErrUnreachable) {
			t.Errorf("without the desk a file is attached: %v", err)
		}
		reply := says("a")
		reply.Answers[0].Files = []question.File{f}
		if _, err := b.d.Reply(t.Context(), rec.ID, reply, desk.Evidence{Surface: "tty", How: desk.HowPage}); !errors.Is(err, desk.ErrUnsent) {
			t.Fatalf("without the desk: %v", err)
		}
		b.open() // the process ends in between
		if given, _, err := b.d.Draft(t.Context(), rec.ID); err != nil || len(given.Files()) != 1 {
			t.Errorf("the kept answer has the files %v, %v", given.Files(), err)
		}
		b.far.on()
		if _, err := b.d.Pending(t.Context()); err != nil {
			t.Error(err)
		}
		pass(2 * time.Minute)
		asking := desk.New(b.far, desk.Options{})
		got, err := asking.Get(t.Context(), rec.ID)
		if err != nil || got.Reply() == nil || len(got.Reply().Files()) != 1 || got.Reply().Files()[0] != f {
			t.Fatalf("the desk has %+v, %v", got.Outcome, err)
		}
		if _, data, err := asking.File(t.Context(), rec.ID, f.Key()); err != nil || string(data) != "a log\n" {
			t.Errorf("its file is %q, %v", data, err)
		}
	})
}
