//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/local"
	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/proof/prooftest"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
)

// liar is an agent that wants a proven yes: it has the user's shell, store, page and
// terminals, and not the private keys.
type liar struct {
	*signer
	rec   desk.Record // what it asked
	store *local.Store
	user  *desk.Desk // as a surface of the user's has it
	asks  func(tool, args string) <-chan map[string]any
	got   <-chan map[string]any // nil once it was read
	spoil func([]byte) []byte   // of the outcome that it forges; nil for none
}

func newLiar(t *testing.T) *liar {
	x := &liar{signer: newSigner(t)}
	store := desktest.Store(t, x.dir)
	keys, err := proof.Load(filepath.Join(x.dir, keysDir))
	x.check(err)
	x.store, x.user = store, desk.New(store, desk.Options{Prove: desk.ProveConfirm, Keys: trusting(keys)})
	var c *client.Client
	x.asks = func(tool, args string) <-chan map[string]any {
		if c == nil {
			c = connectTo(t, eras[0], x.program("serve", "--surface", "inbox"), nil)
		}
		return asks(t, c, tool, args)
	}
	x.got = x.asks("confirm_action", `{"action":"rm -r build"}`)
	x.rec = openRecord(t, x.user)
	return x
}

func choose(option string) question.Reply {
	return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{option}, By: question.ByUser}}}
}

// forge stores an outcome as the user's, past the desk, and returns the record with it.
func (x *liar) forge(r question.Reply, p *question.Proof, changes ...func(*desk.Outcome)) desk.Record {
	x.t.Helper()
	rec := x.rec
	rec.State = desk.StatusOf(r)
	rec.Outcome = &desk.Outcome{ID: "01M6GA60M060R30C1G60R30C1H", Status: rec.State, Reply: &r, Surface: "web", At: time.Now().UTC(), Answerer: &desk.Answerer{Kind: desk.UserAnswerer, How: desk.HowPage}, Proof: p}
	if p != nil {
		rec.Outcome.At = p.At
	}
	for _, change := range changes {
		change(rec.Outcome)
	}
	data, err := json.Marshal(rec.Outcome)
	x.check(err)
	if x.spoil != nil {
		data = x.spoil(data)
	}
	x.check(x.store.Answer(x.t.Context(), rec.ID, store.Ending{Outcome: data}))
	return rec
}

// edit changes the question in the store.
func (x *liar) edit(change func(*desk.Record)) {
	x.t.Helper()
	x.rec.Attended, x.rec.ShownOn = false, nil
	change(&x.rec)
	data, err := json.Marshal(x.rec)
	x.check(err)
	desktest.Overwrite(x.t, x.dir, x.rec.ID, desktest.Asked, func([]byte) []byte { return data })
}

// signed has the user answer with the passkey.
func (x *liar) signed(option string) {
	x.t.Helper()
	_, err := x.user.Reply(x.t.Context(), x.rec.ID, x.passkey.Sign(&x.rec, choose(option), time.Now()), desk.Evidence{Surface: "web", How: desk.HowPage})
	x.check(err)
}

// stillOpen checks that nothing has ended the question, and dismisses it.
func (x *liar) stillOpen() {
	x.t.Helper()
	if now, err := x.user.Get(x.t.Context(), x.rec.ID); err != nil || now.Outcome != nil {
		x.t.Errorf("it ended: %+v, %v", now.Outcome, err)
	}
	_, err := x.user.Reply(x.t.Context(), x.rec.ID, question.Reply{Dismissed: true}, desk.Evidence{Surface: "web", How: desk.HowPage})
	x.check(err)
	<-x.got
}

// refused runs the program, which is to fail.
func (x *liar) refused(env []string, args ...string) desk.Record {
	x.t.Helper()
	cmd := x.program(args...)
	cmd.Env = append(cmd.Env, env...)
	if out, err := cmd.CombinedOutput(); err == nil {
		x.t.Errorf("%s: %s", strings.Join(args, " "), out)
	}
	return desk.Record{}
}

