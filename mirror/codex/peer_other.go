//go:build !linux && !darwin

package codex

import "errors"

// peerOf fails: this system does not tell, and an unknown peer is not trusted.
func peerOf(int) (int, error) { return 0, errors.ErrUnsupported }
