package desk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcp-askuser/desk/store"
	"mcp-askuser/question"
)

// Request is what an asker wants to know.
type Request struct {
	Set       question.Set
	Session   string // groups the rounds of one dialogue; may be empty
	Asker     Asker
	Timeout   time.Duration // how long the user may take; 0 is for ever
	OnTimeout string        // "default": take the declared defaults then
	Prove     bool          // see [Record]
	Rounds    int           // see [Record]
	ToolUse   string        // see [Record]
	// Row is what rounds must share to be in a row: the host's session where the asker names
	// another as Session, the user's prompt where the host tells it. Empty: the session.
	Row string

	earlier string // the record that is reopened
}

// Submit asks, or returns an earlier record with the same content from the same project and
// client, perhaps with its outcome, so that the user is asked once: one that is open, or
// answered and not collected, within the keep time, and has no waiting asker. The caller
// holds the attendance.
//
// The error is a *[RoundLimitError] where the session has asked too often in a row; the
// refused call is kept in the history. An earlier answer is delivered all the same.
func (d *Desk) Submit(ctx context.Context, r Request) (Record, *Attendance, error) {
	rec, attendance, err := d.ask(ctx, r, d.maxRounds)
	refused, isRefused := errors.AsType[*RoundLimitError](err)
	if isRefused {
		_, noted := d.Note(ctx, r, Outcome{Status: Unavailable, Reason: refused.Error()})
		if noted != nil {
			d.log.WarnContext(ctx, "a call that was refused leaves no trace", "session", r.Session, "error", noted)
		}
	}
	return rec, attendance, err
}

// Mirror puts a question on the desk that its host, r.Asker, shows in a dialog of its own.
// Unlike [Desk.Submit] it looks for no earlier question and has no limit of rounds. A reply
// given here is provisional until [Desk.Settle].
func (d *Desk) Mirror(ctx context.Context, r Request) (Record, *Attendance, error) {
	if !r.Asker.Permission() {
		r.Asker.Via = ViaHook
	}
	return d.ask(ctx, r, 0)
}

// Note keeps a call that the user is not asked: one that was refused, or that brought
// all its answers along. It is no round of its session. The record is returned even where
// it could not be kept.
func (d *Desk) Note(ctx context.Context, r Request, o Outcome) (Record, error) {
	err := o.check()
	if err != nil {
		return Record{}, fmt.Errorf("keep a call: %w", err)
	}
	rec := d.newRecord(r)
	if o.Reply != nil {
		o.Answerer = d.Answerer(Evidence{How: HowCollected}, rec.Asker)
	}
	d.stamp(&o)
	rec.State, rec.Outcome = o.Status, &o
	row, err := rec.row("")
	if err == nil {
		row, err = d.store.Ask(ctx, row)
	}
	if err != nil {
		return rec, fmt.Errorf("keep a call: %w", err)
	}
	rec.Home = row.Home
	return rec, nil
}

// newRecord is the record of a request, with its id and without its round.
func (d *Desk) newRecord(r Request) Record {
	asker := r.Asker
	if asker.PID > 0 {
		asker.Machine = thisMachine()
	}
	rec := Record{
		SessionID: r.Session, Asker: asker, State: Pending, Set: r.Set, Keep: d.keepTime.Seconds(), Earlier: r.earlier,
		Timeout: r.Timeout.Seconds(), OnTimeout: r.OnTimeout, Prove: r.Prove, Rounds: r.Rounds, ToolUse: r.ToolUse,
	}
	rec.Prove = rec.needsProof(d.prove)
	if !asker.Mirrored() { // its host has it, and does not ask again
		same := r
		same.Prove = rec.Prove
		rec.Content = same.Content()
	}
	if r.Row != r.Session {
		rec.Row = r.Row
	}
	rec.CreatedAt = d.time()
	rec.ID = d.ids.next(rec.CreatedAt, r.earlier) // see Latest
	return rec
}

