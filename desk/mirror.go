package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mcp-askuser/question"
)

// Mirror puts a question on the desk that its host, r.Asker, shows in a dialog of its own.
// Unlike [Desk.Submit] it looks for no earlier question and has no limit of rounds. A reply
// given here is unsettled until [Desk.Settle]. The error is ErrAttended where r.Sole is
// mirrored already.
func (d *Desk) Mirror(ctx context.Context, r Request) (Record, *Attendance, error) {
	if !r.Asker.Permission() {
		r.Asker.Via = ViaHook
	}
	d.require(ctx, &r)
	if r.Sole == "" {
		return d.ask(ctx, r, 0)
	}
	sole, err := d.claim(ctx, sessionName(r.Sole))
	if err != nil {
		return Record{}, nil, err
	}
	rec, attendance, err := d.ask(ctx, r, 0)
	if err != nil {
		sole.Release()
		return rec, nil, err
	}
	release := attendance.release
	attendance.release = func() { release(); sole.Release() }
	return rec, attendance, nil
}

// Settle ends a mirrored record with what the host reports of its dialog: answered or
// dismissed by the human, or closed. The host decides: a reply given here that says the
// same has reached it; another is kept as the later one, and watchers get an event. A
// record that was settled before is returned unchanged. Errors are those of [Desk.Get], or
// failures of the store.
func (d *Desk) Settle(ctx context.Context, id string, o Outcome) (Record, error) {
	ctx = context.WithoutCancel(ctx)
	if err := o.check(); err != nil {
		return Record{}, fmt.Errorf("settle %s: %w", id, err)
	}
	rec, err := d.get(ctx, id)
	if err != nil {
		return rec, err
	}
	if o.Reply != nil {
		o.Answerer = d.Answerer(Evidence{Surface: o.Surface, How: HowHostDialog}, rec.Asker)
	}
	if !rec.Asker.Mirrored() {
		return rec, fmt.Errorf("settle %s: no host has a dialog for it", id)
	}
	if rec.Outcome == nil {
		rec, err = d.decide(ctx, rec, o, RoleAsker) // the host's word
		if _, replied := errors.AsType[*ClosedError](err); err != nil && !replied {
			return rec, err
		}
	}
	if rec.Outcome.Unsettled {
		d.overrule(&rec, o)
	}
	if err := d.createEntry(ctx, rec); err != nil { // unless it is archived: then that entry counts
		return rec, err
	}
	if err := d.Archive(ctx, rec.ID); err != nil {
		return rec, err
	}
	return d.archived(ctx, rec.ID)
}

// overrule makes o the outcome of a record, unless its reply says the same.
func (d *Desk) overrule(rec *Record, o Outcome) {
	here := *rec.Outcome // a copy: others hold the outcome
	here.Unsettled = false
	if here.Status == o.Status && rec.SameReply(here.Reply, o.Reply) {
		rec.Outcome = &here
		return
	}
	d.stamp(&o)
	o.Unsettled = false
	rec.State, rec.Outcome, rec.Later = o.Status, &o, &here
}

// WithLater returns an ended record with answers that arrived afterwards, from a form that
// could not be taken back, as far as they differ. [Desk.CollectRecord] keeps them.
func (d *Desk) WithLater(rec Record, r question.Reply, from Evidence) Record {
	first := map[string][]string{}
	for _, x := range rec.Responses() {
		first[x.ID] = x.Words()
	}
	r.Answers = slices.DeleteFunc(slices.Clone(r.Answers), func(a question.Answer) bool {
		q := rec.Find(a.QuestionID)
		return q == nil || slices.Equal(q.Words(&a), first[q.ID])
	})
	if len(r.Answers) == 0 {
		return rec
	}
	o := Outcome{Status: StatusOf(r), Reply: &r, Surface: from.Surface, Answerer: d.Answerer(from, rec.Asker)}
	d.stamp(&o)
	rec.Later = &o
	return rec
}

// SameReply reports whether two replies to a record say the same to its asker,
// word by word, whatever the notes are.
func (rec *Record) SameReply(a, b *question.Reply) bool {
	if a == nil || b == nil {
		return a == b
	}
	same := func(x, y question.Response) bool { return slices.Equal(x.Words(), y.Words()) }
	return a.Dismissed == b.Dismissed && slices.EqualFunc(rec.Set.Responses(a), rec.Set.Responses(b), same)
}

// Mirrored returns the mirrored records of a session that are not settled, the
// last asked first.
func (d *Desk) Mirrored(ctx context.Context, session string) ([]Record, error) {
	ids, err := d.store.Marks(ctx, MarkSessions, sessionName(session))
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	open, err := d.list(ctx, KindPending, Range{From: ids[0]})
	if err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return !contains(open, id) })
	slices.Reverse(ids)
	var out []Record
	for rec, err := range d.getEach(ctx, ids...) {
		if err != nil {
			return nil, err
		}
		if rec.Asker.Mirrored() && (rec.Outcome == nil || rec.Outcome.Unsettled) {
			out = append(out, rec)
		}
	}
	return out, nil
}
