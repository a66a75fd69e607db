package question

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Longest answers that name options, in characters (D18).
const (
	maxChoice  = 256
	maxChoices = 1000
)

// ParseAnswers reads the answers to a set in any of the shapes in which
// programs write them (B4, D5): an object keyed by question text, question id
// or question-N (counted from 0), or an array of responses as in the tool's
// structured result. An option is named by its id or label, several by an
// array; several joined with commas in one string are told apart only where
// there is one way to do so (B5). The error is a [Violations]; answers that
// are well formed but break the set's rules are left for [Set.Check].
func (s *Set) ParseAnswers(data []byte) ([]Answer, error) {
	p := parser{set: s}
	switch data = bytes.TrimSpace(data); {
	case len(data) > 0 && data[0] == '{':
		p.object(data)
	case len(data) > 0 && data[0] == '[':
		p.responses(data)
	default:
		p.add("answers", "must be an object keyed by question, or an array of responses")
	}
	return p.answers, p.found.Err()
}

type parser struct {
	set     *Set
	answers []Answer
	found   Violations
}

func (p *parser) add(path, format string, args ...any) {
	p.found = append(p.found, Violation{path, fmt.Sprintf(format, args...)})
}

func (p *parser) object(data []byte) {
	var byKey map[string]json.RawMessage
	if err := json.Unmarshal(data, &byKey); err != nil {
		p.add("answers", "is not valid JSON: %v", err)
		return
	}
	keys := make([]string, 0, len(byKey))
	for k := range byKey {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		path := fmt.Sprintf("answers[%q]", k)
		q := p.set.named(k)
		if q == nil {
			p.add(path, "no question has this text or id")
			continue
		}
		p.value(path, q, byKey[k])
	}
}

// named returns the question called key: by its text, its id, or its place
// among the questions of the set.
func (s *Set) named(key string) *Question {
	all := s.All()
	for _, q := range all {
		if q.Text == key {
			return q
		}
	}
	for _, q := range all {
		if q.ID == key {
			return q
		}
	}
	if n, ok := strings.CutPrefix(key, "question-"); ok {
		if i, err := strconv.Atoi(n); err == nil && i >= 0 && i < len(s.Questions) {
			return &s.Questions[i]
		}
	}
	return nil
}

