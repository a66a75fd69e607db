//go:build unix

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/question"
)

// fullDevice returns a place where nothing can be written any more.
func fullDevice(t *testing.T) *os.File {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = full.Close() })
	return full
}

// closedPipe returns a pipe that nobody reads.
func closedPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// An answer that could not be printed is not lost: the program says so, and
// whoever asks the same again gets it.
func TestUnprintedAnswerIsKept(t *testing.T) {
	say := func(option string) question.Reply {
		return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{option}}}}
	}
	for _, command := range []struct {
		args   []string
		reply  question.Reply
		status int
		out    string
	}{
		{[]string{"ask", "--session", "release", askDefault}, say("yes"), 0, `{"answers":{"Go on?":"Yes"}}`},
		{[]string{"confirm", "--session", "release", "Go on?"}, say(question.YesID), 0, "yes"},
		{[]string{"demo"}, question.Reply{Dismissed: true}, exitClosed, "The agent reads:\n\nUser dismissed"},
	} {
		for _, stdout := range []struct {
			name string
			open func(*testing.T) *os.File
			says string
		}{
			{"a full device", fullDevice, "no space left on device"},
			{"a closed pipe", closedPipe, "broken pipe"},
		} {
			t.Run(command.args[0]+" to "+stdout.name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				d := openDesk(t, dir)
				args := append([]string{}, command.args...)
				args = append(args, "--surface", "inbox")
				cmd := program(t, dir, args...)
				cmd.Stdout = stdout.open(t)
				var words bytes.Buffer
				cmd.Stderr = &words
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				if _, err := d.Reply(t.Context(), openRecord(t, d).ID, command.reply, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait()
				if got := cmd.ProcessState.ExitCode(); got != exitBad {
					t.Errorf("%v, want exit status %d", cmd.ProcessState, exitBad)
				}
				if !strings.Contains(words.String(), stdout.says) || !strings.Contains(words.String(), "ask the same again") {
					t.Errorf("says %q", words.String())
				}

				again := program(t, dir, append(args, "--timeout", "10s")...)
				out, _ := again.Output()
				if got := again.ProcessState.ExitCode(); got != command.status || !strings.Contains(string(out), command.out) {
					t.Errorf("asked again: exit status %d, %s", got, out)
				}
			})
		}
	}
}

// What is printed is the answer, even where its delivery cannot be noted; that is for the log.
func TestAnswerWhoseDeliveryIsNotNoted(t *testing.T) {
	dir := t.TempDir()
	d := openDesk(t, dir)
	cmd := program(t, dir, "confirm", "--surface", "inbox", "Go on?")
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	rec := openRecord(t, d)
	desktest.Exec(t, dir, `create trigger refuse before update of delivered on record begin select raise(abort, 'no'); end`)
	say(t, d, rec.ID, question.YesID)
	if err := cmd.Wait(); err != nil || out.String() != "yes\n" {
		t.Errorf("%v: printed %q", err, out.String())
	}
	if !strings.Contains(log.String(), "cannot mark a result as delivered") || !strings.Contains(log.String(), rec.ID) {
		t.Errorf("the log is %s", log.String())
	}
}

// Every command that prints tells a write that failed, and not that its reader,
// such as head(1), has enough.
func TestWritesAreChecked(t *testing.T) {
	dir := t.TempDir()
	asking(t, openDesk(t, dir), "Go on?")
	for _, line := range []string{
		"ask --help", "schema", "config --json", "pending", "show 0", "history --json", "events --since 1h", "web", "completion bash",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			cmd := program(t, dir, strings.Fields(line)...)
			cmd.Stdout = fullDevice(t)
			var words bytes.Buffer
			cmd.Stderr = &words
			_ = cmd.Run()
			if got := cmd.ProcessState.ExitCode(); got != exitBad || !strings.Contains(words.String(), "no space left on device") {
				t.Errorf("exit status %d: %s", got, words.String())
			}
			unread := program(t, dir, strings.Fields(line)...)
			unread.Stdout = closedPipe(t)
			words.Reset()
			unread.Stderr = &words
			_ = unread.Run()
			if got := unread.ProcessState.ExitCode(); got != exitUnread || words.Len() > 0 {
				t.Errorf("exit status %d where nobody reads: %s", got, words.String())
			}
		})
	}
}
