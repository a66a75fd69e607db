//go:build unix

package nats_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/desk/storetest"
	"mcp-askuser/question"
)

// asks puts a question on the desk that nobody waits for.
func asks(t *testing.T, d *desk.Desk, r desk.Request) desk.Record {
	t.Helper()
	rec, attendance, err := d.Submit(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	attendance.Release()
	return rec
}

// stored is the sequence of the last message of each stream.
func stored(t *testing.T, operator *natsgo.Conn) (all [2]uint64) {
	t.Helper()
	for i, name := range []string{nats.StreamDesk, nats.StreamPast} {
		var info natsgo.StreamInfo
		m, err := operator.Request("$JS.API.STREAM.INFO."+name, nil, natstest.Patience)
		if err != nil || json.Unmarshal(m.Data, &info) != nil {
			t.Fatal(err)
		}
		all[i] = info.State.LastSeq
	}
	return all
}

// Whatever is not a credential's own the server refuses itself: the credentials
// are used without our program. Nothing of it is stored.
func TestTheServerRefuses(t *testing.T) {
	c := natstest.Start(t, 1)
	bot := desk.New(c.Open(natstest.Account, nodes.Agent, "bot"), desk.Options{})
	id := asks(t, bot, request("Which?")).ID
	says := make(chan error, 100)
	operator := c.Connect(natstest.Account, nodes.Operator, "", says)
	evil := c.Connect(natstest.Account, nodes.Agent, "other", says)
	alice := c.Connect(natstest.Account, nodes.Human, "alice", says)
	before := stored(t, operator)

	// An agent writes nothing of another's, and nothing in its own name among
	// what is another's, nor in the name of a human or of another.
	var subjects []string
	for _, kind := range []string{"pending", "askers", "present", "showing", "drafts"} {
		for _, tail := range []string{"bot." + id + ".bot", "bot." + id + ".other", "other." + id + ".bot", "other." + id + ".human-alice"} {
			subjects = append(subjects, "_R_.ask."+kind+"."+tail)
		}
	}
	for _, mark := range []string{"content", "sessions", "lifted", "reopened", "answered"} {
		subjects = append(subjects, "_R_.ask.mark.bot."+mark+".x.bot", "_R_.ask.mark.bot."+mark+".x.other", "_R_.ask.mark.other."+mark+".x.bot")
	}
	for _, end := range []string{
		"bot." + id + ".asker.bot", "bot." + id + ".asker.other", "bot." + id + ".human.other", "bot." + id + ".human.alice", "bot." + id + ".collected.bot",
		"bot." + id + ".collected.other", "other." + id + ".human.other", "other." + id + ".human.alice", "other." + id + ".asker.bot",
	} {
		subjects = append(subjects, "_R_.ask.end."+end)
	}
	month := desk.MonthOf(id)
	subjects = append(subjects,
		"_R_.ask.drafts.other."+id+".other", "_R_.ask.mark.other.lifted.x.other", "_R_.ask.sync.other.x.other",
		"_R_.past.docs.bot."+month+"."+id+".bot", "_R_.past.docs.bot."+month+"."+id+".other", "_R_.past.docs.other."+month+"."+id+".bot", "_R_.past.months.bot."+month+".bot",
		"said.bot."+id+".alice", "rang.bot."+id+".human.alice", "_INBOX.bot.x", "_INBOX.human-alice.x", "_INBOX.x", "who.x",
		"ask.pending."+id, "ask.end."+id+".asker.other", "past.docs."+month+"."+id,
		"_R_.ask.keys.-.rules.-", "_R_.ask.keys.-.rules.other", "_R_.ask.keys.other.rules.other",
		"_R_.ask.keys.other.trusted.other", "_R_.ask.keys.human-alice.trusted.human-alice", "_R_.ask.keys.human-alice.trusted.other",
		"_R_.file.part.bot.x.png.0."+id+".bot", "_R_.file.part.bot.x.png.0."+id+".other", "_R_.file.part.other.x.png.0."+id+".bot", "_R_.file.part.other.x.png.0."+id+".human-alice",
		"$KV.x.y", "$SYS.REQ.SERVER.PING.VARZ", "$SYS.REQ.ACCOUNT.PING.CONNZ", "$JS.ACK.ASK.x.1.1.1.1.1", "$JS.FC.ASK.x",
	)
	for _, call := range []string{
		"STREAM.CREATE.MINE", "STREAM.UPDATE.ASK", "STREAM.DELETE.ASK", "STREAM.PURGE.ASK", "STREAM.MSG.DELETE.ASK", "STREAM.DELETE.ASK_SAID", "STREAM.MSG.DELETE.ASK_PAST",
		"STREAM.SNAPSHOT.ASK", "STREAM.RESTORE.ASK", "STREAM.LEADER.STEPDOWN.ASK", "STREAM.PEER.REMOVE.ASK", "STREAM.LIST", "STREAM.NAMES", "INFO",
		"CONSUMER.CREATE.ASK", "CONSUMER.CREATE.ASK.x", "CONSUMER.DURABLE.CREATE.ASK.x", "CONSUMER.MSG.NEXT.ASK.x", "CONSUMER.DELETE.ASK.x", "CONSUMER.LIST.ASK", "CONSUMER.NAMES.ASK",
		"DIRECT.GET.ASK", "DIRECT.GET.ASK._R_.ask.pending.bot." + id + ".bot",
	} {
		subjects = append(subjects, "$JS.API."+call)
	}
	for _, subject := range subjects {
		refusedBy(t, says, evil.Publish(subject, []byte("x")), subject)
	}
	for _, subject := range []string{
		"_R_.ask.keys.-.rules.-", "_R_.ask.keys.-.rules.human-alice", "_R_.ask.keys.human-alice.rules.human-alice",
		"_R_.ask.keys.human-bob.trusted.human-bob", "_R_.ask.keys.human-bob.trusted.human-alice", "_R_.ask.keys.human-bob.trusted.-",
		"_R_.ask.end.bot." + id + ".human.bob", "_R_.ask.end.bot." + id + ".asker.bot", "_R_.ask.end.bot." + id + ".asker.human-alice", "_R_.ask.pending.bot." + id + ".bot", "_R_.ask.drafts.bot." + id + ".human-bob",
		"_R_.past.docs.bot." + month + "." + id + ".bot", "_R_.file.part.bot.x.png.0." + id + ".bot", "_R_.file.part.bot.x.png.0." + id + ".human-bob", "said.bot." + id + ".bob", "$JS.API.STREAM.DELETE.ASK_SAID", "$JS.API.STREAM.PURGE.ASK", "$JS.API.CONSUMER.CREATE.ASK_SAID.x",
	} {
		refusedBy(t, says, alice.Publish(subject, []byte("x")), subject)
	}
	// It hears nothing of another's: what is sent there, and who answers for what.
	for _, subject := range []string{"_R_.ask.>", "_R_.ask.pending.*.*.*", "$JS.>", ">", "_INBOX.>", "_INBOX.bot.>", "_INBOX.*.x", "alive.bot.*", "alive.*.*", "back.bot.>", "back.>"} {
		if _, err := evil.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		refusedBy(t, says, evil.Flush(), subject)
	}
	// The server writes nothing for it where it must not write: no answer of its
	// own, to a call, a document or a listing; nor what another client answers.
	for _, place := range []string{
		"_R_.ask.pending.bot." + id + ".bot", "_R_.ask.end.bot." + id + ".human.alice", "_R_.ask.end.bot." + id + ".asker.bot", "_R_.ask.askers.bot." + id + ".bot",
		"_R_.ask.mark.bot.content.x.bot", "_R_.past.docs.bot." + month + "." + id + ".bot",
	} {
		for _, to := range []string{"$JS.API.STREAM.MSG.GET.ASK", "$JS.API.STREAM.INFO.ASK", "$SYS.REQ.USER.INFO", "$SYS.REQ.ACCOUNT.PING.STATZ", "_R_.ask.mark.other.content.x.other", "alive.bot.x", "alive.other.x", "back.other.x"} {
			refusedBy(t, says, evil.PublishRequest(to, place, []byte(`{"last_by_subj":"x"}`)), place)
		}
	}
	// Nor does an answer of the server, sent to where requests about streams go, change
	// one: it is none that the agent could have made.
	made := func() string {
		var all []string
		for _, stream := range nats.Streams(1) {
			m, err := operator.Request("$JS.API.STREAM.INFO."+stream.Name, nil, natstest.Patience)
			var info natsgo.StreamInfo
			if err != nil || json.Unmarshal(m.Data, &info) != nil {
				t.Fatal(err)
			}
			config, err := json.Marshal(info.Config)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprint(string(config), info.Created, info.State.FirstSeq, info.State.NumDeleted))
		}
		return strings.Join(all, "\n")
	}
	unchanged := made()
	for _, call := range []string{"STREAM.DELETE.ASK_SAID", "STREAM.UPDATE.ASK", "STREAM.PURGE.ASK", "STREAM.MSG.DELETE.ASK_PAST", "STREAM.CREATE.MINE", "CONSUMER.CREATE.ASK.x"} {
		for to, body := range map[string]string{"$JS.API.STREAM.MSG.GET.ASK": `{"seq":1}`, "$JS.API.STREAM.INFO.ASK": "", "$SYS.REQ.USER.INFO": ""} {
			if err := errors.Join(evil.PublishRequest(to, "$JS.API."+call, []byte(body)), evil.Flush()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if now := made(); now != unchanged {
		t.Errorf("the streams are\n%s\nbefore\n%s", now, unchanged)
	}
	// Nor may it answer where the sender says.
	mine, err := evil.SubscribeSync("alive.other.x")
	if err != nil {
		t.Fatal(err)
	}
	if err := evil.PublishRequest("alive.other.x", "_INBOX.bot.x", nil); err != nil {
		t.Fatal(err)
	}
	if m, err := mine.NextMsg(natstest.Patience); err != nil {
		t.Error(err)
	} else {
		refusedBy(t, says, m.Respond([]byte("x")), "_INBOX.bot.x")
	}
	if now := stored(t, operator); now != before {
		t.Errorf("something was stored: %v, before %v", now, before)
	}

	// On its own subject an agent has no header that reaches beyond it.
	for header, value := range map[string]string{
		"Nats-Rollup": "all", "Nats-Schedule": "@at 2020-01-01T00:00:00Z", "Nats-Incr": "+1", "Nats-Batch-Id": "x", "Nats-Trace-Dest": "_R_.ask.pending.bot." + id + ".bot",
	} {
		m := natsgo.NewMsg("_R_.ask.mark.other.content.h.other")
		m.Header.Set(header, value)
		m.Header.Set("Nats-Schedule-Target", "_R_.ask.pending.bot."+id+".bot")
		m.Header.Set("Nats-Batch-Sequence", "1")
		if header == "Nats-Trace-Dest" {
			refusedBy(t, says, errors.Join(evil.PublishMsg(m), evil.Flush()), value)
			continue
		}
		ack, err := evil.RequestMsg(m, natstest.Patience)
		if err != nil || !strings.Contains(string(ack.Data), `"error"`) {
			t.Errorf("%s: %v, %v", header, ack, err)
		}
	}
	if m, err := operator.Request("$JS.API.STREAM.MSG.GET.ASK", []byte(`{"last_by_subj":"_R_.ask.pending.bot.`+id+`.*"}`), natstest.Patience); err != nil || !strings.Contains(string(m.Data), `"subject":"_R_.ask.pending.bot.`+id+`.bot"`) {
		t.Errorf("the question is %v, %v", m, err)
	}

	// In our program the refusal reads as what it is.
	other := c.Open(natstest.Account, nodes.Agent, "other")
	for what, err := range map[string]error{
		"answers":   other.Decide(t.Context(), id, desk.RoleHuman, []byte("x")),
		"withdraws": other.Decide(t.Context(), id, desk.RoleAsker, []byte("x")),
		"removes":   other.Delete(t.Context(), desk.KindPending, id),
		"archives":  other.Create(t.Context(), desk.KindArchive, id, []byte("x")),
		"marks":     other.Mark(t.Context(), desk.MarkContent, "x", id),
		"attends":   second(other.Lock(t.Context(), desk.KindAskers, id)),
		"shows":     other.Put(t.Context(), desk.KindShowing, id, []byte("x")),
		"watches":   second(other.Watch(t.Context())),
	} {
		if !errors.Is(err, desk.ErrDenied) {
			t.Errorf("another agent %s: %v", what, err)
		}
	}
	own := c.Open(natstest.Account, nodes.Agent, "bot")
	if err := own.Decide(t.Context(), id, desk.RoleHuman, []byte("x")); !errors.Is(err, desk.ErrDenied) {
		t.Errorf("an agent answers: %v", err)
	}
	if err := own.Decide(t.Context(), id, desk.RoleAsker, []byte("withdrawn")); err != nil {
		t.Errorf("an agent withdraws: %v", err)
	}
	// Another account sees nothing.
	elsewhere := c.Open(natstest.Another, nodes.Human, "alice")
	if _, err := elsewhere.Get(t.Context(), desk.KindPending, id); !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("another account reads: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func refusedBy(t *testing.T, says <-chan error, sent error, subject string) {
	t.Helper()
	if sent != nil {
		t.Fatal(sent)
	}
	select {
	case err := <-says:
		if !strings.Contains(strings.ToLower(err.Error()), "permissions violation") || !strings.Contains(err.Error(), subject) {
			t.Errorf("%s: the server says %v", subject, err)
		}
	case <-time.After(5 * time.Second):
		t.Errorf("%s: the server says nothing", subject)
	}
}

// A client of ours answers for its locks where holders are answered, and nowhere
// else: else another would have it write what only it may write.
func TestHoldersAnswerNowhereElse(t *testing.T) {
	c := natstest.Start(t, 1)
	bot := c.Open(natstest.Account, nodes.Agent, "bot")
	id := storetest.Own(t, bot, storetest.ID(2026, 11, 1))
	if err := bot.Create(t.Context(), desk.KindPending, id, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	release, err := bot.Lock(t.Context(), desk.KindAskers, id)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	operator := c.Connect(natstest.Account, nodes.Operator, "", make(chan error, 10))
	var answer struct {
		Message struct{ Data []byte }
	}
	m, err := operator.Request("$JS.API.STREAM.MSG.GET.ASK", []byte(`{"last_by_subj":"_R_.ask.askers.bot.`+id+`.bot"}`), natstest.Patience)
	if err != nil || json.Unmarshal(m.Data, &answer) != nil {
		t.Fatal(err)
	}
	holder, word, _ := strings.Cut(string(answer.Message.Data), ".")
	back, err := operator.SubscribeSync(">")
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"rang.x", "back.human-alice.x"} {
		if err := operator.PublishRequest("alive.bot."+holder, to, []byte(word)); err != nil {
			t.Fatal(err)
		}
	}
	for { // in order: what was asked first would have been answered first
		m, err := back.NextMsg(natstest.Patience)
		if err != nil {
			t.Fatal(err)
		}
		if m.Subject == "rang.x" {
			t.Error("it answers where it must not")
		}
		if m.Subject == "back.human-alice.x" {
			return
		}
	}
}

// forger has documents put in place with the operator's credential, which may do
// everything.
type forger struct {
	t  *testing.T
	nc *natsgo.Conn
}

func (f forger) put(subject string, value any) {
	f.t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		f.t.Fatal(err)
	}
	m := natsgo.NewMsg(subject)
	m.Header.Set("Ask-Op", "put")
	m.Data = data
	ack, err := f.nc.RequestMsg(m, natstest.Patience)
	if err != nil || !strings.Contains(string(ack.Data), `"seq"`) {
		f.t.Fatalf("%s is not stored: %v", subject, err)
	}
}

// forged is an outcome that looks like a human's.
func forged(rec *desk.Record) desk.Outcome {
	r := says("a")
	r.Answers[0].By = question.ByUser
	return desk.Outcome{ID: "01M6GA60M060R30C1G60R30C1H", Status: desk.Answered, Reply: &r, Surface: "web", At: time.Now(), Asked: rec.Statement(), Answerer: &desk.Answerer{Kind: desk.UserAnswerer, How: desk.HowPage, Name: "alice", PID: 1}}
}

// rig is a desk with an agent that asks, a human who answers, one who looks, and
// a forger.
type rig struct {
	*natstest.Cluster
	forger
	asking, alice, bob *desk.Desk
	mu                 sync.Mutex
	log                bytes.Buffer
}

func (r *rig) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log.Write(p)
}

// logged reports whether the agent's log has a text.
func (r *rig) logged(text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Contains(r.log.String(), text)
}

func newRig(t *testing.T) *rig { return newRigOn(t, 1) }

func newRigOn(t *testing.T, n int) *rig {
	c := natstest.Start(t, n)
	r := &rig{Cluster: c, forger: forger{t, c.Connect(natstest.Account, nodes.Operator, "", make(chan error, 10))}}
	log := slog.New(slog.NewTextHandler(r, &slog.HandlerOptions{Level: slog.LevelWarn}))
	o := c.Options(natstest.Account, nodes.Agent, "bot")
	o.Log = log
	s, err := nats.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	r.asking = desk.New(s, desk.Options{Log: log})
	r.alice = desk.New(c.Open(natstest.Account, nodes.Human, "alice"), desk.Options{})
	r.bob = desk.New(c.Open(natstest.Account, nodes.Human, "bob"), desk.Options{})
	return r
}

// ends waits as the asker.
func (r *rig) ends(t *testing.T, d *desk.Desk, id string) desk.Record {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), natstest.Patience)
	defer cancel()
	rec, err := d.Wait(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// What is put under a foreign name counts for nothing: neither an end nor an
// entry of the archive, a question under the id of another, or a mark; and the log
// says so.
func TestForeignNamesAreIgnored(t *testing.T) {
	r := newRig(t)
	rec := asks(t, r.asking, request("Which?"))
	o := forged(&rec)
	archived := rec
	archived.State, archived.Outcome = o.Status, &o
	other := rec
	other.Questions = []question.Question{rec.Questions[0]}
	other.Questions[0].Text = "Another?"
	month := desk.MonthOf(rec.ID)
	foreign := map[string]any{
		"_R_.ask.end.bot." + rec.ID + ".asker.other":                    o,
		"_R_.ask.end.other." + rec.ID + ".human.alice":                  o,
		"_R_.ask.end.bot." + rec.ID + ".human.-":                        o,
		"_R_.past.docs.other." + month + "." + rec.ID + ".other":        archived,
		"_R_.past.docs.bot." + month + "." + rec.ID + ".other":          archived,
		"_R_.ask.pending.other." + rec.ID + ".other":                    other,
		"_R_.ask.pending.bot." + rec.ID + ".other":                      other,
		"_R_.ask.mark.bot.lifted." + nuid.Next() + ".bot":               rec.ID,
		"_R_.ask.askers.other." + rec.ID + ".other":                     "x.y",
		"_R_.ask.drafts.bot." + rec.ID + ".other":                       map[string]any{},
		"_R_.ask.showing.bot." + rec.ID + ".other":                      []desk.Showing{{Surface: "web"}},
		"_R_.ask.mark.other.content." + rec.Content + ".other":          rec.ID,
		"_R_.ask.mark.other.sessions." + strings.Repeat("0", 32) + ".x": rec.ID,
	}
	for subject, value := range foreign {
		r.put(subject, value)
	}
	for name, d := range map[string]*desk.Desk{"asker": r.asking, "alice": r.alice} {
		got, err := d.Get(t.Context(), rec.ID)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got.State != desk.Pending || got.Questions[0].Text != "Which?" || got.Attended || len(got.ShownOn) > 0 {
			t.Errorf("%s: %s %+v", name, got.State, got)
		}
		all, err := d.Pending(t.Context())
		if err != nil || len(all) != 1 {
			t.Errorf("%s: open are %v, %v", name, all, err)
		}
	}
	if !r.logged("_R_.ask.pending.bot."+rec.ID+".other") || !r.logged("foreign name") {
		t.Error("the log says nothing of it")
	}
	if _, err := r.alice.Reply(t.Context(), rec.ID, says("b"), desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
		t.Errorf("the human: %v", err)
	}
	if got := r.ends(t, r.asking, rec.ID); got.State != desk.Answered || got.Outcome.Answerer.Name != "alice" || got.Reply().Answers[0].Selected[0] != "b" {
		t.Errorf("the asker gets %+v", got.Outcome)
	}
	if r.logged("cleaning up") {
		t.Error("an agent that collects its answer is told of what it may not clean up")
	}
	// One who is late finds the place taken though the outcome was collected.
	if _, err := r.bob.Reply(t.Context(), rec.ID, says("a"), desk.Evidence{Surface: "web", How: desk.HowPage}); !errors.As(err, new(*desk.ClosedError)) {
		t.Errorf("one who is late: %v", err)
	}
	// When all of it has gone, what is under foreign names does not come up.
	if err := r.asking.Archive(t.Context(), rec.ID); err != nil {
		t.Fatal(err)
	}
	for past, err := range r.bob.History(t.Context(), desk.Query{}) {
		if err != nil || past.ID != rec.ID || past.Questions[0].Text != "Which?" || past.State != desk.Answered || past.Outcome.Answerer.Name != "alice" {
			t.Errorf("the past: %+v, %v", past, err)
		}
	}
	if all, err := r.alice.Pending(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("open are %v, %v", all, err)
	}
}

// An end in the role of the asker is its word and not the user's, whatever it
// says: a permission is not granted, and an ordinary question has failed.
func TestAskersWordIsNoAnswer(t *testing.T) {
	r := newRig(t)
	for name, change := range map[string]func(*desk.Outcome){
		"as the user":       func(*desk.Outcome) {},
		"as the timeout":    func(o *desk.Outcome) { o.Reply.Answers[0].By = question.ByTimeout },
		"as the caller":     func(o *desk.Outcome) { o.Reply.Answers[0].By = question.ByCaller },
		"as a program":      func(o *desk.Outcome) { o.Reply.Answers[0].By = question.ByProgram },
		"still to be heard": func(o *desk.Outcome) { o.Unsettled = true },
	} {
		t.Run(name, func(t *testing.T) {
			rec := asks(t, r.asking, request(name))
			o := forged(&rec)
			change(&o)
			r.put("_R_.ask.end.bot."+rec.ID+".asker.bot", o)
			for _, d := range []*desk.Desk{r.asking, r.alice} {
				if got := r.ends(t, d, rec.ID); got.State != desk.Failed || got.Reply() != nil {
					t.Errorf("it is %s: %+v", got.State, got.Outcome)
				}
			}
		})
	}
	mirrored := request("May I?")
	mirrored.Asker.Via = desk.ViaPermission
	rec, attendance, err := r.asking.Mirror(t.Context(), mirrored)
	if err != nil {
		t.Fatal(err)
	}
	defer attendance.Release()
	o := forged(&rec)
	o.Unsettled = true
	r.put("_R_.ask.end.bot."+rec.ID+".asker.bot", o)
	if got := r.ends(t, r.asking, rec.ID); got.Reply() != nil && got.Outcome.Unsettled || got.Outcome.Answerer != nil && got.Outcome.Answerer.Name != "" {
		t.Errorf("what the host said of itself reads as the user's: %+v", got.Outcome)
	}
}

// The declared default after a timeout is taken from the asker where it was
// wanted, and nothing else under that name.
func TestDefaultsAfterATimeout(t *testing.T) {
	r := newRig(t)
	for _, tc := range []struct {
		name, wanted, taken string
		want                desk.Status
	}{{"wanted", "default", "b", desk.Answered}, {"another", "default", "a", desk.Failed}, {"not wanted", "", "b", desk.Failed}} {
		req := request(tc.name)
		req.OnTimeout, req.Set.Questions[0].Options[1].Default = tc.wanted, true
		rec := asks(t, r.asking, req)
		reply := says(tc.taken)
		reply.Answers[0].By = question.ByTimeout
		o := forged(&rec)
		o.Reply, o.Answerer = &reply, &desk.Answerer{Kind: desk.AskerAnswerer, How: desk.HowTimeout}
		r.put("_R_.ask.end.bot."+rec.ID+".asker.bot", o)
		if got := r.ends(t, r.asking, rec.ID); got.State != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got.State, tc.want)
		}
		if err := r.asking.Archive(t.Context(), rec.ID); err != nil {
			t.Fatal(err)
		}
		if got, err := r.bob.Get(t.Context(), rec.ID); err != nil || got.State != tc.want {
			t.Errorf("%s, archived: %s, want %s, %v", tc.name, got.State, tc.want, err)
		}
	}
}