func (p *parser) responses(data []byte) {
	var list []struct {
		QuestionID string          `json:"question_id"`
		Question   string          `json:"question"`
		State      string          `json:"state"`
		Selected   json.RawMessage `json:"selected"`
		Text       string          `json:"text"`
		Response   json.RawMessage `json:"response"`
		Answer     json.RawMessage `json:"answer"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		p.add("answers", "is not an array of responses: %v", err)
		return
	}
	for i, r := range list {
		path := fmt.Sprintf("answers[%d]", i)
		q := p.set.Find(r.QuestionID)
		if q == nil {
			q = p.set.named(r.Question)
		}
		switch {
		case q == nil:
			p.add(path, "no question has this question_id or text")
		case r.State == "unanswered" || r.State == "not_shown":
		case given(r.Selected) && string(r.Selected) != "[]" || r.Text != "":
			p.selected(path, q, r.Selected, r.Text)
		case given(r.Response):
			p.value(path+".response", q, r.Response)
		case given(r.Answer):
			p.value(path+".answer", q, r.Answer)
		default:
			p.add(path, "holds no answer: give selected, text or response")
		}
	}
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// selected takes options named one by one and, beside them, free text.
func (p *parser) selected(path string, q *Question, raw json.RawMessage, text string) {
	a := Answer{QuestionID: q.ID, Custom: text}
	var list []json.RawMessage
	if given(raw) && json.Unmarshal(raw, &list) != nil {
		p.add(path+".selected", "must be an array of options")
		return
	}
	for _, item := range list {
		var o struct{ ID, Label string }
		if json.Unmarshal(item, &o) != nil {
			_ = json.Unmarshal(item, &o.ID) // what is neither stays empty and is refused below
		}
		option := q.Named(o.ID)
		if option == nil {
			option = q.Named(o.Label)
		}
		if option == nil {
			p.add(path+".selected", "%s is none of the options: %s", item, strings.Join(q.optionIDs(), ", "))
			return
		}
		a.Selected = append(a.Selected, option.ID)
	}
	p.answers = append(p.answers, a)
}

// value takes the answer to q in the form its type has on the wire (D5).
func (p *parser) value(path string, q *Question, raw json.RawMessage) {
	a := Answer{QuestionID: q.ID}
	if !given(raw) {
		return // null: left open
	}
	var words []string
	var one string
	var yes bool
	read := q.whole // an array's elements are never split
	switch {
	case q.Type == Boolean && json.Unmarshal(raw, &yes) == nil:
		a.Selected = []string{strconv.FormatBool(yes)}
		p.answers = append(p.answers, a)
		return
	case json.Unmarshal(raw, &one) == nil:
		if one == "" {
			return
		}
		words = []string{one}
		if q.Several() {
			read = q.joined
		}
	case q.Type != Text && json.Unmarshal(raw, &words) == nil:
	default:
		p.add(path, "must be %s", q.expected())
		return
	}
	if q.Type == Text {
		a.Custom = one
		p.answers = append(p.answers, a)
		return
	}
	limit := maxChoice
	if q.Several() {
		limit = maxChoices
	}
	if n := Count(strings.Join(words, ", ")); n > limit && !q.AllowCustom {
		p.add(path, "must be at most %d characters long, is %d", limit, n)
		return
	}
	for _, w := range words {
		ids, why := read(w)
		switch {
		case why != "":
			p.add(path, "%s", why)
			return
		case ids != nil:
			a.Selected = append(a.Selected, ids...)
		case !q.AllowCustom:
			p.add(path, "%q is none of the options; must be %s", w, q.expected())
			return
		case a.Custom != "":
			p.add(path, "holds two free texts, %q and %q; one is allowed", a.Custom, w)
			return
		default:
			a.Custom = uncustom(w)
		}
	}
	p.answers = append(p.answers, a)
}

// expected says what an answer to q looks like (D12: invalid_answer says what
// is expected).
func (q *Question) expected() string {
	switch q.Type {
	case Text:
		return "a string"
	case Boolean:
		return "true or false"
	}
	what := "one of: "
	if q.Several() {
		what = "an array of any of: "
	}
	what += strings.Join(q.optionIDs(), ", ")
	if q.AllowCustom {
		what += "; or a text of the user's own"
	}
	return what
}

// whole tells which option a word names; none where it names none.
func (q *Question) whole(word string) (ids []string, why string) {
	if o := q.Named(word); o != nil {
		return []string{o.ID}, ""
	}
	return nil, ""
}

// joined tells which options a string of several names, or why that cannot be
// told; neither where it names none (B5).
func (q *Question) joined(words string) (ids []string, why string) {
	switch ways := q.split(strings.TrimSpace(words)); {
	case len(ways) > 1:
		return nil, fmt.Sprintf("%q can be read in more than one way, because a label contains a comma; give a JSON array", words)
	case len(ways) == 1:
		return ways[0], ""
	}
	if ids, _ := q.whole(words); ids != nil {
		return ids, ""
	}
	if strings.Contains(words, ",") && q.mentions(words) {
		return nil, fmt.Sprintf("%q mixes options with other text; give a JSON array", words)
	}
	return nil, ""
}

// split returns every way in which joined can be read as ids or labels with
// commas between them, at most two: one is an answer, two are a doubt.
func (q *Question) split(joined string) [][]string {
	var ways [][]string
	var walk func(rest string, got []string)
	walk = func(rest string, got []string) {
		if len(ways) > 1 || len(got) > len(q.Options) {
			return
		}
		tried := ""
		for _, o := range q.Options {
			for _, name := range []string{o.Label, o.ID} {
				name = strings.TrimSpace(name)
				after, ok := strings.CutPrefix(rest, name)
				if !ok || name == "" || tried == o.ID+name {
					continue
				}
				tried = o.ID + name
				next := append(slices.Clone(got), o.ID)
				after = strings.TrimLeft(after, " ")
				if after == "" {
					if !slices.ContainsFunc(ways, func(w []string) bool { return slices.Equal(w, next) }) {
						ways = append(ways, next)
					}
				} else if after, ok = strings.CutPrefix(after, ","); ok {
					walk(strings.TrimLeft(after, " "), next)
				}
			}
		}
	}
	walk(joined, nil)
	return ways
}

// mentions reports whether a part of a joined string is one of the options.
func (q *Question) mentions(joined string) bool {
	return slices.ContainsFunc(strings.Split(joined, ","), func(part string) bool { return q.Named(part) != nil })
}

// uncustom takes the free text out of the words in which --format headers
// writes it (A2).
func uncustom(word string) string {
	if inner, ok := strings.CutPrefix(word, "Other (custom: "); ok && strings.HasSuffix(inner, ")") {
		return strings.TrimSuffix(inner, ")")
	}
	return word
}
