package ntfy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/desk"
	"mcp-askuser/internal/door"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

const (
	maxButtons = 3 // of a notification, by the API
	maxTitle   = 60
	// An expanded notification shows some ten lines of forty columns, and its
	// buttons share one of them.
	maxLines  = 10
	lineWidth = 40
	maxLabel  = lineWidth / maxButtons
	// maxBytes of a text leave room for a hint: the server turns a message of more than 4,096 bytes
	// into a file.
	maxBytes = 3500
)

// message is a notification as it is published (docs.ntfy.sh, "Publish as JSON").
type message struct {
	Topic    string   `json:"topic"`
	Sequence string   `json:"sequence_id,omitempty"`
	Title    string   `json:"title,omitempty"`
	Message  string   `json:"message"`
	Tags     []string `json:"tags,omitempty"`
	Priority int      `json:"priority,omitempty"`
	Click    string   `json:"click,omitempty"`
	Actions  []action `json:"actions,omitempty"`
}

// action is a button: it publishes its body to an address.
type action struct {
	Action string `json:"action"`
	Label  string `json:"label"`
	URL    string `json:"url"`
	Method string `json:"method,omitempty"`
	Body   string `json:"body,omitempty"`
	Clear  bool   `json:"clear"`
}

// notification returns what the phone shows of a record. It has buttons only where it
// contains everything that the answer depends on. It has a hint where an answer has none.
func (p *Phone) notification(rec desk.Record) message {
	m := message{Topic: p.Topic, Sequence: rec.ID, Title: words.T("A question waits"), Tags: []string{"question"},
		Click: p.link(rec.ID)}
	m.Message = p.hint(&rec, m.Click)
	if p.Private {
		return m
	}
	first := &words.Local.Shown(rec).Questions[0] // tokens sign the record as it is stored
	m.Title = question.Shorten(question.Line(words.T("Question from %s", words.Local.Asker(rec.Asker))), maxTitle)
	text, labels, fits := render(first)
	from := desk.Evidence{Surface: surface, How: desk.HowPhone}
	if fits && answerable(rec) && p.Desk.MayAnswer(context.Background(), rec, from) == nil {
		if len(labels) < len(first.Options) {
			text += "\n" + m.Message
		}
		m.Message = text
		for i, label := range labels {
			m.Actions = append(m.Actions, p.button(label, p.token(rec, i)))
		}
		return m
	}
	text = words.Local.AndMore(question.Line(first.Text), len(rec.Questions)-1)
	m.Message = question.Shorten(text, maxLines*lineWidth) + "\n" + m.Message
	return m
}

// link is the address of a record on the page; empty where the phone cannot reach it.
func (p *Phone) link(id string) string {
	u, err := url.Parse(p.Page())
	if err != nil || u.Host == "" {
		return ""
	}
	u.RawQuery = url.Values{"id": {id}}.Encode()
	return u.String()
}

// hint tells the user where to answer a question without buttons. The name of this
// machine is sent only with other texts of a question.
func (p *Phone) hint(rec *desk.Record, link string) string {
	page, err := url.Parse(link)
	switch {
	case link != "" && (!rec.Prove || err == nil && door.TakesPasskeys(page)):
		return words.T("Tap to open the page, and answer there.")
	case rec.Prove:
		return words.T("Sign your answer at your computer: mcp-askuser web --open")
	case p.Host != "" && !p.Private:
		return words.T("Answer on %s: mcp-askuser inbox", p.Host)
	}
	return words.T("Answer at your computer: mcp-askuser inbox")
}

// answerable reports whether a press can answer a record: one choice of options without
// follow-up questions. The server must not read the answer to a question for a
// secret. No answer can be signed here.
func answerable(rec desk.Record) bool {
	if len(rec.Questions) != 1 || rec.Secret() != nil || rec.Prove {
		return false
	}
	q := &rec.Questions[0]
	return len(q.Options) > 0 && !q.Several() && !slices.ContainsFunc(q.Options,
		func(o question.Option) bool { return len(o.FollowUps) > 0 })
}

// render returns the text of a question, the labels of its buttons, and whether a
// phone shows all of it. The text lists the options, with the numbers of their
// buttons, unless the labels are complete.
func render(q *question.Question) (text string, labels []string, fits bool) {
	lines := []string{question.Line(q.Text)}
	if q.Description != "" {
		lines = append(lines, question.Block(q.Description))
	}
	listed := len(q.Options) > maxButtons || slices.ContainsFunc(q.Options, func(o question.Option) bool {
		return o.Description != "" || o.Preview != "" || ansi.StringWidth(question.Line(o.Label)) > maxLabel
	})
	for i, o := range q.Options {
		label := question.Line(o.Label)
		if listed {
			label = fmt.Sprintf("%d. %s", i+1, label)
			line := label
			if o.Description != "" {
				line += ": " + question.Line(o.Description)
			}
			lines = append(lines, line)
			if o.Preview != "" {
				lines = append(lines, question.Block(o.Preview))
			}
		}
		if i < maxButtons {
			labels = append(labels, question.Shorten(label, maxLabel))
		}
	}
	text = strings.Join(lines, "\n")
	rows := 0
	for line := range strings.SplitSeq(text, "\n") {
		rows += max(1, (ansi.StringWidth(line)+lineWidth-1)/lineWidth)
	}
	return text, labels, rows <= maxLines && len(text) <= maxBytes
}

// button publishes a text to the reply topic.
func (p *Phone) button(label, text string) action {
	return action{Action: "http", Method: http.MethodPost, Clear: true, Label: label, URL: p.Server + "/" + p.reply,
		Body: text}
}

// token names an option of a record's question, and proves that this user's process
// has offered it, with everything that the question shows.
func (p *Phone) token(rec desk.Record, option int) string {
	shown, _ := json.Marshal(rec.Questions) // holds nothing that cannot be encoded
	return strings.Join([]string{rec.ID, strconv.Itoa(option),
		p.sign("answer", rec.ID, string(shown), strconv.Itoa(option))}, ".")
}
