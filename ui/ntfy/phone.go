package ntfy

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/desk"
	"mcp-askuser/internal/door"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// surface is the name of the phone in records.
const surface = "ntfy"

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
	// sendTimeout is how long a request may take, except a subscription.
	sendTimeout = 20 * time.Second
	// lateLimit is how long after a press the user is notified that it was too late.
	lateLimit = 2 * time.Minute
	// silenceLimit is how long a subscription may receive nothing. The server sends a
	// line every 45 s by default.
	silenceLimit = 3 * time.Minute
)

// Options are what a phone needs. Server, Topic and Key are required.
type Options struct {
	Server string // as in https://ntfy.sh
	Topic  string // that the phone has subscribed to
	Token  string // the server's access token, if it wants one
	// Private keeps questions from the server: it gets to know that one waits, and no more.
	Private bool
	Page    func() string // the address of the page, empty while the phone cannot reach it; nil: never
	Host    string        // the name of this machine, for the hint where to answer; empty: none is named
	Key     []byte        // secret, the same in every process of the user
	Desk    *desk.Desk
	Log     *slog.Logger // silent if nil
}

// Phone notifies the user's phone of questions and passes the answers to the desk. It
// is safe for concurrent use.
type Phone struct {
	Options
	reply string        // the topic that buttons publish to
	turn  chan struct{} // holds a token while a request waits for its status

	mu        sync.Mutex
	listeners int
	stop      context.CancelFunc
	since     string // the id of the last message, or "all" that the server keeps

	accepted atomic.Bool // the server has accepted a press
	warn     sync.Once   // that the server refuses presses
}

// New returns a phone, without I/O. The error names the option that cannot be used.
func New(o Options) (*Phone, error) {
	u, err := url.Parse(o.Server)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("the ntfy server %q is no address such as https://ntfy.sh", o.Server)
	}
	if !regexp.MustCompile(`^[-_A-Za-z0-9]{1,39}$`).MatchString(o.Topic) {
		return nil, fmt.Errorf("the ntfy topic %q is none: it takes 1 to 39 letters, digits, - and _", o.Topic)
	}
	if len(o.Key) < 16 {
		return nil, errors.New("the key that signs answers is too short")
	}
	o.Server = strings.TrimRight(o.Server, "/")
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Page == nil {
		o.Page = func() string { return "" }
	}
	p := &Phone{Options: o, turn: make(chan struct{}, 1), since: "all"}
	p.reply = o.Topic + "-" + p.sign("topic")[:24]
	return p, nil
}

// sign authenticates texts with the user's key.
func (p *Phone) sign(texts ...string) string {
	mac := hmac.New(sha256.New, p.Key)
	for _, t := range append([]string{p.Server, p.Topic}, texts...) {
		fmt.Fprintf(mac, "%d:%s", len(t), t)
	}
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

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

// Notify notifies the phone and listens for the answer until ctx ends, which it
// should when the record does. Then it clears the notification and returns.
func (p *Phone) Notify(ctx context.Context, rec desk.Record) {
	defer p.Listen()()
	m := p.notification(rec)
	if len(m.Actions) > 0 && !p.canPress(ctx) {
		hint := "\n" + p.hint(&rec, m.Click)
		m.Actions, m.Message = nil, strings.TrimSuffix(m.Message, hint)+hint
	}
	err := p.publish(ctx, m)
	if err != nil && ctx.Err() == nil {
		p.Log.WarnContext(ctx, "cannot notify the phone", "id", rec.ID, "error", err)
		return
	}
	<-ctx.Done() // the server may have a notification whose response was not awaited
	ctx = context.WithoutCancel(ctx)
	err = p.send(ctx, http.MethodPut, p.Topic+"/"+rec.ID+"/clear", nil, p.Token)
	if err != nil {
		p.Log.DebugContext(ctx, "cannot clear the notification on the phone", "id", rec.ID, "error", err) // an older server
	}
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
	if fits && answerable(rec) {
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
			if lines = append(lines, line); o.Preview != "" {
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

// takeAnswer passes the answer of a token to the desk. A token that is not ours is
// ignored. If the record has ended before, the user gets a notification, unless the press
// is old.
func (p *Phone) takeAnswer(ctx context.Context, token string, pressed time.Time) {
	id, _, _ := strings.Cut(token, ".")
	rec, err := p.Desk.Get(ctx, id)
	option, offered := 0, 0
	if err == nil && answerable(rec) {
		offered = min(maxButtons, len(rec.Questions[0].Options))
	}
	for option < offered && !hmac.Equal([]byte(token), []byte(p.token(rec, option))) {
		option++
	}
	if err != nil || option == offered {
		p.Log.DebugContext(ctx, "an answer from the phone matches no open question", "error", err)
		return
	}
	q := &rec.Questions[0]
	reply := question.Reply{Answers: []question.Answer{{QuestionID: q.ID, Selected: []string{q.Options[option].ID}}}}
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		_, err = p.Desk.Reply(ctx, rec.ID, reply, desk.Evidence{Surface: surface, How: desk.HowPhone})
		var closed *desk.ClosedError
		switch {
		case err == nil:
			return
		case errors.As(err, &closed):
			if closed.Outcome.Surface != surface && time.Since(pressed) < lateLimit { // a second press needs no message
				_ = p.publish(ctx, message{Topic: p.Topic, Title: words.T("Not sent"), Message: words.Local.Withdrawal(err),
					Priority: 2})
			}
			return
		case errors.Is(err, desk.ErrNotFound), errors.Is(err, desk.ErrProofRequired),
			errors.As(err, new(question.Violations)):
			p.Log.WarnContext(ctx, "an answer from the phone is refused", "id", rec.ID, "error", err)
			return
		}
		p.Log.ErrorContext(ctx, "cannot store an answer from the phone; trying again", "id", rec.ID, "error", err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// ReplyTopic is the topic that buttons publish to.
func (p *Phone) ReplyTopic() string { return p.reply }
