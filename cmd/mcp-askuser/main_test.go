//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
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
		Dir:  "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"waiting": waiting, "code": code, "past": askedAt},
		Setup: func(env *testscript.Env) error {
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

// askedAt puts a question on the desk that was asked and answered at a time.
func askedAt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: past TIME QUESTION ANSWER")
	}
	at, err := time.Parse(time.RFC3339, args[0])
	ts.Check(err)
	s := local.Open(ts.Getenv(local.EnvDir))
	defer func() { _ = s.Close() }()
	d := desk.New(s, desk.Options{Now: func() time.Time { return at }})
	set := question.Set{Questions: []question.Question{{ID: "q1", Text: args[1], Type: question.Text, Required: true}}}
	ctx := context.Background()
	rec, err := desktest.Ask(ctx, d, set, "", desk.Asker{Client: "claude-code", Directory: "/src", Via: "mcp"})
	ts.Check(err)
	reply := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: args[2]}}}
	_, err = d.Reply(ctx, rec.ID, reply, desk.Evidence{Surface: "tty", How: desk.HowPage})
	ts.Check(err)
	ts.Check(d.Delivered(ctx, rec.ID))
}

// waiting waits until so many questions are open, and sets ID1, ID2, … to their
// ids, oldest first.
func waiting(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waiting N")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	store := local.Open(ts.Getenv(local.EnvDir))
	defer func() { _ = store.Close() }()
	ctx, stop := context.WithTimeout(context.Background(), patience)
	d := desk.New(store, desk.Options{})
	events, err := d.Watch(ctx)
	ts.Check(err)
	defer func() {
		stop()
		for range events {
		}
	}()
	for {
		records, err := d.Pending(ctx)
		ts.Check(err)
		if len(records) == want {
			for i, rec := range records {
				ts.Setenv("ID"+strconv.Itoa(i+1), rec.ID)
			}
			return
		}
		if _, open := <-events; !open {
			ts.Fatalf("%d questions are open, want %d", len(records), want)
		}
	}
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
	path, err := exec.LookPath("mcp-askuser")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), lifetime)
	t.Cleanup(stop)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), local.EnvDir+"="+dir, settings.EnvFile+"="+os.DevNull, raceExit)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}
