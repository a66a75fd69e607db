//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
	"os"
	"time"
)

// crowd is a server in which so many calls wait, with a progress token or not.
type crowd struct {
	*running
	before float64 // MiB resident without a call
}

func (f *figures) crowd(calls int, token bool) *crowd {
	dir := f.TempDir()
	server := start(f, f.path, dir, "serve", "--surface", "inbox", "--hold", "1h", "--max-rounds", "0")
	server.say(f, hello)
	server.hear(f)
	c := &crowd{running: server, before: server.resident(f)}
	go func() { _, _ = io.Copy(io.Discard, server.out) }()
	for i := range calls {
		meta := ""
		if token {
			meta = fmt.Sprintf(`"_meta":{"progressToken":%d},`, i)
		}
		server.say(f, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call",`+
			`"params":{%s"name":"ask_user_question","arguments":{"question":"Question %d?"}}}`+"\n", i, meta, i))
	}
	d := openDesk(f, dir)
	if !waittest.Until(patience, func() bool {
		open, err := d.Pending(f.Context())
		return err == nil && len(open) >= calls
	}) {
		f.Fatalf("not all of %d calls wait", calls)
	}
	return c
}

func (c *crowd) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// settle waits until what a process holds falls no more.
func (f *figures) settle(r *running) {
	for before, now := math.Inf(1), r.resident(f); now < 0.99*before; {
		waittest.Pass(f.Context(), 10*time.Second)
		before, now = now, r.resident(f)
	}
}

// waiting measures what calls cost that wait: in memory, in files, and in work.
func (f *figures) waiting() {
	const calls, during = 1000, 21 * time.Second
	c := f.crowd(calls, false)
	f.settle(c.running)
	files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.cmd.Process.Pid))
	f.is("1,000 waiting calls: resident, each", "KiB", (c.resident(f)-c.before)*1024/calls, 64)
	f.is("1,000 waiting calls: open files, each", "", float64(len(files))/calls, 2)
	f.rest("1,000 waiting calls without a token, 21 s", c.cmd.Process.Pid, 0, during, during)
	c.kill()
	c = f.crowd(calls, true)
	f.settle(c.running)
	spent := f.spentBy(c.cmd.Process.Pid)
	waittest.Pass(f.Context(), during)
	share := (f.spentBy(c.cmd.Process.Pid) - spent) / during.Seconds() * 100
	f.is("1,000 waiting calls with a token, 21 s: processor", "%", share, 1)
	c.kill()
}

// fill puts so many records into a store, which differ in their text.
func (f *figures) fill(n int, ended bool) (dir string) {
	dir = f.TempDir()
	store := desktest.Store(f, dir)
	d := desk.New(store, desk.Options{})
	rec, err := desktest.Ask(f.Context(), d, someSet("Which database 4711 should the service use?"), "", desk.Asker{Client: "claude-code", Directory: "/src/shop", Via: "mcp"})
	if err == nil && ended {
		_, err = d.Reply(f.Context(), rec.ID, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "PostgreSQL"}}}, desk.Evidence{Surface: "tty", How: desk.HowPage})
	}
	if err == nil && ended {
		err = d.Delivered(f.Context(), rec.ID)
	}
	if err != nil {
		f.Fatal(err)
	}
	// The others are copies, in one transaction: ids differ in their last digits.
	desktest.Exec(f, dir, `with recursive n(i) as (select 0 union all select i+1 from n where i < ?),
		copy(old, new, i) as (select ?, substr(?, 1, 20) || printf('%06d', i), i from n)
		insert into record(id, session, run, project, earlier, content, at, touched, keep, holder, delivered, revision, text, asked, outcome)
		select new, session, run, project, earlier, content || i, at, touched, keep, holder, delivered, revision + 1 + i,
			replace(text, '4711', i), cast(replace(replace(cast(asked as text), old, new), '4711', i) as blob), outcome
		from copy join record on id = old`, n-2, rec.ID, rec.ID)
	desktest.Exec(f, dir, `update counter set revision = revision + ?`, n)
	return dir
}

func (f *figures) history() {
	past := f.fill(100_000, true)
	wall := func(dir string, args ...string) func() float64 {
		return func() float64 { wall, _ := f.spent(dir, args...); return wall }
	}
	f.is("history --limit 50 of 100,000", "ms", median(10, wall(past, "history", "--limit", "50")), 50)
	f.is("history --search over 100,000", "ms", median(5, wall(past, "history", "--limit", "50", "--search", "nowhere to be found")), 500)
	open := f.fill(10_000, false)
	f.is("pending --json of 10,000: processor", "ms", median(5, func() float64 { _, cpu := f.spent(open, "pending", "--json"); return cpu }), 300)
}

// replies measures from a committed reply to the result at the client: of one
// server, and of 200 with an inbox and a page open.
func (f *figures) replies() {
	for _, servers := range []int{1, 200} {
		dir := f.TempDir()
		d := openDesk(f, dir)
		events, err := d.Watch(f.Context())
		if err != nil {
			f.Fatal(err)
		}
		ask := func(r *running, n int) string {
			r.say(f, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask_user_question","arguments":{"question":"Question %d?"}}}`+"\n", n, n))
			for e := range events {
				if e.Type == desk.Asked {
					return e.Record.ID
				}
			}
			f.Fatal("the question was not asked")
			return ""
		}
		type open struct {
			*running
			id string
		}
		var fleet []open
		for n := range servers {
			r := start(f, f.path, dir, "serve", "--surface", "inbox", "--max-rounds", "0")
			r.say(f, hello)
			r.hear(f)
			fleet = append(fleet, open{r, ask(r, n)})
		}
		if servers > 1 {
			inbox := termtest.Start(f, f.command(dir, "inbox"), 100, 30)
			inbox.WaitFor("waiting")
			page := termtest.Start(f, f.command(dir, "web"), 100, 30)
			page.WaitFor("http://")
		}
		var took []float64
		for n := range 300 {
			o := fleet[n%servers]
			waittest.Pass(f.Context(), 20*time.Millisecond) // who watches has come to rest
			if _, err := d.Reply(f.Context(), o.id, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "x"}}}, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
				f.Fatal(err)
			}
			at := time.Now()
			o.hear(f)
			took = append(took, ms(time.Since(at)))
			fleet[n%servers].id = ask(o.running, servers+n)
		}
		for _, o := range fleet {
			_ = o.cmd.Process.Kill()
			_ = o.cmd.Wait()
		}
		what, goal := "reply to result, p99, one server", 2.0
		if servers > 1 {
			what, goal = "reply to result, p99, 200 servers, inbox and page open", 5
		}
		f.is(what, "ms", percentile(took, 0.99), goal)
	}
}