// onTerminal runs the program on a pseudo-terminal.
func (x *liar) onTerminal(env []string, args ...string) desk.Record {
	x.t.Helper()
	cmd := x.program(args...)
	cmd.Env = append(cmd.Env, env...)
	if status := termtest.Start(x.t, cmd, 80, 24).Wait(); status != exitBad {
		x.t.Errorf("%s: exit status %d", strings.Join(args, " "), status)
	}
	return desk.Record{}
}

// TestNoForgedProof: an agent with the user's shell, store, page and terminals, and without
// the private keys, gets no yes where a proof is required, and none that a verifier takes.
// This process is the agent's host.
func TestNoForgedProof(t *testing.T) {
	yes := choose(question.YesID)
	for name, attack := range map[string]struct {
		said string // by verify, of what the agent shows as its proof
		do   func(*liar) desk.Record
	}{
		"answer --json": {"not answered", func(x *liar) desk.Record {
			return x.refused(nil, "answer", x.rec.ID, "--json", `{"q1":true}`)
		}},
		"a pseudo-terminal": {"not answered", func(x *liar) desk.Record {
			return x.onTerminal(nil, "answer", "--plain", x.rec.ID)
		}},
		"the page's token": {"not answered", func(x *liar) desk.Record {
			s := startWeb(t, x.program("web"))
			if status, out := s.call(t, "POST", "/api/task/answer", `{"id":"`+x.rec.ID+`","answers":{"q1":true}}`); status != http.StatusForbidden {
				t.Errorf("%d %s", status, out)
			}
			return desk.Record{}
		}},
		"a front end that the user enrolled": {"not answered", func(x *liar) desk.Record {
			term := termtest.Start(t, x.program("token", "add", "panel", "--answers"), 80, 24)
			term.WaitFor("answer in your name")
			term.Wait()
			_, token, _ := strings.Cut(term.Output(), "askuser_")
			s := startWeb(t, x.program("web"))
			s.address.RawQuery = url.Values{"token": {"askuser_" + strings.Fields(token)[0]}}.Encode()
			if status, out := s.call(t, "POST", "/api/task/answer", `{"id":"`+x.rec.ID+`","answers":{"q1":true}}`); status != http.StatusForbidden {
				t.Errorf("%d %s", status, out)
			}
			return desk.Record{}
		}},
		"the page in a browser of its own": {"not answered", func(x *liar) desk.Record {
			s := startWeb(t, x.program("web"))
			jar, err := cookiejar.New(nil)
			x.check(err)
			browser := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
			resp, err := browser.Get(s.address.String())
			x.check(err)
			resp.Body.Close()
			form := url.Values{"id": {x.rec.ID}, "action": {"confirm"}, "q0": {"0"}}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.address.Host+"/answer", strings.NewReader(form.Encode()))
			x.check(err)
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", "http://"+s.address.Host)
			resp, err = browser.Do(r)
			x.check(err)
			resp.Body.Close()
			if resp.StatusCode != http.StatusForbidden {
				t.Error(resp.Status)
			}
			return desk.Record{}
		}},
		"a reply without a proof": {"it carries no proof", func(x *liar) desk.Record { return x.forge(yes, nil) }},
		"a reply that says it is verified": {"it carries no proof", func(x *liar) desk.Record {
			x.spoil = func(data []byte) []byte {
				return bytes.Replace(data, []byte(`"status"`), []byte(`"verified":true,"status"`), 1)
			}
			return x.forge(yes, nil)
		}},
		"a proof that says it is verified": {"another question, answer or time", func(x *liar) desk.Record {
			return x.forge(yes, &question.Proof{Kind: question.PasskeyProof, Key: x.passkey.ID, Name: "laptop", Verified: true, At: time.Now().UTC(), Signature: []byte("x")})
		}},
		"a proof with a passkey of its own": {"not among those that are trusted", func(x *liar) desk.Record {
			return x.forge(yes, prove(prooftest.New("own"), &x.rec, yes, time.Now()))
		}},
		"a proof with a passkey of its own, as the user's": {"not by its key", func(x *liar) desk.Record {
			p := prove(prooftest.New("own"), &x.rec, yes, time.Now())
			p.Key = x.passkey.ID
			return x.forge(yes, p)
		}},
		"a proof of another question": {"another question, answer or time", func(x *liar) desk.Record {
			other := x.rec
			other.ID = "01M6GA60M060R30C1G60R30C1Z"
			return x.forge(yes, prove(x.passkey, &other, yes, time.Now().UTC()))
		}},
		"a proof of another text": {"another question, answer or time", func(x *liar) desk.Record {
			other := x.rec
			other.Questions = slices.Clone(x.rec.Questions)
			other.Questions[0].Text = "Tidy up?"
			return x.forge(yes, prove(x.passkey, &other, yes, time.Now()))
		}},
		"a proof of another answer": {"another question, answer or time", func(x *liar) desk.Record {
			return x.forge(yes, prove(x.passkey, &x.rec, choose(question.NoID), time.Now().UTC()))
		}},
		"a proof of another time": {"another question, answer or time", func(x *liar) desk.Record {
			p := prove(x.passkey, &x.rec, yes, time.Now().UTC().Add(-24*time.Hour))
			p.At = time.Now().UTC()
			return x.forge(yes, p)
		}},
		"an answer at another time than its proof": {"another question, answer or time", func(x *liar) desk.Record {
			p := prove(x.passkey, &x.rec, yes, time.Now().UTC().Add(-24*time.Hour))
			return x.forge(yes, p, func(o *desk.Outcome) { o.At = time.Now() })
		}},
		"the question says that it needs no proof": {"it carries no proof", func(x *liar) desk.Record {
			x.edit(func(rec *desk.Record) { rec.Prove = false })
			return x.forge(yes, nil)
		}},
		"the user signs another text": {`the action is "Tidy up?", and not "rm -r build"`, func(x *liar) desk.Record {
			x.edit(func(rec *desk.Record) {
				rec.Questions = slices.Clone(rec.Questions)
				rec.Questions[0].Text, rec.Questions[0].Description = "Tidy up?", ""
			})
			return x.forge(yes, prove(x.passkey, &x.rec, yes, time.Now().UTC()))
		}},
		"the text is put back after the user signed another": {"another question, answer or time", func(x *liar) desk.Record {
			asked := x.rec.Questions
			x.edit(func(rec *desk.Record) {
				rec.Questions = slices.Clone(rec.Questions)
				rec.Questions[0].Text = "Tidy up?"
			})
			p := prove(x.passkey, &x.rec, yes, time.Now().UTC())
			x.edit(func(rec *desk.Record) { rec.Questions = asked })
			return x.forge(yes, p)
		}},
		"the archive, after a signed no": {"another question, answer or time", func(x *liar) desk.Record {
			x.signed(question.NoID)
			if got := <-x.got; got["response"] != false {
				t.Errorf("the user's no is %v", got)
			}
			x.got = nil
			rec, err := x.user.Get(t.Context(), x.rec.ID)
			x.check(err)
			*rec.Outcome.Reply = choose(question.YesID)
			data, err := json.Marshal(rec.Outcome)
			x.check(err)
			desktest.Overwrite(t, x.dir, rec.ID, desktest.Outcome, func([]byte) []byte { return data })
			return rec
		}},
		"ASK_PROVE=none in its environment": {"not answered", func(x *liar) desk.Record {
			return x.refused([]string{"ASK_PROVE=none"}, "answer", x.rec.ID, "--json", `{"q1":true}`)
		}},
		"a request without --prove, and with ASK_PROVE=none": {"not answered", func(x *liar) desk.Record {
			return x.refused([]string{"ASK_PROVE=none"}, "confirm", "--surface", "plain", "rm -r build")
		}},
		"a dismissal": {"not answered", func(x *liar) desk.Record {
			out, err := x.program("dismiss", x.rec.ID, "--reason", "Yes").CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
			return desk.Record{}
		}},
		"a discussion with a yes": {"not answered", func(x *liar) desk.Record {
			r := choose(question.YesID)
			r.Discuss, r.Note = true, "yes"
			return x.forge(r, nil)
		}},
		"the default of a timeout": {"it carries no proof", func(x *liar) desk.Record {
			x.edit(func(rec *desk.Record) { rec.OnTimeout, rec.Prove = desk.OnTimeoutDefault, false })
			r := choose(question.YesID)
			r.Answers[0].By = question.ByTimeout
			return x.forge(r, nil, func(o *desk.Outcome) {
				o.Answerer = &desk.Answerer{Kind: desk.AskerAnswerer, How: desk.HowTimeout}
			})
		}},
		"the word of a client's dialog": {"it carries no proof", func(x *liar) desk.Record {
			return x.forge(yes, nil, func(o *desk.Outcome) {
				o.Answerer = &desk.Answerer{Kind: desk.HostAnswerer, How: desk.HowHostDialog}
			})
		}},
		"a draft": {"not answered", func(x *liar) desk.Record {
			x.check(x.user.SaveDraft(t.Context(), x.rec.ID, yes))
			return desk.Record{}
		}},
		"a signed yes, reopened": {"another question, answer or time", func(x *liar) desk.Record {
			x.signed(question.YesID)
			if got := <-x.got; got["response"] != true {
				t.Errorf("the user's yes is %v", got)
			}
			x.got = nil
			first, err := x.user.Get(t.Context(), x.rec.ID)
			x.check(err)
			if out, err := x.program("reopen", x.rec.ID).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
			x.rec = openRecord(t, x.user)
			if !x.rec.Prove {
				t.Error("reopened, it needs no proof")
			}
			return x.forge(yes, first.Outcome.Proof)
		}},
		"keys of its own, given to verify": {"not among those that are trusted", func(x *liar) desk.Record {
			own, file := prooftest.New("own"), filepath.Join(t.TempDir(), "keys.json")
			x.trust(file, own)
			rec := x.forge(yes, prove(own, &x.rec, yes, time.Now()))
			verifier := x.program("verify", x.export(rec), "--keys", file)
			if out, err := verifier.CombinedOutput(); err != nil { // else the other refusals prove nothing
				t.Errorf("with its own keys: %v %s", err, out)
			}
			return rec
		}},
	} {
		t.Run(name, func(t *testing.T) {
			x := newLiar(t)
			shown := attack.do(x)
			now, err := x.user.Get(t.Context(), x.rec.ID)
			x.check(err)
			if now.Outcome == nil {
				now, err = x.user.Reply(t.Context(), x.rec.ID, question.Reply{Dismissed: true}, desk.Evidence{Surface: "web", How: desk.HowPage})
				x.check(err)
			}
			if x.got == nil {
				x.got = x.asks("await_answer", `{"id":"`+x.rec.ID+`"}`)
			}
			if got := <-x.got; got["status"] == "answered" || got["response"] == true {
				t.Errorf("it is delivered: %v", got)
			}
			if shown.ID == "" {
				shown = now
			}
			status, out := x.verify(x.export(shown), "--action", "rm -r build")
			if status != exitBad || !strings.Contains(out, attack.said) {
				t.Errorf("verify: %d, %s; want %q", status, out, attack.said)
			}
			if status, out := x.verify(x.rec.ID, "--action", "rm -r build"); status != exitBad {
				t.Errorf("verify %s: %d, %s", x.rec.ID, status, out)
			}
		})
	}
}

