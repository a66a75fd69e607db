package desk

import "context"

// Delivered is a stand-in.
func (d *Desk) Delivered(ctx context.Context, id string) error {
	rec, err := d.get(ctx, id)
	if err != nil {
		return err
	}
	return d.store.Unmark(ctx, MarkContent, rec.Content, id)
}
