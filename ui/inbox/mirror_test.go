package inbox

import (
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// A question that is open in its host's dialog too says so. Where the host took another
// answer than the one given here, the inbox says that to its user.
func TestMirrored(t *testing.T) {
	r := newRig(t, 80, 24).open()
	rec, attendance, err := r.desk.Mirror(t.Context(), desk.Request{
		Set: question.Set{Questions: []question.Question{database()}}, Session: "s1",
		Asker: desk.Asker{Client: "claude-code", Directory: "/home/ada/shop"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer attendance.Release()
	if err := r.desk.SetShown(t.Context(), rec.ID, []desk.Showing{{Surface: "claude-code"}}); err != nil {
		t.Fatal(err)
	}
	r.see("Which database", "also in Claude Code")
	r.reply(rec, "web", taken(database(), "pg"))
	r.see("answered on the web page")
	there := question.Reply{Answers: []question.Answer{answerText(database().ID, "none")}}
	if _, err := r.desk.Settle(t.Context(), rec.ID, desk.Outcome{Status: desk.Answered, Reply: &there, Surface: "claude-code"}); err != nil {
		t.Fatal(err)
	}
	r.see("Not answered on the web page: it was answered in Claude Code first.")
	r.keys("tab").see("✓ Database").keys("r").see("It cannot be asked again") // its host does not come back for it
}
