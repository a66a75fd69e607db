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
	// ErrClosed means that the user has closed the host's dialog.
	ErrClosed = errors.New("the dialog was closed")
	// ErrGone means that the host has exited.
	ErrGone = errors.New("the host has gone")

	errLimit = errors.New("the host does not wait any longer")
)

// DefaultLimit is how long a host waits for hook by default.
const DefaultLimit = 10 * time.Minute

const (
	// hostReserve is how long before the host's limit hook exits.
	hostReserve = 5 * time.Second
	// notifyDelay is how long the user has to answer in the dialog before they are
	// notified elsewhere.
	notifyDelay = 6 * time.Second
	// reorderDelay is by how much a later event may overtake an earlier one.
	reorderDelay = 2 * time.Second
	// maxInput is the longest event, in bytes.
	maxInput = 4 << 20
)

// StoreTimeout is how long submitting a question may take: the host waits with its
// dialog. Only tests set it, as a busy machine is slower.
var StoreTimeout = 200 * time.Millisecond //nolint:gochecknoglobals // see above

// Options are the parameters of [Run].
type Options struct {
	Host   Host
	Desk   *desk.Desk
	In     io.Reader // the event
	Out    io.Writer // for the host
	Getenv func(string) string
	Limit  time.Duration // how long the host waits; DefaultLimit if 0
	// Permissions enables mirroring of the permissions that a host asks for.
	Permissions bool
	// Timeout is how long the user may take if the host has no dialog; 0 means the
	// host's limit.
	Timeout time.Duration
	// Notify notifies the user of an open question, until ctx ends.
	Notify func(ctx context.Context, rec desk.Record)
	// After makes the clocks of notifications and of late events; time.After if nil.
	After func(time.Duration) <-chan time.Time
}

// Run mirrors one event of a host. It prints at most one reply, which the user gave
// and the host can take, and reports no failure: the host has its dialog. The cause of
// the context's end is ErrClosed if the host wants no reply any more.
func Run(ctx context.Context, o Options) {
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
	case ev.prompt:
		_ = o.Desk.BeginCount(ctx, o.Host.Name, ev.directory)
	case ev.set != nil:
		o.mirrorDialog(ctx, ev)
	default:
		o.reconcile(ctx, ev)
	}
}

// mirrorDialog keeps a question on the desk while its dialog is open in the host.
func (o *Options) mirrorDialog(ctx context.Context, ev event) {
	limit, delay := max(o.Limit-hostReserve, 0), notifyDelay
	if ev.unattended {
		delay = 0
	}
	if ev.unattended && o.Timeout > 0 {
		limit = min(limit, o.Timeout)
	}
	ctx, stop := context.WithTimeoutCause(ctx, limit, errLimit)
	defer stop()

	rec, attendance, err := o.submit(ctx, ev)
	if err != nil {
		return
	}
	defer attendance.Release()
	if !ev.unattended {
		_ = o.Desk.SetShown(ctx, rec.ID, []desk.Showing{{Surface: o.Host.Name}})
	}
	if o.Notify != nil {
		go func() {
			select {
			case <-o.After(delay):
				o.Notify(ctx, rec)
			case <-ctx.Done():
			}
		}()
	}
	end, err := o.Desk.Await(ctx, rec.ID)
	switch {
	case err == nil:
		o.printReply(ctx, ev, end)
	case errors.Is(context.Cause(ctx), errLimit):
		o.limitReached(ctx, ev, rec)
	case ctx.Err() != nil:
		o.hostGone(ctx, rec)
	}
}

// limitReached withdraws a record because the host will soon stop waiting.
func (o *Options) limitReached(ctx context.Context, ev event, rec desk.Record) {
	why := words.Mark("no longer to be answered here; it stays open there")
	if ev.unattended {
		why = words.Mark("nobody answered in time; the agent goes on without the permission")
	}
	end := o.withdraw(rec, gone(o.Host.Name, why))
	if end.Reply() != nil { // given at this instant; the host still waits
		o.printReply(context.WithoutCancel(ctx), ev, end)
	}
}

// submit puts a question on the desk if that succeeds at once.
func (o *Options) submit(ctx context.Context, ev event) (desk.Record, *desk.Attendance, error) {
	request := desk.Request{Set: *ev.set, Session: ev.session, Asker: desk.Asker{Client: o.Host.Name,
		Directory: ev.directory, PID: ev.host}}
	if ev.permission {
		request.Asker.Via = desk.ViaPermission
	}
	ctx, stop := context.WithTimeout(ctx, StoreTimeout)
	defer stop()
	return o.Desk.Mirror(ctx, request)
}

// printReply prints the reply that the user gave on the desk, unless the dialog has
// ended meanwhile.
func (o *Options) printReply(ctx context.Context, ev event, rec desk.Record) {
	if rec.Reply() == nil || rec.Outcome.Surface == o.Host.Name {
		_ = o.Desk.Delivered(context.WithoutCancel(ctx), rec.ID)
		return
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
	case err != nil: // the host decides whether it comes too late
	case now.Outcome == nil, !now.Outcome.Provisional:
		return
	}
	_, _ = o.Out.Write(text) // fails if the host has exited: the answer stays provisional
}

// hostGone ends a record whose dialog was closed, or whose host has exited.
func (o *Options) hostGone(ctx context.Context, rec desk.Record) {
	if errors.Is(context.Cause(ctx), ErrClosed) {
		_, _ = o.Desk.Settle(context.WithoutCancel(ctx), rec.ID, dismissed(o.Host.Name, ""))
		return
	}
	// A reply given at this instant was not delivered, and stays.
	o.withdraw(rec, gone(o.Host.Name, words.Mark("the program that asked has ended")))
}

// withdraw ends a record without a reply, and returns the record with its outcome.
func (o *Options) withdraw(rec desk.Record, end desk.Outcome) desk.Record {
	ctx := context.Background()
	ended, err := o.Desk.Close(ctx, rec.ID, end)
	if err == nil {
		_ = o.Desk.Delivered(ctx, rec.ID)
	}
	return ended
}

// reconcile records on the desk how dialogs have ended. The host starts a process for
// each event: the last one may overtake one with more information, and an end its question.
func (o *Options) reconcile(ctx context.Context, ev event) {
	records := o.provisional(ev)
	if ev.last && len(records) > 0 || ev.single && len(records) == 0 {
		select {
		case <-o.After(reorderDelay):
		case <-ctx.Done():
		}
		records = o.provisional(ev)
	}
	if ev.single && len(records) > 1 {
		records = []desk.Record{slices.MaxFunc(records, func(x, y desk.Record) int { return ev.rank(x) - ev.rank(y) })}
	}
	for _, rec := range records {
		if end, ok := ev.end(rec); ok {
			_, _ = o.Desk.Settle(context.WithoutCancel(ctx), rec.ID, end)
		}
	}
}

// provisional returns the provisional records that an event concerns.
func (o *Options) provisional(ev event) []desk.Record {
	records, err := o.Desk.Mirrored(context.Background(), ev.session)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(records, func(rec desk.Record) bool {
		return rec.Asker.Client != o.Host.Name || ev.concerns != nil && !ev.concerns(rec)
	})
}

// rank says how likely an event means a record, of several that ask the same: one with the event's
// reply, or else an open one.
func (ev *event) rank(rec desk.Record) int {
	end, ok := ev.end(rec)
	switch {
	case rec.Outcome == nil:
		return 1
	case ok && rec.SameReply(rec.Reply(), end.Reply):
		return 2
	}
	return 0
}
