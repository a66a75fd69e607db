package question

import (
	"fmt"
	"strings"
)

// Validate returns every way in which the set breaks the limits or its own
// rules. Paths are those of the questions form of a call: the second option's
// label of the first question is questions[0].options[1].label, a follow-up is
// questions[0].follow_up_questions.<option id>[0].
func (s *Set) Validate(l Limits) Violations {
	if l.Lenient {
		l.Header, l.Label = max(l.Header, maxLabel), max(l.Label, maxLabel)
		l.Description = max(l.Description, maxDescription)
	}
	v := &validator{limits: l, ids: map[string]string{}, texts: map[string]string{}}
	v.questions("questions", s.Questions, 0)
	return v.found
}

type validator struct {
	limits     Limits
	found      Violations
	ids, texts map[string]string // to the path of their first use
}

// once reports the second use of a value that must be unique.
func (v *validator) once(seen map[string]string, path, value, what string) {
	if first, twice := seen[value]; twice {
		v.found.Add(path, "the same %s as %s", what, first)
		return
	}
	seen[value] = path
}

func (v *validator) questions(path string, qs []Question, depth int) {
	if n := len(qs); n < 1 || n > v.limits.Questions {
		v.found.Questions(path, n, v.limits)
	}
	if depth > MaxDepth {
		v.found.Add(path, "follow-up questions may be nested %d levels deep", MaxDepth)
		return
	}
	for i := range qs {
		v.question(fmt.Sprintf("%s[%d]", path, i), &qs[i], depth)
	}
}

func (v *validator) question(path string, q *Question, depth int) {
	if strings.TrimSpace(q.Text) == "" {
		v.found.Add(path+".question", "is required and must not be empty")
	} else {
		v.found.markdown(path+".question", q.Text, v.limits.Question)
		v.once(v.texts, path+".question", strings.TrimSpace(q.Text), "text")
	}
	v.once(v.ids, path+".question_id", q.ID, "id")
	v.found.text(path+".question_id", q.ID, maxID)
	v.found.text(path+".header", q.Header, v.limits.Header)
	v.found.markdown(path+".description", q.Description, v.longest())
	v.found.text(path+".default", q.Default, MaxText)
	v.found.text(path+".placeholder", q.Placeholder, maxPlaceholder)
	if q.OwnOptions() {
		v.options(path+".options", q)
	}
	q.declarationFaults(&v.found, path)
	if q.Collected != nil {
		q.faults(&v.found, *q.Collected)
	}
	if q.Other != nil {
		v.option(path+".other", q.Other)
	}
	for i := range q.Options {
		o := &q.Options[i]
		v.option(fmt.Sprintf("%s.options[%d]", path, i), o)
		if o.FollowUps != nil {
			v.questions(path+".follow_up_questions."+o.ID, o.FollowUps, depth+1)
		}
	}
}

func (v *validator) options(path string, q *Question) {
	n := len(q.Options)
	if q.Other != nil {
		n++ // an Other of the asker's counts for the minimum only
	}
	if n < MinOptions || len(q.Options) > v.limits.Options {
		v.found.Options(path, n, v.limits)
	}
	ids, labels := map[string]string{}, map[string]string{}
	for i := range q.Options {
		o := &q.Options[i]
		at := fmt.Sprintf("%s[%d]", path, i)
		if strings.TrimSpace(o.Label) == "" {
			v.found.Add(at+".label", "is required and must not be empty")
			continue
		}
		v.once(ids, at+".id", o.ID, "id")
		v.once(labels, at+".label", strings.TrimSpace(o.Label), "label")
	}
}

func (v *validator) option(path string, o *Option) {
	v.found.text(path+".id", o.ID, maxID)
	v.found.text(path+".label", o.Label, v.limits.Label)
	v.found.markdown(path+".description", o.Description, v.limits.Description)
	v.found.text(path+".preview", o.Preview, maxPreview)
}

// longest is the most characters of a question's description.
func (v *validator) longest() int {
	if v.limits.Lenient {
		return v.limits.Description
	}
	return v.limits.Question
}
