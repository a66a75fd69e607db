//go:build unix

package shared_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"mcp-askuser/desk/shared"
	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// The server itself refuses what is not a credential's own: the credentials are used without
// our program, and nothing is stored.
func theServerRefuses(t *testing.T, c *sharedtest.Cluster) {
	bot := c.Open(nodes.Agent, "bot")
	row := storetest.Ask(t, bot, "Which?")
	reports := make(chan error, 100)
	operator := c.Connect(nodes.Operator, "", reports)
	evil, alice := c.Connect(nodes.Agent, "other", reports), c.Connect(nodes.Human, "alice", reports)
	before := state(t, operator)

	of, own := "_R_.ask.r.bot."+row.ID+".", "_R_.ask.r.other."+row.ID+"."
	calls := []string{
		"STREAM.CREATE.MINE", "STREAM.UPDATE.ASK", "STREAM.DELETE.ASK", "STREAM.PURGE.ASK", "STREAM.MSG.DELETE.ASK", "STREAM.SNAPSHOT.ASK",
		"STREAM.RESTORE.ASK", "STREAM.LEADER.STEPDOWN.ASK", "STREAM.PEER.REMOVE.ASK", "STREAM.LIST", "STREAM.NAMES", "INFO",
		"CONSUMER.DURABLE.CREATE.ASK.x", "CONSUMER.MSG.NEXT.ASK.x", "CONSUMER.DELETE.ASK.x", "CONSUMER.LIST.ASK", "DIRECT.GET.ASK",
		"DIRECT.GET.ASK." + of + "h",
	}
	subjects := []string{
		of + "q.-.-.-.-", of + "a.bot", of + "a.other", of + "a.human-alice", of + "h", of + "d", of + "n.draft", of + "n.shown",
		of + "n.later", of + "n.lifted", own + "a.bot", own + "a.human-alice", own + "n.draft", own + "n.lifted",
		"present.bot", "present.human-alice", "_R_.ask.humans", "_R_.ask.x", "rang.r.bot." + row.ID + ".a.human-alice",
		"_INBOX.bot.x", "_INBOX.human-alice.x", "who.x", "$KV.x.y", "$SYS.REQ.SERVER.PING.VARZ", "$SYS.REQ.ACCOUNT.PING.CONNZ",
		"$JS.ACK.ASK.x.1.1.1.1.1", "$JS.API.CONSUMER.CREATE.ASK", "$JS.API.CONSUMER.CREATE.ASK.x", "$JS.API.CONSUMER.CREATE.ASK.x._R_.ask.>",
	}
	for _, call := range calls {
		subjects = append(subjects, "$JS.API."+call)
	}
	for _, subject := range subjects {
		refused(t, reports, evil.Publish(subject, []byte("x")), subject)
	}
	for _, subject := range []string{
		of + "q.-.-.-.-", of + "a.bot", of + "a.human-bob", "_R_.ask.r.human-bob.x.q.-.-.-.-", "present.human-bob", "_R_.ask.humans",
		"$JS.API.STREAM.DELETE.ASK", "$JS.API.STREAM.PURGE.ASK", "$JS.API.STREAM.MSG.DELETE.ASK", "$JS.API.DIRECT.GET.ASK",
	} {
		refused(t, reports, alice.Publish(subject, []byte("x")), subject)
	}
	// An agent hears nothing of what others send, and answers for none.
	for _, subject := range []string{"_R_.ask.>", "$JS.>", ">", "_INBOX.>", "_INBOX.bot.>", "alive.bot.*", "alive.*.*", "present.bot", "present.*", "back.bot.>",
		"back.>"} {
		_, err := evil.SubscribeSync(subject)
		fatal.If(t, err)
		refused(t, reports, evil.Flush(), subject)
	}
	// The server writes nothing for it where it must not write.
	for _, place := range []string{of + "a.human-alice", of + "h", of + "q.-.-.-.-", "_R_.ask.humans"} {
		for _, to := range []string{"$JS.API.STREAM.MSG.GET.ASK", "$JS.API.STREAM.INFO.ASK", "$SYS.REQ.USER.INFO", "alive.bot.x", own + "h"} {
			refused(t, reports, evil.PublishRequest(to, place, []byte(`{"last_by_subj":"x"}`)), place)
		}
	}
	// Nor does an answer that the server sends to where requests are sent change the stream.
	for _, call := range calls {
		for _, to := range []string{"STREAM.MSG.GET.ASK", "STREAM.INFO.ASK"} {
			err := errors.Join(evil.PublishRequest("$JS.API."+to, "$JS.API."+call, []byte(`{"seq":1}`)), evil.Flush())
			fatal.If(t, err)
		}
	}
	// A header reaches nothing beyond the subject.
	for header, value := range map[string]string{"Nats-Rollup": "all", "Nats-Schedule": "@at 2020-01-01T00:00:00Z", "Nats-Incr": "+1", "Nats-Batch-Id": "x"} {
		m := nats.NewMsg(own + "h")
		m.Header.Set(header, value)
		m.Header.Set("Nats-Schedule-Target", of+"a.human-alice")
		m.Header.Set("Nats-Batch-Sequence", "1")
		ack, err := evil.RequestMsg(m, sharedtest.Patience)
		if err != nil || !strings.Contains(string(ack.Data), `"error"`) {
			t.Errorf("%s: %v, %v", header, ack, err)
		}
	}
	now := state(t, operator)
	if now != before {
		t.Errorf("the stream is\n%s\nbefore\n%s", now, before)
	}
}

