package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	recordview "mcp-askuser/ui/view"
)

// A form's fields are named after the place of their question among all of the
// set, follow-ups included, and their values after the rows of the question: no word of an
// agent's is a name or a value.
//
//	q3  the marked rows of a choice, see valueOf; of any question "agent" leaves it to the agent
//	t3  free text
//	p3  "yes": the proposed text is taken
//	n3  the note beside the answer
//	f3  the files of the answer that were attached before, as JSON
//	u3  files that the form brings
//
// The field recall has the place of the question whose earlier answer is to be filled in.
// The note on the whole, the topic of a discussion and the reason of a dismissal are
// called so.
const (
	fieldChosen   = "q"
	fieldText     = "t"
	fieldProposal = "p"
	fieldNote     = "n"
	fieldFile     = "f"
	fieldUpload   = "u"
)

func named(field string, place int) string { return field + strconv.Itoa(place) }

// toAgent is the value that leaves a question to the agent.
const toAgent = "agent"

// valueOf is the value that a form has for a choice.
func valueOf(c answer.Choice) string {
	switch c.Kind {
	case answer.Other:
		return "other"
	case answer.Proposed:
		return "yes"
	case answer.LeaveOpen:
		return ""
	case answer.Option, answer.Yes, answer.No:
	}
	return strconv.Itoa(c.Number - 1)
}

// form is a form of the page that was sent, with the record that it names.
type form struct {
	rec    desk.Record
	values url.Values
	set    *answer.Set         // the record's questions, filled in
	found  question.Violations // values and files that cannot be filled in
}

// readForm reads a form and the record that it names, and keeps the files that it brings.
func (s *Server) readForm(r *http.Request) (f *form, err error) {
	err = r.ParseForm()
	if err == nil {
		err = r.ParseMultipartForm(maxUpload) //nolint:gosec // all in memory; guard limits the body to that
	}
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return nil, unreadBody(err)
	}
	f = &form{values: r.PostForm}
	if f.rec, err = s.Desk.Get(r.Context(), f.values.Get("id")); err != nil {
		return nil, err
	}
	if f.rec.Outcome == nil {
		f.found, err = s.attachFiles(r, &f.rec)
	}
	if err != nil {
		return nil, err
	}
	f.set = answer.New(*recordview.Of(f.rec, s.languageOf(r)).Record, answer.Options{
		Sheet:  true,
		Draft:  question.Reply{Note: lineBreaks(f.values.Get("note")), Reason: f.reason()},
		Memory: s.Desk.Remembered(r.Context(), f.rec),
	})
	f.found = append(f.found, fill(f.set, f.values)...)
	return f, nil
}

// withForm serves a request with the form that it sends. What the user has sent counts, also where
// they close the page before it is stored.
func (s *Server) withForm(h func(http.ResponseWriter, *http.Request, *form) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		r = r.WithContext(context.WithoutCancel(r.Context()))
		f, err := s.readForm(r)
		if err != nil {
			return err
		}
		return h(w, r, f)
	}
}

// reason is the topic of a discussion or the reason of a dismissal: no answer includes it.
func (f *form) reason() string {
	action, topic, reason := f.values.Get("action"), f.values.Get("topic"), f.values.Get("reason")
	if action == "dismiss" || topic == "" && action != "discuss" { // of a draft, the one that has words
		return lineBreaks(reason)
	}
	return lineBreaks(topic)
}

// fill enters a form into a set, and returns why some of it cannot be entered.
// Set.Reply finds all other faults.
func fill(set *answer.Set, values url.Values) (found question.Violations) {
	rec := set.Record()
	for at, asked := range rec.All() {
		q := set.Question(asked.ID)
		if q == nil { // the asker has its answer
			continue
		}
		add := func(err error) {
			faults, refused := errors.AsType[question.Violations](err)
			switch {
			case refused:
				found = append(found, faults...)
			case err != nil:
				found.Add("answers."+q.ID, "%v", err)
			}
		}
		q.WriteNote(lineBreaks(values.Get(named(fieldNote, at))))
		text := lineBreaks(values.Get(named(fieldText, at)))
		if q.Chooses() && q.TakesText() {
			add(q.Type(text))
		}
		chosen := slices.Concat(values[named(fieldChosen, at)], values[named(fieldProposal, at)])
		delegated := !q.Confirms() && slices.Contains(chosen, toAgent)
		var choices []int
		for _, v := range chosen {
			if delegated && v == toAgent {
				continue
			}
			choice := slices.IndexFunc(q.Choices(), func(c answer.Choice) bool { return valueOf(c) == v })
			choices = append(choices, choice) // -1, which Put refuses, for a value that the page never sends
		}
		if q.Chooses() {
			text = ""
		}
		add(q.Put(choices, text))
		switch {
		case !delegated:
		case len(choices) > 0 || text != "":
			found.AddTranslated("answers."+q.ID,
				"cannot be left to the agent and have an answer; choose one or the other")
		default:
			add(q.Delegate())
		}
		for _, v := range values[named(fieldFile, at)] {
			var f question.File
			err := json.Unmarshal([]byte(v), &f)
			if err != nil {
				found.Add("answers."+q.ID, "the file is not as the page has it: %v", err)
				continue
			}
			add(q.Attach(f))
		}
		if values.Get("recall") == strconv.Itoa(at) {
			add(q.Recall())
		}
	}
	return found
}

// lineBreaks replaces the line breaks that browsers send.
func lineBreaks(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
