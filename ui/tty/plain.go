package tty

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// showPlain asks a record in lines on t, which is free.
func (s *surface) showPlain(ctx context.Context, t *terminal, backing form.Backing, commit ui.Commit) error {
	if err := t.take(lineMode); err != nil {
		return ui.Unavailablef("the terminal cannot be set up for a form: %v", err)
	}
	width := func() int { w, _ := t.size(); return w }
	defer context.AfterFunc(ctx, func() { t.hurry(quitTime + killTime) })()
	c := &conversation{
		printer: &printer{w: t, width: width, extendTime: func() { t.hurry(quitTime) }},
		in:      &lineReader{in: t, unseen: func() bool { return !readable(t.size()) }},
		desk:    backing, commit: commit, interrupted: s.options.Interrupted,
	}
	defer t.handleStops(true, func() { c.in.printAbove(func() {}) })()
	err := c.run(ctx, s.origin())
	if ctx.Err() != nil {
		t.flush() // and half a line typed for it is no command for the next program
	}
	return err
}

// conversation is a dialogue in lines.
type conversation struct {
	*printer
	*dialogue.Dialogue
	in          *lineReader
	desk        form.Backing
	commit      ui.Commit
	interrupted desk.Status // see Options
	appeared    bool        // the form appeared by itself
	began       time.Time
	gate        act.Machine
	lastLine    time.Time // when the last line counted

	beforeBurst  *dialogue.Dialogue // the dialogue before the lines of this burst
	acted        bool               // in this burst
	draftChanged bool               // since it was saved
}

// move says how the conversation continues after a line.
type move int

const (
	stay   move = iota // with the same prompt
	turned             // with the current question or the review, which must be shown
	done               // not: the reply is committed
)

// newDialogue makes the dialogue from a draft.
func (c *conversation) newDialogue(ctx context.Context, draft question.Reply) {
	c.Dialogue = dialogue.New(words.Local.Shown(c.desk.Rec), dialogue.Options{
		Layout: dialogue.Turns, Bare: c.appeared, Draft: draft, Memory: c.desk.Memory(ctx), Began: c.began, Now: time.Now,
	})
}

// do applies an act, and reports whether the reply is ready.
func (c *conversation) do(a dialogue.Act) (ready bool, err error) {
	change, err := c.Act(a)
	c.draftChanged, c.acted = c.draftChanged || change.Draft, c.acted || err == nil
	return change.Ready, err
}

// run asks the questions until the reply is committed or the conversation ends without one.
// It meets the contract of ui.Surface's Show.
func (c *conversation) run(ctx context.Context, origin act.Origin) error {
	c.began, c.appeared = time.Now(), origin == act.Appeared
	c.in.write = c.print
	c.in.start()
	defer c.in.stop()
	c.gate.Show(time.Now(), origin)
	c.text("", c.asker())
	err := c.start(ctx)
	for to := stay; err == nil && to != done; {
		if c.Current() == nil {
			to, err = c.review(ctx)
		} else {
			to, err = c.ask(ctx)
		}
		if err == nil && to != done {
			c.saveChanges(ctx)
		}
	}
	if err != nil {
		return c.leave(ctx, err)
	}
	return nil
}

func (c *conversation) asker() string {
	rec := &c.desk.Rec
	parts := []string{words.T("%s asks", words.Local.Client(rec.Asker))}
	if dir := rec.Asker.Directory; dir != "" {
		parts = append(parts, words.T("in %s", question.Line(dir)))
	}
	if round := words.Local.Round(rec); round != "" {
		parts = append(parts, round)
	}
	return words.T("%s:", strings.Join(parts, words.T(", ")))
}

// prompt writes text and returns the next line that counts. It alone reads lines.
func (c *conversation) prompt(ctx context.Context, text string) (string, error) {
	for {
		if err := c.awaitSize(ctx); err != nil {
			return "", err
		}
		if err := c.awaitPause(ctx); err != nil {
			return "", err
		}
		if err := c.in.showPrompt(text); err != nil {
			return "", err
		}
		stop := c.warnBeforeDeadline(ctx)
		got, err := act.ReadLine(ctx, &c.gate, c.in.typed, func() { c.discardFastLines(text) })
		stop()
		_ = c.in.showPrompt("")
		switch {
		case err != nil:
			return "", err
		case got.key: // it arrived just before keys began to count
			c.takeBackForeign()
			continue
		}
		c.skipRepeats(ctx)
		if got.pasted {
			c.text("", words.T("That was pasted: Enter takes it, Ctrl+U clears it."))
			c.in.setLine(got.line)
			continue
		}
		if !c.deadline(ctx).IsZero() {
			c.saveDraft(ctx) // every line restarts the timeout
		}
		if !got.tooLong {
			return got.line, nil
		}
		c.text("", words.T("That line is too long: an answer has at most 10,000 characters. Nothing of it was kept."))
	}
}

