package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary stands in for the program, so that the race detector is on
// in every process the tests start.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mcp-askuser": main, alias: main})
}

// The commands, one script for each behaviour.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("MCP_ASKUSER_DIR", env.WorkDir+"/desk")
			name, value, _ := strings.Cut(raceExit, "=")
			env.Setenv(name, value)
			return nil
		},
	})
}

// raceExit spares each process the second that the race detector waits at its
// exit.
const raceExit = "GORACE=atexit_sleep_ms=0"

// program returns the command that runs the program without a controlling
// terminal, whatever terminal the tests themselves run on.
func program(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("mcp-askuser")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "MCP_ASKUSER_DIR="+dir, raceExit)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}
