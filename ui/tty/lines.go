package tty

import (
	"io"
	"sync"
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

	typed chan typed // closed at the end of input

	mu       sync.Mutex // guards what follows, and the terminal while a line is awaited
	prompt   string     // of the line that is awaited; empty for none
	echoes   bool       // the line at the prompt is not ended yet
	discards bool       // what is typed is meant for another program
	line     line
}

// input is what a lineReader needs of a terminal.
type input interface {
	io.Reader
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

// stop ends the reading, and returns when it has ended.
func (l *lineReader) stop() {
	l.in.interrupt()
	for range l.typed {
	}
}

// discard has keys reported in place of lines, and none of them shown.
func (l *lineReader) discard(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.discards, l.line = on, line{}
}

// showPrompt writes the prompt of the line that is awaited now, and what is typed of it;
// empty is none.
func (l *lineReader) showPrompt(prompt string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prompt, l.echoes = prompt, prompt != ""
	return l.redraw()
}

// printAbove calls write while a line is awaited, and writes the prompt again.
func (l *lineReader) printAbove(write func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	write()
	_ = l.redraw() // the next showPrompt returns the error
}

// redraw writes the prompt and what is typed. Callers must hold l.mu.
func (l *lineReader) redraw() error {
	if !l.echoes {
		return nil
	}
	return l.write(l.prompt + string(l.line.text))
}

// setLine replaces what is typed of the next line.
func (l *lineReader) setLine(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = line{text: []byte(text)}
}

func (l *lineReader) read() {
	defer close(l.typed)
	buf := make([]byte, 4096)
	for {
		n, err := l.in.Read(buf)
		lines, ended := l.feed(buf[:n], time.Now())
		for _, t := range lines {
			l.typed <- t
		}
		if err != nil || ended {
			return
		}
	}
}

// feed takes what arrived in one piece, and reports whether the human has ended the input.
func (l *lineReader) feed(piece []byte, now time.Time) (lines []typed, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case len(piece) == 0:
		return nil, false
	case l.discards:
		return []typed{{key: true}}, false
	}
	shown, lines, ended := l.line.press(piece, now)
	if l.echoes {
		_ = l.write(shown) // the next showPrompt returns the error
	}
	l.echoes = l.echoes && lines == nil // what is typed on is for the next prompt
	return lines, ended
}
