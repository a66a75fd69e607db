//go:build unix

package main

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
	hand "mcp-askuser/ui/gate"
)

// seat is a user's place: a terminal with the program on it, its results
// going elsewhere.
type seat struct {
	*termtest.Terminal
	dir string
	out *bytes.Buffer
}

func sit(t *testing.T, cols, rows int, name string, args ...string) *seat {
	t.Helper()
	s := &seat{dir: t.TempDir(), out: &bytes.Buffer{}}
	path, err := exec.LookPath(name)
	fatal.If(t, err)
	cmd := program(t, s.dir, args...)
	cmd.Path, cmd.Args[0] = path, path
	cmd.Stdout = s.out
	s.Terminal = seated(t, cols, rows, cmd).Terminal
	return s
}

// seated starts a command on a terminal that shows everything.
func seated(t *testing.T, cols, rows int, cmd *exec.Cmd) *seat {
	t.Helper()
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "ACCESSIBLE=", "NO_COLOR=")
	return &seat{Terminal: termtest.Start(t, cmd, cols, rows)}
}

// form waits for a full-screen form that appeared by itself to listen: the keys
// before a pause were typed for something else, and do not count.
func (s *seat) form(text string) {
	s.WaitFor(text)
	s.Quiet()
}

// enter presses Enter as a hand does that has let go of it before: sooner, it is
// a repeat.
func (s *seat) enter() {
	<-time.After(hand.Again)
	s.Type("\r")
}

// left checks that the terminal was left as it was found.
func (s *seat) left(t *testing.T) {
	t.Helper()
	if s.Termios() != s.Before() || s.FullScreen() {
		t.Error("the terminal was not left as it was found")
	}
}

const (
	askDatabase = `{"questions":[{"question":"Which ` +
		`database?","header":"Database","options":[{"label":"PostgreSQL","description":"Relational"},{"label":"MongoDB",` +
		`"description":"Documents"}]}]}`
	askDefault = `{"question":"Go on?","options":["Yes","No"],"default":"Yes"}`
	withdrawn  = "The question is withdrawn; nothing was sent."
	staysOpen  = "Nothing was sent; the question stays open"
)

// Commands on a terminal: what the user does, what a program gets.
func TestAskingOnATerminal(t *testing.T) {
	type step struct{ wait, keys string }
	sends := step{"Enter sends", "\r"} // at the review of the line form
	for _, tc := range []struct {
		name, program string
		args          []string
		full          bool // the full-screen form
		steps         []step
		out           string
		status        int
	}{
		{"a digit and Enter", "mcp-askuser", []string{"ask", askDatabase}, true,
			[]step{{"Which database?", "2"}, {"(•) MongoDB", "\r"}}, `{"answers":{"Database":"MongoDB"}}` + "\n", 0},
		{"by its other name", alias, []string{askDatabase}, true,
			[]step{{"Which database?", "1"}, {"(•) PostgreSQL", "\r"}}, `{"answers":{"Database":"PostgreSQL"}}` + "\n", 0},
		{"confirmed", "mcp-askuser", []string{"confirm", "Delete 3 files?"}, true,
			[]step{{"Delete 3 files?", "y"}, {"(•) Yes", "\r"}}, "yes\n", 0},
		{"what a newcomer runs first", "mcp-askuser", []string{"demo"}, true, []step{
			{"Which database should", "1"}, {"(•) PostgreSQL", "\r"},
			{"Who runs the PostgreSQL server?", "2"}, {"(•) A cloud provider", "\r"},
			{"Which features", "1"}, {"[x] Audit log", "\r"},
			{"What should the service be called?", "kiosk"}, {"kiosk", "\r"}, {"Review", "\r"},
		}, `The agent reads:

User has answered your questions: "Which database should the new service
use?"="PostgreSQL (Recommended)", "Who runs the PostgreSQL server?"="A cloud
provider", "Which features go into the first version?"="Audit log", "What
should the service be called?"="kiosk". You can now continue with the user's
answers in mind.

Next: mcp-askuser install
`, 0},
		{"a yes with a condition", "mcp-askuser", []string{"confirm", "--plain", "Delete?"}, false,
			[]step{{"y or n: ", "yes, but keep the backups\r"}, {":n adds a note", ""}, {"y or n: ", "no\r"}, sends},
			"no\n", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := sit(t, 80, 24, tc.program, tc.args...)
			for i, step := range tc.steps {
				switch {
				case !tc.full:
					s.Expect(step.wait)
				case i == 0:
					s.form(step.wait)
				default:
					s.WaitFor(step.wait)
					<-time.After(hand.Again) // sooner a key is a repeat
				}
				s.Type(step.keys)
			}
			if got := s.Wait(); got != tc.status {
				t.Errorf("exit status %d, want %d\n%s", got, tc.status, s.Output())
			}
			if s.out.String() != tc.out {
				t.Errorf("got  %s\nwant %s", s.out, tc.out)
			}
			s.left(t)
		})
	}
}

// What the log has to say comes when the form has gone: a line of it would be
// written across the form.
func TestLogWaitsForTheForm(t *testing.T) {
	dir := t.TempDir()
	usePhone(t, dir, phoneSetup{Server: "nowhere"})
	cmd := program(t, dir, "ask", askDefault)
	s := seated(t, 80, 24, cmd)
	const warning = "no question reaches the phone"
	s.form("Go on?")
	if strings.Contains(s.Output(), warning) {
		t.Errorf("across the form: %s", s.Output())
	}
	s.Type("1")
	s.WaitFor("(•) Yes")
	s.enter()
	if got := s.Wait(); got != 0 || !strings.Contains(s.Output(), warning) {
		t.Errorf("status %d, and nobody is told: %s", got, s.Output())
	}
	s.left(t)
}

