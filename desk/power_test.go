package desk_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/spool"
	"mcp-askuser/internal/powertest"
)

// progress is how far a question has come, as a process said before the cut.
type progress int

const (
	asked      progress = iota // Submit has returned
	answered                   // Reply has returned: the user was told "sent"
	delivering                 // the response may have been written
	putAway                    // CollectRecord has returned
)

var stages = map[string]progress{"asked": asked, "answered": answered, "delivering": delivering, "archived": putAway}

// acknowledged is a question, as far as a process said: name is its text and
// its answer's.
type acknowledged struct {
	id, name string
	progress progress
}

// powerReport counts what the checker found.
type powerReport struct{ cuts, questions, answers, lost, double, torn int }

func (r powerReport) String() string {
	return fmt.Sprintf("%d cuts, %d acknowledged questions, %d acknowledged answers: %d lost, %d double, %d torn",
		r.cuts, r.questions, r.answers, r.lost, r.double, r.torn)
}

// Invariant: at whatever change or sync the power is cut, and whatever the disk has
// written by itself of what was not synced,
//
//   - a question that was asked is there, and who asks the same gets it again: the
//     user is not asked twice;
//   - an answer of which the user was told "sent" is there, whole, and it is the only
//     one; who asks the same gets it, unless it was delivered;
//   - an answer that was put away is delivered to nobody again;
//   - no document is torn;
//   - the store goes on working.
//
// Each cut is that of a machine: all processes die with it.
func TestPowerFailure(t *testing.T) {
	disk := powertest.Start(t)
	cuts := powerCuts(t, 25)
	var r powerReport
	var all []acknowledged
	home := ""
	for cut := range cuts {
		if cut%3 == 0 { // a machine on which nothing was ever asked
			home = filepath.Join(disk.Dir, fmt.Sprint("home", cut))
			all = nil
		}
		dir := filepath.Join(home, ".local", "state", "mcp-askuser")
		acks := poweredWork(t, disk, dir, fmt.Sprint(cut))
		r.cuts++
		disk.Restore(rand.Int())
		all = append(all, acks...)
		r.check(t, dir, all)
		for i := range all {
			all[i].progress = putAway // by the checker
		}
	}
	t.Log(r)
	if r.answers == 0 && cuts > 10 {
		t.Error("no answer was acknowledged before a cut: this proves nothing")
	}
}

// powerCuts is how often the power is cut: POWER_CUTS for a long run.
func powerCuts(t *testing.T, normally int) int {
	if n, err := strconv.Atoi(os.Getenv("POWER_CUTS")); err == nil {
		return n
	}
	if testing.Short() {
		t.Skip("takes seconds")
	}
	return normally
}

// poweredWork runs two processes until the power is cut at a random step of theirs,
// and returns what they said by then.
func poweredWork(t *testing.T, disk *powertest.Disk, dir, name string) []acknowledged {
	t.Helper()
	disk.Arm(1 + rand.IntN(800))
	var mu sync.Mutex
	said := map[string]acknowledged{}
	var processes sync.WaitGroup
	for n := range 2 {
		cmd := exec.Command(os.Args[0], dir, fmt.Sprint(name, "-", n))
		cmd.Env = append(os.Environ(), envRole+"=powered")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		failed := disk.Failed()
		processes.Go(func() {
			defer func() { _ = cmd.Wait() }()
			go func() {
				<-failed
				_ = cmd.Process.Kill()
			}()
			for lines := bufio.NewScanner(out); lines.Scan(); {
				words := strings.Fields(lines.Text())
				if len(words) != 3 {
					continue // cut off
				}
				mu.Lock()
				was := said[words[1]]
				said[words[1]] = acknowledged{words[1], words[2], max(was.progress, stages[words[0]])}
				mu.Unlock()
			}
		})
	}
	select {
	case <-disk.Failed():
	case <-time.After(time.Minute):
		t.Fatal("the processes do nothing")
	}
	processes.Wait()
	var all []acknowledged
	for _, a := range said {
		all = append(all, a)
	}
	return all
}

// powered asks, answers, delivers and puts away, some of it only in part, until the
// power is cut, and says what is done.
func powered(ctx context.Context, dir, name string) error {
	const conversations = 2
	failed := make(chan error, conversations)
	for n := range conversations {
		go func() {
			store, err := spool.Open(dir)
			for i := 0; err == nil; i++ {
				err = converse(ctx, desk.New(store, desk.Options{}), fmt.Sprint(name, "-", n, "-", i), i%4)
			}
			failed <- err
		}()
	}
	return <-failed
}

// converse takes one question as far as it is to come.
func converse(ctx context.Context, d *desk.Desk, name string, until int) error {
	rec, attendance, err := d.Submit(ctx, powerRequest(name))
	if err != nil {
		return err
	}
	defer attendance.Release()
	fmt.Println("asked", rec.ID, name)
	if progress(until) == asked {
		return nil
	}
	rec, err = d.Reply(ctx, rec.ID, says(long(name)), desk.Evidence{Surface: "tty", How: desk.HowPage})
	if err != nil {
		return err
	}
	fmt.Println("answered", rec.ID, name)
	if progress(until) == answered {
		return nil
	}
	fmt.Println("delivering", rec.ID, name)
	if err := d.Delivered(ctx, rec); err != nil || progress(until) == delivering {
		return err
	}
	if err := d.CollectRecord(ctx, rec); err != nil {
		return err
	}
	fmt.Println("archived", rec.ID, name)
	return nil
}

func powerRequest(name string) desk.Request {
	r := request(name)
	r.Session = name
	return r
}

// check looks for all that was acknowledged, and puts it away.
func (r *powerReport) check(t *testing.T, dir string, all []acknowledged) {
	t.Helper()
	d := open(t, dir)
	for _, a := range all {
		r.questions++
		if a.progress >= answered {
			r.answers++
		}
		rec, err := d.Get(t.Context(), a.id)
		switch got := text(rec); {
		case err != nil:
			r.lost++
			t.Errorf("%+v: %v", a, err)
			continue
		case got != long(a.name) && got != "":
			r.torn++
			t.Errorf("%+v: the answer is %.40q", a, got)
		case got == "" && a.progress >= answered:
			r.lost++
			t.Errorf("%+v: it has no answer", a)
		}
		again, attendance, err := d.Submit(t.Context(), powerRequest(a.name))
		if err != nil {
			t.Errorf("%+v: asked again: %v", a, err)
			continue
		}
		if same := again.ID == a.id; a.progress < delivering && !same || a.progress == putAway && same {
			r.double++
			t.Errorf("%+v: asked again it is %s, %s", a, again.ID, again.State)
		}
		if again.State == desk.Pending {
			if again, err = d.Reply(t.Context(), again.ID, says(long(a.name)), desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
				t.Errorf("%+v: %v", a, err)
			}
		}
		if err := d.CollectRecord(t.Context(), again); err != nil {
			t.Errorf("%+v: %v", a, err)
		}
		attendance.Release()
	}
	if _, err := os.Stat(dir); err == nil {
		checkWhole(t, dir)
	}
}
