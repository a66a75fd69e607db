package tty

import (
	"bufio"
	"context"
	"errors"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
)

// errTooLong means that a line was longer than an answer may be, or than the
// terminal can hand over. None of it was kept.
var errTooLong = errors.New("line too long")

// mostBytes bounds what is kept of a line: no text of question.MaxText
// characters that a human types needs more.
const mostBytes = 32 * question.MaxText

// lineReader reads what the human types, line by line, only when asked.
type lineReader struct {
	r *bufio.Reader
	// interrupt ends a read that waits.
	interrupt func()
	// alive reports whether the end of input was the human's own word (Ctrl+D)
	// and not the end of the terminal.
	alive func() bool
	// limit is the length in bytes from which on the terminal may have cut a
	// line; 0 where lines come whole.
	limit int
}

// next returns the next line, trimmed, without control characters. A last line
// that no newline ends is nobody's answer: it counts as the end of input.
func (l *lineReader) next(ctx context.Context) (string, error) {
	type result struct {
		line string
		err  error
	}
	got := make(chan result, 1)
	go func() {
		line, err := l.read()
		got <- result{line, err}
	}()
	select {
	case r := <-got:
		return r.line, r.err
	case <-ctx.Done():
		l.interrupt()
		<-got
		return "", context.Cause(ctx)
	}
}

func (l *lineReader) read() (string, error) {
	var line []byte
	length := 0
	for {
		part, err := l.r.ReadSlice('\n')
		length += len(part)
		if length <= mostBytes {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return "", err
		}
		break
	}
	if length > mostBytes || l.limit > 0 && length > l.limit {
		return "", errTooLong
	}
	text := clean(string(line))
	if question.Count(text) > question.MaxText {
		return "", errTooLong
	}
	return text, nil
}

// clean takes out what a keyboard leaves in a line beside text: arrow keys
// arrive as escape sequences, bytes of another encoding as invalid UTF-8.
func clean(line string) string {
	line = ansi.Strip(strings.ToValidUTF8(line, "\uFFFD"))
	line = strings.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, line)
	return strings.TrimSpace(line)
}
