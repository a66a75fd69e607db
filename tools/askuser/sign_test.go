package askuser

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

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
// no browser of ours can open. Sign answers a record with a proof.
func newSigningRig(t *testing.T) (r *rig, sign func(id string)) {
	t.Helper()
	key := prooftest.New("ada")
	page := surfaceFunc{"web", func(context.Context) error { return ui.Unavailablef("no desktop") }}
	r = openDesk(t, desk.Options{Prove: desk.ProveConfirm, Keys: func(func(*proof.Keys) error) (proof.Keys, error) {
		return proof.Keys{Passkeys: []proof.Passkey{key.Passkey}}, nil
	}}, Elicit(), page)
	r.Attended = func(bool) bool { return true }
	r.Page = func(string) (string, error) { return "http://localhost:4000/?token=once", nil }
	return r, func(id string) {
		t.Helper()
		rec, err := r.desk.Get(t.Context(), id)
		fatal.If(t, err)
		yes := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.YesID}}}}
		_, err = r.desk.Reply(t.Context(), id, key.Sign(&rec, yes, time.Now().UTC()), desk.Evidence{Surface: "web", How: desk.HowPage})
		fatal.If(t, err)
	}
}

var urls = mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}}}

// A client that opens addresses for its user gets the page's, in both eras; the result names
// the proof. A client that waits for its user learns before the result that they have signed.
func TestSignedAtAddress(t *testing.T) {
	for _, modern := range []bool{false, true} {
		r, sign := newSigningRig(t)
		l := &link{noted: make(chan string, 1), client: Client{Capabilities: urls, Modern: modern}}
		forms := make(chan *mcp.ElicitationParams, 1)
		l.elicit = func(_ context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
			forms <- &form
			return accepted(), nil
		}
		got := r.start(t.Context(), l, request(sure))
		if modern { // a round trip of the call, and else a request of ours
			first := waittest.Take(t, got)
			forms <- first.InputRequests[formKey].Elicitation
			got = r.start(t.Context(), l, back(sure, first))
		}
		form, id := waittest.Take(t, forms), r.open().ID
		want := mcp.ElicitationParams{Mode: mcp.ElicitationModeURL, ElicitationID: id,
			URL: "http://localhost:4000/?token=once", Message: "Sign your answer on the page: Sure?"}
		if !reflect.DeepEqual(form, &want) {
			t.Errorf("modern %t: asked of the client: %+v", modern, form)
		}
		sign(id)
		signed := waittest.Take(t, got)
		status, text := signed.status(t), signed.text(t)
		if status != "answered true" || !strings.Contains(text, `"Sure?"="Yes"`) ||
			!strings.HasSuffix(text, "This answer was confirmed by the user with a passkey.") {
			t.Errorf("modern %t: the result is %s: %s", modern, status, text)
		}
		close(l.noted)
		if noted := <-l.noted; (noted == `{"elicitationId":"`+id+`"}`) == modern {
			t.Errorf("modern %t: the client is told %q", modern, noted)
		}
	}
}

// Where the client cannot open the page, or its user does not want to, the model passes on
// where the answer can be signed. The client's form is never shown.
func TestSignedElsewhere(t *testing.T) {
	forms := client("", true).Capabilities
	for name, tt := range map[string]struct {
		can  mcp.ClientCapabilities
		page func(string) (string, error) // nil: as it is
	}{
		"declined":      {can: urls},
		"forms only":    {can: forms},
		"no page there": {can: urls, page: func(string) (string, error) { return "", errors.New("none") }},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := newSigningRig(t)
			if tt.page != nil {
				r.Page = tt.page
			}
			l := &link{client: Client{Capabilities: tt.can, ProtocolVersion: mcp.ProtocolVersion20251125}}
			l.elicit = func(_ context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
				if form.Mode != mcp.ElicitationModeURL || tt.page != nil {
					t.Errorf("shown is %+v", form)
				}
				return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}}, nil
			}
			const want = `Tell the user now, in your reply: ` +
				`"To answer my question, run mcp-askuser web --open in a terminal." ` +
				"They must sign the answer with a passkey, on the page that this opens."
			text := waittest.Take(t, r.start(t.Context(), l, request(sure))).text(t)
			if !strings.HasPrefix(text, want) {
				t.Error(text)
			}
		})
	}
}
