package desk

import (
	"context"

	"mcp-askuser/question"
)

// Ask puts a set on the desk as a new question without a waiting asker, even where the
// same is open, whatever the limit of rounds.
func (d *Desk) Ask(ctx context.Context, set question.Set, session string, by Asker) (Record, error) {
	rec := d.newRecord(Request{Set: set, Session: session, Asker: by})
	err := d.number(ctx, &rec, 0)
	if err != nil {
		return rec, err
	}
	row, err := rec.row("") // like no other
	if err == nil {
		_, err = d.store.Ask(ctx, row)
	}
	if err == nil {
		err = d.store.Release(ctx, rec.ID)
	}
	return rec, err
}
