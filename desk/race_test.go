package desk_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/spool"
)

// Invariant: however many answer a record, from whatever goroutines
// and processes, and whether or not its outcome is being collected and archived
// meanwhile: exactly one Reply succeeds, and every other one fails with a
// ClosedError that carries the winner's answer. Whoever reads the record, then
// or later, finds that answer and no other.

func TestRaceOfGoroutines(t *testing.T) {
	const answerers = 16
	n := rounds(t, 60)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute+time.Duration(n)*100*time.Millisecond)
	defer cancel()
	dir := storeDir(t)
	asking := open(t, dir)
	desks := make([]*desk.Desk, answerers)
	for i := range desks {
		desks[i] = open(t, dir)
	}
	for range n {
		rec := ask(t, asking)
		verdicts := make([]verdict, answerers+1) // the last is the asker's
		var wg sync.WaitGroup
		start := make(chan struct{})
		for i, d := range desks {
			wg.Go(func() {
				<-start
				verdicts[i] = answer(ctx, d, rec.ID, strconv.Itoa(i))
			})
		}
		wg.Go(func() { verdicts[answerers] = collect(ctx, asking, rec.ID) })
		close(start)
		wg.Wait()
		judge(t, desks[0], rec.ID, verdicts)
	}
}

func TestRaceOfProcesses(t *testing.T) {
	const answerers = 16
	n := rounds(t, 200)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute+time.Duration(n)*100*time.Millisecond)
	defer cancel()
	dir := storeDir(t)
	asking := open(t, dir)
	var peers []*peer
	for i := range answerers {
		peers = append(peers, startPeer(t, "answer", dir, strconv.Itoa(i)))
	}
	for i := range n {
		racing := peers[:2+i%(answerers-1)] // 2 to 16
		rec := ask(t, asking)
		for _, p := range racing {
			p.tell(rec.ID)
		}
		verdicts := []verdict{collect(ctx, asking, rec.ID)}
		for _, p := range racing {
			verdicts = append(verdicts, parseVerdict(p.hear()))
		}
		judge(t, asking, rec.ID, verdicts)
	}
}

// rounds is how often a race is run: RACE_ROUNDS for a long run.
func rounds(tb testing.TB, normally int) int {
	if n, err := strconv.Atoi(os.Getenv("RACE_ROUNDS")); err == nil {
		return n
	}
	if testing.Short() {
		return normally / 10
	}
	return normally
}

// verdict is what one who took part learned: that it won, or who did.
type verdict struct {
	won    bool
	winner string
	err    error
}

func answer(ctx context.Context, d *desk.Desk, id, name string) verdict {
	_, err := d.Reply(ctx, id, says(name), desk.Evidence{Surface: "tty", How: desk.HowPage})
	if err == nil {
		return verdict{won: true, winner: name}
	}
	if closed, ok := errors.AsType[*desk.ClosedError](err); ok {
		return verdict{winner: outcomeText(&closed.Outcome)}
	}
	return verdict{err: err}
}

// collect is the asker: it waits and archives at once, under the feet of those
// who are still answering.
func collect(ctx context.Context, d *desk.Desk, id string) verdict {
	rec, err := d.Wait(ctx, id)
	if err == nil {
		err = d.Archive(ctx, id)
	}
	return verdict{winner: text(rec), err: err}
}

func judge(t *testing.T, d *desk.Desk, id string, verdicts []verdict) {
	t.Helper()
	rec, err := d.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	won := 0
	for _, v := range verdicts {
		if v.err != nil {
			t.Fatal(v.err)
		}
		if v.winner != text(rec) {
			t.Fatalf("somebody was told that %q won, the record says %q: %v", v.winner, text(rec), verdicts)
		}
		if v.won {
			won++
		}
	}
	if won != 1 {
		t.Fatalf("%d answerers won", won)
	}
}

func (v verdict) String() string { return fmt.Sprintf("%t %q", v.won, v.winner) }

func parseVerdict(line string) (v verdict) {
	if _, err := fmt.Sscanf(line, "%t %q", &v.won, &v.winner); err != nil {
		v.err = fmt.Errorf("another process said %q", line)
	}
	return v
}

// peer is another process that works in the same store.
type peer struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// startPeer starts the test binary in a role of [play]. It ends, at the
// latest, with the test.
func startPeer(t testing.TB, role string, args ...string) *peer {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), envRole+"="+role)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	return &peer{t, cmd, in, bufio.NewScanner(out)}
}

func (p *peer) tell(line string) {
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) hear() string {
	if !p.out.Scan() {
		p.t.Fatal("another process fell silent", p.out.Err())
	}
	return p.out.Text()
}

// play is the main function of a peer. Its arguments are the store, what it is
// about, and the step at which it is killed, if any.
func play(role string) error {
	s, err := spool.Open(os.Args[1])
	if err != nil {
		return err
	}
	store := &mortal{Store: s}
	if len(os.Args) > 3 {
		if store.die, err = strconv.Atoi(os.Args[3]); err != nil {
			return err
		}
	}
	d := desk.New(store, desk.Options{})
	ctx := context.Background()
	switch role {
	case "answer":
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			fmt.Println(answer(ctx, d, strings.TrimSpace(in.Text()), os.Args[2]))
		}
		return in.Err()
	case "work":
		return work(ctx, d, os.Args[2])
	case "powered":
		return playPowered(ctx, os.Args[1], os.Args[2])
	case "asker":
		return playAsker(ctx, d, os.Args[2])
	case "answerer":
		return playAnswerer(ctx, d, os.Args[2])
	case "wait":
		return playWaiter(ctx, d, os.Args[2])
	}
	return fmt.Errorf("no role %q", role)
}
