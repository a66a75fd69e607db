package inbox

import (
	"strings"
	"testing"

	"mcp-askuser/question"
)

// TestHistoryLive: what ends while the history is shown comes in on top, and
// the selection stays.
func TestHistoryLive(t *testing.T) {
	r := newRig(t, 80, 24)
	r.reply(r.claude(database()), "tty", taken(database(), "pg"))
	waits := r.claude(name())
	r.open().keys("tab").see("1 past")
	r.reply(waits, "web", answerText("name", "orders"))
	r.see("2 past", "› ✓ Database", "orders · answered on the web page")
	r.keys("up", "enter").see("What is the service called?", "→ orders")
	r.keys("esc", "tab").see("[Waiting]")
}

// TestOvertakenSearch: the result of an earlier search is not shown as that of
// a later one.
func TestOvertakenSearch(t *testing.T) {
	r := newRig(t, 80, 24)
	for _, q := range []question.Question{name(), database(), deploy()} {
		a := answerText(q.ID, "it")
		if q.Type != question.Text {
			a = taken(q, q.Options[0].ID)
		}
		r.reply(r.claude(q), "tty", a)
	}
	r.open().keys("tab").see("3 past")
	slow := r.m.loadHistory("service")
	fast := r.m.loadHistory("Deploy")
	r.send(fast())
	r.send(slow())
	if s := r.screen(); !strings.Contains(s, "Deploy to production") || strings.Contains(s, "service") {
		t.Errorf("the screen is\n%s", s)
	}
}
