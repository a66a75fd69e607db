//go:build unix

package tty

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
)

// TestTranscripts: what a terminal shows of the line form, with and without a desk. The transcripts of
// rows that say nothing are held.
func TestTranscripts(t *testing.T) {
	const number, numbers, send = "Enter a number: ", "Enter numbers, like 1,2 [Sign-in, Mail]: ", "? helps: "
	half := question.Reply{Note: "soon", Answers: []question.Answer{option("database", "sqlite"), ownWords("features", "billing", "log")}}
	kept := reply(option("database", "sqlite"), ownWords("features", "billing", "log"), ownWords("name", "kiosk"))
	for _, tt := range []struct {
		name, says string
		cols, rows int
		asked      func(t *testing.T) *asked // on a desk; else the sample of the name
		extra      string
		steps      []string // prompts, and what is typed at each
		want       question.Reply
	}{
		{
			name: "review", cols: 40, rows: 10,
			steps: []string{number, "b", number, "2", numbers, "", "(optional, Enter to skip): ", "",
				send, "1", "[SQLite]: ", "3", send, "n", "for none): ", "soon, please", send, ""},
			want: withNote(reply(option("database", "none"), option("features", "auth", "mail")), "soon, please"),
		},
		{
			name: "chinese", cols: 40, rows: 10, steps: []string{number, "０", "own answer: ", "云数据库", send, ""},
			want: reply(ownWords("zh", "云数据库")),
		},
		{
			name: "zh review", cols: 80, rows: 24, extra: "TTY_LANGUAGE=zh",
			steps: []string{"输入编号：", "?", "输入编号：", "2", "如 1,2 [Sign-in, Mail]：", "２，０", "自己的回答：", "计费",
				"按 Enter 跳过）：", "", "帮助：", "1", "[SQLite]：", "3", "帮助：", "n", "Enter 跳过）：", "请尽快", "帮助：", ""},
			want: withNote(reply(option("database", "none"), ownWords("features", "计费", "log")), "请尽快"),
		},
		{
			name: "desk draft kept", cols: 80, rows: 24, asked: func(t *testing.T) *asked {
				a := put(t, "review", 0)
				a.keep(half)
				return a
			}, steps: []string{"[SQLite]: ", "", "billing]: ", "", "skip): ", "kiosk", send, ""},
			want: withNote(kept, "soon"),
		},
		{
			name: "desk answered before", cols: 80, rows: 24, asked: func(t *testing.T) *asked {
				return putSecond(t, "single", "single", reply(option("database", "sqlite")))
			}, steps: []string{number, "?", number, ":=", send, ""}, want: reply(option("database", "sqlite")),
		},
		{
			name: "desk not answered before", says: "There is no earlier answer", cols: 80, rows: 24,
			asked: func(t *testing.T) *asked { return put(t, "single", 0) },
			steps: []string{number, ":=", number, "1", send, ""}, want: reply(option("database", "pg")),
		},
		{
			name: "desk nobody waits", says: "The agent is not waiting; it will get your answer.", cols: 80, rows: 24,
			asked: func(t *testing.T) *asked {
				a := put(t, "single", time.Nanosecond)
				a.attendance.Release()
				return a
			}, steps: []string{number, "1", send, ""}, want: reply(option("database", "pg")),
		},
		{
			name: "desk time limit", says: "closes in 4 h; every line you enter starts the time anew.", cols: 80, rows: 24,
			asked: func(t *testing.T) *asked { return put(t, "single", 4*time.Hour) },
			steps: []string{number, "1", send, ""}, want: reply(option("database", "pg")),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env := append([]string{"TTY_PLAIN=1", "TTY_OPENED=1"}, strings.Fields(tt.extra)...)
			if tt.asked != nil {
				env = tt.asked(t).env(env...)
			}
			x := start(t, tt.cols, tt.rows, strings.TrimPrefix(tt.name, "zh "), alone, env...)
			for step := range slices.Chunk(tt.steps, 2) {
				x.Expect(step[0])
				x.Type(step[1] + "\r")
			}
			x.commits(tt.want)
			transcript := strings.ReplaceAll(x.Output(), "\r\n", "\n")
			if !strings.Contains(transcript, tt.says) || strings.ContainsRune(transcript, '\x1b') {
				t.Errorf("want %q and no escape code in:\n%q", tt.says, transcript)
			}
			if tt.says == "" {
				golden.Check(t, "plain/"+strings.ReplaceAll(tt.name, " ", "-")+".txt", transcript)
			}
		})
	}
}

