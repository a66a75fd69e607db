package mirror

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"mcp-askuser/question"
)

// separator stands between several answers to one question.
const separator = ", "

// join writes an answer as one string, as Claude Code does: several are joined,
// and one that holds a comma stands in JSON's quotes, so that it can be told
// apart.
func join(q *question.Question, a *question.Answer) string {
	words := q.Words(a)
	if !q.Several() {
		return strings.Join(words, separator)
	}
	for i, word := range words {
		own := a.Custom != "" && i == len(words)-1
		if strings.Contains(word, ",") || own && strings.HasPrefix(word, `"`) {
			words[i] = quoted(word)
		}
	}
	return strings.Join(words, separator)
}

func quoted(word string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(word) != nil { // a string has no reason to fail
		return word
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// split reads what join, or the host, has written. What is no label is the
// human's own text.
func split(q *question.Question, text string) question.Answer {
	a := question.Answer{QuestionID: q.ID, By: question.ByUser}
	if !q.Several() {
		choose(q, &a, text)
		return a
	}
	var own []string
	for text != "" {
		var word string
		word, text = next(q, text)
		if choose(q, &a, word); a.Custom != "" {
			own, a.Custom = append(own, a.Custom), ""
		}
	}
	a.Custom = strings.Join(own, separator)
	return a
}

// choose notes a label, or a text of the human's own.
func choose(q *question.Question, a *question.Answer, word string) {
	if q.Option(word) != nil {
		a.Selected = append(a.Selected, word)
	} else {
		a.Custom = strings.TrimSpace(word)
	}
}

// next takes the first of several answers off a text: the longest label that
// ends there, or a JSON string, or what comes before the next comma.
func next(q *question.Question, text string) (word, rest string) {
	ends := func(n int) bool { return n == len(text) || strings.HasPrefix(text[n:], separator) }
	after := func(n int) string { return strings.TrimPrefix(text[n:], separator) }
	best := -1
	for i := range q.Options {
		n := len(q.Options[i].Label)
		if strings.HasPrefix(text, q.Options[i].Label) && ends(n) && n > best {
			best = n
		}
	}
	if best > 0 {
		return text[:best], after(best)
	}
	if strings.HasPrefix(text, `"`) {
		dec := json.NewDecoder(strings.NewReader(text))
		if dec.Decode(&word) == nil && ends(int(dec.InputOffset())) {
			return word, after(int(dec.InputOffset()))
		}
	}
	word, rest, _ = strings.Cut(text, separator)
	return word, rest
}

// plain is an answer in the one form in which it can be compared: a text of the
// human's own that is a label chooses it.
func plain(q *question.Question, a question.Answer) question.Answer {
	if q.Option(a.Custom) == nil {
		return a
	}
	custom := a.Custom
	a.Custom = ""
	if !q.Several() {
		a.Selected = nil
	}
	a.Selected = append(slices.Clip(a.Selected), custom)
	return a
}
