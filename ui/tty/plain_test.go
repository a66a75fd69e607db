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

// TestLineAnswers gives what the lines of a user who opened the form send.
func TestLineAnswers(t *testing.T) {
	sqlite, open := reply(option("database", "sqlite")), question.Reply{}
	auth, no := reply(option("features", "auth")), reply(option("sure", question.NoID))
	version := reply(option("database", "pg"), option("version", "17"))
	for _, tt := range []struct {
		name, sample, lines string
		optional            bool
		want                question.Reply
		says                string
	}{
		{"no default but a declared one", "single", "\n2\n\n", false, sqlite, "Enter a number from 1 to 3"},
		{"no such number", "single", "7\n-3\n2\n\n", false, sqlite, "7 is no option"},
		{"several numbers for one answer", "single", "1,2\n2\n\n", false, sqlite, "Only one answer"},
		{"a name is no number", "single", "sqlite\n2\n\n", false, sqlite, "sqlite is no option"},
		{"long nonsense is cut", "single", strings.Repeat("x", 900) + "\n2\n\n", false, sqlite, "x… is no option"},
		{"one of several is none", "multi", "1,9\n1\n\n", false, auth, "9 is no option"},
		{"only commas", "multi", ",,\n1\n\n", false, auth, "names no option"},
		{"wide commas and blanks", "multi", " １，　３、1 \n\n", false, reply(option("features", "auth", "mail")), ""},
		{"no own words where none are taken", "followup", "1\n0\n2\n\n", false, version, "0 is no option"},
		{"a yes with a condition", "boolean", "yes, but keep the backups\nNO\n\n", false, no, "backups is no option"},
		{"a no with a condition", "boolean", "n，not yet\nn\n\n", false, no, "is no option"},
		{"a number is a text", "text", "0\n\n", false, reply(ownWords("name", "0")), ""},
		{"a wide command", "text", "：？\nkiosk\n\n", false, reply(ownWords("name", "kiosk")), "Enter a text, or"},
		{"own words left empty", "single", "0\n  \n2\n\n", false, sqlite, "Nothing was entered."},
		{"a follow-up that goes again", "followup", "1\nb\n2\n\n", false, sqlite, "Question 2 of 2"},
		{"not discussed after all", "single", "d\n\n2\n\n", false, sqlite, "discuss"},
		{
			"several and own words", "multi", "2,0\nbilling\n\n", false,
			reply(ownWords("features", "billing", "log")), "billing",
		},
		{"other by its name", "multi", "2,Other\nbilling\n\n", false, reply(ownWords("features", "billing", "log")),
			"billing"},
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
