package wire

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/texts"
	"mcp-askuser/ui/words"
)

func (r *Result) dismissed(o *desk.Outcome) {
	text := "dismissed"
	r.Summary, r.Note = "User dismissed the question", o.Reply.Reason
	if o.FromProgram() { // which the text names
		text, r.Summary = "dismissed_program", "A program dismissed the question"
	}
	values := map[string]string{"who": words.Program(o), "reason": texts.Quoted(r.Note)}
	r.add(text, values, map[string]string{"reason": ""})
}

// answered fills in the answers, and separately what the user left open.
func (r *Result) answered(rec desk.Record) {
	pairs, asked := map[question.By][]string{}, map[question.By][]string{}
	var open, remarks, delegated []string
	all, named := rec.Responses(), callerNamed(rec.Questions, "q")
	for _, x := range all {
		text := `"` + x.Question.Text + `"`
		switch x.State {
		case question.StateAnswered:
			pairs[x.By()] = append(pairs[x.By()], x.Pair())
			asked[x.By()] = append(asked[x.By()], text)
			r.Answers.set(x.Question.Text, x.Value())
		case question.StateUnanswered:
			open = append(open, text)
		case question.StateDelegated:
			if label := x.Recommended(); label != "" {
				text += " (you recommended " + strconv.Quote(label) + ")"
			}
			delegated = append(delegated, text)
		case question.StateNotShown:
		}
		if x.Note != "" {
			remarks = append(remarks, text+": "+texts.Quoted(x.Note))
			r.Notes.set(x.Question.Text, x.Note)
		}
		if named && x.State != question.StateNotShown {
			r.Responses = append(r.Responses, responseOf(x))
		}
	}
	only := &all[0]
	yes, confirms := only.Value().(bool)
	confirms = confirms && only.By() == question.ByUser
	if len(all) == 1 && (confirms || only.OwnOptions()) {
		r.Response = only.Value()
	}
	o := rec.Outcome
	byProgram := o.FromProgram()
	values, lean := map[string]string{"who": words.Program(o), "delegated": list(delegated)}, map[string]string{}
	text, note, notes, user := "answered", "note", "notes", len(pairs[question.ByUser])
	switch program := len(pairs[question.ByProgram]); {
	case o.Status == desk.Discuss && byProgram:
		text, r.Summary = "discuss_program", "A program put the question back to be discussed"
		pairs[question.ByUser] = slices.Concat(pairs[question.ByUser], pairs[question.ByProgram])
	case o.Status == desk.Discuss:
		text, r.Summary = "discuss", "User wants to discuss this first"
	case user > 0:
		r.Summary = "User answered " + words.English.N(user, "%d question", "%d questions")
	case program > 0:
		r.Summary = "A program answered " + words.English.N(program, "%d question", "%d questions")
	case delegated != nil:
		r.Summary = "User left " + words.English.N(len(delegated), "%d question", "%d questions") + " to the agent"
	default:
		r.Summary = "User answered no question"
	}
	for name, by := range map[string]question.By{
		"answers": question.ByUser, "program": question.ByProgram,
		"defaults": question.ByTimeout, "collected": question.ByCaller,
	} {
		values[name], lean[name] = list(pairs[by]), list(asked[by])
	}
	for _, name := range []string{"answers", "continue", "note", "notes", "remark", "remarks"} {
		lean[name] = "" // other members say it
	}
	switch {
	case confirms && !yes && rec.AsksLeave():
		values["no"] = "no"
	case user > 0:
		values["continue"] = "continue"
	}
	left := "open" // by the user
	if byProgram || r.By == string(desk.HowTimeout) {
		left = "left"
	}
	if byProgram && text == "answered" {
		note, notes = "remark", "remarks"
	}
	r.Note = o.Reply.Note
	values[left], values[note], values[notes] = list(open), texts.Quoted(r.Note), list(remarks)
	r.add(text, values, lean)
}

func responseOf(x question.Response) Response {
	r := Response{QuestionID: x.ID, State: x.State}
	if x.Answer == nil {
		return r
	}
	for _, id := range x.Answer.Selected {
		if o := x.Option(id); o != nil {
			r.Selected = append(r.Selected, Selected{o.ID, o.Label})
		}
	}
	r.Text = x.Answer.Custom
	return r
}

func list(items []string) string { return strings.Join(items, ", ") }

// waited is a duration, as the outcome of a timeout has it, in words.
func waited(duration string) string {
	switch d, err := time.ParseDuration(duration); {
	case err != nil:
		return "the time given"
	case d < time.Second:
		return duration
	default:
		return words.English.Span(d)
	}
}
