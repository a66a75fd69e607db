package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcp-askuser/question"
)

func (d *decoder) questions(path string, raw json.RawMessage, depth int) []question.Question {
	raw = unquote(raw)
	if d.isObject(raw) {
		if m, _ := d.object(path, raw); m.get("questions") != nil {
			return d.questions(path, m.get("questions"), depth) // the whole input, as a string
		}
		return []question.Question{d.question(path+"[0]", raw, depth)}
	}
	items, ok := d.array(path, raw, "an array of questions")
	if !ok {
		return nil
	}
	out := make([]question.Question, 0, len(items))
	for i, item := range items {
		out = append(out, d.question(fmt.Sprintf("%s[%d]", path, i), item, depth))
	}
	return out
}

func (d *decoder) question(path string, raw json.RawMessage, depth int) question.Question {
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" { // a question as a plain string
		return question.Question{Text: lines(text), Type: question.Text, Required: true}
	}
	m, ok := d.object(path, raw)
	if !ok {
		return question.Question{}
	}
	at := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	q := question.Question{
		Text:        lines(d.text(at("question"), m.get("question", "question_text", "questionText"))),
		Header:      d.text(at("header"), m.get("header")),
		Description: lines(d.text(at("description"), m.get("description"))),
		ID:          d.text(at("question_id"), m.get("question_id", "questionId", "id")),
		Placeholder: d.text(at("placeholder"), m.get("placeholder")),
		Required:    d.flag(at("required"), m.get("required"), true),
	}
	custom := d.flag(at("allow_custom"), m.get("allow_custom", "allowCustom"), true)
	several := d.flag(at("multiSelect"), m.get("multiSelect", "multi_select", "multiple"), false)
	typ := strings.ToLower(strings.TrimSpace(d.text(at("type"), m.get("type"))))
	if typ == "ask_user_question" {
		typ = "" // the type of D's message, not of a question
	}
	options, given := d.options(at, m)
	q.Type = typeOf(typ, several, given)
	switch {
	case q.Type == question.Boolean && (len(options) == 0 || yesNo(options)):
		q.Options = booleanOptions(options)
	case q.Type == question.Text:
		q.Options = options // none, or a fault that Validate reports
	default:
		q.Options = options
		if q.AllowCustom = custom && q.Type != question.Boolean; custom {
			q.Options, q.Other = takeOther(options)
		}
	}
	for i := range q.Options {
		if q.Options[i].ID == "" {
			q.Options[i].ID = freshID(slug(q.Options[i].Label, i), func(id string) bool { return q.Option(id) != nil })
		}
	}
	d.defaults(at("default"), m.get("default"), &q)
	if raw := m.get("follow_up_questions", "followUpQuestions"); raw != nil {
		d.followUps(at("follow_up_questions"), raw, &q, depth)
	}
	return q
}

// typeOf tells a question's type from what was given (D3). A type that is
// none of the four is kept for Validate to report.
func typeOf(typ string, several, options bool) question.Type {
	switch typ {
	case "":
		switch {
		case several:
			return question.MultiChoice
		case options:
			return question.SingleChoice
		}
		return question.Text
	case "multiple_choice", "single_choice", "single_select", "select", "radio":
		if several {
			return question.MultiChoice
		}
		return question.SingleChoice
	case "checkbox", "multi_select", "multiselect":
		return question.MultiChoice
	case "boolean", "confirm":
		return question.Boolean
	}
	return question.Type(typ)
}

// options reads the options of a question, and whether any were given.
func (d *decoder) options(at func(string) string, m ordered) ([]question.Option, bool) {
	raw := unquote(m.get("options"))
	if raw == nil {
		return nil, false
	}
	items, ok := d.array(at("options"), raw, "an array of options")
	if !ok {
		return nil, true
	}
	out := make([]question.Option, 0, len(items))
	for i, item := range items {
		out = append(out, d.option(fmt.Sprintf("%s[%d]", at("options"), i), item))
	}
	if raw := m.get("descriptions"); raw != nil {
		d.descriptions(at("descriptions"), raw, out)
	}
	return out, true
}

func (d *decoder) option(path string, raw json.RawMessage) question.Option {
	var label string
	if json.Unmarshal(raw, &label) == nil {
		return question.Option{Label: label}
	}
	m, ok := d.object(path, raw)
	if !ok {
		return question.Option{}
	}
	o := question.Option{
		ID:          d.text(path+".id", m.get("id")),
		Label:       d.text(path+".label", m.get("label")),
		Description: lines(d.text(path+".description", m.get("description"))),
		Default:     d.flag(path+".default", m.get("default"), false),
		Preview:     d.text(path+".preview", m.get("preview")),
	}
	if !d.limits.Lenient && m.get("description") != nil && strings.TrimSpace(o.Description) == "" {
		d.add(path+".description", "must not be empty where it is given")
	}
	return o
}

