package tty

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/muesli/cancelreader"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// showPlain asks a record in lines on t, which delivers none yet.
func (s *surface) showPlain(ctx context.Context, t *terminal, backing form.Backing, commit ui.Commit) error {
	reader, err := cancelreader.NewReader(t)
	if err != nil {
		return ui.Unavailablef("the terminal cannot be read: %v", err)
	}
	defer func() { _ = reader.Close() }()
	width := func() int { w, _ := t.size(); return w }
	defer context.AfterFunc(ctx, func() { t.hurry(quitTime + killTime) })()
	in := &input{keyboard: keys{t, reader}}
	defer t.handleStops(func() {
		prompt := in.prompt.Load()
		_ = t.deliverLines(prompt != nil)
		if prompt != nil {
			_, _ = io.WriteString(t, *prompt)
		}
	})()
	c := &conversation{
		printer: &printer{w: t, width: width},
		in:      in, desk: backing, commit: commit, interrupted: s.options.Interrupted, appeared: !s.options.Opened,
	}
	return c.run(ctx)
}

// conversation is a question set that is answered in lines.
type conversation struct {
	*printer
	*answer.Set
	in          *input
	desk        form.Backing
	commit      ui.Commit
	interrupted desk.Status // see Options
	appeared    bool        // the form appeared by itself
	began       time.Time

	quiet   time.Duration // how long nothing may be typed before the next prompt
	shown   bool          // the current question, or the review, is in view
	unsaved bool          // a line was entered since the draft was saved
	ended   bool          // the reply is committed
}

// run asks the questions until the reply is committed or the conversation ends without one.
// It meets the contract of ui.Surface's Show.
func (c *conversation) run(ctx context.Context) error {
	c.in.start()
	defer c.in.stop()
	if c.appeared {
		c.quiet = gate.Quiet
	}
	c.open(ctx)
	for !c.ended {
		err := c.askOnce(ctx)
		if errors.Is(err, io.EOF) && ctx.Err() == nil {
			c.blank()
			c.WriteReason("")
			err = c.commitReply(ctx, c.Dismissal, words.T(words.Dismissed))
		}
		if err != nil {
			return c.leave(ctx, err)
		}
	}
	return nil
}

// open makes the set, and writes what is to be known before the first question.
func (c *conversation) open(ctx context.Context) {
	draft, memory := c.desk.Known(ctx)
	c.began = time.Now()
	c.Set = answer.New(words.Local.Shown(c.desk.Rec), answer.Options{
		MustTouch: c.appeared, Draft: draft, Memory: memory,
	})
	c.text("", c.asker())
	status := c.desk.Status(ctx)
	if !status.Attended {
		c.text("", words.T(words.AgentNotWaiting))
	}
	if status.Waiting > 0 {
		c.text("", words.Local.Sentence(words.Local.MoreWait(status.Waiting)))
	}
	if view.Closes(status.Deadline, status.Attended, time.Now()) {
		left, _ := words.Local.Left(max(time.Until(status.Deadline), 1))
		c.text("", words.T("The question %s; every line you enter starts the time anew.", left))
	}
	if c.Restored() {
		c.text("", words.Local.DraftBack(c.ByProgram()))
	}
	c.showKeys()
}

func (c *conversation) asker() string {
	rec := &c.desk.Rec
	parts := []string{words.T("%s asks", words.Local.Client(rec.Asker))}
	if rec.Asker.Directory != "" {
		parts = append(parts, words.T("in %s", question.Line(rec.Asker.Directory)))
	}
	round := words.Local.Round(rec)
	if round != "" {
		parts = append(parts, round)
	}
	return words.T("%s:", strings.Join(parts, words.T(", ")))
}

// showKeys names the commands.
func (c *conversation) showKeys() {
	c.text("", words.T(":b goes back, :n adds a note, :d is to discuss it first, :x dismisses, :? helps."))
	if slices.ContainsFunc(c.All(), func(q *answer.Question) bool { return !q.Confirms() }) {
		c.text("", words.T(":a lets the agent decide."))
	}
}

// leave ends the conversation without an answer: it says why, and returns the error for Show
// to return.
func (c *conversation) leave(ctx context.Context, err error) error {
	sending, closed := errors.Is(err, errStuck), errors.As(err, new(*desk.ClosedError))
	if !closed {
		awaitHangup(ctx)
	}
	if ctx.Err() != nil && !closed {
		err = context.Cause(ctx)
	}
	c.blank()
	if closed || ctx.Err() != nil {
		c.text("", closingLine(err, c.interrupted, sending))
		return err
	}
	return ui.Unavailablef("the terminal is gone: %v", err)
}

// replying returns a reply of the question set.
type replying func() (question.Reply, error)

// tryCommit commits a reply once.
func (c *conversation) tryCommit(ctx context.Context, replying replying) error {
	reply, err := replying()
	if err != nil {
		return err
	}
	reply.Took = time.Since(c.began)
	return awaitStore(ctx, func() error { return c.commit(reply) })
}

// errStuck means that work on the store still runs, so that its result is not known.
var errStuck = errors.New("the store takes too long")

// awaitStore runs work on the store. After the end of the context it waits only as long as
// a withdrawal may take: the reply may have been the first.
func awaitStore(ctx context.Context, work func() error) error {
	stored := make(chan error, 1)
	go func() {
		defer func() {
			fault := recover()
			if fault != nil {
				stored <- fmt.Errorf("%v", fault)
			}
		}()
		stored <- work()
	}()
	select {
	case err := <-stored:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-stored:
		return err
	case <-time.After(quitTime):
		return errStuck
	}
}
