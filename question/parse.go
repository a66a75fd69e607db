package question

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Programs write a reply in any of these shapes:
//
//	reply      the answers alone, or an object with any of answers, note, discuss (true: the
//	           user wants to discuss the set first), and notes and files, keyed as answers are
//	answers    an object keyed by question text, id, header or question-N, counted from 0; or
//	           an array of responses, as in the tool's structured result
//	response   question_id or question; selected and text, or response, or answer; note
//	value      an option by id or label, an array of them, true or false, or a text. Several
//	           options in one text, with commas between, are split only where exactly one
//	           reading exists
//	own words  {"other": "…"}, "Other (custom: …)" as --format headers writes it, or, unless it
//	           is to be exact, a text that names no option
//
// [Set.Check] applies the rules of the set.

// maxList is how many answers there may be at once.
const maxList = 500

type parser struct {
	set   *Set
	exact bool // a text is no own words
	reply Reply
	found Violations
}

func (p *parser) read(data []byte) {
	var byKey map[string]json.RawMessage
	var list []json.RawMessage
	var err error
	switch data = bytes.TrimSpace(data); {
	case bytes.HasPrefix(data, []byte("{")):
		err = json.Unmarshal(data, &byKey)
	case bytes.HasPrefix(data, []byte("[")):
		err = json.Unmarshal(data, &list)
	default:
		p.found.Add("answers", "must be an object keyed by question, or an array of responses, is %s", Describe(data))
	}
	switch n := len(byKey) + len(list); {
	case err != nil:
		p.found.Add("answers", "is not valid JSON: %v", err)
	case n > maxList:
		p.found.Add("answers", "must be at most %d answers, are %d", maxList, n)
	default:
		eachNamed(p, "answers", byKey, p.value)
		p.responses(list)
	}
}

// ParseReply reads a reply. The error is a [Violations]. Exact is for programs, which may mistype
// an option: the user's own words must be marked as such.
func (s *Set) ParseReply(data []byte, exact bool) (Reply, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) == nil && s.isReply(members) {
		return s.ParseMembers(members, exact)
	}
	p := parser{set: s, exact: exact}
	p.read(data) // also where there is none: the end of input is no reply
	return p.reply, p.found.Err()
}

// ParseMembers is ParseReply of an object with the members of a reply.
func (s *Set) ParseMembers(members map[string]json.RawMessage, exact bool) (Reply, error) {
	p := parser{set: s, exact: exact}
	if raw := members["answers"]; present(raw) {
		p.read(raw)
	}
	notes, _ := Read[map[string]string](&p.found, "notes", members["notes"], "an object of strings")
	eachNamed(&p, "notes", notes, func(_ string, q *Question, note string) { p.note(q, note) })
	files, _ := Read[map[string][]File](&p.found, "files", members["files"], "an object of arrays")
	eachNamed(&p, "files", files, func(_ string, q *Question, files []File) {
		p.reply.Put(q.ID, func(a *Answer) { a.Files = files })
	})
	p.reply.Note, _ = Read[string](&p.found, "note", members["note"], "a string")
	p.reply.Discuss, _ = Read[bool](&p.found, "discuss", members["discuss"], "true or false")
	return p.reply, p.found.Err()
}

// isReply tells an object with the members of a reply from answers that are
// keyed by question. What could be either is answers.
func (s *Set) isReply(members map[string]json.RawMessage) bool {
	questions := 0
	for key := range members {
		if !slices.Contains([]string{"answers", "notes", "files", "note", "discuss"}, key) {
			return false
		}
		if s.named(key) != nil {
			questions++
		}
	}
	return questions < len(members)
}

// note puts a word beside the answer to q, or in its place.
func (p *parser) note(q *Question, text string) {
	p.reply.Put(q.ID, func(a *Answer) { a.Note = text })
}

// eachNamed calls take with the question that each key of an object names.
func eachNamed[T any](p *parser, path string, values map[string]T, take func(path string, q *Question, value T)) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		path := fmt.Sprintf("%s[%q]", path, Shorten(key, 100))
		q := p.set.named(key)
		if q == nil {
			p.found.Add(path, "no single question has this text, id or header")
			continue
		}
		take(path, q, values[key])
	}
}

// named returns the question called key, or nil: by its text, its id, a header that no other has, or its
// place among the questions of the set.
func (s *Set) named(key string) *Question {
	headed := slices.DeleteFunc(s.All(), func(q *Question) bool { return q.Header != key || key == "" })
	q := cmp.Or(s.find(func(q *Question) bool { return q.Text == key }), s.Find(key))
	if q == nil && len(headed) == 1 {
		return headed[0]
	}
	n, isPlace := strings.CutPrefix(key, "question-")
	place, err := strconv.Atoi(n)
	if q == nil && len(headed) == 0 && isPlace && err == nil && place >= 0 && place < len(s.Questions) {
		return &s.Questions[place]
	}
	return q
}

// responses takes answers in the shape of the tool's structured result.
func (p *parser) responses(list []json.RawMessage) {
	for i, raw := range list {
		path := fmt.Sprintf("answers[%d]", i)
		r, ok := Read[map[string]json.RawMessage](&p.found, path, raw, "an object")
		if !ok {
			continue
		}
		text := func(name string) string {
			s, _ := Read[string](&p.found, path+"."+name, r[name], "a string")
			return s
		}
		faults := len(p.found)
		q, state := cmp.Or(p.set.Find(text("question_id")), p.set.named(text("question"))), State(text("state"))
		options, _ := Read[[]json.RawMessage](&p.found, path+".selected", r["selected"], "an array of options")
		custom, note := text("text"), text("note")
		switch {
		case len(p.found) > faults:
		case q == nil:
			p.found.Add(path, "no question has this question_id or text")
		case state == StateUnanswered || state == StateNotShown:
		case len(options) > 0 || custom != "":
			p.selected(path, q, options, custom)
		case present(r["response"]):
			p.value(path+".response", q, r["response"])
		case present(r["answer"]):
			p.value(path+".answer", q, r["answer"])
		case note == "":
			p.found.Add(path, "holds no answer: give selected, text or response")
		}
		if note != "" && len(p.found) == faults {
			p.note(q, note)
		}
	}
}

// present reports whether a member has a value.
func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// selected takes options named one by one and, beside them, free text.
func (p *parser) selected(path string, q *Question, options []json.RawMessage, text string) {
	a := Answer{QuestionID: q.ID, Custom: text}
	for _, raw := range options {
		var o struct{ ID, Label string }
		if json.Unmarshal(raw, &o) != nil {
			_ = json.Unmarshal(raw, &o.ID) // other values stay empty and are refused below
		}
		option := cmp.Or(q.Named(o.ID), q.Named(o.Label))
		if option == nil {
			p.found.Add(path+".selected", "%s is none of the options: %s", Describe(raw), strings.Join(q.optionIDs(), ", "))
			return
		}
		a.Selected = append(a.Selected, option.ID)
	}
	p.reply.Answers = append(p.reply.Answers, a)
}

// named returns the options that a text names, none for a text of the user's own; or
// why they are not certain. A joined text may name several.
func (q *Question) named(text string, joined bool) (ids []string, why string) {
	o := q.Named(text)
	if o != nil {
		ids = []string{o.ID}
	}
	if !joined {
		return ids, ""
	}
	ways := q.split(strings.TrimSpace(text))
	if len(ways) > 1 {
		return nil, fmt.Sprintf("%q can be read in more than one way, because a label contains a comma; give a JSON array",
			text)
	}
	if len(ways) == 1 {
		return ways[0], ""
	}
	return ids, ""
}
