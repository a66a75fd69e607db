package form

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
)

// answeredBefore is what the desk knows once the user has answered q like this.
func answeredBefore(q question.Question, a question.Answer) option {
	a.QuestionID, a.By = q.ID, ""
	return withMemory(map[string]desk.Memory{q.ID: {
		At: time.Date(1969, 11, 3, 9, 0, 0, 0, time.UTC), Asker: desk.Asker{Client: "claude-code"}, Answer: a, Words: q.Words(&a),
	}})
}

func TestMemory(t *testing.T) {
	for _, tt := range []struct {
		name   string
		ask    question.Question
		before question.Answer
		keys   []string
		want   question.Answer
	}{
		{"with two keys", database(), told("db", "", "sqlite"), []string{"ctrl+r", "enter"}, told("db", "", "sqlite")},
		{"from where they were typing", database(), told("db", "", "sqlite"), []string{"0", "Duck", "ctrl+r", "enter"}, told("db", "", "sqlite")},
		{"through a filter", database(), told("db", "", "sqlite"), []string{"/", "postgres", "ctrl+r", "enter"}, told("db", "", "sqlite")},
		{"beside a note", database(), told("db", "", "sqlite"), []string{"ctrl+n", "Soon", "ctrl+r", "enter", "ctrl+r", "enter"}, noted(told("db", "", "sqlite"), "Soon")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := fresh(t, 80, 24, record(tt.ask), answeredBefore(tt.ask, tt.before)).show()
			for _, key := range tt.keys[:len(tt.keys)-1] {
				if r.keys(key); len(r.sent) > 0 {
					t.Fatalf("%s sends %+v", key, r.sent)
				}
				checkScreen(t, r)
			}
			r.keys(tt.keys[len(tt.keys)-1])
			if got := r.last().Answers; len(got) != 1 || !reflect.DeepEqual(got[0], tt.want) {
				t.Errorf("answered %+v, want %+v\n%s", got, tt.want, r.screen())
			}
		})
	}
}

// The earlier answer belongs to its question alone, and without one the key is
// none.
func TestMemoryOfAnother(t *testing.T) {
	r := fresh(t, 80, 24, record(deploy(), database()), answeredBefore(database(), told("", "", "sqlite"))).show().keys("ctrl+r")
	if s := r.screen(); strings.Contains(s, "3 Nov") || strings.Contains(s, "(•)") || strings.Contains(s, recallKey) {
		t.Errorf("the first question has an earlier answer:\n%s", s)
	}
	if r.keys("y", "enter"); !strings.Contains(r.screen(), "You answered SQLite on 3 Nov 1969 · ctrl+r use again") {
		t.Errorf("the second has none:\n%s", r.screen())
	}
	if r.f.find(termtest.Keys("ctrl+r")[0]) == nil {
		t.Error("its key is none")
	}
}
