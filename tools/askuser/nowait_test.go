package askuser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui"
)

const goOn = `{"question":"Which?","options":["A","B"],"wait":false}`

// askMany asks questions without waiting, and returns their ids.
func (r *rig) askMany(n int) (ids []string) {
	r.t.Helper()
	for i := range n {
		got := waittest.Take(r.t, r.start(r.t.Context(), &link{}, request(fmt.Sprintf(`{"question":"Which %d?","options":["A","B"],"wait":false}`, i))))
		x, ok := got.StructuredContent.(*wire.Result)
		if !ok || x.Status != desk.Pending || !strings.HasPrefix(x.Message, "The user has been asked and can answer now") {
			r.t.Fatalf("asked without waiting: %s", got.text(r.t))
		}
		ids = append(ids, x.ID)
	}
	return ids
}

// The question stays on its surface after the call, and until its end.
func TestShownAfterTheCall(t *testing.T) {
	shown, withdrawn := make(chan struct{}), make(chan struct{})
	r := newRig(t, surfaceFunc{"pane", func(ctx context.Context) error {
		close(shown)
		<-ctx.Done()
		close(withdrawn)
		return context.Cause(ctx)
	}})
	got := waittest.Take(t, r.start(t.Context(), &link{}, request(goOn)))
	if status := got.status(t); status != "pending" {
		t.Fatalf("the result is %s", status)
	}
	waittest.Take(t, shown)
	select {
	case <-withdrawn:
		t.Error("withdrawn with the call")
	default:
	}
	r.reply(r.open().ID, "b")
	waittest.Take(t, withdrawn)
}

// Where no user is, the call says so at once, with a form that it cannot show too.
func TestNoWaitWithoutUser(t *testing.T) {
	r := newRig(t, Elicit())
	r.settleTime = 3 * time.Second // on a busy machine
	for _, name := range []string{"", "claude-code"} {
		l := &link{client: client(name, name != "")}
		if status := waittest.Take(t, r.start(t.Context(), l, request(goOn))).status(t); status != "unavailable" {
			t.Errorf("%q: %s", name, status)
		}
	}
}

// A form that only await_answer can show, and that fails then: the model tells the user,
// and is not told so again by the next call, which waits.
func TestAwaitTellsOnce(t *testing.T) {
	r := newRig(t, Elicit())
	r.settleTime = 3 * time.Second // on a busy machine
	r.Attended = func(bool) bool { return true }
	forms := 0
	l := &link{
		client: client("cursor", true),
		elicit: func(context.Context, mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
			forms++
			return nil, errors.New("no window")
		},
	}
	text := waittest.Take(t, r.start(t.Context(), l, request(goOn))).text(t)
	if !strings.HasPrefix(text, "Tell the user now") || !strings.Contains(text, "is shown the question when you wait") ||
		forms != 0 {
		t.Errorf("asked, %d forms: %s", forms, text)
	}
	ids := []string{r.open().ID}
	text = waittest.Take(t, r.startAwait(t.Context(), l, ids, "")).text(t)
	if !strings.HasPrefix(text, "Tell the user now") || forms != 1 {
		t.Errorf("awaited, %d forms: %s", forms, text)
	}
	r.Hold = time.Millisecond
	text = waittest.Take(t, r.startAwait(t.Context(), l, ids, "")).text(t)
	if !strings.HasPrefix(text, "The question is still open") {
		t.Errorf("awaited again: %s", text)
	}
}

// Where an open inbox would help, the commands that open one are those of this server's store.
func TestRemedyHere(t *testing.T) {
	r := newRig(t, surfaceFunc{"inbox", func(context.Context) error { return ui.Unavailablef("none is open") }})
	r.Command = "mcp-askuser inbox --dir /x"
	text := waittest.Take(t, r.start(t.Context(), &link{}, request(which))).text(t)
	if !strings.Contains(text, "can open one with mcp-askuser inbox --dir /x or mcp-askuser web --dir /x)") {
		t.Error(text)
	}
}

// What the client's form takes never is not left to it: the model tells the user at once.
func TestNoFormLater(t *testing.T) {
	for name, asked := range map[string]string{
		"a secret":       `{"question":"What is the password?","wait":false}`,
		"a confirmation": `{"question":"Sure?","type":"boolean","wait":false}`,
	} {
		r, _ := newSigningRig(t)
		r.settleTime = 3 * time.Second // on a busy machine
		l := &link{client: client("cursor", true)}
		text := waittest.Take(t, r.start(t.Context(), l, request(asked))).text(t)
		if !strings.Contains(text, "Nothing here has shown them the question") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// Of several the first that ends is returned; what was not written is there for the next
// call, and what is open stays.
func TestAwaitSeveral(t *testing.T) {
	r := newRig(t, ui.Elsewhere())
	ids := r.askMany(3)
	first := &link{}
	got := r.startAwait(t.Context(), first, ids, "")
	r.reply(ids[1], "a")
	x := waittest.Take(t, got).StructuredContent.(*wire.Result)
	if x.ID != ids[1] || x.Status != desk.Answered || len(x.More) != 0 || !slices.Equal(x.Open, []string{ids[0], ids[2]}) {
		t.Errorf("the first: %+v", x)
	}
	first.told(false)
	r.reply(ids[0], "b")
	var next *link
	waittest.Until(waittest.Patience, func() bool { // the calls learn of the reply a moment later
		next = &link{}
		x = waittest.Take(t, r.startAwait(t.Context(), next, ids, `,"wait":false`)).StructuredContent.(*wire.Result)
		return len(x.More) == 1
	})
	if x.ID != ids[0] || len(x.More) != 1 || x.More[0].ID != ids[1] || !slices.Equal(x.Open, ids[2:]) {
		t.Errorf("all that have ended: %+v", x)
	}
	next.told(true)
	r.Hold = time.Millisecond
	for i, id := range ids[:2] { // both are delivered
		again := waittest.Take(t, r.start(t.Context(), &link{}, request(fmt.Sprintf(`{"question":"Which %d?","options":["A","B"]}`, i))))
		if again.status(t) != "pending" || strings.Contains(again.text(t), id) {
			t.Errorf("asked again after the delivery: %s", again.text(t))
		}
	}
	other := r.askMany(1)[0]
	if text := waittest.Take(t, r.startAwait(t.Context(), &link{}, []string{ids[2], other}, "")).text(t); !strings.Contains(text, fmt.Sprintf("with ids %q, %q", ids[2], other)) {
		t.Errorf("both are open: %s", text)
	}
	unknown := []string{"01ARZ3NDEKTSV4RRFFQ69G5FAV", "x"}
	if text := waittest.Take(t, r.startAwait(t.Context(), &link{}, append(unknown, ids[2]), "")).text(t); strings.Count(text, "no question has the id") != 2 || !strings.Contains(text, fmt.Sprintf("%q", unknown[1])) {
		t.Errorf("unknown ids among them: %s", text)
	}
	if rec, err := r.desk.Get(t.Context(), ids[2]); err != nil || rec.Attended || rec.State != desk.Pending {
		t.Errorf("%s, attended %v, after every call: %v", rec.State, rec.Attended, err)
	}
}
