package pane

import (
	"context"
	"errors"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
)

// Variable is set in the environment of the command in a pane: nobody called
// for its form, which appeared by itself.
const Variable = "MCP_ASKUSER_PANE"

// Answering returns the surface on as it is in a pane: it replies as "pane", and
// when the asker's process dies, which cannot say so itself, all who show the
// record hear that nobody waits.
func Answering(on ui.Surface, d *desk.Desk) ui.Surface { return answering{on, d} }

type answering struct {
	ui.Surface
	desk *desk.Desk
}

func (answering) Name() string { return "pane" }

func (a answering) Show(ctx context.Context, rec desk.Record, commit ui.Commit) error {
	go func() { // for as long as this process lives
		for left := 10; left > 0 && awaitAsker(); left-- { // a process lets go of its pipe and its lock one after the other
			attendance, err := a.desk.Attend(ctx, rec.ID)
			attendance.Release() // which is the news
			if !errors.Is(err, desk.ErrAttended) {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	return a.Surface.Show(ctx, rec, commit)
}
