//go:build linux

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"io"
	"math"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
)

var figuresDir = flag.String("figures", "", "measure what is promised, and write the figures into this directory")

// figure is one line of what is promised.
type figure struct {
	What  string  `json:"what"`
	Unit  string  `json:"unit"`
	Ours  float64 `json:"ours"`
	Bare  float64 `json:"bare,omitempty"`  // of the bare server
	Ratio float64 `json:"ratio,omitempty"` // the median of those of the pairs
	Goal  float64 `json:"goal"`            // at most; of the ratio where there is one
	Met   bool    `json:"met"`
}

// figures measures them.
type figures struct {
	testing.TB
	path string // of the program
	all  []figure
}

// TestFigures measures all that is promised, beside a bare server on mcp-go as
// published, and writes the figures as text and JSON, and what grows as
// pictures. It fails for no figure: what is missed says so in the table.
func TestFigures(t *testing.T) {
	if *figuresDir == "" {
		t.Skip("measures only where -figures says so")
	}
	f := &figures{TB: t, path: released(t, ours)}
	f.start()
	f.size()
	f.processorTime()
	f.frames()
	f.idle()
	f.waiting()
	f.calls()
	f.clients()
	f.key()
	f.history()
	f.replies()
	f.files()
	f.page()
	f.hook()
	if err := os.MkdirAll(*figuresDir, 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := json.MarshalIndent(f.all, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	f.write("figures.json", append(data, '\n'))
	f.write("figures.txt", f.table())
	f.growth()
}

func (f *figures) write(name string, data []byte) {
	if err := os.WriteFile(filepath.Join(*figuresDir, name), data, 0o644); err != nil {
		f.Fatal(err)
	}
}

// is adds a figure.
func (f *figures) is(what, unit string, ours, goal float64) {
	f.all = append(f.all, figure{What: what, Unit: unit, Ours: ours, Goal: goal, Met: ours <= goal})
}

func (f *figures) table() []byte {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "FIGURE\tMEASURED\tBARE SERVER\tRATIO\tAT MOST\t")
	for _, x := range f.all {
		bare, ratio, missed := "", "", ""
		if x.Bare > 0 {
			bare, ratio = fmt.Sprintf("%.4g %s", x.Bare, x.Unit), fmt.Sprintf("%.2f", x.Ratio)
		}
		if !x.Met {
			missed = "missed"
		}
		fmt.Fprintf(w, "%s\t%.4g %s\t%s\t%s\t%g\t%s\n", x.What, x.Ours, x.Unit, bare, ratio, x.Goal, missed)
	}
	w.Flush()
	return b.Bytes()
}

// built builds a package as published and returns the program's path.
func built(t testing.TB, pkg string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("go", "build", "-o", path, pkg).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// start measures to the response to initialize, and the memory resident after
// tools/list, in turns: of ours as released and as go install builds it, and of
// a bare server.
func (f *figures) start() {
	paths := []string{f.path, built(f, "."), built(f, "./testdata/emptyserver")}
	var took, memory [3][]float64
	for range 40 {
		for i, path := range paths {
			at := time.Now()
			r := start(f, path, f.TempDir())
			r.say(f, hello)
			r.hear(f)
			took[i] = append(took[i], ms(time.Since(at)))
			r.say(f, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n")
			r.hear(f)
			memory[i] = append(memory[i], r.resident(f))
			r.stop()
		}
	}
	f.beside("start to the initialize response", "ms", [2][]float64{took[0], took[2]}, 0.85)
	f.beside("… as go install builds it", "ms", [2][]float64{took[1], took[2]}, 1.35)
	f.beside("resident after tools/list", "MiB", [2][]float64{memory[0], memory[2]}, 0)
	last := &f.all[len(f.all)-1]
	last.Goal, last.Met = 14, last.Ours <= 14
}

// beside adds a figure of pairs.
func (f *figures) beside(what, unit string, pairs [2][]float64, goal float64) {
	var ratios []float64
	for i := range pairs[0] {
		ratios = append(ratios, pairs[0][i]/pairs[1][i])
	}
	ratio := percentile(ratios, 0.5)
	f.all = append(f.all, figure{what, unit, percentile(pairs[0], 0.5), percentile(pairs[1], 0.5), ratio, goal, ratio <= goal})
}

func (f *figures) size() {
	info, err := os.Stat(f.path)
	if err != nil {
		f.Fatal(err)
	}
	f.is("the program, static", "MB", float64(info.Size())/1e6, 24.7)
}

// command is the program with these arguments on a store.
func (f *figures) command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(f.path, args...)
	cmd.Env = append(os.Environ(), "MCP_ASKUSER_DIR="+dir, "TERM=xterm-256color")
	return cmd
}

// spent runs a command and says what it took, in milliseconds.
func (f *figures) spent(dir string, args ...string) (wall, cpu float64) {
	f.Helper()
	cmd := f.command(dir, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	at := time.Now()
	if err := cmd.Run(); err != nil {
		f.Fatalf("%s: %v: %s", args, err, errs.Bytes())
	}
	wall = ms(time.Since(at))
	use := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return wall, float64(use.Utime.Nano()+use.Stime.Nano()) / 1e6
}

// peak runs a command and returns the most memory that it had, in MiB. What the
// system tells at its end counts ours too, from before exec.
func (f *figures) peak(dir string, args ...string) (mib float64) {
	cmd := f.command(dir, args...)
	if err := cmd.Start(); err != nil {
		f.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				f.Fatal(err)
			}
			return mib
		case <-time.After(2 * time.Millisecond):
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			var kib float64
			_, after, _ := strings.Cut(string(status), "VmHWM:")
			_, _ = fmt.Sscan(after, &kib)
			mib = max(mib, kib/1024)
		}
	}
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// median is that of n measurements.
func median(n int, measure func() float64) float64 {
	var all []float64
	for range n {
		all = append(all, measure())
	}
	return percentile(all, 0.5)
}

func (f *figures) processorTime() {
	dir := f.TempDir()
	d := openDesk(f, dir)
	ask := func() string {
		rec, err := desktest.Ask(f.Context(), d, someSet("Which?"), "", desk.Asker{Via: "mcp"})
		if err != nil {
			f.Fatal(err)
		}
		return rec.ID
	}
	for _, c := range []struct {
		name string
		args func() []string
	}{
		{"answer --json", func() []string { return []string{"answer", ask(), "--json", `{"q1":"x"}`} }},
		{"dismiss", func() []string { return []string{"dismiss", ask()} }},
		{"pending", func() []string { return []string{"pending"} }},
		{"version", func() []string { return []string{"version"} }},
	} {
		f.is("processor time of "+c.name, "ms", median(20, func() float64 { _, cpu := f.spent(dir, c.args()...); return cpu }), 10)
	}
}

func someSet(text string) question.Set {
	return question.Set{Questions: []question.Question{{ID: "q1", Type: question.Text, Text: text}}}
}

const someForm = `{"questions":[{"question":"Which database?","header":"DB","options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}]}`

// frames measures from exec to the first frame.
func (f *figures) frames() {
	dir := f.TempDir()
	d := openDesk(f, dir)
	for i := range 300 {
		if _, err := desktest.Ask(f.Context(), d, someSet(fmt.Sprintf("Question %d?", i)), "", desk.Asker{Via: "mcp"}); err != nil {
			f.Fatal(err)
		}
	}
	frame := func(dir, text string, args ...string) float64 {
		at := time.Now()
		x := termtest.Start(f, f.command(dir, args...), 100, 30)
		x.WaitFor(text)
		took := ms(time.Since(at))
		x.Hangup() // keys that come so early are not meant for it
		x.Wait()
		return took
	}
	empty := f.TempDir()
	f.is("first frame of the form", "ms", median(20, func() float64 { return frame(empty, "Which database?", "ask", someForm) }), 60)
	f.is("first frame of the inbox, 300 open", "ms", median(20, func() float64 { return frame(dir, "300 waiting", "inbox") }), 60)
}

// switches and spentBy are what a process has cost so far: context switches of
// all its threads, and seconds of processor.
func (f *figures) switches(pid int) (n float64) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, thread := range threads {
		data, _ := os.ReadFile(thread)
		for line := range strings.Lines(string(data)) {
			if name, value, _ := strings.Cut(line, ":"); strings.HasSuffix(name, "ctxt_switches") {
				var k float64
				_, _ = fmt.Sscan(value, &k)
				n += k
			}
		}
	}
	return n
}

func (f *figures) spentBy(pid int) float64 {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid)) // to the nanosecond, where stat counts ticks
	if err != nil || len(threads) == 0 {
		f.Fatal(pid, err)
	}
	sum := 0.0
	for _, thread := range threads {
		data, _ := os.ReadFile(thread)
		var spent float64
		_, _ = fmt.Sscan(string(data), &spent)
		sum += spent / 1e9
	}
	return sum
}

