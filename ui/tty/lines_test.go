package tty

import (
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/words"
)

// However far the user has come, the end of input is no answer.
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

// TestLetterForYes: the letter that the prompt shows is a yes in the user's language alone.
func TestLetterForYes(t *testing.T) {
	t.Cleanup(func() { words.Local = words.English })
	q := &sample("boolean").Questions[0]
	for language, want := range map[words.Language][]string{words.Portuguese: {question.YesID}, words.English: nil} {
		words.Local = language
		if got := parseLine(q, "s").selected; !slices.Equal(got, want) {
			t.Errorf("s is %q", got)
		}
	}
}

// What the desk does with a reply: one that it refuses is put right, one that it cannot store is sent
// again, and another answer may be first in the moment of sending.
func TestReplyThatDoesNotCount(t *testing.T) {
	closed := &desk.ClosedError{ID: "x", Outcome: desk.Outcome{Status: desk.Answered, Surface: "web"}}
	taken := question.Violations{{Path: "answers.name", Message: "is taken"}}
	full := errors.New("no space left on device")
	for _, tt := range []struct {
		sample, lines string
		faults        []error // of the first tries
		want          []question.Reply
		says          string
	}{
		{"text", "kiosk\n\n1\nbooth\n\n", []error{taken}, answered(ownWords("name", "booth")),
			"What is the project called?: is taken"},
		{"single", "0\nDuckDB\n\n\n\n", []error{full, full}, answered(ownWords("database", "DuckDB")), full.Error()},
		{"single", "2\n\n", []error{closed}, nil, ""},
	} {
		out, replies, err := ask(t, sample(tt.sample), tt.lines, func(try int) error {
			return append(tt.faults, nil)[min(try, len(tt.faults)+1)-1]
		})
		counts := tt.want != nil
		if !reflect.DeepEqual(replies, tt.want) || (err == nil) != counts || !counts && !errors.Is(err, closed) {
			t.Errorf("committed %+v, returned %v\n%s", replies, err, out)
		}
		if tt.says != "" && strings.Count(out, tt.says) != len(tt.faults) {
			t.Errorf("want %q for each fault in:\n%s", tt.says, out)
		}
		sent := strings.Index(out, "Answer sent.")
		if (sent >= 0) != counts || counts && sent < strings.LastIndex(out, tt.says) {
			t.Errorf("it says that the answer is sent, or does not:\n%s", out)
		}
	}
}

// A dismissal by the end of input that cannot be stored leaves the question open, and says so.
func TestEndNotStored(t *testing.T) {
	full := errors.New("no space left on device")
	strokes := []stroke{{time.Second, endOfInput}, {2 * time.Second, endOfInput}}
	out, replies, err := typing(t, sample("text"), gate.Opened, strokes, func(try int) error {
		return []error{full, nil}[try-1]
	})
	want := []question.Reply{{Dismissed: true}}
	if err != nil || !reflect.DeepEqual(replies, want) || !strings.Contains(out, full.Error()) {
		t.Errorf("committed %+v, returned %v\n%s", replies, err, out)
	}
}

// A default that the user did not see whole is none: a long one is shown. Lines that are no text, or
// too long for one, are no answers.
func TestTexts(t *testing.T) {
	rec := sample("text")
	rec.Questions[0].Default = "first line\nsecond line"
	long := strings.Repeat("x", question.MaxText+1) + "\n" + strings.Repeat("y", 40*question.MaxText) + "\n"
	for _, tt := range []struct {
		rec               desk.Record
		lines, want, says string
		times             int
	}{
		{rec, "\n\n", "first line\nsecond line", "Proposed: first line\n          second line\n", 1},
		{sample("text"), long + "caf\xe9 \x1b[A\x00\tau lait\n\n", "caf\uFFFD  au lait", "too long for this terminal", 2},
	} {
		out, replies, err := ask(t, tt.rec, tt.lines, always(nil))
		want := answered(ownWords("name", tt.want))
		if err != nil || !reflect.DeepEqual(replies, want) || strings.Count(out, tt.says) != tt.times {
			t.Errorf("committed %+v, returned %v; want %d times %q in:\n%s", replies, err, tt.times, tt.says, out)
		}
	}
}

// What cannot be shown is not answered.
func TestBrokenOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		screen, out := io.Pipe()
		_ = screen.Close()
		c := conversationOn(out, slowly("1\n\n"), form.Backing{Rec: sample("single")}, gate.Opened, func(question.Reply) error {
			t.Error("committed")
			return nil
		})
		if err := c.run(t.Context()); !errors.Is(err, ui.ErrUnavailable) {
			t.Errorf("the form returned %v", err)
		}
	})
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
	f.Add("single", "\x1b]0;owned\x07\u202e", "v1\n2\n\n")
	f.Fuzz(func(t *testing.T, name, text, lines string) {
		switch name {
		case "single", "multi", "text", "boolean", "followup", "review", "chinese":
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
		origin := gate.Opened
		if len(lines)%2 > 0 {
			origin = gate.Appeared
		}
		out, replies, err := typing(t, rec, origin, slowly(lines), always(nil))
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
