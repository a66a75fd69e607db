package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/local"
	"mcp-askuser/internal/proc"
	"mcp-askuser/mirror"
)

// hook is what hosts run for each event of their own dialogs.
func (a *app) hook() *cobra.Command {
	var limit uint32
	var permissions bool
	cmd := &cobra.Command{
		Use:       "hook HOST",
		Short:     "Mirror the questions that a host asks in its own dialog",
		Example:   "  mcp-askuser hook claude-code < event.json",
		ValidArgs: mirror.Names(),
		Hidden:    true, // for hosts to call
		RunE: func(cmd *cobra.Command, args []string) error {
			host, ok := mirror.ByName(args[0])
			if !ok {
				return fmt.Errorf("%q is no host whose questions can be mirrored; these are: %s", args[0],
					strings.Join(mirror.Names(), ", "))
			}
			a.runHook(cmd.Context(), mirror.Options{Host: host, Limit: time.Duration(limit) * time.Second,
				Permissions: permissions})
			return nil
		},
	}
	cmd.Flags().Uint32Var(&limit, "limit", uint32(mirror.DefaultLimit/time.Second), "how many `seconds` the host waits")
	cmd.Flags().BoolVar(&permissions, "permissions", false, "mirror the permissions that the host asks for, too")
	return cmd
}

// runHook mirrors the event on standard input. It does not report failures: the host has its
// own dialog.
func (a *app) runHook(ctx context.Context, o mirror.Options) {
	if a.config.Err() != nil {
		return // the place of the store may be wrong
	}
	a.log = slog.New(slog.DiscardHandler) // the host shows what is on standard error
	dir, err := local.DefaultDir(a.environ())
	if err != nil {
		return
	}
	o.Desk, err = a.openDesk(dir, desk.Options{Keep: a.settings().Keep})
	if err != nil {
		return
	}
	o.In, o.Out, o.Getenv, o.Timeout = os.Stdin, os.Stdout, a.environ(), a.settings().Timeout
	here := a.notifierHere()
	o.Notify = here
	setup, err := a.readPhone()
	if err == nil && setup != nil {
		o.Notify = func(ctx context.Context, rec desk.Record) {
			a.startPhone(rec.ID)
			here(ctx, rec)
		}
	}
	mirror.Run(hookContext(untilUnread(ctx, os.Stdout)), o) // a host that was killed reads no more
}

// startPhone has another process put a question on the phone until it ends: the host waits
// for the end of this one.
func (a *app) startPhone(id string) {
	path, err := proc.Self()
	if err != nil {
		return
	}
	cmd := exec.Command(path, a.showOnPhone(id)...) //nolint:gosec,noctx // ours, and it outlives this process
	err = cmd.Start()
	if err == nil {
		go func() { _ = cmd.Wait() }()
	}
}

// showOnPhone has the other process find the desk where this one does.
func (a *app) showOnPhone(id string) []string {
	return append([]string{"phone", "show", id}, a.deskFlags(settings.FromFlag)...)
}

// hookContext ends with why the host has no use for the hook any more. A host sends SIGTERM
// when the dialog was closed.
func hookContext(ctx context.Context) context.Context {
	ended, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		sig, ok := errors.AsType[*signalError](context.Cause(ctx))
		if ok && sig.Signal == syscall.SIGTERM {
			cancel(mirror.ErrClosed)
		} else {
			cancel(mirror.ErrGone)
		}
	})
	return ended
}
