package main

import (
	"context"
	"sync"

	"github.com/spf13/cobra"

	"mcp-askuser/cmd/mcp-askuser/hooked"
	"mcp-askuser/desk"
	"mcp-askuser/internal/keyfile"
	"mcp-askuser/ui/ntfy"
	"mcp-askuser/ui/words"
)

// phone is the user's phone; nil where the settings name none, or it cannot be used. That
// is logged: no question fails for it.
func (a *app) phone(d *desk.Desk) *ntfy.Phone {
	if a.settings().NtfyTopic == "" {
		return nil
	}
	p, err := a.openPhone(d)
	if err != nil {
		a.log.Warn("no question reaches the phone", "error", err)
		return nil
	}
	return p
}

func (a *app) openPhone(d *desk.Desk) (*ntfy.Phone, error) {
	path, err := a.storeFile("phone.key")
	if err != nil {
		return nil, err
	}
	if err := keyfile.Make(path); err != nil {
		return nil, err
	}
	key, _ := keyfile.Read(path)
	s := a.settings()
	return ntfy.New(ntfy.Options{
		Server: s.NtfyServer, Topic: s.NtfyTopic, Token: s.NtfyToken, ButtonToken: s.NtfyButtonToken,
		Text: ntfy.Text(s.NtfyText), Page: s.NtfyPage, Key: key, Desk: d, Log: a.log,
	})
}

// notifier tells the user, here and on the phone, that a question waits; nil disables
// notification.
func (a *app) notifier(d *desk.Desk) func(context.Context, desk.Record) {
	here := hooked.Notifier(a.config.Values, a.getenv, a.log)
	if a.settings().NtfyTopic == "" {
		return here
	}
	phone := sync.OnceValue(func() *ntfy.Phone { return a.phone(d) }) // when the first question is asked
	return func(ctx context.Context, rec desk.Record) {
		var notified sync.WaitGroup
		if p := phone(); p != nil {
			notified.Go(func() { p.Notify(ctx, rec) })
		}
		if here != nil {
			here(ctx, rec)
		}
		notified.Wait()
	}
}

// listenToPhone takes answers from the phone until stop is called, also to questions
// whose agents have gone.
func (a *app) listenToPhone(d *desk.Desk) (stop func()) {
	if p := a.phone(d); p != nil {
		return p.Listen()
	}
	return func() {}
}

// phoneCommand puts a question on the phone until it ends. The small program of the hooks
// runs it, as it has no HTTP client.
func (a *app) phoneCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "phone ID", Short: "Put a question on the phone until it ends", Hidden: true}
	return a.withRecord(cmd, false, func(ctx context.Context, d *desk.Desk, rec desk.Record) error {
		p := a.phone(d)
		if p == nil || rec.Outcome != nil {
			return nil
		}
		open, end := context.WithCancel(ctx)
		defer end()
		var notified sync.WaitGroup
		notified.Go(func() { p.Notify(open, rec) })
		_, err := d.Wait(ctx, rec.ID)
		end()
		notified.Wait()
		return err
	})
}

func (a *app) examinePhone(ctx context.Context, d *desk.Desk) finding {
	f := finding{Name: a.settings().NtfyTopic, State: stateOK}
	p, err := a.openPhone(d)
	if err != nil {
		return f.wrong(words.Local.Error(err), correctSettings())
	}
	if err := p.Readable(ctx); err != nil {
		return f.wrong(words.T("answers do not arrive: %v", words.Local.Error(err)), words.T("give ntfy_token the right to read and write the topics %s and %s", f.Name, p.ReplyTopic()))
	}
	if p.Text != ntfy.TextFull {
		f.Text = words.T("questions are announced there, without buttons: they need ntfy_text = \"full\"")
		return f
	}
	writeOnly := words.T("set ntfy_button_token to a token that may only write to the topic %s", p.ReplyTopic())
	if err := p.TryPress(ctx); err != nil {
		return f.wrong(words.T("a press of a button would fail: %v", words.Local.Error(err)), writeOnly)
	}
	if p.Exposed(ctx) {
		return f.wrong(words.T("ntfy_button_token may read your questions; readers of the topic can take it from a button"), writeOnly)
	}
	f.Text = words.T("shows questions, and takes a press of a button")
	return f
}
