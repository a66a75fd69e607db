// Package storetest is the contract of a [store.Store] as a test suite, which every store
// runs. It knows no store: two values that open returns are two processes on one store.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
)

// Process is a store as one process has it open. Close ends it as a kill would: what it
// waits for is not released.
type Process interface {
	store.Store
	Close() error
}

// Without says what a store cannot do. Such calls end with [store.ErrUnsupported].
type Without struct{ Files, Prune bool }

// Run runs the suite. Each call of begin begins with an empty store, and returns what opens
// it once more.
func Run(t *testing.T, without Without, begin func(t *testing.T) (open func() Process)) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, func() Process)
	}{
		{"a row returns as it was asked", testAsk},
		{"an empty store has no rows", testEmpty},
		{"of many answers one is first", testFirst},
		{"a question without a living asker is taken over", testTakeover},
		{"an answer is kept from when it was given", testAnswerKept},
		{"a delivered question is asked anew", testDelivered},
		{"an earlier question is reopened once", testReopened},
		{"one process at a time attends", testAttend},
		{"a wait ends with the answer", testWait},
		{"all that wait receive the answer", testWaitAll},
		{"a wait ends with its context", testWaitEnds},
		{"a watcher learns of every change", testChanges},
		{"drafts end with the question, other notes stay", testNotes},
		{"queries select", testQueries},
		{"changes are in the order of revisions", testRevisions},
		{"who is present ends with its process", testPresent},
		{"files stay with their question", without.testFiles},
		{"pruning keeps what is of use", without.testPrune},
		{"what a store cannot do is an error", without.test},
	} {
		t.Run(test.name, func(t *testing.T) {
			open := begin(t)
			test.run(t, func() Process {
				p := open()
				t.Cleanup(func() { _ = p.Close() })
				return p
			})
		})
	}
}

// NewRow returns a row to ask, with a content of its own.
func NewRow(text string) store.Row {
	id := ulid.Make().String()
	return store.Row{
		ID: id, Session: "session", Project: "/project", Content: id, Text: strings.ToLower(text),
		At: time.Now().Truncate(time.Millisecond), Keep: time.Hour, Asked: []byte(text),
	}
}

// Ask asks a question that has a text, and returns its row.
func Ask(t testing.TB, s store.Store, text string) store.Row {
	t.Helper()
	return ask(t, s, NewRow(text))
}

// Answer gives a row its outcome.
func Answer(t testing.TB, s store.Store, id, text string) {
	t.Helper()
	fatal.If(t, s.Answer(t.Context(), id, ending(text)))
}

func ending(text string) store.Ending {
	return store.Ending{Outcome: []byte(text), Text: strings.ToLower(text)}
}

// Wants fails where an error is not the one that is wanted.
func Wants(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want %v", err, want)
	}
}

func ask(t testing.TB, s store.Store, row store.Row) store.Row {
	t.Helper()
	got, err := s.Ask(t.Context(), row)
	fatal.If(t, err)
	return got
}

func ids(t *testing.T, s store.Store, q store.Query) (out []string) {
	t.Helper()
	for row, err := range s.Rows(t.Context(), q) {
		fatal.If(t, err)
		out = append(out, row.ID)
	}
	return out
}

func testAsk(t *testing.T, open func() Process) {
	s, row := open(), NewRow("Which database?")
	got := ask(t, s, row)
	for name, s := range map[string]store.Store{"the asker": s, "another process": open()} {
		read, err := s.Get(t.Context(), row.ID)
		fatal.If(t, err)
		if string(read.Asked) != string(row.Asked) || !read.At.Equal(row.At) ||
			read.Keep != row.Keep || read.Session != row.Session || read.Outcome != nil ||
			!read.Attended || read.Delivered || read.Revision != got.Revision {
			t.Errorf("%s reads %+v", name, read)
		}
	}
	_, err := s.Get(t.Context(), ulid.Make().String())
	Wants(t, err, store.ErrNotFound)
	noted := NewRow("Noted?")
	noted.Outcome = []byte("Yes")
	if got := ask(t, s, noted); got.Attended || !got.Delivered {
		t.Errorf("a row with an outcome is stored as %+v", got)
	}
	read, err := open().Get(t.Context(), noted.ID)
	fatal.If(t, err)
	if string(read.Outcome) != "Yes" || read.Attended || !read.Delivered {
		t.Errorf("a row with an outcome is read as %+v", read)
	}
	ended, cancel := context.WithCancelCause(t.Context())
	why := errors.New("no longer")
	cancel(why)
	_, err = s.Ask(ended, NewRow("Late?"))
	Wants(t, err, why)
}

