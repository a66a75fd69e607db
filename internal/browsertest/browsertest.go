//go:build browser

// Package browsertest is the browser of tests that look at the page: Chromium,
// with letters that are the same on every machine.
package browsertest

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/chromedp/chromedp"
)

// Start starts the browser, until stop is called.
func Start() (ctx context.Context, stop func(), err error) {
	_, here, _, _ := runtime.Caller(0)
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(),
		append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.NoSandbox,
			chromedp.DisableGPU,
			chromedp.Flag("disable-quic", true),
			chromedp.Flag("disable-component-update", true),
			chromedp.Flag("font-render-hinting", "none"),
			chromedp.Flag("hide-scrollbars", true),
			chromedp.Env("FONTCONFIG_FILE="+filepath.Join(filepath.Dir(here), "fonts.conf")),
		)...)
	ctx, stopContext := chromedp.NewContext(allocator)
	stop = func() { stopContext(); stopAllocator() }
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return nil, nil, fmt.Errorf("start Chromium: %w", err)
	}
	return ctx, stop, nil
}

// Settled is a condition in the page: that a control has been in its place for
// long enough to take a click.
func Settled(selector string) string {
	return fmt.Sprintf(`((el) => {
		if (typeof isFresh !== "function")
			return el && document.readyState === "complete" && getComputedStyle(el).pointerEvents !== "none";
		el?.scrollIntoView({ block: "nearest" });
		return el?.checkVisibility() && !isFresh(el);
	})(document.querySelector(%q))`, selector)
}
