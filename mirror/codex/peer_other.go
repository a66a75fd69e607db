//go:build !linux && !darwin

package codex

import "errors"

// peerOf fails: the system does not report the process, and an unknown one is not trusted.
func peerOf(int) (int, error) { return 0, errors.ErrUnsupported }
