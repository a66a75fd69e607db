package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mdp/qrterminal/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcp-askuser/internal/keyfile"
	"mcp-askuser/internal/wholefile"
	"mcp-askuser/ui/ntfy"
)

// phoneLimit is how long a test waits for a press.
const phoneLimit = 10 * time.Minute

func (a *app) phoneCommand() *cobra.Command {
	return family("phone", "Answer on your phone, through an ntfy server",
		"  mcp-askuser phone setup\n  mcp-askuser phone test\n  mcp-askuser phone off",
		a.phoneSetup(), a.phoneTest(), a.phoneOff(), a.phoneShow())
}

func (a *app) phoneSetup() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "setup",
		Short:   "Make a topic, keep it, and send a test to your phone",
		Example: "  mcp-askuser phone setup\n  mcp-askuser phone setup --server https://ntfy.example --token tk_1",
	}
	server := cmd.Flags().String("server", "", "the `address` of the ntfy server (default https://ntfy.sh)")
	token := cmd.Flags().String("token", "", "the access `token` that the server wants, if it does")
	private := cmd.Flags().Bool("private", false, "send nothing of a question: only that one waits, without buttons")
	return a.withSettings(cmd, func(cmd *cobra.Command, _ []string) error {
		if !a.byUser() { // a button answers in the user's name
			return errors.New("only you can set up the phone: run this in a terminal of your own")
		}
		setup, err := a.readPhone()
		if err != nil {
			return err
		}
		if setup == nil {
			// 80 random bits, to be typed where no code is scanned
			setup = &phoneSetup{Server: "https://ntfy.sh", Topic: "askuser-" + strings.ToLower(rand.Text()[:16]),
				Key: keyfile.New()}
		}
		last := strings.TrimRight(setup.Server, "/")
		setup.Server = strings.TrimRight(cmp.Or(*server, last), "/")
		if *token != "" || setup.Server != last { // which alone gets to see its token
			setup.Token = *token
		}
		if cmd.Flags().Changed("private") {
			setup.Private = *private
		}
		p, err := a.openPhone(setup, nil)
		if err != nil {
			return err
		}
		fault := checkPhone(cmd.Context(), p)
		if fault != nil && !errors.Is(fault, ntfy.ErrRefused) {
			return fmt.Errorf("nothing was kept: %w", fault)
		}
		err = a.keepPhone(setup)
		if err != nil {
			return err
		}
		a.tell("The phone is set up. Agents that already run use it from their next start.")
		if fault != nil {
			return fault
		}
		return a.tryPhone(cmd.Context(), p, true)
	})
}

// checkPhone says why no answer from the phone would arrive, and in a second line what to do.
func checkPhone(ctx context.Context, p *ntfy.Phone) error {
	err := p.Readable(ctx)
	if errors.Is(err, ntfy.ErrRefused) {
		return fmt.Errorf("%w\nGive phone setup --token a token that may read and write the topics %s and %s. On a server "+
			"of your own: ntfy access USER '%[2]s*' read-write", err, p.Topic, p.ReplyTopic())
	}
	if err != nil {
		return fmt.Errorf("%w\nIs %s an ntfy server, and within reach? phone setup --server names another", err, p.Server)
	}
	if p.Private { // its notifications have no buttons
		return nil
	}
	err = p.TryPress(ctx)
	if err != nil {
		return fmt.Errorf("a press of a button would fail: %w\nLet everyone write to the topic %[2]s. On a server of your "+
			"own: ntfy access everyone '%[2]s' write-only", err, p.ReplyTopic())
	}
	return nil
}

func (a *app) keepPhone(setup *phoneSetup) error {
	path, err := a.storeFile(phoneFile)
	if err != nil {
		return err
	}
	data, err := json.Marshal(setup)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = wholefile.Put(path, data, 0o600, os.Rename)
	}
	return err
}

func (a *app) phoneTest() *cobra.Command {
	cmd := &cobra.Command{Use: "test", Short: "Send a test to your phone and wait for its button",
		Example: "  mcp-askuser phone test"}
	return a.withSettings(cmd, func(cmd *cobra.Command, _ []string) error {
		p, err := a.loadPhone(nil)
		if err == nil && p == nil {
			return errors.New("no phone is set up; mcp-askuser phone setup does it")
		}
		if err == nil {
			err = checkPhone(cmd.Context(), p)
		}
		if err != nil {
			return err
		}
		return a.tryPhone(cmd.Context(), p, false)
	})
}

func (a *app) phoneOff() *cobra.Command {
	cmd := &cobra.Command{Use: "off", Short: "Remove what phone setup has kept", Example: "  mcp-askuser phone off"}
	return a.withSettings(cmd, func(*cobra.Command, []string) error {
		path, err := a.storeFile(phoneFile)
		if err != nil {
			return err
		}
		err = os.Remove(path)
		if errors.Is(err, fs.ErrNotExist) {
			a.tell("No phone is set up.")
			return nil
		}
		if err == nil {
			a.tell("The phone is off. Agents that already run use it until they end. In the app, unsubscribe from the topic.")
		}
		return err
	})
}

// tryPhone sends a test to the phone and waits for a press of its button. With subscribe it
// shows how the app gets the test: the server keeps that for a while.
func (a *app) tryPhone(ctx context.Context, p *ntfy.Phone, subscribe bool) error {
	sent := time.Now()
	id, err := p.SendTest(ctx)
	if err != nil {
		return err
	}
	a.tellf(`The test was sent. Press its button on the phone; it may appear only when you
expand the notification. If none arrives: the app must be subscribed to %s
at %s. mcp-askuser phone test sends another; Ctrl+C ends.`, p.Topic, p.Server)
	if subscribe {
		a.showTopic(p) // last, as the code needs most of the screen
	}
	ctx, stop := context.WithTimeoutCause(ctx, phoneLimit, &exitError{exitTimeout,
		fmt.Errorf("no press has arrived within %s", phoneLimit)})
	defer stop()
	err = p.AwaitTest(ctx, id)
	if err == nil {
		a.tellf("The press arrived, %s after the test.", time.Since(sent).Round(time.Second))
	}
	return err
}

// showTopic shows how the app subscribes to the topic: the link, and on a terminal a QR code.
func (a *app) showTopic(p *ntfy.Phone) {
	what := "each question with its details; --private sends none"
	if p.Private {
		what = "that a question waits, and no more"
	}
	a.tellf("%s gets to know %s.", p.Server, what)
	a.tell("On the phone, install the app ntfy (Google Play, F-Droid or App Store).")
	fmt.Fprintln(a.out, p.Link())
	screen, ok := a.err.(*os.File)
	if ok && term.IsTerminal(int(screen.Fd())) && !a.settings().Accessible {
		qrterminal.GenerateHalfBlock(p.Link(), qrterminal.L, screen)
	}
	a.tellf("Android: scan the code with the camera, or open the link. iPhone: in the app,\nadd the topic %s "+
		"(server %s).", p.Topic, p.Server)
}
