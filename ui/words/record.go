package words

import (
	"errors"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Shown is the record with the program's own texts in its questions translated: the
// yes and no of questions that have no words of their own for them, the header
// of a confirmation, and the question for a permission.
func (l Language) Shown(rec desk.Record) desk.Record {
	if l == English {
		return rec
	}
	asksLeave := rec.AsksLeave()
	rec.Questions = l.questions(rec.Questions)
	if rec.Asker.Permission() && len(rec.Questions) > 0 {
		l.permission(&rec.Questions[0])
	}
	if asksLeave {
		rec.Questions[0].Header = l.T("Confirm")
	}
	return rec
}

func (l Language) questions(qs []question.Question) []question.Question {
	qs = slices.Clone(qs)
	for i := range qs {
		qs[i].Options = slices.Clone(qs[i].Options)
		for j := range qs[i].Options {
			o := &qs[i].Options[j]
			if qs[i].Confirms() && (o.Label == Mark("Yes") || o.Label == Mark("No")) {
				o.Label = l.T(o.Label)
			}
			o.FollowUps = l.questions(o.FollowUps)
		}
	}
	return qs
}

// permission translates the question of package mirror for a permission.
func (l Language) permission(q *question.Question) {
	q.Header, q.Text = l.T(q.Header), l.T(q.Text)
	for i := range q.Options {
		q.Options[i].Label = l.T(q.Options[i].Label)
	}
	before, rest, _ := strings.Cut(AllowTool, "%[1]s")
	between, after, _ := strings.Cut(rest, "%[2]s")
	if rest, ok := strings.CutPrefix(q.Text, before); ok {
		host, tool, _ := strings.Cut(strings.TrimSuffix(rest, after), between)
		q.Text = l.T(AllowTool, host, tool)
	}
}

// Breaking says in a few words what Ctrl+C in a form does; Interrupted says afterwards
// what it did.
func (l Language) Breaking(closed desk.Status) string {
	switch closed {
	case desk.Dismissed:
		return l.T("dismiss")
	case desk.Cancelled:
		return l.T("withdraw the question")
	default:
		return l.T("leave; the question stays open")
	}
}

// Interrupted says what Ctrl+C in a form did: closed is how it ended the record, empty
// where the record is open.
func (l Language) Interrupted(closed desk.Status) string {
	switch closed {
	case desk.Dismissed:
		return l.T(Dismissed)
	case desk.Cancelled:
		return l.T("The question is withdrawn; nothing was sent.")
	default:
		return l.T(NothingSent)
	}
}

// Kept is one sentence for the user whose answer the store did not take.
func (l Language) Kept(err error) string {
	if errors.Is(err, desk.ErrUnsent) {
		return l.T("Not sent: the shared desk does not answer. Your answer is kept as a draft; send it again.")
	}
	return l.T("It could not be saved: %s Nothing is lost; try again.", l.Sentence(question.Line(err.Error())))
}

// Refused says what is wrong with a reply, and with which part of it.
func (l Language) Refused(v question.Violation) string {
	part := v.Path
	switch part {
	case "":
		return question.Line(v.In(l.T))
	case "note":
		part = l.T("note")
	case "reason":
		part = l.T("reason")
	}
	return question.Line(l.T("%[1]s: %[2]s", part, v.In(l.T)))
}

// AnswerFaults says what is wrong with the answer that the user gives to a question.
func (l Language) AnswerFaults(found question.Violations) string {
	var faults []string
	for _, v := range found {
		faults = append(faults, question.Line(v.In(l.T)))
	}
	return l.T("This answer %s.", strings.Join(faults, l.T("; ")))
}

// MoreWait says that other questions wait behind the one that is shown.
func (l Language) MoreWait(n int) string { return l.N(n, "%d more waits", "%d more wait") }

// LastRound says that this round is the last one before the limit, and which key or
// word lifts the limit.
func (l Language) LastRound(key string) string {
	return l.T("Last round: after this one the agent cannot ask again for a while. %s lifts the limit for this session.",
		key)
}

// LimitStays says that lifting the limit failed.
func (l Language) LimitStays(err error) string {
	return l.Sentence(l.T("The limit stays: %s", question.Line(err.Error())))
}

// DraftBack says of a form whether the draft that fills it in is all the user's own.
func (l Language) DraftBack(byProgram bool) string {
	if byProgram {
		return l.T("A program has filled in answers here. Check them: what you send counts as your own.")
	}
	return l.T("Your draft is back; nothing of it has been sent.")
}

// Remembered says how the user answered a question before, and when: "You answered
// DuckDB on 3 Nov".
func (l Language) Remembered(m desk.Memory, now time.Time) string {
	return l.T("You answered %[1]s on %[2]s", OnOneLine(m.Words...), l.Day(m.At, now))
}

// UseAgain says which key or word enters that answer again.
func (l Language) UseAgain(key string) string { return l.T("%s use again", key) }

// Round is the round of a question where it matters to the user: the asker said how many
// there will be, or few are left before the limit. It is empty otherwise.
func (l Language) Round(rec *desk.Record) string {
	switch {
	case rec.Rounds > 0:
		return l.T("round %[1]d/%[2]d", rec.Round, max(rec.Rounds, rec.Round))
	case rec.NearLimit && rec.Round > 1:
		return l.T("round %d", rec.Round)
	}
	return ""
}

// Other is the option for the user's own words, with the asker's texts or the usual
// ones.
func (l Language) Other(q *question.Question) question.Option {
	var o question.Option
	if q.Other != nil {
		o = *q.Other
	}
	if o.Label == "" {
		o.Label = l.T("Other")
	}
	if o.Description == "" {
		o.Description = l.T("Something else, in your own words")
	}
	return o
}
