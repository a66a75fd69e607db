//go:build unix

package home_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/oklog/ulid/v2"

	"mcp-askuser/desk"
	"mcp-askuser/desk/home"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/desk/spool"
	"mcp-askuser/desk/storetest"
	"mcp-askuser/question"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// open is the store of a machine, with a directory of its own.
func open(t *testing.T, c *natstest.Cluster, kind, name string) *home.Store {
	t.Helper()
	return machine(t, c, t.TempDir(), kind, name)
}

func machine(t *testing.T, c *natstest.Cluster, dir, kind, name string) *home.Store {
	t.Helper()
	near, err := spool.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return join(t, near, c.Open(natstest.Account, kind, name))
}

// join is home.Join until the test ends.
func join(t *testing.T, near desk.Store, far home.Far) *home.Store {
	t.Helper()
	s := home.Join(near, far, nil)
	t.Cleanup(s.Close)
	return s
}

func TestStore(t *testing.T) {
	c := natstest.Start(t, 1)
	storetest.Run(t, func(t *testing.T) desk.Store {
		c.Empty(natstest.Account)
		return open(t, c, nodes.Human, "alice")
	})
}

func request(text string) desk.Request {
	return desk.Request{Session: "s", Asker: desk.Asker{Client: "test", Via: "mcp"}, Set: question.Set{Questions: []question.Question{{
		ID: "q1", Text: text, Type: question.SingleChoice, Required: true,
		Options: []question.Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}},
	}}}}
}

func says(option string) question.Reply {
	return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{option}}}}
}

func submit(t *testing.T, d *desk.Desk, text string) desk.Record {
	t.Helper()
	return ask(t, d, request(text))
}

// confirms asks for a yes or no.
func confirms(t *testing.T, d *desk.Desk, text string) desk.Record {
	t.Helper()
	r := request(text)
	r.Set.Questions[0].Type, r.Set.Questions[0].Options = question.Boolean, question.YesAndNo()
	return ask(t, d, r)
}

