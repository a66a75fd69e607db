package ntfy

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// surface is the name of the phone in records.
const surface = "ntfy"

const (
	// sendTimeout is how long a request may take, except a subscription.
	sendTimeout = 20 * time.Second
	// clearTimeout is how long a command waits for a server that does not answer, once it has its answer.
	clearTimeout = 2 * time.Second
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
	reply string // the topic that buttons publish to

	mu        sync.Mutex
	listeners int
	stop      context.CancelFunc
	since     string // the id of the last message, or "all" that the server keeps
}

// New returns a phone, without I/O. The error names the option that cannot be used.
func New(o Options) (*Phone, error) {
	u, err := url.Parse(o.Server)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
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

// Notify notifies the phone and listens for the answer until ctx ends, which it
// should when the record does. Then it clears the notification and returns.
func (p *Phone) Notify(ctx context.Context, rec desk.Record) {
	defer p.Listen()()
	m := p.notification(rec)
	p.repeat(ctx, "cannot notify the phone", rec.ID, func() error { return p.publish(ctx, m) })
	<-ctx.Done()
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), clearTimeout)
	defer end()
	err := p.send(ctx, http.MethodPut, p.Topic+"/"+rec.ID+"/clear", nil, p.Token)
	if err != nil {
		p.Log.DebugContext(ctx, "cannot clear the notification on the phone", "id", rec.ID, "error", err) // an older server
	}
}

// repeat calls do until it returns nil or ctx ends, after pauses that grow up to a minute. The first
// failure is logged as a warning.
func (p *Phone) repeat(ctx context.Context, failure, id string, do func() error) {
	level := slog.LevelWarn
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		err := do()
		if err == nil || ctx.Err() != nil {
			return
		}
		p.Log.Log(ctx, level, failure+"; trying again", "id", id, "error", err)
		level = slog.LevelDebug
		select {
		case <-time.After(pause/2 + rand.N(pause)): // not all processes at once
		case <-ctx.Done():
			return
		}
	}
}

// takeAnswer passes the answer of a token to the desk. A token that is not ours is ignored. An old
// press of a record that cannot be read is ignored: the next process gets it too.
func (p *Phone) takeAnswer(ctx context.Context, token string, pressed time.Time) {
	id, _, _ := strings.Cut(token, ".")
	p.repeat(ctx, "cannot store an answer from the phone", id, func() error {
		rec, err := p.Desk.Get(ctx, id)
		if err != nil && !errors.Is(err, desk.ErrNotFound) && time.Since(pressed) < lateLimit {
			return err
		}
		option, offered := 0, 0
		if err == nil && answerable(rec) {
			offered = min(maxButtons, len(rec.Questions[0].Options))
		}
		for option < offered && !hmac.Equal([]byte(token), []byte(p.token(rec, option))) {
			option++
		}
		if option == offered {
			p.Log.DebugContext(ctx, "an answer from the phone matches no open question", "error", err)
			return nil
		}
		return p.answer(ctx, rec, option, pressed)
	})
}

// answer puts the answer of a press on the desk. If the record has ended before, the user gets a
// notification, unless the press is old. An error is one after which the press may be tried again.
func (p *Phone) answer(ctx context.Context, rec desk.Record, option int, pressed time.Time) error {
	q := &rec.Questions[0]
	reply := question.Reply{Answers: []question.Answer{{QuestionID: q.ID, Selected: []string{q.Options[option].ID}}}}
	_, err := p.Desk.Reply(ctx, rec.ID, reply, desk.Evidence{Surface: surface, How: desk.HowPhone})
	closed, late := errors.AsType[*desk.ClosedError](err)
	switch {
	case late:
		same := closed.Outcome.Surface == surface && rec.SameReply(closed.Outcome.Reply, &reply) // pressed again
		if !same && time.Since(pressed) < lateLimit {
			_ = p.publish(ctx, message{Topic: p.Topic, Sequence: rec.ID + "-late", Title: words.T("Not sent"),
				Message: words.Local.Withdrawal(err), Priority: 2})
		}
		return nil
	case errors.Is(err, desk.ErrNotFound), errors.Is(err, desk.ErrProofRequired), errors.Is(err, desk.ErrDenied),
		errors.As(err, new(question.Violations)):
		p.Log.WarnContext(ctx, "an answer from the phone is refused", "id", rec.ID, "error", err)
		return nil
	}
	return err
}

// ReplyTopic is the topic that buttons publish to.
func (p *Phone) ReplyTopic() string { return p.reply }
