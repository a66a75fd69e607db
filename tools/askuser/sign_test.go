package askuser

import (
	"context"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/proof/prooftest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

const sure = `{"questions":[{"question":"Sure?","type":"boolean"}]}`

// newSigningRig is the tools over a desk on which every confirmation must be signed, with a page that
// no browser can open. Sign answers a record with a proof.
func newSigningRig(t *testing.T) (r *rig, sign func(id string)) {
	t.Helper()
	key := prooftest.New("ada")
	page := surfaceFunc{"web", func(context.Context) error { return ui.Unavailablef("no desktop") }}
	r = openDesk(t, desk.Options{Prove: desk.ProveConfirm, Keys: func(func(*proof.Keys) error) (proof.Keys, error) {
		return proof.Keys{Passkeys: []proof.Passkey{key.Passkey}}, nil
	}}, Elicit(), page)
	r.Attended = func(bool) bool { return true }
	return r, func(id string) {
		t.Helper()
		rec, err := r.desk.Get(t.Context(), id)
		fatal.If(t, err)
		yes := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.YesID}}}}
		_, err = r.desk.Reply(t.Context(), id, key.Sign(&rec, yes, time.Now().UTC()), desk.Evidence{Surface: "web", How: desk.HowPage})
		fatal.If(t, err)
	}
}

// The client's form is never shown for an answer that must be signed: the model passes on where it can be.
func TestSignedElsewhere(t *testing.T) {
	r, sign := newSigningRig(t)
	l := &link{client: client("", true)}
	const want = `Tell the user now, in your reply: ` +
		`"To answer my question, run mcp-askuser web --open in a terminal." ` +
		"They must sign the answer with a passkey, on the page that this opens."
	text := waittest.Take(t, r.start(t.Context(), l, request(sure))).text(t)
	if !strings.HasPrefix(text, want) {
		t.Error(text)
	}
	id := r.open().ID
	sign(id)
	signed := waittest.Take(t, r.startAwait(t.Context(), l, []string{id}, ""))
	status, text := signed.status(t), signed.text(t)
	if status != "answered true" || !strings.Contains(text, `"Sure?"="Yes"`) ||
		!strings.HasSuffix(text, "This answer was confirmed by the user with a passkey.") {
		t.Errorf("the result is %s: %s", status, text)
	}
}
