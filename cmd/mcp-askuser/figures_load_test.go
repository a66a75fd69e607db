//go:build linux

package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
)

// idle measures how fast a form and the inbox appear, and what they cost while their user does
// nothing.
func (f *figures) idle() {
	const form = `{"questions":[{"question":"Which database?","header":"DB","options":["A","B"]}]}`
	for _, s := range []struct {
		what, text string
		args       []string
	}{{"form", "Which", []string{"ask", form}}, {"inbox", "Waiting", []string{"inbox"}}} {
		begin := time.Now()
		x := termtest.Start(f, f.command(f.TempDir(), s.args...), 100, 30)
		x.WaitFor(s.text)
		f.is("first frame of the "+s.what, "ms", float64(time.Since(begin))/1e6, 60)
		f.rest("idle "+s.what, x.Pid(), 2, 10*time.Second)
		x.Hangup()
		x.Wait()
	}
}

// key measures from a key to what it has changed on the screen, in an answer of 9 kB.
func (f *figures) key() {
	x := termtest.Start(f, f.command(f.TempDir(), "ask", `{"questions":[{"question":"What?","type":"text"}]}`), 100, 30)
	x.WaitFor("What?")
	x.Until("the pause to be over", func() bool { x.Type("-"); return strings.Contains(x.Screen(), "┃ -") })
	x.Type(ansi.BracketedPasteStart + strings.Repeat("nine letters ", 700) + "the end" + ansi.BracketedPasteEnd)
	x.WaitFor("the end")
	var took []float64
	for n := range 20 {
		begin := time.Now()
		x.Type("!")
		x.WaitFor("end" + strings.Repeat("!", n+1))
		took = append(took, ms(time.Since(begin)))
	}
	f.is("a key in 9 kB of text, the median of 20", "ms", percentile(took, 0.5), 10)
	x.Hangup()
	x.Wait()
}

// withdrawals measures from a reply that is committed elsewhere to a form that has gone.
func (f *figures) withdrawals() {
	dir := f.TempDir()
	d := desktest.Open(f, dir)
	var took []float64
	for range 20 {
		x := termtest.Start(f, f.command(dir, "ask", `{"questions":[{"question":"What?","type":"text"}]}`), 100, 30)
		x.WaitFor("What?")
		reply(f.T, d, openRecord(f.T, d).ID, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "x"}}})
		begin := time.Now()
		x.Until("the form to be gone", func() bool { return !x.FullScreen() })
		took = append(took, ms(time.Since(begin)))
		x.Wait()
	}
	f.is("reply elsewhere to the form gone, the longest of 20", "ms", slices.Max(took), 250)
}

// waiting measures what calls cost that wait: in memory, in files, and in work.
func (f *figures) waiting() {
	const calls = 1000
	dir := f.TempDir()
	c := f.serve(f.path, dir, "serve", "--surface", "inbox", "--hold", "1h", "--max-rounds", "0")
	before := f.resident(c)
	go func() {
		for range c.lines {
		}
	}()
	for i := range calls {
		c.call("ask_user_question", fmt.Sprintf(`{"question":"Question %d?"}`, i))
	}
	_, err := openRecords(desktest.Open(f, dir), calls)
	fatal.If(f, err)
	for more, now := math.Inf(1), f.resident(c); now < 0.99*more; { // until it falls no more
		waittest.Pass(f.Context(), 10*time.Second)
		more, now = now, f.resident(c)
	}
	files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.cmd.Process.Pid))
	f.is("1,000 waiting calls: resident, each", "KiB", (f.resident(c)-before)*1024/calls, 64)
	f.is("1,000 waiting calls: open files, each", "", float64(len(files))/calls, 2)
	f.rest("1,000 waiting calls", c.cmd.Process.Pid, 1, 21*time.Second)
	c.kill()
}

// replies measures from a committed reply to the result at the client: of one
// server, and of 200 with an inbox and a page open.
func (f *figures) replies() {
	for _, servers := range []int{1, 200} {
		dir := f.TempDir()
		d := desktest.Open(f, dir)
		events, err := d.Watch(f.Context())
		fatal.If(f, err)
		ask := func(r *connection, n int) string {
			r.call("ask_user_question", fmt.Sprintf(`{"question":"Question %d?"}`, n))
			for e := range events {
				if e.Type == desk.Asked {
					return e.Record.ID
				}
			}
			f.Fatal("the question was not asked")
			return ""
		}
		type open struct {
			*connection
			id string
		}
		var fleet []open
		for n := range servers {
			r := f.serve(f.path, dir, "serve", "--surface", "inbox", "--max-rounds", "0")
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
			waittest.Pass(f.Context(), 60*time.Millisecond) // who watches has looked, and come to rest
			reply(f.T, d, o.id, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "x"}}})
			at := time.Now()
			o.next(func(m message) bool { return m.ID != nil })
			took = append(took, ms(time.Since(at)))
			fleet[n%servers].id = ask(o.connection, servers+n)
		}
		for _, o := range fleet {
			o.kill()
		}
		what, goal := "reply to result, p99, one server", 2.0
		if servers > 1 {
			what, goal = "reply to result, p99, 200 servers, inbox and page open", 5
		}
		f.is(what, "ms", percentile(took, 0.99), goal)
	}
}
