package nats

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"mcp-askuser/desk"
)

// intact returns an error where the leader of a stream cannot read all messages that
// match a filter. After a bit on its disk has flipped it answers as if there were none,
// and its status does not show that.
func (c *conn) intact(ctx context.Context, stream, filter string) error {
	lost, err := c.unreadable(ctx, stream, filter)
	if err != nil || lost == 0 {
		return err
	}
	now, err := c.streamInfo(ctx, stream, map[string]string{})
	if err == nil && now.Cluster != nil {
		err = fmt.Errorf("%s leads %s and cannot read from its disk what it has of this question: stop it, remove its data directory, and start it again: it takes everything from the others",
			now.Cluster.Leader, stream)
	}
	return cmp.Or(err, fmt.Errorf("%w: the node cannot read it from its disk: restore a backup", desk.ErrDamaged))
}

// unreadable counts the messages that match a filter and that the leader of a stream
// lists, but cannot read.
func (c *conn) unreadable(ctx context.Context, stream, filter string) (uint64, error) {
	listed, err := c.subjects(ctx, stream, filter)
	if err != nil {
		return 0, err
	}
	var lost atomic.Uint64
	names := slices.Collect(maps.Keys(listed))
	err = each(len(names), func(i int) error {
		subject := names[i]
		readable, err := c.countReadable(ctx, stream, subject, listed[subject])
		if err != nil || readable == listed[subject] {
			return err
		}
		now, err := c.subjects(ctx, stream, subject) // some may have been removed meanwhile
		if err == nil {
			readable, err = c.countReadable(ctx, stream, subject, now[subject])
		}
		lost.Add(now[subject] - readable)
		return err
	})
	return lost.Load(), err
}

// countReadable reads the messages of a subject, up to so many, and returns how many
// there are.
func (c *conn) countReadable(ctx context.Context, stream, subject string, most uint64) (n uint64, err error) {
	for from := uint64(1); n < most; n++ {
		m, err := c.message(ctx, stream, map[string]any{"seq": from, "next_by_subj": subject})
		if err != nil || m.Seq == 0 {
			return n, err
		}
		from = m.Seq + 1
	}
	return n, nil
}
