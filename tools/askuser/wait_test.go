package askuser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui"
)

// A call that has a token reports again and again, each time with a higher value, and no other.
func TestProgressGoesOn(t *testing.T) {
	r := newRig(t, ui.Elsewhere())
	r.Tick = time.Millisecond
	silent, reports := &link{noted: make(chan string, 1)}, &link{noted: make(chan string, 1)}
	req := request(which)
	req.Params.Meta = &mcp.Meta{ProgressToken: 1}
	r.start(t.Context(), silent, request(`{"question":"Silent?"}`))
	r.open()
	r.start(t.Context(), reports, req)
	for last := 0; last < 3; {
		var report struct{ Progress int }
		fatal.If(t, json.Unmarshal([]byte(waittest.Take(t, reports.noted)), &report))
		if report.Progress <= last {
			t.Fatalf("a progress of %d follows on %d", report.Progress, last)
		}
		last = report.Progress
	}
	if len(silent.noted) > 0 {
		t.Errorf("a call without a token reports %s", <-silent.noted)
	}
}

// A call that waits ends when its store is removed.
func TestCallEndsWithTheStore(t *testing.T) {
	removed := make(chan struct{})
	lost := &desktest.Faulty{Store: desktest.Store(t, t.TempDir())}
	lost.Before(func(_ context.Context, c desktest.Call) error {
		if c.Method != "Wait" {
			return nil
		}
		<-removed
		return store.ErrLost
	})
	r := openStore(t, lost, desk.Options{}, ui.Elsewhere())
	got := r.start(t.Context(), &link{}, request(which))
	r.open()
	close(removed)
	x := waittest.Take(t, got)
	if status := x.status(t); status != "failed" {
		t.Errorf("%s: %v", status, x.Content)
	}
}

// A call that awaits a question while the store fails has its model come back, and not ask anew.
func TestAwaitWhileTheStoreFails(t *testing.T) {
	s := &desktest.Faulty{Store: desktest.Store(t, t.TempDir())}
	asker := openStore(t, s, desk.Options{}, ui.Elsewhere())
	id := waittest.Take(t, asker.start(t.Context(), &link{}, request(goOn))).StructuredContent.(*wire.Result).ID
	s.Fail("Get", fmt.Errorf("the desk: %w", store.ErrUnreachable))
	x := waittest.Take(t, openStore(t, s, desk.Options{}).startAwait(t.Context(), &link{}, []string{id}, ""))
	if text := x.text(t); !x.IsError || !strings.Contains(text, `Call await_answer with id "`+id) {
		t.Errorf("%s", text)
	}
}

// A progress message says where to answer.
func TestProgressSaysWhere(t *testing.T) {
	for surface, want := range map[string]string{
		"inbox": "Run mcp-askuser inbox --dir x to answer: Which?",
		"pane":  "Waiting for your answer in a pane: Which?",
	} {
		req := request(which)
		req.Params.Meta = &mcp.Meta{ProgressToken: 7}
		r := newRig(t, stays(surface))
		r.Command += " --dir x"
		l := &link{noted: make(chan string, 10), client: client("gemini", false)}
		r.start(t.Context(), l, req)
		first := waittest.Take(t, l.noted)
		if !strings.Contains(first, want) {
			t.Errorf("the first message is %s", first)
		}
	}
}

// How long a call waits, by host: with neither form nor progress, with progress, with both; and
// over HTTP, where it is held for as long as its host was seen to wait there, no longer than
// over any transport.
func TestHoldByHost(t *testing.T) {
	const second, day = time.Second, 24 * time.Hour
	for client, want := range map[string][5]time.Duration{
		"claude-code":           {110 * second, 110 * second, day, 110 * second, 9 * time.Minute},
		"codex-mcp-client":      {280 * second, 280 * second, day, 280 * second, 280 * second},
		"gemini-cli-mcp-client": {570 * second, 570 * second, 570 * second, 570 * second, 570 * second},
		"copilot-cli":           {50 * second, day, day, 45 * second, 45 * second},
		"opencode":              {50 * second, day, day, 50 * second, 10 * time.Minute},
		"Visual Studio Code":    {50 * second, 50 * second, day, 45 * second, 45 * second},
		"something new":         {50 * second, 50 * second, 50 * second, 45 * second, 45 * second},
	} {
		h := hostOf(client)
		over := h.overHTTP()
		got := [5]time.Duration{h.callLimit(false, false), h.callLimit(false, true), h.callLimit(true, true), over.callLimit(false, false), over.callLimit(true, true)}
		if got != want {
			t.Errorf("%q: %v, want %v", client, got, want)
		}
	}
}

// A call in Claude Code waits until shortly before it would go to the background, and returns, also in
// its form, before the limit of calls after which it is a failure. The user moves both, or switches them
// off. No other host has the variables.
func TestLimitsOfTheUser(t *testing.T) {
	const second, day = time.Second, 24 * time.Hour
	for _, tc := range []struct {
		client, variable, value string
		wait, inForm            time.Duration
	}{
		{"claude-code", BackgroundVariable, "600000", 590 * second, day},
		{"claude-code", BackgroundVariable, "5000", second, day},
		{"claude-code", BackgroundVariable, "0", day, day},
		{"claude-code", BackgroundVariable, "-1", 110 * second, day},
		{"claude-code", BackgroundVariable, "ten minutes", 110 * second, day},
		{"codex-mcp-client", BackgroundVariable, "600000", 280 * second, day},
		{"claude-code", toolTimeoutVariable, "60000", 50 * second, 50 * second},
		{"claude-code", toolTimeoutVariable, "300000", 110 * second, 290 * second},
		{"claude-code", toolTimeoutVariable, "0", 110 * second, day},
		{"claude-code", toolTimeoutVariable, "never", 110 * second, day},
	} {
		h := hostOf(tc.client).within(func(name string) string { return map[string]string{tc.variable: tc.value}[name] })
		if wait, inForm := h.callLimit(false, true), h.callLimit(true, true); wait != tc.wait || inForm != tc.inForm {
			t.Errorf("%s with %s=%s: %s, in a form %s", tc.client, tc.variable, tc.value, wait, inForm)
		}
	}
}
