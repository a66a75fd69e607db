package term

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// EditKey opens the human's editor wherever text is typed.
const EditKey = "ctrl+g"

// Edit is the message that the human wants to write the text of an entry in an
// editor of their own. A [Screen] takes it, and answers with [Edited].
type Edit struct{ Entry *Entry }

// Edited is the message that the editor is closed. The entry has its text
// unless Err, a sentence for the human, says otherwise.
type Edited struct{ Err error }

// Lender is a terminal whose settings and keys are not Bubble Tea's own.
type Lender interface {
	// Pause ends the reading of keys.
	Pause()
	// Lend gives the terminal to run as it was found, then takes it back.
	Lend(run func() error) error
}

// hangUpTime is how long an editor may take to end when the screen has to.
const hangUpTime = 60 * time.Millisecond

// edit runs the editor on the text of an entry, the screen being off meanwhile.
func (s *Screen) edit(e *Entry) tea.Cmd {
	run := &editing{screen: s, text: e.area.Value()}
	return func() tea.Msg {
		if s.options.Lender != nil {
			s.options.Lender.Pause()
		}
		return tea.Exec(run, func(err error) tea.Msg {
			if err == nil {
				err = e.replace(run.text)
			}
			return Edited{err}
		})()
	}
}

// editing is a text in an editor. It implements tea.ExecCommand.
type editing struct {
	screen *Screen
	text   string
}

// The editor has the controlling terminal, whatever the standard streams are.

func (*editing) SetStdin(io.Reader)  {}
func (*editing) SetStdout(io.Writer) {}
func (*editing) SetStderr(io.Writer) {}

// Run implements tea.ExecCommand. What was saved counts, also when the editor
// was ended with the screen.
func (e *editing) Run() error {
	o := e.screen.options
	lend := func(run func() error) error { return run() }
	if o.Lender != nil {
		lend = o.Lender.Lend
	}
	words := strings.Fields(cmp.Or(o.Getenv("VISUAL"), o.Getenv("EDITOR"), "vi"))
	if len(words) == 0 {
		return Fault("The editor that VISUAL or EDITOR names is empty.")
	}
	if err := lend(func() error { return e.run(words) }); err != nil {
		return Fault(fmt.Sprintf("The editor %s failed: %s. The text is as it was.", Line(words[0], 40), Line(err.Error(), 200)))
	}
	return nil
}

func (e *editing) run(words []string) error {
	in, out, done, err := e.screen.terminal()
	if err != nil {
		return err
	}
	defer done()
	file, err := os.CreateTemp("", "answer-*.md")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.WriteString(e.text)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	cmd := exec.CommandContext(e.screen.editors, words[0], append(words[1:], file.Name())...) //nolint:gosec // the user's own
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, out
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGHUP) }
	cmd.WaitDelay = hangUpTime
	err = cmd.Run()
	if err != nil && e.screen.editors.Err() == nil {
		return err
	}
	text, err := os.ReadFile(file.Name())
	if err == nil {
		e.text = strings.TrimRight(string(text), "\r\n")
	}
	return err
}

// terminal opens the terminal anew: an editor needs files whose reads wait.
func (s *Screen) terminal() (in, out *os.File, done func(), err error) {
	if runtime.GOOS == "windows" {
		return os.Stdin, os.Stdout, func() {}, nil
	}
	file, err := os.OpenFile(cmp.Or(s.options.Terminal, "/dev/tty"), os.O_RDWR, 0)
	return file, file, func() { _ = file.Close() }, err
}
