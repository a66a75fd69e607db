//go:build linux

package main

import (
	"bytes"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// records measures commands on a store with many records.
func (f *figures) records() {
	past := f.fill(100_000, true)
	f.is("history --limit 50 of 100,000", "ms", f.median(10, past, "history", "--limit", "50"), 50)
	search := f.median(5, past, "history", "--limit", "50", "--search", "nowhere")
	f.is("history --search over 100,000", "ms", search, 500)
	open := f.fill(10_000, false)
	f.is("pending --json of 10,000", "ms", f.median(5, open, "pending", "--json"), 500)
	f.is("pending --count of 10,000", "ms", f.median(10, open, "pending", "--count"), 20)
	f.is("pending --count of 1", "ms", f.median(40, f.fill(1, false), "pending", "--count"), 10)
}

// fill returns a new store with so many records, which differ in their text.
func (f *figures) fill(n int, ended bool) (dir string) {
	dir = f.TempDir()
	d := desktest.Open(f, dir)
	asked := question.Set{Questions: []question.Question{
		{ID: "q1", Type: question.Text, Text: "Which database 4711 should the service use?"},
	}}
	rec, err := desktest.Ask(f.Context(), d, asked, "",
		desk.Asker{Client: "claude-code", Directory: "/src/shop", Via: "mcp"})
	fatal.If(f, err)
	if ended {
		reply(f.T, d, rec.ID, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "PostgreSQL"}}})
		fatal.If(f, d.Delivered(f.Context(), rec.ID))
	}
	// The others are copies, in one transaction: their ids differ in the last digits.
	desktest.Exec(f, dir, `with recursive n(i) as (select 0 union all select i+1 from n where i < ?),
		copy(old, new, i) as (select ?, substr(?, 1, 20) || printf('%06d', i), i from n)
		insert into record(id, session, run, project, earlier, content, at, touched, keep, holder, delivered, revision,
			text, asked, outcome)
		select new, session, run, project, earlier, content || i, at, touched, keep, holder, delivered, revision + 1 + i,
			replace(text, '4711', i), cast(replace(replace(cast(asked as text), old, new), '4711', i) as blob), outcome
		from copy join record on id = old where i < ?`, n-2, rec.ID, rec.ID, n-1)
	desktest.Exec(f, dir, `update counter set revision = revision + ?`, n)
	return dir
}

// median is how long a command takes, in ms, of n runs.
func (f *figures) median(n int, dir string, args ...string) float64 {
	f.Helper()
	var all []float64
	for range n {
		cmd := f.command(dir, args...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		at := time.Now()
		err := cmd.Run()
		if err != nil {
			f.Fatalf("%s: %v: %s", args, err, errs.Bytes())
		}
		all = append(all, ms(time.Since(at)))
	}
	return percentile(all, 0.5)
}
