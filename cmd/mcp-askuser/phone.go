package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/internal/keyfile"
	"mcp-askuser/internal/wholefile"
	"mcp-askuser/ui/notify"
	"mcp-askuser/ui/ntfy"
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

// openPhone opens the phone of the settings. Its buttons answer in the user's name, so the
// user must have set it up: a program that an agent starts has the agent's variables.
func (a *app) openPhone(d *desk.Desk) (*ntfy.Phone, error) {
	path, err := a.phoneKey()
	if err != nil {
		return nil, err
	}
	s := a.settings()
	key, ok := keyfile.Read(path)
	if !ok {
		return nil, fmt.Errorf("the phone is not set up for the topic %s of %s", s.NtfyTopic, s.NtfyServer)
	}
	host, _ := os.Hostname() // without one the hint names none
	return ntfy.New(ntfy.Options{
		Server: s.NtfyServer, Topic: s.NtfyTopic, Token: s.NtfyToken, ButtonToken: s.NtfyButtonToken,
		Text: ntfy.Text(s.NtfyText), Page: a.reachablePage, Host: host, Key: key, Desk: d, Log: a.log,
	})
}

// phoneKey is the path of the key that signs answers through one topic of one server. Only
// phone setup makes it.
func (a *app) phoneKey() (string, error) {
	sum := sha256.Sum256([]byte(a.settings().NtfyServer + " " + a.settings().NtfyTopic))
	return a.storeFile(fmt.Sprintf("phone-%x.key", sum[:16]))
}

// publishPage keeps the address of a page that other devices reach, without its token, in
// a file until withdraw is called.
func (a *app) publishPage(address string) (withdraw func()) {
	address, _, _ = strings.Cut(address, "?")
	path, err := a.storeFile(pageFile)
	if err == nil {
		err = wholefile.Put(path, []byte(address), 0o600, os.Rename)
	}
	if err != nil {
		a.log.Warn("notifications on the phone do not open the page", "error", err)
	}
	return func() {
		if now, _ := os.ReadFile(path); string(now) == address { // another page may run
			_ = os.Remove(path)
		}
	}
}

// pageFile is in the directory of the store.
const pageFile = "page.address"

// reachablePage returns the address of the page for the phone: that of the settings, else
// that of a page that listens beyond this machine with a certificate; empty for none. A
// process that was killed leaves its address behind, so the page is dialed.
func (a *app) reachablePage() string {
	if page := a.settings().NtfyPage; page != "" {
		return page
	}
	path, _ := a.storeFile(pageFile)
	data, _ := os.ReadFile(path)
	page, err := url.Parse(string(data))
	if err != nil || page.Host == "" {
		return ""
	}
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(context.Background(), "tcp", page.Host)
	if err != nil {
		return ""
	}
	_ = conn.Close()
	return page.String()
}

// notifierHere tells the user on this machine that a question waits; nil if the settings
// disable it. It draws nothing on the terminal.
func (a *app) notifierHere() func(context.Context, desk.Record) {
	v := a.settings()
	if v.Desktop != "auto" && len(v.NotifyCommand) == 0 {
		return nil
	}
	return notify.Options{Desktop: v.Desktop == "auto", Command: v.NotifyCommand, Reminder: v.Remind, Getenv: a.environ(), Log: a.log}.Notify
}

// notifier tells the user, here and on the phone, that a question waits; nil disables
// notification.
func (a *app) notifier(d *desk.Desk) func(context.Context, desk.Record) {
	here := a.notifierHere()
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

// phoneShow puts a question on the phone until it ends. A hook starts it.
func (a *app) phoneShow() *cobra.Command {
	cmd := &cobra.Command{Use: "show ID", Short: "Put a question on the phone until it ends", Hidden: true}
	return a.withRecord(cmd, false, func(ctx context.Context, d *desk.Desk, rec desk.Record) error {
		if a.settings().NtfyTopic == "" || rec.Outcome != nil {
			return nil
		}
		p, err := a.openPhone(d)
		if err != nil {
			return err
		}
		open, end := context.WithCancel(ctx)
		defer end()
		var notified sync.WaitGroup
		notified.Go(func() { p.Notify(open, rec) })
		_, err = d.Wait(ctx, rec.ID)
		end()
		notified.Wait()
		return err
	})
}

func (a *app) examinePhone(ctx context.Context, d *desk.Desk) finding {
	f := finding{Name: a.settings().NtfyTopic, State: stateOK}
	if f.Name == "" {
		return finding{Name: "ntfy", State: stateUnused, Text: "no phone is set up; mcp-askuser phone setup does it"}
	}
	p, err := a.openPhone(d)
	if err != nil {
		return f.wrong(err.Error(), "mcp-askuser phone setup")
	}
	if err := p.Readable(ctx); err != nil {
		return f.wrong(fmt.Sprintf("answers do not arrive: %v", err.Error()), fmt.Sprintf("give ntfy_token the right to read and write the topics %s and %s", f.Name, p.ReplyTopic()))
	}
	if p.Text != ntfy.TextFull {
		f.Text = "questions are announced there, without buttons: they need ntfy_text = \"full\""
		return f
	}
	writeOnly := fmt.Sprintf("set ntfy_button_token to a token that may only write to the topic %s", p.ReplyTopic())
	if err := p.TryPress(ctx); err != nil {
		return f.wrong(fmt.Sprintf("a press of a button would fail: %v", err.Error()), writeOnly)
	}
	if p.Exposed(ctx) {
		return f.wrong("ntfy_button_token may read your questions; readers of the topic can take it from a button", writeOnly)
	}
	f.Text = "shows questions, and takes a press"
	return f
}
