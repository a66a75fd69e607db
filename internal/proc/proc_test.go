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
