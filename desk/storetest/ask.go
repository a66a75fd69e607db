package storetest

import (
	"context"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Ask puts a set on the desk as a question for which no asker waits. An earlier outcome
// of the same question is collected first.
func Ask(ctx context.Context, d *desk.Desk, set question.Set, session string, by desk.Asker) (desk.Record, error) {
	for {
		rec, attendance, err := d.Submit(ctx, desk.Request{Set: set, Session: session, Asker: by})
		attendance.Release()
		if err != nil || rec.Outcome == nil {
			rec.Attended = false
			return rec, err
		}
		if err := d.Archive(ctx, rec.ID); err != nil {
			return rec, err
		}
	}
}
