//go:build unix

package pane

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestKitty drives a real kitty: the asker's environment is what kitty gives
// to the program in its first window.
func TestKitty(t *testing.T) {
	if _, err := exec.LookPath("kitty"); err != nil {
		t.Skip("needs kitty")
	}
	screen, dir := display(t), t.TempDir()
	pipe, socket := filepath.Join(dir, "pipe"), "unix:"+filepath.Join(dir, "socket")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("kitty", "--config", "NONE", "-o", "allow_remote_control=socket-only", "-o", "update_check_interval=0",
		"--listen-on", socket, "/bin/sh", "-c", `env >"$1"; exec cat`, "sh", pipe)
	cmd.Env = append(os.Environ(), screen, "LIBGL_ALWAYS_SOFTWARE=1", "HOME="+dir, "XDG_RUNTIME_DIR="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	env := strings.Split(readPipe(t, pipe), "\n")
	at, ok := kitty().inside(variables(env...))
	if !ok {
		t.Fatalf("not inside kitty by %q", env)
	}

	r := newRig(t)
	self, says := announced(t)
	s := alone(variables(append(env, "MCP_ASKUSER_DIR="+r.dir)...))
	s.self = self
	shown := r.show(t.Context(), s, r.rec)
	if got := says(); got != "answer "+r.rec.ID+"\n" {
		t.Errorf("the window runs %q", got)
	}
	if _, err := at.run([]string{"send-text", "--match", "title:question", `b\r`}); err != nil {
		t.Fatal(err)
	}
	r.wants(shown, nil, "answered b")
	var screens []struct {
		Tabs []struct {
			Windows []struct {
				ID int `json:"id"`
			}
		}
	}
	out, err := at.run([]string{"ls"})
	if err != nil || json.Unmarshal([]byte(out), &screens) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if windows := screens[0].Tabs[0].Windows; len(windows) != 1 || strconv.Itoa(windows[0].ID) != at.pane {
		t.Errorf("kitty is left with %+v", windows)
	}
}
