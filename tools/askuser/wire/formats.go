package wire

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Formats returns the ways in which a shell command may want a result, which
// [Format] takes, the default first.
func Formats() []string {
	return []string{"headers", "questions", "indexes", "ids", "text", "json"}
}

// Format writes the outcome of a record for a program, as of now: the answers by
// headers, questions, indexes or ids, text (that of a tool's result) or json (its
// structured content, with the id). JSON has every text as it came from outside. Path is as for
// [Result.AddFiles].
func Format(rec desk.Record, format string, now time.Time, path func(question.File) string) (string, error) {
	r := NewResult(rec)
	r.AddFiles(rec.Reply(), path)
	r.Age(rec, now)
	key := func(x *question.Response) string { return x.Question.Text }
	value := func(x *question.Response) any { return x.Text() }
	switch format {
	case "text":
		return question.Readable(r.Text), nil
	case "json":
		r.ID = rec.ID
		return encode((*original)(r))
	case "questions":
	case "headers":
		key, value = headerKeys(&rec.Set), headerValue
	case "indexes":
		key = (*question.Response).Key
		value = func(x *question.Response) any { return strings.Join(x.Words(), ",") }
	case "ids":
		key, value = func(x *question.Response) string { return x.ID }, idValue
	default:
		return "", fmt.Errorf("unknown format %q; the formats are %s", format, strings.Join(Formats(), ", "))
	}
	out := struct {
		Answers ordered  `json:"answers"`
		By      string   `json:"by,omitempty"`            // where it is not the user in a surface of ours
		Program []string `json:"by_program,omitempty"`    // the keys of a program's answers in a reply of the user's
		Caller  []string `json:"by_caller,omitempty"`     // the keys of answers that the asker had already
		Left    []string `json:"left_to_agent,omitempty"` // the keys of what the user left to the agent
		Notes   *ordered `json:"notes,omitempty"`         // beside answers, or in their place
		Files   []string `json:"files,omitempty"`         // their paths
		Note    string   `json:"note,omitempty"`
		Discuss bool     `json:"discuss,omitempty"` // the answers are those so far
	}{By: r.By, Note: note(r, rec.Outcome), Discuss: rec.State == desk.Discuss}
	// What a caller had collected is no answer of any other record.
	if rec.State == desk.Answered || rec.State == desk.Discuss {
		for _, x := range rec.Responses() {
			if x.Answer != nil {
				for _, f := range x.Answer.Files {
					out.Files = append(out.Files, cmp.Or(path(f), f.String()))
				}
				out.Answers.set(key(&x), value(&x))
				switch {
				case x.By() == question.ByCaller:
					out.Caller = append(out.Caller, key(&x))
				case x.By() == question.ByProgram && !rec.Outcome.FromProgram():
					out.Program = append(out.Program, key(&x))
				}
			}
			if x.State == question.StateDelegated {
				out.Left = append(out.Left, key(&x))
			}
			if x.Note != "" {
				if out.Notes == nil {
					out.Notes = &ordered{}
				}
				out.Notes.set(key(&x), x.Note)
			}
		}
	}
	return encode(out)
}

// note is the note of the reply; of a timeout the message; of a dismissal or a withdrawal, a
// sentence that says so, and the reason.
func note(r *Result, o *desk.Outcome) string {
	text, reason, whose := strings.SplitAfter(r.Text, ".")[0], r.Note, " Their"
	switch {
	case r.Status == desk.Timeout:
		return r.Text
	case r.Status == desk.Cancelled:
		text, reason, whose = r.Summary+".", o.Reason, " The"
	case r.Status != desk.Dismissed:
		return r.Note
	case r.By == string(desk.ProgramAnswerer):
		whose = " Its"
	}
	if reason != "" {
		text += whose + " reason: " + reason
	}
	return text
}

// headerKeys returns the key of a question: its header, or its text where the header is
// empty, not unique, or the text of a question.
func headerKeys(set *question.Set) func(*question.Response) string {
	uses := map[string]int{}
	for _, q := range set.All() {
		uses[q.Header]++
		uses[q.Text]++
	}
	return func(x *question.Response) string {
		if x.Header == "" || uses[x.Header] > 1 {
			return x.Question.Text
		}
		return x.Header
	}
}

func headerValue(x *question.Response) any {
	answer := x.Words()
	if x.Answer.Custom != "" && x.Chooses() {
		answer[len(answer)-1-len(x.Answer.Files)] = "Other (custom: " + x.Answer.Custom + ")"
	}
	return strings.Join(answer, ", ")
}

func idValue(x *question.Response) any {
	ids := append([]string{}, x.Answer.Selected...)
	if x.Answer.Custom != "" {
		ids = append(ids, x.Answer.Custom)
	}
	switch value := x.Value().(type) {
	case bool:
		return value
	case []string:
		return ids
	case string:
		if len(ids) == 0 { // files alone
			return value
		}
	}
	return strings.Join(ids, "")
}
