package inbox

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"mcp-askuser/desk"
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
		db := r.claude(database(), features())
		if _, err := r.desk.Reply(t.Context(), db.ID, question.Reply{
			Answers: []question.Answer{{QuestionID: "db", Custom: "CockroachDB"}, taken(features(), "search", "audit")},
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
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(attendance.Release)
			r.waits[rec.ID] = attendance
			r.later(time.Minute)
		}, nil},
		{"history-empty", nil, func(r *rig) { r.keys("tab").recalled(0) }},
		{"past", past, func(r *rig) { r.keys("tab").recalled(3).keys("end", "enter") }},
	}
}

// held are the scenes whose screens are kept, by their size. The others are drawn, and checked
// as every screen is.
var held = map[[2]int][]string{
	{80, 24}:  {"waiting", "keys", "history", "past", "taken-away"},
	{40, 10}:  {"waiting"},
	{200, 60}: nil,
}

// TestScreens holds what a terminal shows, and draws every scene at the sizes that matter.
func TestScreens(t *testing.T) {
	for _, sc := range scenes(t) {
		for size, kept := range held {
			name := fmt.Sprintf("%s-%dx%d", sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				screen := sc.shown(t, size)
				if slices.Contains(kept, sc.name) {
					golden.Check(t, name+".txt", screen)
				}
			})
		}
	}
}

// In every language all screens fit; the main one is held in Chinese.
func TestScreensInOtherLanguages(t *testing.T) {
	for _, l := range words.Languages()[1:] {
		t.Run(string(l), func(t *testing.T) {
			speaks(t, l)
			for _, sc := range scenes(t) {
				t.Run(sc.name, func(t *testing.T) { sc.shown(t, [2]int{40, 10}) })
			}
			if l == words.Chinese {
				golden.Check(t, "zh/waiting-80x24.txt", scenes(t)[1].shown(t, [2]int{80, 24}))
			}
		})
	}
}

// speaks has the test's process speak a language.
func speaks(t *testing.T, l words.Language) {
	words.Local = l
	t.Cleanup(func() { words.Local = words.English })
}

// shown is the screen on a terminal of this size.
func (sc scene) shown(t *testing.T, size [2]int) string {
	r := newRig(t, size[0], size[1])
	if sc.asked != nil {
		sc.asked(r)
	}
	r.open()
	if sc.then != nil {
		sc.then(r)
	}
	checkScreen(t, r)
	return r.screen()
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
