package proc

import (
	"os"
	"runtime"
	"slices"
	"testing"
)

func TestLook(t *testing.T) {
	p, ok := Look(os.Getpid())
	if ok != (runtime.GOOS == "linux") {
		t.Fatalf("this process: %v", ok)
	}
	if ok && (p.Parent != os.Getppid() || p.Session < 0 || p.Started == "" || !slices.Equal(p.Args, os.Args)) {
		t.Errorf("%+v is not this process", p)
	}
	if p, ok := Look(-1); ok {
		t.Errorf("nobody is %+v", p)
	}
}

// A chain ends with process 1, which in a container may be the client of an agent.
func TestChain(t *testing.T) {
	half := func(pid int) (Process, bool) { return Process{Parent: pid / 2}, pid > 0 }
	var got []int
	for pid := range Chain(5, half) {
		got = append(got, pid)
	}
	if !slices.Equal(got, []int{5, 2, 1}) {
		t.Errorf("the chain of 5 is %v", got)
	}
}
