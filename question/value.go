package question

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// value takes the answer to q in the form its type has on the wire.
func (p *parser) value(path string, q *Question, raw json.RawMessage) {
	if !present(raw) || string(raw) == `""` {
		return // left open
	}
	words, own, joined, ok := q.readValue(raw)
	n := Count(strings.Join(slices.Concat(words, own), ", "))
	switch {
	case !ok:
		p.found.Add(path, "must be %s, is %s", q.expected(), Describe(raw))
		return
	case n > q.longest():
		p.found.limit(path, n, q.longest())
		return
	}
	a := Answer{QuestionID: q.ID}
	for i, w := range slices.Concat(words, own) {
		var ids []string
		var why string
		if i < len(words) {
			ids, why = q.named(w, joined)
		}
		switch {
		case why != "":
			p.found.Add(path, "%s", why)
			return
		case ids != nil:
			a.Selected = append(a.Selected, ids...)
		case !q.TakesText(), p.exact && i < len(words) && q.Chooses() && q.uncustom(w) == w:
			p.found.Add(path, "%q is none of the options; must be %s", w, q.expected())
			return
		case a.Custom != "":
			p.found.Add(path, "holds two free texts, %q and %q; one is allowed", a.Custom, w)
			return
		default:
			a.Custom = q.uncustom(w)
		}
	}
	p.reply.Answers = append(p.reply.Answers, a)
}

// readValue reads a JSON value that answers q: the names of options, or a text, and what is
// marked as the user's own words. joined says that the one text may name several options. It
// is false for any other value.
func (q *Question) readValue(raw json.RawMessage) (names, own []string, joined, ok bool) {
	var one string
	var yes bool
	switch {
	case q.Confirms() && json.Unmarshal(raw, &yes) == nil:
		return []string{strconv.FormatBool(yes)}, nil, false, true
	case json.Unmarshal(raw, &one) == nil:
		return []string{one}, nil, q.Several(), true
	case !q.Chooses():
		return nil, nil, false, false
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	for _, x := range list {
		var other map[string]string
		switch {
		case json.Unmarshal(x, &one) == nil:
			names = append(names, one)
		case q.TakesText() && json.Unmarshal(x, &other) == nil && len(other) == 1 && other["other"] != "":
			own = append(own, other["other"])
		default:
			return nil, nil, false, false
		}
	}
	return names, own, false, true
}

// split returns the readings of joined as ids or labels with commas between them, at
// most two.
func (q *Question) split(joined string) [][]string {
	var ways [][]string
	var walk func(rest string, got []string)
	walk = func(rest string, got []string) {
		if len(ways) > 1 || len(got) > len(q.Options) {
			return
		}
		for _, o := range q.Options {
			for _, name := range slices.Compact([]string{strings.TrimSpace(o.Label), strings.TrimSpace(o.ID)}) {
				after, ok := strings.CutPrefix(rest, name)
				if !ok || name == "" {
					continue
				}
				next := append(slices.Clone(got), o.ID)
				after = strings.TrimLeft(after, " ")
				if following, more := strings.CutPrefix(after, ","); more {
					walk(strings.TrimLeft(following, " "), next)
				} else if after == "" && !slices.ContainsFunc(ways, func(w []string) bool { return slices.Equal(w, next) }) {
					ways = append(ways, next)
				}
			}
		}
	}
	walk(joined, nil)
	return ways
}

// uncustom returns the free text in an answer that --format headers wrote.
func (q *Question) uncustom(word string) string {
	if inner, ok := strings.CutPrefix(word, "Other (custom: "); ok && q.Chooses() && strings.HasSuffix(inner, ")") {
		return strings.TrimSuffix(inner, ")")
	}
	return word
}
