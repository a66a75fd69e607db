package question

import (
	"cmp"
	"strings"
)

// Named returns the option that a word names, in answers, defaults and the keys of
// follow-ups: by its id, its label, either in another case, or as a usual word for yes or
// no. It is nil for none.
func (q *Question) Named(word string) *Option {
	word = strings.TrimSpace(word)
	if word == "" {
		return nil
	}
	same := func(name string) bool { return strings.TrimSpace(name) == word }
	fold := func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), word) }
	o := cmp.Or(
		first(q.Options, func(o *Option) bool { return same(o.ID) }),
		first(q.Options, func(o *Option) bool { return same(o.Label) }),
		first(q.Options, func(o *Option) bool { return fold(o.ID) }),
		first(q.Options, func(o *Option) bool { return fold(o.Label) }),
	)
	if o == nil && q.Confirms() {
		o = q.Option(YesOrNo(word))
	}
	return o
}

// YesOrNo returns YesID or NoID for a text that is a word for yes or no in one of the
// program's languages, "" for any other: "yes, but keep the backups" is more than a yes.
// The Portuguese s is no yes: it is the rest of "ls" when a question appears while that is
// typed.
func YesOrNo(word string) string {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "yes", "y", "true", "是", "是的", "sim":
		return YesID
	case "no", "n", "false", "否", "不", "不是", "não", "nao":
		return NoID
	}
	return ""
}

// LabelYesOrNo is YesOrNo for the label of an option, of which the text after a comma does
// not count: "Yes, proceed".
func LabelYesOrNo(label string) string {
	if i := strings.IndexAny(label, ",，"); i >= 0 {
		label = label[:i]
	}
	return YesOrNo(label)
}
