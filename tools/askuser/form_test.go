package askuser

import (
	"context"
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
		l := &link{client: client(name, true)}
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

// The client's own form. Over HTTP, where a message takes its time, an accept that counts here is too
// quick, and has the form shown again.
func TestOwnForm(t *testing.T) {
	for _, remote := range []bool{false, true} {
		r := newRig(t, Elicit())
		r.Remote = remote
		l := &link{client: client("", true)}
		var shown []string
		l.elicit = func(_ context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
			shown = append(shown, form.Message)
			if len(shown) > 1 {
				<-time.After(remoteTransit)
			}
			user()
			return accepted(), nil
		}
		status := waittest.Take(t, r.start(t.Context(), l, request(which))).status(t)
		again := len(shown) == 2 && strings.HasPrefix(shown[1], "That was too quick")
		if status != "answered B" || again != remote {
			t.Errorf("over HTTP %t: the result is %s, the form is shown with %q", remote, status, shown)
		}
	}
}

// A client of 2026-07-28 that lost a form asks again, about the same question. The result of either form
// is the answer.
func TestFormAskedForAgain(t *testing.T) {
	r := newRig(t, Elicit())
	l := &link{client: client("", true)}
	l.client.ProtocolVersion, l.client.Modern = "2026-07-28", true
	lost := waittest.Take(t, r.start(t.Context(), l, request(which)))
	second := waittest.Take(t, r.start(t.Context(), l, request(which)))
	r.open()
	user()
	for _, shown := range []result{second, lost} {
		got := waittest.Take(t, r.start(t.Context(), l, back(which, shown)))
		if status := got.status(t); status != "answered B" {
			t.Errorf("the result is %s", status)
		}
	}
}

// A form that does not reach its client is no call that waits: the question is kept, or withdrawn with
// its call. Where the client has it all the same, its result counts.
func TestFormThatIsNotWritten(t *testing.T) {
	r := newRig(t, Elicit())
	l := &link{client: client("", true)}
	l.client.ProtocolVersion, l.client.Modern = "2026-07-28", true
	shown := waittest.Take(t, r.start(t.Context(), l, request(which)))
	l.told(false)
	if r.open().Attended {
		t.Error("nobody waits, and the question is attended")
	}
	user()
	got := waittest.Take(t, r.start(t.Context(), l, back(which, shown)))
	if status := got.status(t); status != "answered B" {
		t.Errorf("the result is %s", status)
	}
	l.told(true)

	ctx, cancel := context.WithCancelCause(t.Context())
	waittest.Take(t, r.start(ctx, l, request(which)))
	cancel(&Cancelled{"the user pressed Esc"})
	l.told(false)
	r.pending(0)
}
