package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// keyboard is a terminal's input. Bubble Tea takes the end of its input for
// nothing in particular (FACTS 7.2), so hangUp is told of it too. A read that
// was interrupted by a deadline is an end of reading, not of the terminal.
type keyboard struct {
	in     io.Reader
	hangUp context.CancelCauseFunc
}

// Read implements io.Reader.
func (k keyboard) Read(p []byte) (int, error) {
	n, err := k.in.Read(p)
	switch {
	case err == nil:
		return n, nil
	case !errors.Is(err, os.ErrDeadlineExceeded):
		k.hangUp(fmt.Errorf("the terminal is gone: %w", err))
	}
	return n, io.EOF
}

// fileKeyboard is a keyboard that is a file to Bubble Tea.
type fileKeyboard struct {
	*os.File
	keys keyboard
}

// Read implements io.Reader.
func (k fileKeyboard) Read(p []byte) (int, error) { return k.keys.Read(p) }

func input(in io.Reader, hangUp context.CancelCauseFunc) io.Reader {
	keys := keyboard{in, hangUp}
	if f, ok := in.(*os.File); ok {
		return fileKeyboard{f, keys}
	}
	return keys
}
