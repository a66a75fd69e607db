package local

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, storetest.Without{}, func(t *testing.T) func() storetest.Process {
		dir := filepath.Join(t.TempDir(), "store")
		return func() storetest.Process { return Open(dir) }
	})
}

// The variables of a process that a test starts: the test binary serves as one.
const (
	envRole = "LOCAL_TEST_ROLE"
	envDir  = "LOCAL_TEST_DIR"
)

func TestMain(m *testing.M) {
	role := os.Getenv(envRole)
	if role == "" {
		os.Exit(m.Run())
	}
	err := play(role, os.Args[1], Open(os.Getenv(envDir)))
	fmt.Println("end", err)
}

// play is the life of a process. It prints a line for each step that the store has
// acknowledged.
func play(role, id string, s *Store) error {
	ctx := context.Background()
	switch role {
	case "ask": // ask the same, and wait
		row := storetest.NewRow("Same?")
		row.Content = id
		row, err := s.Ask(ctx, row)
		if err != nil {
			return err
		}
		fmt.Println("asked", row.ID)
		row, err = s.Wait(ctx, row.ID)
		fmt.Println("got", row.ID, string(row.Outcome))
		return err
	case "work": // until killed
		for {
			row, err := s.Ask(ctx, storetest.NewRow("Work?"))
			if err != nil {
				return err
			}
			fmt.Println("asked", row.ID)
			err = s.Answer(ctx, row.ID, store.Ending{Outcome: []byte(row.ID)})
			if err != nil {
				return err
			}
			fmt.Println("answered", row.ID)
			err = s.Delivered(ctx, row.ID)
			if err != nil {
				return err
			}
			fmt.Println("delivered", row.ID)
		}
	}
	return errors.New("no such role")
}

// process starts a process. Its lines are read until it ends.
type process struct {
	*exec.Cmd
	lines *bufio.Scanner
	pipe  io.Closer
}

func start(t *testing.T, dir, role, id string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0], id)
	cmd.Env = append(os.Environ(), envRole+"="+role, envDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	fatal.If(t, err)
	fatal.If(t, cmd.Start())
	p := &process{Cmd: cmd, lines: bufio.NewScanner(out), pipe: out}
	t.Cleanup(p.kill)
	return p
}

func (p *process) kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
}

// line returns the next line; empty at the end.
func (p *process) line() string {
	if !p.lines.Scan() {
		return ""
	}
	return p.lines.Text()
}

// TestManyBegin: of many processes that open, create and write at once, in a directory that
// does not exist yet, none fails, and one answer is first.
func TestManyBegin(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	var askers []*process
	for range 32 {
		askers = append(askers, start(t, dir, "ask", "same"))
	}
	asked := map[string]bool{}
	for _, p := range askers {
		line := p.line()
		if !strings.HasPrefix(line, "asked ") {
			t.Fatalf("an asker says %q", line)
		}
		asked[line] = true
	}
	if len(asked) != len(askers) {
		t.Errorf("%d questions of %d living askers", len(asked), len(askers))
	}
	s := Open(dir)
	for line := range asked {
		id := strings.TrimPrefix(line, "asked ")
		fatal.If(t, s.Answer(t.Context(), id, store.Ending{Outcome: []byte("to " + id)}))
	}
	for _, p := range askers {
		line, end := p.line(), p.line()
		fields := strings.Fields(line)
		if len(fields) != 4 || fields[1] != fields[3] || end != "end <nil>" {
			t.Errorf("an asker received %q, %q", line, end)
		}
	}
}