// TestKeyAddedHere: an agent that adds a key to the store is believed on this machine, and
// by no verifier that has the user's keys.
func TestKeyAddedHere(t *testing.T) {
	x := newLiar(t)
	own := prooftest.New("own")
	x.trust(filepath.Join(x.dir, keysDir, passkeysFile), x.passkey, own)
	yes := choose(question.YesID)
	rec := x.forge(yes, prove(own, &x.rec, yes, time.Now()))
	if got := <-x.got; got["response"] != true {
		t.Errorf("here it is %v", got)
	}
	if status, out := x.verify(x.export(rec)); status != exitBad || !strings.Contains(out, "not among those that are trusted") {
		t.Errorf("%d, %s", status, out)
	}
}

// confirmation is a set that asks for leave to act.
func confirmation(action, details string) question.Set {
	return question.Set{Questions: []question.Question{wire.Confirm(action, details, nil)}}
}

// answered is an outcome that the user has signed.
func (s *signer) answered(rec *desk.Record, at time.Time, answers ...question.Answer) {
	r := question.Reply{Answers: answers}
	p := prove(s.passkey, rec, r, at)
	rec.State = desk.Answered
	rec.Outcome = &desk.Outcome{ID: "01M6GA60M060R30C1G60R30C1H", Status: desk.Answered, Reply: &r, At: p.At, Proof: p}
}