func testEmpty(t *testing.T, open func() Process) {
	s := open()
	if got := ids(t, s, store.Query{}); got != nil {
		t.Errorf("rows %q", got)
	}
	_, err := s.Get(t.Context(), ulid.Make().String())
	Wants(t, err, store.ErrNotFound)
	names, err := s.Present(t.Context(), "")
	fatal.If(t, err)
	if len(names) > 0 {
		t.Errorf("present: %q", names)
	}
}

func (w Without) test(t *testing.T, open func() Process) {
	s := open()
	row := Ask(t, s, "Files?")
	err := s.PutFile(t.Context(), row.ID, "a", []byte("data"), 1)
	if errors.Is(err, store.ErrUnsupported) != w.Files {
		t.Errorf("a file is kept: %v", err)
	}
	_, err = s.File(t.Context(), row.ID, "b")
	Wants(t, err, store.ErrNotFound)
	_, err = s.Prune(t.Context(), time.Now().Add(-time.Hour), false)
	if errors.Is(err, store.ErrUnsupported) != w.Prune {
		t.Errorf("pruned: %v", err)
	}
}

func testFirst(t *testing.T, open func() Process) {
	processes := []Process{open(), open(), open()}
	for round := range 20 {
		row := ask(t, processes[round%3], NewRow("Race?"))
		var first atomic.Int64
		var all sync.WaitGroup
		for n := range 9 {
			all.Go(func() {
				err := processes[n%3].Answer(t.Context(), row.ID, ending(fmt.Sprint("answer ", n)))
				if err == nil && first.Add(1) > 1 {
					t.Error("two are first")
				}
				if err != nil && !errors.Is(err, store.ErrAnswered) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if first.Load() != 1 {
			t.Fatalf("%d answers were first", first.Load())
		}
	}
	Wants(t, processes[0].Answer(t.Context(), ulid.Make().String(), ending("x")), store.ErrNotFound)
}

func testTakeover(t *testing.T, open func() Process) {
	first, second := open(), open()
	row, same, again := NewRow("Same?"), NewRow("Same?"), NewRow("Same?")
	same.Content, again.Content = row.Content, row.Content
	ask(t, first, row)
	if got := ask(t, second, same); got.ID != same.ID {
		t.Errorf("the question of a living asker was taken over")
	}
	fatal.If(t, second.Release(t.Context(), same.ID))
	fatal.If(t, second.Answer(t.Context(), same.ID, ending("Yes")))
	if got := ask(t, second, again); got.ID != same.ID || string(got.Outcome) != "Yes" || !got.Attended {
		t.Errorf("a released question with its answer was not taken over: %+v", got)
	}
	_ = first.Close()
	third := NewRow("Same?")
	third.Content = row.Content
	if got := ask(t, second, third); got.ID != row.ID || got.Outcome != nil {
		t.Errorf("the question of a dead asker was not taken over: %+v", got)
	}
	old, late := NewRow("Old?"), NewRow("Old?")
	old.At, late.Content = old.At.Add(-2*old.Keep), old.Content
	ask(t, second, old)
	fatal.If(t, second.Release(t.Context(), old.ID))
	if got := ask(t, second, late); got.ID != late.ID {
		t.Error("a question was taken over that is kept no longer")
	}
}

func testAnswerKept(t *testing.T, open func() Process) {
	s := open()
	row := NewRow("Kept?")
	row.At, row.Keep = time.Now().Add(-23*time.Hour), 24*time.Hour
	row = ask(t, s, row)
	fatal.If(t, s.Release(t.Context(), row.ID))
	fatal.If(t, s.Answer(t.Context(), row.ID, ending("Yes")))
	again := NewRow("Kept?")
	again.Content, again.At, again.Keep = row.Content, time.Now().Add(2*time.Hour), row.Keep
	got := ask(t, open(), again)
	if got.ID != row.ID || got.Outcome == nil {
		t.Errorf("the answer of a moment ago is lost: %s, %q", got.ID, got.Outcome)
	}
}

func testDelivered(t *testing.T, open func() Process) {
	s := open()
	row, again := NewRow("Once?"), NewRow("Once?")
	again.Content = row.Content
	ask(t, s, row)
	fatal.If(t, s.Answer(t.Context(), row.ID, ending("Yes")))
	fatal.If(t, s.Delivered(t.Context(), row.ID))
	got, err := s.Get(t.Context(), row.ID)
	fatal.If(t, err)
	if !got.Delivered || got.Attended {
		t.Errorf("after the delivery: %+v", got)
	}
	if got := ask(t, s, again); got.ID != again.ID {
		t.Error("a delivered answer was delivered again")
	}
	Wants(t, s.Delivered(t.Context(), ulid.Make().String()), store.ErrNotFound)
}

func testReopened(t *testing.T, open func() Process) {
	s := open()
	row, one, two := NewRow("Before?"), NewRow("Before?"), NewRow("Before?")
	one.Earlier, two.Earlier = row.ID, row.ID
	ask(t, s, row)
	fatal.If(t, s.Answer(t.Context(), row.ID, ending("Yes")))
	fatal.If(t, s.Release(t.Context(), row.ID))
	if got := ask(t, s, one); got.ID != one.ID {
		t.Error("it takes over the one that it goes back to")
	}
	_, err := s.Ask(t.Context(), two)
	Wants(t, err, store.ErrReopened)
	fatal.If(t, s.Answer(t.Context(), one.ID, ending("No")))
	ask(t, s, two)
	if got := ids(t, s, store.Query{Earlier: row.ID}); !slices.Equal(got, []string{two.ID, one.ID}) {
		t.Errorf("reopened as %q", got)
	}
}

func testAttend(t *testing.T, open func() Process) {
	first, second := open(), open()
	row := ask(t, first, NewRow("Mine?"))
	_, err := second.Attend(t.Context(), row.ID)
	Wants(t, err, store.ErrAttended)
	fatal.If(t, second.Release(t.Context(), row.ID)) // of another: nothing happens
	_, err = second.Attend(t.Context(), row.ID)
	Wants(t, err, store.ErrAttended)
	fatal.If(t, first.Release(t.Context(), row.ID))
	fatal.If(t, first.Release(t.Context(), row.ID))
	got, err := second.Attend(t.Context(), row.ID)
	fatal.If(t, err)
	if !got.Attended {
		t.Error("not attended")
	}
	_ = second.Close()
	if got, err = first.Get(t.Context(), row.ID); err != nil || got.Attended {
		t.Errorf("a dead process attends: %+v, %v", got, err)
	}
	_, err = first.Attend(t.Context(), ulid.Make().String())
	Wants(t, err, store.ErrNotFound)
}

func testWait(t *testing.T, open func() Process) {
	asker, answerer := open(), open()
	for n := range 30 {
		row := ask(t, asker, NewRow("Waiting?"))
		got := make(chan store.Row, 1)
		go wait(t, asker, row.ID, got)
		if n%2 == 0 { // the other rounds race with the beginning of the wait
			typing := func([]byte) ([]byte, error) { return []byte("typing"), nil }
			fatal.If(t, answerer.Note(t.Context(), row.ID, store.Draft, typing))
		}
		fatal.If(t, answerer.Answer(t.Context(), row.ID, ending("Yes")))
		row = waittest.Take(t, got)
		if string(row.Outcome) != "Yes" {
			t.Errorf("waited for %q", row.Outcome)
		}
	}
}

// wait sends the row that a process has waited for.
func wait(t *testing.T, p Process, id string, to chan<- store.Row) {
	row, err := p.Wait(t.Context(), id)
	if err != nil {
		t.Error(err)
	}
	to <- row
}

func testWaitAll(t *testing.T, open func() Process) {
	asker, viewer, answerer := open(), open(), open()
	row := ask(t, asker, NewRow("Seen by two?"))
	got := make(chan store.Row, 3)
	for _, p := range []Process{asker, viewer, answerer} {
		go wait(t, p, row.ID, got)
	}
	fatal.If(t, asker.Release(t.Context(), row.ID))
	fatal.If(t, answerer.Answer(t.Context(), row.ID, ending("Yes")))
	for _, row := range waittest.TakeAll(t, got, 3) {
		if string(row.Outcome) != "Yes" {
			t.Errorf("waited for %q", row.Outcome)
		}
	}
}

func testWaitEnds(t *testing.T, open func() Process) {
	s := open()
	row := ask(t, s, NewRow("Patience?"))
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the call was withdrawn")
	done := make(chan error, 1)
	go func() {
		_, err := s.Wait(ctx, row.ID)
		done <- err
	}()
	cancel(why)
	Wants(t, <-done, why)
	_, err := s.Wait(t.Context(), ulid.Make().String())
	Wants(t, err, store.ErrNotFound)
}

func testChanges(t *testing.T, open func() Process) {
	watcher, other := open(), open()
	ctx, cancel := context.WithCancel(t.Context())
	changes, err := watcher.Changes(ctx, "")
	fatal.If(t, err)
	row := NewRow("Seen?")
	for _, step := range []func() error{
		func() error { _, err := other.Ask(ctx, row); return err },
		func() error { return other.Release(ctx, row.ID) },
		func() error { return other.Answer(ctx, row.ID, ending("Yes")) },
	} {
		for len(changes) > 0 {
			<-changes
		}
		fatal.If(t, step())
		waittest.Take(t, changes)
	}
	cancel()
	for range changes { // it is closed
	}
}

func testNotes(t *testing.T, open func() Process) {
	s, other := open(), open()
	row := ask(t, s, NewRow("Notes?"))
	appendTo := func(more string) func([]byte) ([]byte, error) {
		return func(old []byte) ([]byte, error) { return append(old, more...), nil }
	}
	fatal.If(t, s.Note(t.Context(), row.ID, store.Draft, appendTo("a")))
	fatal.If(t, other.Note(t.Context(), row.ID, store.Draft, appendTo("b")))
	why := errors.New("no change")
	Wants(t, s.Note(t.Context(), row.ID, store.Draft, func([]byte) ([]byte, error) { return nil, why }), why)
	fatal.If(t, s.Note(t.Context(), row.ID, store.Shown, appendTo("tty")))
	fatal.If(t, s.Answer(t.Context(), row.ID, ending("Yes")))
	Wants(t, s.Note(t.Context(), row.ID, store.Draft, appendTo("c")), store.ErrAnswered)
	Wants(t, s.Note(t.Context(), row.ID, store.Shown, appendTo("c")), store.ErrAnswered)
	fatal.If(t, s.Note(t.Context(), row.ID, store.Later, appendTo("No")))
	fatal.If(t, s.Note(t.Context(), row.ID, store.Lifted, appendTo("1")))
	got, err := other.Get(t.Context(), row.ID)
	fatal.If(t, err)
	values := [store.Notes]string{store.Draft: "ab", store.Shown: "tty", store.Later: "No", store.Lifted: "1"}
	for note, want := range values {
		if string(got.Notes[note]) != want {
			t.Errorf("note %d is %q, want %q", note, got.Notes[note], want)
		}
	}
	Wants(t, s.Note(t.Context(), ulid.Make().String(), store.Draft, appendTo("x")), store.ErrNotFound)
}

func testQueries(t *testing.T, open func() Process) {
	s := open()
	var rows []store.Row
	for i, text := range []string{"Alpha", "Beta", "Gamma", "ÄPFEL"} {
		row := NewRow(text)
		row.At = time.UnixMilli(1_000_000 * int64(i+1))
		row.ID = ulid.MustNew(uint64(row.At.UnixMilli()), ulid.DefaultEntropy()).String()
		row.Session, row.Run, row.Project = fmt.Sprint("s", i%2), fmt.Sprint("r", i/3), fmt.Sprint("/p", i/2)
		rows = append(rows, ask(t, s, row))
	}
	fatal.If(t, s.Answer(t.Context(), rows[1].ID, ending("beta chosen")))
	fatal.If(t, s.Answer(t.Context(), rows[3].ID, ending("äpfel birnen")))
	fatal.If(t, s.Delivered(t.Context(), rows[3].ID))
	for name, test := range map[string]struct {
		q    store.Query
		want []int
	}{
		"all, the last first":    {store.Query{}, []int{3, 2, 1, 0}},
		"the first first":        {store.Query{Ascend: true}, []int{0, 1, 2, 3}},
		"the last two":           {store.Query{Limit: 2}, []int{3, 2}},
		"the last two, in order": {store.Query{Limit: 2, Ascend: true}, []int{2, 3}},
		"open":                   {store.Query{Open: true}, []int{2, 0}},
		"ended":                  {store.Query{Ended: true}, []int{3, 1}},
		"a session":              {store.Query{Session: "s1"}, []int{3, 1}},
		"a run":                  {store.Query{Run: "r0"}, []int{2, 1, 0}},
		"a project":              {store.Query{Project: "/p0"}, []int{1, 0}},
		"a content":              {store.Query{Content: rows[2].Content}, []int{2}},
		"since":                  {store.Query{Since: rows[2].At}, []int{3, 2}},
		"since, in order":        {store.Query{Since: rows[2].At, Ascend: true}, []int{2, 3}},
		"the last since":         {store.Query{Since: rows[1].At, Limit: 2}, []int{3, 2}},
		"before":                 {store.Query{Before: rows[2].At}, []int{1, 0}},
		"asked or ended since":   {store.Query{Touched: rows[2].At}, []int{3, 2, 1}},
		"ended since":            {store.Query{Touched: time.Now().Add(-time.Hour)}, []int{3, 1}},
		"a word of the answer":   {store.Query{Search: []string{"birnen"}}, []int{3}},
		"one of several words":   {store.Query{Search: []string{"plum", "birnen", "birn"}}, []int{3}},
		"no word":                {store.Query{Search: []string{"plum"}}, nil},
		"no pattern":             {store.Query{Search: []string{"%"}}, nil},
		"of some ids":            {store.Query{IDs: []string{rows[0].ID, "none", rows[3].ID}}, []int{3, 0}},
		"to take over":           {store.Query{Kept: rows[0].At.Add(rows[0].Keep + time.Millisecond)}, []int{2, 1}},
		"a prefix":               {store.Query{Prefix: rows[2].ID[:20]}, []int{2}},
		"a whole id":             {store.Query{Prefix: rows[0].ID}, []int{0}},
		"several conditions":     {store.Query{Session: "s0", Open: true, Limit: 1}, []int{2}},
	} {
		var want []string
		for _, i := range test.want {
			want = append(want, rows[i].ID)
		}
		if got := ids(t, s, test.q); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func testRevisions(t *testing.T, open func() Process) {
	s, other := open(), open()
	one, two := ask(t, s, NewRow("One?")), ask(t, other, NewRow("Two?"))
	fatal.If(t, s.Answer(t.Context(), one.ID, ending("Yes")))
	if got := ids(t, other, store.Query{After: one.Revision}); !slices.Equal(got, []string{two.ID, one.ID}) {
		t.Errorf("changed after the first: %q", got)
	}
	got, err := s.Get(t.Context(), one.ID)
	fatal.If(t, err)
	last, err := other.Revision(t.Context())
	fatal.If(t, err)
	if last != last.Max(got.Revision) {
		t.Errorf("the last revision is %v, that of the last change %v", last, got.Revision)
	}
	for _, after := range []store.Revision{got.Revision, last} {
		if got := ids(t, s, store.Query{After: after}); got != nil {
			t.Errorf("changed after the last, %v: %q", after, got)
		}
	}
}

func testPresent(t *testing.T, open func() Process) {
	first, second := open(), open()
	ctx, leave := context.WithCancel(t.Context())
	inbox, err := first.Changes(ctx, "inbox")
	fatal.If(t, err)
	_, err = first.Changes(ctx, "")
	fatal.If(t, err)
	_, err = second.Changes(t.Context(), "inbox")
	fatal.If(t, err)
	_, err = second.Changes(t.Context(), "web")
	fatal.If(t, err)
	present := func() string {
		names, err := open().Present(t.Context(), "")
		fatal.If(t, err)
		return strings.Join(names, " ")
	}
	if got := present(); got != "inbox web" {
		t.Errorf("present: %q", got)
	}
	_ = second.Close()
	if got := present(); got != "inbox" {
		t.Errorf("after a death: %q", got)
	}
	leave()
	for range inbox { // until it is closed
	}
	if got := present(); got != "" {
		t.Errorf("after all: %q", got)
	}
}

func (w Without) testFiles(t *testing.T, open func() Process) {
	if w.Files {
		t.Skip("another test has the error")
	}
	s := open()
	row := Ask(t, s, "Files?")
	data := []byte(strings.Repeat("\x00\xff", 50_000))
	for _, key := range []string{"b", "a", "b"} {
		fatal.If(t, s.PutFile(t.Context(), row.ID, key, data, 2))
	}
	Wants(t, s.PutFile(t.Context(), row.ID, "c", data, 2), store.ErrTooMany)
	fatal.If(t, s.PutFile(t.Context(), row.ID, "a", nil, 2))
	got, err := open().File(t.Context(), row.ID, "b")
	fatal.If(t, err)
	if string(got) != string(data) {
		t.Errorf("%d bytes of %d", len(got), len(data))
	}
	_, err = s.File(t.Context(), row.ID, "c")
	Wants(t, err, store.ErrNotFound)
	Wants(t, s.PutFile(t.Context(), ulid.Make().String(), "a", data, 2), store.ErrNotFound)
}

func (w Without) testPrune(t *testing.T, open func() Process) {
	if w.Prune {
		t.Skip("another test has the error")
	}
	s := open()
	old := time.Now().Add(-48 * time.Hour)
	asked := func(end, deliver bool, keep time.Duration, earlier string) string {
		row := NewRow("Old?")
		row.At, row.Keep, row.Earlier = old, keep, earlier
		ask(t, s, row)
		if end {
			fatal.If(t, s.Answer(t.Context(), row.ID, ending("Yes")))
		}
		if deliver {
			fatal.If(t, s.Delivered(t.Context(), row.ID))
		}
		return row.ID
	}
	gone := []string{asked(true, true, time.Hour, ""), asked(true, false, -time.Second, "")}
	fatal.If(t, s.PutFile(t.Context(), gone[0], "file", []byte("12345"), 1))
	before := asked(true, true, time.Hour, "")
	kept := []string{before, asked(false, false, time.Hour, before), asked(true, false, 72*time.Hour, "")}
	young := ask(t, s, NewRow("Young?"))
	fatal.If(t, s.Answer(t.Context(), young.ID, ending("Yes")))
	fatal.If(t, s.Delivered(t.Context(), young.ID))
	kept = append(kept, young.ID)
	for _, dry := range []bool{true, false} {
		pruned, err := s.Prune(t.Context(), time.Now().Add(-24*time.Hour), dry)
		fatal.If(t, err)
		if pruned != len(gone) {
			t.Errorf("pruned, dry %v: %d, want %d", dry, pruned, len(gone))
		}
	}
	left := ids(t, s, store.Query{Ascend: true})
	slices.Sort(left)
	slices.Sort(kept)
	if !slices.Equal(left, kept) {
		t.Errorf("left %q, want %q", left, kept)
	}
	_, err := s.File(t.Context(), gone[0], "file")
	Wants(t, err, store.ErrNotFound)
}
