package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mcp-askuser/question"
)

// draft is a document of the drafts collection.
type draft struct {
	At    time.Time      `json:"at"`
	Reply question.Reply `json:"reply"`
}

// SaveDraft keeps what a human is typing, whole or not, so that it survives
// the program and can be offered again. It restarts the clock of a timeout.
func (d *Desk) SaveDraft(ctx context.Context, id string, r question.Reply) error {
	data, err := json.Marshal(draft{d.time(), r})
	if err != nil {
		return fmt.Errorf("encode the draft: %w", err)
	}
	if _, err := d.stillOpen(ctx, id); err != nil {
		return err // a draft of what has ended would stay for ever
	}
	return d.store.Put(ctx, KindDrafts, id, data)
}

// Draft returns what was typed for a record, and when. ErrNotFound means that
// there is none.
func (d *Desk) Draft(ctx context.Context, id string) (question.Reply, time.Time, error) {
	data, err := d.store.Get(ctx, KindDrafts, id)
	if errors.Is(err, fs.ErrNotExist) || !ValidID(id) {
		return question.Reply{}, time.Time{}, ErrNotFound
	}
	if err != nil {
		return question.Reply{}, time.Time{}, err
	}
	var x draft
	if err := json.Unmarshal(data, &x); err != nil {
		return question.Reply{}, time.Time{}, fmt.Errorf("%w: draft of %s: %w", ErrDamaged, id, err)
	}
	return x.Reply, x.At, nil
}

// Deadline returns when a record's timeout strikes: Timeout after it was asked
// or last worked on. It is false for one without.
func (d *Desk) Deadline(ctx context.Context, rec Record) (time.Time, bool) {
	if rec.Timeout <= 0 {
		return time.Time{}, false
	}
	from := rec.CreatedAt
	if _, at, err := d.Draft(ctx, rec.ID); err == nil && at.After(from) {
		from = at
	}
	return from.Add(seconds(rec.Timeout)), true
}

// touch restarts the clock of a record.
func (d *Desk) touch(ctx context.Context, id string) {
	r, _, err := d.Draft(ctx, id)
	if err != nil && !errors.Is(err, ErrNotFound) {
		r = question.Reply{}
	}
	if err := d.SaveDraft(ctx, id, r); err != nil {
		d.log.WarnContext(ctx, "restarting a clock", "id", id, "error", err)
	}
}
