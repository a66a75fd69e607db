package notify

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func record(client, text string) desk.Record {
	return desk.Record{
		ID: "01JD0000000000000000000000", SessionID: "s1", Round: 2, State: desk.Pending,
		Asker:     desk.Asker{Client: client, Directory: "/home/u/shop", Via: "mcp"},
		CreatedAt: time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC),
		Set: question.Set{
			Questions: []question.Question{{ID: "q1", Text: text, Type: question.Text}},
			Metadata:  map[string]any{"ticket": "A-7"},
		},
	}
}

func variables(env ...string) func(string) string {
	return func(name string) string {
		for _, entry := range env {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

func TestRemindsUntilTheEnd(t *testing.T) {
	for _, tt := range []struct {
		reminder, open time.Duration
		want           int
	}{
		{0, 24 * time.Hour, 1},
		{10 * time.Minute, 35 * time.Minute, 4},
		{10 * time.Minute, time.Second, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			n := New(Options{Terminal: &out, Reminder: tt.reminder, Getenv: variables()})
			ctx, cancel := context.WithTimeout(t.Context(), tt.open)
			defer cancel()
			n.Notify(ctx, record("claude", "Which?"))
			if tt.reminder > 0 && ctx.Err() == nil {
				t.Error("it stopped reminding")
			}
			if got := strings.Count(out.String(), "\a"); got != tt.want {
				t.Errorf("every %s for %s: rang %d times, want %d", tt.reminder, tt.open, got, tt.want)
			}
		})
	}
}

func TestNobodyAsked(t *testing.T) {
	New(Options{}).Notify(t.Context(), record("claude", "Which?"))

	var out bytes.Buffer
	over, cancel := context.WithCancel(t.Context())
	cancel()
	New(Options{Terminal: &out, Getenv: variables()}).Notify(over, record("claude", "Which?"))
	if out.Len() > 0 {
		t.Errorf("a question that had ended rang: %q", out.String())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("hung up") }

// What fails in one way is logged and leaves the others alone.
func TestFailureIsLogged(t *testing.T) {
	var log bytes.Buffer
	got := make(chan *told, 1)
	n := New(Options{Terminal: broken{}, Getenv: variables(), Log: slog.New(slog.NewTextHandler(&log, nil))})
	n.ways = append(n.ways, way{"test", func(_ context.Context, e *told) error { got <- e; return nil }})
	n.Notify(t.Context(), record("claude", "Which?"))
	if e := <-got; e.ID != "01JD0000000000000000000000" {
		t.Errorf("told %+v", e)
	}
	if got := log.String(); !strings.Contains(got, "way=terminal") || !strings.Contains(got, "hung up") || strings.Count(got, "\n") != 1 {
		t.Errorf("the log says %s", got)
	}
}
