package mirror

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui/words"
)

// Why the context of [Run] ends.
var (
	// ErrClosed means that the host has told us to go: its human has closed the
	// dialog.
	ErrClosed = errors.New("the dialog was closed")
	// ErrGone means that the host is no longer there.
	ErrGone = errors.New("the host has gone")
)

// DefaultLimit is how long a host waits for us where nothing else is said.
const DefaultLimit = 10 * time.Minute

const (
	// hostReserve is how long before the host's limit we are done.
	hostReserve = 5 * time.Second
	// cleanupTimeout is how long it may take to take one back that took longer, and to
	// stop waiting for one.
	cleanupTimeout = 5 * time.Second
	// notifyDelay is how long the human has to answer in the dialog before they are
	// notified elsewhere.
	notifyDelay = 6 * time.Second
	// reorderDelay is how much later an event may be looked at than one that came
	// after it.
	reorderDelay = 2 * time.Second
	// maxInput is the most that an event may be, in bytes.
	maxInput = 4 << 20
)

// StoreTimeout is how long it may take to put a question on the desk, while the host
// waits with its dialog. Only tests set it: a busy machine stores none so fast.
var StoreTimeout = 200 * time.Millisecond //nolint:gochecknoglobals // see above

// Options are what it takes to mirror an event.
type Options struct {
	Host   Host
	Desk   *desk.Desk
	In     io.Reader // the event
	Out    io.Writer // what the host reads; the end of a pipe tells that the host has gone
	Getenv func(string) string
	Limit  time.Duration // how long the host waits; DefaultLimit if 0
	// Permissions has the permissions mirrored that a host asks for, too.
	Permissions bool
	// Timeout is how long the human may take where the host has no dialog; 0 is
	// as long as the host waits.
	Timeout time.Duration
	// Notify tells the human of a question that is still open, until ctx ends.
	Notify func(ctx context.Context, rec desk.Record)
	// After makes the clocks; time.After if nil.
	After func(time.Duration) <-chan time.Time
}

// Run mirrors one event of a host. It prints at most once, a reply that the
// human gave and the host can take; of nothing else there is a word, not even
// of a failure: the host has its dialog. The cause of the context's end is
// ErrClosed where the host wants no reply any more.
func Run(ctx context.Context, o Options) {
	defer ignorePanic()
	if o.After == nil {
		o.After = time.After
	}
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	data, err := io.ReadAll(io.LimitReader(o.In, maxInput+1))
	if err != nil || len(data) > maxInput {
		return
	}
	ev, ok := o.Host.read(data, o.Getenv)
	switch {
	case !ok, ev.set != nil && ev.permission && !o.Permissions:
	case ev.set != nil:
		o.mirrorDialog(ctx, ev)
	default:
		o.reconcile(ctx, ev)
	}
}

// ignorePanic ends a panic: whatever it is, it is not the host's concern. The exit
// status of one would even be Claude Code's word for no.
func ignorePanic() { _ = recover() }

// mirrorDialog keeps a question on the desk while its dialog is open in the host.
func (o *Options) mirrorDialog(ctx context.Context, ev event) {
	limit, patience := max(o.Limit-hostReserve, 0), notifyDelay
	if ev.unattended {
		if patience = 0; o.Timeout > 0 {
			limit = min(limit, o.Timeout)
		}
	}
	deadline := o.After(limit)
	rec, attendance, ok := o.submit(ctx, ev)
	if !ok {
		return
	}
	defer attendance.Release()
	ctx, stop := context.WithCancelCause(ctx)
	if !ev.unattended {
		_ = o.Desk.SetShown(ctx, rec.ID, []desk.Showing{{Surface: o.Host.Name}})
	}
	defer watchReader(o.Out, func() { stop(ErrGone) })()
	ended, waited := make(chan desk.Record, 1), make(chan struct{})
	defer func() { // the goroutine that waits leaves the store before we return, unless that hangs
		stop(nil)
		select {
		case <-waited:
		case <-o.After(cleanupTimeout):
		}
	}()
	go func() {
		defer close(waited)
		defer ignorePanic()
		if rec, err := o.Desk.Wait(ctx, rec.ID); err == nil {
			ended <- rec
		}
	}()
	var tell <-chan time.Time
	if o.Notify != nil {
		tell = o.After(patience)
	}
	for {
		select {
		case <-tell:
			go func() {
				defer ignorePanic()
				o.Notify(ctx, rec)
			}()
		case end := <-ended:
			o.printReply(ctx, ev, end)
			return
		case <-deadline:
			why := words.Mark("no longer to be answered here; it stays open there")
			if ev.unattended {
				why = words.Mark("nobody answered in time; the agent goes on without the permission")
			}
			end := o.withdraw(rec, gone(o.Host.Name, why))
			if end.Reply() != nil { // in this very moment, and there is time left
				o.printReply(ctx, ev, end)
			}
			return
		case <-ctx.Done():
			o.hostGone(ctx, rec)
			return
		}
	}
}

