// Package hooked is the command hook for one event. Two programs have it: mcp-askuser,
// and the small mcp-askuser-hook beside it, which hosts run for each question. It must
// not import a form, a page, a schema or a protocol library, as all that it imports is
// in memory beside every dialog.
package hooked

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/local"
	"mcp-askuser/mirror"
	"mcp-askuser/ui/notify"
)

// Flags are the flags of the command.
type Flags struct {
	limit       uint32
	permissions bool
}

// Add registers them, and the flags of the settings that the command uses.
func (f *Flags) Add(flags *pflag.FlagSet, s *settings.Settings) {
	s.AddFlags(flags, "dir")
	flags.Uint32Var(&f.limit, "limit", uint32(mirror.DefaultLimit/time.Second), "how many `seconds` the host waits")
	flags.BoolVar(&f.permissions, "permissions", false, "mirror the permissions that the host asks for, too")
}

// Main is the small program.
func Main() {
	s := settings.Load(os.Getenv)
	flags := pflag.NewFlagSet("mcp-askuser-hook", pflag.ContinueOnError)
	var f Flags
	f.Add(flags, s)
	err := flags.Parse(os.Args[1:])
	host, known := mirror.ByName(flags.Arg(0))
	if err != nil || !known || flags.NArg() != 1 {
		fmt.Fprintf(os.Stderr, "Usage: mcp-askuser-hook %s, with an event on standard input\n", strings.Join(mirror.Names(), "|"))
		os.Exit(1)
	}
	if s.Values.Desk != "" {
		execMainProgram(append([]string{"hook"}, os.Args[1:]...))
		return
	}
	var store *local.Store
	Run(host, f, s, os.Getenv, func(dir string, o desk.Options) (*desk.Desk, error) {
		store = local.Open(dir)
		return desk.New(store, o), nil
	})
	if store != nil {
		_ = store.Close()
	}
}

// mainProgram is the path of mcp-askuser, beside this program.
func mainProgram() (path string, err error) {
	self, err := os.Executable()
	name := strings.Replace(filepath.Base(self), "mcp-askuser-hook", "mcp-askuser", 1)
	return filepath.Join(filepath.Dir(self), name), err
}

// execMainProgram replaces this program with mcp-askuser, as it has no client for a shared
// desk.
func execMainProgram(args []string) {
	path, err := mainProgram()
	if err != nil || syscall.Exec(path, append([]string{path}, args...), os.Environ()) == nil { //nolint:gosec // our own, beside this one
		return
	}
	cmd := exec.Command(path, args...) //nolint:gosec,noctx // as above; for systems without exec
	cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
	_ = cmd.Run()
}

// Open opens the desk over the store in a directory.
type Open func(dir string, o desk.Options) (*desk.Desk, error)

// Run mirrors the event on standard input, on a desk. It does not report failures: the host
// has its own dialog.
func Run(host mirror.Host, f Flags, s *settings.Settings, getenv func(string) string, open Open) {
	// A panic that no goroutine recovers aborts the process: its usual status, 2,
	// means no to Claude Code.
	debug.SetTraceback("crash")
	if s.Err() != nil {
		return // the place of the store may be wrong
	}
	v := s.Values
	env := s.Environ(getenv)
	dir, err := local.DefaultDir(env)
	if err != nil {
		return
	}
	d, err := open(dir, desk.Options{Keep: v.Keep})
	if err != nil {
		return
	}
	o := mirror.Options{
		Host: host, Desk: d,
		In: os.Stdin, Out: os.Stdout, Getenv: env, Limit: time.Duration(f.limit) * time.Second,
		Permissions: f.permissions, Timeout: v.Timeout,
	}
	here := Notifier(v, env, nil)
	o.Notify = here
	if v.NtfyTopic != "" {
		o.Notify = func(ctx context.Context, rec desk.Record) {
			startPhone(rec.ID, dir)
			if here != nil {
				here(ctx, rec)
			}
		}
	}
	mirror.Run(signals(), o)
}

// startPhone has mcp-askuser put a question on the phone until it ends, as this program
// has no HTTP client.
func startPhone(id, dir string) {
	path, err := mainProgram()
	if err != nil {
		return
	}
	cmd := exec.Command(path, "phone", "show", id, "--dir", dir) //nolint:gosec,noctx // ours, and it outlives this process
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}

// Notifier returns a function that tells the user of a waiting question; nil if the
// settings disable it. It draws nothing on the terminal. The log may be nil.
func Notifier(v settings.Values, getenv func(string) string, log *slog.Logger) func(context.Context, desk.Record) {
	desktop := v.Desktop == "auto"
	if !desktop && len(v.NotifyCommand) == 0 {
		return nil
	}
	return notify.Options{Desktop: desktop, Command: v.NotifyCommand, Reminder: v.Remind, Getenv: getenv, Log: log}.Notify
}

// signals returns a context that ends with a signal. A host sends SIGTERM when the dialog
// was closed.
func signals() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a host that has gone is a write error
	go func() {
		if <-got == syscall.SIGTERM {
			cancel(mirror.ErrClosed)
		} else {
			cancel(mirror.ErrGone)
		}
	}()
	return ctx
}
