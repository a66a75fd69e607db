package tty

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/form"
)

// ask runs the line form on these lines and returns what was written, what was
// committed and what the form returned. fail decides about each try to commit.
func ask(t *testing.T, rec desk.Record, lines string, fail func(try int) error) (string, []question.Reply, error) {
	t.Helper()
	var out bytes.Buffer
	var replies []question.Reply
	try := 0
	err := plain(t.Context(), strings.NewReader(lines), &out, rec, func(r question.Reply) error {
		try++
		if err := fail(try); err != nil {
			return err
		}
		replies = append(replies, r)
		return nil
	})
	return out.String(), replies, err
}

// plain asks rec in lines without a terminal. Where in knows deadlines, the end
// of the context ends a read that waits.
func plain(ctx context.Context, in io.Reader, out io.Writer, rec desk.Record, commit ui.Commit) error {
	lines := &lineReader{r: bufio.NewReader(in), interrupt: func() {}, alive: func() bool { return false }}
	if d, ok := in.(interface{ SetReadDeadline(time.Time) error }); ok {
		lines.interrupt = func() { _ = d.SetReadDeadline(time.Unix(1, 0)) }
	}
	return converse(ctx, lines, &printer{w: out, width: func() int { return widthUnknown }, lastWords: func() {}}, form.Backing{Rec: rec}, commit)
}

func always(err error) func(int) error { return func(int) error { return err } }

// However far the human has come, the end of input is no answer.
func TestEndOfInputIsNoAnswer(t *testing.T) {
	const whole = "2\n1 2\nkiosk\nn\nsoon\n" // all but the Enter that sends
	for end := range len(whole) + 1 {
		out, replies, err := ask(t, sample("review"), whole[:end], always(nil))
		if replies != nil || !errors.Is(err, ui.ErrUnavailable) {
			t.Errorf("after %q: committed %+v, returned %v", whole[:end], replies, err)
		}
		if strings.Contains(out, "Answer sent") {
			t.Errorf("after %q the form says that it sent an answer", whole[:end])
		}
	}
	if _, replies, err := ask(t, sample("review"), whole+"\n", always(nil)); len(replies) != 1 || err != nil {
		t.Errorf("with the last Enter: committed %+v, returned %v", replies, err)
	}
	for _, name := range []string{"single", "multi", "text", "boolean"} {
		if _, replies, err := ask(t, sample(name), "", always(nil)); replies != nil || !errors.Is(err, ui.ErrUnavailable) {
			t.Errorf("%s on no input at all: committed %+v, returned %v", name, replies, err)
		}
	}
}

// A reply that the desk refuses is put right, not lost.
func TestRefusedReplyIsPutRight(t *testing.T) {
	refuse := func(try int) error {
		if try == 1 {
			return question.Violations{{Path: "answers.name", Message: "is taken"}}
		}
		return nil
	}
	out, replies, err := ask(t, sample("text"), "kiosk\n1\nbooth\n\n", refuse)
	if err != nil || !reflect.DeepEqual(replies, answered(ownWords("name", "booth"))) {
		t.Errorf("committed %+v, returned %v\n%s", replies, err, out)
	}
	if !strings.Contains(out, "What is the project called?: is taken") {
		t.Errorf("the human is not told what was wrong:\n%s", out)
	}
}

func TestStoreFailureLosesNothing(t *testing.T) {
	broken := func(try int) error {
		if try < 3 {
			return errors.New("no space left on device")
		}
		return nil
	}
	out, replies, err := ask(t, sample("single"), "0\nDuckDB\n\n\n", broken)
	if err != nil || !reflect.DeepEqual(replies, answered(ownWords("database", "DuckDB"))) {
		t.Errorf("committed %+v, returned %v\n%s", replies, err, out)
	}
	if got := strings.Count(out, "no space left on device"); got != 2 {
		t.Errorf("the failure was told %d times, it happened twice:\n%s", got, out)
	}
	if strings.Index(out, "Answer sent.") < strings.LastIndex(out, "no space left") {
		t.Errorf("the answer was said to be sent before it was:\n%s", out)
	}
}

func TestOptionalQuestions(t *testing.T) {
	optional := func(name string) desk.Record {
		rec := sample(name)
		rec.Questions[0].Required = false
		return rec
	}
	open := []question.Reply{{}}
	for _, tt := range []struct {
		name, lines string
		want        []question.Reply
	}{
		{"single", "\n", open}, // no default but a declared one
		{"single", "-\n", open},
		{"single", "1\n", answered(option("database", "pg"))},
		{"multi", "\n", answered(option("features", "auth", "mail"))},
		{"multi", "skip\n", open},
		{"text", "\n", answered(ownWords("name", "shop"))},
		{"boolean", "\n", open},
	} {
		out, replies, err := ask(t, optional(tt.name), tt.lines, always(nil))
		if err != nil || !reflect.DeepEqual(replies, tt.want) {
			t.Errorf("%s, %q: committed %+v, returned %v, want %+v\n%s", tt.name, tt.lines, replies, err, tt.want, out)
		}
	}
	_, replies, _ := ask(t, sample("boolean"), "-\nskip\n\n", always(nil))
	if replies != nil {
		t.Errorf("a required question was left open: %+v", replies)
	}
}

