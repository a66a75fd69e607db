package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui/present"
	"mcp-askuser/ui/words"
)

// askFlags gives a command the flags of those that ask.
func (a *app) askFlags(cmd *cobra.Command) {
	a.addFlags(cmd, "dir", "session")
	a.addFlags(cmd, askKeys[:]...)
	cmd.Flags().Bool("plain", false, "ask line by line, as with --surface plain")
	cmd.PreRun = a.patient
}

func (a *app) ask() *cobra.Command {
	var format, template string
	var variables []string
	cmd := &cobra.Command{
		Use:   "ask [JSON or -]",
		Short: "Ask the user and print the answer",
		Long:  askHelp,
		Example: `  mcp-askuser ask '{"question":"Which region?","options":["EU","US"]}'
  mcp-askuser ask --format ids --timeout 10m - < questions.json`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.checked(func(cmd *cobra.Command, args []string) error {
			var call wire.Call
			var err error
			switch {
			case template != "":
				call, err = a.templateCall(template, variables, args)
			case len(variables) > 0:
				err = errors.New(words.T("--var sets a variable of a template: name that with --template"))
			default:
				call, err = a.givenCall(cmd, args)
			}
			if err != nil {
				return err
			}
			for _, left := range call.Dropped {
				fmt.Fprintf(a.err, "Not asked, because no answer can bring it up: %s\n", left)
			}
			if call.Timeout == 0 || cmd.Flags().Changed("timeout") {
				call.Timeout = a.settings().Timeout
			}
			return a.deliver(cmd, call, func(rec desk.Record) (string, error) {
				if rec.State == desk.Unavailable || rec.State == desk.Failed {
					return "", nil // a result for models, not for programs
				}
				return wire.Format(rec, format, time.Now())
			})
		}),
	}
	a.askFlags(cmd)
	a.addFlags(cmd, limitKeys[:]...)
	cmd.Flags().StringVar(&template, "template", "", "ask the questions of the template of this `name`; mcp-askuser templates lists them")
	cmd.Flags().StringArrayVar(&variables, "var", nil, "a variable of the template, as `NAME=VALUE`; may be repeated")
	takesFormat(cmd, &format, wire.Formats())
	return cmd
}

// input returns the JSON: the argument, or standard input where that is - or
// absent and standard input is no terminal.
func (a *app) input(args []string) ([]byte, error) {
	if len(args) == 1 && args[0] != "-" {
		return bytes.TrimSpace([]byte(args[0])), nil
	}
	if len(args) == 0 && term.IsTerminal(int(a.in.Fd())) {
		return nil, nil
	}
	data, err := io.ReadAll(io.LimitReader(a.in, maxInput))
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	return bytes.TrimSpace(data), nil
}

// maxInput is the most that is read from standard input, in bytes.
const maxInput = 16 << 20

// request is what a command asks on this machine.
func (a *app) request(call wire.Call) desk.Request {
	return desk.Request{
		Set:       call.Set,
		Session:   a.session(),
		Asker:     desk.Asker{Client: a.name, Version: buildVersion(), Directory: a.directory(), Via: desk.ViaShell, PID: os.Getppid()},
		Timeout:   call.Timeout,
		OnTimeout: call.OnTimeout,
	}
}

// givenCall reads the call that is the argument or standard input.
func (a *app) givenCall(cmd *cobra.Command, args []string) (wire.Call, error) {
	usage := fmt.Sprintf("Usage: %s '{\"questions\":[...]}'", cmd.CommandPath())
	data, err := a.input(args)
	if err != nil {
		return wire.Call{}, err
	}
	if len(data) == 0 {
		return wire.Call{}, fmt.Errorf("Missing JSON parameter\n%s", usage)
	}
	call, err := wire.DecodeAsk(data, a.settings().Limits)
	if err != nil && !errors.As(err, new(question.Violations)) {
		err = fmt.Errorf("Invalid JSON format\n%s", usage)
	}
	return call, err
}

// presenter shows records as the settings say.
func (a *app) presenter(d *desk.Desk) *present.Presenter {
	return present.New(present.Options{
		Desk:         d,
		Log:          a.log,
		Notify:       a.notifier(d),
		TakeDefaults: a.settings().OnTimeout == desk.OnTimeoutDefault,
		MaxOpen:      room(openFiles()),
	})
}

// room is how many questions may be open at once, with two files each, where
// there may be so many files; 0 is any number. Some files are for everything
// else, and for what is open but for a moment.
func room(files uint64) int {
	if files == 0 || files > 1<<20 {
		return 0
	}
	return int(files-min(files/4, 512)) / 2
}