// state is what a stream is and has.
func state(t *testing.T, operator *nats.Conn) string {
	t.Helper()
	m, err := operator.Request("$JS.API.STREAM.INFO.ASK", nil, sharedtest.Patience)
	fatal.If(t, err)
	var info nats.StreamInfo
	err = json.Unmarshal(m.Data, &info)
	info.State.Consumers = 0
	is, failed := json.Marshal([]any{info.Config, info.Created, info.State})
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	return string(is)
}

func refused(t *testing.T, reports <-chan error, sent error, subject string) {
	t.Helper()
	if sent != nil {
		t.Fatal(sent)
	}
	select {
	case err := <-reports:
		if !strings.Contains(strings.ToLower(err.Error()), "permissions violation") || !strings.Contains(err.Error(), subject) {
			t.Errorf("%s: the server reports %v", subject, err)
		}
	case <-time.After(5 * time.Second):
		t.Errorf("%s: the server reports nothing", subject)
	}
}

// In our program a refusal is ErrDenied, and ends at once.
func isDenied(t *testing.T, c *sharedtest.Cluster) {
	bot, other, alice := c.Open(nodes.Agent, "bot"), c.Open(nodes.Agent, "other"), c.Open(nodes.Human, "alice")
	row := storetest.Ask(t, bot, "Which?")
	fatal.If(t, bot.Release(t.Context(), row.ID))
	value := func([]byte) ([]byte, error) { return []byte("x"), nil }
	for name, call := range map[string]func() error{
		"answers":   func() error { return other.Answer(t.Context(), row.ID, store.Ending{Outcome: []byte("x")}) },
		"attends":   func() error { _, err := other.Attend(t.Context(), row.ID); return err },
		"delivers":  func() error { return other.Delivered(t.Context(), row.ID) },
		"shows":     func() error { return other.Note(t.Context(), row.ID, store.Shown, value) },
		"drafts":    func() error { return bot.Note(t.Context(), row.ID, store.Draft, value) },
		"lifts":     func() error { return bot.Note(t.Context(), row.ID, store.Lifted, value) },
		"creates":   func() error { return other.Create(t.Context(), 1, shared.Humans{}) },
		"as human":  func() error { return alice.Create(t.Context(), 1, shared.Humans{}) },
		"no access": func() error { return stranger(t, c) },
	} {
		began := time.Now()
		err := call()
		if !errors.Is(err, store.ErrDenied) || time.Since(began) > 5*time.Second { // it is not tried again for 10 s
			t.Errorf("an agent %s: %v after %s", name, err, time.Since(began))
		}
	}
}

// stranger calls with a credential of another desk.
func stranger(t *testing.T, c *sharedtest.Cluster) error {
	dir := t.TempDir()
	fatal.If(t, nodes.Init(dir, nodes.Options{Agents: []string{"bot"}}))
	s, err := shared.Open(shared.Options{URL: c.URL(), Creds: nodes.Creds(dir, nodes.Agent, "bot")})
	fatal.If(t, err)
	defer func() { _ = s.Close() }()
	_, err = s.Get(t.Context(), "x")
	return err
}

