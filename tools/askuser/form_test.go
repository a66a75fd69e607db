package askuser

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/ui"
)

// A pane beside the client comes before the form of Claude Code, whatever is asked, and
// before another one that would cut the question.
func TestPaneBeforeTheForm(t *testing.T) {
	asked := func(name, options string, beside ui.Surface, attended bool) string {
		r := newRig(t, Elicit(), ui.Elsewhere())
		r.Beside, r.Attended = beside, func(bool) bool { return attended }
		l := &link{client: Client{Implementation: mcp.Implementation{Name: name}, Capabilities: mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}}}}
		l.elicit = func(ctx context.Context, _ mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		got := r.start(t.Context(), l, request(`{"question":"Which?","options":[{"label":"A",`+options+`},{"label":"B"}]}`))
		var rec desk.Record
		waittest.Until(waittest.Patience, func() bool {
			rec = r.open()
			return len(rec.ShownOn) > 0 && rec.ShownOn[len(rec.ShownOn)-1].Why == ""
		})
		r.reply(rec.ID, "a")
		waittest.Take(t, got)
		return rec.ShownOn[len(rec.ShownOn)-1].Surface
	}
	const short = `"description":"short"`
	// of the question
	const about = short + `},{"label":"B"}],"description":"four\nlines\nof\ndetails","more":[{"label":"A"`
	const high = short + `},{"label":"B"}],"description":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10","more":[{"label":"A"`
	shows := stays("tty")
	for _, tc := range []struct {
		host, options string
		beside        ui.Surface
		attended      bool
		want          string
	}{
		{"claude-code", short, shows, true, "tty"},
		{"claude-code", short, shows, false, "elicit"},
		{"claude-code", short, nil, true, "elicit"},
		{"claude-code", short, unavailableForm("not inside tmux"), true, "elicit"},
		{"codex", about, shows, true, "elicit"},
		{"codex", high, shows, true, "tty"},
		{"codex", `"preview":"x"`, shows, true, "tty"},
	} {
		if got := asked(tc.host, tc.options, tc.beside, tc.attended); got != tc.want {
			t.Errorf("%s, %s: shown on %s", tc.host, tc.options, got)
		}
	}
}

// A client that declares forms receives one, whatever its name; one that does not receives
// none.
func TestFormsFollowTheCapability(t *testing.T) {
	names := []string{"a client without a row", "opencode-v2", "Visual Studio Code", "kiro-cli"}
	for _, h := range knownHosts() {
		names = append(names, h.name)
	}
	for _, name := range names {
		for _, declared := range []*mcp.ElicitationCapability{{}, nil} {
			forms := 0
			l := &link{client: Client{Implementation: mcp.Implementation{Name: name}, Capabilities: mcp.ClientCapabilities{Elicitation: declared}}}
			l.elicit = func(context.Context, mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
				forms++
				return nil, errors.New("seen enough")
			}
			waittest.Take(t, newRig(t, Elicit()).start(t.Context(), l, request(which)))
			if want := map[bool]int{true: 1}[declared != nil]; forms != want {
				t.Errorf("%s, which declares %v, received %d forms", name, declared, forms)
			}
		}
	}
}

// accepted is the result of a form in which B was taken.
func accepted() *mcp.ElicitationResult {
	var x mcp.ElicitationResult
	x.Action, x.Content = mcp.ElicitationResponseActionAccept, map[string]any{"q1": "B"}
	return &x
}

// user waits for as long as a user takes at least: no accept sooner is one's.
func user() { <-time.After(610 * time.Millisecond) }

// back is the call that brings a form's result back, as clients of 2026-07-28 do.
func back(args string, shown result) mcp.CallToolRequest {
	req := request(args)
	req.Params.RequestState = shown.RequestState
	req.Params.InputResponses = mcp.InputResponses{formKey: mcp.NewElicitationInputResponse(*accepted())}
	return req
}

// The client's own form, in both eras, and over HTTP, where a message takes its time: an accept
// that is too quick there has the form shown again.
func TestOwnForm(t *testing.T) {
	can := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}}
	modern := &link{client: Client{Capabilities: can, ProtocolVersion: "2026-07-28", Modern: true}}
	answered := func(t *testing.T, got result) {
		t.Helper()
		if status := got.status(t); status != "answered B" {
			t.Errorf("the result is %s", status)
		}
	}
	for name, remote := range map[string]bool{"a request of ours": false, "a request of ours over HTTP": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Elicit())
			r.Remote = remote
			l := &link{client: Client{Capabilities: can, ProtocolVersion: mcp.ProtocolVersion20251125}}
			var shown []string
			l.elicit = func(_ context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
				shown = append(shown, form.Message)
				if len(shown) > 1 {
					<-time.After(remoteTransit)
				}
				user()
				return accepted(), nil
			}
			answered(t, waittest.Take(t, r.start(t.Context(), l, request(which))))
			if again := len(shown) == 2 && strings.HasPrefix(shown[1], "That was too quick"); again != remote {
				t.Errorf("the form is shown with %q", shown)
			}
		})
	}
	t.Run("a round trip of the call", func(t *testing.T) {
		r := newRig(t, Elicit())
		dropped := waittest.Take(t, r.start(t.Context(), modern, request(which)))
		second := waittest.Take(t, r.start(t.Context(), modern, request(which))) // the client lost the form, and asks again
		records, err := r.desk.Pending(t.Context())
		if err != nil || len(records) != 1 {
			t.Fatalf("%d questions, %v", len(records), err)
		}
		user()
		answered(t, waittest.Take(t, r.start(t.Context(), modern, back(which, second))))
		answered(t, waittest.Take(t, r.start(t.Context(), modern, back(which, dropped)))) // it comes back after all
	})
	t.Run("a round trip that came too late", func(t *testing.T) {
		r := newRig(t, Elicit())
		shown := waittest.Take(t, r.start(t.Context(), modern, request(which)))
		r.reply(r.open().ID, "a")
		user()
		got := waittest.Take(t, r.start(t.Context(), modern, back(which, shown)))
		if status := got.status(t); status != "answered A" {
			t.Errorf("then B: %s", status)
		}
	})
}
