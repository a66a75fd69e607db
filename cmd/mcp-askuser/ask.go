package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
	"mcp-askuser/ui/words"
)

// askFlags gives a command the flags of those that ask.
func (a *app) askFlags(cmd *cobra.Command) {
	a.addFlags(cmd, "session")
	a.addFlags(cmd, askKeys[:]...)
	cmd.Flags().Bool("plain", false, "ask line by line, as with --surface plain")
	cmd.Flags().BoolVar(&a.proves, "prove", false, "take only an answer to a confirmation that the user signs")
	cmd.PreRun = a.deferLog
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
	template := cmd.Flags().String("template", "", "ask the questions of the template of this `name`; mcp-askuser templates lists them")
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
	isJSON := text == "-" || text == "" || strings.ContainsAny(text[:1], "{[")
	const example = `mcp-askuser ask "Which database?" PostgreSQL SQLite`
	switch {
	case isJSON && len(options) == 0:
		return nil, false, nil
	case isJSON:
		err = fmt.Errorf("unexpected argument %q: %s takes no options beside it", options[0], args[0])
	case len(options) == 0 && !strings.ContainsFunc(text, func(r rune) bool { return r == '?' || r > unicode.MaxASCII || unicode.IsSpace(r) }):
		err = fmt.Errorf("%q is neither a question nor JSON. Ask as in: %s", text, example)
	case len(options) == 1:
		err = fmt.Errorf("%q is the only option; give two or more, or none for an answer in the user's own words. Put a text with spaces in quotes: %s", options[0], example)
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
	return bytes.TrimSpace(data), nil
}

const maxInput = 16 << 20 // bytes of standard input

func (a *app) request(call wire.Call) desk.Request {
	return desk.Request{
		Set:       call.Set,
		Session:   a.session(),
		Asker:     desk.Asker{Client: a.name, Version: buildVersion(), Directory: a.directory(), Via: desk.ViaShell, PID: os.Getppid()},
		Timeout:   call.Timeout,
		OnTimeout: call.OnTimeout,
		Rounds:    call.Rounds,
		ToolUse:   call.ToolUse,
		Prove:     a.proves,
	}
}

// readCall reads the call from the argument or standard input.
func (a *app) readCall(cmd *cobra.Command, args []string) (wire.Call, error) {
	fault := func(text string) error {
		return fmt.Errorf("%s\nUsage: %s", text, cmd.CommandPath()+` '{"questions":[...]}'`)
	}
	data, ok, err := fromWords(args)
	if !ok {
		data, err = a.input(args)
	}
	if err != nil {
		return wire.Call{}, err
	}
	if len(data) == 0 {
		return wire.Call{}, fault("Missing JSON parameter")
	}
	call, err := wire.DecodeAsk(data, a.settings().Limits)
	if err != nil && !errors.As(err, new(question.Violations)) {
		err = fault("Invalid JSON format")
	}
	return call, err
}

// render returns what a command prints of a record of the desk that has ended.
type render func(d *desk.Desk, rec desk.Record) (string, error)

// deliver asks, prints what show makes of the outcome, and only then marks it as
// delivered: an answer that could not be printed stays for the next call that asks the
// same. The error has the exit status.
func (a *app) deliver(cmd *cobra.Command, call wire.Call, show render) error {
	ctx := cmd.Context()
	if plain, _ := cmd.Flags().GetBool("plain"); plain && !cmd.Flags().Changed("surface") {
		a.settings().Surfaces = []string{"plain"}
	}
	if !cmd.Flags().Changed("max-rounds") && desk.UsersTerminal() {
		a.settings().MaxRounds = 0 // no agent asks here
	}
	if a.proves && !call.Set.Provable() {
		return errors.New("--prove is for a confirmation: one yes-or-no question, as mcp-askuser confirm asks it")
	}
	d, err := a.desk()
	if err != nil {
		return err
	}
	if len(call.Set.Asked(nil)) == 0 { // every answer was brought along
		rec, err := d.Note(ctx, a.request(call), desk.Outcome{Status: desk.Answered, Reply: &question.Reply{}})
		if err != nil {
			a.log.WarnContext(ctx, "cannot record a question whose answers were all given", "error", err)
		}
		return a.printResult(d, rec, show)
	}
	presenter := a.presenter(d)
	defer presenter.Close(nil)
	page := a.webSurface(d, presenter)
	defer page.Close()
	surfaces, _ := a.surfaces(d, page, desk.Cancelled)
	if a.noWait { // this process, and with it what it shows, ends
		surfaces, presenter.Notify = nil, nil
	}
	w, err := presenter.Ask(ctx, present.Question{
		Request:     a.request(call),
		Surfaces:    func(*present.Presentation) []ui.Surface { return surfaces },
		Interrupted: desk.Cancelled,
		KeepOpen:    a.noWait,
	})
	if full, ok := errors.AsType[*desk.RoundLimitError](err); ok {
		return &exitError{exitRefused, fmt.Errorf("%w (mcp-askuser lift %s)", err, full.Session)}
	}
	if err != nil {
		return err
	}
	defer w.Leave()
	select {
	case <-w.Unshown(): // the terminal is free again
	case <-ctx.Done():
		return a.interrupted(ctx, d, presenter, w)
	}
	if a.noWait && !w.HasEnded() {
		a.config.Values.Remind = 0
		a.notifierHere()(ctx, w.Record())
		fmt.Fprintf(a.out, `{"status":"pending","id":%q}`+"\n", w.Record().ID)
		return &exitError{exitPending, nil}
	}
	if errors.Is(w.UnshownReason(), ui.ErrInterrupted) {
		a.leaveSoon()
	}
	<-w.Ended()
	err = a.printEnd(d, w, show)
	presenter.Flush()
	return err
}

// printEnd prints what show makes of a record that has ended, and marks it as delivered
// unless it could not be printed. The error has the exit status.
func (a *app) printEnd(d *desk.Desk, w *present.Waiter, show render) error {
	rec, err := w.Result()
	if err != nil {
		return err
	}
	if err = w.UnshownReason(); !errors.Is(err, ui.ErrInterrupted) { // the user needs no result
		err = a.printResult(d, rec, show)
	}
	if !errors.As(err, new(*unprintedError)) {
		w.Delivered()
	}
	return err
}

// interrupted ends a command after a signal. Ctrl+C withdraws the question; any other
// signal leaves it open for the next call that asks the same.
func (a *app) interrupted(ctx context.Context, d *desk.Desk, presenter *present.Presenter, w *present.Waiter) error {
	cause := context.Cause(ctx)
	presenter.Close(cause)
	state := desk.Pending
	if errors.Is(cause, ui.ErrInterrupted) {
		ctx, id := context.WithoutCancel(ctx), w.Record().ID
		if _, err := d.Close(ctx, id, desk.Outcome{Status: desk.Cancelled, Reason: "interrupted at the command line"}); err != nil {
			return cause // answered at the last moment: kept for the next call that asks the same
		}
		err := d.Delivered(ctx, id)
		if err != nil {
			a.log.WarnContext(ctx, "a withdrawn question is not marked as delivered", "id", id, "error", err)
		}
		state = desk.Cancelled
	}
	if name, _ := w.Surface(); name != "tty" && name != "plain" { // which say so themselves
		a.tell(words.English.Interrupted(state))
	}
	return cause
}

// printResult prints what show makes of the outcome. The error has the exit status;
// it is an *unprintedError where printing failed.
func (a *app) printResult(d *desk.Desk, rec desk.Record, show render) error {
	text, err := show(d, rec)
	if err != nil {
		return err
	}
	if text != "" {
		fmt.Fprintln(a.out, text)
	}
	if rec.Outcome.FromProgram() {
		a.tellf("A program has replied, not the user: %s.", words.English.Outcome(rec.Outcome))
	}
	if err := a.out.flush(); err != nil {
		return &unprintedError{rec, err}
	}
	return endError(rec)
}

type unprintedError struct {
	rec desk.Record
	err error
}

func (e *unprintedError) Unwrap() error { return e.err }

func (e *unprintedError) Error() string {
	if e.rec.Outcome == nil || e.rec.Outcome.Reply == nil {
		return fmt.Sprintf("the result could not be printed: %v", e.err)
	}
	return fmt.Sprintf("the user has replied, but that could not be printed: %v; the reply is kept: ask the same again to get it", e.err)
}

func (a *app) presenter(d *desk.Desk) *present.Presenter {
	return present.New(present.Options{
		Desk:         d,
		Log:          a.log,
		Notify:       a.notifier(d),
		TakeDefaults: a.settings().OnTimeout == desk.OnTimeoutDefault,
	})
}

func (a *app) confirm() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "confirm ACTION",
		Short: "Ask the user to confirm an action",
		Example: `  mcp-askuser confirm "Delete 23 files?" && rm -r build
  mcp-askuser confirm "Deploy?" --details "12 changes" --default no`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	a.askFlags(cmd)
	details := cmd.Flags().String("details", "", "what the user should know to decide, as `text`")
	proposed := wordFlag(cmd, "default", "", "the proposed `answer`: yes or no; still only the user gives it", "yes", "no")
	return a.withSettings(cmd, func(cmd *cobra.Command, args []string) error {
		var yes *bool
		if *proposed != "" {
			yes = new(*proposed == "yes")
		}
		if strings.TrimSpace(args[0]) == "" {
			return errors.New("the action is empty; say what would be done")
		}
		call := wire.Call{Timeout: a.settings().Timeout, Set: question.Set{Questions: []question.Question{wire.Confirm(args[0], *details, yes)}}}
		answer := ""
		err := a.deliver(cmd, call, func(_ *desk.Desk, rec desk.Record) (string, error) {
			if rec.State == desk.Answered {
				answer = map[any]string{true: "yes", false: "no"}[rec.Asked()[0].Value()]
			}
			return answer, nil
		})
		if err == nil && answer != "yes" {
			return &exitError{exitBad, nil}
		}
		return err
	})
}

//go:embed texts/demo.*.json
var demoCalls embed.FS // one for each language

func (a *app) demo() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "demo",
		Short:   "Ask sample questions here and print what an agent would get",
		Example: "  mcp-askuser demo\n  mcp-askuser demo --surface web",
	}
	a.askFlags(cmd)
	return a.withSettings(cmd, func(cmd *cobra.Command, _ []string) error {
		sample, err := demoCalls.ReadFile("texts/demo." + string(words.Local) + ".json")
		if err != nil {
			return err
		}
		call, err := wire.DecodeAsk(sample, a.settings().Limits)
		if err != nil {
			return err
		}
		call.Timeout = a.settings().Timeout
		a.opened = true
		return a.deliver(cmd, call, func(_ *desk.Desk, rec desk.Record) (string, error) {
			result := wire.NewResult(rec)
			structured, err := encodeJSON(result, "", "  ")
			return fmt.Sprintf("%s\n\n%s", question.Readable(result.Text), structured), err
		})
	})
}