// A process answers only where it is asked from, or another would have it write where only it
// may.
func answersNowhereElse(t *testing.T, c *sharedtest.Cluster) {
	alice := c.Open(nodes.Human, "alice")
	row := storetest.Ask(t, alice, "Mine?")
	_, err := alice.Changes(t.Context(), "inbox")
	fatal.If(t, err)
	operator := c.Connect(nodes.Operator, "", make(chan error, 10))
	m, err := operator.Request("$JS.API.STREAM.MSG.GET.ASK", []byte(`{"last_by_subj":"_R_.ask.r.*.*.q.>"}`), sharedtest.Patience)
	var asked struct{ Message struct{ Data []byte } }
	var question struct{ Holder string }
	if err != nil || json.Unmarshal(m.Data, &asked) != nil || json.Unmarshal(asked.Message.Data, &question) != nil {
		t.Fatal(m, err)
	}
	heard, err := operator.SubscribeSync(">")
	fatal.If(t, err)
	for _, subject := range []string{"alive." + question.Holder, "present.bot"} {
		for _, to := range []string{"x.y", "back.bot.x"} {
			fatal.If(t, operator.PublishRequest(subject, to, []byte(row.ID)))
		}
	}
	for answers := 0; ; { // in order: what was asked first would have been answered first
		m, err := heard.NextMsg(sharedtest.Patience)
		fatal.If(t, err)
		if m.Subject == "x.y" {
			t.Error("it answers where it must not")
		}
		if m.Subject == "back.bot.x" {
			answers++
		}
		if answers == 2 {
			return
		}
	}
}

// The operator's list, names and signatures.
func humansSign(t *testing.T, c *sharedtest.Cluster) {
	alice, bot, operator := c.Open(nodes.Human, "alice"), c.Open(nodes.Agent, "bot"), c.Open(nodes.Operator, "")
	humans, _, err := bot.Humans(t.Context())
	if err != nil || len(humans) != 2 {
		t.Fatalf("%v, %v", humans, err)
	}
	key, signature, err := alice.Sign([]byte("sum"))
	if err != nil || humans[key] != "alice" || len(signature) == 0 {
		t.Errorf("alice signs as %q: %v", humans[key], err)
	}
	for _, s := range []*shared.Store{bot, operator} {
		key, _, err := s.Sign([]byte("sum"))
		if err != nil || key != "" {
			t.Errorf("signed by %q, %v", key, err)
		}
	}
	fatal.If(t, operator.Create(t.Context(), 1, shared.Humans{Now: map[string]string{"KEY": "carol"}}))
	sharedtest.Await(t, func() error {
		humans, _, err := bot.Humans(t.Context())
		if err == nil && humans["KEY"] != "carol" {
			err = errors.New("the list is an earlier one")
		}
		return err
	})
	st, err := alice.Status(t.Context())
	if err != nil || st.Name != "alice" || !st.Human || st.Any || !st.Created || !st.AsNeeded || st.Humans != 1 {
		t.Errorf("%+v, %v", st, err)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		file := filepath.Join(dir, name)
		fatal.If(t, errors.Join(os.WriteFile(file, []byte(text), mode), os.Chmod(file, mode)))
		return file
	}
	for name, o := range map[string]shared.Options{
		"no address":         {},
		"another scheme":     {URL: "http://host"},
		"one of several":     {URL: "nats://localhost,ftp://x"},
		"no credential":      {URL: "localhost", Creds: filepath.Join(dir, "none")},
		"an open credential": {URL: "localhost", Creds: write("open", "x", 0o644)},
		"no key":             {URL: "localhost", Creds: write("no key", "x", 0o600)},
		"no certificates":    {URL: "localhost", CA: filepath.Join(dir, "none")},
	} {
		_, err := shared.Open(o)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// Beyond this machine nothing is sent without TLS, which this node does not offer.
	c := sharedtest.Start(t, 1)
	s, err := shared.Open(shared.Options{URL: strings.Replace(c.URL(), "nats://", "tls://", 1)})
	fatal.If(t, err)
	defer func() { _ = s.Close() }()
	_, err = s.Get(t.Context(), "x")
	if !errors.Is(err, store.ErrUnreachable) || !strings.Contains(err.Error(), "TLS") {
		t.Errorf("without TLS: %v", err)
	}
}
