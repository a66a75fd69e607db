//go:build !unix

package notify

import "context"

// desktop returns nil: no way to notify this system's desktop is known here.
func desktop(func(string) string) func(context.Context, *notice) error { return nil }
