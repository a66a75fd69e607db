package stdio

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/server"
	"mcp-askuser/tools/askuser"
)

const (
	// defaultGrace and writeLimit together keep the exit within two seconds of the end of
	// input, after which clients send SIGTERM. On a busy machine a list takes half a second.
	defaultGrace = 1500 * time.Millisecond
	writeLimit   = 400 * time.Millisecond

	// maxLine is far above any question set. mcp-go decodes a message
	// several times over, at ten times its size.
	maxLine = 4 << 20
)

// Options change how Serve works.
type Options struct {
	server.Options
	// Grace is how long handlers may take to end once their contexts are
	// cancelled at the end of the connection; 0 means 1.5 s.
	Grace time.Duration
}

// Serve reads JSON-RPC messages, one per line, from in and writes messages to
// out, one Write per line, until the input ends, ctx ends or either stream
// fails.
//
// At the end every waiting request's context is cancelled with the cause
// askuser.ErrDisconnected, or askuser.ErrClosing after the end of ctx, as the client
// still reads then. The handlers get the grace period, and what they
// still return is written, as far as out takes it within 400 ms. When Serve
// returns, every function given to askuser.Transport.Delivered has been called,
// unless a handler or a Write has not returned: an answer that was not written is kept.
//
// Serve returns nil after the end of input, ctx's cause after ctx ended, and an
// error that wraps both askuser.ErrDisconnected and the stream's error otherwise.
//
// Serve never waits for a stream that blocks: an in that is an io.Closer is
// closed, any other keeps one goroutine until its Read returns, and so does an out whose Write never returns.
//
// A program that serves its standard output must ignore SIGPIPE
// (signal.Ignore(syscall.SIGPIPE)), or it is killed, with the terminal as it
// is, when the client closes the other end; ignored, it is a write error.
func Serve(ctx context.Context, mcp *mcpserver.MCPServer, in io.Reader, out io.Writer, o Options) error {
	o.Grace = cmp.Or(o.Grace, defaultGrace)
	// Cut loose from ctx's cancellation, so that handlers see our cause.
	connected, disconnect := context.WithCancelCause(context.WithoutCancel(ctx))
	defer disconnect(askuser.ErrDisconnected)

	session := server.NewSession(mcp, o.Options)
	w := newWriter(out)
	go w.run()
	ended := make(chan error, 1)
	go func() { ended <- read(connected, &lineReader{bufio.NewReaderSize(in, 32<<10), maxLine}, session, w) }()

	var err error
	why := askuser.ErrDisconnected
	select {
	case err = <-ended:
		if err != nil {
			err = fmt.Errorf("%w: read: %w", askuser.ErrDisconnected, err)
		}
	case <-w.done:
		err = fmt.Errorf("%w: write: %w", askuser.ErrDisconnected, w.err)
	case <-ctx.Done():
		err, why = context.Cause(ctx), askuser.ErrClosing
	}
	if closer, ok := in.(io.Closer); ok {
		_ = closer.Close() // ends a Read that waits for input
	}
	disconnect(why)
	if !waitFor(session.Drain(), o.Grace) {
		session.Log.Warn("handlers are still running after the connection ended", "grace", o.Grace)
	}
	if !w.finish(writeLimit) {
		session.Log.Warn("the client does not take our output", "limit", writeLimit)
	}
	return err
}

// read takes messages until the connection or the input ends, and returns
// what the input failed with, if it did.
func read(ctx context.Context, lines *lineReader, session *server.Session, out server.Sink) error {
	for {
		text, err := lines.next()
		switch {
		case ctx.Err() != nil, errors.Is(err, io.EOF):
			return nil //nolint:nilerr // the connection or the input has ended
		case errors.Is(err, errLineTooLong):
			session.Refuse(nil, server.Fault{Code: mcp.INVALID_REQUEST,
				Text: fmt.Sprintf("message longer than %d bytes", lines.limit)}, out)
		case err != nil:
			return err
		case len(bytes.TrimSpace(text)) > 0:
			m, fault := server.Decode(text)
			if fault != nil {
				session.Refuse(m.ID, *fault, out)
				continue
			}
			session.Receive(ctx, m, out)
		}
	}
}

// waitFor reports whether done was closed within limit.
func waitFor(done <-chan struct{}, limit time.Duration) bool {
	select {
	case <-done:
		return true
	case <-time.After(limit):
		return false
	}
}