// rest adds what a process costs while nothing happens.
func (f *figures) rest(what string, pid int, atMost float64, per, during time.Duration) {
	waittest.Pass(f.Context(), 5*time.Second) // it has come to rest
	before, spent := f.switches(pid), f.spentBy(pid)
	waittest.Pass(f.Context(), during)
	f.is(what+": context switches"+map[bool]string{true: " a second"}[per == time.Second], "", (f.switches(pid)-before)*per.Seconds()/during.Seconds(), atMost)
	f.is(what+": processor", "%", (f.spentBy(pid)-spent)/during.Seconds()*100, 0.05)
}

func (f *figures) idle() {
	for _, s := range []struct {
		what, text string
		args       []string
	}{{"idle form", "Which", []string{"ask", someForm}}, {"idle inbox", "Waiting", []string{"inbox"}}} {
		x := termtest.Start(f, f.command(f.TempDir(), s.args...), 100, 30)
		x.WaitFor(s.text)
		f.rest(s.what, x.Pid(), 2, time.Second, 10*time.Second)
		x.Hangup()
		x.Wait()
	}
}

// crowd is a server in which so many calls wait.
type crowd struct {
	*running
	desk    *desk.Desk
	before  float64 // MiB resident without a call
	answers atomic.Int64
	pong    chan struct{}
}

