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
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// showPlain asks a record in lines on t, which is free.
func (s *surface) showPlain(ctx context.Context, t *terminal, backing form.Backing, commit ui.Commit) error {
	t.flush() // what was typed before the question was shown answers nothing
	width := func() int { w, _ := t.size(); return w }
	defer context.AfterFunc(ctx, func() { t.hurry(quitTime + killTime) })()
	c := &conversation{
		printer: &printer{w: t, width: width, lastWords: func() { t.hurry(quitTime) }}, // anew: what came before may have taken its time
		in:      &lineReader{in: t},
		desk:    backing, commit: commit, interrupted: s.options.Interrupted,
	}
	c.edit = func(ctx context.Context, text string) (edited, left string, err error) {
		c.in.stop()
		err = t.lend(func() error {
			edited, left, err = term.EditText(ctx, s.options.Getenv, text)
			return err
		})
		c.in.start()
		return edited, left, err
	}
	defer onContinue(c.askAgain)()
	defer onStop(t.restore, c.retake)()
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
	gate        act.Machine
	kept        *dialogue.Dialogue                                                      // as it was before this burst of lines
	edit        func(ctx context.Context, text string) (edited, left string, err error) // as term.EditText
	touched     bool                                                                    // the draft has changed since it was kept
	last        time.Time                                                               // when the last line counted
	began       time.Time
	appeared    bool // by itself
}

// move is where the conversation goes next.
type move int

const (
	stay   move = iota // at the same prompt
	turned             // to what is due now, which is to be shown
	done               // the reply is committed
)

// begin begins a dialogue with a draft.
func (c *conversation) begin(ctx context.Context, draft question.Reply) {
	c.Dialogue = dialogue.New(words.Local.Shown(c.desk.Rec), dialogue.Options{
		Layout: dialogue.Turns, Bare: c.appeared, Draft: draft, Memory: c.desk.Memory(ctx), Began: c.began, Now: time.Now,
	})
}

// act does an act, and reports whether the reply is ready.
func (c *conversation) act(a dialogue.Act) (ready bool, err error) {
	change, err := c.Act(a)
	c.touched = c.touched || change.Draft
	return change.Ready, err
}

