package answer

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// The sample questions. Ids are short, because scripts and results name them.

func one() question.Question {
	return question.Question{
		ID: "db", Text: "Which database?", Type: question.SingleChoice, Required: true, AllowCustom: true,
		Options: []question.Option{
			{ID: "pg", Label: "PostgreSQL", Description: "Relational"}, {ID: "lite", Label: "SQLite", Description: "One file"}, {ID: "none", Label: "None"},
		},
	}
}

func several() question.Question {
	return question.Question{
		ID: "feat", Text: "Which features?", Type: question.MultiChoice, Required: true, AllowCustom: true,
		Options: []question.Option{{ID: "a", Label: "Auth", Default: true}, {ID: "b", Label: "Logs"}, {ID: "c", Label: "Mail", Default: true}},
	}
}

func text() question.Question {
	return question.Question{ID: "name", Text: "What name?", Type: question.Text, Required: true}
}

func yesNo() question.Question {
	return question.Question{ID: "ok", Text: "Go on?", Type: question.Boolean, Required: true, Options: question.YesAndNo()}
}

// nested is a question with follow-ups three levels deep.
func nested() question.Question {
	level3 := question.Question{ID: "q3", Text: "Third level?", Type: question.Text}
	level2 := question.Question{ID: "q2", Text: "Second level?", Type: question.Boolean, Required: true, Options: question.YesAndNo()}
	level2.Options[0].FollowUps = []question.Question{level3}
	level1 := question.Question{
		ID: "q1", Text: "First level?", Type: question.MultiChoice, Required: true,
		Options: []question.Option{{ID: "x", Label: "X", FollowUps: []question.Question{level2}}, {ID: "y", Label: "Y"}},
	}
	return question.Question{
		ID: "q0", Text: "Top?", Type: question.SingleChoice, Required: true,
		Options: []question.Option{{ID: "deep", Label: "Deep", FollowUps: []question.Question{level1}}, {ID: "flat", Label: "Flat"}},
	}
}

func optional(q question.Question) question.Question { q.Required = false; return q }

// proposing declares the first option, or this text, as the default.
func proposing(q question.Question, text string) question.Question {
	q.Default = text
	q.Options = slices.Clone(q.Options)
	for i := range q.Options {
		q.Options[i].Default = i == 0
	}
	return q
}

func ask(qs ...question.Question) []question.Question { return qs }

func closed(q question.Question) question.Question { q.AllowCustom = false; return q }

func record(qs ...question.Question) desk.Record {
	return desk.Record{ID: "r", Round: 3, SessionID: "s", Set: question.Set{Questions: qs}}
}

// faults names the faults in scripts.
var faults = map[string]error{
	"untouched": ErrUntouched, "required": ErrRequired, "no words": ErrNoWords, "unconfirmed": ErrUnconfirmed,
	"first": ErrFirst, "nothing": ErrNothing, "not here": ErrNotHere,
}

// do carries out one act of a script: its name, and the choice, words or id that go with it.
func do(t *testing.T, s *Set, line string) (ready bool, err error) {
	t.Helper()
	name, rest, _ := strings.Cut(line, " ")
	q := s.Current()
	choice := func(word string) int {
		n, err := strconv.Atoi(word)
		if err == nil {
			return n - 1
		}
		kind, known := map[string]Kind{"yes": Yes, "no": No, "proposed": Proposed, "other": Other, "open": LeaveOpen}[word]
		if !known {
			t.Fatalf("no choice %q", word)
		}
		return q.Choice(kind)
	}
	switch name {
	case "choose":
		return false, q.Choose(choice(rest))
	case "unchoose":
		return false, q.Unchoose(choice(rest))
	case "text":
		return false, q.Type(rest)
	case "put":
		names, words, _ := strings.Cut(rest, ": ")
		var choices []int
		for word := range strings.FieldsSeq(strings.TrimSuffix(names, ":")) {
			choices = append(choices, choice(word))
		}
		return false, q.Put(choices, words)
	case "skip":
		return false, q.Skip()
	case "delegate":
		return false, q.Delegate()
	case "accept":
		return false, q.Accept()
	case "recall":
		return false, q.Recall()
	case "touch":
		q.Touch()
	case "note":
		if q == nil {
			s.WriteNote(rest)
		} else {
			q.WriteNote(rest)
		}
	case "reason":
		s.WriteReason(rest)
	case "goto":
		return false, s.Goto(rest)
	case "back":
		return false, s.Back()
	case "review":
		s.Review()
	case "next":
		return s.Next()
	default:
		t.Fatalf("no act %q", line)
	}
	return false, nil
}

