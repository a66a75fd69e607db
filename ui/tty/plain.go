package tty

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/words"
)

// showPlain asks a record in lines on t, which is free.
func showPlain(ctx context.Context, t *terminal, backing form.Backing, commit ui.Commit) error {
	t.flush() // what was typed before the question was shown answers nothing
	lines := &lineReader{r: bufio.NewReader(t), interrupt: t.interrupt, alive: t.foreground, limit: lineLimit}
	width := func() int { w, _ := t.size(); return w }
	defer context.AfterFunc(ctx, func() { t.hurry(quitTime + killTime) })()
	lastWords := func() { t.hurry(quitTime) } // anew: what came before may have taken its time
	err := converse(ctx, lines, &printer{w: t, width: width, lastWords: lastWords}, backing, commit)
	if ctx.Err() != nil {
		t.flush() // and half a line typed for it is no command for the next program
	}
	return err
}

// conversation is one record being asked in lines.
type conversation struct {
	*printer
	in      *lineReader
	desk    form.Backing
	commit  ui.Commit
	answers []question.Answer // of every question ever answered, in no order
	asked   map[string]bool   // by question id: need not be asked (again)
	note    string
	review  bool // show the answers before sending, however few they are
	touched bool // answers or note have changed since they were kept as a draft
}

// move is where the conversation goes next.
type move int

const (
	onward move = iota // to the first question that is still to be asked, or to the review
	back               // to the question before this one
	done               // the reply is committed
)

// converse asks a record until the reply is committed or the conversation ends
// without one; it keeps the contract of ui.Surface's Show.
func converse(ctx context.Context, in *lineReader, out *printer, backing form.Backing, commit ui.Commit) error {
	c := &conversation{printer: out, in: in, desk: backing, commit: commit, asked: map[string]bool{}}
	c.text("", c.asker())
	if err := c.open(ctx); err != nil {
		return c.leave(ctx, err)
	}
	for {
		shown := c.desk.Rec.Shown(c.answers)
		at := c.firstToAsk(shown)
		var to move
		var err error
		if at < len(shown) {
			to, err = c.ask(ctx, shown[at].Question, at+1, len(shown))
		} else {
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
			c.text("", "This is the first question.")
		case to == back:
			c.asked[shown[at-1].ID] = false
		}
	}
}

func (c *conversation) asker() string {
	who := words.Client(c.desk.Rec.Asker) + " asks"
	if dir := c.desk.Rec.Asker.Directory; dir != "" {
		who += ", in " + question.Line(dir)
	}
	if c.desk.Rec.Round > 1 { // D8
		who += fmt.Sprintf(", round %d", c.desk.Rec.Round)
	}
	return who + ":"
}

// firstToAsk returns the index of the first shown question that is to be asked, or
// their number.
func (c *conversation) firstToAsk(shown []question.Shown) int {
	for i, q := range shown {
		if !c.asked[q.ID] {
			return i
		}
	}
	return len(shown)
}

// answer returns what stands as the answer to q, or nil.
func (c *conversation) answer(q *question.Question) *question.Answer {
	i := c.index(q)
	if i < 0 {
		return nil
	}
	return &c.answers[i]
}

// take keeps a as the answer to q; nil leaves q open.
func (c *conversation) take(q *question.Question, a *question.Answer) {
	c.asked[q.ID], c.touched = true, true
	if i := c.index(q); i >= 0 {
		c.answers = slices.Delete(c.answers, i, i+1)
	}
	if a != nil {
		c.answers = append(c.answers, *a)
	}
}

func (c *conversation) index(q *question.Question) int {
	return slices.IndexFunc(c.answers, func(a question.Answer) bool { return a.QuestionID == q.ID })
}

// prompt writes text and reads the line that follows. It is where every line
// of the human comes in.
func (c *conversation) prompt(ctx context.Context, text string) (string, error) {
	for {
		c.print(text)
		if c.err != nil {
			return "", c.err
		}
		quiet := c.warn(ctx, text)
		line, err := c.in.next(ctx)
		quiet()
		if err == nil && !c.desk.Deadline(ctx).IsZero() {
			c.save(ctx) // every line restarts the clock
		}
		if !errors.Is(err, errTooLong) {
			return line, err
		}
		c.text("", c.tooLong())
	}
}

func (c *conversation) tooLong() string {
	if c.in.limit > 0 && c.in.limit < question.MaxText {
		return fmt.Sprintf("That line is too long: this terminal takes at most %d bytes in one line. Nothing of it was kept.", c.in.limit)
	}
	return "That line is too long: an answer has at most 10,000 characters. Nothing of it was kept."
}

// leave ends the conversation without a reply: it tells the human why, and
// returns the error that Show owes its caller.
func (c *conversation) leave(ctx context.Context, err error) error {
	var closed *desk.ClosedError
	if ctx.Err() != nil {
		c.lastWords()
	}
	switch {
	case errors.As(err, &closed):
		c.blank()
		c.text("", words.Withdrawal(closed))
		return err
	case ctx.Err() != nil:
		c.blank()
		c.text("", words.Withdrawal(context.Cause(ctx)))
		return context.Cause(ctx)
	case errors.Is(err, io.EOF) && c.in.alive():
		c.blank()
		if err := c.deliver(ctx, question.Reply{Dismissed: true}); err != nil { // A9
			return err
		}
		c.text("", words.Dismissed)
		return nil
	case errors.Is(err, io.EOF):
		c.blank()
		c.text("", "The input has ended. Nothing was answered.")
		return ui.Unavailablef("the input ended before the question was answered")
	}
	return ui.Unavailablef("the terminal is gone: %v", err)
}

// deliver commits the reply.
func (c *conversation) deliver(ctx context.Context, r question.Reply) error {
	return storing(ctx, func() error { return c.commit(r) })
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
