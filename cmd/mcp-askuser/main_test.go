//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/local"
	"mcp-askuser/internal/agenthost"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/mirror"
	"mcp-askuser/question"
)

// The test binary stands in for the program, so that the race detector is on
// in every process the tests start.
func TestMain(m *testing.M) {
	if strings.HasSuffix(os.Args[0], ".test") { // and not one of the programs below
		os.Unsetenv("CI") // nobody sits at such a job, and tests play the user
		os.Setenv("LC_ALL", "C")
	}
	mirror.StoreTimeout = patience
	testscript.Main(m, map[string]func(){"mcp-askuser": main, alias: main, "mcp-askuser-breaks": breaks})
}

// breaks is a program that does.
func breaks() {
	abortOnPanic()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGABRT) // as interruptible does
	go panic("broken")
	select {}
}

// The commands, one script for each behaviour.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":    code,
			"past":    onStore("past TIME QUESTION ANSWER", askedAt),
			"user":    onStore("user ID OPTION", user),
			"waiting": onStore("waiting N", waiting),
		},
		Condition: func(what string) (bool, error) {
			if what != "below-agent" {
				return false, errors.New("unknown condition")
			}
			_, below := agenthost.Above(os.Getpid())
			return below, nil
		},
		Setup: func(env *testscript.Env) error {
			root, err := filepath.Abs("../..")
			if err != nil {
				return err
			}
			env.Setenv("ROOT", root)
			env.Setenv("MCP_ASKUSER_DIR", env.WorkDir+"/desk")
			name, value, _ := strings.Cut(raceExit, "=")
			env.Setenv(name, value)
			return nil
		},
	})
}

// code runs the program, and checks its exit status.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND...")
	}
	got := exitStatus(ts.Exec("mcp-askuser", args[1:]...))
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

// onStore returns a command of scripts that does something to the store of the script.
func onStore(usage string, do func(ts *testscript.TestScript, s *local.Store, args []string)) func(
	*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != strings.Count(usage, " ") {
			ts.Fatalf("usage: %s", usage)
		}
		s := local.Open(ts.Getenv(local.EnvDir))
		defer func() { _ = s.Close() }()
		do(ts, s, args)
	}
}

// askedAt puts a question on the desk that was asked and answered at a time.
func askedAt(ts *testscript.TestScript, s *local.Store, args []string) {
	at, err := time.Parse(time.RFC3339, args[0])
	ts.Check(err)
	d := desk.New(s, desk.Options{Now: func() time.Time { return at }})
	set := question.Set{Questions: []question.Question{{ID: "q1", Text: args[1], Type: question.Text, Required: true}}}
	ctx := context.Background()
	rec, err := desktest.Ask(ctx, d, set, "", desk.Asker{Client: "claude-code", Directory: "/src", Via: "mcp"})
	ts.Check(err)
	reply := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: args[2]}}}
	_, err = d.Reply(ctx, rec.ID, reply, onPage)
	ts.Check(err)
	ts.Check(d.Delivered(ctx, rec.ID))
}

// user chooses an option of a question, as its user does on a page.
func user(ts *testscript.TestScript, s *local.Store, args []string) {
	_, err := desk.New(s, desk.Options{}).Reply(context.Background(), args[0], choose(args[1]), onPage)
	ts.Check(err)
}

// waiting waits until so many questions are open, and sets ID1, ID2, … to their
// ids, oldest first.
func waiting(ts *testscript.TestScript, s *local.Store, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	records, err := openRecords(desk.New(s, desk.Options{}), want)
	ts.Check(err)
	for i, rec := range records {
		ts.Setenv("ID"+strconv.Itoa(i+1), rec.ID)
	}
}

// openRecords waits until so many questions of a desk are open, and returns them, oldest first.
func openRecords(d *desk.Desk, want int) (records []desk.Record, err error) {
	found := waittest.Until(patience, func() bool {
		records, err = d.Pending(context.Background())
		return err != nil || len(records) == want
	})
	if !found {
		err = fmt.Errorf("%d questions are open, want %d", len(records), want)
	}
	return records, err
}

// openRecord waits for the one question of a desk that is open.
func openRecord(t *testing.T, d *desk.Desk) desk.Record {
	t.Helper()
	records, err := openRecords(d, 1)
	fatal.If(t, err)
	return records[0]
}

// onPage is the evidence of an answer that the user gave.
var onPage = desk.Evidence{Surface: "inbox", How: desk.HowPage}

// reply replies to a question as its user does on a page.
func reply(t *testing.T, d *desk.Desk, id string, r question.Reply) {
	t.Helper()
	_, err := d.Reply(t.Context(), id, r, onPage)
	fatal.If(t, err)
}

func choose(option string) question.Reply {
	return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{option}, By: question.ByUser}}}
}

// raceExit spares each process the second that the race detector waits at its
// exit.
const raceExit = "GORACE=atexit_sleep_ms=0"

// patience is how long a test waits for what must come. It is no promise of the
// program's; those are measured by the benchmarks.
const patience = time.Minute

// lifetime is how long a program of a test may run. Its end ends every wait for
// what it writes.
const lifetime = 5 * time.Minute

// program returns the command that runs the program without a controlling
// terminal, whatever terminal the tests themselves run on.
func program(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	return called(t, "mcp-askuser", dir, args...)
}

// called is [program] by another name of the test binary.
func called(t *testing.T, name, dir string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath(name)
	fatal.If(t, err)
	ctx, stop := context.WithTimeout(context.Background(), lifetime)
	t.Cleanup(stop)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), local.EnvDir+"="+dir, settings.EnvFile+"="+os.DevNull, raceExit)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}
