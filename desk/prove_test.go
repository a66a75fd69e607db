package desk_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/proof/prooftest"
	"mcp-askuser/question"
)

// signs is a user with a passkey.
type signs struct{ key prooftest.Passkey }

func newSigns() signs { return signs{prooftest.New("ada")} }

// desk opens a desk that trusts the user's key.
func (s signs) desk(store desk.Store, policy desk.Policy) *desk.Desk {
	keys := proof.Keys{Passkeys: []proof.Passkey{s.key.Passkey}}
	return desk.New(store, desk.Options{Prove: policy, Keys: func(func(*proof.Keys) error) (proof.Keys, error) { return keys, nil }})
}

func (s signs) sign(rec desk.Record, r question.Reply, at time.Time) question.Reply {
	return s.key.Sign(&rec, r, at)
}

var (
	byPage = desk.Evidence{Surface: "web", How: desk.HowPage}
	yes    = question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.YesID}, By: question.ByUser}}}
)

func confirmation(via string) desk.Request {
	return desk.Request{
		Session: "s", Asker: desk.Asker{Client: "agent", Directory: "/srv/shop", Via: via},
		Set: question.Set{Questions: []question.Question{{ID: "q1", Text: "Delete it?", Type: question.Boolean, Required: true, Options: question.YesAndNo()}}},
	}
}

