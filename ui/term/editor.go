package term

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

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

// Lender is a terminal whose settings and keys Bubble Tea does not handle.
type Lender interface {
	// Pause ends the reading of keys.
	Pause()
	// Lend restores the terminal for run, then takes it back.
	Lend(run func() error) error
}

const (
	// editorEndTime is how long an editor may take to end when the screen must; then it is killed.
	editorEndTime = 60 * time.Millisecond
	// editorKillTime is how long the screen waits for the end of a killed editor.
	editorKillTime = time.Second
)

// root is the model of a screen's program: it opens the editor.
type root struct {
	tea.Model
	screen *Screen
}

// Init implements tea.Model.
func (r root) Init() tea.Cmd { return tea.Batch(r.Model.Init(), tea.RequestBackgroundColor) }

// Update implements tea.Model.
func (r root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	e, opens := msg.(Edit)
	if opens {
		return r, r.screen.edit(e.Entry)
	}
	var cmd tea.Cmd
	r.Model, cmd = r.Model.Update(msg)
	return r, cmd
}

// editing is the terminal's loan to an editor. It implements tea.ExecCommand. Messages to the
// model wait until the editor is closed: it runs in the goroutine of the model.
type editing struct {
	screen *Screen
	entry  *Entry
}

func (s *Screen) edit(e *Entry) tea.Cmd {
	return func() tea.Msg {
		if s.options.Lender != nil {
			s.options.Lender.Pause()
		}
		return tea.Exec(&editing{s, e}, func(err error) tea.Msg { return Edited{err} })()
	}
}

// The editor has the controlling terminal, whatever the standard streams are.

func (*editing) SetStdin(io.Reader)  {}
func (*editing) SetStdout(io.Writer) {}
func (*editing) SetStderr(io.Writer) {}

// Run implements tea.ExecCommand.
func (x *editing) Run() error {
	s := x.screen
	s.editor <- struct{}{}
	defer func() { <-s.editor }()
	run := func() error {
		text, left, err := EditText(s.editors, s.options.Getenv, x.entry.area.Value())
		s.left.Store(&left)
		if err != nil {
			return err
		}
		return x.entry.replace(text, left)
	}
	if s.options.Lender != nil {
		return s.options.Lender.Lend(run)
	}
	return run()
}

// EditText opens a text in the user's editor, on the controlling terminal. The end of ctx
// ends the editor. If a changed text was saved by then, or the editor has left a file to
// recover it from, the file stays, and left is its name. The error is a sentence for the
// user.
func EditText(ctx context.Context, getenv func(string) string, text string) (edited, left string, err error) {
	command := strings.Fields(cmp.Or(getenv("VISUAL"), getenv("EDITOR"), "vi"))
	if len(command) == 0 {
		return "", "", errors.New(words.T("VISUAL or EDITOR names no editor."))
	}
	dir, err := os.MkdirTemp("", "answer-")
	if err == nil {
		left = filepath.Join(dir, "answer.md")
		edited, err = runEditor(ctx, command, left, text)
	}
	if beside, _ := os.ReadDir(dir); ctx.Err() == nil || edited == text && len(beside) <= 1 {
		_ = os.RemoveAll(dir)
		left = ""
	}
	if err != nil {
		err = errors.New(words.T("The editor %[1]s failed: %[2]s. The text is as it was.", Line(command[0], 40), Line(err.Error(), 200)))
	}
	return edited, left, err
}

func runEditor(ctx context.Context, command []string, file, text string) (string, error) {
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], file)...) //nolint:gosec // the user's own
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
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return "", err
	}
	edited, err := os.ReadFile(file)
	return strings.TrimRight(string(edited), "\r\n"), err
}
