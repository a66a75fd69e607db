package tty

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"mcp-askuser/question"
	"mcp-askuser/ui/term/act"
)

// maxLineBytes is the most of a line that is kept: more than a typed text of question.MaxText
// characters needs.
const maxLineBytes = 32 * question.MaxText

// The keys that change a line, as terminals have them by default.
const (
	endOfInput = 0x04 // Ctrl+D
	eraseAll   = 0x15 // Ctrl+U
	eraseWord  = 0x17 // Ctrl+W
	escape     = 0x1b
	erase      = 0x7f // and Ctrl+H
)

// line is a line that is being typed, edited as the terminal does in canonical mode.
type line struct {
	text     []byte
	tooLong  bool
	begun    []byte    // a character whose other bytes have not arrived
	sequence rune      // the last character of an escape sequence that has begun; 0 for none
	ends     bool      // the last key was Ctrl+D: another one is the end
	last     time.Time // of the last key that is no line break
}

// press takes keys that arrived at once, and returns their echo and the lines that they
// ended. Ended reports the end of the input.
func (l *line) press(piece []byte, now time.Time) (shown string, lines []typed, ended bool) {
	var out strings.Builder
	text := len(bytes.Trim(piece, "\n")) > 0
	pasted := text || now.Sub(l.last) < act.Piece
	if text {
		l.last = now
	}
	keys := slices.Concat(l.begun, piece)
	l.begun = nil
	for len(keys) > 0 {
		if !utf8.FullRune(keys) {
			l.begun = bytes.Clone(keys)
			break
		}
		key, size := utf8.DecodeRune(keys)
		keys = keys[size:]
		if key == '\n' {
			lines = append(lines, l.finish(pasted))
			out.WriteByte('\n')
			continue
		}
		if key == endOfInput && (len(l.text) == 0 || l.ends) {
			return out.String(), lines, true
		}
		l.ends = key == endOfInput
		out.WriteString(l.key(key))
	}
	return out.String(), lines, false
}

// key takes a key that ends no line, and returns its echo.
func (l *line) key(key rune) (shown string) {
	if l.inSequence(key) {
		return ""
	}
	switch key {
	case erase, '\b':
		return l.erase(l.lastCharacter())
	case eraseWord:
		return l.erase(bytes.LastIndexByte(bytes.TrimRight(l.text, " "), ' ') + 1)
	case eraseAll:
		return l.erase(0)
	case '\t':
		key = ' '
	}
	switch {
	case unicode.IsControl(key):
		return ""
	case len(l.text) >= maxLineBytes:
		l.tooLong = true
		return ""
	}
	l.text = utf8.AppendRune(l.text, key)
	return string(key)
}

// inSequence reports whether a key is part of an escape sequence, such as those of arrows.
func (l *line) inSequence(key rune) bool {
	switch was := l.sequence; {
	case key == escape, was == escape && (key == '[' || key == 'O'):
		l.sequence = key
		return true
	case was == '[' && (key < '@' || key > '~'): // a parameter
		return true
	default:
		l.sequence = 0
		return was != 0
	}
}

// finish returns the line, and begins the next.
func (l *line) finish(pasted bool) typed {
	t := typed{line: strings.TrimSpace(string(l.text)), pasted: pasted}
	if l.tooLong || question.Count(t.line) > question.MaxText {
		t = typed{tooLong: true}
	}
	*l = line{last: l.last}
	return t
}

// erase removes the text from an index on, and returns what removes it from the screen.
func (l *line) erase(from int) (shown string) {
	width := ansi.StringWidth(string(l.text[from:]))
	l.text = l.text[:from]
	return strings.Repeat("\b \b", width)
}

// lastCharacter is the index of the last character as a reader counts them.
func (l *line) lastCharacter() (at int) {
	for c := uniseg.NewGraphemes(string(l.text)); c.Next(); {
		at, _ = c.Positions()
	}
	return at
}
