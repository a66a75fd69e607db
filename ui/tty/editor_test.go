//go:build unix

package tty

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/internal/fatal"
)

// editor writes a script that stands for the user's editor.
func editor(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "editor")
	fatal.If(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	return path
}

// Ctrl+G opens the user's editor on what was typed, with the terminal as it
// was found. What is typed in it, and what is typed ahead, is no key of the
// form.
func TestEditor(t *testing.T) {
	t.Parallel()
	x := start(t, 80, 24, "text", alone, "VISUAL="+editor(t, `
stty -a </dev/tty | grep -q ' icanon' && printf 'editing. '
read -r line
printf '\n%s\n\n' "$line" >>"$2"`)+" --", "TTY_APPEARED=1")
	x.WaitFor("ctrl+g editor")
	x.Until("the pause to be over", func() bool { x.Type("!"); return strings.Contains(x.Screen(), "shop!") })
	x.Type("\x07")
	x.WaitFor("editing.")
	if x.FullScreen() {
		t.Error("the editor has the form's screen")
	}
	x.Type("ls -l\r\r\r") // the last Enters are discarded
	x.WaitFor("ls -l")
	x.Until("the form to be back", func() bool { return x.FullScreen() && strings.Contains(x.Screen(), "┃ ls -l") })
	x.Until("the answer", func() bool { x.Type("\r"); return !x.FullScreen() })
	rep := x.end()
	if len(rep.Replies) != 1 || !strings.HasPrefix(rep.Replies[0].Answers[0].Custom, "shop!") || !strings.HasSuffix(rep.Replies[0].Answers[0].Custom, "!\nls -l") {
		t.Errorf("sent %+v", rep.Replies)
	}
}

// A question that is withdrawn takes the editor with it, and says where that leaves
// what was saved, also on a machine too busy for the form to end. The terminal is as it was found,
// whatever the editor made of it.
func TestEditorWithdrawn(t *testing.T) {
	t.Parallel()
	for name, trouble := range map[string]string{"in time": "", "too busy": "busy"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			x := start(t, 80, 24, "text", alone, "TMPDIR="+dir, "TTY_OPENED=1", "TTY_TROUBLE="+trouble, "EDITOR="+editor(t, `trap '' HUP
stty raw -echo </dev/tty
echo 'long thoughts' >"$1"
printf 'editing. '; exec sleep 1000`))
			x.WaitFor("What is the project called?")
			x.WaitFor("shop")
			x.Type("\x07")
			x.WaitFor("editing.")
			if trouble != "" {
				x.Signal(syscall.SIGUSR2)
				x.WaitFor("jammed")
			}
			x.Signal(syscall.SIGUSR1)
			if rep := x.end(); !rep.Closed || rep.Replies != nil {
				t.Errorf("the form ended with %+v", rep)
			}
			files, _ := filepath.Glob(filepath.Join(dir, "answer-*", "answer.md"))
			if len(files) != 1 || !strings.Contains(x.Output(), "What you wrote is in "+files[0]+".") {
				t.Fatalf("left are %q:\n%s", files, x.Output())
			}
			if text, err := os.ReadFile(files[0]); err != nil || string(text) != "long thoughts\n" {
				t.Errorf("left is %q, %v", text, err)
			}
		})
	}
}
