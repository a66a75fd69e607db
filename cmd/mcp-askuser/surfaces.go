package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/spool"
	"mcp-askuser/tools/askuser"
	"mcp-askuser/ui"
	"mcp-askuser/ui/pane"
	"mcp-askuser/ui/tty"
	"mcp-askuser/ui/web"
	"mcp-askuser/ui/words"
)

// surfaceRow is a surface: its name, as the setting surface, records and results
// have it, and how it is made. What people call it stands in ui/words.
type surfaceRow struct {
	name     string
	terminal bool // it is on the asker's own terminal, which must be of this machine
	make     func(surfaceParts) ui.Surface
}

func surfaceTable() []surfaceRow {
	return []surfaceRow{
		{"elicit", false, func(surfaceParts) ui.Surface { return askuser.Elicit() }},
		{"tty", true, func(p surfaceParts) ui.Surface { return tty.New(p.terminal) }},
		{"pane", true, func(p surfaceParts) ui.Surface { return pane.New(p.pane) }},
		{"inbox", false, func(p surfaceParts) ui.Surface {
			if p.auto {
				return ui.OpenElsewhere(p.terminal.Desk)
			}
			return ui.Elsewhere() // whoever names it will look there
		}},
		{"web", false, func(p surfaceParts) ui.Surface { return p.page }},
		{"plain", true, func(p surfaceParts) ui.Surface { return tty.NewPlain(p.terminal) }},
	}
}

// autoOrder is the chain that auto stands for: first what shows a question where
// its asker runs.
func autoOrder() []string { return []string{"elicit", "tty", "pane", "inbox", "web"} }

// row is the surface with this name, which the settings know.
func row(name string) surfaceRow {
	table := surfaceTable()
	return table[slices.IndexFunc(table, func(row surfaceRow) bool { return row.name == name })]
}

// checkRemote refuses surfaces that the settings name, for askers on other
// machines: no terminal here is theirs.
func checkRemote(names []string) error {
	var terminals []string
	for _, name := range names {
		if name != "auto" && row(name).terminal {
			terminals = append(terminals, name)
		}
	}
	if terminals == nil {
		return nil
	}
	return fmt.Errorf(words.T("the surface cannot be %s with --http: agents on other machines have no terminal here; take auto, or some of elicit, inbox, web"), strings.Join(terminals, ", "))
}

// surfaceParts is what surfaces are made of.
type surfaceParts struct {
	terminal tty.Options
	pane     pane.Options
	page     *web.Surface
	auto     bool // nobody named it
}

// surfaceNames are what the setting surface takes beside auto.
func surfaceNames() []string {
	var names []string
	for _, row := range surfaceTable() {
		names = append(names, row.name)
	}
	return names
}

// surfaces makes the surfaces that the settings name. The page is theirs to
// start and the caller's to close; interrupted is as in present.Question.
func (a *app) surfaces(s settings.Values, d *desk.Desk, page *web.Surface, interrupted desk.Status) []ui.Surface {
	getenv := a.environ(s)
	parts := surfaceParts{
		terminal: tty.Options{Getenv: getenv, Desk: d, Turn: a.turn, Opened: a.opened, Interrupted: interrupted},
		pane:     pane.Options{Getenv: getenv, Dir: getenv(spool.EnvDir)},
		page:     page,
	}
	var out []ui.Surface
	for _, name := range s.Surfaces {
		names := []string{name}
		if parts.auto = name == "auto"; parts.auto {
			names = autoOrder()
		}
		for _, name := range names {
			row := row(name)
			if a.remote && row.terminal {
				continue
			}
			surface := row.make(parts)
			if s.Desk != "" && name != "inbox" {
				surface = entitled{surface, d}
			}
			out = append(out, surface)
		}
	}
	return out
}

// entitled is a surface on which nobody is asked who could not answer there: on
// a shared desk an agent's credential permits it to ask, and no more.
type entitled struct {
	ui.Surface
	desk *desk.Desk
}

func (e entitled) Show(ctx context.Context, rec desk.Record, commit ui.Commit) error {
	if err := e.desk.MayAnswer(ctx, rec.ID); err != nil {
		return ui.Unavailablef("%v", err)
	}
	return e.Surface.Show(ctx, rec, commit)
}

// Check implements ui.Checker.
func (e entitled) Check(ctx context.Context) error {
	checker, ok := e.Surface.(ui.Checker)
	switch err := e.desk.MayAnswer(ctx, ""); {
	case err != nil:
		return err
	case !ok:
		return errClients
	}
	return checker.Check(ctx)
}

// whole is the surface, among those of auto, for what a client's form would cut:
// a pane beside a quiet keyboard. Nil where the user has named an order.
func whole(s settings.Values, surfaces []ui.Surface) ui.Surface {
	if !slices.Contains(s.Surfaces, "auto") {
		return nil
	}
	for _, x := range surfaces {
		e, guarded := x.(entitled)
		if guarded {
			x = e.Surface
		}
		pane, ok := x.(interface{ Quietly() ui.Surface })
		switch {
		case ok && guarded:
			return entitled{pane.Quietly(), e.desk}
		case ok:
			return pane.Quietly()
		}
	}
	return nil
}