// TestVerify: verify passes for a signed yes to the action that it is asked for, and for nothing
// else that was signed.
func TestVerify(t *testing.T) {
	const action = "Deploy 3f2a1c?"
	confirm := func(details string) question.Set { return confirmation(action, details) }
	yes := question.Answer{QuestionID: "q1", Selected: []string{question.YesID}, By: question.ByUser}
	no := question.Answer{QuestionID: "q1", Selected: []string{question.NoID}, By: question.ByUser}
	of := func(action string) []string { return []string{"--action", action} }
	line := func(text string) []string { return []string{"--details-contain", text} }
	optional := confirm("")
	optional.Questions[0].Required = false
	inTwo := confirm("")
	inTwo.Questions = append(inTwo.Questions, question.Question{ID: "q2", Text: "Well?", Type: question.Boolean, Options: question.YesAndNo()})
	collected := confirm("")
	collected.Questions[0].Collected = &question.Answer{QuestionID: "q1", Selected: []string{question.YesID}, By: question.ByCaller}
	asChoice := question.Set{Questions: []question.Question{{ID: "q1", Text: "What now?", Type: question.SingleChoice, Options: []question.Option{{ID: "a", Label: action}, {ID: "b", Label: "No"}}}}}
	followed := confirm("")
	followed.Questions[0].Options[0].FollowUps = []question.Question{{ID: "q2", Text: "And drop the database?", Type: question.Boolean, Options: question.YesAndNo()}}
	inverted := confirm("")
	inverted.Questions[0].Options[0].Description = "Deploy nothing"
	for name, tt := range map[string]struct {
		set    question.Set
		answer []question.Answer
		at     time.Duration
		flags  []string
		said   string // Valid, or why not
	}{
		"a yes":                          {set: confirm(""), said: "Valid"},
		"to this action":                 {set: confirm(""), flags: of("  " + action + "\n"), said: "Valid"},
		"now":                            {set: confirm(""), flags: []string{"--max-age", "1h"}, said: "Valid"},
		"with this line":                 {set: confirm("12 changes\n  by ada  \n"), flags: line("by ada"), said: "Valid"},
		"a no":                           {set: confirm(""), answer: []question.Answer{no}, said: "did not answer yes"},
		"left open":                      {set: optional, answer: []question.Answer{}, said: "did not answer yes"},
		"another action":                 {set: confirm(""), flags: of("Deploy 3f2a1d?"), said: "the action is"},
		"a part of the action":           {set: confirm(""), flags: of("Deploy 3f2a1c"), said: "the action is"},
		"no action":                      {set: confirm(""), flags: of(""), said: "the action is"},
		"the action among the details":   {set: confirmation("Tidy up?", strings.Repeat("\n", 60)+action), flags: of(action), said: "the action is"},
		"a part of a line":               {set: confirm("not by ada"), flags: line("by ada"), said: "the details have no line"},
		"no line":                        {set: confirm("12 changes"), flags: line(""), said: "the details have no line"},
		"the line in the action":         {set: confirm("12 changes"), flags: line(action), said: "the details have no line"},
		"refused, in a set of two":       {set: inTwo, answer: []question.Answer{no, {QuestionID: "q2", Selected: []string{question.YesID}, By: question.ByUser}}, flags: of(action), said: "it is no confirmation"},
		"an answer of the asker's own":   {set: collected, answer: []question.Answer{}, flags: of(action), said: "it is no confirmation"},
		"a choice":                       {set: asChoice, answer: []question.Answer{{QuestionID: "q1", Selected: []string{"b"}, By: question.ByUser}}, flags: of(action), said: "it is no confirmation"},
		"with a follow-up question":      {set: followed, flags: of(action), said: "it is no confirmation"},
		"a yes that says something else": {set: inverted, flags: of(action), said: "it is no confirmation"},
		"too old":                        {set: confirm(""), at: -2 * time.Hour, flags: []string{"--max-age", "1h"}, said: "not within the last"},
		"by a clock that is wrong":       {set: confirm(""), at: 2 * time.Hour, flags: []string{"--max-age", "1h"}, said: "not within the last"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSigner(t)
			rec := desk.Record{ID: "01M6GA60M060R30C1G60R30C1Z", Round: 1, Set: tt.set, CreatedAt: time.Now()}
			if tt.answer == nil {
				tt.answer = []question.Answer{yes}
			}
			s.answered(&rec, time.Now().Add(tt.at), tt.answer...)
			want := exitBad
			if tt.said == "Valid" {
				want = 0
			}
			if status, out := s.verify(s.export(rec), tt.flags...); status != want || !strings.Contains(out, tt.said) || want != 0 && strings.Contains(out, "Valid") {
				t.Errorf("%d, %s; want %d, %q", status, out, want, tt.said)
			}
		})
	}
}

