//go:build !unix

package notify

// desktop returns nil: this system's desktop is not supported.
func desktop(func(string) string, func(pid int) error) channel { return nil }
