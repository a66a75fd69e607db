package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errLineTooLong means that a line exceeded the limit and was skipped.
var errLineTooLong = errors.New("line too long")

// lineReader cuts input into lines. Of a line beyond the limit it keeps
// nothing, so that no client can make us hold more than limit bytes.
type lineReader struct {
	in    *bufio.Reader
	limit int // bytes, without the newline
}

// next returns the next line without its newline. A last line needs no newline.
// The error is errLineTooLong for a line that was skipped, io.EOF after the last
// line, or what the input failed with.
func (l *lineReader) next() ([]byte, error) {
	var line []byte
	for size := 0; ; {
		part, err := l.in.ReadSlice('\n')
		text := bytes.TrimSuffix(part, []byte("\n"))
		if size += len(text); size > l.limit {
			line = nil
		} else {
			line = append(line, text...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (size == 0 || !errors.Is(err, io.EOF)):
			return nil, err
		case size > l.limit:
			return nil, errLineTooLong
		}
		return line, nil
	}
}
