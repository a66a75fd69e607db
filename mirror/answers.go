package mirror

import (
	"encoding/json"
	"strings"

	"mcp-askuser/question"
)

// separator separates several answers to one question.
const separator = ", "

// joinAnswers writes an answer as one string, as Claude Code does: several words are
// joined, and a word with a comma is quoted as in JSON.
func joinAnswers(q *question.Question, a *question.Answer) string {
	words := q.Words(a)
	if !q.Several() {
		return strings.Join(words, separator)
	}
	for i, word := range words {
		own := a.Custom != "" && i == len(words)-1
		if strings.Contains(word, ",") || own && strings.HasPrefix(word, `"`) {
			words[i] = strings.TrimSpace(string(marshal(word)))
		}
	}
	return strings.Join(words, separator)
}

// splitAnswers reads the text of joinAnswers, or of the host.
func splitAnswers(q *question.Question, text string) question.Answer {
	if !q.Several() {
		return answerFromList(q, []string{text})
	}
	var words []string
	for text != "" {
		var word string
		word, text = nextAnswer(q, text)
		words = append(words, word)
	}
	return answerFromList(q, words)
}

// answerFromList reads answers in a list. A word that is no label is the user's own text.
func answerFromList(q *question.Question, words []string) question.Answer {
	a := question.Answer{QuestionID: q.ID, By: question.ByUser}
	var own []string
	for _, word := range words {
		if q.Option(word) != nil {
			a.Selected = append(a.Selected, word)
		} else if word = strings.TrimSpace(word); word != "" {
			own = append(own, word)
		}
	}
	a.Custom = strings.Join(own, separator)
	return a
}

// nextAnswer takes the first of several answers off a text: the longest label that
// ends there, or a JSON string, or what comes before the next comma.
func nextAnswer(q *question.Question, text string) (word, rest string) {
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
