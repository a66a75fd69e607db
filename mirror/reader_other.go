//go:build !unix

package mirror

import "io"

// Where the system does not tell whether a pipe has a reader, the write fails.
func watchReader(io.Writer, func()) (stop func()) { return func() {} }

func readerGone(io.Writer) bool { return false }
