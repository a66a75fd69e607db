package ntfy

import (
	"context"
	"crypto/rand"
	"net/url"
	"time"

	"mcp-askuser/ui/words"
)

// Link is the address that has the ntfy app subscribe to the topic (docs.ntfy.sh,
// "Subscribe from your phone", "ntfy:// links").
func (p *Phone) Link() string {
	server, _ := url.Parse(p.Server) // New has checked it
	link := url.URL{Scheme: "ntfy", Host: server.Host, Path: "/" + p.Topic}
	if server.Scheme == "http" {
		link.RawQuery = "secure=false"
	}
	return link.String()
}

// SendTest sends a notification with one button, which shows that a press arrives; see [Phone.AwaitTest].
func (p *Phone) SendTest(ctx context.Context) (id string, err error) {
	id = "test-" + rand.Text()
	return id, p.publish(ctx, message{
		Topic: p.Topic, Sequence: id, Title: "mcp-askuser", Tags: []string{"white_check_mark"},
		Message: words.T("This is a test. Press the button."),
		Actions: []action{p.button(words.T("It works"), id)},
	})
}

// AwaitTest returns nil once the button of a test has been pressed, also before the call, and the
// cause of ctx if that ends.
func (p *Phone) AwaitTest(ctx context.Context, id string) error {
	unpressed, press := context.WithCancel(ctx)
	defer press()
	p.listen(unpressed, func(_ context.Context, message string, _ time.Time) {
		if message == id {
			press()
		}
	})
	return context.Cause(ctx)
}
