package local

import (
	"context"
	"errors"
	"time"
)

// Prune implements [store.Store].
func (s *Store) Prune(ctx context.Context, before time.Time, dry bool) (rows int, err error) {
	const ended = ` from record where at < ? and outcome is not null and (delivered or touched+keep < ?)
		and id not in (select earlier from record where outcome is null)`
	now := time.Now().UnixMilli()
	err = s.write(ctx, "", func(t *tx) error {
		err := t.QueryRowContext(ctx, `select count(*)`+ended, before.UnixMilli(), now).Scan(&rows)
		if err != nil || dry {
			return err
		}
		_, err = t.ExecContext(ctx, `delete`+ended, before.UnixMilli(), now)
		if err == nil {
			_, err = t.ExecContext(ctx, `delete from draft where at < ?`, now-draftsFor.Milliseconds())
		}
		return err
	})
	if errors.Is(err, errNone) {
		return 0, nil
	}
	return rows, err
}
