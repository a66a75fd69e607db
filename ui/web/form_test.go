package web

import (
	"errors"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
)

// nested is a set with every type of question and follow-ups.
func nested() *question.Set {
	top := single("top")
	top.AllowCustom = true
	deep := boolean("deep")
	deep.Options[0].FollowUps = []question.Question{text("deepest")}
	top.Options[0].FollowUps = []question.Question{deep}
	some := several("some")
	some.AllowCustom = true
	named := text("name")
	named.Default = "orders"
	return &question.Set{Questions: []question.Question{top, some, named}}
}

// What a form of the page says, and what it cannot say.
func TestFilledIn(t *testing.T) {
	const both = ": cannot be left to the agent and have an answer; choose one or the other"
	for name, tt := range map[string]struct{ form, want, fault string }{
		"nothing":   {"", "", ""},
		"an option": {"q0=1", "top=lite", ""},
		"left open": {"t0=typed", "", ""},
		"other":     {"q0=other&t0=+Cockroach%0D%0ADB+", "top=Cockroach\nDB", ""},
		"other without words": {"q0=other&t0=+", "",
			"answers.top: write what it is, or choose something else"},
		"words without other":         {"q0=1&t0=typed", "top=lite", ""},
		"no such option":              {"q0=7", "", "answers.top: not possible here"},
		"an id is no value":           {"q0=lite", "", "answers.top: not possible here"},
		"several":                     {"q3=0&q3=2&q3=other&t3=Dark", "some=pg+my+Dark", ""},
		"text":                        {"t4=x", "name=x", ""},
		"left to the agent":           {"q0=agent&q3=agent&t4=&q4=agent", "top=agent, some=agent, name=agent", ""},
		"yes or no left to the agent": {"q0=0&q1=agent", "top=pg", "answers.deep: not possible here"},
		"an answer left to the agent": {"q3=0&q3=agent", "some=pg", "answers.some" + both},
		"words left to the agent":     {"t4=x&q4=agent", "name=x", "answers.name" + both},
		"the proposal":                {"t4=x&p4=yes", "name=orders", ""},
		"follow-ups":                  {"q0=0&q1=0&t2=443", "top=pg, deep=true, deepest=443", ""},
		"notes": {"q0=0&n0=+mind+the+disk+&n4=later", "top=pg (mind the disk), name= (later)",
			""},
		"follow-ups that are not asked": {"q0=1&q1=1&t2=443", "top=lite", ""},
	} {
		got, err := filledIn(nested(), must(url.ParseQuery(tt.form)))
		var said []string
		for _, a := range got.Answers {
			text := strings.Join(append(slices.Clone(a.Selected), a.Custom), "+")
			if a.Delegated {
				text = "agent"
			}
			if a.Note != "" {
				text += " (" + a.Note + ")"
			}
			said = append(said, a.QuestionID+"="+strings.Trim(strings.ReplaceAll(text, "+ ", " "), "+"))
		}
		if strings.Join(said, ", ") != tt.want {
			t.Errorf("%s: got %q, want %q", name, said, tt.want)
		}
		if tt.fault == "" && err != nil || tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)) {
			t.Errorf("%s: error %v, want %q", name, err, tt.fault)
		}
	}
}

// FuzzFilledIn: whatever a form holds, what is read from it comes back from the
// form that shows it.
func FuzzFilledIn(f *testing.F) {
	for _, s := range []string{
		"q0=0&q1=0&t2=443&q3=0&q3=other&t3=Dark&t4=x&n4=y&n1=z&note=n", "q0=other&t0=a%00b",
		"q0=-1&q3=99999999999999999999", "p4=yes&%zz",
	} {
		f.Add(s)
	}
	order := strings.Fields("pg lite my " + question.YesID + " " + question.NoID)
	f.Fuzz(func(t *testing.T, query string) {
		form, _ := url.ParseQuery(query)
		set := nested()
		got, err := filledIn(set, form)
		if err != nil {
			return
		}
		for _, a := range got.Answers { // a form has them in the order of the options
			slices.SortFunc(a.Selected,
				func(x, y string) int { return slices.Index(order, x) - slices.Index(order, y) })
		}
		rec := desk.Record{ID: "r", Set: *set}
		filled := answer.New(rec, answer.Options{Sheet: true, Draft: got})
		again, err := filledIn(set, inForm(url.Values{"note": {got.Note}}, filled))
		same := len(got.Answers)+len(again.Answers) == 0 || reflect.DeepEqual(got.Answers, again.Answers)
		if err != nil || !same || got.Note != again.Note {
			t.Errorf("%+v comes back as %+v, %v", got, again, err)
		}
	})
}

// filledIn returns what a form holds, and what is wrong with it but for answers that are
// missing.
func filledIn(set *question.Set, form url.Values) (question.Reply, error) {
	draft := question.Reply{Note: lineBreaks(form.Get("note"))}
	d := answer.New(desk.Record{ID: "r", Set: *set}, answer.Options{Sheet: true, Draft: draft})
	found := fill(d, form)
	_, err := d.Reply()
	rest, _ := errors.AsType[question.Violations](err)
	found = append(found,
		slices.DeleteFunc(rest, func(v question.Violation) bool { return v.Message == "an answer is required" })...)
	r := question.Reply{Note: d.Note(), Answers: d.Answers()}
	for i := range r.Answers {
		r.Answers[i].By = ""
	}
	return r, found.Err()
}

// inForm is what a browser would send of a set as it is shown.
func inForm(form url.Values, set *answer.Set) url.Values {
	for at, q := range set.All() {
		form.Set(named(fieldText, at), q.Typed())
		form.Set(named(fieldNote, at), q.Note)
		for _, c := range q.Choices() {
			field := fieldChosen
			if c.Kind == answer.Proposed {
				field = fieldProposal
			}
			if c.Marked && (q.Chooses() || c.Kind == answer.Proposed) {
				form.Add(named(field, at), valueOf(c))
			}
		}
	}
	return form
}