// crowd has calls wait, with a progress token or not: all of them, or as many as
// there are files for.
func (f *figures) crowd(calls int, token bool) *crowd {
	dir := f.TempDir()
	c := &crowd{running: start(f, f.path, dir, "serve", "--surface", "inbox", "--hold", "1h", "--max-rounds", "0"), desk: openDesk(f, dir), pong: make(chan struct{}, 1)}
	c.say(f, hello)
	c.hear(f)
	c.before = c.resident(f)
	go func() {
		for line, err := c.out.ReadString('\n'); err == nil; line, err = c.out.ReadString('\n') {
			switch {
			case strings.Contains(line, `"id":"ping"`):
				c.pong <- struct{}{}
			case strings.Contains(line, `"status":"answered"`):
				c.answers.Add(1)
			}
		}
	}()
	for i := range calls {
		meta := ""
		if token {
			meta = fmt.Sprintf(`"_meta":{"progressToken":%d},`, i)
		}
		c.say(f, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s"name":"ask_user_question","arguments":{"question":"Question %d?"}}}`+"\n", i, meta, i))
	}
	f.until(func() bool { names, _ := os.ReadDir(filepath.Join(dir, "showing")); return len(names) >= calls })
	return c
}

func (c *crowd) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// calls measures what a waiting call holds, and answers them all.
func (f *figures) calls() {
	for _, calls := range []int{1000, 10_000} {
		c := f.crowd(calls, false)
		f.settle(c.running)
		open, err := c.desk.Pending(f.Context())
		if err != nil {
			f.Fatal(err)
		}
		files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.cmd.Process.Pid))
		f.is(fmt.Sprintf("%d waiting calls: resident, each", calls), "KiB", (c.resident(f)-c.before)*1024/float64(len(open)), 64)
		f.is(fmt.Sprintf("%d waiting calls: open files, each", calls), "", math.Floor(float64(len(files))/float64(len(open))), 2)
		at := time.Now()
		for c.answers.Load() < int64(calls) {
			for _, rec := range open {
				if _, err := c.desk.Reply(f.Context(), rec.ID, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "x"}}}, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
					f.Fatal(err)
				}
			}
			if open, err = c.desk.Pending(f.Context()); err != nil { // those there was no room for
				f.Fatal(err)
			}
		}
		f.Logf("%d calls answered within %s", calls, time.Since(at))
		c.kill()
	}
}

// settle waits until what a process holds falls no more.
func (f *figures) settle(r *running) {
	for before, now := math.Inf(1), r.resident(f); now < 0.99*before; {
		waittest.Pass(f.Context(), 10*time.Second)
		before, now = now, r.resident(f)
	}
}

// clients measures what a client holds that waits over HTTP.
func (f *figures) clients() {
	const clients = 1000
	dir := f.TempDir()
	token, err := f.command(dir, "token", "add", "agent").Output()
	if err != nil {
		f.Fatal(err)
	}
	r := start(f, f.path, dir, "serve", "--http", "127.0.0.1:0", "--surface", "inbox", "--hold", "1h", "--max-rounds", "0")
	url := strings.TrimSpace(r.hear(f))
	before := r.resident(f)
	ctx, stop := context.WithCancel(f.Context())
	all := wait(ctx, url, []string{strings.TrimSpace(string(token))}, clients, func(i int, _ message, err error) {
		if ctx.Err() == nil {
			f.Errorf("client %d: %v", i, err)
		}
	})
	f.settle(r)
	f.is("1,000 clients that wait over HTTP: resident, each", "KiB", (r.resident(f)-before)*1024/clients, 96)
	stop()
	all.Wait()
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

func (f *figures) waiting() {
	for _, token := range []bool{false, true} {
		r := f.crowd(1000, token)
		const during = 21 * time.Second
		if token {
			waittest.Pass(f.Context(), 5*time.Second) // it has come to rest
			spent := f.spentBy(r.cmd.Process.Pid)
			waittest.Pass(f.Context(), during)
			f.is("1,000 waiting calls with a token, 21 s: processor", "%", (f.spentBy(r.cmd.Process.Pid)-spent)/during.Seconds()*100, 1)
			f.among(r)
		} else {
			f.rest("1,000 waiting calls without a token, 21 s", r.cmd.Process.Pid, 0, during, during)
		}
		r.kill()
	}
}

// among measures a ping, and until a call is withdrawn, among a thousand that
// wait.
func (f *figures) among(c *crowd) {
	f.is("… a ping among them, p99", "ms", highest(100, func(int) float64 {
		at := time.Now()
		c.say(f, `{"jsonrpc":"2.0","id":"ping","method":"ping"}`+"\n")
		<-c.pong
		return ms(time.Since(at))
	}), 100)
	open, err := c.desk.Pending(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	f.is("… one cancelled by its user until it is withdrawn, p99", "ms", highest(100, func(n int) float64 {
		var number int
		_, _ = fmt.Sscanf(open[n].Questions[0].Text, "Question %d?", &number)
		at := time.Now()
		c.say(f, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"AbortError: user-cancel"}}`+"\n", number))
		rec, err := c.desk.Wait(f.Context(), open[n].ID)
		if err != nil || rec.State != desk.Cancelled {
			f.Fatalf("%s, %v", rec.State, err)
		}
		return ms(rec.Outcome.At.Sub(at))
	}), 250)
}

