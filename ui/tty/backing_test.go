//go:build unix

package tty

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"go.uber.org/goleak"

	"mcp-askuser/question"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/gate"
)

// What was being typed when the process was killed is offered again, and sent
// only after the user went through it.
func TestDraftSurvives(t *testing.T) {
	t.Parallel()
	a := put(t, "single", 0)
	x := start(t, 80, 24, "single", alone, a.env()...)
	x.WaitFor(question1)
	x.Type("0Duck")
	x.WaitFor("Duck")
	x.Type("DB")
	a.awaitDraft(holds("DuckDB"))
	if err := syscall.Kill(x.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	x.Wait()

	x = start(t, 80, 24, "single", alone, a.env()...)
	x.WaitFor("Your draft is back")
	x.Type("\x1b[B\x1b[A\r") // Enter alone answers nothing
	x.WaitFor("Answer sent.")
	if rep := x.end(); !reflect.DeepEqual(rep.Replies, answered(ownWords("database", "DuckDB"))) {
		t.Errorf("committed %+v", rep.Replies)
	}
}

// A context that ends in the middle of a word loses none of it.
func TestDraftIsKeptAtTheEnd(t *testing.T) {
	t.Parallel()
	a := put(t, "text", 0)
	x := start(t, 80, 24, "text", alone, a.env()...)
	x.WaitFor("What is the project called?")
	x.Type("ping")
	x.WaitFor("shopping")
	if err := syscall.Kill(x.Pid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if rep := x.end(); rep.Replies != nil {
		t.Errorf("%+v", rep)
	}
	a.awaitDraft(holds("shopping"))
}

// The last seconds are counted down, and a key starts the time anew.
func TestKeyRestartsTheClock(t *testing.T) {
	t.Parallel()
	a := put(t, "single", 20*time.Second)
	x := start(t, 80, 24, "single", alone, a.env()...)
	x.Until("some seconds to pass", func() bool { return left(x) <= 17 }) // keys count by now
	before := left(x)
	x.Type("2")
	x.Until("the time to start anew", func() bool { now := left(x); return now > before && now <= 20 })
	x.Type("\r")
	if rep := x.end(); !reflect.DeepEqual(rep.Replies, answered(option("database", "sqlite"))) {
		t.Errorf("committed %+v", rep.Replies)
	}
}

// left is how many seconds the screen says are left, many where it says none.
func left(x *run) int {
	said := closesIn.FindStringSubmatch(x.Screen())
	if said == nil {
		return 1 << 30
	}
	n, _ := strconv.Atoi(said[1])
	return n
}

var closesIn = regexp.MustCompile(`closes in (\d+) s`)

// When the asker leaves, or returns, the form says so while it is shown.
func TestNobodyWaits(t *testing.T) {
	t.Parallel()
	const words = "The agent is not waiting"
	a := put(t, "single", 0)
	x := start(t, 80, 24, "single", alone, a.env()...)
	x.WaitFor(question1)
	a.attendance.Release()
	x.WaitFor(words)
	back, err := a.Attend(t.Context(), a.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Release()
	x.Until("the remark to go", func() bool { return !strings.Contains(x.Screen(), words) })
	x.Type("1\r")
	if rep := x.end(); !reflect.DeepEqual(rep.Replies, answered(option("database", "pg"))) {
		t.Errorf("committed %+v", rep.Replies)
	}
}

// At the round limit the user can look back, and lift it.
func TestLimitOnFullScreen(t *testing.T) {
	t.Parallel()
	a := putSecond(t, "single", "review", allAnswered())
	x := start(t, 80, 24, "single", alone, a.env()...)
	x.WaitFor("Last round")
	x.Type("\x1bh")
	x.WaitFor("answered in the inbox")
	x.Type("\x1b")
	x.WaitFor("Last round")
	x.Type("0")
	x.WaitFor("new line")
	x.Type("\x1bh")
	x.WaitFor("answered in the inbox")
	x.Type("q")
	x.WaitFor("new line")
	x.Type("\x1bl")
	x.WaitFor("The limit is lifted")
	x.Type("x\r")
	if rep := x.end(); !reflect.DeepEqual(rep.Replies, answered(ownWords("database", "x"))) {
		t.Errorf("committed %+v", rep.Replies)
	}
}

// allAnswered answers the sample "review".
func allAnswered() question.Reply {
	r := answered(option("database", "none"), ownWords("features", "billing", "log"))[0]
	r.Note = "soon, please"
	return r
}

// TestPlainWithDesk holds what the line form says of what the desk knows.
func TestPlainWithDesk(t *testing.T) {
	const number = "Enter a number: "
	const send = "? helps: "
	half := question.Reply{Note: "soon", Answers: []question.Answer{option("database", "sqlite"), ownWords("features", "billing", "log")}}
	files := answered(option("database", "sqlite"))[0]
	sum := strings.Repeat("a", 64)
	files.Answers[0].Files = []question.File{{Name: "log.txt", Type: "text/plain", Size: 6, SHA256: sum}, {Name: "shot.png", Type: "image/png", Size: 34_000, SHA256: sum}}
	spoilt := question.Reply{Answers: []question.Answer{ownWords("database", "DuckDB", "mysql", "sqlite"), ownWords("nobody", "x")}}
	for _, tt := range []struct {
		name, sample string
		draft        question.Reply
		timeout      time.Duration
		steps        []step
		want         []question.Reply
	}{
		{"draft kept", "review", half, 0, []step{{"[SQLite]: ", "\r"}, {"[Logging, billing]: ", "\r"}, {"to skip): ", "kiosk\r"}},
			[]question.Reply{{Note: "soon", Answers: answered(option("database", "sqlite"), ownWords("features", "billing", "log"), ownWords("name", "kiosk"))[0].Answers}}},
		{"draft of one answer", "single", spoilt, 0, []step{{"[SQLite]: ", "\r"}}, answered(option("database", "sqlite"))},
		{"draft with files", "single", files, 0, []step{{"]: ", "\r"}}, []question.Reply{files}},
		{"draft replaced", "single", spoilt, 0, []step{{"[SQLite]: ", "3\r"}}, answered(option("database", "none"))},
		{"draft and end of input", "single", half, 0, []step{{"[SQLite]: ", "\x04"}}, []question.Reply{{Dismissed: true}}},
		{"earlier rounds", "second round", question.Reply{}, 0, []step{{number, "h\r"}, {number, ":h\r"}, {number, ":l\r"}, {number, ":l\r"}, {number, "1\r"}}, answered(option("database", "pg"))},
		{"answered before", "single", question.Reply{}, 0, []step{{number, "?\r"}, {number, ":=\r"}}, answered(option("database", "sqlite"))},
		{"answered before and again", "single", question.Reply{}, 0, []step{{number, "=\r"}, {send, "1\r"}, {"[SQLite]: ", "1\r"}}, answered(option("database", "pg"))},
		{"answered before in text", "text", question.Reply{}, 0, []step{{"[shop]: ", "=\r"}}, answered(ownWords("name", "="))},
		{"answered before in Chinese", "chinese", question.Reply{}, 0, []step{{number, ":=\r"}}, answered(ownWords("db", "云数据库，由团队维护"))},
		{"answered before in Chinese 40x10", "chinese", question.Reply{}, 0, []step{{number, ":=\r"}}, answered(ownWords("db", "云数据库，由团队维护"))},
		{"not answered before", "single", question.Reply{}, 0, []step{{number, ":=\r"}, {number, "1\r"}}, answered(option("database", "pg"))},
		{"nobody waits", "single", question.Reply{}, time.Nanosecond, []step{{number, "1\r"}}, answered(option("database", "pg"))},
		{"time limit", "single", question.Reply{}, 4 * time.Hour, []step{{number, "1\r"}}, answered(option("database", "pg"))},
		{"last call", "single", question.Reply{}, 20 * time.Second, []step{{"unless you enter a line.", ""}, {number, "1\r"}}, answered(option("database", "pg"))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var a *asked
			before := map[string]question.Answer{"single": option("database", "sqlite"), "text": ownWords("name", "kiosk"), "chinese": ownWords("db", "云数据库，由团队维护")}
			switch {
			case tt.sample == "second round":
				a = putSecond(t, "single", "review", allAnswered())
			case strings.HasPrefix(tt.name, "answered before"):
				a = putSecond(t, tt.sample, tt.sample, answered(before[tt.sample])[0])
			default:
				a = put(t, tt.sample, tt.timeout)
			}
			if !reflect.DeepEqual(tt.draft, question.Reply{}) {
				a.keep(tt.draft)
			}
			if tt.name == "nobody waits" {
				a.attendance.Release()
			}
			width, height := 80, 24
			if strings.HasSuffix(tt.name, "40x10") {
				width, height = 40, 10
			}
			x := start(t, width, height, "of the desk", alone, a.env("TTY_PLAIN=1", "TTY_OPENED=1")...)
			steps := tt.steps
			if tt.want[0].Answers != nil {
				steps = append(slices.Clip(steps), step{send, "\r"})
			}
			for _, s := range steps {
				x.Expect(s.prompt)
				x.Type(s.keys)
			}
			if rep := x.end(); !reflect.DeepEqual(rep.Replies, tt.want) {
				t.Errorf("committed %+v, want %+v", rep.Replies, tt.want)
			}
			transcript := strings.ReplaceAll(x.Output(), "\r\n", "\n")
			transcript = closesIn.ReplaceAllString(transcript, "closes in N s") // a loaded machine is slow
			checkTranscript(t, "desk "+tt.name, transcript)
		})
	}
}

// Every answered question is kept at once.
func TestPlainKeepsDrafts(t *testing.T) {
	t.Parallel()
	a := put(t, "review", 0)
	x := start(t, 80, 24, "review", alone, a.env("TTY_PLAIN=1", "TTY_OPENED=1")...)
	x.Expect("Enter a number: ")
	x.Type("2\r")
	x.Expect("like 1,2 [Sign-in, Mail]: ")
	if err := syscall.Kill(x.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	x.Wait()
	got, _, err := a.Draft(t.Context(), a.ID)
	if err != nil {
		t.Fatal(err)
	}
	if want := answered(option("database", "sqlite"))[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("kept %+v, want %+v", got, want)
	}
}

// What a full-screen form has kept and lines do not show stays kept.
func TestPlainKeepsWhatItDoesNotShow(t *testing.T) {
	a := put(t, "review", 0)
	typed := question.Reply{Reason: "not now", Answers: []question.Answer{ownWords("database", "DuckDB", "pg")}}
	for keep, want := range map[string]question.Reply{
		"=\n": {Reason: "not now", Answers: answered(ownWords("database", "DuckDB", "pg"), option("features", "log"))[0].Answers},
		"2\n": {Reason: "not now", Answers: answered(ownWords("database", "DuckDB", "sqlite"), option("features", "log"))[0].Answers},
	} {
		a.keep(typed)
		var out string
		synctest.Test(t, func(t *testing.T) {
			out, _ = converse(t.Context(), slowly(keep+"2\n"), form.Backing{Desk: a.Desk, Rec: a.Record}, gate.Appeared, nil)
		})
		if got, _, err := a.Draft(t.Context(), a.ID); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("kept %+v, %v, want %+v:\n%s", got, err, want, out)
		}
	}
}

// TestPlainSaysWhatIsRefused: an answer that the question does not take is refused in
// the words of its fault.
func TestPlainSaysWhatIsRefused(t *testing.T) {
	a := put(t, "text", 0)
	long := ownWords("name", "kiosk")
	long.Note = strings.Repeat("x", question.MaxText+1)
	a.keep(answered(long)[0])
	var sent []question.Reply
	synctest.Test(t, func(t *testing.T) {
		out, err := converse(t.Context(), slowly("\n:n\nshort\nstand\n\n"), form.Backing{Desk: a.Desk, Rec: a.Record}, gate.Opened, func(r question.Reply) error {
			r.Took = 0
			sent = append(sent, r)
			return nil
		})
		if !strings.Contains(out, "This answer may have a note of at most 10000 characters, has 10001.") || err != nil {
			t.Errorf("%v: the transcript:\n%s", err, out)
		}
	})
	want := ownWords("name", "stand")
	want.Note = "short"
	if !reflect.DeepEqual(sent, answered(want)) {
		t.Errorf("sent %+v", sent)
	}
}

// Nobody follows a record once its form has gone.
func TestFollowEnds(t *testing.T) {
	a := put(t, "single", time.Hour)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	told := make(chan tea.Msg)
	stop := follow(t.Context(), form.Backing{Desk: a.Desk, Rec: a.Record}, func(msg tea.Msg) { told <- msg })
	if got := <-told; got.(form.Deadline).At.IsZero() {
		t.Errorf("told %+v, want a deadline", got)
	}
	if got := <-told; !got.(form.Attention).Attended {
		t.Errorf("told %+v, want that the asker waits", got)
	}
	if got := <-told; got.(form.More).Wait != 0 {
		t.Errorf("told %+v, want that nothing else waits", got)
	}
	stop()
}

// A process that was stopped and continued takes its terminal again, whatever the
// shell has made of it meanwhile.
func TestStoppedAndContinued(t *testing.T) {
	t.Parallel()
	x := start(t, 80, 24, "single", `set -m; before=$(stty -g); "$SHOW"; stty "$before"; printf '\033[?1049l\033[2J\033[Hstopped\n'; read -r line; echo "got $line"; fg`)
	x.WaitFor(question1)
	if err := syscall.Kill(-x.Foreground(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	x.WaitFor("stopped")
	x.Type("hello\r")
	x.Expect("got hello")
	x.WaitFor(question1)
	if !x.FullScreen() || strings.Contains(x.Screen(), "stopped") {
		t.Errorf("the form did not take the screen again:\n%s", x.Screen())
	}
	x.Type("2\r")
	if rep := x.end(); !reflect.DeepEqual(rep.Replies, answered(option("database", "sqlite"))) {
		t.Errorf("committed %+v", rep.Replies)
	}
}

// The line form leaves the terminal to the shell as it was found, also to one that
// does not see to that itself, and says again what it asks.
func TestPlainStoppedAndContinued(t *testing.T) {
	t.Parallel()
	x := start(t, 80, 24, "single", `set -m; "$SHOW"; echo stopped; read -r line; echo "got $line"; fg`, "TTY_PLAIN=1", "TTY_OPENED=1")
	x.Expect("Enter a number: ")
	x.Type("2")
	x.Expect("2")
	x.Type("\x1a")
	x.Expect("stopped")
	if x.Termios() != x.Before() {
		t.Errorf("the shell gets the terminal as %+v, not %+v", x.Termios(), x.Before())
	}
	x.Type("hello\r")
	x.Expect("got hello")
	x.Expect("Enter a number: ") // the kernel drops half a line with the signal
	x.Type("2\r")
	x.sendLines()
	if rep := x.end(); !reflect.DeepEqual(rep.Replies, answered(option("database", "sqlite"))) {
		t.Errorf("committed %+v", rep.Replies)
	}
}

// What stands in earlier rounds is shown as text, like all that comes from
// outside.
func TestEarlierRoundsAreSafe(t *testing.T) {
	evil := sample("hostile").Questions[0].Text
	reply := answered(ownWords("h", evil))[0]
	reply.Note = evil
	a := putSecond(t, "single", "hostile", reply)
	var out string
	var err error
	synctest.Test(t, func(t *testing.T) { // what is typed comes when it is meant to, however busy the machine is
		out, err = converse(t.Context(), slowly("h\n1\n\n"), form.Backing{Desk: a.Desk, Rec: a.Record}, gate.Opened, func(question.Reply) error { return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "answered") {
		t.Fatalf("no earlier round:\n%s", out)
	}
	for _, r := range out {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			t.Fatalf("not only text: %q", out)
		}
	}
}
