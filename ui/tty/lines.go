package tty

import (
	"io"
	"sync"
	"time"
)

// typed is input of the human: a line, or keys in place of one.
type typed struct {
	line    string // trimmed and without control characters
	tooLong bool   // it was longer than an answer may be; none of it is kept
	pasted  bool   // it arrived in one piece with its line break
	key     bool   // no line: keys that were discarded
}

// lineReader reads and edits lines, from start to stop, and echoes keys while a line is
// awaited. A last line without a line break is discarded.
type lineReader struct {
	in     input
	write  func(string) error // onto the terminal
	unseen func() bool        // reports that the terminal shows nothing readable; nil for never

	typed chan typed // closed at the end of input

	mu       sync.Mutex // guards what follows, and the terminal while a line is awaited
	prompt   string     // of the line that is awaited; empty for none
	echoes   bool       // the line at the prompt is not ended yet
	discards bool       // keys are not meant for the form
	line     line
}

// input is what a lineReader needs of a terminal.
type input interface {
	io.Reader
	// flush drops keys that were not read yet.
	flush()
	// interrupt ends a read that waits, and every later one.
	interrupt()
	// foreground reports whether the terminal is still this process's: then the end of
	// input is Ctrl+D.
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

func (l *lineReader) isUnseen() bool { return l.unseen != nil && l.unseen() }

// showPrompt writes the prompt of the line that is awaited from now on, and what is typed
// of it; an empty prompt means that none is awaited.
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

// redraw writes the prompt and the line so far. Callers must hold l.mu.
func (l *lineReader) redraw() error {
	if !l.echoes {
		return nil
	}
	return l.write(l.prompt + string(l.line.text))
}

// setLine replaces the line so far.
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

// feed takes keys that arrived in one piece. Ended reports the end of the input.
func (l *lineReader) feed(piece []byte, now time.Time) (lines []typed, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case len(piece) == 0:
		return nil, false
	case l.discards, l.isUnseen():
		l.line = line{}
		return []typed{{key: true}}, false
	}
	shown, lines, ended := l.line.press(piece, now)
	if l.echoes {
		_ = l.write(shown) // the next showPrompt returns the error
	}
	l.echoes = l.echoes && lines == nil // further keys are for the next prompt
	return lines, ended
}