// TestKilledAnywhere: what was acknowledged to a process is there after it was killed, at
// any moment; the database stays whole, and others go on. KILLS says how many.
func TestKilledAnywhere(t *testing.T) {
	kills := 24
	if n := os.Getenv("KILLS"); n != "" {
		_, err := fmt.Sscan(n, &kills)
		fatal.If(t, err)
	}
	dir := filepath.Join(t.TempDir(), "store")
	var mu sync.Mutex
	said := map[string]string{} // the last step of each question that was acknowledged
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for n := range kills / 4 {
				p := start(t, dir, "work", "")
				killSoon := func() {
					time.AfterFunc(time.Duration(rand.IntN(120))*time.Millisecond, func() { _ = p.Process.Kill() })
				}
				if n%2 == 0 { // perhaps while it sets the store up; else while it works
					killSoon()
				}
				for line, first := p.line(), n%2 > 0; line != ""; line, first = p.line(), false {
					if first {
						killSoon()
					}
					step, id, _ := strings.Cut(line, " ")
					if step == "end" {
						t.Errorf("a process failed: %s", id)
						continue
					}
					mu.Lock()
					said[id] = step
					mu.Unlock()
				}
				_ = p.Wait()
			}
		})
	}
	all.Wait()
	s := Open(dir)
	for id, step := range said {
		row, err := s.Get(t.Context(), id)
		if err != nil {
			t.Errorf("%s was %s, and: %v", id, step, err)
			continue
		}
		if row.Attended {
			t.Errorf("a dead process attends %s", id)
		}
		if step != "asked" && string(row.Outcome) != id || step == "delivered" && !row.Delivered {
			t.Errorf("%s was %s, and reads as %+v", id, step, row)
		}
	}
	db, err := s.database(t.Context(), false)
	fatal.If(t, err)
	found := ""
	err = db.QueryRow(`pragma integrity_check`).Scan(&found)
	if err != nil || found != "ok" {
		t.Errorf("the database: %q, %v", found, err)
	}
	if len(said) < kills/4 {
		t.Errorf("only %d questions in %d processes", len(said), kills)
	}
	t.Logf("%d processes killed, %d questions acknowledged", kills, len(said))
}

// TestEveryConnectionSyncs: each connection, of a new store and of one that exists, waits
// for the disk.
func TestEveryConnectionSyncs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	for range 2 {
		s := Open(dir)
		db, err := s.database(t.Context(), true)
		fatal.If(t, err)
		for range 3 {
			conn, err := db.Conn(t.Context())
			fatal.If(t, err)
			defer func() { _ = conn.Close() }()
			synchronous, mode := 0, ""
			err = conn.QueryRowContext(t.Context(), `select synchronous, journal_mode
				from pragma_synchronous, pragma_journal_mode`).Scan(&synchronous, &mode)
			if err != nil || synchronous != 2 || mode != "wal" {
				t.Errorf("synchronous %d, journal %q, %v", synchronous, mode, err)
			}
		}
		_ = s.Close()
	}
}

// TestRefused: a file that is not this version's is refused with what to do, and stays as it
// is.
func TestRefused(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(t *testing.T, s *Store)
		want  string
	}{
		"a newer version": {func(t *testing.T, s *Store) { setHeader(t, s, 60, version+1) }, "install that"},
		"another program": {func(t *testing.T, s *Store) { setHeader(t, s, 68, 7) }, "name a directory"},
		"a text": {func(t *testing.T, s *Store) {
			write(t, s.path(), []byte(strings.Repeat("no database ", 100)))
		}, "move it away"},
		"a short file":  {func(t *testing.T, s *Store) { write(t, s.path(), []byte("SQLite")) }, "move it away"},
		"a broken page": {func(t *testing.T, s *Store) { breakPages(t, s.path()) }, "desk.db-wal"},
		"a directory": {func(t *testing.T, s *Store) {
			fatal.If(t, errors.Join(os.Remove(s.path()), os.Mkdir(s.path(), 0o700)))
		}, "move it away"},
		"open to others": {func(t *testing.T, s *Store) { fatal.If(t, os.Chmod(s.dir, 0o775)) }, "chmod 700"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Open(filepath.Join(t.TempDir(), "store"))
			_ = storetest.Ask(t, s, "First?")
			_ = s.Close() // which merges the log into the file
			test.spoil(t, s)
			before, _ := os.ReadFile(s.path())
			s = Open(s.dir)
			_, err := s.Ask(t.Context(), storetest.NewRow("Second?"))
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), s.dir) {
				t.Errorf("the error says %v", err)
			}
			_ = s.Close()
			after, _ := os.ReadFile(s.path())
			if string(before) != string(after) {
				t.Error("the file was changed")
			}
		})
	}
}

