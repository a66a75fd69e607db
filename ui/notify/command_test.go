//go:build unix

package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-askuser/internal/fatal"
)

// rings is a command that adds a line to a file whenever it is run.
func rings(t *testing.T) (argv []string, times func() int) {
	path := filepath.Join(t.TempDir(), "rung")
	return []string{"sh", "-c", `echo rung >>"$1"`, "sh", path}, func() int {
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return strings.Count(string(data), "rung")
	}
}

// A question rings until it has ended; one that had ended does not.
func TestRemindsUntilTheEnd(t *testing.T) {
	Options{}.Notify(t.Context(), record("claude", "Which?")) // on no channel
	for _, tt := range []struct {
		reminder, open time.Duration
		want           int
	}{
		{0, 24 * time.Hour, 1},
		{10 * time.Minute, 35 * time.Minute, 4},
		{10 * time.Minute, time.Second, 1},
		{10 * time.Minute, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			argv, times := rings(t)
			ctx, cancel := context.WithTimeout(t.Context(), tt.open)
			defer cancel()
			Options{Command: argv, Reminder: tt.reminder}.Notify(ctx, record("claude", "Which?"))
			if tt.reminder > 0 && ctx.Err() == nil {
				t.Error("it stopped reminding")
			}
			if got := times(); got != tt.want {
				t.Errorf("every %s for %s: rang %d times, want %d", tt.reminder, tt.open, got, tt.want)
			}
		})
	}
}

// run tells one event to a command and returns what it logged.
func run(ctx context.Context, t *testing.T, limit time.Duration, argv ...string) (log string, err error) {
	t.Helper()
	var out bytes.Buffer
	c := command{argv: argv, limit: limit, log: slog.New(slog.NewJSONHandler(&out, nil))}
	err = c.send(ctx, newNotice(record("claude", "Which \x1b database?"), 3))
	return out.String(), err
}

func TestCommandReadsTheEvent(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "event; $(touch x)")
	log, err := run(t.Context(), t, time.Minute, "sh", "-c", `cat >"$1"; echo sent; echo twice >&2`, "sh", file)
	fatal.If(t, err)
	if !strings.Contains(log, `"output":"sent\ntwice\n"`) {
		t.Errorf("the log says %s", log)
	}
	data, err := os.ReadFile(file)
	fatal.If(t, err)
	var event map[string]any
	if err := json.Unmarshal(data, &event); err != nil || !bytes.HasSuffix(data, []byte("}\n")) {
		t.Fatalf("%v: %q", err, data)
	}
	want := map[string]any{
		"event": "ask:question:request", "id": "01JD0000000000000000000000", "agentId": "claude", "sessionId": "s1", "round": 2.0,
		"directory": "/home/u/shop", "at": "2026-11-02T10:00:00Z", "metadata": map[string]any{"ticket": "A-7"}, "reminder": 3.0,
		"questions": []any{map[string]any{"question_id": "q1", "question": "Which \x1b database?", "type": "text", "required": false, "allow_custom": false}},
	}
	if !reflect.DeepEqual(event, want) {
		t.Errorf("the event is\n%v, want\n%v", event, want)
	}
}

// A command that hangs ends with its limit, and a child of it that holds its output is not waited for.
func TestCommandFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		argv  []string
		limit time.Duration
		err   string
	}{
		{"missing", []string{"/nonexistent/program"}, time.Minute, "/nonexistent/program: "},
		{"fails", []string{"sh", "-c", "echo no user >&2; exit 3"}, time.Minute,
			`sh: exit status 3; it printed "no user\n"`},
		{"does not read", []string{"true"}, time.Minute, ""},
		{"leaves a child behind", []string{"sh", "-c", "sleep 20 &"}, time.Minute, ""},
		{"no shell", []string{"echo; exit 4"}, time.Minute, "echo; exit 4: "},
		{"hangs", []string{"sh", "-c", "sleep 20 & sleep 20"}, 100 * time.Millisecond, "sh did not end within 100ms"},
	} {
		_, err := run(t.Context(), t, tt.limit, tt.argv...)
		if (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.err)
		}
	}
}

// An answer that is quicker than the message does not cut the message off.
func TestCommandOutlivesTheQuestion(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if log, err := run(ctx, t, time.Minute, "sh", "-c", "cat >/dev/null; echo done"); err != nil || !strings.Contains(log, "done") {
		t.Errorf("%v: %s", err, log)
	}
}

func TestCommandPrintsWithoutEnd(t *testing.T) {
	t.Parallel()
	log, err := run(t.Context(), t, time.Minute, "sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' x")
	if err != nil || strings.Count(log, "x") > maxOutput+10 || len(log) < maxOutput {
		t.Errorf("%v: %d bytes in the log", err, len(log))
	}
}
