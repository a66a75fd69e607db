package inbox

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
	"mcp-askuser/ui/term/act"
)

// TestScreens holds what a terminal shows, at the two sizes that matter.
func TestScreens(t *testing.T) {
	codex := desk.Asker{Client: "codex", Directory: "/home/ada/订单服务", Via: "mcp"}
	three := func(r *rig) {
		r.claude(database(), deploy())
		r.later(130 * time.Minute)
		zh := r.ask(codex, "019a2b3c-4d5e", chinese())
		r.waits[zh.ID].Release()
		r.later(4 * time.Minute)
		r.ask(desk.Asker{Client: "mcp-askuser ask", Directory: "/srv/build", Via: "shell"}, "", long())
		r.later(20 * time.Second)
	}
	past := func(r *rig) {
		db := r.claude(database(), features())
		if _, err := r.desk.Reply(t.Context(), db.ID, question.Reply{
			Answers: []question.Answer{{QuestionID: "db", Custom: "CockroachDB"}, taken(features(), "search", "audit")},
			Note:    "Not before Monday",
		}, "tty"); err != nil {
			t.Fatal(err)
		}
		r.later(26 * time.Hour)
		zh := r.ask(codex, "019a2b3c-4d5e", chinese())
		r.reply(zh, "web", taken(chinese(), "pg"))
		r.later(time.Minute)
		gone := r.claude(name())
		if _, err := r.desk.Reply(t.Context(), gone.ID, question.Reply{Dismissed: true, Reason: "Ask me tomorrow"}, "pane"); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name  string
		asked func(r *rig)
		then  func(r *rig)
	}{
		{"empty", nil, nil},
		{"waiting", three, nil},
		{"moved", three, func(r *rig) { r.keys("down") }},
		{"details", three, func(r *rig) { r.keys("i") }},
		{"details-chinese", three, func(r *rig) { r.keys("down", "i") }},
		{"keys", three, func(r *rig) { r.keys("?") }},
		{"form", three, func(r *rig) { r.answers() }},
		{"form-and-news", three, func(r *rig) { r.answers(); r.claude(name()); r.see("1 new") }},
		{"dismiss", three, func(r *rig) { r.keys("d") }},
		{"dismiss-reason", three, func(r *rig) { r.keys("d").later(act.Quiet).keys("r", "Not now, 请明天再问") }},
		{"ended-elsewhere", three, func(r *rig) { r.endFirst(); r.see("answered in") }},
		{"unsent", three, func(r *rig) { r.unsent() }},
		{"unsent-late", three, func(r *rig) {
			r.reply(r.unsent(), "tty", taken(chinese(), "lite"))
			r.until("who was first", func() bool { return strings.HasPrefix(r.m.note, "Not answered") })
			r.settled()
		}},
		{"taken-away", three, func(r *rig) { r.answers(); r.endFirst(); r.see("Already") }},
		{"history", past, func(r *rig) { r.keys("tab").see("3 past") }},
		{"chinese", three, func(r *rig) { r.keys("end") }},
		{"marked", three, func(r *rig) { r.keys("space", "space") }},
		{"dismiss-several", three, func(r *rig) { r.keys("space", "space", "d").later(act.Quiet) }},
		{"filter", three, func(r *rig) { r.keys("/", "订单") }},
		{"filter-kept", three, func(r *rig) { r.keys("/", "订单", "enter") }},
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
		{"last-answers", past, func(r *rig) { r.see("Last answers") }},
		{"refused", nil, func(r *rig) {
			r.refuses(database())
			r.keys("tab").see("2 past", "! ")
		}},
		{"refused-waiting", func(r *rig) { r.refuses(chinese()); three(r) }, func(r *rig) { r.see("! claude-code in shop") }},
		{"refused-form", func(r *rig) { r.refuses(database()); three(r) }, func(r *rig) { r.see("! claude-code in shop").answers() }},
		{"history-empty", nil, func(r *rig) { r.keys("tab").see("Nothing has been") }},
		{"history-search", past, func(r *rig) { r.keys("tab").see("3 past").keys("/", "service") }},
		{"history-found", past, func(r *rig) { r.keys("tab").see("3 past").keys("/", "数据库", "enter").see("1 past") }},
		{"history-nothing", past, func(r *rig) { r.keys("tab").see("3 past").keys("/", "oracle", "enter").see("Nothing past") }},
		{"past", past, func(r *rig) { r.keys("tab").see("3 past").keys("end", "enter") }},
		{"past-dismissed", past, func(r *rig) { r.keys("tab").see("3 past").keys("enter") }},
	}
	for _, tt := range tests {
		for _, size := range [][2]int{{80, 24}, {40, 10}, {110, 42}, {200, 60}} {
			name := fmt.Sprintf("%s-%dx%d", tt.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				r := newRig(t, size[0], size[1])
				if tt.asked != nil {
					tt.asked(r)
				}
				r.open()
				if tt.then != nil {
					tt.then(r)
				}
				checkScreen(t, r)
				golden.Check(t, name+".txt", r.screen())
			})
		}
	}
}

// unsent answers the question in Chinese while the desk is out of reach.
func (r *rig) unsent() desk.Record {
	r.t.Helper()
	r.apart.Off()
	r.keys("end").answers()
	rec := r.m.answer.rec
	r.keys("1").later(act.Quiet).keys("enter")
	r.until("it is kept", func() bool { return strings.HasPrefix(r.m.note, "Not sent yet") })
	if err := r.desk.SaveDraft(r.t.Context(), rec.ID, question.Reply{}); err != nil { // as what is kept is told
		r.t.Fatal(err)
	}
	r.until("its row says so", func() bool { return r.m.waiting.all[rec.ID].rec.Unsent })
	r.settled()
	return rec
}

// endFirst answers the first record somewhere else.
func (r *rig) endFirst() {
	r.t.Helper()
	rec := r.m.waiting.rows[0].rec
	r.reply(rec, "tty", taken(database(), "pg"), taken(deploy(), question.NoID))
}
