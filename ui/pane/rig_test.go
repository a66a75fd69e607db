//go:build unix

package pane

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
)

// rig is a desk with one open question, and a surface that shows it.
type rig struct {
	t    testing.TB
	desk *desk.Desk
	rec  desk.Record
	dir  string
}

func newRig(t testing.TB) *rig {
	t.Helper()
	dir := filepath.Join(t.TempDir(), `a "$(odd)" #{pane_id} 'directory';`) // what no program may take for its own
	r := &rig{t: t, desk: desktest.Open(t, dir), dir: dir}
	r.rec = r.ask("Which one?")
	return r
}

func (r *rig) ask(text string) desk.Record {
	r.t.Helper()
	rec, err := desktest.Ask(r.t.Context(), r.desk, question.Set{Questions: []question.Question{{ID: "q1", Text: text, Type: question.SingleChoice, Required: true,
		Options: []question.Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}}}}}, "", desk.Asker{Client: "test", Via: "mcp"})
	fatal.If(r.t, err)
	return rec
}

// surface returns the surface as an asker with these variables would have it.
func (r *rig) surface(env ...string) ui.Surface {
	s := alone(variables(env...))
	s.env = []string{"MCP_ASKUSER_DIR=" + r.dir}
	return s
}

// alone is the surface of an asker without ancestors.
func alone(getenv func(string) string) *surface {
	s := New(getenv).(*surface)
	s.ancestors = func(func(process) bool) {}
	return s
}

func variables(env ...string) func(string) string {
	return func(name string) string {
		for _, entry := range env {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// show shows the record as the asker does, in the background.
func (r *rig) show(ctx context.Context, s ui.Surface, rec desk.Record) <-chan error {
	shown := make(chan error, 1)
	presenter := present.New(present.Options{Desk: r.desk})
	w, err := presenter.Show(ctx, rec.ID, func(*present.Presentation) []ui.Surface { return []ui.Surface{s} })
	fatal.If(r.t, err)
	context.AfterFunc(ctx, func() { presenter.Close(context.Cause(ctx)) })
	go func() {
		<-w.Unshown()
		shown <- w.UnshownReason()
	}()
	r.t.Cleanup(func() {
		_, _ = r.desk.Close(context.Background(), rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: "the test is over"})
	})
	return shown
}

func (r *rig) state() string {
	r.t.Helper()
	rec, err := r.desk.Get(r.t.Context(), r.rec.ID)
	fatal.If(r.t, err)
	if rec.Outcome == nil || rec.Outcome.Reply == nil || rec.Outcome.Reply.Answers == nil {
		return string(rec.State)
	}
	return fmt.Sprint(rec.State, " ", rec.Outcome.Reply.Answers[0].Selected[0])
}

func (r *rig) wants(shown <-chan error, err error, state string) {
	r.t.Helper()
	if got := waittest.Take(r.t, shown); !errors.Is(got, err) {
		r.t.Errorf("Show returned %v, want %v", got, err)
	}
	if got := r.state(); got != state {
		r.t.Errorf("the question is %s, want %s", got, state)
	}
}
