package web

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/yuin/goldmark"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// most alike questions that one card offers to answer with it.
const maxAlike = 10

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

// sibling is another card with the same questions.
type sibling struct {
	ID      string
	Asker   string
	Checked bool
}

// fault is what must change before a form can be sent.
type fault struct {
	Field string // the id of the element it is about
	Words string
}

// ending is how a record ended, told to somebody who still has its form.
type ending struct {
	Fate   string
	At     moment
	Reason string
	Turns  []taken // what was answered
	Own    []taken // what this human had filled in, and was not sent
}

// field is one question in a form.
type field struct {
	Key         string // the id of its element
	Place       int
	Number      string // "1 of 3"; empty for the only one, and for follow-ups
	Header      string
	Text        string
	Description template.HTML
	Type        question.Type
	Required    bool
	Native      bool // the browser may insist on an answer: it is always in sight
	Placeholder string
	Proposal    string // of a text question
	Proposed    bool   // the proposal is taken
	Options     []choice
	Value       string // the free text
	Open        bool   // left open, or not touched yet
	Fault       string
	Told        string  // the asker says that it has this answer already: it is not asked
	FollowUps   []field // of an answer that the asker has already
}

// choice is one option of a field.
type choice struct {
	Key         string
	Value       string
	Label       string
	Description template.HTML
	Preview     template.HTML
	Short       bool // the preview is short enough to be open from the start
	Proposed    bool
	Checked     bool
	Other       bool
	FollowUps   []field
}

// Several reports whether more than one option may be chosen.
func (f field) Several() bool { return f.Type == question.MultiChoice }

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
		Client:    client(rec.Asker),
		Project:   project(rec.Asker),
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

func (p *painter) moment(at time.Time) moment { return moment{at, ago(p.now.Sub(at))} }

// number counts the questions of a set that are asked, where there are several.
func number(fields []field) {
	asked, n := 0, 0
	for _, f := range fields {
		if f.Told == "" {
			asked++
		}
	}
	if asked < 2 {
		return
	}
	for i := range fields {
		if fields[i].Told == "" {
			n++
			fields[i].Number = fmt.Sprintf("%d of %d", n, asked)
		}
	}
}

// filler makes the fields of one card.
type filler struct {
	*painter
	id     string
	form   url.Values
	places map[string]int // of the questions among all of the set, by id
}

// fields returns the fields of questions. Those of the set itself are top.
func (f *filler) fields(qs []question.Question, top bool) []field {
	var out []field
	for i := range qs {
		out = append(out, f.field(&qs[i], top))
	}
	return out
}

func (f *filler) field(q *question.Question, top bool) field {
	place := f.places[q.ID]
	x := field{
		Key:         fmt.Sprintf("%s-%d", f.id, place),
		Place:       place,
		Header:      question.Line(q.Header),
		Text:        question.Block(q.Text),
		Description: f.prose(q.Description),
		Type:        q.Type,
		Required:    q.Required,
		Native:      q.Required && top,
		Placeholder: question.Line(q.Placeholder),
		Proposal:    question.Block(q.Default),
		Proposed:    f.form.Get(named(fieldProposal, place)) == valueYes,
		Value:       f.form.Get(named(fieldText, place)),
	}
	if q.Collected != nil {
		return f.told(x, q)
	}
	chosen := f.form[named(fieldChosen, place)]
	x.Open = len(chosen) == 0 || slices.Contains(chosen, "")
	for i := range q.Options {
		x.Options = append(x.Options, f.choice(x, q, i, slices.Contains(chosen, strconv.Itoa(i))))
	}
	if q.AllowCustom {
		x.Options = append(x.Options, other(x, q, slices.Contains(chosen, valueOther)))
	}
	return x
}

func (f *filler) choice(x field, q *question.Question, i int, checked bool) choice {
	o := &q.Options[i]
	return choice{
		Key:         fmt.Sprintf("%s-%d", x.Key, i),
		Value:       strconv.Itoa(i),
		Label:       question.Line(o.Label),
		Description: f.prose(o.Description),
		Preview:     f.preview(o.Preview),
		Short:       strings.Count(o.Preview, "\n") < 12,
		Proposed:    o.Default,
		Checked:     checked,
		FollowUps:   f.fields(o.FollowUps, false),
	}
}

func other(x field, q *question.Question, checked bool) choice {
	c := choice{Key: x.Key + "-" + valueOther, Value: valueOther, Label: "Other", Checked: checked, Other: true}
	if q.Other != nil {
		c.Label = question.Line(q.Other.Label)
	}
	return c
}

// told shows an answer that the asker has already, and asks what it brings up.
func (f *filler) told(x field, q *question.Question) field {
	x.Told = question.Block(strings.Join(q.Words(q.Collected), ", "))
	if x.Told == "" {
		x.Told = "nothing"
	}
	for _, o := range q.Options {
		if slices.Contains(q.Collected.Selected, o.ID) {
			x.FollowUps = append(x.FollowUps, f.fields(o.FollowUps, false)...)
		}
	}
	return x
}

func (p *painter) prose(text string) template.HTML {
	if text == "" {
		return ""
	}
	return prose(p.md, text)
}

func (p *painter) preview(text string) template.HTML {
	if text == "" {
		return ""
	}
	return preview(p.md, text)
}

// blame puts violations beside the fields they are about.
func (c *card) blame(set *question.Set, found question.Violations) {
	places := map[string]int{}
	for i, q := range set.All() {
		places["answers."+q.ID] = i
	}
	words := map[int]string{}
	for _, v := range found {
		switch place, ok := places[v.Path]; {
		case ok:
			words[place] = sentence(v.Message)
			c.Faults = append(c.Faults, fault{fmt.Sprintf("%s-%d", c.ID, place), question.Line(set.All()[place].Text) + " " + words[place]})
		case v.Path == "reason" || v.Path == "note":
			c.Faults = append(c.Faults, fault{c.ID + "-" + v.Path, sentence("the " + v.Path + " " + v.Message)})
		default:
			c.Faults = append(c.Faults, fault{c.ID + "-form", question.Line(v.String())})
		}
	}
	mark(c.Fields, words)
}

func mark(fields []field, words map[int]string) {
	for i := range fields {
		f := &fields[i]
		f.Fault = words[f.Place]
		mark(f.FollowUps, words)
		for _, o := range f.Options {
			mark(o.FollowUps, words)
		}
	}
}

func sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + question.Line(s[1:]) + "."
}

// groupOf is the same for sets with the same questions and options.
func groupOf(set *question.Set) string {
	data, err := json.Marshal(set.Questions)
	if err != nil {
		return "" // cannot be: it came from JSON
	}
	sum := sha256.Sum256(data)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// groups are the open records with the same questions, oldest first.
type groups map[string][]*desk.Record

func groupsOf(open []desk.Record) groups {
	g := groups{}
	for i := range open {
		key := groupOf(&open[i].Set)
		g[key] = append(g[key], &open[i])
	}
	return g
}

// join tells a card of the others in its group; also are those that the human
// has ticked already.
func (g groups) join(c *card, also []string) {
	for _, rec := range g[c.Group] {
		if rec.ID == c.ID || len(c.Alike) == maxAlike {
			continue
		}
		c.Alike = append(c.Alike, sibling{rec.ID, asker(rec.Asker), slices.Contains(also, rec.ID)})
	}
}
