package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mdp/qrterminal/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/install/edit"
	"mcp-askuser/internal/keyfile"
	"mcp-askuser/internal/plainjson"
	"mcp-askuser/ui"
	"mcp-askuser/ui/ntfy"
)

const (
	// phoneHead begins the lines that phone setup writes into the configuration file. They
	// are the first of the file, and end with an empty line.
	phoneHead = "# Written by mcp-askuser phone setup; mcp-askuser phone off removes these lines."
	// phoneHint is how long a test waits for a press before it says what to check.
	phoneHint = 30 * time.Second
	// phoneLimit is how long a test waits for a press.
	phoneLimit = 10 * time.Minute
)

func (a *app) phoneCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "phone",
		Short:   "Answer on your phone, through an ntfy server",
		Example: "  mcp-askuser phone setup\n  mcp-askuser phone test\n  mcp-askuser phone off",
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.phoneSetup(), a.phoneTest(), a.phoneOff(), a.phoneShow())
	return cmd
}

func (a *app) phoneSetup() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "setup",
		Short:   "Make a topic, save it, and send a test to your phone",
		Example: "  mcp-askuser phone setup\n  mcp-askuser phone setup --server https://ntfy.example --text header",
	}
	cmd.Flags().String("server", "", "the `address` of the ntfy server (default https://ntfy.sh)")
	cmd.Flags().String("token", "", "the access `token` that the server wants, if it does")
	cmd.Flags().String("button-token", "", "an access `token` that may only write to the topic of the answers")
	wordFlag(cmd, "text", "full", "the `text` that the server gets to store of a question: none, header or full", "none", "header", "full")
	return a.withSettings(cmd, func(cmd *cobra.Command, _ []string) error {
		if !a.byUser() { // a button answers in the user's name
			return errors.New("only you can set up the phone: run this in a terminal of your own")
		}
		ctx := cmd.Context()
		p, written, err := a.savePhone(ctx, cmd)
		if err != nil {
			return err
		}
		if len(written) > 0 {
			a.tell(fmt.Sprintf("Written to %s: %s.", a.config.File, strings.Join(written, ", ")))
			a.tell("Agents that already run use the phone from their next start.")
		}
		if err := p.Readable(ctx); err != nil {
			return fmt.Errorf("%w\nGive --token a token that may read and write the topics %s and %s, then run this again: the topic is kept. On a server of your own: ntfy access USER '%[2]s*' read-write", err, p.Topic, p.ReplyTopic())
		}
		return a.tryPhone(ctx, p, true)
	})
}

func (a *app) phoneTest() *cobra.Command {
	cmd := &cobra.Command{Use: "test", Short: "Send a test to your phone and wait for its button", Example: "  mcp-askuser phone test"}
	return a.withSettings(cmd, func(cmd *cobra.Command, _ []string) error {
		if a.settings().NtfyTopic == "" {
			return errors.New("no phone is set up; mcp-askuser phone setup does it")
		}
		p, err := a.openPhone(nil)
		if err == nil {
			err = p.Readable(cmd.Context())
		}
		if err != nil {
			return fmt.Errorf("%w; mcp-askuser doctor says more", err)
		}
		return a.tryPhone(cmd.Context(), p, false)
	})
}

func (a *app) phoneOff() *cobra.Command {
	cmd := &cobra.Command{Use: "off", Short: "Remove what phone setup has written", Example: "  mcp-askuser phone off"}
	return a.withSettings(cmd, func(*cobra.Command, []string) error {
		key, err := a.phoneKey()
		if err != nil {
			return err
		}
		c, err := edit.Read(a.config.File)
		if err != nil {
			return err
		}
		block, rest := splitPhone(c.Before)
		if block == nil && a.settings().NtfyTopic == "" {
			a.tell("No phone is set up.")
			return nil
		}
		if block != nil {
			if err := a.replaceConfig(c, rest); err != nil {
				return err
			}
			a.tell(fmt.Sprintf("The settings of the phone were removed from %s. Agents that already run use them until they end.", a.config.File))
			a.config = settings.Load(a.getenv)
		}
		if a.settings().NtfyTopic != "" {
			return fmt.Errorf("the phone is still on: ntfy_topic is set by %s; remove it there", a.config.Source("ntfy_topic"))
		}
		a.tell("In the app, unsubscribe from the topic.")
		if err := os.Remove(key); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	})
}

// replaceConfig replaces the content of the configuration file, with no content the file.
func (a *app) replaceConfig(c edit.Change, after []byte) error {
	c.After, c.Root = after, filepath.Dir(filepath.Dir(c.Path))
	if len(after) == 0 {
		c.After = nil
	}
	c.Ours = func([]byte) bool { return c.After != nil } // no backup: off restores the bytes
	return c.Apply()
}

