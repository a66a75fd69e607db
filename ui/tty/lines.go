package tty

import (
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// typed is what came from the keyboard: a line, or keys in place of one.
type typed struct {
	line    string // trimmed and without control characters
	tooLong bool   // it was longer than an answer may be; none of it is kept
	pasted  bool   // it came in one piece with its line break
	key     bool   // no line: one or more keys that are not meant for the form
}

// lineReader reads all that the human types, from start to stop, and shows it while
// a line is awaited. A last line without a line break is discarded.
type lineReader struct {
	in    input
	write func(string) error // onto the terminal

	keys  atomic.Bool // what is typed is meant for another program
	typed chan typed  // closed at the end of input

	mu     sync.Mutex // guards what follows, and the terminal while a line is awaited
	prompt string     // of the line that is awaited; empty for none
	shows  bool       // the line at the prompt is not ended yet
	line   line
}

// input is what a lineReader needs of a terminal.
type input interface {
	io.Reader
	// single makes the terminal hand over single keys, unechoed: whole lines would
	// not tell when each key arrived.
	single()
	// flush drops what was typed and not yet read.
	flush()
	// interrupt ends a read that waits, and every later one.
	interrupt()
	// foreground reports whether the end of input was the human's own word
	// (Ctrl+D) and not the end of the terminal.
	foreground() bool
}

func (l *lineReader) start() {
	l.in.single()
	l.typed = make(chan typed)
	go l.read()
}

// stop ends the reading, and returns when it has ended.
func (l *lineReader) stop() {
	l.in.interrupt()
	for range l.typed {
	}
}

// listen has keys come in place of lines, unseen, until the function it returns is
// called.
func (l *lineReader) listen() (stop func()) {
	l.keys.Store(true)
	return func() {
		l.fill("")
		l.keys.Store(false)
	}
}

// await writes the prompt of the line that is awaited now, and what is typed of it;
// empty is none.
func (l *lineReader) await(prompt string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prompt, l.shows = prompt, prompt != ""
	return l.again()
}

// interject has something written while a line is awaited, and the prompt again.
func (l *lineReader) interject(say func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	say()
	_ = l.again() // the next await returns the error
}

// again writes the prompt and what is typed. Callers must hold l.mu.
func (l *lineReader) again() error {
	if !l.shows {
		return nil
	}
	return l.write(l.prompt + string(l.line.text))
}

// fill has the next line begin with a text.
func (l *lineReader) fill(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = line{text: []byte(text)}
}

func (l *lineReader) read() {
	defer close(l.typed)
	buf := make([]byte, 4096)
	for {
		n, err := l.in.Read(buf)
		lines, ended := l.take(buf[:n], time.Now())
		for _, t := range lines {
			l.typed <- t
		}
		if err != nil || ended {
			return
		}
	}
}

// take takes what came at once, and reports whether the human has ended the input.
func (l *lineReader) take(piece []byte, now time.Time) (lines []typed, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case len(piece) == 0:
		return nil, false
	case l.keys.Load():
		return []typed{{key: true}}, false
	}
	shown, lines, ended := l.line.press(piece, now)
	if l.shows {
		_ = l.write(shown) // the next await returns the error
	}
	l.shows = l.shows && lines == nil // what is typed on is for the next prompt
	return lines, ended
}