// A default that the human did not see whole is none: a long one is shown.
func TestLongDefaultIsShown(t *testing.T) {
	rec := sample("text")
	rec.Questions[0].Default = "first line\nsecond line"
	out, replies, err := ask(t, rec, "\n", always(nil))
	if err != nil || !reflect.DeepEqual(replies, answered(ownWords("name", "first line\nsecond line"))) {
		t.Errorf("committed %+v, returned %v", replies, err)
	}
	if !strings.Contains(out, "Proposed: first line\n          second line\n") {
		t.Errorf("the proposed text is not shown:\n%s", out)
	}
}

func TestLinesThatAreNoText(t *testing.T) {
	out, replies, err := ask(t, sample("text"), strings.Repeat("x", question.MaxText+1)+"\n"+
		strings.Repeat("y", 40*question.MaxText)+"\n"+"caf\xe9 \x1b[A\x00\tau lait\r\n", always(nil))
	if err != nil || !reflect.DeepEqual(replies, answered(ownWords("name", "caf\uFFFD  au lait"))) {
		t.Errorf("committed %+v, returned %v", replies, err)
	}
	if got := strings.Count(out, "at most 10,000 characters"); got != 2 {
		t.Errorf("%d lines were refused as too long, want 2:\n%s", got, out)
	}
}

// The end of the context ends the read that waits, where that is possible.
func TestContextEndsTheRead(t *testing.T) {
	defer goleak.VerifyNone(t)
	in, keyboard, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = in.Close(), keyboard.Close() }()
	ctx, cancel := context.WithCancelCause(t.Context())
	first := &desk.ClosedError{ID: "x", Outcome: desk.Outcome{Status: desk.Answered, Surface: "inbox"}}
	screen, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- plain(ctx, in, out, sample("single"), func(question.Reply) error { t.Error("committed"); return nil })
		_ = out.Close()
	}()
	r := bufio.NewReader(screen)
	if _, err := r.ReadString(':'); err != nil { // the form is at work
		t.Fatal(err)
	}
	cancel(first)
	rest, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, error(first)) {
		t.Errorf("the form returned %v, want the cause of its context", err)
	}
	if !strings.HasSuffix(string(rest), "Already answered in the inbox.\n") {
		t.Errorf("the last words are %q", rest)
	}
	// The line typed next belongs to the next reader.
	if err := in.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(keyboard, "mine\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(in).ReadString('\n'); line != "mine\n" {
		t.Errorf("the next reader got %q, %v", line, err)
	}
}

func TestBrokenOutput(t *testing.T) {
	screen, out := io.Pipe()
	_ = screen.Close()
	err := plain(t.Context(), strings.NewReader("1\n"), out, sample("single"), func(question.Reply) error {
		t.Error("a question that could not be shown was answered")
		return nil
	})
	if !errors.Is(err, ui.ErrUnavailable) {
		t.Errorf("the form returned %v", err)
	}
}

// Whatever is asked and typed, the form neither fails nor writes an escape
// code, and commits only what the set allows.
func FuzzPlain(f *testing.F) {
	f.Add("single", "\x1b[2J", "1\n")
	f.Add("multi", "a\nb", "1,0\nown\n")
	f.Add("text", " ", "\nb\n\"b\"\n")
	f.Add("followup", "\u202e", "1\nb\n2\n")
	f.Add("review", "\u4e2d\u6587", "\n\n\nn\nnote\n1\n0\n\n\n\nq\ny\nwhy\n")
	f.Add("boolean", "\x00", "?\ny\n")
	f.Fuzz(func(t *testing.T, name, text, lines string) {
		switch name {
		case "single", "multi", "text", "boolean", "followup", "review", "chinese", "preview", "hostile":
		default:
			return
		}
		rec := sample(name)
		rec.Asker.Client = text
		q := &rec.Questions[0]
		q.Text, q.Header, q.Placeholder, q.Default, q.Description = text, text, text, text, text
		for i := range q.Options {
			q.Options[i].Label, q.Options[i].Preview = text+q.Options[i].ID, text
		}
		out, replies, err := ask(t, rec, lines, always(nil))
		for _, r := range out {
			if r != '\n' && (r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0) {
				t.Fatalf("a control character was written: %q", out)
			}
		}
		if (err == nil) != (len(replies) == 1) || err != nil && !errors.Is(err, ui.ErrUnavailable) {
			t.Fatalf("committed %+v, returned %v", replies, err)
		}
		for _, r := range replies {
			if _, err := rec.Check(r); err != nil {
				t.Fatalf("committed what the set does not allow: %v", err)
			}
		}
	})
}
