package ntfy

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Listen takes answers from the phone until end is called. All callers share one
// connection, which begins with the messages that the server still keeps.
func (p *Phone) Listen() (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listeners++; p.listeners == 1 {
		ctx, stop := context.WithCancel(context.Background())
		p.stop = stop
		go p.listen(ctx, p.takeAnswer)
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.listeners--; p.listeners == 0 {
			p.stop()
		}
	}
}

// receiver takes the message of a press, and the time at which the server got it.
type receiver func(ctx context.Context, message string, pressed time.Time)

// listen subscribes, again after each failure, until ctx ends.
func (p *Phone) listen(ctx context.Context, take receiver) {
	for ctx.Err() == nil {
		p.repeat(ctx, "cannot receive answers from the phone", "", func() error {
			began := time.Now()
			err := p.subscribe(ctx, take)
			if time.Since(began) > time.Minute {
				return nil // the next failure is a new one
			}
			return cmp.Or(err, errEnded)
		})
	}
}

var errEnded = errors.New("the ntfy server has ended the connection")

// event is a line of a subscription (docs.ntfy.sh, "Subscribe via API").
type event struct {
	ID      string `json:"id"`
	Time    int64  `json:"time"` // in seconds since 1970
	Event   string `json:"event"`
	Message string `json:"message"`
}

// subscribe receives presses until the connection ends.
func (p *Phone) subscribe(ctx context.Context, take receiver) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p.mu.Lock()
	since := p.since
	p.mu.Unlock()
	quiet := time.AfterFunc(silenceLimit, func() { stop(fmt.Errorf("no sign of life for %s", silenceLimit)) })
	defer quiet.Stop()
	resp, err := p.request(ctx, http.MethodGet, p.reply+"/json?since="+since, nil, p.Token)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		quiet.Reset(silenceLimit)
		var e event
		err := json.Unmarshal(lines.Bytes(), &e)
		if err != nil || e.Event != "message" || e.Message == probe {
			continue
		}
		take(ctx, e.Message, time.Unix(e.Time, 0))
		if ctx.Err() != nil { // perhaps before it was stored: it comes again
			break
		}
		p.mu.Lock()
		p.since = e.ID
		p.mu.Unlock()
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return lines.Err()
}
