package inbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// scene is a screen: what was asked before the inbox opened, and what the user
// did then.
type scene struct {
	name  string
	asked func(r *rig)
	then  func(r *rig)
}

// scenes are all screens, in any language.
func scenes(t *testing.T) []scene {
	codex := desk.Asker{Client: "codex", Directory: "/home/ada/订单服务", Via: "mcp"}
	three := func(r *rig) {
		r.claude(database(), deploy())
		r.later(130 * time.Minute)
		zh := r.ask(codex, "019a2b3c-4d5e", chinese())
		r.waits[zh.ID].Release()
		r.later(4 * time.Minute)
		r.ask(desk.Asker{Client: "mcp-askuser", Directory: "/srv/build", Via: "shell"}, "", long())
		r.later(20 * time.Second)
	}
	past := func(r *rig) {
		db := r.claude(database(), deploy())
		if _, err := r.desk.Reply(t.Context(), db.ID, question.Reply{
			Answers: []question.Answer{{QuestionID: "db", Custom: "CockroachDB"}, taken(deploy(), question.NoID)},
			Note:    "Not before Monday",
		}, desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
		r.later(26 * time.Hour)
		zh := r.ask(codex, "019a2b3c-4d5e", chinese())
		r.reply(zh, "web", taken(chinese(), "pg"))
		r.later(time.Minute)
		gone := r.claude(name())
		if _, err := r.desk.Reply(t.Context(), gone.ID, question.Reply{Dismissed: true, Reason: "Ask me tomorrow"}, desk.Evidence{Surface: "pane", How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
	}
	return []scene{
		{"empty", nil, nil},
		{"waiting", three, nil},
		{"details", three, func(r *rig) { r.keys("i") }},
		{"keys", three, func(r *rig) { r.keys("?") }},
		{"dismiss-reason", three, func(r *rig) { r.opens("ctrl+x").keys("Not now, 请明天再问") }},
		{"ended-elsewhere", three, func(r *rig) {
			r.endFirst()
			r.until("its end", func() bool { return len(r.m.waiting.rows) == 2 })
		}},
		{"taken-away", three, func(r *rig) {
			r.answers()
			r.endFirst()
			r.until("the notice", func() bool { return r.m.notice != "" })
		}},
		{"history", past, func(r *rig) { r.keys("tab").recalled(3) }},
		{"filter-nothing", three, func(r *rig) { r.keys("/", "oracle", "enter") }},
		{"closes", func(r *rig) {
			rec, attendance, err := r.desk.Submit(t.Context(), desk.Request{
				Set: question.Set{Questions: []question.Question{chinese()}}, Asker: desk.Asker{Client: "codex", Directory: "/srv/api"}, Timeout: 5 * time.Minute,
			})
			fatal.If(t, err)
			t.Cleanup(attendance.Release)
			r.waits[rec.ID] = attendance
			r.later(time.Minute)
		}, nil},
		{"history-empty", nil, func(r *rig) { r.keys("tab").recalled(0) }},
		{"past", past, func(r *rig) { r.keys("tab").recalled(3).keys("end", "enter") }},
	}
}

// held are the screens that are kept. The others are drawn, and checked as every screen is.
var held = []string{
	"waiting-80x24", "keys-80x24", "history-80x24", "past-80x24", "taken-away-80x24", "waiting-40x10", "zh/waiting-80x24",
}

// TestScreens holds what a terminal shows, and draws every scene at the sizes that matter, in every
// language.
func TestScreens(t *testing.T) {
	t.Cleanup(func() { words.Local = words.English })
	for _, words.Local = range words.Languages() {
		for _, sc := range scenes(t) {
			r := newRig(t, 80, 24)
			if sc.asked != nil {
				sc.asked(r)
			}
			r.open()
			if sc.then != nil {
				sc.then(r)
			}
			for _, size := range [][2]int{{80, 24}, {40, 10}, {200, 60}} {
				r.w, r.h = size[0], size[1]
				r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
				checkScreen(t, r)
				name := fmt.Sprintf("%s-%dx%d", sc.name, r.w, r.h)
				if words.Local != words.English {
					name = string(words.Local) + "/" + name
				}
				if slices.Contains(held, name) {
					golden.Check(t, name+".txt", r.screen())
				}
			}
		}
	}
}

// The error where no inbox can be is in the language of its user, as a whole.
func TestErrorsAreTranslated(t *testing.T) {
	t.Cleanup(func() { words.Local = words.English })
	words.Local = words.Chinese
	err := Options{}.checkTerminal()
	if text := err.Error(); !strings.HasPrefix(text, "收件箱需要全屏") {
		t.Errorf("it says %q", text)
	}
}

// recalled waits until so many past records are in the list.
func (r *rig) recalled(n int) *rig {
	r.t.Helper()
	r.until("the past", func() bool { return r.m.history.loaded && !r.m.history.loading && len(r.m.history.rows) == n })
	return r
}

// endFirst answers the first record elsewhere.
func (r *rig) endFirst() {
	r.t.Helper()
	rec := r.m.waiting.rows[0].rec
	r.reply(rec, "tty", taken(database(), "pg"), taken(deploy(), question.NoID))
}

// TestHostile: no text of a record reaches the terminal as anything but text, on any page but the form's, which has
// a test of its own.
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
		for _, keys := range []string{"", "i", "esc tab", "enter", "esc /", "enter", "?", "esc tab"} {
			r.keys(strings.Fields(keys)...)
			if keys == "esc /" {
				r.send(tea.PasteMsg{Content: evil})
			}
			r.until("the past", func() bool { return !r.m.history.loading })
			checkScreen(t, r)
			if strings.Contains(r.m.View().Content, "\u200d") {
				t.Errorf("after %q an emoji is shown that terminals measure differently", keys)
			}
		}
	}
}
