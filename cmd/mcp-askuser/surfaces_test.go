//go:build unix

package main

import (
	"testing"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/ui/web"
	"mcp-askuser/ui/words"
)

// Every surface can be named, is the one that its name says, and has words;
// auto is an order of them.
func TestSurfaceTable(t *testing.T) {
	a := &app{config: &settings.Settings{}, getenv: func(string) string { return "" }}
	page := web.NewSurface(web.SurfaceOptions{})
	t.Cleanup(page.Close)
	names := settings.Surfaces()
	a.settings().Surfaces = names
	made, _ := a.surfaces(openDesk(t, t.TempDir()), page, "")
	for i, name := range names {
		if words.English.Surface(name) == "on "+name {
			t.Errorf("%s has no words", name)
		}
		if got := made[i].Name(); got != name {
			t.Errorf("the surface of %s is %s", name, got)
		}
	}
	a.settings().Surfaces = []string{"auto"}
	auto, _ := a.surfaces(openDesk(t, t.TempDir()), page, "")
	for i, name := range autoOrder() {
		if got := auto[i].Name(); got != name {
			t.Errorf("surface %d of auto is %s, want %s", i, got, name)
		}
	}
}