// TestVerifyPrintsWhatIsSigned: what is not signed can be edited in an export, and is not
// printed.
func TestVerifyPrintsWhatIsSigned(t *testing.T) {
	s := newSigner(t)
	rec := desk.Record{
		ID: "01M6GA60M060R30C1G60R30C1Z", Round: 1, Set: confirmation("Deploy 3f2a1c?", "12 changes"), CreatedAt: time.Now(), Prove: true,
		Asker: desk.Asker{Client: "codex", Directory: "/srv/shop", Via: "mcp"}, SessionID: "s1",
	}
	s.answered(&rec, time.Now(), question.Answer{QuestionID: "q1", Selected: []string{question.YesID}, By: question.ByUser, Note: "after lunch"})
	edited := rec
	edited.State, edited.Asker.Via, edited.Asker.Version, edited.CreatedAt = "edited", "edited", "edited", time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	edited.Round, edited.Rounds, edited.Metadata, edited.ToolUse = 77, 78, map[string]any{"x": "edited"}, "edited"
	o := *rec.Outcome
	o.ID, o.Surface, o.Reason, o.Answerer = "edited", "edited", "edited", &desk.Answerer{Kind: desk.ProgramAnswerer, Name: "edited"}
	edited.Outcome, edited.Later = &o, &desk.Outcome{Status: desk.Dismissed, Reason: "edited", Reply: &question.Reply{Dismissed: true, Reason: "edited"}}
	for _, flags := range [][]string{nil, {"--json"}} {
		status, want := s.verify(s.export(rec), flags...)
		if status != 0 {
			t.Fatalf("%d: %s", status, want)
		}
		for _, signed := range []string{rec.ID, "codex", "/srv/shop", "s1", "Deploy 3f2a1c?", "12 changes", "after lunch", "laptop"} {
			if !strings.Contains(want, signed) {
				t.Errorf("%v: %q is missing in %s", flags, signed, want)
			}
		}
		if _, got := s.verify(s.export(edited), flags...); got != want {
			t.Errorf("%v: edited it prints\n%s\ninstead of\n%s", flags, got, want)
		}
	}
	if _, out := s.verify(s.export(rec)); !strings.HasPrefix(out, "Valid: signed with the passkey laptop at "+clock(rec.Outcome.At)+".\nKey "+s.passkey.ID+"\n") {
		t.Errorf("it prints %s", out)
	}
	edited.Prove = false
	if status, out := s.verify(s.export(edited)); status != exitBad || !strings.Contains(out, "another question, answer or time") {
		t.Errorf("prove was edited: %d %s", status, out)
	}
}

