package nats

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"mcp-askuser/desk"
)

// A bell looks at this interval without having rung: its message is sent once, and a
// client that was disconnected misses it.
const lookInterval = time.Minute

// Bell implements desk.Store. The server rings after it has stored an outcome;
// on the outcome's own subject refused publications arrive as well.
func (s *Store) Bell(ctx context.Context, id string, look func() bool) error {
	if err := desk.Admit(ctx, id, desk.ValidID); err != nil {
		return err
	}
	p, err := s.placeOf(ctx, desk.KindReplies, id)
	if errors.Is(err, desk.ErrNotFound) { // it will never ring; look finds out
		p, err = place{owner: "*"}, nil
	}
	if err != nil {
		return err
	}
	nc, err := s.connected(ctx)
	if err != nil {
		return err
	}
	rings := make(chan *natsgo.Msg, 1) // one is enough; the client drops what is more
	bell, err := nc.ChanSubscribe("rang."+p.owner+"."+id+".>", rings)
	if err != nil {
		return unreachable(err)
	}
	defer func() { _ = bell.Unsubscribe() }()
	defer s.guarded()()
	for {
		again := s.untilReconnect()
		if nc.IsConnected() {
			// The node has the subscription before we look; if it has died we look again
			// after the reconnect.
			_ = nc.FlushTimeout(requestTimeout)
		}
		if look() {
			return nil
		}
		select {
		case <-rings:
		case <-again.Done():
		case <-time.After(lookInterval - rand.N(lookInterval/4)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// watched are the subjects of a watch.
var watched = [...]string{
	allOf(areaAsk, string(desk.KindPending)), allOf(areaAsk, kindEnd), allOf(areaAsk, string(desk.KindDrafts)),
	allOf(areaAsk, string(desk.KindShowing)), allOf(areaAsk, string(desk.KindAskers)),
}

// How a watch notices that its consumer was lost.
const (
	heartbeat        = 5 * time.Second
	heartbeatTimeout = 3 * heartbeat
)

// Watch implements desk.Store with one consumer. When its messages skip a number, or
// none arrive, another consumer is made from the next sequence on.
func (s *Store) Watch(ctx context.Context) (<-chan desk.Change, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	now, err := s.streamInfo(ctx, StreamDesk, map[string]string{})
	if err != nil {
		return nil, err
	}
	w := &watch{store: s, next: now.State.LastSeq + 1, changes: make(chan desk.Change)}
	if err := w.consume(ctx); err != nil {
		return nil, err
	}
	go w.run(ctx)
	return w.changes, nil
}

type watch struct {
	store    *Store
	next     uint64 // the sequence that is wanted
	sub      *natsgo.Subscription
	changes  chan desk.Change
	received uint64 // messages of this consumer
	leader   uint64 // the last sequence that the leader is known to have
}

// consume makes the consumer.
func (w *watch) consume(ctx context.Context) error {
	nc, err := w.store.connected(ctx)
	if err != nil {
		return err
	}
	if w.sub != nil {
		_ = w.sub.Unsubscribe()
	}
	// Not the inbox of requests: an unknown message there may be taken for the answer
	// to the one request under way.
	inbox, name := nc.NewInbox(), nuid.Next()
	if w.sub, err = nc.SubscribeSync(inbox); err != nil {
		return unreachable(err)
	}
	w.received = 0
	request := map[string]any{"stream_name": StreamDesk, "config": map[string]any{
		"name": name, "deliver_subject": inbox, "ack_policy": "none", "max_deliver": 1, "replay_policy": "instant", "filter_subjects": watched,
		"deliver_policy": "by_start_sequence", "opt_start_seq": w.next, "headers_only": true,
		"idle_heartbeat": heartbeat, "inactive_threshold": heartbeatTimeout, "num_replicas": 1, "mem_storage": true,
	}}
	if err := w.store.api(ctx, readTimeout, "CONSUMER.CREATE."+StreamDesk+"."+name, request, &struct{}{}); err != nil {
		_ = w.sub.Unsubscribe()
		return fmt.Errorf("watch the desk: %w", err)
	}
	return nil
}

func (w *watch) run(ctx context.Context) {
	defer close(w.changes)
	defer func() { _ = w.sub.Unsubscribe() }()
	defer w.store.guarded()()
	again := w.store.untilReconnect()
	for {
		within, cancel := context.WithTimeout(ctx, heartbeatTimeout)
		stop := context.AfterFunc(again, cancel) // the consumer was left behind with the node
		m, err := w.sub.NextMsgWithContext(within)
		stop()
		cancel()
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			var c desk.Change
			if c, err = w.read(m); err == nil {
				if c.ID != "" && !(w.waitForLeader(ctx) && desk.SendChange(ctx, w.changes, c)) {
					return
				}
				continue
			}
		}
		for {
			again = w.store.untilReconnect()
			err := w.consume(ctx)
			if err == nil {
				break
			}
			if ctx.Err() != nil || errors.Is(err, desk.ErrDenied) {
				return
			}
			w.store.log.Debug("watching the desk anew", "error", err)
		}
	}
}

// waitForLeader returns once the leader has what the consumer has delivered. A consumer
// may run on a follower, which may have stored a message a moment before the leader: a
// process that receives a change and reads must find it. It is false when ctx ends.
func (w *watch) waitForLeader(ctx context.Context) bool {
	for pause := time.Millisecond; w.leader+1 < w.next; pause = min(2*pause, requestTimeout) {
		if now, err := w.store.streamInfo(ctx, StreamDesk, map[string]string{}); err == nil {
			w.leader = now.State.LastSeq
			if w.leader+1 >= w.next {
				break
			}
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return false
		}
	}
	return true
}

var errGap = errors.New("messages were missed")

// read reads a message of the consumer: a change, or the zero one for a heartbeat and
// what is no change.
func (w *watch) read(m *natsgo.Msg) (c desk.Change, err error) {
	if status := m.Header.Get("Status"); status != "" {
		last, err := strconv.ParseUint(m.Header.Get("Nats-Last-Consumer"), 10, 64)
		if err == nil && last != w.received {
			return c, errGap
		}
		return c, nil
	}
	meta, err := m.Metadata()
	if err != nil {
		return c, nil //nolint:nilerr // none of the consumer's
	}
	if w.received++; meta.Sequence.Consumer != w.received {
		return c, errGap
	}
	w.next = meta.Sequence.Stream + 1
	p, by, ok := parse(m.Subject)
	if !ok {
		w.store.ignoreForeign(m.Subject)
		return c, nil
	}
	if !desk.ValidID(p.name) {
		return c, nil
	}
	w.store.owners.Store(desk.OwnerIn(p.name), p.owner)
	c = desk.Change{Kind: desk.Kind(p.kind), ID: p.name, Removed: m.Header.Get(headerOp) == opDel}
	if p.kind == kindEnd {
		c.Kind = desk.KindReplies
		if swept := c.Removed && by.role != collected; swept {
			return desk.Change{}, nil
		}
	}
	return c, nil
}
