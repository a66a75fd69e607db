//go:build !unix

package notify

import "context"

// desktop returns nil: this system's desktop is not supported.
func desktop(func(string) string) func(context.Context, *notice) error { return nil }
