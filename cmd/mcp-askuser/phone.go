package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/internal/smallfile"
	"mcp-askuser/internal/wholefile"
	"mcp-askuser/ui/notify"
	"mcp-askuser/ui/ntfy"
	"mcp-askuser/ui/pane"
)

// phoneFile is in the directory of the store.
const phoneFile = "phone.json"

// phoneSetup is what phone setup keeps. Buttons answer in the user's name, so only the user
// makes it: a program that an agent starts has the agent's variables.
type phoneSetup struct {
	Server  string `json:"server"`
	Topic   string `json:"topic"`
	Token   string `json:"token,omitempty"`
	Private bool   `json:"private,omitempty"`
	Key     []byte `json:"key"` // signs answers
}

// readPhone reads the set-up; nil where there is none.
func (a *app) readPhone() (*phoneSetup, error) {
	path, err := a.storeFile(phoneFile)
	if err != nil {
		return nil, err
	}
	data, err := smallfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	setup := new(phoneSetup)
	if err == nil {
		err = json.Unmarshal(data, setup)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w (mcp-askuser phone off removes it)", path, err)
	}
	return setup, nil
}

// phone is the user's phone; nil where none is set up, or it cannot be used. That is logged:
// no question fails for it.
func (a *app) phone(d *desk.Desk) *ntfy.Phone {
	p, err := a.loadPhone(d)
	if err != nil {
		a.log.Warn("no question reaches the phone", "error", err)
	}
	return p
}

// loadPhone opens the phone that is set up; nil where none is.
func (a *app) loadPhone(d *desk.Desk) (*ntfy.Phone, error) {
	setup, err := a.readPhone()
	if setup == nil {
		return nil, err
	}
	return a.openPhone(setup, d)
}

func (a *app) openPhone(setup *phoneSetup, d *desk.Desk) (*ntfy.Phone, error) {
	host, _ := os.Hostname() // without one the hint names none
	return ntfy.New(ntfy.Options{
		Server: setup.Server, Topic: setup.Topic, Token: setup.Token, Private: setup.Private, Key: setup.Key,
		Page: a.reachablePage, Host: host, Desk: d, Log: a.log,
	})
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

// reachablePage returns the address of a page that listens beyond this machine with a
// certificate; empty for none. A process that was killed leaves its address behind, so the
// page is dialed.
func (a *app) reachablePage() string {
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

// notifierHere tells the user on this machine that a question waits. It draws nothing on the
// terminal.
func (a *app) notifierHere() func(context.Context, desk.Record) {
	v := a.settings()
	o := notify.Options{Command: v.NotifyCommand, Reminder: v.Remind, Getenv: a.environ(), Go: pane.Go, Log: a.log}
	if a.noWait { // this process ends: it neither reminds nor takes a click
		o.Reminder, o.Go = 0, nil
	}
	return o.Notify
}

// notifier tells the user, here and on the phone, that a question waits. The phone's set-up
// is read when the first question is asked.
func (a *app) notifier(d *desk.Desk) func(context.Context, desk.Record) {
	here := a.notifierHere()
	phone := sync.OnceValue(func() *ntfy.Phone { return a.phone(d) })
	return func(ctx context.Context, rec desk.Record) {
		var notified sync.WaitGroup
		p := phone()
		if p != nil {
			notified.Go(func() { p.Notify(ctx, rec) })
		}
		here(ctx, rec)
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
		p := a.phone(d)
		if p == nil || rec.Outcome != nil {
			return nil
		}
		open, end := context.WithCancel(ctx)
		defer end()
		var notified sync.WaitGroup
		notified.Go(func() { p.Notify(open, rec) })
		_, err := d.Await(ctx, rec.ID)
		end()
		notified.Wait()
		return err
	})
}

func (a *app) examinePhone(ctx context.Context, d *desk.Desk) finding {
	f := finding{Name: "ntfy", State: stateOK, Text: "shows questions, and takes a press"}
	p, err := a.loadPhone(d)
	if p == nil && err == nil {
		f.State, f.Text = stateUnused, "no phone is set up; mcp-askuser phone setup does it"
		return f
	}
	if err == nil {
		f.Name = p.Topic
		err = checkPhone(ctx, p)
	}
	if err != nil {
		text, remedy, _ := strings.Cut(err.Error(), "\n")
		return f.wrong(text, cmp.Or(remedy, "mcp-askuser phone setup"))
	}
	return f
}
