package term

import (
	"bytes"
	"fmt"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// readEndTime is how long a read may take to end once it is cancelled.
const readEndTime = 500 * time.Millisecond

// readKeys sends what is typed to the model, until the returned function is called. That
// returns the messages that the model has not received, in order.
func (s *Screen) readKeys() (stop func() []tea.Msg, err error) {
	reader, err := uv.NewCancelReader(&keyboard{File: s.options.In})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrGone, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		keys := uv.NewTerminalReader(reader, s.options.Getenv("TERM"))
		err := keys.StreamEvents(s.ctx, s.messages)
		if err != nil {
			s.Send(failure{err})
		}
	}()
	return func() (unread []tea.Msg) {
		reader.Cancel()
		late := time.After(readEndTime)
		for {
			select {
			case msg := <-s.messages:
				unread = append(unread, msg)
			case <-ended:
				_ = reader.Close()
				return unread
			case <-late: // the read goes on; what it reads is lost
				return unread
			}
		}
	}, nil
}

// asMessage returns an event of the terminal as the message that models know.
func asMessage(event uv.Event) tea.Msg {
	switch event := event.(type) {
	case uv.KeyPressEvent:
		if event.Code < utf8.RuneSelf { // else shortcuts have the Latin letter of the same key
			event.BaseCode = 0
		}
		return tea.KeyPressMsg(event)
	case uv.PasteEvent:
		return tea.PasteMsg(event)
	case uv.WindowSizeEvent:
		return tea.WindowSizeMsg(event)
	case uv.BackgroundColorEvent:
		return tea.BackgroundColorMsg(event)
	case uv.FocusEvent:
		return tea.FocusMsg(event)
	}
	return event
}

// keyboard is a terminal's input. The reader of events ignores the end of its input: the model
// would be shown to no user.
type keyboard struct {
	File
	pastes bool   // a paste has begun, and not ended
	rest   []byte // of it, which is delivered with what follows; see unfinished
}

// Read implements io.Reader. A paste that the terminal does not mark is marked here, or its line
// break would be Enter.
func (k *keyboard) Read(p []byte) (int, error) {
	const on, off = ansi.BracketedPasteStart, ansi.BracketedPasteEnd
	held := copy(p, k.rest)
	n, err := k.File.Read(p[held : len(p)-len(on+off)])
	n += held
	begins, ends := bytes.LastIndex(p[:n], []byte(on)), bytes.LastIndex(p[:n], []byte(off))
	if begins != ends {
		k.pastes = begins > ends
	}
	if k.pastes && leaves(p[held:n]) { // the end of the paste was lost
		k.pastes = false
		n = copy(p, off+string(p[held:n]))
	}
	k.rest = k.unfinished(p[:n])
	n -= len(k.rest)
	keys := afterReplies(p[:n])
	if !k.pastes && unmarked(p[keys:n]) {
		n = keys + copy(p[keys:], on+string(p[keys:n])+off)
	}
	if err != nil {
		err = fmt.Errorf("%w: %v", ErrGone, err) //nolint:errorlint // the reader of events passes on no io.EOF
	}
	return n, err
}

// unfinished returns the end of a piece of a paste, if that begins a character or the mark of the end. On a slow
// line the rest may come so late that the reader of events drops the one, and misses the other.
func (k *keyboard) unfinished(piece []byte) []byte {
	end := []byte(ansi.BracketedPasteEnd)
	for at := max(len(piece)-len(end)+1, 0); k.pastes && at < len(piece); at++ {
		rest := piece[at:]
		if !utf8.FullRune(rest) || bytes.HasPrefix(end, rest) {
			return bytes.Clone(rest)
		}
	}
	return nil
}

// leaves reports whether what was read at once is Ctrl+C.
func leaves(piece []byte) bool {
	length, event := new(uv.EventDecoder).Decode(piece)
	key, isKey := asMessage(event).(tea.KeyPressMsg)
	return isKey && length == len(piece) && key.String() == "ctrl+c"
}

// afterReplies returns where keys begin that were read together with what the terminal replied
// to its program.
func afterReplies(piece []byte) (keys int) {
	for keys < len(piece) && piece[keys] == 0x1b {
		length, _ := new(uv.EventDecoder).Decode(piece[keys:])
		keys += length
	}
	return keys
}

// unmarked reports whether keys that were read at once are a paste without marks: text and a
// line break, which no hand types that fast.
func unmarked(piece []byte) bool {
	text := func(c rune) bool { return c >= ' ' && c != 0x7f }
	return bytes.ContainsAny(piece, "\r\n") && bytes.ContainsFunc(piece, text) && !bytes.ContainsRune(piece, 0x1b)
}
