package question

import (
	"cmp"
	"slices"
	"strings"
)

// Type says how a question is answered. Only this file knows what follows from it.
type Type string

// The types of question.
const (
	SingleChoice Type = "multiple_choice" // exactly one option, or free text where allowed
	MultiChoice  Type = "checkbox"        // any number of options, and free text where allowed
	Text         Type = "text"            // free text
	Boolean      Type = "boolean"         // yes or no: the options YesID and NoID, always in this order
)

// Types returns all types of question, in the order in which they are published.
func Types() []string {
	return []string{string(SingleChoice), string(MultiChoice), string(Text), string(Boolean)}
}

// The option ids of every Boolean question.
const (
	YesID = "true"
	NoID  = "false"
)

// YesAndNo returns the options of a Boolean question.
func YesAndNo() []Option { return []Option{{ID: YesID, Label: "Yes"}, {ID: NoID, Label: "No"}} }

// MaxText is the longest free text a user may answer, in characters.
const MaxText = 10_000

// Question is one question of a set, or a follow-up below one of its options.
// Texts are kept as the asker wrote them; what shows one passes it through
// [Line] or [Block] first.
type Question struct {
	ID          string   `json:"question_id" jsonschema_description:"Unique in its set, follow-ups included"`
	Text        string   `json:"question"`
	Header      string   `json:"header,omitempty"`
	Description string   `json:"description,omitempty"`
	Type        Type     `json:"type"`
	Options     []Option `json:"options,omitempty"` // empty for Text, two for Boolean
	Required    bool     `json:"required"`
	// AllowCustom adds "Other". It is never true for Text and Boolean.
	AllowCustom bool `json:"allow_custom" jsonschema_description:"Free text is allowed instead of, or beside, the options"`
	// Other is the asker's own wording for the free-text option, where one of its options
	// was one. Only label and description are set.
	Other *Option `json:"other,omitempty"`
	// Default is the proposed text of a Text question. Options carry their own.
	Default     string `json:"default,omitempty" jsonschema_description:"Proposed text; it becomes an answer only when the user confirms it"`
	Placeholder string `json:"placeholder,omitempty"`
	// Collected is an answer that the caller says it already has. Such a
	// question is not asked again, and is never reported as the user's word.
	Collected *Answer `json:"collected,omitempty"`
}

// Option is one choice of a question.
type Option struct {
	ID          string     `json:"id"`
	Label       string     `json:"label"`
	Description string     `json:"description,omitempty"`
	Default     bool       `json:"default,omitempty"`
	Preview     string     `json:"preview,omitempty" jsonschema_description:"Preformatted"`
	FollowUps   []Question `json:"follow_up_questions,omitempty" jsonschema_description:"Asked when this option is chosen"`
}

// Option returns the option with this id, or nil.
func (q *Question) Option(id string) *Option {
	return first(q.Options, func(o *Option) bool { return o.ID == id })
}

func (q *Question) optionIDs() []string {
	ids := make([]string, len(q.Options))
	for i := range q.Options {
		ids[i] = q.Options[i].ID
	}
	return ids
}

// Chooses reports whether q is answered by picking options.
func (q *Question) Chooses() bool { return q.OwnOptions() || q.Confirms() }

// OwnOptions reports whether the options of q are its asker's own.
func (q *Question) OwnOptions() bool { return q.Type == SingleChoice || q.Type == MultiChoice }

// Several reports whether more than one option may be picked.
func (q *Question) Several() bool { return q.Type == MultiChoice }

// Confirms reports whether q is answered with yes or no.
func (q *Question) Confirms() bool { return q.Type == Boolean }

// TakesText reports whether q may be answered with a text of the user's own.
func (q *Question) TakesText() bool { return !q.Chooses() || q.AllowCustom }

// Declared returns the answer that the asker declared as default; an empty one for none.
func (q *Question) Declared() Answer {
	a := Answer{QuestionID: q.ID}
	for _, o := range q.Options {
		if o.Default && (q.Several() || a.Selected == nil) {
			a.Selected = append(a.Selected, o.ID)
		}
	}
	if !q.Chooses() {
		a.Custom = q.Default
	}
	return q.Normal(a)
}

// declarationFaults adds what is wrong with the declaration of q, beside its sizes.
func (q *Question) declarationFaults(found *Violations, path string) {
	defaults := 0
	for _, o := range q.Options {
		if o.Default {
			defaults++
		}
	}
	switch {
	case !slices.Contains(Types(), string(q.Type)):
		found.Add(path+".type", "must be one of: %s; is %q", strings.Join(Types(), ", "), string(q.Type))
	case !q.Chooses() && len(q.Options) > 0:
		found.Add(path+".options", "a %s question takes no options", q.Type)
	case q.Confirms() && !slices.Equal(q.optionIDs(), []string{YesID, NoID}):
		found.Add(path+".options", "a boolean question takes no options of its own; use multiple_choice")
	}
	if defaults > 1 && !q.Several() {
		found.Add(path+".options", "only one option may be the default, %d are", defaults)
	}
}

// Normal returns an answer to q in normal form: trimmed, without doubles, in the
// order of the options. Unknown options stay, last, for Check to name.
func (q *Question) Normal(a Answer) Answer {
	a.By = cmp.Or(a.By, ByUser)
	a.Custom, a.Note = strings.TrimSpace(a.Custom), strings.TrimSpace(a.Note)
	ids := q.optionIDs()
	place := func(id string) int {
		if i := slices.Index(ids, id); i >= 0 {
			return i
		}
		return len(ids)
	}
	a.Selected = slices.Clone(a.Selected)
	slices.SortStableFunc(a.Selected, func(x, y string) int { return place(x) - place(y) })
	a.Selected = slices.Compact(a.Selected)
	a.Delegated = a.Delegated && a.Empty() && !q.Confirms()
	return a
}

// Check returns an answer to q in normal form. The error is a [Violations].
func (q *Question) Check(a Answer) (Answer, error) {
	var found Violations
	a = q.Normal(a)
	q.faults(&found, a)
	return a, found.Err()
}

// faults adds what is wrong with an answer in normal form.
func (q *Question) faults(found *Violations, a Answer) {
	path, options := "answers."+q.ID, strings.Join(q.optionIDs(), ", ")
	for _, id := range a.Selected {
		if q.Option(id) == nil {
			found.AddTranslated(path, "%q is none of the options: %s", id, options)
		}
	}
	chosen := len(a.Selected)
	if a.Custom != "" {
		chosen++
		if !q.TakesText() {
			found.AddTranslated(path, "takes no free text; choose one of: %s", options)
		}
	}
	if chosen > 1 && !q.Several() {
		found.AddTranslated(path, "takes one choice, got %d", chosen)
	}
	q.fileFaults(found, path, a)
	found.limit(path, Count(a.Custom), MaxText)
	if n := Count(a.Note); n > MaxText {
		found.AddTranslated(path, "may have a note of at most %d characters, has %d", MaxText, n)
	}
}

// expected says what an answer to q looks like.
func (q *Question) expected() string {
	switch {
	case !q.Chooses():
		return "a string"
	case q.Confirms():
		return "true or false"
	}
	what := "one of: "
	if q.Several() {
		what = "an array of any of: "
	}
	what += strings.Join(q.optionIDs(), ", ")
	if q.TakesText() {
		what += `; or {"other": "a text of the user's own"}`
	}
	return what
}

// longest is how many characters an answer to q may have.
func (q *Question) longest() int {
	switch {
	case q.TakesText():
		return MaxText
	case q.Several():
		return 1000
	}
	return 256
}
