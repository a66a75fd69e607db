package askuser

import (
	"context"
	"errors"
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
	check := func(t *testing.T, r *rig, form *mcp.ElicitationParams) {
		t.Helper()
		const address, message = "http://localhost:4000/?token=once", "Sign your answer on the page: Sure?"
		if form == nil || form.Mode != mcp.ElicitationModeURL || form.URL != address ||
			form.ElicitationID != r.open().ID || form.Message != message {
			t.Errorf("asked of the client: %+v", form)
		}
	}
	signed := func(t *testing.T, got result) {
		t.Helper()
		if status := got.status(t); status != "answered true" {
			t.Errorf("the result is %s", status)
		}
		if text := got.text(t); !strings.Contains(text, `"Sure?"="Yes"`) || !strings.HasSuffix(text, "This answer was confirmed by the user with a passkey.") {
			t.Error(text)
		}
	}
	t.Run("a request of ours", func(t *testing.T) {
		r, sign := newSigningRig(t)
		l := &link{noted: make(chan string, 1), client: Client{Capabilities: urls, ProtocolVersion: mcp.ProtocolVersion20251125}}
		asked := make(chan *mcp.ElicitationParams, 1)
		l.elicit = func(_ context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
			asked <- &form
			return accepted(), nil
		}
		got := r.start(t.Context(), l, request(sure))
		check(t, r, waittest.Take(t, asked))
		id := r.open().ID
		sign(id)
		signed(t, waittest.Take(t, got))
		if len(l.noted) == 0 || <-l.noted != `{"elicitationId":"`+id+`"}` {
			t.Error("the client is not told before the result")
		}
	})
	t.Run("a round trip of the call", func(t *testing.T) {
		r, sign := newSigningRig(t)
		l := &link{noted: make(chan string, 1), client: Client{Capabilities: urls, ProtocolVersion: "2026-07-28", Modern: true}}
		first := waittest.Take(t, r.start(t.Context(), l, request(sure)))
		check(t, r, first.InputRequests[formKey].Elicitation)
		got := r.start(t.Context(), l, back(sure, first))
		sign(r.open().ID)
		signed(t, waittest.Take(t, got))
		if len(l.noted) > 0 {
			t.Errorf("the client is told %s", <-l.noted)
		}
	})
}

// Where the client cannot open the page, or its user does not want to, the model passes on
// where the answer can be signed. The client's form is never shown.
func TestSignedElsewhere(t *testing.T) {
	forms := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}}
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
			const want = `They must sign the answer with a passkey on the page, which mcp-askuser web --open opens.`
			if text := waittest.Take(t, r.start(t.Context(), l, request(sure))).text(t); !strings.HasPrefix(text, "Tell the user now") || !strings.Contains(text, want) {
				t.Error(text)
			}
		})
	}
}
