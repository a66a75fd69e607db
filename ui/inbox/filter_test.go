package inbox

import (
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
)

// subjects are the questions that are shown, in order.
func (r *rig) subjects() string {
	var out []string
	for _, row := range r.m.waiting.rows {
		out = append(out, row.rec.Questions[0].ID)
	}
	return strings.Join(out, " ")
}

// TestFilter: a filter narrows the list while it is typed, by what is asked, by
// whom and where; esc shows everything again, and the selection stays.
func TestFilter(t *testing.T) {
	r := newRig(t, 80, 24)
	r.claude(database())
	r.claude(name())
	r.ask(desk.Asker{Client: "codex", Directory: "/home/ada/订单服务"}, "", deploy())
	r.open().keys("/", "SERVICE").see("2 of 3 waiting")
	if got := r.subjects(); got != "db name" {
		t.Errorf("fits SERVICE: %s", got)
	}
	r.keys(" shop sqlite")
	if got := r.subjects(); got != "db" {
		t.Errorf("fits three words: %s", got)
	}
	r.keys("enter").see("/SERVICE shop sqlite", "esc show all").keys("esc")
	if got := r.subjects(); got != "db name deploy" {
		t.Errorf("all: %s", got)
	}
	r.keys("/", "订单").see("1 of 3 waiting", "› ● Deploy").keys("esc").see("› ● Deploy")
	r.keys("/", "oracle").see("Nothing that waits fits “oracle”").keys("enter", "enter", "ctrl+x", "ctrl+d").see("Nothing that waits")
	long := name()
	long.Text = strings.Repeat("请仔细考虑", 98) + "数据库" // its last word is found too
	r.claude(long)
	r.see("0 of 4 waiting").keys("esc").see("4 waiting").keys("/", "数据库").see("1 of 4 waiting")
}

// TestOrder: askers that wait are first, each by name, and of an asker the
// questions for which it waits, each the oldest first.
func TestOrder(t *testing.T) {
	r := newRig(t, 80, 24)
	codex := desk.Asker{Client: "codex", Directory: "/srv/api"}
	ask := func(by desk.Asker, id string, live bool) {
		q := name()
		q.ID, q.Text = id, id+"?"
		rec := r.ask(by, id, q)
		if !live {
			r.waits[rec.ID].Release()
		}
		r.later(time.Minute)
	}
	shop := desk.Asker{Client: "claude-code", Directory: "/home/ada/shop"}
	ask(desk.Asker{Client: "gone", Directory: "/srv/api"}, "gone", false)
	ask(codex, "c1", false)
	ask(shop, "s1", true)
	ask(codex, "c2", true)
	ask(shop, "s2", true)
	r.open()
	if got := r.subjects(); got != "s1 s2 c2 c1 gone" {
		t.Errorf("the order is %s:\n%s", got, r.screen())
	}
	r.see("Codex in api", "Claude Code in shop", "gone in api")
}

// TestReopen: a question that has ended is asked again from the history, what
// was said filled in, and its form opens.
func TestReopen(t *testing.T) {
	r := newRig(t, 80, 24)
	rec := r.claude(database())
	r.reply(rec, "web", taken(database(), "sqlite"))
	r.waits[rec.ID].Release()
	r.open().keys("tab").see("1 past").press("r", time.Second)
	r.until("the form", func() bool { return r.m.answer != nil })
	r.see("(•) SQLite").keys("1", "enter").see("0 waiting")
	latest, err := r.desk.Latest(t.Context(), rec.ID)
	if err != nil || latest.Earlier != rec.ID || latest.Outcome.Reply.Answers[0].Selected[0] != "pg" {
		t.Errorf("the latest is %+v, %v", latest, err)
	}
}
