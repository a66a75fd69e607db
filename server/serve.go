package server

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"time"

	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/tools/askuser"
)

const (
	// defaultGrace and flushLimit together keep the exit within one second
	// of the end of input.
	defaultGrace = 500 * time.Millisecond
	flushLimit   = 250 * time.Millisecond

	// defaultLineLimit is far above any question set. mcp-go decodes a message
	// several times over, at ten times its size.
	defaultLineLimit = 4 << 20
)

type options struct {
	log       *slog.Logger
	grace     time.Duration
	lineLimit int
	sessionID string
}

// Option changes how Serve works.
type Option func(*options)

// WithLogger sets where faults are logged: panics with their stack, results
// that could not be encoded, handlers that did not end. The default discards
// them.
func WithLogger(log *slog.Logger) Option {
	return func(o *options) { o.log = log }
}

// WithGrace sets how long handlers may take to end once their contexts are
// cancelled at the end of the connection. The default is 500 ms.
func WithGrace(d time.Duration) Option {
	return func(o *options) { o.grace = d }
}

// WithLineLimit sets the longest message accepted, in bytes without the
// newline. The default is 4 MiB.
func WithLineLimit(bytes int) Option {
	return func(o *options) { o.lineLimit = bytes }
}

// WithSessionID sets the session's id. The default is random.
func WithSessionID(id string) Option {
	return func(o *options) { o.sessionID = id }
}

// Serve reads JSON-RPC messages, one per line, from in and writes messages to
// out, one Write per line, until the input ends, ctx ends or either stream
// fails.
//
// At the end every waiting request's context is cancelled with the cause
// askuser.ErrDisconnected, the handlers get the grace period, and what they
// still return is written. It returns nil after the end of input, ctx's cause
// after ctx ended, and an error that wraps both askuser.ErrDisconnected and
// the stream's error otherwise.
//
// Serve never waits for a stream that blocks: an in that is an io.Closer is
// closed unless it ended by itself, any other keeps one goroutine until its
// Read returns, and so does an out whose Write never returns.
//
// A program that serves its standard output must ignore SIGPIPE
// (signal.Ignore(syscall.SIGPIPE)), or it is killed, with the terminal as it
// is, when the client closes the other end; ignored, it is a write error.
func Serve(ctx context.Context, mcp *mcpserver.MCPServer, in io.Reader, out io.Writer, opts ...Option) error {
	o := options{log: slog.New(slog.DiscardHandler), grace: defaultGrace, lineLimit: defaultLineLimit, sessionID: rand.Text()}
	for _, opt := range opts {
		opt(&o)
	}

	// Cut loose from ctx's cancellation, so that handlers see our cause.
	connected, disconnect := context.WithCancelCause(context.WithoutCancel(ctx))
	defer disconnect(askuser.ErrDisconnected)

	calls := newCalls()
	writer := newWriter(out, calls, o.log)
	session := newSession(o.sessionID, writer, connected.Done())
	if err := mcp.RegisterSession(ctx, session); err != nil {
		return fmt.Errorf("register the session: %w", err)
	}
	defer mcp.UnregisterSession(context.WithoutCancel(ctx), session.SessionID())

	c := &conn{
		ctx:     mcp.WithContext(connected, session),
		mcp:     mcp,
		session: session,
		calls:   calls,
		writer:  writer,
		log:     o.log,
	}
	go writer.run()
	ended := make(chan error, 1)
	go func() { ended <- c.read(newLineReader(in, o.lineLimit)) }()

	var err error
	select {
	case err = <-ended:
		if err != nil {
			err = fmt.Errorf("%w: read: %w", askuser.ErrDisconnected, err)
		}
	case <-writer.done:
		err = fmt.Errorf("%w: write: %w", askuser.ErrDisconnected, writer.err)
		closeInput(in)
	case <-ctx.Done():
		err = context.Cause(ctx)
		closeInput(in)
	}
	disconnect(askuser.ErrDisconnected)
	c.finish(o.grace)
	return err
}

// closeInput frees a reader that waits for input nobody wants any more.
func closeInput(in io.Reader) {
	if closer, ok := in.(io.Closer); ok {
		_ = closer.Close()
	}
}

// finish waits for the handlers to end and for what they returned to be
// written, each for a limited time.
func (c *conn) finish(grace time.Duration) {
	if !waitFor(c.calls.drain(), grace) {
		c.log.Warn("handlers are still running after the connection ended", "count", c.calls.count(), "grace", grace)
	}
	c.writer.close()
	if !waitFor(c.writer.done, flushLimit) {
		c.log.Warn("the client does not take our output", "limit", flushLimit)
	}
}

// waitFor reports whether done was closed within limit.
func waitFor(done <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
