package wire

import (
	"cmp"
	"encoding/json"
	"strings"

	"mcp-askuser/question"
)

// spare is how many questions or options above the limit are still read, so that
// their own faults are reported too.
const spare = 16

// questions reads the questions of a set, or those that follow up on an
// option at this depth.
func (d *decoder) questions(path string, raw json.RawMessage, depth int) []question.Question {
	raw = Unquote(raw)
	if opens(raw, '{') {
		m, _ := d.object(path, raw, "an object")
		if m.get("questions") == nil {
			return []question.Question{d.question(element(path, 0), raw, depth)}
		}
		raw = m.get("questions") // the whole input, as a string; no further, or a hostile one costs minutes
	}
	items, ok := d.array(path, raw, "an array of questions")
	if !ok {
		return nil
	}
	if n := len(items); n > d.limits.Questions+spare {
		d.found.Questions(path, n, d.limits)
		return nil
	}
	out := make([]question.Question, len(items))
	for i, item := range items {
		out[i] = d.question(element(path, i), item, depth)
	}
	return out
}

func (d *decoder) question(path string, raw json.RawMessage, depth int) question.Question {
	raw = Unquote(raw)
	text, ok := word(raw)
	fault := broken(raw)
	if ok && text != "" && fault == "" { // a question as a plain string
		return question.Question{Text: lines(text), Type: question.Text, Required: true}
	}
	var m ordered
	if json.Unmarshal(raw, &m) != nil {
		d.found.Add(path, "must be an object, %s", cmp.Or(fault, "is "+question.Describe(raw)))
		return question.Question{}
	}
	at := func(name string) string { return path + "." + name }
	q := question.Question{
		Text:        lines(d.text(at("question"), m.get("question"))),
		Header:      d.text(at("header"), m.get("header")),
		Description: lines(d.text(at("description"), m.get("description"))),
		ID:          d.text(at("question_id"), m.get("question_id")),
		Placeholder: d.text(at("placeholder"), m.get("placeholder")),
		Required:    d.flag(at("required"), m.get("required"), true),
	}
	custom := d.flag(at("allow_custom"), m.get("allow_custom"), true)
	several := d.flag(at("multiSelect"), m.get("multiSelect"), false)
	options, choice := d.options(at, m)
	q.Type = typeOf(d.text(at("type"), m.get("type")), several, choice)
	switch {
	case q.Confirms():
		options = yesAndNo(options)
	case q.OwnOptions() && custom:
		q.AllowCustom = true
		var other option
		options, other = takeOther(options)
		if raw := m.get("other"); raw != nil { // as a record keeps it
			other = d.option(at("other"), raw)
		}
		if other.Label != "" {
			q.Other = &question.Option{Label: other.Label, Description: other.Description}
		}
		if other.followUps != nil {
			d.drop(at("follow_up_questions"), "belongs to free text")
		}
	}
	q.Options = identified(options)
	d.defaults(at("default"), m.get("default"), &q, options)
	d.followUps(at("follow_up_questions"), m.get("follow_up_questions"), &q, options, depth)
	return q
}

// typeOf tells a question's type from what was given. A type that is
// none of the four is kept for Validate to report.
func typeOf(name string, several, options bool) question.Type {
	switch strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "") {
	case "", "askuserquestion": // the type of a message, not of a question
		if !several && !options {
			return question.Text
		}
	case "multiplechoice", "singlechoice", "singleselect", "choice", "select", "radio":
	case "checkbox", "multiselect", "multi", "multiple":
		several = true
	case "text", "freetext", "string", "number", "integer":
		return question.Text
	case "boolean", "bool", "confirm", "yesno":
		return question.Boolean
	default:
		return question.Type(name)
	}
	if several {
		return question.MultiChoice
	}
	return question.SingleChoice
}

// lines turns the two characters \n, which models write now and then for a
// line break, into one, unless the text has real line breaks or they look like
// part of a path such as C:\new.
func lines(s string) string {
	if !strings.Contains(s, `\n`) || strings.Contains(s, "\n") {
		return s
	}
	words := strings.Split(s, " ")
	for i, w := range words {
		if len(w) > 2 && w[1] == ':' && w[2] == '\\' || strings.HasPrefix(w, `\\`) {
			continue
		}
		words[i] = strings.ReplaceAll(w, `\n`, "\n")
	}
	return strings.Join(words, " ")
}
