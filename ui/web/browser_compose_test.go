//go:build browser

package web

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mcp-askuser/desk"
)

// TestBrowserComposing: an Enter that ends a word in an input method sends nothing. Safari reports it
// by its code alone, after the composition.
func TestBrowserComposing(t *testing.T) {
	t.Parallel()
	var rec desk.Record
	v := browse(t, wide, func(g *rig) { rec = g.put("codex", "/home/ada/shop", "", deploy()) })
	v.listening()
	v.press("x", chromedp.ModifierAlt)
	v.wait(`document.activeElement.name === "reason"`)
	v.keys("ni")
	v.hears()
	call(v, input.DispatchKeyEvent, input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: 229,
	})
	v.keys("hao", kb.Enter)
	if r := v.ended(rec.ID); r.Reason != "nihao" {
		t.Errorf("dismissed because of %q", r.Reason)
	}
}
