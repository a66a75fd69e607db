package ntfy

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// surface is what records call an answer from the phone.
const surface = "ntfy"

// Text is how much of a question the server gets to store.
type Text string

// The texts that a user can choose.
const (
	TextNone   Text = "none"   // that a question waits; no buttons, as their labels would tell
	TextHeader Text = "header" // its short label, who asks, and the buttons
	TextFull   Text = "full"   // the question itself, too
)

const (
	maxButtons = 3  // of a notification, by the API
	maxLabel   = 40 // characters of a button
	maxTitle   = 60
	maxMessage = 400
	// publishTime is how long one message to the server may take.
	publishTime = 20 * time.Second
	// fresh is how long after they pressed a button somebody still wonders.
	fresh = 2 * time.Minute
	// silence is how long a subscription may be without a sign of life; the server
	// sends one every 45 s unless it is set up otherwise.
	silence = 3 * time.Minute
)

// Options are what a phone needs. Server, Topic and Key are required.
type Options struct {
	Server string // as in https://ntfy.sh
	Topic  string // that the phone has subscribed to
	Token  string // the server's access token, if it wants one
	Text   Text   // empty is TextHeader
	Page   string // the address of the page, if the phone can reach it
	Key    []byte // secret, the same in every process of the user
	Desk   *desk.Desk
	Log    *slog.Logger // silent if nil
}

// Phone tells the user of questions on their phone and brings the answers to the
// desk. It is safe for concurrent use.
type Phone struct {
	Options
	reply string // the topic that buttons publish to

	mu        sync.Mutex
	listeners int
	stop      context.CancelFunc
	since     string // the last message seen, or all that the server keeps
}

// New returns a phone. The error names what cannot be used. It does no I/O.
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
	o.Text = cmp.Or(o.Text, TextHeader)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	p := &Phone{Options: o, since: "all"}
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

// Notify puts the record on the phone and listens for the answer until ctx ends,
// which it should when the record does; then the notification goes. It returns
// after that.
func (p *Phone) Notify(ctx context.Context, rec desk.Record) {
	defer p.Listen()()
	if err := p.publish(ctx, p.notification(rec)); err != nil {
		if ctx.Err() == nil {
			p.Log.WarnContext(ctx, "the question is not on the phone", "id", rec.ID, "error", err)
		}
		return
	}
	<-ctx.Done()
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), publishTime)
	defer done()
	if err := p.send(ctx, http.MethodPut, p.Topic+"/"+rec.ID+"/clear", nil); err != nil {
		p.Log.DebugContext(ctx, "the notification stays on the phone", "id", rec.ID, "error", err) // an older server
	}
}

// notification is what the phone shows of a record.
func (p *Phone) notification(rec desk.Record) message {
	m := message{Topic: p.Topic, Sequence: rec.ID, Title: words.T("A question waits"), Message: words.T("Open the inbox or the page to answer."), Tags: []string{"question"}, Click: p.Page}
	if p.Text == TextNone {
		return m
	}
	first := &words.Local.Shown(rec).Questions[0] // the tokens are of what the record has
	m.Title = question.Shorten(question.Line(words.T("Question from %s", words.Local.Asker(rec.Asker))), maxTitle)
	m.Message = question.Line(cmp.Or(first.Header, words.T("Open it to read it.")))
	if p.Text == TextFull {
		m.Message = question.Line(first.Text)
	}
	m.Message = question.Shorten(words.Local.AndMore(m.Message, len(rec.Questions)-1), maxMessage)
	for i := range p.buttons(rec) {
		m.Actions = append(m.Actions, action{
			Action: "http", Method: http.MethodPost, Clear: true,
			Label: question.Shorten(question.Line(first.Options[i].Label), maxLabel),
			URL:   p.Server + "/" + p.reply,
			Body:  p.token(rec, i),
		})
	}
	return m
}

// buttons returns how many options of a record can be chosen by a button: those
// of one choice that brings up no further question. What asks for a secret is
// not for the server to read.
func (p *Phone) buttons(rec desk.Record) int {
	if len(rec.Questions) != 1 || rec.Secret() != nil {
		return 0
	}
	q := &rec.Questions[0]
	if q.Several() || slices.ContainsFunc(q.Options, func(o question.Option) bool { return len(o.FollowUps) > 0 }) {
		return 0
	}
	return min(maxButtons, len(q.Options))
}

// token names an option of a record's question, and proves that we offered it.
func (p *Phone) token(rec desk.Record, option int) string {
	q := &rec.Questions[0]
	return strings.Join([]string{rec.ID, strconv.Itoa(option), p.sign("answer", rec.ID, q.ID, q.Text, q.Options[option].ID, q.Options[option].Label)}, ".")
}

// take brings the answer that a token stands for to the desk. A token that we
// did not make is ignored. Whoever pressed the button a moment ago is told if
// somebody else was first.
func (p *Phone) take(ctx context.Context, token string, pressed time.Time) {
	id, _, _ := strings.Cut(token, ".")
	rec, err := p.Desk.Get(ctx, id)
	option, offered := 0, p.buttons(rec)
	for option < offered && !hmac.Equal([]byte(token), []byte(p.token(rec, option))) {
		option++
	}
	if err != nil || option == offered {
		p.Log.DebugContext(ctx, "an answer from the phone that is for none of the questions here", "error", err)
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
			if closed.Outcome.Surface != surface && time.Since(pressed) < fresh { // who presses twice need not be told
				_ = p.publish(ctx, message{Topic: p.Topic, Title: words.T("Not sent"), Message: words.Local.Withdrawal(err), Priority: 2})
			}
			return
		case errors.Is(err, desk.ErrNotFound), errors.As(err, new(question.Violations)):
			p.Log.WarnContext(ctx, "an answer from the phone cannot be taken", "id", rec.ID, "error", err)
			return
		}
		p.Log.ErrorContext(ctx, "an answer from the phone is not stored; trying again", "id", rec.ID, "error", err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

func (p *Phone) publish(ctx context.Context, m message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	ctx, done := context.WithTimeout(ctx, publishTime)
	defer done()
	return p.send(ctx, http.MethodPost, "", data)
}

// request is one to the server, with the access token.
func (p *Phone) request(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, p.Server+"/"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if p.Token != "" {
		req.Header.Set("Authorization", "Bearer "+p.Token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer func() { _ = resp.Body.Close() }()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		return nil, fmt.Errorf("the ntfy server says %s: %s", resp.Status, question.Line(string(text)))
	}
	return resp, nil
}

func (p *Phone) send(ctx context.Context, method, path string, body []byte) error {
	resp, err := p.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
	return resp.Body.Close()
}
