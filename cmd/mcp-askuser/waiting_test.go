//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/local"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/ui/tty"
)

// TestWaitingCallIsSmall counts the goroutines and the open files that a waiting
// call holds of a server, here of this process. How much memory is a figure.
func TestWaitingCallIsSmall(t *testing.T) {
	const calls = 100
	dir := t.TempDir()
	env := map[string]string{local.EnvDir: dir, "MCP_ASKUSER_CONFIG": os.DevNull}
	in, say, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	hear, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	a := &app{name: "mcp-askuser", in: in, out: &output{Writer: out}, err: io.Discard, getenv: func(name string) string { return env[name] }, turn: tty.NewTurn()}
	ended := make(chan int)
	go func() {
		ended <- a.run(t.Context(), []string{"serve", "--surface", "inbox", "--hold", "1h", "--max-rounds", "0"})
	}()
	fmt.Fprint(say, hello)
	if _, err := bufio.NewReader(hear).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	d := openDesk(t, dir)
	ask := func(from, to int) {
		for i := from; i < to; i++ {
			fmt.Fprintf(say, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask_user_question","arguments":{"question":"Question %d?"}}}`+"\n", i+1, i)
		}
		if !waittest.Until(patience, func() bool {
			open, err := d.Pending(t.Context())
			return err == nil && len(open) >= to && !slices.ContainsFunc(open, func(rec desk.Record) bool { return rec.ShownOn == nil })
		}) {
			t.Fatalf("not all of %d questions are shown", to)
		}
	}
	files := func() int {
		names, _ := os.ReadDir("/proc/self/fd")
		return len(names)
	}
	ask(0, 1) // from now on all stands that they share
	goroutinesBefore, filesBefore := runtime.NumGoroutine(), files()
	ask(1, 1+calls)
	// What is only on its way when they are there ends at some time.
	var g, f int
	if !waittest.Until(patience, func() bool {
		g, f = runtime.NumGoroutine()-goroutinesBefore, files()-filesBefore
		return g <= 3*calls && f <= 2*calls
	}) {
		t.Errorf("%d calls hold %d goroutines and %d files; a call may have three and two", calls, g, f)
	}
	_ = say.Close()
	<-ended
	_, _ = hear.Close(), out.Close()
}