// awaitSize waits until the terminal is large enough to read, and shows the question or the
// review again. Keys before that are discarded, the end of input included.
func (c *conversation) awaitSize(ctx context.Context) error {
	if !c.in.isUnseen() {
		return nil
	}
	c.gate.Seen(time.Now(), false)
	c.in.discard(true) // until the pause that follows is over
	c.text("", words.T("Too small to answer: make this window %[1]d×%[2]d or larger, then press Enter.", minWidth, minHeight))
	for c.in.isUnseen() {
		select {
		case _, open := <-c.in.typed:
			if !open {
				return io.EOF
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	c.gate.Seen(time.Now(), true)
	if c.Current() == nil {
		c.showReview()
	} else {
		c.showQuestion()
	}
	return nil
}

// awaitPause waits for a pause in typing while keys are not meant for this form. They are
// discarded.
func (c *conversation) awaitPause(ctx context.Context) error {
	if c.gate.Next().IsZero() {
		return nil
	}
	c.in.discard(true)
	defer c.in.discard(false)
	announced := false
	for next := c.gate.Next(); !next.IsZero(); next = c.gate.Next() {
		select {
		case _, open := <-c.in.typed:
			if !open {
				return io.EOF
			}
			if c.gate.Key(time.Now(), "", act.Edit); !announced {
				c.text("", words.T(words.AwaitsPause))
			}
			announced = true
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Until(next)):
			c.gate.Tick(time.Now())
		}
	}
	return nil
}

// discardFastLines writes the prompt again after lines that do not count.
func (c *conversation) discardFastLines(prompt string) {
	c.in.in.flush()
	c.in.setLine("")
	c.in.printAbove(func() { c.text("", words.T("Lines that come so fast one after the other are no answer.")) })
	_ = c.in.showPrompt(prompt)
}

// skipRepeats waits until an Enter is no repeat of the last. Lines that arrive meanwhile
// are discarded: the human has not seen the next prompt yet.
func (c *conversation) skipRepeats(ctx context.Context) {
	now := time.Now()
	if now.Sub(c.lastLine) >= act.Quiet {
		c.beforeBurst, c.acted = c.Clone(), false
	}
	c.lastLine = now
	settled := time.After(act.Again - act.Settle + time.Millisecond)
	for typed := c.in.typed; ; {
		select {
		case _, open := <-typed:
			if !open {
				typed = nil // the next read returns that
			}
		case <-settled:
			return
		case <-ctx.Done():
			return
		}
	}
}

// takeBackForeign follows a line without meaning here. In a form that appeared by itself
// the line, and the others of its burst, were meant for another program: it takes back what
// they changed, and reports whether it did.
func (c *conversation) takeBackForeign() (takenBack bool) {
	if c.gate.Key(time.Now(), "", act.Foreign) != act.Rollback || !c.acted {
		return false
	}
	c.Dialogue, c.draftChanged, c.acted = c.beforeBurst.Clone(), true, false
	c.text("", words.T("What came in one go with that line is taken back."))
	return true
}

// leave ends the conversation without a reply: it says why, and returns the error for Show
// to return.
func (c *conversation) leave(ctx context.Context, err error) error {
	ended, foreground, sending := errors.Is(err, io.EOF), c.in.in.foreground(), errors.Is(err, errStuck)
	if ended && !foreground {
		awaitHangup(ctx)
	}
	closed := errors.As(err, new(*desk.ClosedError))
	if ctx.Err() != nil {
		c.extendTime()
		if !closed {
			err = context.Cause(ctx)
		}
	}
	c.blank()
	switch {
	case closed, ctx.Err() != nil:
		c.text("", closingLine(err, c.interrupted, sending))
		return err
	case ended && foreground:
		_, _ = c.do(dialogue.Dismiss{})
		if err = c.tryCommit(ctx); err == nil {
			c.text("", words.T(words.Dismissed))
		}
		return err
	}
	return ui.Unavailablef("the terminal is gone: %v", err)
}

// tryCommit commits the reply once.
func (c *conversation) tryCommit(ctx context.Context) error {
	reply, err := c.Reply()
	if err == nil {
		err = awaitStore(ctx, func() error { return c.commit(reply) })
	}
	if err != nil {
		c.gate.Show(time.Now(), act.Appeared) // lines that arrived meanwhile were typed unaware of that
	}
	return err
}

// errStuck means that work on the store still runs, so that its result is not known.
var errStuck = errors.New("the store takes too long")

// awaitStore runs work on the store. After the end of the context it waits only as long as
// a withdrawal may take: the reply may have been the first.
func awaitStore(ctx context.Context, work func() error) error {
	stored := make(chan error, 1)
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
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
