package tty

import (
	"context"
	"slices"
	"strings"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// open says what there is to know before the first question, and offers what
// was typed before.
func (c *conversation) open(ctx context.Context) error {
	if !c.desk.Attended(ctx) {
		c.text("", words.T(words.AgentAway))
	}
	if n := c.desk.More(ctx); n > 0 {
		c.text("", words.Local.Sentence(words.Local.MoreWait(n)))
	}
	if at := c.deadline(ctx); !at.IsZero() {
		c.text("", words.T("The question %s; every line you enter starts the time anew.", timeLeft(at)))
	}
	c.sayKeys()
	c.memory = c.desk.Memory(ctx)
	if c.desk.AtLimit(ctx) {
		c.text("", words.Local.LastRound(":"+string(lift)))
	}
	return c.offer(ctx)
}

// sayKeys names what can be entered beside answers.
func (c *conversation) sayKeys() {
	colon := ""
	if slices.ContainsFunc(c.rec.All(), func(q *question.Question) bool { return !q.Chooses() || q.Type == question.Boolean }) {
		colon = ":" // a letter alone is an answer
	}
	var keys []string
	if len(c.rec.All()) > 1 {
		keys = append(keys, words.T("b goes back"))
	}
	if c.desk.Remembers() {
		keys = append(keys, words.T("h shows the earlier rounds"))
	}
	keys = append(keys, words.T("%sn adds a note", colon), words.T("%sd is to discuss it first", colon), words.T("q dismisses"), words.T("? helps"))
	c.text("", words.Local.Sentence(strings.Join(keys, words.T(", "))))
}

// offer asks whether a draft is to be kept. Kept answers stand in the brackets
// of their prompts: each needs its Enter, and all of them the review.
func (c *conversation) offer(ctx context.Context) error {
	draft := c.desk.Draft(ctx)
	noted := draft.Note != ""
	for _, a := range draft.Answers {
		if q := c.rec.Find(a.QuestionID); q != nil && q.Collected == nil {
			if kept := allowed(q, a); !kept.Empty() {
				c.answers[q.ID] = kept
			}
			c.notes[q.ID] = a.Note
			noted = noted || a.Note != ""
		}
	}
	c.notes[""], c.typed = draft.Note, draft
	if len(c.answers) == 0 && !noted {
		return nil
	}
	for {
		line, err := c.prompt(ctx, words.T("A draft exists: Enter keeps it, n starts over: "))
		if err != nil {
			return err
		}
		switch {
		case line == "":
			c.review = true
			return nil
		case question.YesOrNo(line) == question.NoID:
			clear(c.answers)
			clear(c.notes)
			c.typed = question.Reply{}
			return nil
		}
		c.foreign()
		c.text("", words.T("Press Enter to go on from what you had, or enter n."))
	}
}

// allowed returns what of an answer from a draft, in which anything may stand,
// could be given to q.
func allowed(q *question.Question, a question.Answer) question.Answer {
	out := question.Answer{QuestionID: q.ID, By: question.ByUser}
	for _, o := range q.Options {
		if slices.Contains(a.Selected, o.ID) && (q.Several() || len(out.Selected) == 0) {
			out.Selected = append(out.Selected, o.ID)
		}
	}
	free := !q.Chooses() || q.AllowCustom && (q.Several() || len(out.Selected) == 0)
	if free && question.Count(a.Custom) <= question.MaxText {
		out.Custom = strings.TrimSpace(a.Custom)
	}
	return out
}

// save keeps what was answered so far as a draft. What stood in the one before and
// only the full-screen form shows, a reason and text beside a choice, stays in it.
func (c *conversation) save(ctx context.Context) {
	c.touched = false
	draft := c.reply(c.rec.All())
	draft.Reason = c.typed.Reason
	for i := range draft.Answers {
		a := &draft.Answers[i]
		if was := c.typed.Answer(a.QuestionID); was != nil && a.Custom == "" && !c.rec.Find(a.QuestionID).Several() {
			a.Custom = was.Custom
		}
	}
	// A draft that cannot be kept is lost only if this process is; the answers
	// are still here.
	_ = storing(ctx, func() error { return c.desk.Save(ctx, draft) })
}
