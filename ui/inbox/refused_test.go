package inbox

import (
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/termtest"
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

// TestRefused: a refused call stands above what waits, from the next look on,
// until the limit is lifted.
func TestRefused(t *testing.T) {
	const line = "! Claude Code in shop asked too often in a row: Databas"
	r := newRig(t, 80, 24)
	r.refuses(database())
	r.open().see(line, "· L lifts the limit")
	r.keys("tab").see("[History]")
	if strings.Contains(r.screen(), line) {
		t.Errorf("it stands in the history too:\n%s", r.screen())
	}
	r.keys("tab").see(line)
	r.keys("L").see("The limit is lifted")
	r.until("the line to go", func() bool { return !strings.Contains(r.screen(), line) })
	if err := r.asksAgain(database()); err != nil {
		t.Errorf("refused again: %v", err)
	}
	r.see("1 waiting")
}

// TestRefusedTypedElsewhere: the first letter of a sentence lifts no limit.
func TestRefusedTypedElsewhere(t *testing.T) {
	r := newRig(t, 80, 24)
	r.refuses(database())
	r.open().see("asked too often")
	for _, key := range termtest.Keys("Let me see") {
		r.send(key)
		r.later(80 * time.Millisecond)
	}
	r.later(time.Second)
	if err := r.asksAgain(deploy()); err == nil {
		t.Error("the limit is lifted")
	}
}
