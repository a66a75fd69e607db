package form

import (
	"errors"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
)

// TestScreens holds what a terminal shows, at the two sizes that matter.
func TestScreens(t *testing.T) {
	ask := func(qs ...question.Question) []question.Question { return qs }
	tests := []struct {
		name string
		qs   []question.Question
		keys []string
	}{
		{"single", ask(database()), nil},
		{"single-moved", ask(database()), []string{"2"}},
		{"multi", ask(features()), []string{"down", "space"}},
		{"text", ask(name()), nil},
		{"text-typed", ask(name()), []string{"orders", "alt+enter", "v2"}},
		{"text-missing", ask(name()), []string{"enter"}},
		{"boolean", ask(deploy()), nil},
		{"yes-or-no", ask(noDefault(deploy())), []string{"enter"}},
		{"skipped", ask(optional(database())), []string{"s"}},
		{"dismissal-y", ask(database()), []string{"esc", "y"}},
		{"progress", ask(database(), features(), name()), []string{"enter"}},
		{"follow-up", ask(withFollowUp(), deploy()), []string{"enter", "down"}},
		{"review", ask(withFollowUp(), features(), name()), []string{"enter", "2", "enter", "0", "Dark mode", "enter", "enter", "orders", "enter"}},
		{"review-note", ask(database(), deploy()), []string{"enter", "enter", "ctrl+n", "Not before Monday"}},
		{"note-written", ask(database()), []string{"2", "ctrl+n", "Only for the first year"}},
		{"note", ask(deploy()), []string{"ctrl+n", "Not before Monday", "enter"}},
		{"discuss", ask(database()), []string{"d", "enter", "What does each of them cost?"}},
		{"discuss-row", ask(database()), []string{"d"}},
		{"chinese", ask(chinese()), nil},
		{"chinese-other", ask(chinese()), []string{"0", "我们自己的存储"}},
		{"long-description", ask(longDescription()), []string{"down"}},
		{"long-question", ask(longQuestion()), nil},
		{"long-question-read", ask(longQuestion()), []string{"tab", "down", "down"}},
		{"preview", ask(withPreview()), []string{"pgdown"}},
		{"dismissal", ask(database()), []string{"esc"}},
		{"dismissal-reason", ask(database()), []string{"esc", "r", "Ask me tomorrow"}},
		{"filter", ask(database()), []string{"/", "sql"}},
		{"filter-nothing", ask(database()), []string{"/", "oracle"}},
		{"other", ask(database()), []string{"0", "CockroachDB"}},
		{"other-kept", ask(database()), []string{"0", "CockroachDB", "esc", "up"}},
		{"keys", ask(features()), []string{"?"}},
	}
	for _, tt := range tests {
		for _, size := range [][2]int{{80, 24}, {40, 10}} {
			name := fmt.Sprintf("%s-%dx%d", tt.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				r := open(t, size[0], size[1], tt.qs...).keys(tt.keys...)
				if len(r.sent) > 0 {
					t.Fatalf("committed %+v", r.sent)
				}
				check(t, name, r.screen())
			})
		}
	}
}

// TestDeskScreens holds what the form shows of what the desk knows.
func TestDeskScreens(t *testing.T) {
	half := question.Reply{Answers: []question.Answer{told("db", "Cockroach", "sqlite")}}
	lift := WithLift(func() error { return nil })
	tests := []struct {
		name string
		rec  desk.Record
		opts []Option
		news []tea.Msg
		keys []string
	}{
		{"draft", record(database()), []Option{WithDraft(half)}, nil, nil},
		{"draft-text", record(name()), []Option{WithDraft(question.Reply{Answers: []question.Answer{told("name", "orders\nv2")}})}, nil, nil},
		{"draft-review", record(database()), []Option{WithDraft(half)}, nil, []string{"enter"}},
		{"countdown", record(database(), deploy()), nil, []tea.Msg{Deadline{time.Unix(17, 0)}}, nil},
		{"detached", record(database()), nil, []tea.Msg{Attention{}}, nil},
		{"last-round", third(), []Option{lift, WithHistory(session)}, nil, nil},
		{"lifted", third(), []Option{lift, WithHistory(session)}, nil, []string{"L"}},
		{"all-at-once", third(), []Option{lift, WithDraft(question.Reply{Note: "soon"})}, []tea.Msg{Attention{}, Deadline{time.Unix(5, 0)}}, nil},
		{"earlier", third(), []Option{WithHistory(session)}, nil, []string{"h"}},
		{"memory", record(database()), []Option{answeredBefore(database(), told("", "", "sqlite"))}, nil, nil},
		{"memory-taken", record(database()), []Option{answeredBefore(database(), told("", "", "sqlite"))}, nil, []string{"ctrl+r"}},
		{"memory-multi", record(features()), []Option{answeredBefore(features(), told("", "Dark mode", "export", "audit"))}, nil, []string{"ctrl+r"}},
		{"memory-text", record(name()), []Option{answeredBefore(name(), told("", "orders, or what it was called in the first version"))}, nil, []string{"ctrl+r"}},
		{"memory-keys", record(database()), []Option{answeredBefore(database(), told("", "", "sqlite"))}, nil, []string{"?", "end"}},
		{"memory-chinese", record(chinese()), []Option{answeredBefore(chinese(), told("", "我们自己的存储，由团队维护，支持强一致性"))}, nil, []string{"ctrl+r"}},
		{"earlier-scrolled", third(), []Option{WithHistory(session)}, nil, []string{"h", "end"}},
	}
	for _, tt := range tests {
		for _, size := range [][2]int{{80, 24}, {40, 10}} {
			name := fmt.Sprintf("%s-%dx%d", tt.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				r := fresh(t, size[0], size[1], tt.rec, tt.opts...).show()
				for _, msg := range tt.news {
					_, _ = r.f.Update(msg) // its timer is not for now
				}
				r.keys(tt.keys...)
				checkScreen(t, r)
				check(t, name, r.screen())
			})
		}
	}
}

func TestWidePreview(t *testing.T) {
	check(t, "preview-120x24", open(t, 120, 24, withPreview()).screen())
}

// TestSmallest: the form can be used on the least terminal that it names.
func TestSmallest(t *testing.T) {
	check(t, "smallest-single", open(t, term.MinWidth, term.MinHeight, database()).keys("down").screen())
	check(t, "smallest-preview", open(t, term.MinWidth, term.MinHeight, withPreview()).keys("down").screen())
	check(t, "smallest-remark", fresh(t, term.MinWidth, term.MinHeight, third(), WithDraft(question.Reply{Note: "soon"})).show().screen())
	check(t, "smallest-other", open(t, term.MinWidth, term.MinHeight, database()).keys("0", "CockroachDB").screen())
}

func TestFailureScreen(t *testing.T) {
	r := open(t, 80, 24, database())
	r.fail = errors.New("no space left on device")
	r.keys("enter")
	check(t, "failure-80x24", r.screen())
}
