package tty

import (
	"bytes"
	"io"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
)

// mostBytes bounds what is kept of a line: no text of question.MaxText
// characters that a human types needs more.
const mostBytes = 32 * question.MaxText

// typed is what came from the keyboard at once.
type typed struct {
	line    string // trimmed and without control characters
	tooLong bool   // it was longer than an answer may be, or than the terminal can hand over; none of it is kept
	key     bool   // no line: one or more keys of which nobody knows where they belong
}

// lineReader reads all that the human types, from start to stop. A last line
// that no newline ends is nobody's answer.
type lineReader struct {
	in input
	// limit is the length in bytes from which on the terminal may have cut a
	// line; 0 where lines come whole.
	limit int

	keys  atomic.Bool // single keys come
	typed chan typed  // closed at the end of input
}

// input is what a lineReader needs of a terminal.
type input interface {
	io.Reader
	// single makes the terminal hand over single keys, unechoed, until the
	// function it returns is called: a line that is not finished cannot be seen
	// otherwise.
	single() (restore func())
	// flush drops what was typed and not yet read.
	flush()
	// interrupt ends a read that waits, and every later one.
	interrupt()
	// foreground reports whether the end of input was the human's own word
	// (Ctrl+D) and not the end of the terminal.
	foreground() bool
}

func (l *lineReader) start() {
	l.typed = make(chan typed)
	go l.read()
}

// stop returns when nobody reads any more.
func (l *lineReader) stop() {
	l.in.interrupt()
	for range l.typed {
	}
}

// listen has single keys come until the function it returns is called.
func (l *lineReader) listen() (stop func()) {
	l.keys.Store(true)
	restore := l.in.single()
	return func() { restore(); l.keys.Store(false) }
}

func (l *lineReader) read() {
	defer close(l.typed)
	var line []byte
	length := 0
	buf := make([]byte, 4096)
	for {
		n, err := l.in.Read(buf)
		for part := range bytes.SplitAfterSeq(buf[:n], []byte("\n")) {
			length += len(part)
			if length <= mostBytes {
				line = append(line, part...)
			}
			keys := l.keys.Load()
			if len(part) == 0 || !keys && !bytes.HasSuffix(part, []byte("\n")) {
				continue
			}
			t := typed{key: keys}
			if !keys {
				t = l.text(line, length)
			}
			line, length = nil, 0
			l.typed <- t
		}
		if err != nil {
			return
		}
	}
}

// text is a whole line as it counts.
func (l *lineReader) text(line []byte, length int) typed {
	text := clean(string(line))
	if length > mostBytes || l.limit > 0 && length > l.limit || question.Count(text) > question.MaxText {
		return typed{tooLong: true}
	}
	return typed{line: text}
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