// submit puts a question on the desk, if that can be done at once. One that is
// stored later is withdrawn.
func (o *Options) submit(ctx context.Context, ev event) (desk.Record, *desk.Attendance, bool) {
	type result struct {
		rec        desk.Record
		attendance *desk.Attendance
		err        error
	}
	done := make(chan result, 1)
	request := desk.Request{Sole: ev.sole, Set: *ev.set, Session: ev.session, Asker: desk.Asker{Client: o.Host.Name, Directory: ev.directory, PID: ev.host}}
	if ev.permission {
		request.Asker.Via = desk.ViaPermission
	}
	late := o.After(StoreTimeout)
	go func() {
		defer ignorePanic()
		rec, attendance, err := o.Desk.Mirror(ctx, request)
		done <- result{rec, attendance, err}
	}()
	select {
	case r := <-done:
		return r.rec, r.attendance, r.err == nil
	case <-late:
	}
	select {
	case r := <-done:
		if r.err == nil {
			o.withdraw(r.rec, gone(o.Host.Name, words.Mark("it took too long to store")))
			r.attendance.Release()
		}
	case <-o.After(cleanupTimeout):
	}
	return desk.Record{}, nil, false
}

// printReply prints what the human has replied on the desk, unless the dialog has
// ended meanwhile.
func (o *Options) printReply(ctx context.Context, ev event, rec desk.Record) {
	if rec.Reply() == nil || rec.Outcome.Surface == o.Host.Name {
		_ = o.Desk.Archive(context.WithoutCancel(ctx), rec.ID)
		return
	}
	if by := rec.Outcome.Answerer; by != nil && by.Agents {
		return // the agent has answered its own question: its human has the dialog
	}
	text := ev.print(rec)
	if text == nil {
		return
	}
	now, err := o.Desk.Get(ctx, rec.ID)
	switch {
	case ctx.Err() != nil:
		o.hostGone(ctx, rec)
		return
	case err != nil, now.Outcome == nil, !now.Outcome.Unsettled, readerGone(o.Out):
		return
	}
	_, _ = o.Out.Write(text)
}

// hostGone ends a record whose dialog, or host, has gone.
func (o *Options) hostGone(ctx context.Context, rec desk.Record) {
	if errors.Is(context.Cause(ctx), ErrClosed) {
		_, _ = o.Desk.Settle(context.WithoutCancel(ctx), rec.ID, dismissed(o.Host.Name, ""))
		return
	}
	// A reply that was given at this instant was not delivered, and stays.
	o.withdraw(rec, gone(o.Host.Name, words.Mark("the program that asked has ended")))
}

// withdraw ends a record without a human, and returns it as it has ended.
func (o *Options) withdraw(rec desk.Record, end desk.Outcome) desk.Record {
	ctx := context.Background()
	ended, err := o.Desk.Close(ctx, rec.ID, end)
	if err == nil {
		_ = o.Desk.Archive(ctx, rec.ID)
	}
	return ended
}

// reconcile tells the desk how dialogs have ended. The host starts a process for
// each event, and that of the last may overtake that of one that says more.
func (o *Options) reconcile(ctx context.Context, ev event) {
	records := o.unsettled(ev)
	if ev.last && len(records) > 0 {
		select {
		case <-o.After(reorderDelay):
		case <-ctx.Done():
		}
		records = o.unsettled(ev)
	}
	if ev.single && len(records) > 1 {
		records = []desk.Record{bestMatch(records, ev)}
	}
	for _, rec := range records {
		if end, ok := ev.end(rec); ok {
			_, _ = o.Desk.Settle(context.WithoutCancel(ctx), rec.ID, end)
		}
	}
}

// unsettled returns the records that an event concerns and that are not settled.
func (o *Options) unsettled(ev event) []desk.Record {
	records, err := o.Desk.Mirrored(context.Background(), ev.session)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(records, func(rec desk.Record) bool {
		return rec.Asker.Client != o.Host.Name || ev.concerns != nil && !ev.concerns(rec)
	})
}

// bestMatch is the record of which an event tells that concerns several, which
// ask the same: one with the very reply, or else the last that is open, or the
// last.
func bestMatch(records []desk.Record, ev event) desk.Record {
	best, most := records[0], -1
	for _, rec := range records {
		worth := 0
		switch end, ok := ev.end(rec); {
		case rec.Outcome == nil:
			worth = 1
		case ok && rec.SameReply(rec.Reply(), end.Reply):
			worth = 2
		}
		if worth > most {
			best, most = rec, worth
		}
	}
	return best
}
