package question

import "strings"

// Named returns the option that a word from outside names: by its id, its
// label, or either in another case. A Boolean question knows the usual words
// for yes and no besides. It is the one reading of an option's name: of
// answers, defaults and the keys of follow-ups. It is nil where the word names
// none.
func (q *Question) Named(word string) *Option {
	word = strings.TrimSpace(word)
	if word == "" {
		return nil
	}
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, name := range []func(*Option) string{func(o *Option) string { return o.ID }, func(o *Option) string { return o.Label }} {
			for i := range q.Options {
				if same(strings.TrimSpace(name(&q.Options[i])), word) {
					return &q.Options[i]
				}
			}
		}
	}
	if !q.Confirms() {
		return nil
	}
	return q.Option(YesOrNo(word))
}

// YesOrNo returns YesID or NoID for a word or label that says yes or no in one
// of the languages that people are spoken to in, "" for any other. What follows a
// comma says more and changes nothing: "Yes, proceed". The Portuguese s is none:
// it is what is left of "ls" when a question appears while that is typed.
func YesOrNo(word string) string {
	if i := strings.IndexAny(word, ",，"); i >= 0 {
		word = word[:i]
	}
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "yes", "y", "true", "是", "是的", "sim":
		return YesID
	case "no", "n", "false", "否", "不", "不是", "não", "nao":
		return NoID
	}
	return ""
}
