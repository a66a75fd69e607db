package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/local"
	"mcp-askuser/tools/askuser"
	"mcp-askuser/ui"
	"mcp-askuser/ui/pane"
	"mcp-askuser/ui/tty"
	"mcp-askuser/ui/web"
)

// autoOrder is the order of surfaces that auto means.
func autoOrder() []string { return []string{"elicit", "tty", "pane", "inbox", "web"} }

// onTerminal reports whether a surface is on the asker's own terminal.
func onTerminal(name string) bool { return name == "tty" || name == "pane" || name == "plain" }

// checkRemote refuses surfaces on a terminal, for askers on other machines: no terminal
// here is theirs.
func checkRemote(names []string) error {
	terminals := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !onTerminal(name) })
	if len(terminals) == 0 {
		return nil
	}
	return fmt.Errorf("--surface cannot be %s with --http: agents on other machines have no terminal here; take auto, "+
		"or some of elicit, inbox, web", strings.Join(terminals, ", "))
}

// surfaces makes the surfaces that the settings name. The caller must close page.
// Interrupted is as in present.Question. Beside is a pane in tmux, to be tried before a
// client's form; nil if the user has named an order.
func (a *app) surfaces(d *desk.Desk, page *web.Surface, interrupted desk.Status) (all []ui.Surface, beside ui.Surface) {
	s, getenv := a.settings(), a.environ()
	terminal := tty.Options{Getenv: getenv, Desk: d, Lock: a.terminalLock, Opened: a.opened, Interrupted: interrupted}
	byName := map[string]ui.Surface{
		"elicit": askuser.Elicit(),
		"tty":    tty.New(terminal),
		"pane":   pane.New(getenv, a.places()...),
		"web":    page,
		"plain":  tty.NewPlain(terminal),
	}
	guarded := func(surface ui.Surface) ui.Surface {
		if s.Desk == "" && surface.Name() == "web" { // the page is the user's, and can sign
			return surface
		}
		return permitted{surface, d}
	}
	for _, name := range s.Surfaces {
		names := []string{name}
		auto := name == "auto"
		if auto {
			names = autoOrder()
		}
		for _, name := range names {
			switch {
			case auto && name == "inbox":
				all = append(all, ui.OpenElsewhere(d))
			case name == "inbox": // a user who names it looks there
				all = append(all, ui.Elsewhere())
			case !a.remote || !onTerminal(name):
				all = append(all, guarded(byName[name]))
			}
		}
	}
	if !a.remote && slices.Contains(s.Surfaces, "auto") {
		beside = guarded(byName["pane"])
	}
	return all, beside
}

// places are the variables, NAME=value, that name the store and the configuration file of
// this process to another one.
func (a *app) places() []string {
	dir, _ := local.DefaultDir(a.environ()) // opening the store reports the error
	file := os.DevNull
	if a.config.Found {
		file = a.config.File
	}
	return []string{local.EnvDir + "=" + dir, settings.EnvFile + "=" + file}
}

// permitted is a surface that shows nothing where the desk would refuse its answer: an
// agent's credential may only ask, and a confirmation takes no answer from a terminal
// that an agent opened.
type permitted struct {
	ui.Surface
	desk *desk.Desk
}

func (p permitted) Show(ctx context.Context, rec desk.Record, commit ui.Commit) error {
	if err := p.desk.MayAnswer(ctx, rec, p.evidence()); err != nil {
		return ui.Unavailablef("%v", err)
	}
	if onTerminal(p.Name()) && p.desk.RequiresProof(&rec) {
		return ui.Unavailablef("the answer must be signed, which a terminal cannot do")
	}
	return p.Surface.Show(ctx, rec, commit)
}

// evidence is the evidence of a reply on this surface. That of a pane, which is a process
// of its own, is not known yet.
func (p permitted) evidence() desk.Evidence {
	if p.Name() == "pane" {
		return desk.Evidence{}
	}
	return ui.Evidence(p.Name(), true)
}

// Check implements ui.Checker.
func (p permitted) Check(ctx context.Context) error {
	if err := p.desk.MayAnswer(ctx, desk.Record{}, p.evidence()); err != nil {
		return err
	}
	return check(ctx, p.Surface)
}

// check returns why a surface would not reach the user now.
func check(ctx context.Context, surface ui.Surface) error {
	if checker, ok := surface.(ui.Checker); ok {
		return checker.Check(ctx)
	}
	return errors.New("the client's own form, where the client has one")
}
