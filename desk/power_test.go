package desk_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/spool"
	"mcp-askuser/desk/storetest"
	"mcp-askuser/internal/powertest"
)

// Invariant: at whatever change or sync the power is cut, and whatever the disk has
// written by itself of what was not synced,
//
//   - a question that was asked is there, and an asker that asks the same gets it
//     again: the user is not asked twice;
//   - an answer of which the user was told "sent" is there, whole, and it is the only
//     one; an asker that asks the same gets it, unless it was delivered;
//   - an answer that was put away is delivered to no other call;
//   - no document is torn;
//   - the store goes on working.
//
// Each cut is that of a machine: all its processes die.
func TestPowerFailure(t *testing.T) {
	cuts := powerCuts(t)
	disk := powertest.Start(t)
	var report storetest.PowerReport
	var all []storetest.Acknowledged
	home := ""
	for cut := range cuts {
		if cut%3 == 0 { // a machine on which no question was ever asked
			home, all = filepath.Join(disk.Dir, fmt.Sprint("home", cut)), nil
		}
		dir := filepath.Join(home, ".local", "state", "mcp-askuser")
		all = append(all, workUnderPower(t, disk, dir, fmt.Sprint(cut))...)
		report.Cuts++
		disk.Restore(rand.Int())
		d := open(t, dir)
		all = report.Check(t, &storetest.Conversation{Asker: d, Human: d}, all)
		if _, err := os.Stat(dir); err == nil {
			checkWhole(t, dir)
		}
	}
	t.Log(report)
	if report.Answers == 0 {
		t.Error("no answer was acknowledged before a cut: this proves nothing")
	}
}

// powerCuts is how often the power is cut: POWER_CUTS for a long run.
func powerCuts(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("POWER_CUTS")); err == nil {
		return n
	}
	if testing.Short() {
		t.Skip("takes seconds")
	}
	return 25
}

// workUnderPower runs two processes until the power is cut at a random step of
// theirs, and returns what they said by then.
func workUnderPower(t *testing.T, disk *powertest.Disk, dir, name string) []storetest.Acknowledged {
	t.Helper()
	disk.Arm(1 + rand.IntN(800))
	failed := disk.Failed()
	var mu sync.Mutex
	said := map[string]storetest.Acknowledged{}
	var processes sync.WaitGroup
	for n := range 2 {
		cmd := exec.Command(os.Args[0], dir, fmt.Sprint(name, "-", n))
		cmd.Env = append(os.Environ(), envRole+"=powered")
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			<-failed
			_ = cmd.Process.Kill()
		}()
		processes.Go(func() {
			defer func() { _ = cmd.Wait() }()
			for lines := bufio.NewScanner(out); lines.Scan(); {
				var a storetest.Acknowledged
				if json.Unmarshal(lines.Bytes(), &a) != nil {
					continue // cut off
				}
				mu.Lock()
				said[a.ID] = storetest.Acknowledged{ID: a.ID, Name: a.Name, Progress: max(a.Progress, said[a.ID].Progress)}
				mu.Unlock()
			}
		})
	}
	select {
	case <-failed:
	case <-time.After(time.Minute):
		t.Fatal("the processes do nothing")
	}
	processes.Wait()
	var all []storetest.Acknowledged
	for _, a := range said {
		all = append(all, a)
	}
	return all
}

// playPowered asks and answers until the power is cut, and says what is done.
func playPowered(ctx context.Context, dir, name string) error {
	store, err := spool.Open(dir)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	says := func(a storetest.Acknowledged) {
		line, _ := json.Marshal(a)
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(string(line))
	}
	const conversations = 2
	failed := make(chan error, conversations)
	for n := range conversations {
		go func() {
			d := desk.New(store, desk.Options{})
			c := &storetest.Conversation{Asker: d, Human: d, Says: says}
			var err error
			for i := 0; err == nil; i++ {
				err = c.Run(ctx, fmt.Sprint(name, "-", n, "-", i), storetest.Progress(i%4))
			}
			failed <- err
		}()
	}
	return <-failed
}
