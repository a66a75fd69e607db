package pane

import (
	"context"
	"errors"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
)

// Variable is set in the environment of the command in a pane: the user did not
// open its form.
const Variable = "MCP_ASKUSER_PANE"

// Answering returns a surface for the process in a pane: it shows the record as on
// does, but replies as "pane". When the asker's process is killed, the desk reports
// to every surface that the record is detached.
func Answering(on ui.Surface, d *desk.Desk) ui.Surface { return answering{on, d} }

type answering struct {
	ui.Surface
	desk *desk.Desk
}

func (answering) Name() string { return "pane" }

func (a answering) Show(ctx context.Context, rec desk.Record, commit ui.Commit) error {
	go func() { // until this process exits
		for tries := 10; tries > 0 && awaitAsker(); tries-- { // a process that ends closes its pipe and its lock one by one
			attendance, err := a.desk.Attend(ctx, rec.ID)
			attendance.Release() // watchers of the desk see that
			if !errors.Is(err, desk.ErrAttended) {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	return a.Surface.Show(ctx, rec, commit)
}
