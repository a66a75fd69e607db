// Package view is the one projection of a record: its asker, its subject, its
// outcome, the evidence of its answerer, the surfaces that showed it, whether the
// agent waits, in the words of one language. Every list, page and printout of records
// uses these texts; layout, order and escaping are its own.
//
// Texts that it returns are safe to show. Those of the record itself are as they
// came from outside; the question's words for yes, no and permissions are in the
// language.
//
// It may import desk, question and ui/words. It must not know any surface.
package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// Record is a record in the words of a language.
type Record struct {
	*desk.Record // never nil
	l            words.Language
}

// Of returns the projection of a record.
func Of(rec desk.Record, l words.Language) Record {
	rec = l.Shown(rec)
	return Record{&rec, l}
}

// Local is [Of] in the language of this process.
func Local(rec desk.Record) Record { return Of(rec, words.Local) }

// All is [Of] for several.
func All(records []desk.Record, l words.Language) []Record {
	out := make([]Record, len(records))
	for i, rec := range records {
		out[i] = Of(rec, l)
	}
	return out
}

// AskedBy names the asker: the program, and the project it works in.
func (r Record) AskedBy() string { return r.l.Asker(r.Asker) }

// Program is the name and version of the program that asks.
func (r Record) Program() string {
	name := r.l.Client(r.Asker)
	if r.Asker.Via == desk.ViaShell { // the version is ours
		return name
	}
	return strings.TrimSpace(name + " " + question.Line(r.Asker.Version))
}

// RoundText is the record's round where it matters: "round 2/3"; empty elsewhere.
func (r Record) RoundText() string { return r.l.Round(r.Record) }

// Fits reports whether every word of a filter, in any case, is in what the record is
// about: who asks, where, what, the options, and other texts of its row.
func (r Record) Fits(filter string, others ...string) bool {
	texts := slices.Concat(others, []string{r.AskedBy()})
	for _, q := range r.Questions {
		texts = append(texts, q.Header, q.Text)
		for _, o := range q.Options {
			texts = append(texts, o.Label)
		}
	}
	for i, text := range texts {
		texts[i] = text[:min(len(text), 2000)] // as much as a list shows
	}
	all := strings.ToLower(strings.Join(texts, "\n"))
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(filter)),
		func(word string) bool { return !strings.Contains(all, word) })
}

// Arrange sorts rows about open records, given oldest first, by their groups: those in which an
// agent waits are first, and in a group the records for which one waits. Groups are in the
// order of their names, so that they keep their places while their records are answered.
func Arrange[T any](rows []T, of func(T) (group string, waits bool)) {
	live := map[string]bool{}
	for _, row := range rows {
		group, waits := of(row)
		live[group] = live[group] || waits
	}
	last := map[bool]int{false: 1}
	slices.SortStableFunc(rows, func(a, b T) int {
		group, waits := of(a)
		other, otherWaits := of(b)
		return cmp.Or(last[live[group]]-last[live[other]], strings.Compare(group, other), last[waits]-last[otherWaits])
	})
}

// Merge keeps the first of the rows whose records ask the same, as [desk.Record.Alike] says, and
// returns how many each one stands for.
func Merge[T any](rows []T, alike func(T) string) (kept []T, times []int) {
	places := map[string]int{}
	for _, row := range rows {
		asks := alike(row)
		at, known := places[asks]
		if known && asks != "" {
			times[at]++
			continue
		}
		places[asks] = len(kept)
		kept, times = append(kept, row), append(times, 1)
	}
	return kept, times
}

// Closes reports whether a question closes by itself at its deadline, zero for none: after
// it, no process ends a question whose asker does not wait.
func Closes(deadline time.Time, attended bool, now time.Time) bool {
	return !deadline.IsZero() && (attended || deadline.After(now))
}

// Subject is the first question in one line, with the number of the others.
func (r Record) Subject() string {
	if len(r.Questions) == 0 {
		return r.l.T("(no question)")
	}
	q := &r.Questions[0]
	text := q.Text
	if q.Header != "" {
		text = r.l.T("%[1]s: %[2]s", q.Header, text)
	}
	if more := len(r.Questions) - 1; more > 0 {
		text = fmt.Sprintf("[+%d] %s", more, text)
	}
	return words.OnOneLine(text)
}

// Age says how long ago it was asked: "5 min".
func (r Record) Age(now time.Time) string {
	text, _ := r.l.Age(now.Sub(r.CreatedAt))
	return text
}

// Attention says of an open record whether the agent waits.
func (r Record) Attention() string {
	if r.Attended {
		return r.l.T("agent waits")
	}
	return r.l.T("not awaited") // the agent has gone, or has chosen not to wait
}

// Status is the state in a word: "answered".
func (r Record) Status() string { return r.l.Status(r.State) }

// Ended says how the record ended, and by which evidence: "answered by alice on
// the web page"; of an open one, that it is open.
func (r Record) Ended() string { return r.l.Outcome(r.Outcome) }

// EndedBy is the evidence alone: "on the web page"; empty where there is none.
func (r Record) EndedBy() string {
	if r.Outcome == nil {
		return ""
	}
	return r.l.By(r.Outcome)
}

// Answerer names the kind of answerer that the evidence shows, and the name that it
// has, as programs read them: "user", "alice".
func (r Record) Answerer() (kind, name string) {
	if r.Outcome == nil {
		return "", ""
	}
	if a := r.Outcome.Answerer; a != nil {
		name = a.Name
	}
	return r.Outcome.Answerer.By(), name
}

// Since is when the record got the state that it has.
func (r Record) Since() time.Time {
	if r.Outcome == nil {
		return r.CreatedAt
	}
	return r.Outcome.At
}

// Reason is why the record ended without an answer. Its lines stay lines.
func (r Record) Reason() string { return r.l.Reason(r.Outcome) }

// Ending is Ended with its time and reason, on one line.
func (r Record) Ending(zone *time.Location) string {
	if r.Outcome == nil {
		return r.Ended()
	}
	text := r.l.T("%[1]s, %[2]s", r.Ended(), r.Since().In(zone).Format(r.l.T("2 Jan 15:04")))
	if reason := r.Reason(); reason != "" {
		text = r.l.T("%[1]s: %[2]s", text, question.Line(reason))
	}
	return text
}

// Note is what the user said about the whole. Its lines stay lines.
func (r Record) Note() string {
	if reply := r.Reply(); reply != nil {
		return question.Block(reply.Note)
	}
	return ""
}

// Decision is the user's answer in one line, or how the record ended without one.
func (r Record) Decision() string {
	if r.State != desk.Answered {
		return r.Ended()
	}
	var answers []string
	for _, x := range r.Asked() {
		switch {
		case x.Answer != nil:
			answers = append(answers, x.Text())
		case x.State == question.StateDelegated:
			answers = append(answers, r.l.T(words.LeftToAgent))
		}
	}
	return words.OnOneLine(answers...)
}

// LateReply is one sentence about a reply that was not the first, for the user who
// gave or saw it; empty for any other record.
func (r Record) LateReply() string {
	if r.Later == nil || r.Outcome == nil {
		return ""
	}
	return r.l.T("Not %[1]s: it was %[2]s first.", r.l.Outcome(r.Later), r.Ended())
}

// LateAnswer is what that reply answered; empty where it answered nothing.
func (r Record) LateAnswer() string {
	if r.Later == nil || r.Later.Status != desk.Answered {
		return ""
	}
	other := *r.Record
	other.State, other.Outcome = r.Later.Status, r.Later
	return Record{&other, r.l}.Decision()
}
