package shared

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"
	"golang.org/x/sync/errgroup"

	"mcp-askuser/desk/store"
)

// stream has all documents.
const stream = "ASK"

// maxInFlight is how many requests a call has under way.
const maxInFlight = 64

var (
	// errNoStream means that the operator has not created the stream, or that it was removed.
	errNoStream = fmt.Errorf("%w: nothing was created there: the operator runs mcp-askuser desk create",
		store.ErrUnreachable)
	// errRaced means that another process was faster, or that an earlier attempt of this one
	// was stored: the call reads again.
	errRaced = fmt.Errorf("%w: another process changes it", store.ErrUnreachable)
)

// message is a message of the stream.
type message struct {
	Subject string    `json:"subject"`
	Seq     uint64    `json:"seq"`
	Data    []byte    `json:"data"`
	Time    time.Time `json:"time"`
}

// streamInfo is the state of the stream.
type streamInfo struct {
	nats.StreamInfo
	Total int `json:"total"` // subjects, of which it lists some
}

// api makes one attempt of a call of the server's interface for streams.
func (s *Store) api(ctx context.Context, call string, request, answer any) error {
	data, err := json.Marshal(request)
	if err != nil {
		return err
	}
	return s.call(ctx, &nats.Msg{Subject: "$JS.API." + call, Data: data}, answer)
}

// call makes one attempt of a request to the stream, or about it.
func (s *Store) call(ctx context.Context, m *nats.Msg, answer any) error {
	got, err := s.request(ctx, m)
	if errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("%w: no node leads, or nothing was created there (mcp-askuser desk status)",
			store.ErrUnreachable)
	}
	if err != nil {
		return err
	}
	var failed struct {
		Error *nats.APIError `json:"error"`
	}
	err = json.Unmarshal(got.Data, &failed)
	if err != nil {
		return fmt.Errorf("read the answer of the desk: %w", err)
	}
	if failed.Error == nil {
		return json.Unmarshal(got.Data, answer)
	}
	switch failed.Error.ErrorCode {
	case nats.JSErrCodeMessageNotFound:
		return store.ErrNotFound
	case nats.JSErrCodeStreamNotFound:
		return errNoStream
	case nats.JSErrCodeStreamWrongLastSequence, nats.JSErrCodeStreamWrongLastSequenceConstant:
		return errRaced
	default:
	}
	if failed.Error.Code >= 500 { // most nodes do not run, or choose a leader
		return fmt.Errorf("%w: %w", store.ErrUnreachable, failed.Error)
	}
	return fmt.Errorf("the desk refuses: %w", failed.Error)
}

// next returns the first message at or after a sequence that matches a filter, last the last of
// all. The error is ErrNotFound where there is none.
func (s *Store) next(ctx context.Context, filter string, seq uint64) (message, error) {
	return s.message(ctx, map[string]any{"next_by_subj": filter, "seq": seq})
}

func (s *Store) last(ctx context.Context, filter string) (message, error) {
	return s.message(ctx, map[string]any{"last_by_subj": filter})
}

func (s *Store) message(ctx context.Context, which map[string]any) (message, error) {
	var answer struct {
		Message message `json:"message"`
	}
	err := s.api(ctx, "STREAM.MSG.GET."+stream, which, &answer)
	return answer.Message, err
}

// streamInfo returns the state of the stream as the leader has it. The error is errStale where
// the node that answers does not hear most nodes.
func (s *Store) streamInfo(ctx context.Context, request any) (info streamInfo, err error) {
	err = s.api(ctx, "STREAM.INFO."+stream, request, &info)
	if err == nil && !hearsMost(info.Cluster) {
		err = errStale
	}
	return info, err
}

// after calls each with the messages after a sequence that match a filter, in their order, to one that
// is not before another. A node that has been the leader may lack some.
func (s *Store) after(ctx context.Context, seq, until uint64, filter string, each func(*message)) error {
	for seq < until {
		m, err := s.next(ctx, filter, seq+1)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		each(&m)
		seq = m.Seq
	}
	return nil
}

