package nats

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"mcp-askuser/desk"
)

// The headers of messages. Whatever has no headerOp is none of ours: the server
// may be made to write answers of its own where an outcome belongs, and they
// are as good as nothing.
const (
	headerOp     = "Ask-Op"
	opPut, opDel = "put", "del"
)

// Codes of errors of the server.
const (
	codeNoMessage     = 10037
	codeNoStream      = 10059
	codeWrongSequence = 10071
	codeWrongConstant = 10164 // the same
	codeUnderWay      = 10158 // an attempt with this Nats-Msg-Id is not stored yet
)

// message is one of a stream; the zero message is none.
type message struct {
	Subject string
	Seq     uint64
	Data    []byte
	Op      string
}

// there reports whether the message is a document.
func (m *message) there() bool { return m.Op == opPut }

type apiError struct {
	Code        int    `json:"code"`
	ErrCode     int    `json:"err_code"`
	Description string `json:"description"`
}

func (e *apiError) Error() string { return fmt.Sprintf("%s (%d)", e.Description, e.ErrCode) }

// api calls the server's interface for streams, until there is an answer.
func (c *conn) api(ctx context.Context, limit time.Duration, call string, request, answer any) error {
	data, err := json.Marshal(request)
	if err != nil {
		return err
	}
	return c.repeat(ctx, limit, func(wait time.Duration) (bool, error) {
		m, err := c.request(ctx, wait, &natsgo.Msg{Subject: "$JS.API." + call, Data: data})
		switch {
		case errors.Is(err, desk.ErrDenied):
			return true, err
		case errors.Is(err, natsgo.ErrNoResponders): // the first of a new leader may hear this too
			return false, fmt.Errorf("%w: no node has JetStream at this moment", desk.ErrUnreachable)
		case err != nil:
			return false, unreachable(err)
		}
		var failed struct {
			Error *apiError `json:"error"`
		}
		if err := json.Unmarshal(m.Data, &failed); err != nil {
			return true, fmt.Errorf("what the desk answered is damaged: %w", err)
		}
		if failed.Error == nil {
			return true, json.Unmarshal(m.Data, answer)
		}
		if failed.Error.ErrCode == codeNoStream {
			return true, fmt.Errorf("%w: its streams have not been made; the operator does that: mcp-askuser desk create", desk.ErrUnreachable)
		}
		return failed.Error.Code != 503, failed.Error
	})
}

// unreachable is the error of one who got no answer.
func unreachable(err error) error {
	if errors.Is(err, desk.ErrUnreachable) {
		return err
	}
	return fmt.Errorf("%w: %w", desk.ErrUnreachable, err)
}

// last returns the last message on a subject, or on all that match, from the
// leader of the stream; the zero message if there is none.
func (c *conn) last(ctx context.Context, stream, subject string) (message, error) {
	return c.message(ctx, stream, map[string]any{"last_by_subj": subject})
}

// first returns the first.
func (c *conn) first(ctx context.Context, stream, subject string) (message, error) {
	return c.message(ctx, stream, map[string]any{"seq": 1, "next_by_subj": subject})
}

func (c *conn) message(ctx context.Context, stream string, which map[string]any) (message, error) {
	var answer struct {
		Message struct {
			Subject string `json:"subject"`
			Seq     uint64 `json:"seq"`
			Header  []byte `json:"hdrs"`
			Data    []byte `json:"data"`
		} `json:"message"`
	}
	err := c.api(ctx, patience, "STREAM.MSG.GET."+stream, which, &answer)
	if failed, ok := errors.AsType[*apiError](err); ok && failed.ErrCode == codeNoMessage {
		return message{}, nil
	}
	m := message{Subject: answer.Message.Subject, Seq: answer.Message.Seq, Data: answer.Message.Data}
	if h, err := natsgo.DecodeHeadersMsg(answer.Message.Header); err == nil {
		m.Op = h.Get(headerOp)
	}
	return m, err
}

// many is from how many messages on they are read with a consumer: to make one
// takes as long as to read so many.
const many = 256

