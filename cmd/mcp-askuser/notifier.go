package main

import (
	"context"
	"log/slog"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/ui/notify"
)

// notifier tells the human that a question waits, as the settings say. Nothing
// is drawn on the terminal: it belongs to the host, or has the form on it.
func (a *app) notifier(s settings.Values, log *slog.Logger) func(context.Context, desk.Record) {
	if !s.Desktop && len(s.NotifyCommand) == 0 {
		return nil
	}
	return notify.New(notify.Options{
		Desktop:  s.Desktop,
		Command:  s.NotifyCommand,
		Reminder: s.Remind,
		Getenv:   a.getenv,
		Log:      log,
	}).Notify
}