func ask(t *testing.T, d *desk.Desk, r desk.Request) desk.Record {
	t.Helper()
	rec, attendance, err := d.Submit(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(attendance.Release)
	return rec
}

// What is asked while the desk does not answer is asked on this machine, stays
// there when the desk is back, and is seen beside the rest.
func TestOneHome(t *testing.T) {
	c := natstest.Start(t, 1)
	d := desk.New(open(t, c, nodes.Human, "alice"), desk.Options{})
	first := submit(t, d, "There?")
	c.Kill(0)
	began := time.Now()
	second := submit(t, d, "Here?")
	if took := time.Since(began); took > 20*time.Second { // two seconds, on a machine that has time
		t.Errorf("it took %s", took)
	}
	if first.Home != "" || second.Home != home.Local {
		t.Errorf("the homes are %q and %q", first.Home, second.Home)
	}
	ids := func() (ids []string) {
		all, err := d.Pending(t.Context())
		if err != nil {
			t.Error(err)
		}
		for _, rec := range all {
			ids = append(ids, rec.ID)
		}
		return ids
	}
	if got := ids(); !slices.Equal(got, []string{second.ID}) && !slices.Equal(got, []string{first.ID, second.ID}) {
		t.Errorf("without the desk there is %v", got)
	}
	c.Restart(0)
	eventually(t, "both homes are seen", func() bool { return d.Reach(t.Context()) == nil && slices.Equal(ids(), []string{first.ID, second.ID}) })
	other := desk.New(open(t, c, nodes.Human, "bob"), desk.Options{})
	all, err := other.Pending(t.Context())
	if err != nil || len(all) != 1 || all[0].ID != first.ID {
		t.Errorf("another machine sees %d, %v", len(all), err)
	}
	for _, rec := range []desk.Record{first, second} {
		got, err := d.Reply(t.Context(), rec.ID, says("a"), desk.Evidence{Surface: "tty", How: desk.HowPage})
		if err != nil || got.State != desk.Answered {
			t.Errorf("%s: %s, %v", rec.ID, got.State, err)
		}
		if err := d.Archive(t.Context(), rec.ID); err != nil {
			t.Error(err)
		}
	}
	var past []string
	for rec, err := range d.History(t.Context(), desk.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		past = append(past, rec.ID)
	}
	if !slices.Equal(past, []string{second.ID, first.ID}) {
		t.Errorf("the past is %v", past)
	}
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	natstest.Await(t, func() error {
		if !is() {
			return errors.New("in vain: " + what)
		}
		return nil
	})
}

// An answer that cannot be sent is kept, says so, and is sent by whatever
// process of this machine comes next; its asker gets it.
func TestOutbox(t *testing.T) {
	c := natstest.Start(t, 1)
	asking := desk.New(open(t, c, nodes.Agent, "bot"), desk.Options{})
	rec := submit(t, asking, "Which?")
	dir := t.TempDir()
	d := desk.New(machine(t, c, dir, nodes.Human, "alice"), desk.Options{})
	if _, err := d.Get(t.Context(), rec.ID); err != nil {
		t.Fatal(err)
	}
	c.Kill(0)
	for _, option := range []string{"a", "b"} { // the second thought counts
		if _, err := d.Reply(t.Context(), rec.ID, says(option), desk.Evidence{Surface: "tty", How: desk.HowPage}); !errors.Is(err, desk.ErrUnsent) {
			t.Fatalf("without the desk: %v", err)
		}
	}
	got, err := d.Get(t.Context(), rec.ID)
	if err != nil || got.State != desk.Pending || !got.Unsent {
		t.Errorf("it is %s, unsent %v, %v", got.State, got.Unsent, err)
	}
	if given, _, err := d.Draft(t.Context(), rec.ID); err != nil || given.Answer("q1") == nil || given.Answer("q1").Selected[0] != "b" {
		t.Errorf("who looks again finds %+v, %v", given, err)
	}
	c.Restart(0)
	next := machine(t, c, dir, nodes.Human, "alice")
	go func() {
		for t.Context().Err() == nil {
			if _, err := next.Marks(t.Context(), desk.MarkContent, "x"); err == nil {
				return
			}
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ended, err := asking.Wait(ctx, rec.ID)
	if err != nil || ended.State != desk.Answered || ended.Reply().Answers[0].Selected[0] != "b" || ended.Outcome.Answerer.Name != "alice" {
		t.Errorf("the asker gets %+v, %v", ended.Outcome, err)
	}
	eventually(t, "the outbox is empty", func() bool {
		files, err := os.ReadDir(dir + "/outbox")
		return err == nil && len(files) == 0
	})
	if notices, err := next.Notices(ctx); err != nil || len(notices) > 0 {
		t.Errorf("told: %v, %v", notices, err)
	}
}

// cut is the shared desk, with a wire to it that can be cut.
type cut struct {
	home.Far
	off atomic.Bool
}

func (c *cut) wire() error {
	if c.off.Load() {
		return desk.ErrUnreachable
	}
	return nil
}

func (c *cut) Ping(ctx context.Context) error { return cmp.Or(c.wire(), c.Far.Ping(ctx)) }

func (c *cut) Decide(ctx context.Context, id string, role desk.Role, data []byte) error {
	if c.off.Load() {
		return desk.ErrUnreachable
	}
	return c.Far.Decide(ctx, id, role, data)
}

func (c *cut) Read(ctx context.Context, keys ...desk.Key) []desk.Document {
	if c.off.Load() {
		return slices.Repeat([]desk.Document{{Err: desk.ErrUnreachable}}, len(keys))
	}
	return c.Far.Read(ctx, keys...)
}

func (c *cut) Rules(ctx context.Context, id string) (desk.Rules, error) {
	if c.off.Load() {
		return desk.Rules{}, desk.ErrUnreachable
	}
	return c.Far.Rules(ctx, id)
}

// wired is the store of alice's machine, its wire, and its own home.
func wired(t *testing.T, c *natstest.Cluster) (*home.Store, *cut, *spool.Spool) {
	t.Helper()
	near, err := spool.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	far := &cut{Far: c.Open(natstest.Account, nodes.Human, "alice")}
	return join(t, near, far), far, near
}

// absent is a shared desk to which there is no way.
type absent struct {
	home.Far
	asked atomic.Bool
}

func (a *absent) MayAnswer(context.Context, string) error { return desk.ErrUnreachable }
func (a *absent) Ping(context.Context) error              { return desk.ErrUnreachable }

func (a *absent) Rules(context.Context, string) (desk.Rules, error) {
	return desk.Rules{}, desk.ErrUnreachable
}

func (a *absent) Marks(ctx context.Context, _ desk.Mark, _ string) ([]string, error) {
	a.asked.Store(true)
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// Where there is no way to the desk, nobody waits for it as long as for one that
// may answer yet; what is here is told.
func TestNoWay(t *testing.T) {
	near, err := spool.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	id := ulid.Make().String()
	if err := near.Mark(t.Context(), desk.MarkSessions, "s", id); err != nil {
		t.Fatal(err)
	}
	far := &absent{}
	got, err := join(t, near, far).Marks(t.Context(), desk.MarkSessions, "s")
	if err != nil || !slices.Equal(got, []string{id}) {
		t.Errorf("%v, %v", got, err)
	}
	if far.asked.Load() {
		t.Error("the desk was asked though there is no way to it")
	}
}

// What has been seen to have ended is not taken to be open when the desk cannot
// be reached, though its asker has not come for the answer yet.
func TestEndedStaysEnded(t *testing.T) {
	c := natstest.Start(t, 1)
	asking := desk.New(open(t, c, nodes.Agent, "bot"), desk.Options{})
	ended, waits := submit(t, asking, "Which?"), submit(t, asking, "And here?")
	mine, far, _ := wired(t, c)
	d := desk.New(mine, desk.Options{})
	if err := reply(t, d, ended.ID); err != nil {
		t.Fatal(err)
	}
	for _, rec := range []desk.Record{ended, waits} {
		if _, err := d.Get(t.Context(), rec.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Pending(t.Context()); err != nil {
		t.Fatal(err)
	}
	far.off.Store(true)
	if _, err := d.Get(t.Context(), ended.ID); !errors.Is(err, desk.ErrUnreachable) {
		t.Errorf("what has ended: %v", err)
	}
	all, err := d.Pending(t.Context())
	if err != nil || len(all) != 1 || all[0].ID != waits.ID {
		t.Errorf("without the desk there wait %v, %v", all, err)
	}
}

// An answer from the outbox that came too late is refused with the name of who
// was first, and nothing of it counts. Whoever watches on its machine hears of
// both: that it is not sent yet, and who was first, though the watch of the
// shared desk told that while nothing could be read.
func TestOutboxTooLate(t *testing.T) {
	c := natstest.Start(t, 1)
	asking := desk.New(open(t, c, nodes.Agent, "bot"), desk.Options{})
	rec := submit(t, asking, "Which?")
	mine, far, near := wired(t, c)
	d := desk.New(mine, desk.Options{})
	if _, err := d.Get(t.Context(), rec.ID); err != nil {
		t.Fatal(err)
	}
	events, err := d.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	told := func(what string, is func(desk.Event) bool) {
		t.Helper()
		for deadline := time.After(patience); ; {
			select {
			case ev := <-events:
				if is(ev) {
					return
				}
			case <-deadline:
				t.Fatal("not told: ", what)
			}
		}
	}
	far.off.Store(true)
	if _, err := d.Reply(t.Context(), rec.ID, says("a"), desk.Evidence{Surface: "tty", How: desk.HowPage}); !errors.Is(err, desk.ErrUnsent) {
		t.Fatalf("without the desk: %v", err)
	}
	told("it is not sent yet", func(ev desk.Event) bool { return ev.Type == desk.Touched && ev.Record.Unsent && ev.Record.Attended })
	bob := desk.New(open(t, c, nodes.Human, "bob"), desk.Options{})
	if _, err := bob.Reply(t.Context(), rec.ID, says("b"), desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	if err := asking.Archive(t.Context(), rec.ID); err != nil {
		t.Fatal(err)
	}
	far.off.Store(false)
	told("who was first", func(ev desk.Event) bool {
		later := ev.Record.Later
		return ev.Type == desk.Ended && ev.Record.Outcome.Answerer.Name == "bob" && later != nil && later.Reply.Answers[0].Selected[0] == "a"
	})
	n := notice(t, mine)
	if n.ID != rec.ID || n.First == nil || n.First.Answerer.Name != "bob" || n.First.Surface != "web" {
		t.Fatalf("she is told %+v", n)
	}
	if err := mine.Told(t.Context(), rec.ID); err != nil {
		t.Error(err)
	}
	if _, err := near.Get(t.Context(), "outbox", rec.ID); !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("once she was told: %v", err)
	}
	ended, err := d.Get(t.Context(), rec.ID)
	if closed, ok := errors.AsType[*desk.ClosedError](reply(t, d, rec.ID)); !ok || closed.Outcome.Answerer.Name != "bob" {
		t.Errorf("answering again: %v", closed)
	}
	if err != nil || ended.Reply().Answers[0].Selected[0] != "b" || ended.Unsent {
		t.Errorf("what counts is %+v, %v", ended.Outcome, err)
	}
}

// notice is the one that the user of a machine is to be told.
func notice(t *testing.T, s *home.Store) (n home.Notice) {
	t.Helper()
	eventually(t, "there is a notice", func() bool {
		all, err := s.Notices(t.Context())
		if err != nil || len(all) > 1 {
			t.Fatalf("notices: %+v, %v", all, err)
		}
		if len(all) == 1 {
			n = all[0]
		}
		return len(all) == 1
	})
	return n
}

// What a real server refuses does not keep back what it takes; and an answer that is
// sent long after the first was collected leaves nothing on it.
func TestOutboxOnAServer(t *testing.T) {
	c := natstest.Start(t, 1)
	asking := desk.New(open(t, c, nodes.Agent, "bot"), desk.Options{})
	good, stale, bad := submit(t, asking, "Good?"), submit(t, asking, "Stale?"), submit(t, asking, "Bad?")
	mine, far, near := wired(t, c)
	d := desk.New(mine, desk.Options{})
	for _, rec := range []desk.Record{good, stale, bad} {
		if _, err := d.Get(t.Context(), rec.ID); err != nil {
			t.Fatal(err)
		}
	}
	far.off.Store(true)
	for _, rec := range []desk.Record{good, stale, bad} {
		r := says("a")
		if rec.ID == bad.ID {
			r.Note = strings.Repeat("long ", 1000)
		}
		if _, err := d.Reply(t.Context(), rec.ID, r, desk.Evidence{Surface: "tty", How: desk.HowPage}); !errors.Is(err, desk.ErrUnsent) {
			t.Fatalf("without the desk: %v", err)
		}
	}
	bob := desk.New(open(t, c, nodes.Human, "bob"), desk.Options{})
	if _, err := bob.Reply(t.Context(), stale.ID, says("b"), desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	if err := asking.Archive(t.Context(), stale.ID); err != nil {
		t.Fatal(err)
	}
	operator := c.Connect(natstest.Account, nodes.Operator, "", make(chan error, 10))
	limits := nats.Streams(1)[0]
	limits.MaxMsgSize = 2000
	config, err := json.Marshal(limits)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := operator.Request("$JS.API.STREAM.UPDATE."+limits.Name, config, natstest.Patience); err != nil || strings.Contains(string(m.Data), `"error"`) {
		t.Fatalf("%v, %v", m, err)
	}
	// That the first was collected is said for a day, which is over now.
	place := "_R_.ask.end.bot." + stale.ID
	m := natsgo.NewMsg(place + ".collected.bot")
	m.Header.Set("Ask-Op", "del")
	m.Header.Set("Nats-TTL", "1s")
	if _, err := operator.RequestMsg(m, natstest.Patience); err != nil {
		t.Fatal(err)
	}
	ends := func() []string {
		info, err := operator.Request("$JS.API.STREAM.INFO.ASK", []byte(`{"subjects_filter":"`+place+`.>"}`), natstest.Patience)
		if err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`_R_[^"]*`+stale.ID+`[^">]*\w"`).FindAllString(string(info.Data), -1)
	}
	eventually(t, "the day is over", func() bool {
		return !slices.ContainsFunc(ends(), func(s string) bool { return strings.Contains(s, "collected") })
	})
	far.off.Store(false)
	if got, err := asking.Wait(t.Context(), good.ID); err != nil || got.State != desk.Answered {
		t.Errorf("behind what is refused: %s, %v", got.State, err)
	}
	var notices []home.Notice
	eventually(t, "both are told", func() bool {
		notices, err = mine.Notices(t.Context())
		return err != nil || len(notices) == 2
	})
	for _, n := range notices {
		switch {
		case n.ID == stale.ID && n.First != nil && n.First.Answerer.Name == "bob":
		case n.ID == bad.ID && strings.Contains(n.Reason, "message size exceeds"):
		default:
			t.Errorf("told %+v", n)
		}
	}
	for _, subject := range ends() {
		if strings.Contains(subject, "human.alice") {
			t.Errorf("left on the desk: %s", subject)
		}
	}
	eventually(t, "its entry is removed once it is sent", func() bool {
		_, err := near.Get(t.Context(), "outbox", good.ID)
		return errors.Is(err, desk.ErrNotFound)
	})
}

func reply(t *testing.T, d *desk.Desk, id string) error {
	_, err := d.Reply(t.Context(), id, says("a"), desk.Evidence{Surface: "tty", How: desk.HowPage})
	return err
}
