package tty

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
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

// conversation is one record being asked in lines.
type conversation struct {
	*printer
	in          *lineReader
	desk        form.Backing
	rec         desk.Record // of the desk, as it is shown
	commit      ui.Commit
	interrupted desk.Status // see Options
	gate        act.Machine
	progress
	typed    question.Reply                                                          // the draft it began with
	kept     progress                                                                // before this burst of lines
	memory   map[string]desk.Memory                                                  // earlier answers, by question id
	edit     func(ctx context.Context, text string) (edited, left string, err error) // as term.EditText
	began    time.Time
	review   bool      // show the answers before sending, however few they are
	touched  bool      // answers or note have changed since they were kept as a draft
	last     time.Time // when the last line counted
	appeared bool      // by itself: an empty line takes nothing that was not entered here
}

// progress is what lines have changed, by question id.
type progress struct {
	answers map[string]question.Answer // of every question ever answered
	asked   map[string]bool            // need not be asked (again)
	notes   map[string]string          // to the agent; "" is beside all answers
}

func (p progress) clone() progress {
	return progress{maps.Clone(p.answers), maps.Clone(p.asked), maps.Clone(p.notes)}
}

// move is where the conversation goes next.
type move int

const (
	onward move = iota // to the first question that is still to be asked, or to the review
	back               // to the question before this one
	done               // the reply is committed
)

// run asks the record until the reply is committed or the conversation ends
// without one; it keeps the contract of ui.Surface's Show.
func (c *conversation) run(ctx context.Context, origin act.Origin) error {
	c.rec = words.Local.Shown(c.desk.Rec)
	c.progress = progress{map[string]question.Answer{}, map[string]bool{}, map[string]string{}}
	c.kept, c.began, c.appeared = c.clone(), time.Now(), origin == act.Appeared
	c.in.write = c.print
	c.in.start()
	defer c.in.stop()
	c.gate.Show(time.Now(), origin)
	c.text("", c.asker())
	if err := c.open(ctx); err != nil {
		return c.leave(ctx, err)
	}
	for {
		shown := c.shown()
		at := slices.IndexFunc(shown, func(q *question.Question) bool { return !c.asked[q.ID] })
		var to move
		var err error
		if at >= 0 {
			to, err = c.ask(ctx, shown[at], at+1, len(shown))
		} else {
			at = len(shown)
			to, err = c.finish(ctx, shown)
		}
		switch {
		case err != nil:
			return c.leave(ctx, err)
		case to == done:
			return nil
		}
		if c.touched {
			c.save(ctx)
		}
		switch {
		case to == back && at == 0:
			c.text("", words.T("This is the first question."))
		case to == back:
			c.asked[shown[at-1].ID] = false
		}
	}
}

func (c *conversation) asker() string {
	parts := []string{words.T("%s asks", words.Local.Client(c.rec.Asker))}
	if dir := c.rec.Asker.Directory; dir != "" {
		parts = append(parts, words.T("in %s", question.Line(dir)))
	}
	if c.rec.Round > 1 {
		parts = append(parts, words.T("round %d", c.rec.Round))
	}
	return words.T("%s:", strings.Join(parts, words.T(", ")))
}

// shown are the questions that the answers so far bring up.
func (c *conversation) shown() (out []*question.Question) {
	for _, q := range c.rec.Shown(slices.Collect(maps.Values(c.answers))) {
		out = append(out, q.Question)
	}
	return out
}

// answer returns a copy of what stands as the answer to q, or nil.
func (c *conversation) answer(q *question.Question) *question.Answer {
	if a, ok := c.answers[q.ID]; ok {
		return &a
	}
	return nil
}

// take keeps a as the answer to q; nil leaves q open.
func (c *conversation) take(q *question.Question, a *question.Answer) {
	c.asked[q.ID], c.touched = true, true
	if a == nil {
		delete(c.answers, q.ID)
	} else {
		c.answers[q.ID] = *a
	}
}

// reply is what was said so far to these questions.
func (c *conversation) reply(about []*question.Question) question.Reply {
	r := question.Reply{Note: c.notes[""]}
	for _, q := range about {
		a := question.Answer{QuestionID: q.ID, By: question.ByUser}
		if said := c.answer(q); said != nil {
			a = *said
		}
		if a.Note = c.notes[q.ID]; !a.Empty() || a.Note != "" {
			r.Answers = append(r.Answers, a)
		}
	}
	return r
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
			c.save(ctx) // every line restarts the clock
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
		c.kept = c.clone()
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
	same := reflect.DeepEqual(c.progress, c.kept)
	if c.gate.Key(time.Now(), "", act.Foreign) != act.Rollback || same {
		return false
	}
	c.progress, c.touched = c.kept.clone(), true
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
		if err := c.deliver(ctx, question.Reply{Dismissed: true}); err != nil {
			return err
		}
		c.text("", words.T(words.Dismissed))
		return nil
	}
	return ui.Unavailablef("the terminal is gone: %v", err)
}

func (c *conversation) deliver(ctx context.Context, r question.Reply) error {
	r.Took = time.Since(c.began)
	err := storing(ctx, func() error { return c.commit(r) })
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