// highest is the 99th percentile of n measurements.
func highest(n int, measure func(n int) float64) float64 {
	var all []float64
	for i := range n {
		all = append(all, measure(i))
	}
	return percentile(all, 0.99)
}

// key measures from a key in a long text to what it changes on the screen.
func (f *figures) key() {
	x := termtest.Start(f, f.command(f.TempDir(), "ask", `{"questions":[{"question":"Which?","header":"Text"}]}`), 100, 30)
	x.WaitFor("Which?")
	waittest.Pass(f.Context(), 2*time.Second) // it takes nothing that was typed before it could be read
	x.Type("\x1b[200~" + strings.Repeat("a line of sixty characters, which is what texts are made of\n", 150) + "end of it\x1b[201~")
	x.WaitFor("end of it")
	f.is("a key in a text of 9 kB", "ms", median(40, func() float64 {
		waittest.Pass(f.Context(), 50*time.Millisecond)
		drawn := len(x.Output())
		at := time.Now()
		x.Type("z")
		x.Until("the key to show", func() bool { return len(x.Output()) > drawn })
		return ms(time.Since(at))
	}), 10)
	x.Hangup()
	x.Wait()
}

// fill puts so many records into a store, which differ in their text.
func (f *figures) fill(n int, ended bool) (dir string) { return f.fillAt(n, ended, time.Now()) }

