package web

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/words"
)

// card is a record as the page shows it. Its texts are as they came: the
// templates pass each through line, lines, prose or preview.
type card struct {
	*desk.Record
	Now   time.Time
	CSRF  string
	Shown string // since when the human has it, in ms of Unix time

	Deadline *time.Time
	Limited  bool // after this round the session may not ask for a while

	Fields []field
	Group  string // the same on cards with the same questions
	Alike  []sibling
	Note   string
	Reason string
	Back   bool    // a draft is back
	Faults []fault // why the last try was refused

	// Own is what the human had filled in of a record that ended meanwhile, and
	// was not sent.
	Own []question.Response
}

// fault is what must change before a form can be sent.
type fault struct {
	Field string // the id of the element it is about
	Words string
}

// newCard returns rec as a card with form filled in, which may be empty.
func newCard(rec *desk.Record, form url.Values, now time.Time, csrf string) card {
	c := card{Record: rec, Now: now, CSRF: csrf, Shown: cmp.Or(form.Get("shown"), strconv.FormatInt(now.UnixMilli(), 10)), Group: groupOf(&rec.Set), Note: form.Get("note"), Reason: form.Get("reason")}
	if rec.Outcome != nil {
		if own, _ := filledIn(&rec.Set, form); len(own.Answers) > 0 {
			c.Own = rec.Set.Asked(&own)
		}
		return c
	}
	f := filler{id: rec.ID, form: form, all: rec.All()}
	c.Fields = f.fields(rec.Questions, true)
	number(c.Fields)
	return c
}

// Elsewhere names the other surfaces that show the card's record. They are its
// asker's: with that they have gone, whatever was kept. The inbox is none: to
// leave a question to it is to show it nowhere.
func (c card) Elsewhere() (names []string) {
	for _, x := range c.ShownOn {
		if c.Attended && x.Why == "" && x.Surface != surfaceName && x.Surface != ui.Elsewhere().Name() {
			names = append(names, x.Surface)
		}
	}
	return names
}

// showFaults puts violations beside the fields they are about.
func (c *card) showFaults(found question.Violations) {
	faults := map[int]string{} // by place
	all := c.All()
	for _, v := range found {
		place := slices.IndexFunc(all, func(q *question.Question) bool { return v.Path == "answers."+q.ID })
		switch {
		case place >= 0:
			faults[place] = sentence(v.Message)
			c.Faults = append(c.Faults, fault{fmt.Sprintf("%s-%d", c.ID, place), question.Line(all[place].Text) + " " + faults[place]})
		case v.Path == "reason" || v.Path == "note":
			c.Faults = append(c.Faults, fault{c.ID + "-" + v.Path, sentence("the " + v.Path + " " + v.Message)})
		default:
			c.Faults = append(c.Faults, fault{c.ID + "-form", question.Line(v.String())})
		}
	}
	setFaults(c.Fields, faults)
}

func setFaults(fields []field, faults map[int]string) {
	for i := range fields {
		f := &fields[i]
		f.Fault = faults[f.Place]
		setFaults(f.FollowUps, faults)
		for _, o := range f.Choices {
			setFaults(o.Fields, faults)
		}
	}
}

// sentence makes a sentence of a violation's message.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	return words.Sentence(strings.ToUpper(s[:1]) + question.Line(s[1:]))
}
