package inbox

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/form"
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

// TestSlowReopen: what is typed while the store is slow to ask again is for the form that opens, and opens no
// other. Where the question cannot be asked again, the keys are for the list again.
func TestSlowReopen(t *testing.T) {
	r := newRig(t, 80, 24)
	rec := r.claude(database())
	r.reply(rec, "web", taken(database(), "sqlite"))
	waits := r.claude(name())
	r.open().keys("tab").see("1 past").press("r", time.Second).keys("1", "tab")
	r.until("the form", func() bool { return r.m.answer != nil })
	r.see("0 Other").keys("q").see("(•) PostgreSQL").keys(form.ListKey).see("2 waiting")

	r.apart.Fail("Ask", errors.New("no space left"))
	r.reply(waits, "web", answerText("name", "orders"))
	r.keys("tab").see("✓ Name").keys("up").press("r", time.Second).keys("1")
	r.see("It cannot be asked again", "no space left").keys("tab").see("[Waiting]")
}

// TestReopenWhatIsRead: r asks again what the user reads, also where the list has another record selected
// by then.
func TestReopenWhatIsRead(t *testing.T) {
	r := newRig(t, 80, 24)
	for _, rec := range []desk.Record{r.claude(database()), r.claude(name())} {
		r.reply(rec, "web", question.Answer{QuestionID: rec.Questions[0].ID, Custom: "orders"})
	}
	r.open().keys("tab").see("2 past").keys("down", "enter").see("Which database")
	r.apart.FailRows(1, errors.New("the disk fails"))
	r.send(tea.FocusMsg{})
	r.until("the past to be read", func() bool { return !r.m.history.loading })
	r.apart.FailRows(0, nil)
	r.press("r", time.Second)
	r.until("the form", func() bool { return r.m.answer != nil })
	r.see("Which database")
}

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

// A question that is open in its host's dialog too says so. Where the host took another
// answer than the one given here, the inbox says that to its user.
func TestMirrored(t *testing.T) {
	r := newRig(t, 80, 24).open()
	rec, attendance, err := r.desk.Mirror(t.Context(), desk.Request{
		Set: question.Set{Questions: []question.Question{database()}}, Session: "s1",
		Asker: desk.Asker{Client: "claude-code", Directory: "/home/ada/shop"},
	})
	fatal.If(t, err)
	defer attendance.Release()
	fatal.If(t, r.desk.SetShown(t.Context(), rec.ID, []desk.Showing{{Surface: "claude-code"}}))
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

// TestGo: g shows the terminal of the agent that asks, and says why where it cannot.
func TestGo(t *testing.T) {
	r := newRig(t, 80, 24)
	r.ask(desk.Asker{Client: "codex", Directory: "/home/ada/shop", Via: "mcp", PID: os.Getpid()}, "s", name())
	shown := make(chan int, 1)
	r.m.goTo = func(pid int) error { shown <- pid; return nil }
	r.open().keys("g")
	if pid := <-shown; pid != os.Getpid() {
		t.Errorf("shown is %d", pid)
	}
	r.m.goTo = func(int) error { return ui.Unavailablef("not inside tmux") }
	r.keys("g").see("The agent's terminal cannot be shown: not inside tmux")
	if r.m.answer != nil {
		t.Error("a form is open")
	}
}
