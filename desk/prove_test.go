package desk_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/proof/prooftest"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// signs is a user with a passkey.
type signs struct{ prooftest.Passkey }

func newSigns() signs { return signs{prooftest.New("ada")} }

// desk opens a desk that trusts the user's key.
func (s signs) desk(store store.Store, policy desk.Policy) *desk.Desk {
	keys := proof.Keys{Passkeys: []proof.Passkey{s.Passkey.Passkey}}
	return desk.New(store, desk.Options{Prove: policy, Keys: func(func(*proof.Keys) error) (proof.Keys, error) { return keys, nil }})
}

// TestPolicies: a confirmation requires proof by the policy of the process that looks at it, or
// by its request, whichever is stricter; nothing else can require one.
func TestPolicies(t *testing.T) {
	permission := confirmation(desk.ViaPermission)
	followed := confirmation("mcp")
	followed.Set.Questions[0].Options[0].FollowUps = []question.Question{{ID: "q2", Text: "Why?", Type: question.Text}}
	known := confirmation("mcp")
	known.Set.Questions = append(known.Set.Questions, question.Question{ID: "q2", Text: "Who?", Type: question.Text})
	for name, tt := range map[string]struct {
		r        desk.Request
		provable bool
	}{
		"question": {request("Which?"), false}, "permission": {permission, false}, "confirmation": {confirmation("mcp"), true},
		"with a follow-up question": {followed, false}, "one of two": {known, false},
	} {
		store := openStore(t, storeDir(t))
		for _, policy := range []desk.Policy{"", desk.ProveNone, desk.ProveConfirm} {
			for _, asked := range []bool{false, true} {
				d := desk.New(store, desk.Options{Prove: policy})
				r := tt.r
				r.Prove = asked
				rec, _ := submit(t, d, r) // which no other takes over
				want := tt.provable && (asked || policy == desk.ProveConfirm)
				if rec.Prove != want || d.RequiresProof(&rec) != want {
					t.Errorf("%s under %q, asked %t: requires %t, want %t", name, policy, asked, rec.Prove, want)
				}
			}
		}
	}
}

// TestProofAtReply: the desk takes an answer that needs a proof only with one that is valid
// and fresh, by a user, and keeps it; a dismissal and a discussion need none.
func TestProofAtReply(t *testing.T) {
	user, other := newSigns(), newSigns()
	now := time.Now().UTC()
	for name, tt := range map[string]struct {
		reply func(desk.Record) question.Reply
		from  desk.Evidence
		want  error
		state desk.Status
	}{
		"signed":                  {reply: func(rec desk.Record) question.Reply { return user.Sign(&rec, yes, now) }, state: desk.Answered},
		"signed nine minutes ago": {reply: func(rec desk.Record) question.Reply { return user.Sign(&rec, yes, now.Add(-9*time.Minute)) }, state: desk.Answered},
		"too old":                 {reply: func(rec desk.Record) question.Reply { return user.Sign(&rec, yes, now.Add(-11*time.Minute)) }, want: desk.ErrProofRequired},
		"from the future":         {reply: func(rec desk.Record) question.Reply { return user.Sign(&rec, yes, now.Add(11*time.Minute)) }, want: desk.ErrProofRequired},
		"unsigned":                {reply: func(desk.Record) question.Reply { return yes }, want: desk.ErrProofRequired},
		"by another":              {reply: func(rec desk.Record) question.Reply { return other.Sign(&rec, yes, now) }, want: proof.ErrUntrusted},
		"signed, by a program":    {reply: func(rec desk.Record) question.Reply { return user.Sign(&rec, yes, now) }, from: desk.Evidence{How: desk.HowCommand}, want: desk.ErrProofRequired},
		"another answer is signed": {reply: func(rec desk.Record) question.Reply {
			r := user.Sign(&rec, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.NoID}}}}, now)
			r.Answers = yes.Answers
			return r
		}, want: proof.ErrMismatch},
		"dismissed": {reply: func(desk.Record) question.Reply { return question.Reply{Dismissed: true} }, state: desk.Dismissed},
		"discussed": {reply: func(desk.Record) question.Reply {
			return question.Reply{Discuss: true, Note: "why?", Answers: yes.Answers}
		}, state: desk.Discuss},
	} {
		t.Run(name, func(t *testing.T) {
			d := user.desk(openStore(t, storeDir(t)), desk.ProveConfirm)
			rec, _ := submit(t, d, confirmation("mcp"))
			from := tt.from
			if from.How == "" {
				from = byPage
			}
			_, err := d.Reply(t.Context(), rec.ID, tt.reply(rec), from)
			if !errors.Is(err, tt.want) || tt.want == nil && err != nil {
				t.Fatalf("%v, want %v", err, tt.want)
			}
			got := must(d.Get(t.Context(), rec.ID))
			switch {
			case tt.want != nil:
				if got.Outcome != nil {
					t.Errorf("refused, and ended as %s", got.State)
				}
			case got.State != tt.state:
				t.Errorf("%s, want %s", got.State, tt.state)
			case tt.state == desk.Answered:
				p := got.Outcome.Proof
				if p == nil || !p.Verified || p.Name != "ada" || !got.Outcome.At.Equal(p.At) {
					t.Errorf("the proof is %+v, the answer of %s", p, got.Outcome.At)
				}
			case len(got.Outcome.Reply.Answers) > 0:
				t.Errorf("unsigned answers are kept: %+v", got.Outcome.Reply)
			}
		})
	}
}

