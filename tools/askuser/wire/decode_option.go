package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcp-askuser/question"
)

// option is an option of a call.
type option struct {
	question.Option                 // without its follow-ups
	index           int             // among the options of the call
	callID          string          // its id in the call; yes and no have ids of ours
	followUps       json.RawMessage // inside the option, as in a record
}

// options reads the options of a question, and reports whether the call has any.
func (d *decoder) options(at func(string) string, m ordered) (out []option, present bool) {
	raw := m.get("options")
	if raw == nil {
		d.descriptions(at("descriptions"), m.get("descriptions"), nil)
		return nil, false
	}
	items, ok := d.array(at("options"), raw, "an array of options")
	if n := len(items); n > d.limits.Options+spare {
		d.found.Options(at("options"), n, d.limits)
		ok = false
	}
	if !ok {
		return nil, true
	}
	for i, item := range items {
		o := d.option(element(at("options"), i), item)
		o.index = i
		out = append(out, o)
	}
	d.descriptions(at("descriptions"), unlessEmpty(m.get("descriptions")), out)
	return out, out != nil
}

func (d *decoder) option(path string, raw json.RawMessage) option {
	var o option
	var m ordered
	err := json.Unmarshal(Unquote(raw), &m)
	if label, isString := word(raw); isString && m.get("label") == nil { // JSON text may be a label too
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
	o.callID, o.followUps = o.ID, unlessEmpty(m.get("follow_up_questions"))
	if !d.limits.Lenient && m.get("description") != nil && strings.TrimSpace(o.Description) == "" {
		d.found.Add(path+".description", "must not be empty where it is given")
	}
	return o
}

// descriptions gives each option the description of the same index.
func (d *decoder) descriptions(path string, raw json.RawMessage, options []option) {
	items, ok := d.array(path, raw, "an array of strings")
	if ok && len(items) != len(options) {
		d.found.Add(path, "must have the same length as options, has %d for %d", len(items), len(options))
		return
	}
	for i, item := range items {
		if text := lines(d.text(element(path, i), item)); text != "" {
			options[i].Description = text
		}
	}
}

// takeOther removes an option that is another word for free text. Our Other has its
// wording.
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

// yesAndNo returns the options of a yes-or-no question in our order and with our ids,
// in the words of the call where it has any. Options that are not one yes and one no
// are returned as they are, for Validate to report.
func yesAndNo(options []option) []option {
	var out []option
	for i, ours := range question.YesAndNo() {
		o := option{Option: ours, index: i}
		if len(options) > 0 {
			i = slices.IndexFunc(options, func(o option) bool {
				return cmp.Or(question.YesOrNo(o.ID), question.LabelYesOrNo(o.Label)) == ours.ID
			})
			if i < 0 || len(options) > 2 {
				return options
			}
			o = options[i]
			o.ID = ours.ID
		}
		out = append(out, o)
	}
	return out
}

// identified returns the options themselves, each with an id. An id that is made from a label is
// no other option's label: "c" names C, and not C++.
func identified(options []option) []question.Option {
	var out []question.Option
	for _, o := range options {
		out = append(out, o.Option)
	}
	for i := range out {
		if out[i].ID != "" {
			continue
		}
		label := out[i].Label
		out[i].ID = freshID(slug(label, i), func(id string) bool {
			return slices.ContainsFunc(out, func(o question.Option) bool {
				return o.ID == id || o.Label != label && strings.EqualFold(strings.TrimSpace(o.Label), id)
			})
		})
	}
	return out
}

// named returns the option of q that a word names, also by its id in the call; nil for
// none.
func named(q *question.Question, options []option, word string) *question.Option {
	if i := slices.IndexFunc(options, func(o option) bool { return o.callID != "" && o.callID == word }); i >= 0 {
		return &q.Options[i]
	}
	return q.Named(word)
}

// defaults reads the default of a question: a text, or options by index, id or label,
// one or an array of them.
func (d *decoder) defaults(path string, raw json.RawMessage, q *question.Question, options []option) {
	switch {
	case raw == nil || string(raw) == `""`:
		return
	case !q.Chooses():
		q.Default = d.text(path, raw)
		return
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		items = []json.RawMessage{raw}
	}
	if n := len(items); n > d.limits.Options+spare {
		d.found.Add(path, "names at most %d options, names %d", d.limits.Options, n)
		return
	}
	for _, item := range items {
		o := defaultOption(item, q, options)
		if o == nil {
			d.found.Add(path, "%s is none of the options; give an index from 0 to %d, an id or a label",
				question.Describe(item), len(q.Options)-1)
			continue
		}
		o.Default = true
	}
}

func defaultOption(raw json.RawMessage, q *question.Question, options []option) *question.Option {
	var index *int // null is none
	if json.Unmarshal(raw, &index) == nil && index != nil {
		if i := slices.IndexFunc(options, func(o option) bool { return o.index == *index }); i >= 0 {
			return &q.Options[i]
		}
	}
	var name string
	if json.Unmarshal(raw, &name) != nil && q.Confirms() {
		name = string(raw) // true or false, which are the ids
	}
	return named(q, options, name)
}

// followUps reads the follow-ups of the options: beside them, keyed by id or label, or
// inside them. Those that no answer can bring up are dropped. Faults name an option by
// its id.
func (d *decoder) followUps(path string, raw json.RawMessage, q *question.Question, options []option, depth int) {
	add := func(key string, o *question.Option, raw json.RawMessage) {
		switch {
		case unlessEmpty(raw) == nil:
		case o == nil:
			d.drop(path+"."+key, "is none of its options")
		case depth == question.MaxDepth:
			d.drop(path+"."+o.ID, fmt.Sprintf("is more than %d levels deep", question.MaxDepth))
		default:
			o.FollowUps = append(o.FollowUps, d.questions(path+"."+o.ID, raw, depth+1)...)
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