// A newer version that brings the store up to date while this one runs is not written over.
func TestNewerMeanwhile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s, other := Open(dir), Open(dir)
	defer func() { _ = errors.Join(s.Close(), other.Close()) }()
	row := storetest.Ask(t, s, "First?")
	db, err := other.database(t.Context(), false)
	fatal.If(t, err)
	_, err = db.ExecContext(t.Context(), `pragma user_version = 2`)
	fatal.If(t, err)
	s.db.SetMaxIdleConns(0) // as after two seconds without a call
	_, asking := s.Ask(t.Context(), storetest.NewRow("Second?"))
	_, reading := s.Get(t.Context(), row.ID)
	for _, err := range []error{asking, reading} {
		if err == nil || !strings.Contains(err.Error(), "start it anew") {
			t.Errorf("the error says %v", err)
		}
	}
}

// The log of a database that was removed does not get into the store. A backup without a log has one again.
func TestSetUpAnew(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "store"))
	row := storetest.Ask(t, s, "Before?")
	log, err := os.ReadFile(s.path() + "-wal")
	fatal.If(t, err)
	backup := s.path() + ".backup"
	db, err := s.database(t.Context(), false)
	fatal.If(t, err)
	_, err = db.Exec(`vacuum into ?`, backup)
	fatal.If(t, errors.Join(err, s.Close(), os.Remove(s.path())))
	write(t, s.path()+"-wal", log)
	for _, found := range []error{store.ErrNotFound, nil} {
		s = Open(s.dir)
		_, err = s.Ask(t.Context(), storetest.NewRow("Set up?"))
		fatal.If(t, err)
		_, err = s.Get(t.Context(), row.ID)
		storetest.Wants(t, err, found)
		db, err = s.database(t.Context(), false)
		fatal.If(t, err)
		mode := ""
		err = db.QueryRow(`pragma journal_mode`).Scan(&mode)
		if err != nil || mode != "wal" {
			t.Errorf("the journal mode is %q, %v", mode, err)
		}
		fatal.If(t, errors.Join(s.Close(), os.Rename(backup, s.path())))
		backup = s.path()
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	fatal.If(t, os.WriteFile(path, data, 0o600))
}

func setHeader(t *testing.T, s *Store, at int, value uint32) {
	t.Helper()
	data, err := os.ReadFile(s.path())
	fatal.If(t, err)
	binary.BigEndian.PutUint32(data[at:], value)
	write(t, s.path(), data)
}

func breakPages(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	fatal.If(t, err)
	for i := 100; i < len(data); i++ {
		data[i] = 0xa5
	}
	write(t, path, data)
}