// TestVerifyIDIsNoFile: an id names a question on the desk, whatever files there are; a file has
// a path, or the suffix of an export.
func TestVerifyIDIsNoFile(t *testing.T) {
	s := newSigner(t)
	rec := desk.Record{ID: "01M6GA60M060R30C1G60R30C1Z", Round: 1, Set: confirmation("Deploy?", ""), CreatedAt: time.Now()}
	s.answered(&rec, time.Now(), question.Answer{QuestionID: "q1", Selected: []string{question.YesID}, By: question.ByUser})
	data, err := os.ReadFile(s.export(rec))
	s.check(err)
	dir := t.TempDir()
	for name, want := range map[string]int{
		rec.ID: exitBad, "01M6GA60M060R30C1G60R30C1X": exitBad, "01M6": exitBad, "approval": exitBad,
		"./approval": 0, "approval.json": 0, filepath.Join(dir, "approval"): 0,
	} {
		s.check(os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600))
		cmd := s.program(append([]string{"verify", name}, s.pinned...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); exitStatus(err) != want {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
	cmd := s.program(append([]string{"verify", "-"}, s.pinned...)...)
	cmd.Stdin = bytes.NewReader(data)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("from standard input: %v %s", err, out)
	}
}

// TestDeployOfTheGuide: the guide's scripts refuse to deploy a commit without the user's
// signed yes to it.
func TestDeployOfTheGuide(t *testing.T) {
	var guide document
	for _, d := range documents(t) {
		if d.path == "docs/scripting.md" {
			guide = d
		}
	}
	var scripts []string
	for _, block := range guide.blocks("sh") {
		if strings.Contains(block, "git notes") {
			scripts = append(scripts, block)
		}
	}
	if len(scripts) != 2 {
		t.Fatalf("%d scripts", len(scripts))
	}
	s := newSigner(t)
	dir := t.TempDir()
	run := func(script string) (status int, out string) {
		cmd := s.program()
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", script}
		cmd.Dir = filepath.Join(dir, "work")
		cmd.Env = append(cmd.Env, "KEYS="+s.pinned[1], "ASK_SURFACE=inbox", "HOME="+dir,
			"GIT_AUTHOR_NAME=ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=ada", "GIT_COMMITTER_EMAIL=ada@example.org")
		said, err := cmd.CombinedOutput()
		return exitStatus(err), string(said)
	}
	must := func(script string) {
		t.Helper()
		if status, out := run(script); status != 0 {
			t.Fatalf("%s: %d %s", script, status, out)
		}
	}
	x := exec.CommandContext(t.Context(), "git", "init", "-q", "--bare", filepath.Join(dir, "origin"))
	s.check(x.Run())
	s.check(os.Mkdir(filepath.Join(dir, "work"), 0o700))
	must(`git init -q . && git remote add origin ../origin && printf '#!/bin/sh\necho "deployed $1"\n' >deploy && chmod +x deploy && git add . && git commit -qm one && git push -q origin HEAD`)
	d := openDesk(t, s.dir)
	deploys := func(want bool) {
		t.Helper()
		_, commit := run("git rev-parse HEAD")
		commit = strings.TrimSpace(commit)
		status, out := run(scripts[1])
		if (status == 0) != want || strings.Contains(out, "deployed "+commit) != want {
			t.Errorf("the script: %d %s", status, out)
		}
	}
	approve := func(option string, sign bool) {
		t.Helper()
		done := make(chan string, 1)
		go func() {
			status, out := run(scripts[0])
			done <- strings.Repeat("!", status) + out
		}()
		rec := openRecord(t, d)
		r := choose(option)
		if sign {
			r.Proof = prove(s.passkey, &rec, r, time.Now().UTC())
			keys, err := proof.Load(filepath.Join(s.dir, keysDir))
			s.check(err)
			_, err = desk.New(desktest.Store(t, s.dir), desk.Options{Keys: trusting(keys)}).Reply(t.Context(), rec.ID, r, desk.Evidence{Surface: "web", How: desk.HowPage})
			s.check(err)
		} else {
			_, err := d.Reply(t.Context(), rec.ID, question.Reply{Dismissed: true}, desk.Evidence{Surface: "web", How: desk.HowPage})
			s.check(err)
		}
		if out := <-done; strings.HasPrefix(out, "!") {
			t.Errorf("asking: %s", out)
		}
	}
	deploys(false)
	approve("", false)
	deploys(false)
	approve(question.NoID, true)
	deploys(false)
	approve(question.YesID, true)
	deploys(true)
	must("git commit -q --allow-empty -m two")
	deploys(false)
}