// fillAt is fill with records that were asked at a time.
func (f *figures) fillAt(n int, ended bool, at time.Time) (dir string) {
	dir = f.TempDir()
	store := desktest.Store(f, dir)
	d := desk.New(store, desk.Options{Now: func() time.Time { return at }})
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
	f.is("history --json of 100,000: memory", "MiB", median(3, func() float64 { return f.peak(past, "history", "--json", "--limit", "0") }), 32)
	f.is("history prune of 100,000", "s", f.pruned(100_000), 30)
	open := f.fill(10_000, false)
	f.is("pending --json of 10,000: processor", "ms", median(5, func() float64 { _, cpu := f.spent(open, "pending", "--json"); return cpu }), 300)
}

// pruned measures how many seconds it takes to prune so many records, all that there are.
func (f *figures) pruned(n int) float64 {
	dir := f.fillAt(n, true, time.Now().AddDate(0, 0, -2))
	wall, _ := f.spent(dir, "history", "prune", "--older-than", "1d")
	for rec, err := range openDesk(f, dir).History(f.Context(), desk.Query{Limit: 1}) {
		f.Fatalf("%s is left, %v", rec.ID, err)
	}
	return wall / 1000
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

// files counts what the server opens, syncs and makes for one question and its
// answer, once it is warm. Five syncs are what survives a power failure: the question and
// its directory, which holds the mark that leads to it; the entry of the archive and its
// directory; and that the question was removed before its answer is.
func (f *figures) files() {
	strace, err := exec.LookPath("strace")
	if err != nil {
		f.Log("no strace: files are not counted")
		return
	}
	dir, log := f.TempDir(), filepath.Join(f.TempDir(), "log")
	r := start(f, strace, dir, "-f", "-o", log, "-e", "trace=open,openat,creat,fsync,fdatasync,mkdir,mkdirat", f.path, "serve", "--surface", "inbox", "--max-rounds", "0")
	r.say(f, hello)
	r.hear(f)
	d := openDesk(f, dir)
	var counted [2]string
	for n := range 2 {
		r.say(f, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask_user_question","arguments":{"question":"Question %d?"}}}`+"\n", n, n))
		f.until(func() bool { names, _ := os.ReadDir(filepath.Join(dir, "showing")); return len(names) > 0 })
		records, err := d.Pending(f.Context())
		if err != nil || len(records) != 1 {
			f.Fatalf("%d open, %v", len(records), err)
		}
		if _, err := d.Reply(f.Context(), records[0].ID, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "x"}}}, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
			f.Fatal(err)
		}
		r.hear(f)
		f.until(func() bool { names, _ := os.ReadDir(filepath.Join(dir, "replies")); return len(names) == 0 })
		waittest.Pass(f.Context(), time.Second) // the last lines of strace
		data, err := os.ReadFile(log)
		if err != nil {
			f.Fatal(err)
		}
		counted[n] = string(data)
	}
	r.stop()
	count := map[string]float64{}
	for line := range strings.Lines(strings.TrimPrefix(counted[1], counted[0])) {
		ok := !strings.Contains(line, "= -1 ") && !strings.Contains(line, "<unfinished") // how that ended stands in a line of its own
		for _, call := range []string{"open", "creat", "sync", "mkdir"} {
			if name, _, _ := strings.Cut(line, "("); ok && strings.Contains(name, call) {
				count[call]++
			}
		}
	}
	f.is("files opened for a question and its answer", "", count["open"]+count["creat"], 14)
	f.is("… synced", "", count["sync"], 5)
	f.is("… directories made", "", count["mkdir"], 0)
}

