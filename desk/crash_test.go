package desk_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
)

// Invariant: whenever a process is killed,
//
//   - what it said was asked is there, and what it said was answered has that
//     answer, archived or not;
//   - no file under pending, replies or archive is torn: each is whole, or absent;
//   - the store goes on working for everybody else.
func TestKillLosesNothing(t *testing.T) {
	const workers = 4
	dir := storeDir(t)
	kills := rounds(t, 100)
	var mu sync.Mutex
	said := map[string]string{} // by id: the acknowledged answer, "" if it was only asked
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			for n := worker; n < kills; n += workers {
				heard := killedWork(t, dir, fmt.Sprint(n))
				mu.Lock()
				maps.Copy(said, heard)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}

	checkWhole(t, dir)
	d := open(t, dir)
	answered := 0
	for id, answer := range said {
		rec, err := d.Get(t.Context(), id)
		if err != nil {
			t.Fatalf("%s was asked, and now: %v", id, err)
		}
		if answer != "" {
			answered++
			if text(rec) != long(answer) {
				t.Fatalf("%s was answered %s, and now: %.40q", id, answer, text(rec))
			}
		}
		if rec.State == desk.Pending {
			if _, err := d.Reply(t.Context(), id, says("later"), desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
				t.Fatal(err)
			}
		}
		// Finishes what the killed process left half done.
		if err := d.Archive(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d kills, %d records, %d acknowledged answers", kills, len(said), answered)
	if answered == 0 {
		t.Error("no answer was acknowledged before a kill: the test proves nothing")
	}
}

// killedWork runs a worker, kills it at a random moment after its first word,
// and returns what it said by then.
func killedWork(t *testing.T, dir, name string) map[string]string {
	cmd := exec.Command(os.Args[0], dir, name)
	cmd.Env = append(os.Environ(), envRole+"=work")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return nil
	}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return nil
	}
	said := map[string]string{}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if len(said) == 0 {
			time.AfterFunc(rand.N(30*time.Millisecond), func() { cmd.Process.Kill() })
		}
		id, answer, _ := strings.Cut(lines.Text(), " ")
		said[id] = answer
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != -1 {
		t.Errorf("the worker ended by itself: %v", err)
	}
	return said
}

// work asks, answers and archives until it is killed, and says what is done.
func work(ctx context.Context, d *desk.Desk, name string) error {
	for i := 0; ; i++ {
		rec, err := d.Ask(ctx, set(), name, asker)
		if err != nil {
			return err
		}
		fmt.Println(rec.ID)
		answer := fmt.Sprintf("%s-%d", name, i)
		if _, err := d.Reply(ctx, rec.ID, says(long(answer)), desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
			return err
		}
		fmt.Println(rec.ID, answer)
		if i%2 == 0 {
			if err := d.Archive(ctx, rec.ID); err != nil {
				return err
			}
		}
	}
}

// long makes an answer that takes more than a page of a file. What a worker
// says about it is short: a pipe passes it on whole, or not at all.
func long(answer string) string { return answer + strings.Repeat("x", 5000) }

// checkWhole fails if a document in the store is torn, or readable by others.
func checkWhole(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if e.Type()&fs.ModeSymlink == 0 && info.Mode().Perm()&0o077 != 0 { // a link's own mode says nothing
			t.Errorf("%s: mode %v", path, info.Mode())
		}
		if e.IsDir() {
			if e.Name() == "tmp" {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".json" {
			return nil // locks and marks, which are empty
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !json.Valid(data) {
			t.Errorf("%s is torn: %.80q", path, data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
