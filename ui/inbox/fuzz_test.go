package inbox

import (
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/gate"
)

// FuzzKeys presses any keys, pastes, clicks, pauses and resizes, while questions
// come, are answered elsewhere and time out at once: the inbox never panics, always
// draws within its terminal, shows what waits, and ends no question without Enter,
// and each with a reply that its set allows.
func FuzzKeys(f *testing.F) {
	presses := []string{
		"enter", "enter", "enter", "esc", "esc", "tab", "space", "up", "down", "left", "right", "pgup", "pgdown", "home", "end",
		"backspace", "shift+tab", "ctrl+d", "ctrl+u", "ctrl+w", "ctrl+c", "i", "d", "ctrl+d", "r", "j", "k", "g", "G", "/", "?", "L",
		"0", "1", "2", "y", "n", "s", "x", "ctrl+n", "字", "👍🏽", "q",
	}
	f.Add([]byte("\x00\xe8\x20\xe8\x00\xe8\x05\xe8\x00\x0d\x0e\x03"))
	f.Add([]byte("\x15\x0d\x0e\x07\x03\x16\xe8\x17\x25\x00\x06\x06\x16\xe8\x00"))
	f.Add([]byte("\x1d\x0d\x03\x1c\x25\x00\x03\xf8\xf0\xf1\x05\x0d\x00\xf2"))
	f.Add([]byte("\xfc\xff\x1c\x1f\xfe"))
	f.Add([]byte("\x08\xfd\xfe\x08\xfd\xfc"))
	f.Fuzz(func(t *testing.T, script []byte) {
		r := newRig(t, 60, 14)
		r.claude(database(), deploy())
		past := r.claude(name())
		r.reply(past, "tty", answerText(past.Questions[0].ID, "Ada"))
		r.ask(desk.Asker{Client: "codex", Directory: "/home/ada/订单服务"}, "019a", chinese())
		r.claude(features())
		r.open()
		enters, elsewhere := 0, 1
		script = script[:min(len(script), 100)]
		for i, b := range script {
			switch {
			case b == 0xff:
				if rows := r.m.waiting.rows; len(rows) > 0 {
					if _, err := r.desk.Reply(t.Context(), rows[0].rec.ID, question.Reply{Dismissed: true}, desk.Evidence{Surface: "tty", How: desk.HowPage}); err == nil {
						elsewhere++
					}
				}
			case b == 0xfe:
				r.claude(long())
			case b == 0xfd:
				for id := range r.m.open {
					if _, err := r.desk.Close(t.Context(), id, desk.Outcome{Status: desk.Timeout}); err == nil {
						elsewhere++
					}
				}
			case b == 0xfc:
				r.send(tea.FocusMsg{})
			case b >= 0xf8:
				r.send(tea.PasteMsg{Content: "pasted\r\ntext\t字\x1b[31m"})
			case b >= 0xf0:
				next := slices.Concat(script[i+1:], []byte{b, b}) // which are keys too
				r.w, r.h = int(next[0])%140, int(next[1])%40
				r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
			case b >= 0xe8:
				r.later(time.Second)
			case b >= 0xe0:
				r.send(tea.MouseClickMsg{X: 4, Y: int(b-0xe0) + 1, Button: tea.MouseLeft})
			default:
				key := presses[int(b)%len(presses)]
				if key == "enter" {
					enters++
				}
				r.keys(key)
			}
			r.soon()
			checkScreen(t, r)
		}
		r.later(2 * gate.Quiet).soon()
		r.until("the list of what waits", func() bool { return len(r.m.open) == r.pending() })
		ended := 0
		for rec, err := range r.desk.History(t.Context(), desk.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			ended++
			if reply := rec.Outcome.Reply; reply != nil {
				if _, err := rec.Check(*reply); err != nil {
					t.Errorf("committed %+v: %v", *reply, err)
				}
			}
		}
		if enters == 0 && ended != elsewhere {
			t.Errorf("%d have ended, %d of them elsewhere, without Enter", ended, elsewhere)
		}
	})
}

// soon takes the messages that come at once.
func (r *rig) soon() {
	for {
		select {
		case msg := <-r.msgs:
			r.take(msg)
		case <-time.After(2 * time.Millisecond):
			return
		}
	}
}
