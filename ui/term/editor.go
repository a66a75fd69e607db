package term

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"mcp-askuser/ui/words"
)

// EditKey opens the user's editor wherever text is typed.
const EditKey = "ctrl+g"

// Edit is the message that the user wants to write the text of an entry in an
// editor of their own. A [Screen] takes it, and answers with [Edited].
type Edit struct{ Entry *Entry }

// Edited is the message that the editor is closed. The entry has its text
// unless Err, a sentence for the user, says otherwise.
type Edited struct{ Err error }

// editorEndTime is how long an editor may take to end when the screen must; then it is killed.
const editorEndTime = 60 * time.Millisecond

// edit has the user write the text of an entry in an editor. Messages to the model wait until the
// editor is closed. The error is a sentence for the user. The end of the screen ends the editor:
// then the file stays, since the text may be nowhere else.
func (s *Screen) edit(entry *Entry) error {
	if !s.editing.TryLock() { // the screen ends
		return nil
	}
	defer s.editing.Unlock()
	command := strings.Fields(cmp.Or(s.options.Getenv("VISUAL"), s.options.Getenv("EDITOR")))
	if len(command) == 0 {
		command = []string{"vi"}
	}
	text, err := s.runEditor(command, entry.area.Value())
	if err != nil {
		return errors.New(words.T(
			"The editor %[1]s failed: %[2]s. The text is as it was.", Line(command[0], 40), Line(err.Error(), 200),
		))
	}
	return entry.replace(text)
}

func (s *Screen) runEditor(command []string, text string) (string, error) {
	dir, err := os.MkdirTemp("", "answer-")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "answer.md")
	defer func() {
		if s.ctx.Err() == nil {
			_ = os.RemoveAll(dir)
		} else {
			s.left = file
		}
	}()
	err = os.WriteFile(file, []byte(text), 0o600)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(s.ctx, command[0], append(command[1:], file)...) //nolint:gosec // the user's own
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if runtime.GOOS != "windows" { // an editor needs a file whose reads wait
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return "", err
		}
		defer func() { _ = tty.Close() }()
		cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGHUP) }
	cmd.WaitDelay = editorEndTime
	err = cmd.Run()
	if err != nil && !errors.Is(s.ctx.Err(), context.Canceled) {
		return "", err
	}
	edited, err := os.ReadFile(file)
	return strings.TrimRight(string(edited), "\r\n"), err
}
