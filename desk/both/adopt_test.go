package both

import (
	"context"
	"testing"
	"time"

	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
)

// signed is a shared desk on which a human answers.
type signed struct {
	*shared
	human string
}

func (f signed) Wait(ctx context.Context, id string) (store.Row, error) {
	row, err := f.shared.Wait(ctx, id)
	row.Human = f.human
	return row, err
}

// A question that arrived at the shared desk after all, too late, is asked on this machine, and seen
// on both. The answer that a human gives there is not lost, and a program's counts no more than here.
func TestAnsweredAtTheOtherHome(t *testing.T) {
	for human, want := range map[string]string{"alice": "there", "": "here"} {
		j := join(t)
		far := signed{j.f, human}
		s := Join(desktest.Store(t, t.TempDir()), far, quiet())
		s.pause, s.patience = time.Millisecond, 50*time.Millisecond
		j.f.doubt = true
		row := joined{s, j.f}.ask(t, "doubt")
		fatal.If(t, j.f.own.Answer(t.Context(), row.ID, end("there")))
		if human == "" {
			fatal.If(t, s.Answer(t.Context(), row.ID, end("here")))
		}
		got, err := s.Wait(t.Context(), row.ID)
		if err != nil || string(got.Outcome) != want {
			t.Errorf("answered %q by %q, %v", got.Outcome, human, err)
		}
		delivered := func() bool {
			there, err := j.f.own.Get(t.Context(), row.ID)
			return err == nil && there.Delivered
		}
		if human != "" && !waittest.Until(10*time.Second, delivered) {
			t.Error("the same question would find the answer again")
		}
	}
}
