package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
)

// askFlags gives a command the flags of those that ask.
func (a *app) askFlags(cmd *cobra.Command) {
	a.addFlags(cmd, "session")
	a.addFlags(cmd, askKeys[:]...)
	cmd.Flags().Bool("plain", false, "ask line by line, as with --surface plain")
	cmd.Flags().BoolVar(&a.proves, "prove", false, "take only an answer to a confirmation that the user signs")
	cmd.PreRun = a.discardLog
}

func (a *app) ask() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ask [QUESTION [OPTION...] or JSON or -]",
		Short: "Ask the user and print the answer",
		Example: `  mcp-askuser ask "Which database?" PostgreSQL SQLite
  mcp-askuser ask '{"question":"Which region?","options":["EU","US"]}'
  mcp-askuser ask --format ids --timeout 10m - < questions.json`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	a.askFlags(cmd)
	a.addFlags(cmd, limitKeys[:]...)
	cmd.Flags().BoolVar(&a.noWait, "no-wait", false, "print the id at once; await returns the answer")
	template := cmd.Flags().String("template", "",
		"ask the questions of the template of this `name`; mcp-askuser templates lists them")
	variables := cmd.Flags().StringArray("var", nil, "a variable of the template, as `NAME=VALUE`; may be repeated")
	a.completeTemplates(cmd)
	format := formatFlag(cmd, wire.Formats()...)
	return a.withSettings(cmd, func(cmd *cobra.Command, args []string) error {
		var call wire.Call
		var err error
		switch {
		case *template != "":
			call, err = a.templateCall(*template, *variables, args)
		case len(*variables) > 0:
			err = errors.New("--var sets a variable of a template: name that with --template")
		default:
			call, err = a.readCall(cmd, args)
		}
		if err != nil {
			return err
		}
		for _, dropped := range call.Dropped {
			a.tellf("Not asked, because no answer can bring it up: %s", dropped)
		}
		a.noWait = a.noWait || call.NoWait
		if call.Timeout == 0 || cmd.Flags().Changed("timeout") {
			call.Timeout = a.settings().Timeout
		}
		if cmd.Flags().Changed("session") {
			call.Session = ""
		}
		return a.deliver(cmd, call, func(d *desk.Desk, rec desk.Record) (string, error) {
			if rec.State == desk.Unavailable || rec.State == desk.Failed {
				return "", nil // a result for models, not for programs
			}
			return formatRecord(cmd.Context(), d, rec, *format)
		})
	})
}

// formatRecord returns the result of a record in a format of the shell commands.
func formatRecord(ctx context.Context, d *desk.Desk, rec desk.Record, format string) (string, error) {
	text, err := wire.Format(rec, format, time.Now(), func(f question.File) string { return d.FilePath(ctx, rec.ID, f) })
	if format != "text" {
		text = string(escapeHidden([]byte(text)))
	}
	return text, err
}

// fromWords returns the call for a question and its options as arguments. It is false for
// arguments that are JSON, or name standard input.
func fromWords(args []string) (call []byte, ok bool, err error) {
	if len(args) == 0 {
		return nil, false, nil
	}
	text, options := strings.TrimSpace(args[0]), args[1:]
	// It begins as JSON does, or names standard input. "[prod] Which region?" does not.
	isJSON := regexp.MustCompile(`^(-?$|\{|\[\s*[]{["])`).MatchString(text)
	inWords := func(r rune) bool { return r == '?' || r > unicode.MaxASCII || unicode.IsSpace(r) }
	const example = `mcp-askuser ask "Which database?" PostgreSQL SQLite`
	switch {
	case isJSON && len(options) == 0:
		return nil, false, nil
	case text == "":
		err = fmt.Errorf("the question is empty. Ask as in: %s", example)
	case isJSON:
		err = fmt.Errorf("unexpected argument %q: %s takes no options beside it", options[0], args[0])
	case len(options) == 0 && !strings.ContainsFunc(text, inWords):
		err = fmt.Errorf("%q is neither a question nor JSON. Ask as in: %s", text, example)
	case len(options) == 1:
		err = fmt.Errorf("%q is the only option; give two or more, or none for an answer in the user's own words. "+
			"Put a text with spaces in quotes: %s", options[0], example)
	default:
		call, err = json.Marshal(struct {
			Question string   `json:"question"`
			Options  []string `json:"options,omitempty"`
		}{args[0], options})
	}
	return call, true, err
}

// input returns the argument. Standard input takes the place of -, and of no argument
// where it is no terminal.
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
	return bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff"))), nil // as some shells of Windows begin a text
}

const maxInput = 16 << 20 // bytes of standard input

func (a *app) request(call wire.Call) desk.Request {
	return desk.Request{
		Set:     call.Set,
		Session: cmp.Or(call.Session, a.session()),
		Asker: desk.Asker{Client: a.name, Version: buildVersion(), Directory: a.directory(), Via: desk.ViaShell,
			PID: os.Getppid()},
		Timeout:   call.Timeout,
		OnTimeout: call.OnTimeout,
		Rounds:    call.Rounds,
		ToolUse:   call.ToolUse,
		Prove:     a.proves,
	}
}

// readCall reads the call from the argument or standard input.
func (a *app) readCall(cmd *cobra.Command, args []string) (wire.Call, error) {
	fault := func(text, detail string) error {
		return fmt.Errorf("%s\nUsage: %s%s", text, cmd.CommandPath()+` '{"questions":[...]}'`, detail)
	}
	data, ok, err := fromWords(args)
	if !ok {
		data, err = a.input(args)
	}
	if err != nil {
		return wire.Call{}, err
	}
	if len(data) == 0 {
		return wire.Call{}, fault("Missing JSON parameter", "")
	}
	call, err := wire.DecodeAsk(data, a.settings().Limits)
	syntax, invalid := errors.AsType[*json.SyntaxError](err)
	if invalid {
		before := question.Line(string(data[max(0, syntax.Offset-40):syntax.Offset]))
		err = fault("Invalid JSON format", fmt.Sprintf("\n%v, at byte %d: …%s", syntax, syntax.Offset, before))
	}
	return call, err
}
