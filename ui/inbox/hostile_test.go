package inbox

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/gate"
)

// TestHostile: no text of a record reaches the terminal as anything but text,
// on any page.
func TestHostile(t *testing.T) {
	evil := "\x1b]0;owned\x07\x1b[2J\u202egnp.exe\u0085\r\n\x9b31mred👩‍💻"
	q := question.Question{
		ID: "q", Header: evil, Text: evil, Description: evil, Type: question.SingleChoice, AllowCustom: true, Required: true,
		Options: []question.Option{{ID: "a", Label: evil, Description: evil}, {ID: "b", Label: "b"}},
	}
	for _, size := range [][2]int{{200, 60}, {40, 10}, {1, 1}} {
		r := newRig(t, size[0], size[1])
		by := desk.Asker{Client: evil, Version: evil, Directory: "/" + evil, Via: "mcp"}
		past := r.ask(by, evil, q)
		if _, err := r.desk.Reply(t.Context(), past.ID, question.Reply{Answers: []question.Answer{answerText("q", evil)}, Note: evil}, desk.Evidence{Surface: evil, How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
		r.ask(by, evil, q)
		r.open()
		look := func(keys ...string) {
			t.Helper()
			r.keys(keys...)
			checkScreen(t, r)
			if s := r.m.View().Content; strings.Contains(s, "\u202e") {
				t.Errorf("a bidirectional override is on the screen: %q", s)
			}
		}
		look()
		if strings.Contains(r.m.View().Content, "\u200d") {
			t.Error("the list has an emoji that terminals measure differently")
		}
		if !r.m.Fits() {
			continue // it takes no keys
		}
		look("i")
		look("esc", "ctrl+x")
		r.until("the form", func() bool { return r.m.answer != nil })
		r.later(gate.Quiet)
		r.send(tea.PasteMsg{Content: evil})
		look()
		look("esc", "esc", "tab")
		r.until("the past", func() bool { return r.m.history.loaded })
		look()
		look("enter")
		look("esc", "/")
		r.send(tea.PasteMsg{Content: evil})
		look("enter")
		r.until("the search", func() bool { return !r.m.history.loading })
		look("?")
		look("esc", "tab")
		r.answers()
		look()
	}
}
