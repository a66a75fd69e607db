package inbox

import (
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/gate"
)

// TestAlike: what several agents ask is one row, and a second key sends the answer of the first
// to the others.
func TestAlike(t *testing.T) {
	r := newRig(t, 80, 24)
	recs := []desk.Record{r.claude(database())}
	for _, client := range []string{"codex", "gemini-cli"} {
		recs = append(recs, r.ask(desk.Asker{Client: client, Directory: "/home/ada/shop"}, "s-"+client, database()))
	}
	other := r.claude(name())
	r.open().see("×3", "and 2 others", "4 waiting")
	r.answers().keys("2", "enter").see("Answer sent. 2 others ask the same: = sends them the same answer.", "×2")
	if n := r.pending(); n != 3 {
		t.Fatalf("before the second act %d wait", n)
	}
	r.later(gate.Quiet).keys("=").see("The same answer was sent to 2 others.", "1 waiting").lacks("×")
	for _, rec := range recs {
		if got := r.get(rec); got.State != desk.Answered || got.Outcome.Reply.Answers[0].Selected[0] != "sqlite" {
			t.Errorf("%s: %+v", rec.Asker.Client, got.Outcome)
		}
	}
	r.later(gate.Quiet).keys("=").see("Nothing that waits asks what you answered last.")
	if got := r.get(other); got.Outcome != nil {
		t.Errorf("another question has %+v", got.Outcome)
	}
}

// TestAlikeClosedElsewhere: what another surface has closed meanwhile is not counted as sent.
func TestAlikeClosedElsewhere(t *testing.T) {
	r := newRig(t, 80, 24)
	r.claude(database())
	ended := r.ask(desk.Asker{Client: "codex", Directory: "/home/ada/shop"}, "s1", database())
	r.ask(desk.Asker{Client: "gemini-cli", Directory: "/home/ada/shop"}, "s2", database())
	r.open().answers().keys("2", "enter").see("2 others ask the same")
	answerOthers := r.m.answerOthers() // what = does, once it is known who waits
	r.reply(ended, "web", question.Answer{QuestionID: database().ID, Selected: []string{"pg"}})
	r.run(answerOthers)
	r.see("The same answer was sent to 1 other.", "0 waiting")
}

// TestSelectedAlike: the selection stays on a question that another agent asks too, whichever of the two
// stands for both.
func TestSelectedAlike(t *testing.T) {
	r := newRig(t, 80, 24)
	r.claude(database())
	r.claude(name())
	r.open().see("› ● Database", "2 waiting")
	first := r.ask(desk.Asker{Client: "Aider", Directory: "/home/ada/shop"}, "s1", database())
	r.see("3 waiting", "› ● ×2 Database")
	r.reply(first, "web", taken(database(), "pg"))
	r.see("2 waiting", "› ● Database")
}

// TestConfirmationsAreNotAlike: each takes a yes of its own, and a dismissal goes to one.
func TestConfirmationsAreNotAlike(t *testing.T) {
	r := newRig(t, 80, 24)
	for _, client := range []string{"codex", "gemini-cli"} {
		r.ask(desk.Asker{Client: client, Directory: "/home/ada/shop"}, "s-"+client, deploy())
	}
	r.open().see("2 waiting").lacks("×2")
	r.answers().keys("y", "enter").see("1 waiting").lacks("asks the same")
	r.later(gate.Quiet).keys("=").see("Nothing that waits asks what you answered last.", "1 waiting")
}
