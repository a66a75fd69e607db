package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/tools/askuser"
	"mcp-askuser/ui"
	"mcp-askuser/ui/pane"
	"mcp-askuser/ui/tty"
	"mcp-askuser/ui/web"
	"mcp-askuser/ui/words"
)

// autoOrder is the order of surfaces that auto means.
func autoOrder() []string { return []string{"elicit", "tty", "pane", "inbox", "web"} }

// onTerminal reports whether a surface is on the asker's own terminal, which must
// be of this machine.
func onTerminal(name string) bool { return name == "tty" || name == "pane" || name == "plain" }

// checkRemote refuses surfaces that the settings name, for askers on other
// machines: no terminal here is theirs.
func checkRemote(names []string) error {
	terminals := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !onTerminal(name) })
	if len(terminals) == 0 {
		return nil
	}
	return fmt.Errorf(words.T("the surface cannot be %s with --http: agents on other machines have no terminal here; take auto, or some of elicit, inbox, web"), strings.Join(terminals, ", "))
}

// surfaces makes the surfaces that the settings name. The page is theirs to
// start and the caller's to close; interrupted is as in present.Question. Whole
// is the one for what a client's form would cut: a pane beside a quiet keyboard,
// nil where the user has named an order.
func (a *app) surfaces(d *desk.Desk, page *web.Surface, interrupted desk.Status) (all []ui.Surface, whole ui.Surface) {
	s, getenv := a.settings(), a.environ()
	terminal := tty.Options{Getenv: getenv, Desk: d, Turn: a.turn, Opened: a.opened, Interrupted: interrupted}
	// By the name that the setting surface, records and results have. What people
	// call them is in ui/words.
	made := map[string]ui.Surface{
		"elicit": askuser.Elicit(),
		"tty":    tty.New(terminal),
		"pane":   pane.New(getenv),
		"web":    page,
		"plain":  tty.NewPlain(terminal),
	}
	guarded := func(surface ui.Surface) ui.Surface {
		if s.Desk == "" {
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
			case name == "inbox": // who names it looks there
				all = append(all, ui.Elsewhere())
			case !a.remote || !onTerminal(name):
				all = append(all, guarded(made[name]))
			}
		}
	}
	beside, ok := made["pane"].(interface{ Quietly() ui.Surface })
	if ok && !a.remote && slices.Contains(s.Surfaces, "auto") {
		whole = guarded(beside.Quietly())
	}
	return all, whole
}

// permitted is a surface that is not tried where an answer on it would be refused: on
// a shared desk an agent's credential permits it to ask, and no more; a confirmation
// takes no answer from a terminal that an agent opened.
type permitted struct {
	ui.Surface
	desk *desk.Desk
}

func (e permitted) Show(ctx context.Context, rec desk.Record, commit ui.Commit) error {
	if err := e.desk.MayAnswer(ctx, rec, e.evidence()); err != nil {
		return ui.Unavailablef("%v", err)
	}
	return e.Surface.Show(ctx, rec, commit)
}

// evidence is what a reply on this surface would prove. A pane has a process of its
// own, which is not known yet.
func (e permitted) evidence() desk.Evidence {
	if e.Name() == "pane" {
		return desk.Evidence{}
	}
	return ui.Evidence(e.Name(), true)
}

// Check implements ui.Checker.
func (e permitted) Check(ctx context.Context) error {
	if err := e.desk.MayAnswer(ctx, desk.Record{}, e.evidence()); err != nil {
		return err
	}
	return check(ctx, e.Surface)
}

// check says why a surface would not reach the human now.
func check(ctx context.Context, surface ui.Surface) error {
	if checker, ok := surface.(ui.Checker); ok {
		return checker.Check(ctx)
	}
	return errors.New(words.Mark("the client's own form, where the client has one"))
}
