package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcp-askuser/question"
)

// option is an option as it was written.
type option struct {
	question.Option                 // without its follow-ups
	place           int             // among the options of the call, from 0
	given           string          // its id; a yes and a no get one of ours
	followUps       json.RawMessage // written inside it, as a record keeps them
}

// options reads the options of a question, and whether any were given.
func (d *decoder) options(at func(string) string, m ordered) ([]option, bool) {
	raw := m.get("options", "choices")
	if raw == nil {
		return nil, false
	}
	items, ok := d.array(at("options"), raw, "an array of options")
	if !ok {
		return nil, true
	}
	if n := len(items); n > d.limits.Options+spare {
		d.found.Add(at("options"), "must have %d to %d options, has %d", question.MinOptions, d.limits.Options, n)
		return nil, true
	}
	out := make([]option, len(items))
	for i, item := range items {
		out[i] = d.option(element(at("options"), i), item)
		out[i].place = i
	}
	if raw := m.get("descriptions"); raw != nil {
		d.descriptions(at("descriptions"), raw, out)
	}
	return out, true
}

func (d *decoder) option(path string, raw json.RawMessage) option {
	var o option
	var m ordered
	err := json.Unmarshal(unquote(raw), &m)
	if label, plain := word(raw); plain && m.get("label") == nil { // and JSON may be a label
		o.Label = label
		return o
	}
	if err != nil {
		d.found.Add(path, "must be an object or a string, is %s", question.Describe(raw))
		return o
	}
	o.ID = d.text(path+".id", m.get("id"))
	o.Label = d.text(path+".label", m.get("label"))
	o.Description = lines(d.text(path+".description", m.get("description")))
	o.Default = d.flag(path+".default", m.get("default"), false)
	o.Preview = d.text(path+".preview", m.get("preview"))
	o.given, o.followUps = o.ID, unlessEmpty(m.get("follow_up_questions", "follow_ups"))
	if !d.limits.Lenient && m.get("description") != nil && strings.TrimSpace(o.Description) == "" {
		d.found.Add(path+".description", "must not be empty where it is given")
	}
	return o
}

// descriptions joins a list of descriptions to the options of the same places.
func (d *decoder) descriptions(path string, raw json.RawMessage, options []option) {
	items, ok := d.array(path, raw, "an array of strings")
	if !ok {
		return
	}
	if len(items) != len(options) {
		d.found.Add(path, "must have the same length as options, has %d for %d", len(items), len(options))
		return
	}
	for i, item := range items {
		if text := lines(d.text(element(path, i), item)); text != "" {
			options[i].Description = text
		}
	}
}

// takeOther takes an option that is only another word for free text out of
// the options: ours takes its place, with its wording.
func takeOther(options []option) (rest []option, other option) {
	i := slices.IndexFunc(options, func(o option) bool { return isOther(o.Label) })
	if i < 0 {
		return options, option{}
	}
	other = options[i]
	return slices.Delete(options, i, i+1), other
}

func isOther(label string) bool {
	label, _, _ = strings.Cut(strings.ToLower(label), "(")
	label, _, _ = strings.Cut(label, "（")
	switch strings.Trim(label, " .…:：") {
	case "other", "其他", "其它", "outro", "outra":
		return true
	}
	return false
}

// yesAndNo puts the options of a yes-or-no question, where its asker has worded
// them, in our order and under our ids. What says neither stays for Validate to
// report.
func yesAndNo(given []option) []option {
	word := func(o option) string { return cmp.Or(question.YesOrNo(o.ID), question.YesOrNo(o.Label)) }
	var out []option
	for i, ours := range question.YesAndNo() {
		o := option{Option: ours, place: i}
		if i := slices.IndexFunc(given, func(o option) bool { return word(o) == ours.ID }); i >= 0 {
			o = given[i]
			o.ID = ours.ID
		} else if len(given) > 0 {
			return given
		}
		out = append(out, o)
	}
	if len(given) > len(out) {
		return given
	}
	return out
}

// identified returns the options themselves, each with an id.
func identified(options []option) []question.Option {
	var out []question.Option
	for _, o := range options {
		out = append(out, o.Option)
	}
	for i := range out {
		if out[i].ID == "" {
			out[i].ID = freshID(slug(out[i].Label, i), func(id string) bool {
				return slices.ContainsFunc(out, func(o question.Option) bool { return o.ID == id })
			})
		}
	}
	return out
}

// named returns the option of q that a word names, also by the id that it was
// given, or nil.
func named(q *question.Question, options []option, word string) *question.Option {
	if i := slices.IndexFunc(options, func(o option) bool { return o.given != "" && o.given == word }); i >= 0 {
		return &q.Options[i]
	}
	return q.Named(word)
}

// defaults marks what the caller proposes: a text, or options by place, id or
// label, one or a list of them.
func (d *decoder) defaults(path string, raw json.RawMessage, q *question.Question, options []option) {
	if !q.Chooses() {
		q.Default = d.text(path, raw)
		return
	}
	items := []json.RawMessage{raw}
	switch {
	case raw == nil:
		return
	case opens(raw, '['):
		if items, _ = d.array(path, raw, ""); len(items) > d.limits.Options+spare {
			d.found.Add(path, "names at most %d options, names %d", d.limits.Options, len(items))
			return
		}
	}
	for _, item := range items {
		o := defaultOption(item, q, options)
		if o == nil {
			d.found.Add(path, "%s is none of the options; give an index from 0 to %d, an id or a label", question.Describe(item), len(q.Options)-1)
			continue
		}
		o.Default = true
	}
}

func defaultOption(raw json.RawMessage, q *question.Question, options []option) *question.Option {
	var place int
	if json.Unmarshal(raw, &place) == nil {
		if i := slices.IndexFunc(options, func(o option) bool { return o.place == place }); i >= 0 {
			return &q.Options[i]
		}
	}
	var name string
	if json.Unmarshal(raw, &name) != nil && q.Confirms() {
		name = string(raw) // true or false, which are the ids
	}
	return named(q, options, name)
}

// followUps reads the follow-ups of the options, which stand beside them, keyed
// by id or label, or in them. Those that cannot come up are left out, and the
// rest is asked. Faults name an option by its id.
func (d *decoder) followUps(path string, raw json.RawMessage, q *question.Question, options []option, depth int) {
	add := func(key string, o *question.Option, raw json.RawMessage) {
		switch {
		case unlessEmpty(raw) == nil:
		case o == nil:
			d.drop(member(path, key), "is none of its options")
		case depth == question.MaxDepth:
			d.drop(member(path, o.ID), fmt.Sprintf("is more than %d levels deep", question.MaxDepth))
		default:
			o.FollowUps = append(o.FollowUps, d.questions(member(path, o.ID), raw, depth+1)...)
		}
	}
	byOption, _ := d.object(path, unlessEmpty(raw), "an object keyed by option")
	for _, key := range byOption.keys {
		add(key, named(q, options, key), byOption.values[key])
	}
	for i, o := range options {
		if o.followUps != nil {
			add(o.ID, &q.Options[i], o.followUps)
		}
	}
}

// drop notes a part of the call that cannot be asked, and why.
func (d *decoder) drop(path, why string) {
	if len(d.dropped) < question.MaxViolations {
		d.dropped = append(d.dropped, question.Shorten(question.Line(path), 200)+" "+why)
	}
}
