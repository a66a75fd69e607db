package nats

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"mcp-askuser/desk"
)

// The headers of messages. A message without headerOp is not ours: the server may be
// made to write its answers where an outcome belongs, and they do not count.
const (
	headerOp     = "Ask-Op"
	opPut, opDel = "put", "del"
)

// codeInProgress is the error of an attempt while an earlier one with its Nats-Msg-Id
// is not stored yet.
const codeInProgress = 10158

// message is a message of a stream; the zero message is none.
type message struct {
	Subject string
	Seq     uint64
	Data    []byte
	Op      string
	By      writer
}

// exists reports whether the message is a document.
func (m *message) exists() bool { return m.Op == opPut }

// checkWriter sets the writer of a message. One that its writer must not have written
// does not count.
func (c *conn) checkWriter(m *message) {
	if !strings.HasPrefix(m.Subject, root) {
		return
	}
	var ok bool
	if _, m.By, ok = parse(m.Subject); !ok {
		c.ignoreForeign(m.Subject)
		m.Op = ""
	}
}

// ignoreForeign logs once that a document is ignored.
func (c *conn) ignoreForeign(subject string) {
	if _, logged := c.ignored.Swap(subject, true); !logged {
		c.log.Warn("a document under a foreign name is ignored", "subject", subject)
	}
}

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
			Error *natsgo.APIError `json:"error"`
		}
		if err := json.Unmarshal(m.Data, &failed); err != nil {
			return true, fmt.Errorf("what the desk answered is damaged: %w", err)
		}
		if failed.Error == nil {
			return true, json.Unmarshal(m.Data, answer)
		}
		if failed.Error.ErrorCode == natsgo.JSErrCodeStreamNotFound {
			return true, errNoStream
		}
		if failed.Error.Code == 503 { // most nodes do not run
			return false, unreachable(failed.Error)
		}
		return true, failed.Error
	})
}

// errNoStream is the error of a request to a stream that does not exist.
var errNoStream = fmt.Errorf("%w: its streams have not been made; the operator does that: mcp-askuser desk create", desk.ErrUnreachable)

// unreachable is the error of a request without an answer.
func unreachable(err error) error {
	if errors.Is(err, desk.ErrUnreachable) {
		return err
	}
	return fmt.Errorf("%w: %w", desk.ErrUnreachable, err)
}

// last returns the last message in a place, from the leader of the stream; the
// zero message if there is none. Where the last is under a foreign name the one before
// it counts, with the sequence of the last.
func (c *conn) last(ctx context.Context, p place) (message, error) {
	m, err := c.lastOn(ctx, p.stream(), p.filter())
	if err != nil || m.Seq == 0 {
		return m, err
	}
	if _, _, ok := parse(m.Subject); ok {
		return m, nil
	}
	subjects, err := c.subjects(ctx, p.stream(), p.filter())
	var counts message
	for subject := range subjects {
		if _, _, ok := parse(subject); !ok {
			continue
		}
		one, err := c.lastOn(ctx, p.stream(), subject)
		if err != nil {
			return message{}, err
		}
		if one.Seq > counts.Seq {
			counts = one
		}
	}
	counts.Seq = m.Seq
	return counts, err
}

// lastOn returns the last message on the subjects that match.
func (c *conn) lastOn(ctx context.Context, stream, subject string) (message, error) {
	return c.message(ctx, stream, map[string]any{"last_by_subj": subject})
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
	err := c.api(ctx, readTimeout, "STREAM.MSG.GET."+stream, which, &answer)
	if failed, ok := errors.AsType[*natsgo.APIError](err); ok && failed.ErrorCode == natsgo.JSErrCodeMessageNotFound {
		return message{}, nil
	}
	m := message{Subject: answer.Message.Subject, Seq: answer.Message.Seq, Data: answer.Message.Data}
	if h, err := natsgo.DecodeHeadersMsg(answer.Message.Header); err == nil {
		m.Op = h.Get(headerOp)
	}
	c.checkWriter(&m)
	return m, err
}

// lasts returns the last message in each of some places, in their order.
func (c *conn) lasts(ctx context.Context, places []place) ([]message, error) {
	out := make([]message, len(places))
	return out, each(len(places), func(i int) (err error) {
		out[i], err = c.last(ctx, places[i])
		return err
	})
}

// info is the state of a stream.
type info struct {
	natsgo.StreamInfo
	Total int `json:"total"` // subjects, where it says a page of them
}

// streamInfo asks for it: [desk.ErrFormat] is the error of a stream that an earlier
// version of the program made.
func (c *conn) streamInfo(ctx context.Context, stream string, request any) (info, error) {
	var there info
	err := c.api(ctx, readTimeout, "STREAM.INFO."+stream, request, &there)
	if err == nil && there.Config.Metadata[formatKey] != format {
		err = fmt.Errorf("%w: the operator runs mcp-askuser desk create", desk.ErrFormat)
	}
	return there, err
}

// subjects returns the subjects of a stream that match a filter, each with the number
// of its messages.
func (c *conn) subjects(ctx context.Context, stream, filter string) (map[string]uint64, error) {
	all := map[string]uint64{}
	for {
		page, err := c.streamInfo(ctx, stream, map[string]any{"subjects_filter": filter, "offset": len(all)})
		if err != nil {
			return nil, err
		}
		maps.Copy(all, page.State.Subjects)
		if len(page.State.Subjects) == 0 || len(all) >= page.Total {
			return all, nil
		}
	}
}