// However the program is interrupted or ended from outside, it answers nothing, leaves the
// terminal as it was, and the question stays for whoever asks again; only the
// user's own interrupt withdraws it.
func TestSignals(t *testing.T) {
	for _, tc := range []struct {
		signal syscall.Signal
		args   []string
		open   bool
	}{
		{syscall.SIGINT, []string{"ask", askDefault}, false},
		{syscall.SIGINT, []string{"ask", "--surface", "inbox", askDefault}, false},
		{syscall.SIGTERM, []string{"ask", askDefault}, true},
		{syscall.SIGSEGV, []string{"ask", askDefault}, true}, // from another process
	} {
		t.Run(tc.signal.String()+" "+strings.Join(tc.args[:len(tc.args)-1], " "), func(t *testing.T) {
			t.Parallel()
			s := sit(t, 80, 24, "mcp-askuser", tc.args...)
			if slices.Contains(tc.args, "inbox") {
				openRecord(t, openDesk(t, s.dir))
			} else {
				s.WaitFor("Go on?")
			}
			fatal.If(t, syscall.Kill(s.Pid(), tc.signal))
			if got := s.Wait(); got != exitInterrupted {
				t.Errorf("exit status %d\n%s", got, s.Output())
			}
			if s.out.Len() > 0 {
				t.Errorf("printed %s", s.out)
			}
			s.left(t)
			if says := map[bool]string{true: staysOpen, false: withdrawn}[tc.open]; !strings.Contains(s.Output(), says) {
				t.Errorf("want %q in %q", says, s.Output())
			}
			pending, err := openDesk(t, s.dir).Pending(t.Context())
			if err != nil || (len(pending) == 1) != tc.open {
				t.Errorf("%d questions are open, %v", len(pending), err)
			}
		})
	}
}

// A program that breaks ends with none of the statuses, also outside the main goroutine.
func TestCrash(t *testing.T) {
	cmd := program(t, t.TempDir())
	path, err := exec.LookPath("mcp-askuser-breaks")
	fatal.If(t, err)
	cmd.Path, cmd.Args[0] = path, path
	_ = cmd.Run()
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGABRT {
		t.Errorf("%v, want SIGABRT", cmd.ProcessState)
	}
}

// asking puts a question on the desk, of an asker that has gone since.
func asking(t *testing.T, d *desk.Desk, text string) desk.Record {
	t.Helper()
	set := question.Set{Questions: []question.Question{{
		ID: "q1", Text: text, Type: question.SingleChoice, Required: true, AllowCustom: true,
		Options: []question.Option{{ID: "yes", Label: "Yes"}, {ID: "no", Label: "No"}},
	}}}
	rec, err := desktest.Ask(t.Context(), d, set, "", desk.Asker{Client: "agent", Directory: "/srv/shop", Via: "mcp"})
	fatal.If(t, err)
	return rec
}

// Answered from any terminal: the oldest unless one is named, in the full-screen or the line form.
// Ctrl+C leaves it open.
func TestAnsweringOnATerminal(t *testing.T) {
	for _, tc := range []struct {
		name   string
		args   []string // ID stands for the id of the second question
		text   string   // of the question that is shown
		keys   func(*seat)
		status int
		state  desk.Status
		says   string // on standard error
	}{
		{"the oldest, interrupted", nil, "First?", func(s *seat) { s.Type("\x03") },
			exitInterrupted, desk.Pending, staysOpen},
		{"the oldest, hung up", nil, "First?", func(s *seat) { s.Signal(syscall.SIGHUP) },
			exitInterrupted, desk.Pending, staysOpen},
		{"by a short id", []string{"ID"}, "Second?", func(s *seat) { s.Type("1"); s.WaitFor("(•) Yes"); s.Type("\r") },
			0, desk.Answered, "Answered in a terminal: Second?"},
		{"in lines", []string{"--plain"}, "First?",
			func(s *seat) { s.Expect("number: "); s.Type("2\r"); s.Expect("? helps: "); s.Type("\r") },
			0, desk.Answered, "Answered in a terminal: First?"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			d := openDesk(t, dir)
			records := []desk.Record{asking(t, d, "First?"), asking(t, d, "Second?")}
			args := append([]string{"answer"}, tc.args...)
			if args[len(args)-1] == "ID" {
				args[1] = strings.ToLower(shortened(records)[1])
			}
			s := seated(t, 80, 24, program(t, dir, args...))
			s.WaitFor(tc.text)
			tc.keys(s)
			if got := s.Wait(); got != tc.status || !strings.Contains(s.Output(), tc.says) {
				t.Errorf("exit status %d, want %d\n%s", got, tc.status, s.Output())
			}
			s.left(t)
			for _, rec := range records {
				want := desk.Pending
				if rec.Questions[0].Text == tc.text {
					want = tc.state
				}
				if got, err := d.Get(t.Context(), rec.ID); err != nil || got.State != want {
					t.Errorf("%s is %s, want %s; %v", rec.Questions[0].Text, got.State, want, err)
				}
			}
		})
	}
}
