//go:build browser

package web

import "testing"

// TestBrowserCodeSize: fenced code has the size of drawn text.
func TestBrowserCodeSize(t *testing.T) {
	t.Parallel()
	v := browse(t, wide, func(g *rig) {
		q := database()
		q.Options[0].Preview, q.Options[1].Preview = "```\nfenced\n```", "drawn"
		g.put("codex", "/home/ada/shop", "", q)
	})
	const size = `getComputedStyle(document.querySelector(".preview %s")).fontSize`
	code, drawn := eval[string](v, size, "pre code"), eval[string](v, size, "pre:not(:has(code))")
	if code != drawn {
		t.Errorf("the code is %s, other text %s", code, drawn)
	}
}