// all returns the last message of each subject that matches a filter, by
// subject. A consumer may be at a follower that is behind: what it has handed
// out is complete when a message comes out that was put in after it was made.
// It takes a human's credential.
func (c *conn) all(ctx context.Context, filter string) (map[string]message, error) {
	nc, err := c.connected(ctx)
	if err != nil {
		return nil, err
	}
	name := nuid.Next()
	inbox, barrier := nc.NewInbox(), "ask.sync."+name
	sub, err := nc.SubscribeSync(inbox)
	if err != nil {
		return nil, unreachable(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	_ = sub.SetPendingLimits(-1, -1)
	request := consumer(name, inbox, filter, barrier)
	request["deliver_policy"] = "last_per_subject"
	if err := c.consume(ctx, name, request); err != nil {
		return nil, err
	}
	if err := c.put(ctx, barrier, nil, keepGone); err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found := map[string]message{}
	for n := uint64(1); ; {
		m, err := sub.NextMsgWithContext(within)
		if err != nil {
			return nil, unreachable(err)
		}
		meta, err := m.Metadata()
		if err != nil {
			continue // a heartbeat
		}
		if meta.Sequence.Consumer != n {
			return nil, unreachable(errGap)
		}
		n++
		if m.Subject == barrier {
			return found, nil
		}
		found[m.Subject] = message{m.Subject, meta.Sequence.Stream, m.Data, m.Header.Get(headerOp)}
	}
}

// consumer is the configuration of one that this process alone listens to.
func consumer(name, inbox string, subjects ...string) map[string]any {
	return map[string]any{
		"name": name, "deliver_subject": inbox, "ack_policy": "none", "max_deliver": 1, "replay_policy": "instant", "filter_subjects": subjects,
		"idle_heartbeat": heartbeat, "inactive_threshold": deaf, "num_replicas": 1, "mem_storage": true,
	}
}

// consume makes a consumer.
func (c *conn) consume(ctx context.Context, name string, config map[string]any) error {
	var made struct{}
	return c.api(ctx, patience, "CONSUMER.CREATE."+StreamDesk+"."+name, map[string]any{"stream_name": StreamDesk, "config": config}, &made)
}

// lasts returns the last message of each name of a kind, in their order: each of
// its own request, or, where they are many and the credential allows it, all
// with one consumer.
func (c *conn) lasts(ctx context.Context, kind desk.Kind, names []string) ([]message, error) {
	out := make([]message, len(names))
	if len(names) >= many && c.whoAmI().Human {
		found, err := c.all(ctx, subjectOf(kind, "*"))
		if err == nil {
			for i, name := range names {
				out[i] = found[subjectOf(kind, name)]
			}
			return out, nil
		}
		c.log.Debug("reading one by one", "kind", kind, "error", err)
	}
	errs := make([]error, len(names))
	each(len(names), func(i int) { out[i], errs[i] = c.last(ctx, StreamDesk, subjectOf(kind, names[i])) })
	return out, errors.Join(errs...)
}

// info is what the server says of a stream.
type info struct {
	natsgo.StreamInfo
	Total int `json:"total"` // subjects, where it says a page of them
}

// subjects returns the subjects of a stream that match a filter.
func (c *conn) subjects(ctx context.Context, stream, filter string) ([]string, error) {
	var all []string
	for {
		var page info
		err := c.api(ctx, patience, "STREAM.INFO."+stream, map[string]any{"subjects_filter": filter, "offset": len(all)}, &page)
		if err != nil {
			return nil, err
		}
		for subject := range page.State.Subjects {
			all = append(all, subject)
		}
		if len(page.State.Subjects) == 0 || len(all) >= page.Total {
			return all, nil
		}
	}
}

// creation is a document that is to be the only one.
type creation struct {
	stream, subject string
	filter          string // of the subjects among which it is; the subject if empty
	data            []byte
	gone            bool // not a document, but that there is none
	ttl             time.Duration
	// over is the sequence that it may replace beside what is gone; 0 is none.
	over uint64
}

// create commits a document where there is none: ErrExists where there is
// another, which was read and not only heard of; nil where it has the same
// bytes, written by an attempt whose acknowledgement was lost. ErrUncertain
// means that nobody can say.
func (c *conn) create(ctx context.Context, w creation) error {
	if len(w.data) > maxSize {
		return fmt.Errorf("too large: %d bytes, of at most %d", len(w.data), maxSize)
	}
	w.filter = cmp.Or(w.filter, w.subject)
	id, expect, doubt := nuid.Next(), w.over, false
	err := c.repeat(ctx, certainty, func(wait time.Duration) (bool, error) {
		ack, err := c.publish(ctx, wait, w, expect, id)
		failed, answered := errors.AsType[*apiError](err)
		switch {
		case err == nil && !ack.Duplicate:
			return true, nil
		case errors.Is(err, desk.ErrDenied):
			return true, err
		case err == nil: // an attempt of ours was taken, and perhaps stored
		case answered && (failed.ErrCode == codeWrongSequence || failed.ErrCode == codeWrongConstant):
		case answered && failed.ErrCode == codeUnderWay:
			doubt = true
			return false, unreachable(err)
		case errors.Is(err, natsgo.ErrNoResponders):
			return false, fmt.Errorf("%w: no node takes anything at this moment, or the streams have not been made (mcp-askuser desk status)", desk.ErrUnreachable)
		case answered:
			return failed.Code < 500, fmt.Errorf("the desk does not store it: %w", err)
		default:
			doubt = doubt || !errors.Is(err, desk.ErrUnreachable)
			return false, unreachable(err)
		}
		m, err := c.last(ctx, w.stream, w.filter)
		switch {
		case err != nil:
			doubt = true
			return false, err
		case m.Seq == 0: // one who was refused may hear so before the first is stored
			expect, id = 0, nuid.Next()
			return false, fmt.Errorf("%w: it is not said what was stored", desk.ErrUnreachable)
		case w.made(&m):
			return true, nil
		case m.there() || m.Op == opDel && isPlace(m.Subject):
			return true, fmt.Errorf("%s: %w", w.subject, desk.ErrExists)
		}
		expect, id = m.Seq, nuid.Next() // what is gone has a sequence, which must be named
		return false, nil
	})
	if err != nil && doubt && !errors.Is(err, desk.ErrExists) && !errors.Is(err, desk.ErrDenied) {
		return fmt.Errorf("%w: %w", desk.ErrUncertain, err)
	}
	return err
}

// remove takes away what was read; what has taken its place since stays.
func (c *conn) remove(ctx context.Context, m *message) error {
	err := c.create(ctx, creation{stream: StreamDesk, subject: m.Subject, gone: true, ttl: keepGone, over: m.Seq})
	if errors.Is(err, desk.ErrExists) {
		return nil
	}
	return err
}

// made reports whether a message is what was to be created.
func (w *creation) made(m *message) bool {
	if w.gone {
		return m.Op == opDel && m.Subject == w.subject
	}
	return m.there() && bytes.Equal(m.Data, w.data)
}

// isPlace reports whether that a message is gone keeps its place.
func isPlace(subject string) bool {
	id, _ := parseEnd(subject)
	return id != ""
}

// put replaces a document.
func (c *conn) put(ctx context.Context, subject string, data []byte, ttl time.Duration) error {
	w := creation{subject: subject, data: data, ttl: ttl}
	return c.repeat(ctx, patience, func(wait time.Duration) (bool, error) {
		_, err := c.publish(ctx, wait, w, anySequence, "")
		if err == nil || errors.Is(err, desk.ErrDenied) {
			return true, err
		}
		if failed, ok := errors.AsType[*apiError](err); ok {
			return failed.Code < 500, fmt.Errorf("the desk does not store it: %w", err)
		}
		return false, unreachable(err)
	})
}

// anySequence expects nothing of what is there.
const anySequence = ^uint64(0)

type pubAck struct {
	Seq       uint64    `json:"seq"`
	Duplicate bool      `json:"duplicate"`
	Error     *apiError `json:"error"`
}

// publish is one attempt to store a message.
func (c *conn) publish(ctx context.Context, wait time.Duration, w creation, expect uint64, id string) (pubAck, error) {
	m := natsgo.NewMsg(w.subject)
	m.Data = w.data
	m.Header.Set(headerOp, map[bool]string{false: opPut, true: opDel}[w.gone])
	if expect != anySequence {
		m.Header.Set("Nats-Expected-Last-Subject-Sequence", strconv.FormatUint(expect, 10))
		if filter := cmp.Or(w.filter, w.subject); filter != w.subject {
			m.Header.Set("Nats-Expected-Last-Subject-Sequence-Subject", filter)
		}
		m.Header.Set("Nats-Msg-Id", id)
	}
	if w.ttl > 0 {
		m.Header.Set("Nats-TTL", w.ttl.String())
	}
	answer, err := c.request(ctx, wait, m)
	if err != nil {
		return pubAck{}, err
	}
	var ack pubAck
	if err := json.Unmarshal(answer.Data, &ack); err != nil {
		return pubAck{}, fmt.Errorf("what the desk answered is damaged: %w", err)
	}
	if ack.Error != nil {
		return pubAck{}, ack.Error
	}
	return ack, nil
}
