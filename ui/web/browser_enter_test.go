//go:build browser

package web

import (
	"testing"

	"mcp-askuser/desk"
)

// TestBrowserEnterOnOption: the submission that a browser makes of Enter on an option sends
// nothing, and holds back nothing that is sent after it.
func TestBrowserEnterOnOption(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "s", deploy()) })
	v.listening()
	v.click(chosen(rec.ID, 0, "0"))
	v.wait(`(([submit, send]) => {
		const form = document.getElementById(%q);
		form.requestSubmit(form.querySelector(submit));
		form.requestSubmit(form.querySelector(send));
		return true;
	})(['button', '.main'])`, rec.ID+"-form")
	if got := v.answered(rec.ID)["deploy"]; got == "" {
		t.Error("no answer arrived")
	}
}
