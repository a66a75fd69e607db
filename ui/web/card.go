package web

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/yuin/goldmark"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// card is a record as the page shows it. Texts are safe to show: they went
// through question.Line or question.Block, and the template escapes them.
type card struct {
	ID        string
	CSRF      string
	Client    string
	Project   string
	Directory string
	Session   string // empty: there is nothing earlier to look at
	Round     int
	Asked     moment
	Deadline  *moment
	Proposals bool // what is proposed is taken at the deadline
	Attended  bool
	Limited   bool     // after this round the session may not ask for a while
	Elsewhere []string // where else it is shown

	Fields []field
	Group  string // the same on cards with the same questions
	Alike  []sibling
	Note   string
	Reason string
	Back   bool    // a draft is back
	Faults []fault // why the last try was refused

	Ended *ending // nil while it is open
}

// moment is a time, and how far away it is now.
type moment struct {
	At   time.Time
	Away string
}

// fault is what must change before a form can be sent.
type fault struct {
	Field string // the id of the element it is about
	Words string
}

// ending is how a record ended, told to somebody who still has its form.
type ending struct {
	Outcome string
	At      moment
	Reason  string
	Answers []pastAnswer
	Own     []pastAnswer // what this human had filled in, and was not sent
}

// painter turns records into cards.
type painter struct {
	md   goldmark.Markdown
	now  time.Time
	csrf string
}

// card returns rec as a card with form filled in, which may be empty.
func (p *painter) card(rec *desk.Record, form url.Values) card {
	c := card{
		ID:        rec.ID,
		CSRF:      p.csrf,
		Client:    words.Client(rec.Asker),
		Project:   words.Project(rec.Asker),
		Directory: question.Line(rec.Asker.Directory),
		Round:     rec.Round,
		Asked:     p.moment(rec.CreatedAt),
		Attended:  true,
		Group:     groupOf(&rec.Set),
		Note:      form.Get("note"),
		Reason:    form.Get("reason"),
	}
	if rec.Round > 1 {
		c.Session = rec.SessionID
	}
	f := filler{painter: p, id: rec.ID, form: form, places: map[string]int{}}
	for i, q := range rec.All() {
		f.places[q.ID] = i
	}
	c.Fields = f.fields(rec.Questions, true)
	number(c.Fields)
	return c
}

func (p *painter) moment(at time.Time) moment { return moment{at, words.Ago(p.now.Sub(at))} }

// showFaults puts violations beside the fields they are about.
func (c *card) showFaults(set *question.Set, found question.Violations) {
	places := map[string]int{}
	for i, q := range set.All() {
		places["answers."+q.ID] = i
	}
	faults := map[int]string{} // by place
	for _, v := range found {
		switch place, ok := places[v.Path]; {
		case ok:
			faults[place] = sentence(v.Message)
			c.Faults = append(c.Faults, fault{fmt.Sprintf("%s-%d", c.ID, place), question.Line(set.All()[place].Text) + " " + faults[place]})
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
		for _, o := range f.Options {
			setFaults(o.FollowUps, faults)
		}
	}
}

// sentence makes a violation's message one.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + question.Line(s[1:]) + "."
}
