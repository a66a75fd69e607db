package mirror_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/mirror"
)

// Two dialogs of one session are told apart, and answered in any order; of the same question
// twice, the end of one is not taken for the other's.
func TestTwoAtOnce(t *testing.T) {
	dir := t.TempDir()
	database := event(used("s1", one, `{"answers":{"Which database?":"MongoDB"}}`))
	first := start(t, dir, request("s1", one))
	a := first.record()
	second := start(t, dir, request("s1", several))
	b := opened(t, second.desk, 2)[1]
	event(used("s2", one, `{"answers":{"Which database?":"MongoDB"}}`))(t, nil, dir) // another session's
	second.reply(b, says(choice("q1", "Cache")))
	second.prints(`"Cache"`)
	if rec := get(t, first.desk, a.ID); rec.Outcome != nil {
		t.Errorf("the first has ended: %+v", rec.Outcome)
	}
	third := start(t, dir, request("s1", one))
	c := opened(t, third.desk, 2)[1]
	first.reply(a, says(choice("q1", "MongoDB")))
	first.prints(`"MongoDB"`)
	database(t, nil, dir)
	if rec := get(t, first.desk, a.ID); rec.Outcome.Provisional {
		t.Errorf("the first is not settled: %+v", rec.Outcome)
	}
	if rec := get(t, third.desk, c.ID); rec.Outcome != nil {
		t.Errorf("the same question has ended: %+v", rec.Outcome)
	}
	database(t, nil, dir)
	third.prints("")
}

// Invariant: however the dialog and the desk meet, there is one outcome, the one that the model
// has; and what did not count is kept, or was refused.
func TestRace(t *testing.T) {
	dir := t.TempDir()
	here := desktest.Open(t, dir)
	var wins [2]int
	for i := range 10 { // a long run repeats it
		session := fmt.Sprintf("s%d", i)
		b := start(t, dir, request(session, one))
		rec := b.record()
		replied, line := make(chan error, 1), make(chan string, 1)
		go func() {
			_, err := here.Reply(t.Context(), rec.ID, *says(choice("q1", "MongoDB")), onPage)
			replied <- err
		}()
		go func() { line <- b.printed() }()

		// The host takes the first that it sees: its own dialog's answer, or a line on the pipe.
		answer := "PostgreSQL"
		select {
		case <-time.After(time.Duration(rand.IntN(8000)) * time.Microsecond):
		case text := <-line:
			line <- text
			if strings.Contains(text, "MongoDB") {
				answer = "MongoDB"
			}
		}
		event(used(session, one, `{"answers":{"Which database?":"`+answer+`"}}`))(t, nil, dir)
		err := <-replied
		<-line
		got := get(t, here, rec.ID)
		if said := got.Asked()[0].Text(); said != answer || got.Outcome.Provisional {
			t.Fatalf("%d: the model has %s, the record %s (%+v)", i, answer, said, got.Outcome)
		}
		closed, late := errors.AsType[*desk.ClosedError](err)
		switch {
		case answer == "MongoDB" && (err != nil || got.Later != nil):
			t.Fatalf("%d: the winner is told %v, later %+v", i, err, got.Later)
		case answer == "MongoDB":
			wins[1]++
		case err == nil && (got.Later == nil || got.Later.Surface != "web"):
			t.Fatalf("%d: what was said here is lost: %+v", i, got)
		case err != nil && (!late || closed.Outcome.Surface != "claude-code"):
			t.Fatalf("%d: the late one is told %v", i, err)
		default:
			wins[0]++
		}
	}
	t.Logf("the dialog won %d, the desk %d", wins[0], wins[1])
}

// FuzzEvent: whatever an event is, the hook ends, and prints nothing of its own accord.
func FuzzEvent(f *testing.F) {
	for _, seed := range []string{
		request("s1", one+","+several), used("s1", one, `{"answers":{"Which database?":"MongoDB"}}`), claude("Stop", "s1"),
		batch(tool(one), rejected), batch(touch, "made"), asksLeave(touch), openCodeAsked, openCodeLeave,
		"", "[]", `{"hook_event_name":`,
	} {
		f.Add([]byte(seed))
	}
	d := desktest.Open(f, f.TempDir())
	f.Fuzz(func(t *testing.T, event []byte) {
		for _, host := range mirror.Hosts() {
			read, write, err := os.Pipe()
			fatal.If(t, err)
			mirror.Run(t.Context(), mirror.Options{
				Host: host, Permissions: true, Desk: d, In: bytes.NewReader(event), Out: write,
				Getenv: func(string) string { return "1" }, // a user is there
				Limit:  time.Nanosecond,                    // one that is an event ends at once
			})
			_ = write.Close()
			text, err := io.ReadAll(read)
			_ = read.Close()
			if err != nil || len(text) > 0 {
				t.Errorf("printed %q, %v", text, err)
			}
		}
	})
}