// ask stores a new record, or takes over one with the same content that is of use. The
// limit is the most rounds in a row; 0 is none.
func (d *Desk) ask(ctx context.Context, r Request, limit int) (Record, *Attendance, error) {
	d.numbering.Lock() // from the count of the rounds to the next one, so that each has its own number
	defer d.numbering.Unlock()
	rec := d.newRecord(r)
	full := d.number(ctx, &rec, limit)
	if full != nil && !errors.As(full, new(*RoundLimitError)) {
		return Record{}, nil, full
	}
	storing := ctx // of a host, which waits for no store
	if !rec.Asker.Mirrored() {
		storing = context.WithoutCancel(ctx) // once it may be stored, the caller needs its id, to withdraw it too
	}
	for content := rec.Content; ; {
		if full != nil && !d.waits(ctx, content) {
			return Record{}, nil, full
		}
		row, err := rec.row(content)
		if err != nil {
			return Record{}, nil, err
		}
		got, err := d.store.Ask(storing, row)
		if errors.Is(err, store.ErrReopened) {
			return Record{}, nil, ErrPending
		}
		if err != nil {
			return Record{}, nil, fmt.Errorf("store the question: %w", err)
		}
		attendance := d.attendance(&got)
		if got.ID == rec.ID {
			rec.Attended, rec.Home, rec.Asker.Credential = true, got.Home, got.Owner
			d.asked.Store(rec.ID, rec.Statement())
			d.bringBack(storing, &rec)
			return rec, attendance, nil
		}
		same, err := d.reuse(ctx, got, rec)
		if err == nil {
			attendance.used = same.used()
			return same, attendance, nil
		}
		attendance.Release()
		if !errors.Is(err, errUseless) {
			return Record{}, nil, err
		}
		err = d.store.Delivered(ctx, got.ID) // so that the next attempt does not find it
		if err != nil {
			content = ""
		}
	}
}

// errUseless means that a row with the same content is not to be taken over.
var errUseless = errors.New("not what is asked now")

// reuse returns the record of a row that was taken over for another. The error is errUseless
// where it ended without the user, does not ask the same, or is damaged.
func (d *Desk) reuse(ctx context.Context, row store.Row, instead Record) (Record, error) {
	rec, err := d.decode(ctx, row, d.prove)
	if d.leaveOut(ctx, row.ID, err) {
		return rec, errUseless
	}
	if err != nil {
		return rec, err
	}
	instead.ID = rec.ID
	if rec.Statement() != instead.Statement() || rec.Outcome != nil && rec.Outcome.Reply == nil {
		return rec, errUseless
	}
	d.asked.Store(rec.ID, rec.Statement())
	rec.Timeout = instead.Timeout // the time is that of the asker who waits
	if rec.Outcome == nil && rec.Timeout > 0 {
		d.restartClock(ctx, rec.ID) // the time without an asker does not count
	}
	return rec, nil
}

// waits reports whether a row with some content is open or not collected, and no process
// waits for it: the store returns it for another.
func (d *Desk) waits(ctx context.Context, content string) bool {
	if content == "" {
		return false
	}
	for row, err := range d.rows(ctx, store.Query{Content: content, Kept: d.now()}) {
		if err == nil && !row.Attended {
			return true
		}
	}
	return false
}

// Unlike reports whether the request is like no other: a confirmation in no
// dialogue, which only its ticket leads back to.
func (r *Request) Unlike() bool { return r.Session == "" && r.Set.Confirms() }

// Content is a digest of what is asked, by whom and for what project. An agent
// with a token shares its questions with no other. A yes from another dialogue
// confirms nothing: to a confirmation its session belongs too. It is empty for a request that is like no other.
func (r *Request) Content() string {
	if r.Unlike() {
		return ""
	}
	what := []any{r.Set.Questions, r.Asker.Directory, r.Asker.Client, r.Asker.Via}
	if r.Prove {
		what = append(what, "prove")
	}
	if r.Set.Confirms() {
		what = append(what, r.Session)
	}
	if r.Asker.Agent != "" {
		what = append(what, map[string]string{"agent": r.Asker.Agent})
	}
	return digest(what)
}