// descriptions joins E's list of descriptions to its options (E1, E2).
func (d *decoder) descriptions(path string, raw json.RawMessage, options []question.Option) {
	items, ok := d.array(path, unquote(raw), "an array of strings")
	if !ok {
		return
	}
	if len(items) != len(options) {
		d.add(path, "must have the same length as options, has %d for %d", len(items), len(options))
		return
	}
	for i, item := range items {
		if given(item) {
			options[i].Description = lines(d.text(fmt.Sprintf("%s[%d]", path, i), item))
		}
	}
}

// defaults marks what the caller proposes: a text, or options by place, id or
// label, one or a list of them (E1).
func (d *decoder) defaults(path string, raw json.RawMessage, q *question.Question) {
	if raw == nil {
		return
	}
	if q.Type == question.Text {
		q.Default = d.text(path, raw)
		return
	}
	items := []json.RawMessage{raw}
	if d.isArray(raw) {
		items, _ = d.array(path, raw, "")
	}
	for _, item := range items {
		o := defaultOption(item, q)
		if o == nil {
			d.add(path, "%s is none of the options; give an index from 0 to %d, an id or a label", item, len(q.Options)-1)
			continue
		}
		o.Default = true
	}
}

func defaultOption(raw json.RawMessage, q *question.Question) *question.Option {
	var yes bool
	if q.Type == question.Boolean && json.Unmarshal(raw, &yes) == nil {
		return q.Option(strconv.FormatBool(yes))
	}
	var i int
	if json.Unmarshal(raw, &i) == nil && i >= 0 && i < len(q.Options) {
		return &q.Options[i]
	}
	var name string
	if json.Unmarshal(raw, &name) != nil {
		return nil
	}
	return named(q, name)
}

// named returns the option with this id or label, or nil.
func named(q *question.Question, name string) *question.Option {
	if o := q.Option(name); o != nil {
		return o
	}
	for i := range q.Options {
		if strings.EqualFold(strings.TrimSpace(q.Options[i].Label), strings.TrimSpace(name)) {
			return &q.Options[i]
		}
	}
	if q.Type == question.Boolean {
		switch strings.ToLower(name) {
		case "yes", "y":
			return q.Option(question.YesID)
		case "no", "n":
			return q.Option(question.NoID)
		}
	}
	return nil
}

func (d *decoder) followUps(path string, raw json.RawMessage, q *question.Question, depth int) {
	if depth > question.MaxDepth {
		return // Validate reports it; a hostile input must not recurse for ever
	}
	byOption, _ := d.object(path, raw)
	for _, key := range byOption.keys {
		o := named(q, key)
		if o == nil {
			d.add(path+"."+key, "is none of the options of this question")
			continue
		}
		o.FollowUps = append(o.FollowUps, d.questions(path+"."+key, byOption.values[key], depth+1)...)
	}
}

// takeOther takes an option that is only another word for free text out of
// the options: ours takes its place, with its wording (A13).
func takeOther(options []question.Option) ([]question.Option, *question.Option) {
	for i := range options {
		if !isOther(options[i].Label) {
			continue
		}
		other := options[i]
		return slices.Delete(slices.Clone(options), i, i+1), &question.Option{Label: other.Label, Description: other.Description}
	}
	return options, nil
}

func isOther(label string) bool {
	label, _, _ = strings.Cut(strings.ToLower(label), "(")
	label, _, _ = strings.Cut(label, "（")
	switch strings.Trim(label, " .…:：") {
	case "other", "其他", "其它":
		return true
	}
	return false
}

// yesNo reports whether the options of a boolean question say yes and no, in
// either order.
func yesNo(options []question.Option) bool {
	return len(options) == 2 && (yesWord(options[0]) == question.YesID && yesWord(options[1]) == question.NoID ||
		yesWord(options[0]) == question.NoID && yesWord(options[1]) == question.YesID)
}

func yesWord(o question.Option) string {
	for _, word := range []string{o.ID, o.Label} {
		word, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(word)), ",")
		switch word {
		case "yes", "true", "y", "是":
			return question.YesID
		case "no", "false", "n", "否":
			return question.NoID
		}
	}
	return ""
}

func booleanOptions(given []question.Option) []question.Option {
	out := []question.Option{{ID: question.YesID, Label: "Yes"}, {ID: question.NoID, Label: "No"}}
	for _, o := range given {
		i := 0
		if yesWord(o) == question.NoID {
			i = 1
		}
		o.ID = out[i].ID
		out[i] = o
	}
	return out
}

// lines turns the two characters \n, which models write now and then for a
// line break (FACTS 6), into one, unless the text has real line breaks or
// they look like part of a path such as C:\new.
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