// creation is a document to create.
type creation struct {
	place
	subject string // of its writer, there
	data    []byte
	deleted bool // not a document, but that there is none
	ttl     time.Duration
	// replaces is the sequence of the message that it may replace; 0 is none.
	replaces uint64
}

// create commits a document where there is none: ErrExists where there is
// another, which was read and not only reported; nil where it has the same
// bytes, stored by an attempt whose acknowledgement was lost. ErrUncertain
// means that neither is known.
func (c *conn) create(ctx context.Context, w creation) error {
	if len(w.data) > maxSize {
		return fmt.Errorf("too large: %d bytes, of at most %d", len(w.data), maxSize)
	}
	id, doubt := nuid.Next(), false
	err := c.repeat(ctx, writeTimeout, func(wait time.Duration) (bool, error) {
		duplicate, err := c.publish(ctx, wait, w, id)
		failed, answered := errors.AsType[*natsgo.APIError](err)
		switch {
		case err == nil && !duplicate:
			return true, nil
		case errors.Is(err, desk.ErrDenied):
			return true, err
		case err == nil: // an attempt of ours was taken, and perhaps stored
		case answered && (failed.ErrorCode == natsgo.JSErrCodeStreamWrongLastSequence || failed.ErrorCode == natsgo.JSErrCodeStreamWrongLastSequenceConstant):
		case answered && failed.ErrorCode == codeInProgress:
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
		m, err := c.last(ctx, w.place)
		switch {
		case err != nil:
			doubt = true
			return false, err
		case m.Seq == 0: // a refusal may arrive before the first is stored
			w.replaces, id = 0, nuid.Next()
			return false, fmt.Errorf("%w: it is not said what was stored", desk.ErrUnreachable)
		case w.matches(&m):
			return true, nil
		case m.exists() || m.Op == opDel && w.kind == kindEnd: // which keeps its place
			return true, fmt.Errorf("%s: %w", w.subject, desk.ErrExists)
		}
		w.replaces, id = m.Seq, nuid.Next() // that of a delete marker must be named
		return false, nil
	})
	if err != nil && doubt && !errors.Is(err, desk.ErrExists) && !errors.Is(err, desk.ErrDenied) {
		return fmt.Errorf("%w: %w", desk.ErrUncertain, err)
	}
	return err
}

// remove deletes a message that was read and that this credential wrote; one that was
// stored in its place since then stays.
func (c *conn) remove(ctx context.Context, p place, m *message) error {
	err := c.create(ctx, creation{place: p, subject: m.Subject, deleted: true, ttl: keepDeleted, replaces: m.Seq})
	if errors.Is(err, desk.ErrExists) {
		return nil
	}
	return err
}

// matches reports whether a message is what was to be created.
func (w *creation) matches(m *message) bool {
	if w.deleted {
		return m.Op == opDel && m.Subject == w.subject
	}
	return m.exists() && bytes.Equal(m.Data, w.data)
}

// put replaces a document.
func (c *conn) put(ctx context.Context, subject string, data []byte, ttl time.Duration) error {
	w := creation{subject: subject, data: data, ttl: ttl, replaces: anySequence}
	return c.repeat(ctx, readTimeout, func(wait time.Duration) (bool, error) {
		_, err := c.publish(ctx, wait, w, "")
		if err == nil || errors.Is(err, desk.ErrDenied) {
			return true, err
		}
		if failed, ok := errors.AsType[*natsgo.APIError](err); ok {
			return failed.Code < 500, fmt.Errorf("the desk does not store it: %w", err)
		}
		return false, unreachable(err)
	})
}

// anySequence replaces whatever is stored.
const anySequence = ^uint64(0)

// publish is one attempt to store a message. Duplicate means that an earlier attempt
// with this id was taken.
func (c *conn) publish(ctx context.Context, wait time.Duration, w creation, id string) (duplicate bool, err error) {
	m := natsgo.NewMsg(w.subject)
	m.Data = w.data
	m.Header.Set(headerOp, map[bool]string{false: opPut, true: opDel}[w.deleted])
	if w.replaces != anySequence {
		m.Header.Set(natsgo.ExpectedLastSubjSeqHdr, strconv.FormatUint(w.replaces, 10))
		if w.place != (place{}) { // else of this subject alone
			m.Header.Set("Nats-Expected-Last-Subject-Sequence-Subject", w.filter())
		}
		m.Header.Set(natsgo.MsgIdHdr, id)
	}
	if w.ttl > 0 {
		m.Header.Set(natsgo.MsgTTLHdr, w.ttl.String())
	}
	answer, err := c.request(ctx, wait, m)
	if err != nil {
		return false, err
	}
	var ack struct {
		natsgo.PubAck
		Error *natsgo.APIError `json:"error"`
	}
	if err := json.Unmarshal(answer.Data, &ack); err != nil {
		return false, fmt.Errorf("what the desk answered is damaged: %w", err)
	}
	if ack.Error != nil {
		return false, ack.Error
	}
	return ack.Duplicate, nil
}