// splitPhone returns the lines that phone setup has written, nil for none, and the rest of
// the file.
func splitPhone(data []byte) (block, rest []byte) {
	lines := regexp.MustCompile(regexp.QuoteMeta(phoneHead) + `.*\n?(ntfy_.*\n?)*([ \t\r]*\n)?`)
	return lines.Find(data), lines.ReplaceAll(data, nil)
}

// savePhone chooses the settings of the phone, from flags, what is set already and
// defaults, and writes those that are not set elsewhere. It writes nothing where the
// server cannot be reached.
func (a *app) savePhone(ctx context.Context, cmd *cobra.Command) (p *ntfy.Phone, written []string, err error) {
	if a.config.File == "" {
		return nil, nil, fmt.Errorf("there is no place for the configuration file; set HOME, or %s", settings.EnvFile)
	}
	c, err := edit.Read(a.config.File)
	if err != nil {
		return nil, nil, err
	}
	block, rest := splitPhone(c.Before)
	lines, written, err := a.phoneLines(cmd, block, rest)
	if err != nil {
		return nil, nil, err
	}
	key, err := a.phoneKey()
	if err != nil {
		return nil, nil, err
	}
	if _, known := keyfile.Read(key); !known {
		if err := keyfile.Make(key); err != nil {
			return nil, nil, err
		}
		defer func() {
			if err != nil {
				_ = os.Remove(key)
			}
		}()
	}
	if p, err = a.openPhone(nil); err != nil {
		return nil, nil, err
	}
	if err := p.Readable(ctx); err != nil && !errors.Is(err, ntfy.ErrRefused) {
		return nil, nil, fmt.Errorf("%w\nNothing was written. Is %s an ntfy server, and within reach? --server names another", err, p.Server)
	}
	if len(written) == 0 {
		return p, nil, nil
	}
	mark := 0
	if bytes.HasPrefix(rest, []byte("\ufeff")) {
		mark = len("\ufeff")
	}
	after := string(rest[:mark]) + phoneHead + "\n" + lines + "\n"
	if bytes.Contains(rest, []byte("\r\n")) {
		after = strings.ReplaceAll(after, "\n", "\r\n")
	}
	return p, written, a.replaceConfig(c, append([]byte(after), rest[mark:]...))
}

// phoneLines returns the lines of the settings that phone setup writes, and their keys. It
// sets these settings for this process, too. Block is what setup has written before, rest
// is the rest of the file: what that sets, or a variable, is kept.
func (a *app) phoneLines(cmd *cobra.Command, block, rest []byte) (lines string, written []string, err error) {
	v := a.settings()
	for _, s := range []struct {
		key, flag, fallback string
		value               *string
	}{
		{"ntfy_topic", "", "askuser-" + strings.ToLower(rand.Text()[:16]), &v.NtfyTopic}, // 80 random bits, to be typed where no code is scanned
		{"ntfy_server", "server", "", &v.NtfyServer},
		{"ntfy_token", "token", "", &v.NtfyToken},
		{"ntfy_button_token", "button-token", "", &v.NtfyButtonToken},
		{"ntfy_text", "text", "full", &v.NtfyText},
	} {
		given := ""
		if f := cmd.Flag(s.flag); f != nil && f.Changed {
			given = f.Value.String()
		}
		_, own, _ := edit.TOML.Get(rest, s.key)
		old, _, _ := edit.TOML.Get(block, s.key)
		value, _ := old.(string)
		switch source := a.config.Source(s.key); {
		case !own && !a.config.FromEnvironment(s.key):
			value = cmp.Or(given, value, s.fallback)
			*s.value = cmp.Or(value, *s.value)
		case given != "" && given != *s.value:
			return "", nil, fmt.Errorf("%s is set by %s; change it there, or leave out --%s", s.key, source, s.flag)
		default:
			a.tell(fmt.Sprintf("Kept: %s, set by %s.", s.key, source))
		}
		if value == "" {
			continue
		}
		text, err := plainjson.Marshal(value)
		if err != nil {
			return "", nil, err
		}
		lines += fmt.Sprintf("%s = %s\n", s.key, text)
		if value != old {
			written = append(written, s.key)
		}
	}
	return lines, written, nil
}

