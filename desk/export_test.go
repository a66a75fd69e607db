package desk

import (
	"context"

	"mcp-askuser/question"
)

// MinHistory is minHistory for tests.
const MinHistory = minHistory

// Ask puts a set on the desk as a new question without a waiting asker, even where the
// same is open, whatever the limit of rounds.
func (d *Desk) Ask(ctx context.Context, set question.Set, session string, by Asker) (Record, error) {
	rec, attendance, err := d.ask(ctx, Request{Set: set, Session: session, Asker: by}, 0)
	attendance.Release()
	rec.Attended = false
	return rec, err
}
