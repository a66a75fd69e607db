package inbox

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// account returns a reader of everything there is to know of a record: what
// was asked, what became of it, who asked, where it was shown.
func account(r row, zone *time.Location) *reader {
	title := "Question"
	if r.rec.Outcome != nil {
		title = "Past question"
	}
	return &reader{title: title, lines: func(l *look, width int) []string {
		var lines []string
		for _, q := range asked(r.rec) {
			lines = append(lines, drawQuestion(l, q.Question, answerTo(r.rec, q.ID), width)...)
			lines = append(lines, "")
		}
		if n := note(r.rec); n != "" {
			lines = append(lines, hang("Note: ", n, width)...)
			lines = append(lines, "")
		}
		return append(lines, drawFacts(l, about(r, zone), width)...)
	}}
}

// asked returns the questions of a record that were shown: of one that is open,
// those that no answer has to bring up.
func asked(rec desk.Record) []question.Shown {
	if rec.Outcome != nil && rec.Outcome.Reply != nil {
		return rec.Shown(rec.Outcome.Reply.Answers)
	}
	return rec.Shown(nil)
}

// answerTo returns the answer to a question, nil if there is none.
func answerTo(rec desk.Record, id string) *question.Answer {
	if rec.Outcome == nil || rec.Outcome.Reply == nil {
		return nil
	}
	return rec.Outcome.Reply.Answer(id)
}

func note(rec desk.Record) string {
	if rec.Outcome == nil || rec.Outcome.Reply == nil {
		return ""
	}
	return question.Block(rec.Outcome.Reply.Note)
}

// drawQuestion shows a question and its options, those marked that were taken,
// and what was answered in words.
func drawQuestion(l *look, q *question.Question, a *question.Answer, width int) []string {
	lines := each(l.strong, wrap(question.Block(q.Text), width))
	if q.Description != "" {
		lines = append(lines, each(l.muted, wrap(question.Block(q.Description), width))...)
	}
	for _, o := range q.Options {
		mark, style := "  ( ) ", l.plain
		if a != nil && slices.Contains(a.Selected, o.ID) {
			mark, style = "  (•) ", l.cursor
		}
		if q.Several() {
			mark = strings.NewReplacer("(•)", "[x]", "( )", "[ ]").Replace(mark)
		}
		lines = append(lines, each(style, hang(mark, question.Line(o.Label), width))...)
		if o.Description != "" {
			lines = append(lines, each(l.muted, hang("      ", question.Block(o.Description), width))...)
		}
	}
	switch {
	case a == nil:
	case a.Custom != "":
		lines = append(lines, hang("  → ", question.Block(a.Custom), width)...)
	case a.Empty():
		lines = append(lines, "  (left open)")
	}
	if a != nil && a.By == question.ByTimeout {
		lines = append(lines, "  (taken by the timeout)")
	}
	return lines
}

// fact is a name and what it stands for.
type fact struct{ name, value string }

func about(r row, zone *time.Location) []fact {
	rec := r.rec
	at := func(t time.Time) string { return t.In(zone).Format("2 Jan 2006 15:04:05") }
	out := []fact{{"Asked", at(rec.CreatedAt)}}
	add := func(name, value string) {
		if value != "" {
			out = append(out, fact{name, value})
		}
	}
	switch o := rec.Outcome; {
	case o != nil:
		add("Ended", ended(o)+", "+at(o.At))
		add("Reason", reason(o))
	case rec.Attended:
		add("State", "somebody waits for the answer")
	default:
		add("State", "nobody waits right now; an answer will be kept")
	}
	add("By", strings.TrimSpace(question.Line(rec.Asker.Client)+" "+question.Line(rec.Asker.Version)))
	add("In", question.Line(rec.Asker.Directory))
	add("Branch", question.Line(r.branch))
	if rec.SessionID != "" {
		add("Session", question.Line(rec.SessionID))
		add("Round", fmt.Sprint(rec.Round))
	}
	for _, s := range rec.ShownOn {
		shown := place(s.Surface)
		if s.Why != "" {
			shown = "not " + shown + ": " + question.Line(s.Why)
		}
		add("Shown", shown)
	}
	add("Id", rec.ID)
	return out
}

// reason is why a record ended without an answer, if somebody said so.
func reason(o *desk.Outcome) string {
	if o.Reply != nil {
		return question.Line(o.Reply.Reason)
	}
	return question.Line(o.Reason)
}

func drawFacts(l *look, facts []fact, width int) []string {
	var lines []string
	for _, f := range facts {
		lead := pad(f.name, 9)
		text := hang(strings.Repeat(" ", len(lead)), f.value, width)
		for i, line := range text {
			if i == 0 {
				line = l.muted.Render(lead) + line[len(lead):]
			}
			lines = append(lines, line)
		}
	}
	return lines
}