// changed calls add with the messages of rows after a sequence, in no order. It reads parts of them at
// once: a machine may be far from the desk, and may have slept for a day.
func (s *Store) changed(ctx context.Context, seq uint64, add func(*message)) error {
	info, err := s.streamInfo(ctx, struct{}{})
	last := info.State.LastSeq
	if err != nil || last <= seq {
		return err
	}
	var mu sync.Mutex
	part := (last-seq)/maxInFlight + 1
	return each(maxInFlight, func(i int) error {
		from := seq + uint64(i)*part
		return s.after(ctx, from, min(from+part, last), rowsRoot+">", func(m *message) {
			mu.Lock()
			defer mu.Unlock()
			add(m)
		})
	})
}

// subjects calls each with all subjects that match a filter, in no order.
func (s *Store) subjects(ctx context.Context, filter string, each func(subject string)) error {
	for seen := 0; ; {
		info, err := s.streamInfo(ctx, map[string]any{"subjects_filter": filter, "offset": seen})
		if err != nil {
			return err
		}
		for subject := range info.State.Subjects {
			each(subject)
		}
		seen += len(info.State.Subjects)
		if len(info.State.Subjects) == 0 || seen >= info.Total {
			return nil
		}
	}
}

// each calls f for 0 to n-1, some at a time, and returns the first error.
func each(n int, f func(int) error) error {
	var calls errgroup.Group
	calls.SetLimit(maxInFlight)
	for i := range n {
		calls.Go(func() error { return f(i) })
	}
	return calls.Wait()
}

// write is a document to store.
type write struct {
	subject string
	data    []byte
	ttl     time.Duration
	filter  string // what the last message must match that has the sequence; empty for any
	after   uint64 // the sequence; 0 where there must be none
}

// publish makes one attempt to store a document, and returns its sequence. The error is
// errRaced where the last message is another, or one that is not stored yet.
func (s *Store) publish(ctx context.Context, w write) (seq uint64, err error) {
	m := nats.NewMsg(w.subject)
	m.Data = w.data
	if w.filter != "" {
		m.Header.Set(nats.ExpectedLastSubjSeqHdr, strconv.FormatUint(w.after, 10))
		m.Header.Set("Nats-Expected-Last-Subject-Sequence-Subject", w.filter)
	}
	if w.ttl > 0 {
		m.Header.Set(nats.MsgTTLHdr, w.ttl.Round(time.Second).String())
	}
	var ack nats.PubAck
	err = s.call(ctx, m, &ack)
	return ack.Sequence, err
}

// scan calls each with all messages that match a filter, in their order: with one consumer,
// which may run on a node that lags behind the leader. It takes the rights of a human.
func (s *Store) scan(ctx context.Context, filter string, each func(message)) error {
	missing := map[string]bool{}
	err := s.subjects(ctx, filter, func(subject string) { missing[subject] = true })
	if err != nil || len(missing) == 0 {
		return err
	}
	nc, err := s.connected(ctx)
	if err != nil {
		return err
	}
	inbox := nc.NewInbox()
	arriving, err := nc.SubscribeSync(inbox)
	if err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnreachable, err)
	}
	defer func() { _ = arriving.Unsubscribe() }()
	err = arriving.SetPendingLimits(-1, -1)
	if err != nil {
		return err
	}
	name := nuid.Next()
	err = s.api(ctx, "CONSUMER.CREATE."+stream+"."+name,
		map[string]any{"stream_name": stream, "config": nats.ConsumerConfig{
			Name: name, DeliverSubject: inbox, FilterSubjects: []string{filter}, DeliverPolicy: nats.DeliverAllPolicy,
			AckPolicy: nats.AckNonePolicy, MemoryStorage: true, Replicas: 1, InactiveThreshold: attempt,
		}}, &struct{}{})
	if err != nil {
		return err
	}
	for n, pending := uint64(1), uint64(1); len(missing) > 0 || pending > 0; n++ {
		within, cancel := context.WithTimeout(ctx, attempt)
		m, err := arriving.NextMsgWithContext(within)
		cancel()
		if err != nil {
			return fmt.Errorf("%w: the listing was interrupted: %w", store.ErrUnreachable, err)
		}
		meta, err := m.Metadata()
		if err != nil || meta.Sequence.Consumer != n {
			return fmt.Errorf("%w: a part of the listing was lost", store.ErrUnreachable)
		}
		delete(missing, m.Subject)
		pending = meta.NumPending
		each(message{m.Subject, meta.Sequence.Stream, m.Data, meta.Timestamp})
	}
	return nil
}
