package tty

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/cancelreader"
)

// keyboard is the terminal as the line form reads it.
type keyboard interface {
	io.Reader
	// deliverLines has the terminal deliver whole lines, which it shows and edits itself,
	// or else single keys, which it does not show. Unread input is discarded.
	deliverLines(on bool) error
	size() (width, height int)
	// interrupt ends a read that waits, and every later one.
	interrupt()
	// foreground reports whether the terminal is still this process's: then the end of
	// input is Ctrl+D.
	foreground() bool
}

// keys is a terminal of which a read that waits can be ended.
type keys struct {
	*terminal
	reader cancelreader.CancelReader
}

func (k keys) Read(p []byte) (int, error) { return k.reader.Read(p) }

// interrupt implements keyboard. Cancel ends a read that waits to begin. The kernel may have
// called the terminal readable while unread keys were dropped: then the read has begun, with
// nothing to read, and its deadline ends it.
func (k keys) interrupt() {
	k.reader.Cancel()
	_ = k.SetReadDeadline(time.Now()) // where terminals have none, a key ends the read
}

// endOfInput is what Ctrl+D is delivered as.
const endOfInput = "\x04"

// errGone means that the terminal is no longer there to be read.
var errGone = errors.New("it cannot be read any more")

// input reads a keyboard, from start to stop.
type input struct {
	keyboard
	typed  chan string            // lines or keys, as the keyboard delivers them; closed when that ends
	prompt atomic.Pointer[string] // at which a line is awaited; nil for none
}

func (in *input) start() {
	in.typed = make(chan string)
	go in.read()
}

// stop ends the reading, and returns when it has ended.
func (in *input) stop() {
	in.interrupt()
	for range in.typed {
	}
}

func (in *input) read() {
	defer close(in.typed)
	buf := make([]byte, maxLine+1)
	for {
		n, err := in.Read(buf)
		switch {
		case err == nil:
			in.typed <- string(buf[:n])
		case errors.Is(err, io.EOF) && in.foreground():
			in.typed <- endOfInput
		default:
			return
		}
	}
}

// unseen reports whether the terminal is too small to show anything readable.
func (in *input) unseen() bool { return !readable(in.size()) }

// pause discards what is typed, unseen, until nothing was for d. It reports whether
// anything was; noticed is called at each key.
func (in *input) pause(ctx context.Context, d time.Duration, noticed func()) (typed bool, err error) {
	for {
		select {
		case _, open := <-in.typed:
			if !open {
				return typed, errGone
			}
			typed = true
			noticed()
		case <-time.After(d):
			return typed, nil
		case <-ctx.Done():
			return typed, context.Cause(ctx)
		}
	}
}

// line returns the next line without its line break. The error is io.EOF after Ctrl+D.
func (in *input) line(ctx context.Context) (string, error) {
	var line strings.Builder
	for {
		select {
		case text, open := <-in.typed:
			switch {
			case !open:
				return "", errGone
			case text == endOfInput:
				return "", io.EOF
			}
			line.WriteString(strings.TrimSuffix(text, "\n"))
			if strings.HasSuffix(text, "\n") {
				return line.String(), nil
			}
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// clean returns the text of a line, without what keys such as arrows have sent.
func clean(line string) string {
	line = strings.ToValidUTF8(strings.ReplaceAll(line, "\t", " "), "\uFFFD")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, ansi.Strip(line)))
}
