//go:build unix

package tty

import (
	"cmp"
	"reflect"
	"strings"
	"testing"

	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
)

// step is a prompt to wait for and what to type at it.
type step struct{ prompt, keys string }

// TestPlainTranscripts holds what a terminal shows of the line form, one transcript a state.
func TestPlainTranscripts(t *testing.T) {
	const number, numbers = "Enter a number: ", "Enter numbers, like 1,2 [Sign-in, Mail]: "
	const send, opened = "? helps: ", "TTY_OPENED=1"
	for _, tt := range []struct {
		name   string
		sample string
		width  int // 80 where it is 0
		extra  string
		steps  []step
		want   question.Reply
	}{
		{
			name: "multi and other", sample: "multi", extra: opened,
			steps: []step{{numbers, "2,0\r"}, {"own answer: ", "billing\r"}, {send, "\r"}},
			want:  reply(ownWords("features", "billing", "log")),
		},
		{
			name: "review", width: 40, extra: opened,
			steps: []step{
				{number, "b\r"}, {number, "2\r"}, {numbers, "\r"}, {"(optional, Enter to skip): ", "\r"},
				{send, "1\r"}, {"[SQLite]: ", "3\r"}, {send, "n\r"}, {"for none): ", "soon, please\r"}, {send, "\r"},
			},
			want: withNote(reply(option("database", "none"), option("features", "auth", "mail")), "soon, please"),
		},
		{
			name: "dismiss", sample: "single", extra: opened,
			steps: []step{{number, "x\r"}, {"[n]: ", "\r"}, {number, "x\r"}, {"[n]: ", "y\r"}, {"none): ", "later\r"}},
			want:  question.Reply{Dismissed: true, Reason: "later"},
		},
		{
			name: "left to the agent", sample: "single", extra: opened,
			steps: []step{{number, "a\r"}, {send, "a\r"}, {send, "\r"}},
			want:  question.Reply{Answers: []question.Answer{{QuestionID: "database", By: question.ByUser, Delegated: true}}},
		},
		{
			name: "appeared multi", sample: "multi",
			steps: []step{{"in, Mail): ", "?\r"}, {"in, Mail): ", "\r"}, {"in, Mail): ", "=\r"}, {send, "\r"}},
			want:  reply(option("features", "auth", "mail")),
		},
		{
			name: "chinese", width: 40, extra: opened,
			steps: []step{{number, "０\r"}, {"own answer: ", "云数据库\r"}, {send, "\r"}},
			want:  reply(ownWords("db", "云数据库")),
		},
		{
			name: "zh review", sample: "review", extra: opened + " TTY_LANGUAGE=zh",
			steps: []step{
				{"输入编号：", "?\r"}, {"输入编号：", "2\r"}, {"如 1,2 [Sign-in, Mail]：", "２，０\r"}, {"自己的回答：", "计费\r"},
				{"按 Enter 跳过）：", "\r"}, {"帮助：", "1\r"}, {"[SQLite]：", "3\r"}, {"帮助：", "n\r"}, {"Enter 跳过）：", "请尽快\r"},
				{"帮助：", "\r"},
			},
			want: withNote(reply(option("database", "none"), ownWords("features", "计费", "log")), "请尽快"),
		},
		{
			name: "pt boolean", sample: "boolean", extra: opened + " TTY_LANGUAGE=pt",
			steps: []step{
				{"s ou n: ", "talvez\r"}, {"s ou n: ", "d\r"}, {"[n]: ", "não\r"}, {"ou n: ", "S\r"}, {"ajuda: ", "\r"},
			},
			want: reply(option("sure", question.YesID)),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			width, height, size := 80, 24, " 80x24"
			if tt.width == 40 {
				width, height, size = 40, 10, " 40x10"
			}
			env := append([]string{"TTY_PLAIN=1"}, strings.Fields(tt.extra)...)
			x := start(t, width, height, cmp.Or(tt.sample, tt.name), alone, env...)
			x.walk(tt.steps)
			x.commits(tt.want)
			checkTranscript(t, tt.name+size, x.Output())
		})
	}
}

// walk types at each prompt.
func (x *run) walk(steps []step) {
	x.t.Helper()
	for _, s := range steps {
		x.Expect(s.prompt)
		x.Type(s.keys)
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

// checkTranscript compares what the line form wrote, which is no escape code, with a file.
func checkTranscript(t *testing.T, name, output string) {
	t.Helper()
	transcript := strings.ReplaceAll(output, "\r\n", "\n")
	if strings.ContainsRune(transcript, '\x1b') {
		t.Errorf("the plain form wrote an escape code: %q", transcript)
	}
	golden.Check(t, "plain/"+strings.ReplaceAll(name, " ", "-")+".txt", transcript)
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
		{"several numbers for one", "single", "1,3\n2\n\n", false, sqlite, "Only one answer"},
		{"own words", "single", "0\nDuckDB\n\n", false, reply(ownWords("database", "DuckDB")), "DuckDB"},
		{"own words left empty", "single", "0\n  \n2\n\n", false, sqlite, "Nothing was entered."},
		{"the default of several", "multi", "\n\n", false, reply(option("features", "auth", "mail")), "Sign-in, Mail"},
		{"a default text", "text", "\n\n", false, reply(ownWords("name", "shop")), "shop"},
		{"a follow-up that goes again", "followup", "1\nb\n2\n\n", false, sqlite, "Question 2 of 2"},
		{"neither yes nor no", "boolean", "\nmaybe\nn\n\n", false, reply(option("sure", question.NoID)), "maybe is no"},
		{"not discussed after all", "single", "d\n\n2\n\n", false, sqlite, "discuss"},
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