// play plays a script of acts, separated by "; ". "act ! fault" is one that is refused.
// It returns whether the last act said that the reply is ready.
func play(t *testing.T, s *Set, script string) (ready bool) {
	t.Helper()
	for line := range strings.SplitSeq(script, "; ") {
		if line == "" {
			continue
		}
		line, fault, refused := strings.Cut(line, " ! ")
		var err error
		ready, err = do(t, s, line)
		want := faults[fault]
		if refused && fault != "violations" && !errors.Is(err, want) || refused && err == nil || !refused && err != nil {
			t.Fatalf("%q in %q: %v", line, script, err)
		}
		if found := new(question.Violations); fault == "violations" && !errors.As(err, found) {
			t.Fatalf("%q in %q: %v, want violations", line, script, err)
		}
	}
	return ready
}

// where is the current question, "db 1/2", or "review".
func where(s *Set) string {
	q := s.Current()
	if q == nil {
		return "review"
	}
	place, of := s.Place(q)
	return fmt.Sprintf("%s %d/%d", q.ID, place, of)
}

// said is a reply in short: "db=pg|words(note) feat=a,b| note:on the whole".
func said(r question.Reply) string {
	var out []string
	if r.Dismissed {
		out = append(out, "dismissed")
	}
	if r.Discuss {
		out = append(out, "discuss")
	}
	for _, a := range r.Answers {
		x := a.QuestionID + "=" + strings.Join(a.Selected, ",") + "|" + a.Custom
		if a.Delegated {
			x += "(delegated)"
		}
		if a.Note != "" {
			x += "(" + a.Note + ")"
		}
		out = append(out, x)
	}
	if r.Note != "" {
		out = append(out, "note:"+r.Note)
	}
	if r.Reason != "" {
		out = append(out, "reason:"+r.Reason)
	}
	return strings.Join(out, " ")
}

// result is what a script has led to: where it is, or what is sent.
func result(t *testing.T, s *Set, ready bool) string {
	t.Helper()
	if !ready {
		return where(s)
	}
	return sent(s.Reply())
}

// sent is a reply in short, or why it cannot be sent.
func sent(r question.Reply, err error) string {
	if err != nil {
		return "refused " + err.Error()
	}
	return said(r)
}

// choices are the choices of a question in short: "1.PostgreSQL* 2.SQLite+ other open",
// a star for a mark, a plus for a declared default, in brackets what is hidden.
func choices(q *Question) string {
	var out []string
	for _, r := range q.Choices() {
		var x string
		switch r.Kind {
		case Option:
			x = strconv.Itoa(r.Number) + "." + r.Option.Label
		case Yes:
			x = "yes"
		case No:
			x = "no"
		case Proposed:
			x = "proposed"
		case Other:
			x = "other"
		case LeaveOpen:
			x = "open"
		}
		if r.Marked {
			x += "*"
		}
		if r.Default {
			x += "+"
		}
		out = append(out, x)
	}
	return strings.Join(out, " ")
}

// answered is an answer of the user's.
func answered(id, custom string, selected ...string) question.Answer {
	return question.Answer{QuestionID: id, Selected: selected, Custom: custom, By: question.ByUser}
}