// run asks the record until the reply is committed or the conversation ends
// without one; it keeps the contract of ui.Surface's Show.
func (c *conversation) run(ctx context.Context, origin act.Origin) error {
	c.began, c.appeared = time.Now(), origin == act.Appeared
	c.in.write = c.print
	c.in.start()
	defer c.in.stop()
	c.gate.Show(time.Now(), origin)
	c.text("", c.asker())
	err := c.open(ctx)
	for to := stay; err == nil && to != done; {
		if c.Current() == nil {
			to, err = c.review(ctx)
		} else {
			to, err = c.ask(ctx)
		}
		if err == nil && to != done {
			c.save(ctx)
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
	if rec.Round > 1 {
		parts = append(parts, words.T("round %d", rec.Round))
	}
	return words.T("%s:", strings.Join(parts, words.T(", ")))
}

// prompt writes text and returns the line that follows and counts. It is where
// every line of the human comes in.
func (c *conversation) prompt(ctx context.Context, text string) (string, error) {
	for {
		if err := c.quiet(ctx); err != nil {
			return "", err
		}
		if err := c.in.await(text); err != nil {
			return "", err
		}
		stop := c.warn(ctx)
		got, err := act.ReadLine(ctx, &c.gate, c.in.typed, func() { c.pausedNow(text) })
		stop()
		_ = c.in.await("")
		switch {
		case err != nil:
			return "", err
		case got.key: // it came in the moment in which keys began to count
			c.foreign()
			continue
		}
		c.rest(ctx)
		if got.pasted {
			c.text("", words.T("That was pasted: Enter takes it, Ctrl+U clears it."))
			c.in.fill(got.line)
			continue
		}
		if !c.deadline(ctx).IsZero() {
			c.keep(ctx) // every line restarts the clock
		}
		if !got.tooLong {
			return got.line, nil
		}
		c.text("", words.T("That line is too long: an answer has at most 10,000 characters. Nothing of it was kept."))
	}
}

// askAgain takes the terminal again after the process was stopped, and writes the
// prompt.
func (c *conversation) askAgain() {
	c.retake()
	if c.in.in.foreground() {
		c.in.interject(func() {})
	}
}

// retake takes the terminal again if it is still this process's.
func (c *conversation) retake() {
	if c.in.in.foreground() {
		c.in.in.single()
	}
}

// promptText is prompt for a text, which may come from the human's editor, made from
// what there is.
func (c *conversation) promptText(ctx context.Context, prompt, text string) (string, error) {
	for {
		line, err := c.prompt(ctx, prompt)
		if err != nil || line != ":"+string(editText) {
			return line, err
		}
		if own := c.edited(ctx, text); own != "" {
			return own, nil
		}
	}
}

// edited is the text as it left the human's editor; empty where that gave none.
// Lines that come now were typed without a look at the form.
func (c *conversation) edited(ctx context.Context, text string) string {
	text, left, err := c.edit(ctx, text)
	c.gate.Show(time.Now(), act.Appeared)
	text = strings.TrimSpace(term.Own(text))
	switch {
	case ctx.Err() != nil: // nobody has said that it is the answer
		c.lines("", term.LeftIn(left))
		return ""
	case err != nil:
		c.text("", err.Error())
		return ""
	case question.Count(text) > question.MaxText:
		c.text("", words.T("That text is too long: it has %[1]d characters, an answer at most %[2]d. Nothing of it was kept.", question.Count(text), question.MaxText))
		return ""
	}
	return text
}

// quiet waits until nobody types, where the keys that come now are not meant
// for this form. They are neither echoed nor kept.
func (c *conversation) quiet(ctx context.Context) error {
	if c.gate.Next().IsZero() {
		return nil
	}
	defer c.in.listen()()
	told := false
	for next := c.gate.Next(); !next.IsZero(); next = c.gate.Next() {
		select {
		case _, open := <-c.in.typed:
			if !open {
				return io.EOF
			}
			if c.gate.Key(time.Now(), "", act.Edit); !told {
				c.text("", words.T(words.AwaitsPause))
			}
			told = true
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Until(next)):
			c.gate.Tick(time.Now())
		}
	}
	return nil
}

// pausedNow puts the prompt again after lines that were thrown away.
func (c *conversation) pausedNow(prompt string) {
	c.in.in.flush()
	c.in.fill("")
	c.in.interject(func() { c.text("", words.T("Lines that come so fast one after the other are no answer.")) })
	_ = c.in.await(prompt)
}

// rest waits until the next line is not taken for a key held down. Lines that
// come meanwhile answer nothing: nobody has seen yet what they would be for.
func (c *conversation) rest(ctx context.Context) {
	now := time.Now()
	if now.Sub(c.last) >= act.Quiet {
		c.kept = c.Clone()
	}
	c.last = now
	over := time.After(act.Again - act.Settle + time.Millisecond)
	for typed := c.in.typed; ; {
		select {
		case _, open := <-typed:
			if !open {
				typed = nil // whoever reads next is told
			}
		case <-over:
			return
		case <-ctx.Done():
			return
		}
	}
}

// foreign says that the last line meant nothing here. Where the question had
// appeared by itself it was meant for another program, and so was what came in
// one go with it: that is taken back, and foreign reports so.
func (c *conversation) foreign() (takenBack bool) {
	same := c.Equal(c.kept)
	if c.gate.Key(time.Now(), "", act.Foreign) != act.Rollback || same {
		return false
	}
	c.Dialogue, c.touched = c.kept.Clone(), true
	c.text("", words.T("What came in one go with that line is taken back."))
	return true
}

// leave ends the conversation without a reply: it tells the human why, and
// returns the error that Show owes its caller.
func (c *conversation) leave(ctx context.Context, err error) error {
	ended := errors.Is(err, io.EOF)
	if ended && !c.in.in.foreground() {
		awaitHangup(ctx)
	}
	if ctx.Err() != nil {
		c.lastWords()
	}
	c.blank()
	switch {
	case errors.As(err, new(*desk.ClosedError)):
		c.text("", farewell(err, ""))
		return err
	case ctx.Err() != nil:
		c.text("", farewell(context.Cause(ctx), c.interrupted))
		return context.Cause(ctx)
	case ended && c.in.in.foreground():
		_, _ = c.act(dialogue.Dismiss{})
		if err := c.deliver(ctx); err != nil {
			return err
		}
		c.text("", words.T(words.Dismissed))
		return nil
	}
	return ui.Unavailablef("the terminal is gone: %v", err)
}

// deliver commits the reply.
func (c *conversation) deliver(ctx context.Context) error {
	reply, err := c.Reply()
	if err == nil {
		err = storing(ctx, func() error { return c.commit(reply) })
	}
	if err != nil {
		c.gate.Show(time.Now(), act.Appeared) // lines that came meanwhile were typed without a look at that
	}
	return err
}

// storing runs what waits for the store. When the context ends, it waits no
// longer than a withdrawal may take; a reply may have been the first.
func storing(ctx context.Context, work func() error) error {
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
		return context.Cause(ctx)
	}
}