// TestRemovedWhileWaiting: a wait whose store is removed, or replaced, ends at the next
// look; a later question finds a new store.
func TestRemovedWhileWaiting(t *testing.T) {
	for name, remove := range map[string]func(dir string) error{
		"removed": os.RemoveAll,
		"moved":   func(dir string) error { return os.Rename(dir, dir+".old") },
		"replaced": func(dir string) error {
			err := os.Rename(dir, dir+".old")
			if err == nil {
				_, err = Open(dir).Ask(context.Background(), storetest.NewRow("Other?"))
			}
			return err
		},
		"its file replaced": func(dir string) error {
			err := os.Rename(filepath.Join(dir, File), filepath.Join(dir, "old"))
			if err == nil {
				_, err = Open(dir).Ask(context.Background(), storetest.NewRow("Other?"))
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := Open(filepath.Join(t.TempDir(), "store"))
			s.again = 100 * time.Millisecond
			row := storetest.Ask(t, s, "Lost?")
			done := waiting(t, s, row.ID)
			fatal.If(t, remove(s.dir))
			if err := (<-done).err; !errors.Is(err, store.ErrLost) && !errors.Is(err, store.ErrNotFound) {
				t.Errorf("the wait ended with %v", err)
			}
			_, err := s.Ask(t.Context(), storetest.NewRow("Again?"))
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// A closed store stays closed: what is released late opens nothing anew, and no call that has ended
// writes to its directory, which is its owner's again.
func TestClosed(t *testing.T) {
	for range 8 {
		s := Open(filepath.Join(t.TempDir(), "store"))
		row := storetest.Ask(t, s, "Open?")
		watching, leave := context.WithCancel(t.Context())
		changes, err := s.Changes(watching, "inbox")
		fatal.If(t, err)
		left, leaveNow := context.WithCancel(t.Context())
		for range 4 {
			_, err := s.Changes(left, "inbox")
			fatal.If(t, err)
		}
		ended := waiting(t, s, row.ID)
		leaveNow()
		fatal.If(t, errors.Join(s.Close(), os.RemoveAll(s.dir)))
		if err := (<-ended).err; !errors.Is(err, errClosed) {
			t.Errorf("the wait ended with %v", err)
		}
		leave()
		for range changes { // it is closed
		}
		_ = s.Release(context.Background(), row.ID)
		_, err = s.Ask(context.Background(), storetest.NewRow("Late?"))
		if !errors.Is(err, errClosed) {
			t.Errorf("asked after the end: %v", err)
		}
		_, err = os.Stat(s.dir)
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the directory was made anew: %v", err)
		}
	}
}

// waited is how a wait has ended.
type waited struct {
	row store.Row
	err error
}

// waiting waits for a row, from before it returns on.
func waiting(t *testing.T, s *Store, id string) <-chan waited {
	t.Helper()
	ended := make(chan waited, 1)
	go func() {
		row, err := s.Wait(context.Background(), id)
		ended <- waited{row, err}
	}()
	begun := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return slices.Contains(slices.Collect(maps.Values(s.waiting)), id)
	}
	if !waittest.Until(waittest.Patience, begun) {
		t.Fatal("the wait does not begin")
	}
	return ended
}

// TestMissedWakeUp: an answer whose process was killed between its commit and the wake-up is
// found at the next look.
func TestMissedWakeUp(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "store"))
	s.again = 10 * time.Millisecond
	row := storetest.Ask(t, s, "Missed?")
	got := waiting(t, s, row.ID)
	db, err := s.database(t.Context(), false)
	fatal.If(t, err)
	_, err = db.Exec(`update record set outcome='Yes' where id=?`, row.ID)
	fatal.If(t, err)
	if end := <-got; string(end.row.Outcome) != "Yes" {
		t.Errorf("waited for %q, %v", end.row.Outcome, end.err)
	}
}

// A directory may have any name.
func TestNameOfDirectory(t *testing.T) {
	for _, name := range []string{"a b", "a&b", "a;b", "a+b", "a=b", "a#b", "a%41b", "é"} {
		s := Open(filepath.Join(t.TempDir(), name))
		_, err := s.Ask(t.Context(), storetest.NewRow("Here?"))
		if err != nil {
			t.Errorf("%q: %v", name, err)
		}
		_ = s.Close()
	}
}

// A query that selects few rows of a long history finds them by an index, and reads no others.
func TestQueriesUseIndexes(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "store"))
	defer func() { _ = s.Close() }()
	db, err := s.database(t.Context(), true)
	fatal.If(t, err)
	now := time.Now()
	for name, q := range map[string]store.Query{
		"open":               {Open: true, Ascend: true},
		"to take over":       {Content: "c", Kept: now, Ascend: true},
		"of a session":       {Session: "s"},
		"of a run":           {Run: "r"},
		"changed":            {After: store.Revision{Own: 1}},
		"by an id's start":   {Ended: true, Prefix: "01"},
		"that reopen":        {Earlier: "e"},
		"since":              {Ended: true, Since: now},
		"since in a project": {Project: "p", Since: now},
		"the last since":     {Ended: true, Since: now, Limit: 50},
	} {
		condition, args := where(q)
		rows, err := db.QueryContext(t.Context(), `explain query plan select `+columns+` from record`+condition, args...)
		fatal.If(t, err)
		for rows.Next() {
			id, parent, unused, step := 0, 0, 0, ""
			fatal.If(t, rows.Scan(&id, &parent, &unused, &step))
			scans := strings.HasPrefix(step, "SCAN record") && !strings.Contains(step, "is_open")
			if scans || strings.HasPrefix(step, "LIST SUBQUERY") { // which makes a list of all before the first is read
				t.Errorf("%s: %s", name, step)
			}
		}
		_ = rows.Close()
	}
}
