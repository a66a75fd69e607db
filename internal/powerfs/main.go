// Powerfs is a file system for tests: one on which the power can be cut. It is in
// memory, and keeps what was not synced apart from what was.
//
//	powerfs [-journal] DIR
//
// serves it in DIR, with a journal or without, and takes commands on standard input, a line each. It answers
// each on standard output with "ok" or "error: " and the reason.
//
//	arm N         cut the power at the N-th change or sync from now
//	cut           cut it now
//	restore SEED  give it back, with what reached the disk, in DIR mounted anew
//
// When the power is cut it prints "cut". From then on every request fails. At the
// end of its input it ends.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"

	"github.com/hanwen/go-fuse/v2/fuse"
)

func main() {
	journal := flag.Bool("journal", false, "keep names as file systems with a journal do")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: powerfs [-journal] DIR")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *journal); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

func run(dir string, journal bool) error {
	s := &served{RawFileSystem: fuse.NewDefaultRawFileSystem(), disk: newDisk()}
	s.disk.journal = journal
	var mu sync.Mutex // of standard output
	say := func(what ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(what...)
	}
	s.disk.onCut = func() { say("cut") }
	server, err := s.mount(dir)
	if err != nil {
		return err
	}
	defer func() { _ = unmount(server, dir) }()
	say("ok")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var err error
		var number int
		switch line := lines.Text(); {
		case line == "cut":
			s.mu.Lock()
			s.disk.fail()
			s.mu.Unlock()
		case scan(line, "arm %d", &number):
			s.mu.Lock()
			s.disk.left = number
			s.mu.Unlock()
		case scan(line, "restore %d", &number):
			if err = unmount(server, dir); err == nil {
				s.mu.Lock()
				s.disk.restore(rand.New(rand.NewPCG(uint64(number), 0)))
				s.mu.Unlock()
				server, err = s.mount(dir)
			}
		default:
			err = fmt.Errorf("no command: %q", line)
		}
		if err != nil {
			say("error:", err)
			continue
		}
		say("ok")
	}
	return nil
}

func scan(line, form string, into *int) bool {
	_, err := fmt.Sscanf(line, form, into)
	return err == nil
}
