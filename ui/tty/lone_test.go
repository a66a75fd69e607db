package tty

import (
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"mcp-askuser/desk"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/gate"
)

// TestLoneEnter: Enter that is meant for another program, after any pause and
// however often, answers nothing in a form that appeared by itself.
func TestLoneEnter(t *testing.T) {
	for _, name := range []string{"single", "multi", "text", "boolean", "optional single", "optional multi", "optional text", "optional boolean", "review"} {
		kind, optional := strings.CutPrefix(name, "optional ")
		rec := sample(kind)
		rec.Questions[0].Required = !optional
		for _, keys := range termtest.LoneEnters(100) {
			if len(keys) > 3 && kind == "text" { // where text is typed nothing tells it from an answer
				continue
			}
			var strokes []stroke
			for _, blow := range keys {
				strokes = append(strokes, stroke{blow.After, strings.ReplaceAll(blow.Keys, "\r", "\n")})
			}
			if out, replies, _ := typing(t, rec, gate.Appeared, strokes, always(nil)); replies != nil || strings.Contains(out, "Question 2") {
				t.Fatalf("%s: %q committed %+v:\n%s", name, termtest.Typed(keys), replies, out)
			}
		}
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
// command, or as any answer is; where the user called for the form, by an empty line.
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
	for from, want := range map[string][]question.Reply{"multi": answered(option("features", "auth", "mail")), "text": answered(ownWords("name", "shop"))} {
		if out, replies, _ := typing(t, sample(from), gate.Opened, slowly("\n\n"), always(nil)); !reflect.DeepEqual(replies, want) {
			t.Errorf("%s: committed %+v:\n%s", from, replies, out)
		}
	}
}