// A question that reads otherwise than it was asked is not delivered: not with
// another text or other options, before or after it was answered, not to one who
// waits, comes back or asks again.
func TestSwappedQuestionIsNotDelivered(t *testing.T) {
	r := newRig(t)
	swap := func(rec desk.Record, text string) {
		rec.Attended = false
		rec.Questions = []question.Question{rec.Questions[0]}
		rec.Questions[0].Text = text
		r.put("_R_.ask.pending.bot."+rec.ID+".bot", rec)
	}
	failed := func(t *testing.T, what string, got desk.Record) {
		t.Helper()
		if got.State != desk.Failed || got.Reply() != nil {
			t.Errorf("%s: %s %+v", what, got.State, got.Outcome)
		}
	}
	answer := func(t *testing.T, id string) {
		t.Helper()
		if _, err := r.alice.Reply(t.Context(), id, says("a"), desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("before the human sees it", func(t *testing.T) {
		rec := asks(t, r.asking, request("Run tests?"))
		swap(rec, "Delete prod?")
		answer(t, rec.ID)
		failed(t, "waiting", r.ends(t, r.asking, rec.ID))
		if !r.logged("the question in the store is not the one that was asked") {
			t.Error("the log says nothing of it")
		}
		again := asks(t, r.asking, request("Run tests?"))
		if again.ID == rec.ID {
			t.Errorf("asked again it gets %s", again.State)
		}
	})
	t.Run("for one who begins anew", func(t *testing.T) {
		rec := asks(t, r.asking, request("Run more tests?"))
		swap(rec, "Delete prod?")
		answer(t, rec.ID)
		again := asks(t, desk.New(r.Open(natstest.Account, nodes.Agent, "bot"), desk.Options{}), request("Run more tests?"))
		if again.ID == rec.ID || again.Outcome != nil {
			t.Errorf("asked again it gets %s", again.State)
		}
	})
	t.Run("and back", func(t *testing.T) {
		rec := asks(t, r.asking, request("Run all tests?"))
		swap(rec, "Delete prod?")
		answer(t, rec.ID)
		swap(rec, "Run all tests?")
		failed(t, "waiting", r.ends(t, r.asking, rec.ID))
		failed(t, "another process", r.ends(t, desk.New(r.Open(natstest.Account, nodes.Agent, "bot"), desk.Options{}), rec.ID))
	})
	t.Run("after it was answered", func(t *testing.T) {
		rec := asks(t, r.asking, request("Run some tests?"))
		answer(t, rec.ID)
		swap(rec, "Delete prod?")
		failed(t, "another process", r.ends(t, desk.New(r.Open(natstest.Account, nodes.Agent, "bot"), desk.Options{}), rec.ID))
		failed(t, "who looks", r.ends(t, r.bob, rec.ID))
	})
}

// An entry of the archive is the word of its writer. What a human said in it is
// taken from the server: nothing is made up, changed or hidden.
func TestArchiveOfAnAgentThatLies(t *testing.T) {
	r := newRig(t)
	archive := func(rec desk.Record) { r.put("_R_.past.docs.bot."+desk.MonthOf(rec.ID)+"."+rec.ID+".bot", rec) }
	remove := func(rec desk.Record) {
		t.Helper()
		if err := c(t, r, "bot").Delete(t.Context(), desk.KindPending, rec.ID); err != nil {
			t.Fatal(err)
		}
		if err := c(t, r, "bot").Delete(t.Context(), desk.KindReplies, rec.ID); err != nil {
			t.Fatal(err)
		}
	}
	read := func(rec desk.Record) desk.Record {
		t.Helper()
		got, err := r.bob.Get(t.Context(), rec.ID)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	rec := asks(t, r.asking, request("Open?"))
	o := forged(&rec)
	rec.State, rec.Outcome = o.Status, &o
	archive(rec)
	if got := read(rec); got.State != desk.Pending {
		t.Errorf("an open one with an entry in the archive: %s", got.State)
	}
	remove(rec)
	if got := read(rec); got.State != desk.Failed || got.Reply() != nil {
		t.Errorf("nobody answered, and it is %s", got.State)
	}
	answered := func(text string) desk.Record {
		t.Helper()
		rec := asks(t, r.asking, request(text))
		got, err := r.alice.Reply(t.Context(), rec.ID, says("b"), desk.Evidence{Surface: "web", How: desk.HowPage})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	rec = answered("Changed?")
	reply := says("a")
	reply.Answers[0].By = question.ByUser
	given := *rec.Outcome
	given.Reply, rec.Outcome = &reply, &given
	archive(rec)
	remove(rec)
	if got := read(rec); got.State != desk.Answered || got.Reply().Answers[0].Selected[0] != "b" || got.Outcome.Answerer.Name != "alice" {
		t.Errorf("the answer was changed, and reads as %s %+v", got.State, got.Outcome)
	}
	rec = answered("Run tests?")
	rec.Questions[0].Text = "Delete prod?"
	archive(rec)
	remove(rec)
	if got := read(rec); got.State != desk.Failed || got.Reply() != nil {
		t.Errorf("the question was changed, and it is %s", got.State)
	}
	rec = answered("Hidden?")
	rec.State, rec.Outcome = desk.Cancelled, &desk.Outcome{ID: "01M6GA60M060R30C1G60R30C1J", Status: desk.Cancelled, At: time.Now()}
	archive(rec)
	remove(rec)
	if got := read(rec); got.State != desk.Cancelled || got.Later == nil || got.Later.Reply.Answers[0].Selected[0] != "b" {
		t.Errorf("the answer was hidden: %s, and later %+v", got.State, got.Later)
	}
}

// c is a store of an agent.
func c(t *testing.T, r *rig, name string) *nats.Store {
	t.Helper()
	return r.Open(natstest.Account, nodes.Agent, name)
}

// An agent reopens nothing, and gets what its user reopened: the question is its
// own still, and whoever answered wrote it.
func TestReopenedByAHuman(t *testing.T) {
	r := newRig(t)
	rec := asks(t, r.asking, request("Which?"))
	if _, err := r.alice.Reply(t.Context(), rec.ID, says("a"), desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	again, err := r.alice.Reopen(t.Context(), rec.ID)
	if err != nil || again.Earlier != rec.ID {
		t.Fatalf("%+v, %v", again, err)
	}
	if _, err := r.alice.Reply(t.Context(), again.ID, says("b"), desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	got, attendance, err := r.asking.Submit(t.Context(), request("Which?"))
	if err != nil || got.ID != again.ID || got.State != desk.Answered || got.Reply().Answers[0].Selected[0] != "b" {
		t.Fatalf("the asker gets %s %s %+v, %v", got.ID, got.State, got.Outcome, err)
	}
	if err := r.asking.CollectRecord(t.Context(), got); err != nil {
		t.Error(err)
	}
	attendance.Release()
	// Longer than the mark of what an agent deletes of its own.
	own, bot := asks(t, r.asking, request("Own?")), c(t, r, "bot")
	if err := bot.Delete(t.Context(), desk.KindPending, own.ID); err != nil {
		t.Fatal(err)
	}
	natstest.Await(t, func() error {
		m, err := r.nc.Request("$JS.API.STREAM.INFO.ASK", []byte(`{"subjects_filter":"_R_.ask.pending.bot.`+own.ID+`.>"}`), natstest.Patience)
		if err == nil && strings.Contains(string(m.Data), own.ID) {
			err = errors.New("the mark stays")
		}
		return err
	})
	for _, d := range []*desk.Desk{r.asking, r.alice, r.bob} {
		if all, err := d.Pending(t.Context()); err != nil || len(all) > 0 {
			t.Errorf("open are %v, %v", all, err)
		}
		if got, err := d.Latest(t.Context(), rec.ID); err != nil || got.ID != again.ID || got.State != desk.Answered || got.Outcome.Answerer.Name != "alice" {
			t.Errorf("the last is %s %s, %v", got.ID, got.State, err)
		}
	}
}

// The streams of an earlier version are refused with what to do, by whoever comes
// to them, and replaced when the operator says so.
func TestEarlierFormat(t *testing.T) {
	c := natstest.Start(t, 1)
	operator := c.Connect(natstest.Account, nodes.Operator, "", make(chan error, 10))
	for _, stream := range nats.Streams(1) {
		m, err := operator.Request("$JS.API.STREAM.DELETE."+stream.Name, nil, natstest.Patience)
		if err != nil || !strings.Contains(string(m.Data), `"success":true`) {
			t.Fatalf("%v, %v", m, err)
		}
	}
	old, err := json.Marshal(natsgo.StreamConfig{Name: nats.StreamDesk, Subjects: []string{"ask.>"}, Storage: natsgo.FileStorage, Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := operator.Request("$JS.API.STREAM.CREATE."+nats.StreamDesk, old, natstest.Patience); err != nil || strings.Contains(string(m.Data), `"error"`) {
		t.Fatalf("%v, %v", m, err)
	}
	s := c.Open(natstest.Account, nodes.Operator, "")
	if _, err := s.MakeAll(t.Context(), time.Minute, false); !errors.Is(err, desk.ErrFormat) || !strings.Contains(err.Error(), "--replace") {
		t.Errorf("the operator: %v", err)
	}
	if _, err := desk.New(c.Open(natstest.Account, nodes.Human, "alice"), desk.Options{}).Pending(t.Context()); !errors.Is(err, desk.ErrFormat) || !strings.Contains(err.Error(), "desk create") {
		t.Errorf("a human: %v", err)
	}
	if err := c.Open(natstest.Account, nodes.Agent, "bot").Ping(t.Context()); !errors.Is(err, desk.ErrFormat) {
		t.Errorf("an agent: %v", err)
	}
	if _, err := s.MakeAll(t.Context(), time.Minute, true); err != nil {
		t.Fatal(err)
	}
	asks(t, desk.New(c.Open(natstest.Account, nodes.Agent, "bot"), desk.Options{}), request("Which?"))
}
