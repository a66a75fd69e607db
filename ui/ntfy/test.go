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

// Test is a notification with one button, which shows that a press arrives.
type Test struct {
	phone *Phone
	id    string // of the notification, and what its button sends
}

// NewTest returns a test that has not been sent yet.
func (p *Phone) NewTest() Test { return Test{p, "test-" + rand.Text()} }

// Send sends the notification. Sent again, it replaces the one before.
func (t Test) Send(ctx context.Context) error {
	return t.phone.publish(ctx, message{
		Topic: t.phone.Topic, Sequence: t.id, Title: "mcp-askuser", Tags: []string{"white_check_mark"},
		Message: words.T("This is a test. Press the button."),
		Actions: []action{t.phone.button(words.T("It works"), t.id)},
	})
}

// Wait returns nil once the button has been pressed, also before the call, and the cause
// of ctx if that ends.
func (t Test) Wait(ctx context.Context) error {
	unpressed, press := context.WithCancel(ctx)
	defer press()
	t.phone.listen(unpressed, func(_ context.Context, message string, _ time.Time) {
		if message == t.id {
			press()
		}
	})
	return context.Cause(ctx)
}
