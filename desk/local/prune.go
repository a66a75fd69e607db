package local

import (
	"context"
	"errors"
	"time"

	"mcp-askuser/desk/store"
)

// Prune implements [store.Store].
func (s *Store) Prune(ctx context.Context, before time.Time, dry bool) (months []store.Month, err error) {
	const ended = ` from record where at < ? and outcome is not null and (delivered or touched+keep < ?)
		and id not in (select earlier from record where outcome is null)`
	now := time.Now().UnixMilli()
	err = s.write(ctx, "", func(t *tx) error {
		rows, err := t.QueryContext(ctx, `select strftime('%Y-%m', at/1000, 'unixepoch'), count(*),
			sum(length(asked)+length(outcome)+
				(select coalesce(sum(length(data)), 0) from file where file.id=record.id))`+
			ended+` group by 1 order by 1`, before.UnixMilli(), now)
		var m store.Month
		err = each(rows, err, func() { months = append(months, m) }, &m.Name, &m.Rows, &m.Bytes)
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
		return nil, nil
	}
	return months, err
}
