//go:build browser

package web

import (
	"testing"

	"mcp-askuser/desk"
)

// TestBrowserAnswersFiltered: after an answer the page shows the next of the questions that its
// filter has left, and the list of them.
func TestBrowserAnswersFiltered(t *testing.T) {
	t.Parallel()
	var recs []desk.Record
	v := browse(t, wide, func(g *rig) {
		for _, directory := range []string{"/home/ada/api", "/home/ada/shop", "/home/ada/web", "/home/ada/shop"} {
			recs = append(recs, g.put("codex", directory, "", deploy()))
		}
	})
	v.visit("/?filter=shop")
	v.listening()
	v.shows("#r-"+recs[1].ID, "Deploy")
	v.click(chosen(recs[1].ID, 0, "0"))
	v.confirm(recs[1])
	v.answered(recs[1].ID)
	v.shows("#r-"+recs[3].ID, "Deploy")
	v.gone(inList(recs[0].ID))
}
