package tty

import (
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/desk"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/words"
)

// strokes are what the line form reads of blows: whole lines.
func strokes(blows []termtest.Blow) []stroke {
	paste := strings.NewReplacer("\r", "\n", ansi.BracketedPasteStart, "", ansi.BracketedPasteEnd, "")
	var out []stroke
	for _, blow := range blows {
		out = append(out, stroke{blow.After, paste.Replace(blow.Keys)})
	}
	return out
}

// TestTypedElsewhere: what is typed to another program while the form appears answers nothing, and neither does
// Enter alone, after any pause and however often. Where text is typed nothing tells a text from an answer.
func TestTypedElsewhere(t *testing.T) {
	for _, name := range []string{
		"single", "multi", "text", "boolean", "review",
		"optional single", "optional multi", "optional text", "optional boolean",
	} {
		kind, optional := strings.CutPrefix(name, "optional ")
		rec := sample(kind)
		rec.Questions[0].Required = !optional
		typings := termtest.LoneEnters(30)
		if kind != "text" {
			typings = append(typings, termtest.Typings(60)...)
		}
		for _, keys := range typings {
			if len(keys) > 3 && kind == "text" {
				continue
			}
			out, replies, _ := typing(t, rec, gate.Appeared, strokes(keys), always(nil))
			if replies != nil || strings.Contains(out, "Question 2") {
				t.Fatalf("%s: %q committed %+v:\n%s", name, termtest.Typed(keys), replies, out)
			}
		}
	}
}

// What counts, and what is said of what does not.
func TestDeliberateLines(t *testing.T) {
	const ms, second = time.Millisecond, time.Second
	sqlite := answered(option("database", "sqlite"))
	for _, tt := range []struct {
		name, sample string
		origin       gate.Origin
		strokes      []stroke
		want         []question.Reply
		says, never  string
	}{
		{"after the quiet", "single", gate.Appeared, []stroke{{700 * ms, "2\n"}, {second, "\n"}}, sqlite, "Your answer: SQLite", words.T(words.AwaitsPause)},
		{"before the quiet, then again", "single", gate.Appeared, []stroke{{500 * ms, "2\n"}, {700 * ms, "2\n"}, {second, "\n"}}, sqlite, words.T(words.AwaitsPause), ""},
		{"half a line before the quiet", "single", gate.Appeared, []stroke{{500 * ms, "1"}, {700 * ms, "2\n"}, {second, "\n"}}, sqlite, words.T(words.AwaitsPause), ""},
		{"an answer alone", "single", gate.Opened, []stroke{{second, "2\n"}, {time.Hour, ""}}, nil, "Your answer: SQLite", ""},
		{"a paste of an answer and Enter", "single", gate.Opened, []stroke{{second, "2\n\n"}, {time.Hour, ""}}, nil, "Your answer: SQLite", ""},
		{"a paste of several answers", "review", gate.Opened, []stroke{{second, "2\n1\nx\n\n"}, {time.Hour, ""}}, nil, "Question 2", "Question 3"},
		{"a paste in parts", "single", gate.Opened, []stroke{{second, "2\n"}, {100 * ms, "\n"}, {100 * ms, "\n"}, {time.Hour, ""}}, nil, "Your answer: SQLite", ""},
		{"a paste at the review", "single", gate.Opened, []stroke{{second, "2\n"}, {second, "\n3\n"}, {time.Hour, ""}}, nil, "so fast", ""},
		{"a paste with the end of input", "single", gate.Opened, []stroke{{second, "2\n\x04\n"}, {second, "\n"}}, sqlite, "", words.T(words.Dismissed)},
		{"Enter held down", "single", gate.Opened, []stroke{{second, "2\n"}, {500 * ms, "\n"}, {83 * ms, "\n"}, {83 * ms, "\n"}, {time.Hour, ""}}, nil, "so fast", ""},
		{"arrows at the review", "single", gate.Opened, []stroke{{second, "2\n"}, {second, "\x1b[A\n"}, {time.Hour, ""}}, nil, "Your answer: SQLite", ""},
		{"a line for a question that is not in view yet", "followup", gate.Opened, []stroke{{second, "1\n"}, {100 * ms, "1\n"}, {second, "2\n"}, {second, "\n"}},
			answered(option("database", "pg"), option("version", "17")), "", ""},
		{"a stray line before an Enter", "single", gate.Appeared, []stroke{{second, "2\n"}, {300 * ms, "git push\n"}, {second, "\n"}, {second, "\n"}, {time.Hour, ""}}, nil, "git push is none of these", ""},
		{"a stray line, then an answer", "single", gate.Appeared, []stroke{{second, "1\n"}, {300 * ms, "git push\n"}, {second, "2\n"}, {second, "\n"}}, sqlite, "git push is none of these", ""},
		{"a stray line where the user opened the form", "single", gate.Opened, []stroke{{second, "2\n"}, {second, "git push\n"}, {second, "\n"}}, sqlite, "git push is none of these", ""},
		{"an answer right after a mistake", "single", gate.Appeared, []stroke{{second, "7\n"}, {300 * ms, "1\n"}, {second, "2\n"}, {second, "\n"}}, sqlite, "7 is no option", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, replies, _ := typing(t, sample(tt.sample), tt.origin, tt.strokes, always(nil))
			if !reflect.DeepEqual(replies, tt.want) {
				t.Errorf("committed %+v, want %+v\n%s", replies, tt.want, out)
			}
			if !strings.Contains(out, tt.says) || tt.never != "" && strings.Contains(out, tt.never) {
				t.Errorf("want %q and not %q in:\n%s", tt.says, tt.never, out)
			}
		})
	}
}