// tryPhone sends a test to the phone and waits for a press of its button. With subscribe
// the user starts it. In a terminal Enter sends it again.
func (a *app) tryPhone(ctx context.Context, p *ntfy.Phone, subscribe bool) (err error) {
	defer func() {
		if errors.Is(err, ui.ErrInterrupted) {
			a.tell("The phone stays set up; mcp-askuser phone test sends a test.")
		}
	}()
	t := p.NewTest()
	var enter chan struct{} // each line of the terminal; closed at its end
	if term.IsTerminal(int(a.in.Fd())) {
		enter = make(chan struct{})
		go func() {
			defer close(enter)
			for lines := bufio.NewScanner(a.in); lines.Scan(); {
				enter <- struct{}{}
			}
		}()
	}
	if subscribe {
		a.showTopic(p)
		a.tell("When the app shows the topic, press Enter to send a test; Ctrl+C sends none.")
		select {
		case _, more := <-enter:
			if !more {
				return ui.ErrInterrupted
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if button, err := a.sendTest(ctx, p, t); !button {
		return err
	}
	sent := time.Now()
	ctx, stop := context.WithTimeoutCause(ctx, phoneLimit, &exitError{exitTimeout, fmt.Errorf("no press has arrived within %s", phoneLimit)})
	defer stop()
	pressed := make(chan error, 1)
	go func() { pressed <- t.Wait(ctx) }()
	late := time.After(phoneHint)
	for {
		select {
		case err := <-pressed:
			if err == nil {
				a.tell(fmt.Sprintf("The press arrived, %s after the test.", time.Since(sent).Round(time.Second)))
			}
			return err
		case <-late:
			a.tell(fmt.Sprintf(`No press has arrived yet. Check on the phone that
- it reaches %[1]s,
- the app is subscribed to the topic %[2]s of this server,
- it may show the app's notifications; the button may appear only when you expand one.
Enter sends the test again; Ctrl+C ends.`, p.Server, p.Topic))
		case _, more := <-enter:
			if !more {
				return ui.ErrInterrupted
			}
			if _, err := a.sendTest(ctx, p, t); err != nil {
				return err
			}
		}
	}
}

// sendTest reports whether the test has a button. It has none where the server would refuse
// a press, which is an error where questions need buttons.
func (a *app) sendTest(ctx context.Context, p *ntfy.Phone, t ntfy.Test) (button bool, err error) {
	err = t.Send(ctx)
	refused := errors.Is(err, ntfy.ErrRefused)
	switch {
	case refused && p.Text == ntfy.TextFull:
		return false, fmt.Errorf("%w\nThe test was sent without a button. Set ntfy_button_token (--button-token) to a token that may only write to the topic %s. On a server of your own: ntfy access USER '%[2]s' write-only", err, p.ReplyTopic())
	case refused:
		a.tell(fmt.Sprintf("The test was sent, without a button: questions have none either (ntfy_text = %q).", p.Text))
		return false, nil
	case err != nil:
		return false, err
	}
	a.tell("The test was sent. Press its button on the phone.")
	return true, nil
}

// showTopic shows how the app subscribes to the topic: the link, and on a terminal that
// has room for it a QR code.
func (a *app) showTopic(p *ntfy.Phone) {
	a.tell(fmt.Sprintf(map[ntfy.Text]string{
		ntfy.TextNone:   "%s gets to know that a question waits, and no more (ntfy_text = \"none\").",
		ntfy.TextHeader: "%s gets to read each question's short label and who asks (ntfy_text = \"header\").",
		ntfy.TextFull:   "%s gets to read each question with its details (ntfy_text = \"full\").",
	}[p.Text], p.Server))
	a.tell("On the phone, install the app ntfy (Google Play, F-Droid or App Store).")
	fmt.Fprintln(a.out, p.Link())
	var code strings.Builder
	qrterminal.GenerateWithConfig(p.Link(), qrterminal.Config{
		Level: qrterminal.L, Writer: &code, HalfBlocks: true, QuietZone: 2, // so that it has room in 24 lines
		BlackChar: qrterminal.BLACK_BLACK, BlackWhiteChar: qrterminal.BLACK_WHITE, WhiteChar: qrterminal.WHITE_WHITE, WhiteBlackChar: qrterminal.WHITE_BLACK,
	})
	width, _, _ := strings.Cut(code.String(), "\n")
	screen, _ := a.err.(*os.File)
	subscribe := "Android: open the link. iPhone: in the app, add the topic %s\n(server %s)."
	if columns, rows, err := term.GetSize(int(screen.Fd())); err == nil && columns >= utf8.RuneCountInString(width) && rows >= strings.Count(code.String(), "\n")+4 && !a.settings().Accessible {
		fmt.Fprint(a.err, code.String())
		subscribe = "Android: scan the code with the camera, or open the link. iPhone: in the app,\nadd the topic %s (server %s)."
	}
	a.tell(fmt.Sprintf(subscribe, p.Topic, p.Server))
}