func noted(a question.Answer, note string) question.Answer {
	a.By, a.Note = question.ByUser, note
	return a
}

func withNote(r question.Reply, note string) question.Reply {
	r.Note = note
	return r
}

// TestLineAnswers gives what the lines of a user who opened the form send. How a line is read
// is TestUnderstand's.
func TestLineAnswers(t *testing.T) {
	sqlite, open := reply(option("database", "sqlite")), question.Reply{}
	for _, tt := range []struct {
		name, sample, lines string
		optional            bool
		want                question.Reply
		says                string
	}{
		{"no default but a declared one", "single", "\n2\n\n", false, sqlite, "Enter a number from 1 to 3"},
		{"no such number", "single", "7\n-3\n2\n\n", false, sqlite, "7 is no option"},
		{"own words", "single", "0\nDuckDB\n\n", false, reply(ownWords("database", "DuckDB")), "DuckDB"},
		{"own words left empty", "single", "0\n  \n2\n\n", false, sqlite, "Nothing was entered."},
		{"the default of several", "multi", "\n\n", false, reply(option("features", "auth", "mail")), "Sign-in, Mail"},
		{"a default text", "text", "\n\n", false, reply(ownWords("name", "shop")), "shop"},
		{"a follow-up that goes again", "followup", "1\nb\n2\n\n", false, sqlite, "Question 2 of 2"},
		{"not discussed after all", "single", "d\n\n2\n\n", false, sqlite, "discuss"},
		{
			"several and own words", "multi", "2,0\nbilling\n\n", false,
			reply(ownWords("features", "billing", "log")), "billing",
		},
		{
			"not dismissed at first", "single", "x\n\nx\ny\nlater\n", false,
			question.Reply{Dismissed: true, Reason: "later"}, "Dismiss",
		},
		{
			"left to the agent", "single", "a\na\n\n", false,
			reply(question.Answer{QuestionID: "database", Delegated: true}), "agent",
		},
		{"a note", "single", "n\nfor now\n2\n\n", false, reply(noted(sqlite.Answers[0], "for now")), "for now"},
		{
			"a note on yes or no", "boolean", ":n\non Monday\ny\n\n", false,
			reply(noted(option("sure", question.YesID), "on Monday")), "on Monday",
		},
		{
			"discussed with the answers so far", "review", "2\n:d\ny\n\n", false,
			question.Reply{Discuss: true, Answers: sqlite.Answers}, "discuss",
		},
		{
			"a command of questions at the review", "review", "2\n1 2\nkiosk\n:=\n\n", false,
			reply(option("database", "sqlite"), option("features", "auth", "log"), ownWords("name", "kiosk")),
			":= is none of these.",
		},
		{"one is left open by an empty line", "single", "\n\n", true, open, "(optional"},
		{"one is left open", "single", "-\n\n", true, open, "(optional"},
		{"several are left open", "multi", "-\n\n", true, open, "(optional"},
		{"a yes or no is left open", "boolean", "\n\n", true, open, "(optional"},
		{"a default of what may be left open", "text", "\n\n", true, reply(ownWords("name", "shop")), "(optional"},
	} {
		rec := sample(tt.sample)
		rec.Questions[0].Required = !tt.optional
		out, replies, err := ask(t, rec, tt.lines, always(nil))
		if err != nil || !reflect.DeepEqual(replies, []question.Reply{tt.want}) {
			t.Errorf("%s: committed %+v, returned %v, want %+v\n%s", tt.name, replies, err, tt.want, out)
		}
		if !strings.Contains(out, tt.says) {
			t.Errorf("%s: want %q in:\n%s", tt.name, tt.says, out)
		}
	}
	_, replies, _ := ask(t, sample("boolean"), "-\n:-\n\n", always(nil))
	if replies != nil {
		t.Errorf("a required question was left open: %+v", replies)
	}
}