// Impatience while the answer is stored answers nothing that is asked then.
func TestLinesWhileStoring(t *testing.T) {
	const half, second = time.Second / 2, time.Second
	impatient := []stroke{{second, "2\n"}, {second, "\n"}, {half, "\n"}, {half, "\n"}, {2 * second, ""}}
	_, _, err := typing(t, sample("single"), gate.Opened, impatient, func(try int) error {
		if try > 1 {
			t.Error("sent again")
		}
		<-time.After(second) // of the bubble's own time
		return errTaken
	})
	if err == nil {
		t.Error("an answer that was not stored is one")
	}
}

// TestLoneEnterOnADraft: nor does it answer what was typed before.
func TestLoneEnterOnADraft(t *testing.T) {
	a := put(t, "review", 0)
	draft := answered(option("database", "sqlite"), option("features", "log"), ownWords("name", "kiosk"))[0]
	draft.Answers[0].Files = []question.File{{Name: "log.txt", Type: "text/plain", Size: 6, SHA256: strings.Repeat("a", 64)}}
	a.keep(draft)
	synctest.Test(t, func(t *testing.T) {
		out, _ := converse(t.Context(), slowly(strings.Repeat("\n", 10)), form.Backing{Desk: a.Desk, Rec: a.Record}, gate.Appeared, func(r question.Reply) error {
			t.Errorf("committed %+v", r)
			return nil
		})
		if !strings.Contains(out, "Enter a number (:= takes SQLite, log.txt") || strings.Contains(out, "Question 2") {
			t.Errorf("the transcript:\n%s", out)
		}
	})
}

// TestFirstAct: in a form that appeared by itself what is proposed is taken by a
// command, or as any answer is. Where the user called for the form, an empty line takes it: TestLineAnswers.
func TestFirstAct(t *testing.T) {
	preset, optional := sample("single"), sample("text")
	preset.Questions[0].Options[1].Default, optional.Questions[0].Required = true, false
	for _, tt := range []struct {
		lines string
		rec   desk.Record
		asks  string
		want  []question.Reply
	}{
		{"\n=\n\n", preset, "Enter a number (:= takes SQLite): ", answered(option("database", "sqlite"))},
		{"\n3\n\n", preset, "  2. SQLite (default)\n", answered(option("database", "none"))},
		{"\n=\n\n", sample("multi"), "like 1,2 (:= takes Sign-in, Mail): ", answered(option("features", "auth", "mail"))},
		{"\n:=\n\n", sample("text"), "Your answer (:= takes shop): ", answered(ownWords("name", "shop"))},
		{"\n:-\n\n", optional, "(:= takes shop) (optional, :- to skip): ", []question.Reply{{}}},
		{"1\nb\n1\n=\n\n", sample("followup"), "(:= takes Seventeen): ", answered(option("database", "pg"), option("version", "17"))},
		{"1\n1\n1\n=\n\n", sample("followup"), "(:= takes PostgreSQL): ", answered(option("database", "pg"), option("version", "16"))},
	} {
		out, replies, _ := typing(t, tt.rec, gate.Appeared, slowly(tt.lines), always(nil))
		if !reflect.DeepEqual(replies, tt.want) || !strings.Contains(out, tt.asks) || strings.HasPrefix(tt.lines, "\n") != strings.Contains(out, "Enter alone answers nothing here") {
			t.Errorf("%q: committed %+v, want %+v, and %q in:\n%s", tt.lines, replies, tt.want, tt.asks, out)
		}
	}
}