// page counts what a browser is sent at its first visit of the page: that, what
// it names, and the worker with what that keeps.
func (f *figures) page() {
	cmd := f.command(f.TempDir(), "web")
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		f.Fatal(err)
	}
	defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		f.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		f.Fatal(err)
	}
	client := http.Client{Jar: jar}
	sent := 0
	get := func(address string) (*url.URL, string) {
		req, err := http.NewRequestWithContext(f.Context(), http.MethodGet, address, nil)
		if err != nil {
			f.Fatal(err)
		}
		req.Header.Set("Accept-Encoding", "gzip") // by hand: it comes as it is sent
		res, err := client.Do(req)
		if err != nil {
			f.Fatal(err)
		}
		defer res.Body.Close()
		data, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			f.Fatalf("%s: %s, %v", address, res.Status, err)
		}
		sent += len(data)
		if res.Header.Get("Content-Encoding") == "gzip" {
			plain, err := gzip.NewReader(bytes.NewReader(data))
			if err != nil {
				f.Fatal(err)
			}
			if data, err = io.ReadAll(plain); err != nil {
				f.Fatal(err)
			}
		}
		return res.Request.URL, string(data)
	}
	base, page := get(strings.TrimSpace(address))
	_, worker := get(base.JoinPath("sw.js").String())
	named := regexp.MustCompile(`<(?:link|script|img)[^>]* (?:href|src)="(/[^"]+)"`).FindAllStringSubmatch(page, -1)
	named = append(named, regexp.MustCompile(`"(/[^"]+)"`).FindAllStringSubmatch(worker, -1)...)
	gotten := map[string]bool{"the page": true, "the worker": true}
	for _, n := range named {
		to, err := base.Parse(html.UnescapeString(n[1]))
		if err != nil {
			f.Fatal(err)
		}
		if !gotten[to.String()] {
			get(to.String())
		}
		gotten[to.String()] = true
	}
	f.is(fmt.Sprintf("page, in %d requests", len(gotten)), "kB", float64(sent)/1000, 15)
}

func (f *figures) until(ok func() bool) {
	f.Helper()
	for !ok() {
		if f.Context().Err() != nil {
			f.Fatal("waited in vain")
		}
		waittest.Pass(f.Context(), time.Millisecond)
	}
}

// hook measures what a host runs beside its dialogs: a start
// with an event that concerns nothing, and the memory while a question is open.
func (f *figures) hook() {
	path, dir := released(f, "./cmd/mcp-askuser"), f.TempDir()
	command := func(event string) *exec.Cmd {
		cmd := exec.Command(path, "hook", "claude-code")
		cmd.Env = append(os.Environ(), "MCP_ASKUSER_DIR="+dir, "CLAUDE_CODE_SESSION_ATTENDED=1")
		cmd.Stdin = strings.NewReader(event)
		return cmd
	}
	f.is("hook, from start to end", "ms", median(40, func() float64 {
		at := time.Now()
		if out, err := command(recorded("PostToolUse", `,"tool_name":"Bash","tool_input":{}`)).CombinedOutput(); err != nil || len(out) > 0 {
			f.Fatalf("%v: %s", err, out)
		}
		return ms(time.Since(at))
	}), 6)
	cmd := command(recorded("PermissionRequest", ","+dialogTool))
	read, write, err := os.Pipe()
	if err != nil {
		f.Fatal(err)
	}
	defer read.Close()
	cmd.Stdout = write
	if err := cmd.Start(); err != nil {
		f.Fatal(err)
	}
	_ = write.Close()
	d := openDesk(f, dir)
	f.until(func() bool {
		open, err := d.Pending(f.Context())
		return err == nil && len(open) == 1 && len(open[0].ShownOn) > 0
	})
	r := &running{cmd: cmd}
	f.is("hook, resident beside a dialog", "MiB", r.resident(f), 8)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// growth draws what grows with what.
func (f *figures) growth() {
	curve := func(name, title, unit string, to int, at func(n int) float64) {
		var points []point
		for n := 10; n <= to; n *= 10 {
			points = append(points, point{float64(n), at(n)})
		}
		f.write(name, picture(title, unit, points))
	}
	curve("open.svg", "pending --json: processor time by open questions", "ms", 10_000, func(n int) float64 {
		dir := f.fill(n, false)
		return median(5, func() float64 { _, cpu := f.spent(dir, "pending", "--json"); return cpu })
	})
	curve("waiting.svg", "a server: resident memory by waiting calls", "MiB", 1000, func(n int) float64 {
		r := f.crowd(n, false)
		defer r.kill()
		return r.resident(f)
	})
	curve("history.svg", "history --limit 50: time by records of the past", "ms", 100_000, func(n int) float64 {
		dir := f.fill(n, true)
		return median(5, func() float64 { wall, _ := f.spent(dir, "history", "--limit", "50"); return wall })
	})
}
