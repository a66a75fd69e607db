// Command mcp-askuser gives AI agents a dependable way to ask their user
// something: an MCP server and a shell command. This package reads flags and
// the environment, calls the rooms below it and prints; it decides nothing about
// questions. It has one file for each command or family of commands, and their long
// help in texts/help.
//
// The rules of its user interface:
//   - Results go to standard output; everything for people goes to standard
//     error or to the terminal itself.
//   - An error says what happened, then what to do, and names every fault.
//   - The exit status tells the outcomes apart; see exit.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/ui/tty"
	"mcp-askuser/ui/words"
)

// app is what the commands share.
type app struct {
	name         string // by which the program was called
	args         []string
	in           *os.File
	out          *output
	err          io.Writer
	getenv       func(string) string
	config       *settings.Settings     // of the command that runs
	log          *slog.Logger           // to standard error
	terminalLock *tty.Lock              // on the terminal
	screen       atomic.Pointer[func()] // restores the terminal of an inbox
	remote       bool                   // the askers are on other machines: no terminal here is theirs
	proves       bool                   // what is asked needs a proof
	noWait       bool                   // the command prints what is known, and ends
	opened       bool                   // the user opened the form: no agent did
	stores       []io.Closer            // that are open
}

func main() {
	abortOnPanic()
	cobra.EnableCommandSorting = false // help has the commands in the order of [app.root]
	a := &app{name: strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), in: os.Stdin, out: &output{Writer: os.Stdout},
		err: os.Stderr, getenv: os.Getenv, terminalLock: tty.NewLock()}
	defer a.restoreTerminal() // after a panic
	// A pipe without a reader is a write error, which is reported. An ignored signal
	// would be inherited by the programs that this one starts.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := interruptible(context.Background(), a.restoreTerminal)
	code := a.run(ctx, os.Args[1:])
	stop()
	os.Exit(code) //nolint:gocritic // what is deferred is for a panic
}

// restoreTerminal restores the terminal, whatever draws on it.
func (a *app) restoreTerminal() {
	a.terminalLock.Rescue()
	if release := a.screen.Load(); release != nil {
		(*release)()
	}
}

// alias is the link by which the program is the ask command alone.
const alias = "AskUserQuestion"

// run runs the command line and returns the exit status.
func (a *app) run(ctx context.Context, args []string) int {
	a.log = a.logger(slog.LevelWarn)
	a.args = args
	a.config = settings.Load(a.getenv)
	words.Local = words.Preferred(a.config.Values.Language, a.getenv)
	cmd := a.root(args)
	if a.name == alias {
		cmd = a.ask()
		a.addGlobalFlags(cmd)
		addHelp(cmd)
		cmd.Use = alias + strings.TrimPrefix(cmd.Use, "ask")
	}
	each(cmd, func(c *cobra.Command) {
		if c.HasParent() || a.name == alias { // the root suggests a command
			c.Args = arguments
		}
	})
	cmd.SetArgs(args)
	cmd.SetFlagErrorFunc(flagError)
	cmd.SetIn(a.in)
	cmd.SetOut(scripts{a.out})
	cmd.SetErr(a.err)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(ctx)
	for _, store := range a.stores {
		_ = store.Close() // else others find out that this process has ended
	}
	code := a.status(err)
	if a.out.err != nil && !errors.Is(err, a.out.err) {
		code = a.status(a.out.err)
	}
	return code
}

// root makes the commands. For those that programs start, such as hosts and status bars, it
// makes only the one that args name: making all takes longer than the rest of the start.
func (a *app) root(args []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "mcp-askuser",
		Short:   "Let any AI agent ask its user something, and get an answer it can rely on",
		Version: buildVersion(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if term.IsTerminal(int(a.in.Fd())) {
				fmt.Fprint(a.out, welcome(cmd))
				return nil
			}
			return a.serveMCP(cmd)
		},
	}
	a.addGlobalFlags(cmd)
	a.serveFlags(cmd)
	started := map[string]func() *cobra.Command{"serve": a.serve, "pending": a.pending, "hook": a.hook}
	var first string
	if len(args) > 0 {
		first = args[0]
	}
	switch {
	case started[first] != nil:
		cmd.AddCommand(started[first]())
	case len(args) > 0 || term.IsTerminal(int(a.in.Fd())):
		group(cmd, "Commands", a.ask(), a.answer(), a.inbox(), a.web(), a.history(), a.install(), a.doctor(), a.demo())
		const more = "More commands"
		group(cmd, more, a.await(), a.pending(), a.show(), a.dismiss(), a.reopen(), a.lift(), a.confirm(), a.cancel(),
			a.verify(), a.passkeys(), a.events(), a.templates(), a.schema(), a.skill(),
			a.uninstall(), a.serve(), a.hook(), a.token(), a.deskCommand(), a.configuration(), a.version(), a.phoneCommand())
		cmd.SetHelpCommandGroupID(more)
		cmd.SetCompletionCommandGroupID(more)
	}
	addHelp(cmd)
	return cmd
}

func (a *app) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
}

// buildVersion returns the module's version: its tag, or the commit it was built from.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel" // built without its repository
}
