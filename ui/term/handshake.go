package term

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// answerTimeout is how long the model waits for the terminal's answers.
const answerTimeout = 500 * time.Millisecond

// handshake keeps a model off the screen until the terminal has answered all queries: for
// its background, and Bubble Tea's own. A later answer would be typed into the next
// program on the terminal.
//
// Terminals answer in order, and all of them answer the query for their attributes (DA1).
// It is sent twice: at the first answer the first frame is out, with Bubble Tea's queries in
// it; at the second those are answered.
//
// Until then the model does not learn its size, so that it draws nothing, and
// gets no keys: they were not meant for it. It cannot quit either.
type handshake struct {
	model  tea.Model
	edit   func(*Entry) Lend
	lend   func(Lend) tea.Cmd
	frames *frames
	size   tea.Msg // the size, while the model does not know it
	asked  int     // how often the attributes were queried
	done   bool
	quit   bool // the model wanted to

	lent bool      // something else has the terminal
	held []tea.Msg // messages that arrived meanwhile
}

// answerTimedOut is the message that answerTimeout is over.
type answerTimedOut struct{}

// queryAttributes makes the terminal answer with a PrimaryDeviceAttributesEvent.
func queryAttributes() tea.Msg { return tea.RawMsg{Msg: ansi.RequestPrimaryDeviceAttributes} }

// Init implements tea.Model.
func (h *handshake) Init() tea.Cmd {
	h.asked = 1
	return tea.Batch(h.model.Init(), tea.Sequence(tea.RequestBackgroundColor, queryAttributes),
		tea.Tick(answerTimeout, func(time.Time) tea.Msg { return answerTimedOut{} }))
}

// Update implements tea.Model.
func (h *handshake) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if !h.done {
		switch msg.(type) {
		case uv.PrimaryDeviceAttributesEvent:
			h.frames.drawNow() // the terminal waits for the next frame, not a reader
			if h.asked == 1 {
				h.asked = 2
				return h, queryAttributes
			}
			return h, h.finish()
		case answerTimedOut:
			return h, h.finish()
		case tea.WindowSizeMsg:
			h.size = msg
			return h, nil
		case tea.KeyPressMsg, tea.PasteMsg:
			return h, nil
		}
	}
	if e, opens := msg.(Edit); opens && !h.lent {
		msg = h.edit(e.Entry)
	}
	back, isBack := msg.(returned)
	l, borrows := msg.(Lend)
	switch {
	case isBack:
		return h, h.takeBack(back)
	case h.lent: // what comes of the loan is first
		h.held = append(h.held, msg)
		return h, nil
	case borrows:
		h.lent = true
		return h, h.lend(l)
	}
	return h, h.pass(msg)
}

// takeBack passes what came of a loan to the model, then the messages that arrived
// meanwhile.
func (h *handshake) takeBack(back returned) tea.Cmd {
	held := h.held
	h.lent, h.held = false, nil
	cmds := []tea.Cmd{h.pass(back())}
	for _, msg := range held {
		_, cmd := h.Update(msg)
		cmds = append(cmds, cmd)
	}
	return tea.Batch(cmds...)
}

func (h *handshake) pass(msg tea.Msg) (cmd tea.Cmd) {
	h.model, cmd = h.model.Update(msg)
	return cmd
}

func (h *handshake) finish() tea.Cmd {
	h.done = true
	switch {
	case h.quit:
		return tea.Quit
	case h.size != nil:
		return h.pass(h.size)
	}
	return nil
}

// View implements tea.Model.
func (h *handshake) View() tea.View {
	h.frames.changed()
	return h.model.View()
}

// filter keeps the program from ending before the terminal has answered, and
// draws its frames.
func (h *handshake) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg.(type) {
	case draw:
		h.frames.next()
		return nil
	case tea.QuitMsg:
		if !h.done {
			h.quit = true
			return nil
		}
	}
	return msg
}
