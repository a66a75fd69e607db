package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Formats are the ways in which a shell command may want a result, the first
// one by default.
var formats = [...]string{"headers", "questions", "indexes", "ids", "text", "json"}

// Formats returns the names that [Format] takes, the default first.
func Formats() []string { return slices.Clone(formats[:]) }

// Format writes what became of a record for a program: headers (A1, A2),
// questions (C2), indexes (B4), ids (D5), text (D1) or json (the structured
// result).
func Format(rec desk.Record, format string) (string, error) {
	r := NewResult(rec)
	switch format {
	case "text":
		return r.Message, nil
	case "json":
		return encode(r)
	}
	member := map[string]func(*question.Set, *question.Question, *question.Answer) (string, any){
		"headers": func(set *question.Set, q *question.Question, a *question.Answer) (string, any) {
			return headerKey(set, q), headerWords(q, a)
		},
		"questions": func(_ *question.Set, q *question.Question, a *question.Answer) (string, any) {
			return q.Text, strings.Join(q.Words(a), ", ")
		},
		"indexes": func(set *question.Set, q *question.Question, a *question.Answer) (string, any) {
			return indexKey(set, q), strings.Join(q.Words(a), ",")
		},
		"ids": func(_ *question.Set, q *question.Question, a *question.Answer) (string, any) {
			return q.ID, idValue(q, a)
		},
	}[format]
	if member == nil {
		return "", fmt.Errorf("unknown format %q; the formats are %s", format, strings.Join(formats[:], ", "))
	}
	var answers ordered
	for _, q := range rec.All() {
		a := answerTo(&rec, q)
		if a == nil {
			continue
		}
		key, value := member(&rec.Set, q, a)
		data, err := encode(value)
		if err != nil {
			return "", err
		}
		answers.put(key, json.RawMessage(data))
	}
	return encode(struct {
		Answers ordered `json:"answers"`
		Note    string  `json:"note,omitempty"`
	}{answers, r.Note})
}

// answerTo returns the answer to q that an answered record holds, collected
// ones included, or nil.
func answerTo(rec *desk.Record, q *question.Question) *question.Answer {
	switch {
	case rec.State != desk.Answered:
		return nil
	case q.Collected != nil:
		return q.Collected
	}
	return rec.Outcome.Reply.Answer(q.ID)
}

// indexKey is question-N for the Nth question of the set, from 0; follow-ups
// have no place of their own and go by their id.
func indexKey(set *question.Set, q *question.Question) string {
	for i := range set.Questions {
		if set.Questions[i].ID == q.ID {
			return fmt.Sprintf("question-%d", i)
		}
	}
	return q.ID
}

// headerKey is the question's header; its text where it has none or shares it.
func headerKey(set *question.Set, q *question.Question) string {
	if q.Header == "" {
		return q.Text
	}
	for _, other := range set.All() {
		if other.ID != q.ID && other.Header == q.Header {
			return q.Text
		}
	}
	return q.Header
}

func headerWords(q *question.Question, a *question.Answer) string {
	words := q.Words(a)
	if a.Custom != "" && q.Type != question.Text {
		words[len(words)-1] = "Other (custom: " + a.Custom + ")"
	}
	return strings.Join(words, ", ")
}

func idValue(q *question.Question, a *question.Answer) any {
	switch {
	case q.Type == question.Boolean:
		return len(a.Selected) == 1 && a.Selected[0] == question.YesID
	case q.Several():
		ids := append([]string{}, a.Selected...)
		if a.Custom != "" {
			ids = append(ids, a.Custom)
		}
		return ids
	case a.Custom != "":
		return a.Custom
	}
	return strings.Join(a.Selected, "")
}
