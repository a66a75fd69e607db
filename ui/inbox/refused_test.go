package inbox

import (
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// worn asks too often.
var worn = desk.Asker{Client: "claude-code", Directory: "/home/ada/shop"}

// refuses has a call refused: the session has had the one round it may.
func (r *rig) refuses(q question.Question) {
	r.t.Helper()
	unlimited := r.desk
	r.m.desk = desk.New(r.store, desk.Options{Now: r.clock, MaxRounds: 1, Pause: 24 * time.Hour})
	r.desk = r.m.desk
	defer func() { r.desk = unlimited }()
	r.reply(r.ask(worn, "worn", name()), "web", answerText("name", "orders"))
	if err := r.asksAgain(q); err == nil {
		r.t.Fatal("not refused")
	}
}

func (r *rig) asksAgain(q question.Question) error {
	_, attendance, err := r.m.desk.Submit(r.t.Context(), desk.Request{
		Set: question.Set{Questions: []question.Question{q}}, Session: "worn", Asker: worn,
	})
	if err == nil {
		r.t.Cleanup(attendance.Release)
	}
	return err
}
