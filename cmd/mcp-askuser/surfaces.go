package main

import (
	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/spool"
	"mcp-askuser/tools/askuser"
	"mcp-askuser/ui"
	"mcp-askuser/ui/pane"
	"mcp-askuser/ui/tty"
	"mcp-askuser/ui/web"
)

// surfaceNames are what the setting surface takes beside auto.
var surfaceNames = [...]string{"elicit", "tty", "pane", "inbox", "web", "plain"}

// surfaces turns the names in the settings into surfaces; auto is the chain of
// DESIGN.md. The page is theirs to start and the caller's to close.
func (a *app) surfaces(s settings.Values, d *desk.Desk, page *web.Surface) []ui.Surface {
	getenv := a.environ(s)
	terminal := tty.Options{Getenv: getenv, Desk: d, Turn: tty.NewTurn()}
	newPane := func() ui.Surface { return pane.New(pane.Options{Getenv: getenv, Dir: getenv(spool.EnvDir)}) }
	var out []ui.Surface
	for _, name := range s.Surfaces {
		switch name {
		case "auto":
			out = append(out, askuser.Elicit(), tty.New(terminal), newPane(), ui.OpenElsewhere(d), page)
		case "elicit":
			out = append(out, askuser.Elicit())
		case "tty":
			out = append(out, tty.New(terminal))
		case "plain":
			out = append(out, tty.NewPlain(terminal))
		case "pane":
			out = append(out, newPane())
		case "inbox":
			out = append(out, ui.Elsewhere())
		case "web":
			out = append(out, page)
		}
	}
	return out
}
