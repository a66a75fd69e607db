package tty

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/words"
)

// prompt writes a text and returns the next line. Only what is typed after the text was
// written is read, and only while it can be read. The draft is saved first, which also
// restarts the timeout.
func (c *conversation) prompt(ctx context.Context, text string) (string, error) {
	if c.unsaved {
		c.unsaved = false
		draft := c.Draft()
		_ = awaitStore(ctx, func() error { return c.desk.Save(ctx, draft) }) // else it is lost only with this process
	}
	for {
		err := c.awaitPause(ctx)
		if err != nil {
			return "", err
		}
		line, err := c.readLine(ctx, text)
		switch {
		case c.in.unseen() && (err == nil || errors.Is(err, io.EOF)):
			continue
		case err != nil:
			return "", err
		}
		c.unsaved = true
		entered := clean(line)
		switch {
		case len(line) >= maxLine:
			c.text("", words.T("That line is too long for this terminal, which may have cut its end. Nothing of it was kept."))
		case entered != "" || strings.TrimSpace(line) == "": // else arrows and the like
			return entered, nil
		}
	}
}

// awaitPause waits until the terminal is large enough to read and nothing was typed for
// c.quiet, or at least long enough for a paste to end. What is typed until then is discarded.
func (c *conversation) awaitPause(ctx context.Context) error {
	if c.in.unseen() {
		c.text("", words.T("Too small to answer: make this window %[1]d×%[2]d or larger, then press Enter.",
			minWidth, minHeight))
		for c.in.unseen() {
			select {
			case _, open := <-c.in.typed:
				if !open {
					return errGone
				}
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		c.show()
		c.quiet = gate.Quiet
	}
	announce := func() {}
	if c.quiet > gate.Settle {
		announce = sync.OnceFunc(func() { c.text("", words.T(words.AwaitsPause)) })
	}
	_, err := c.in.pause(ctx, max(c.quiet, gate.Settle), announce)
	c.quiet = 0
	return err
}

// readLine writes a prompt and returns the line that is entered at it. Outside of it
// nothing that is typed is shown.
func (c *conversation) readLine(ctx context.Context, prompt string) (string, error) {
	c.in.prompt.Store(&prompt) // first: the process may be stopped at any moment, and continued
	defer func() {
		c.in.prompt.Store(nil)
		_ = c.in.deliverLines(false) // the next prompt returns the error
	}()
	err := c.in.deliverLines(true)
	if err != nil {
		return "", err
	}
	err = c.print(prompt)
	if err != nil {
		return "", err
	}
	return c.in.line(ctx)
}
