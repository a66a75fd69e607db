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
	if !p.deliver(ctx, rec.ID, m) {
		return
	}
	<-ctx.Done()
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), clearTimeout)
	defer end()
	err := p.send(ctx, http.MethodPut, p.Topic+"/"+rec.ID+"/clear", nil, p.Token)
	if err != nil {
		p.Log.DebugContext(ctx, "cannot clear the notification on the phone", "id", rec.ID, "error", err) // an older server
	}
}

// deliver publishes a notification, which replaces an earlier one, until the server has answered or ctx
// ends. It is false where the server refuses it.
func (p *Phone) deliver(ctx context.Context, id string, m message) bool {
	level := slog.LevelWarn // once
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		err := p.publish(ctx, m)
		if err == nil || ctx.Err() != nil {
			return true
		}
		p.Log.Log(ctx, level, "cannot notify the phone", "id", id, "error", err)
		level = slog.LevelDebug
		answer, answered := errors.AsType[*statusError](err)
		if answered && answer.status < http.StatusInternalServerError && answer.status != http.StatusTooManyRequests {
			return false
		}
		if !rest(ctx, pause) {
			return true // it may have arrived all the same
		}
	}
}

// takeAnswer passes the answer of a token to the desk. A token that is not ours is
// ignored. If the record has ended before, the user gets a notification, unless the press
// is old. An old press of a record that cannot be read is ignored: the next process gets it too.
func (p *Phone) takeAnswer(ctx context.Context, token string, pressed time.Time) {
	id, _, _ := strings.Cut(token, ".")
	rec, err := p.Desk.Get(ctx, id)
	unread := func() bool { return err != nil && !errors.Is(err, desk.ErrNotFound) && time.Since(pressed) < lateLimit }
	for pause := time.Second; unread(); pause *= 2 {
		p.Log.WarnContext(ctx, "cannot read what an answer from the phone is for; trying again", "id", id, "error", err)
		if !rest(ctx, pause) {
			return
		}
		rec, err = p.Desk.Get(ctx, id)
	}
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
			same := closed.Outcome.Surface == surface && rec.SameReply(closed.Outcome.Reply, &reply) // pressed again
			if !same && time.Since(pressed) < lateLimit {
				_ = p.publish(ctx, message{Topic: p.Topic, Sequence: rec.ID + "-late", Title: words.T("Not sent"),
					Message: words.Local.Withdrawal(err), Priority: 2})
			}
			return
		case errors.Is(err, desk.ErrNotFound), errors.Is(err, desk.ErrProofRequired), errors.Is(err, desk.ErrDenied),
			errors.As(err, new(question.Violations)):
			p.Log.WarnContext(ctx, "an answer from the phone is refused", "id", rec.ID, "error", err)
			return
		}
		p.Log.ErrorContext(ctx, "cannot store an answer from the phone; trying again", "id", rec.ID, "error", err)
		if !rest(ctx, pause) {
			return
		}
	}
}

// rest waits for a pause. It is false where ctx ends first.
func rest(ctx context.Context, pause time.Duration) bool {
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}

// ReplyTopic is the topic that buttons publish to.
func (p *Phone) ReplyTopic() string { return p.reply }
