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

// onScreen has a command use all of a terminal.
func onScreen(cmd *exec.Cmd) *exec.Cmd {
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "ACCESSIBLE=", "NO_COLOR=")
	return cmd
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
			cmd := onScreen(called(t, tc.program, t.TempDir(), tc.args...))
			var out bytes.Buffer
			cmd.Stdout = &out
			x := termtest.Start(t, cmd, 80, 24)
			for i, step := range tc.steps {
				switch {
				case !tc.full:
					x.Expect(step.wait)
				case i == 0:
					x.WaitFor(step.wait)
					x.Quiet()
				default:
					x.WaitFor(step.wait)
					<-time.After(hand.Again) // sooner a key is a repeat
				}
				x.Type(step.keys)
			}
			if got := x.Wait(); got != tc.status {
				t.Errorf("exit status %d, want %d\n%s", got, tc.status, x.Output())
			}
			if out.String() != tc.out {
				t.Errorf("got  %s\nwant %s", &out, tc.out)
			}
			x.CheckLeft()
		})
	}
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
			dir := t.TempDir()
			cmd := onScreen(program(t, dir, tc.args...))
			var out bytes.Buffer
			cmd.Stdout = &out
			d := desktest.Open(t, dir)
			x := termtest.Start(t, cmd, 80, 24)
			if slices.Contains(tc.args, "inbox") {
				openRecord(t, d)
			} else {
				x.WaitFor("Go on?")
			}
			x.Signal(tc.signal)
			if got := x.Wait(); got != exitInterrupted || out.Len() > 0 {
				t.Errorf("exit status %d, printed %s\n%s", got, &out, x.Output())
			}
			x.CheckLeft()
			if says := map[bool]string{true: staysOpen, false: withdrawn}[tc.open]; !strings.Contains(x.Output(), says) {
				t.Errorf("want %q in %q", says, x.Output())
			}
			pending, err := d.Pending(t.Context())
			if err != nil || (len(pending) == 1) != tc.open {
				t.Errorf("%d questions are open, %v", len(pending), err)
			}
		})
	}
}

// A program that nohup has started outlives its terminal.
func TestNohup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := desktest.Open(t, dir)
	cmd := program(t, dir, "ask", "--surface", "inbox", askDefault)
	cmd.Args = slices.Concat([]string{"sh", "-c", `trap "" HUP && exec "$@"`, "sh", cmd.Path}, cmd.Args[1:])
	cmd.Path = "/bin/sh"
	fatal.If(t, cmd.Start())
	rec := openRecord(t, d)
	fatal.If(t, cmd.Process.Signal(syscall.SIGHUP))
	reply(t, d, rec.ID, choose("yes"))
	if err := cmd.Wait(); err != nil {
		t.Error(err)
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
		keys   func(*termtest.Terminal)
		status int
		state  desk.Status
		says   string // on standard error
	}{
		{"the oldest, interrupted", nil, "First?", func(x *termtest.Terminal) { x.Type("\x03") },
			exitInterrupted, desk.Pending, staysOpen},
		{"the oldest, hung up", nil, "First?", func(x *termtest.Terminal) { x.Signal(syscall.SIGHUP) },
			exitInterrupted, desk.Pending, staysOpen},
		{"by a short id", []string{"ID"}, "Second?", func(x *termtest.Terminal) {
			x.Type("1")
			x.WaitFor("(•) Yes")
			x.Type("\r")
		}, 0, desk.Answered, "Answered in a terminal: Second?"},
		{"in lines", []string{"--plain"}, "First?", func(x *termtest.Terminal) {
			x.Expect("number: ")
			x.Type("2\r")
			x.Expect("? helps: ")
			x.Type("\r")
		}, 0, desk.Answered, "Answered in a terminal: First?"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			d := desktest.Open(t, dir)
			records := []desk.Record{asking(t, d, "First?"), asking(t, d, "Second?")}
			args := append([]string{"answer"}, tc.args...)
			if args[len(args)-1] == "ID" {
				args[1] = strings.ToLower(shortened(records)[1])
			}
			x := termtest.Start(t, onScreen(program(t, dir, args...)), 80, 24)
			x.WaitFor(tc.text)
			tc.keys(x)
			if got := x.Wait(); got != tc.status || !strings.Contains(x.Output(), tc.says) {
				t.Errorf("exit status %d, want %d\n%s", got, tc.status, x.Output())
			}
			x.CheckLeft()
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

// A program that breaks ends with none of the statuses, also outside the main goroutine.
func TestCrash(t *testing.T) {
	cmd := called(t, "mcp-askuser-breaks", t.TempDir())
	_ = cmd.Run()
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGABRT {
		t.Errorf("%v, want SIGABRT", cmd.ProcessState)
	}
}