// TestProofAtDelivery: an outcome in the store without a valid proof is not delivered,
// whichever program stored it, also where the record in the store needs none and the policy
// does, and the other way round.
func TestProofAtDelivery(t *testing.T) {
	user := newSigns()
	for name, tt := range map[string]struct {
		asker, reader desk.Policy
		asked         bool // the request asks for a proof
		sign          bool
		want          desk.Status
	}{
		"needed by both, signed":     {asker: desk.ProveConfirm, reader: desk.ProveConfirm, sign: true, want: desk.Answered},
		"needed by both, unsigned":   {asker: desk.ProveConfirm, reader: desk.ProveConfirm, want: desk.Failed},
		"needed by the policy alone": {reader: desk.ProveConfirm, want: desk.Failed},
		"needed by the record alone": {asked: true, want: desk.Failed},
		"needed by none":             {want: desk.Answered},
		"needed by none, yet signed": {sign: true, want: desk.Answered},
	} {
		t.Run(name, func(t *testing.T) {
			near := openStore(t, storeDir(t))
			r := confirmation("mcp")
			r.Prove = tt.asked
			rec := detached(t, user.desk(near, tt.asker), r)
			reply := yes
			if tt.sign {
				reply = user.Sign(&rec, yes, time.Now().UTC())
			}
			o := desk.Outcome{ID: "01M6GA60M060R30C1G60R30C1H", Status: desk.Answered, Reply: &reply, At: time.Now().UTC(), Proof: reply.Proof, Answerer: &desk.Answerer{Kind: desk.UserAnswerer, How: desk.HowPage}}
			if o.Proof != nil {
				o.At = o.Proof.At
			}
			data := must(json.Marshal(o))
			d := user.desk(near, tt.reader)
			fatal.If(t, near.Answer(t.Context(), rec.ID, store.Ending{Outcome: data}))
			got := must(d.Wait(deadline(t), rec.ID))
			if got.State != tt.want || tt.want == desk.Failed && !strings.Contains(got.Outcome.Reason, "proof") {
				t.Errorf("%+v, want %s", got.Outcome, tt.want)
			}
			if tt.sign && !got.Outcome.Proof.Verified {
				t.Error("the proof is not verified")
			}
		})
	}
}

// TestPolicyAfterwards: a policy that is set later leaves the past as it was, holds for what is
// reopened, and what was asked before it is not delivered without a proof.
func TestPolicyAfterwards(t *testing.T) {
	store := openStore(t, storeDir(t))
	d, later := desk.New(store, desk.Options{}), desk.New(store, desk.Options{Prove: desk.ProveConfirm})
	rec, attendance := submit(t, d, confirmation("mcp"))
	must(d.Reply(t.Context(), rec.ID, yes, byPage))
	collected(t, d, rec, attendance)
	for past, err := range later.History(t.Context(), desk.Query{}) {
		if err != nil || past.State != desk.Answered {
			t.Errorf("the past: %s, %v", past.State, err)
		}
	}
	if got := must(later.Wait(deadline(t), rec.ID)); got.State != desk.Failed {
		t.Errorf("delivered: %s", got.State)
	}
	if again := must(later.Reopen(t.Context(), rec.ID)); !again.Prove {
		t.Error("reopened without a proof under the policy")
	}
	asked := confirmation("mcp")
	asked.Prove, asked.Session = true, "another"
	rec = detached(t, d, asked)
	must(d.Reply(t.Context(), rec.ID, question.Reply{Dismissed: true}, byPage))
	if again := must(d.Reopen(t.Context(), rec.ID)); !again.Prove {
		t.Error("reopened without the proof that was asked for")
	}
}

// TestUnreadableKeys: while the trusted keys cannot be read, a signed answer is neither
// delivered nor lost, and watchers learn of all else.
func TestUnreadableKeys(t *testing.T) {
	s, store := newSigns(), openStore(t, storeDir(t))
	d := s.desk(store, desk.ProveConfirm)
	rec, _ := submit(t, d, confirmation(desk.ViaShell))
	typo := errors.New("passkeys.json: unexpected end of JSON input")
	broken := desk.New(store, desk.Options{Prove: desk.ProveConfirm, Keys: func(func(*proof.Keys) error) (proof.Keys, error) { return proof.Keys{}, typo }})
	w := watch(t, broken)
	must(d.Reply(t.Context(), rec.ID, s.Sign(&rec, yes, time.Now().UTC()), byPage))
	w.next(desk.Asked, ask(t, d), "")
	if _, err := broken.Get(t.Context(), rec.ID); !errors.Is(err, typo) {
		t.Errorf("the error is %v", err)
	}
	if _, err := broken.Wait(deadline(t), rec.ID); !errors.Is(err, typo) {
		t.Errorf("delivered: %v", err)
	}
	if now := must(d.Get(t.Context(), rec.ID)); now.State != desk.Answered || !now.Outcome.Proof.Verified {
		t.Errorf("it is %s: %+v", now.State, now.Outcome)
	}
}