// TestPolicies: a record requires proof by the policy of the process that looks at it, or
// by its request, whichever is stricter.
func TestPolicies(t *testing.T) {
	permission := request("Run rm?")
	permission.Asker.Via = desk.ViaPermission
	asked := request("Which?")
	asked.Prove = true
	for _, tt := range []struct {
		name string
		r    desk.Request
		from desk.Policy // the weakest policy that requires a proof
	}{
		{"question", request("Which?"), desk.ProveAll},
		{"permission", permission, desk.ProvePermissions},
		{"confirmation", confirmation("mcp"), desk.ProveConfirm},
		{"asked for", asked, desk.ProveNone},
	} {
		for i, policy := range desk.Policies() {
			d := desk.New(openSpool(t, storeDir(t)), desk.Options{Prove: policy})
			rec, attendance := submit(t, d, tt.r)
			attendance.Release()
			want := i >= slices.Index(desk.Policies(), tt.from)
			if rec.Prove != want || d.RequiresProof(&rec) != want {
				t.Errorf("%s under %s: requires %t, want %t", tt.name, policy, rec.Prove, want)
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
		"signed":                  {reply: func(rec desk.Record) question.Reply { return user.sign(rec, yes, now) }, state: desk.Answered},
		"signed nine minutes ago": {reply: func(rec desk.Record) question.Reply { return user.sign(rec, yes, now.Add(-9*time.Minute)) }, state: desk.Answered},
		"too old":                 {reply: func(rec desk.Record) question.Reply { return user.sign(rec, yes, now.Add(-11*time.Minute)) }, want: desk.ErrProofRequired},
		"from the future":         {reply: func(rec desk.Record) question.Reply { return user.sign(rec, yes, now.Add(11*time.Minute)) }, want: desk.ErrProofRequired},
		"unsigned":                {reply: func(desk.Record) question.Reply { return yes }, want: desk.ErrProofRequired},
		"by another":              {reply: func(rec desk.Record) question.Reply { return other.sign(rec, yes, now) }, want: proof.ErrUntrusted},
		"signed, by a program":    {reply: func(rec desk.Record) question.Reply { return user.sign(rec, yes, now) }, from: desk.Evidence{How: desk.HowCommand}, want: desk.ErrProofRequired},
		"another answer is signed": {reply: func(rec desk.Record) question.Reply {
			r := user.sign(rec, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.NoID}}}}, now)
			r.Answers = yes.Answers
			return r
		}, want: proof.ErrMismatch},
		"a note is added": {reply: func(rec desk.Record) question.Reply {
			r := user.sign(rec, yes, now)
			r.Note = "and more"
			return r
		}, want: proof.ErrMismatch},
		"dismissed": {reply: func(desk.Record) question.Reply { return question.Reply{Dismissed: true} }, state: desk.Dismissed},
		"discussed": {reply: func(desk.Record) question.Reply {
			return question.Reply{Discuss: true, Note: "why?", Answers: yes.Answers}
		}, state: desk.Discuss},
	} {
		t.Run(name, func(t *testing.T) {
			d := user.desk(openSpool(t, storeDir(t)), desk.ProveConfirm)
			rec, attendance := submit(t, d, confirmation("mcp"))
			defer attendance.Release()
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
// does, and the other way round; nor is it sent later.
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
		"needed by the asker's desk": {asker: desk.ProveConfirm, want: desk.Failed},
		"needed by none":             {want: desk.Answered},
		"needed by none, yet signed": {sign: true, want: desk.Answered},
	} {
		t.Run(name, func(t *testing.T) {
			store := openSpool(t, storeDir(t))
			r := confirmation("mcp")
			r.Prove = tt.asked
			rec, attendance := submit(t, user.desk(store, tt.asker), r)
			attendance.Release()
			reply := yes
			if tt.sign {
				reply = user.sign(rec, yes, time.Now().UTC())
			}
			o := desk.Outcome{ID: "01M6GA60M060R30C1G60R30C1H", Status: desk.Answered, Reply: &reply, At: time.Now().UTC(), Asked: rec.Statement(), Proof: reply.Proof, Answerer: &desk.Answerer{Kind: desk.UserAnswerer, How: desk.HowPage}}
			if o.Proof != nil {
				o.At = o.Proof.At
			}
			data := must(json.Marshal(o))
			d := user.desk(store, tt.reader)
			if tt.want == desk.Failed {
				if got, err := d.Send(t.Context(), rec.ID, data); !errors.Is(err, desk.ErrProofRequired) || got.Outcome != nil {
					t.Errorf("sent: %+v, %v", got.Outcome, err)
				}
				if err := store.Decide(t.Context(), rec.ID, desk.RoleHuman, data); err != nil {
					t.Fatal(err)
				}
			} else if _, err := d.Send(t.Context(), rec.ID, data); err != nil {
				t.Fatal(err)
			}
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

// TestProofIsNoDuplicate: an answer without a proof, to the same question, is not delivered
// where a proof is asked for, and the open question is not taken for it.
func TestProofIsNoDuplicate(t *testing.T) {
	d := desk.New(openSpool(t, storeDir(t)), desk.Options{})
	first, attendance := submit(t, d, request("Which?"))
	attendance.Release()
	proven := request("Which?")
	proven.Prove = true
	second, attendance := submit(t, d, proven)
	attendance.Release()
	if first.ID == second.ID {
		t.Fatal("the open question is taken for one that needs a proof")
	}
	if _, err := d.Reply(t.Context(), first.ID, says("pg"), byPage); err != nil {
		t.Fatal(err)
	}
	if again, attendance := submit(t, d, proven); again.ID != second.ID || again.Outcome != nil {
		t.Errorf("asked again it is %s, %+v", again.ID, again.Outcome)
	} else {
		attendance.Release()
	}
}

// TestReopenedNeedsProof: what was asked with a proof is reopened with one, and the policy
// holds for what is reopened.
func TestReopenedNeedsProof(t *testing.T) {
	for name, tt := range map[string]struct {
		asked bool
		later desk.Policy
	}{"asked for": {asked: true}, "by the policy": {later: desk.ProveAll}} {
		t.Run(name, func(t *testing.T) {
			store := openSpool(t, storeDir(t))
			r := request("Which?")
			r.Prove = tt.asked
			rec, attendance := submit(t, desk.New(store, desk.Options{}), r)
			attendance.Release()
			d := desk.New(store, desk.Options{Prove: tt.later})
			if _, err := d.Reply(t.Context(), rec.ID, question.Reply{Dismissed: true}, byPage); err != nil {
				t.Fatal(err)
			}
			if again, err := d.Reopen(t.Context(), rec.ID); err != nil || !again.Prove {
				t.Errorf("%t, %v", again.Prove, err)
			}
		})
	}
}

// TestProofOfAMirroredPermission: the host's own dialog answers a permission without a
// proof; a surface of ours needs one.
func TestProofOfAMirroredPermission(t *testing.T) {
	user := newSigns()
	for name, tt := range map[string]struct {
		from desk.Evidence
		sign bool
		want error
	}{
		"host's dialog": {from: desk.Evidence{Surface: "host", How: desk.HowHostDialog}},
		"page":          {from: byPage, want: desk.ErrProofRequired},
		"page, signed":  {from: byPage, sign: true},
	} {
		t.Run(name, func(t *testing.T) {
			d := user.desk(openSpool(t, storeDir(t)), desk.ProvePermissions)
			rec, attendance, err := d.Mirror(t.Context(), confirmation(desk.ViaPermission))
			if err != nil || !rec.Prove {
				t.Fatalf("%t, %v", rec.Prove, err)
			}
			defer attendance.Release()
			r := yes
			if tt.sign {
				r = user.sign(rec, yes, time.Now().UTC())
			}
			if _, err := d.Reply(t.Context(), rec.ID, r, tt.from); !errors.Is(err, tt.want) || tt.want == nil && err != nil {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
}

// TestPastBeforeThePolicy: a policy that is set later leaves the past as it was, and what
// was asked before it is not delivered without a proof.
func TestPastBeforeThePolicy(t *testing.T) {
	store := openSpool(t, storeDir(t))
	d := desk.New(store, desk.Options{})
	rec, attendance := submit(t, d, confirmation("mcp"))
	if _, err := d.Reply(t.Context(), rec.ID, yes, byPage); err != nil {
		t.Fatal(err)
	}
	collected(t, d, rec, attendance)
	later := desk.New(store, desk.Options{Prove: desk.ProveConfirm})
	for past, err := range later.History(t.Context(), desk.Query{}) {
		if err != nil || past.State != desk.Answered {
			t.Errorf("the past: %s, %v", past.State, err)
		}
	}
	if got, err := later.Wait(deadline(t), rec.ID); err != nil || got.State != desk.Failed {
		t.Errorf("delivered: %s, %v", got.State, err)
	}
}

// TestUnreadableKeys: while the trusted keys cannot be read, a signed answer is neither
// delivered nor lost.
func TestUnreadableKeys(t *testing.T) {
	s, store := newSigns(), openSpool(t, storeDir(t))
	d := s.desk(store, desk.ProveConfirm)
	rec, attendance := submit(t, d, confirmation(desk.ViaShell))
	defer attendance.Release()
	must(d.Reply(t.Context(), rec.ID, s.sign(rec, yes, time.Now().UTC()), byPage))
	typo := errors.New("passkeys.json: unexpected end of JSON input")
	broken := desk.New(store, desk.Options{Prove: desk.ProveConfirm, Keys: func(func(*proof.Keys) error) (proof.Keys, error) { return proof.Keys{}, typo }})
	if _, err := broken.Get(t.Context(), rec.ID); !errors.Is(err, typo) {
		t.Errorf("the error is %v", err)
	}
	if err := broken.Archive(t.Context(), rec.ID); err == nil {
		t.Error("it is archived")
	}
	if now := must(d.Get(t.Context(), rec.ID)); now.State != desk.Answered || !now.Outcome.Proof.Verified {
		t.Errorf("it is %s: %+v", now.State, now.Outcome)
	}
}
