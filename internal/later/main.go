// Command later runs go with modules that do at first use what they otherwise
// do in every program that imports them, at its start, or take for themselves
// only what they need:
//
//	go run ./internal/later [NAME=value ...] build [flags] [packages]
//
// What it changes stands in changes/, as patches to offer upstream (see
// docs/upstream.md). Each is applied to a copy of the module from the module
// cache, and only to the files it was written for: one that has changed since
// ends the build, and a human looks. The copies stand below bin/, next to a
// go.mod of their own that is handed to go as -modfile; nothing else of the
// project knows of them. Without all this, go build gives the same program,
// only slower to start and larger in memory.
//
// The variables are go's alone, so that GOOS=windows is what is built, not what
// builds.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "later:", err)
		os.Exit(1)
	}
}

// run is go with these arguments, in the root of the module.
func run(args []string) error {
	env := os.Environ()
	for len(args) > 0 && strings.Contains(args[0], "=") {
		env, args = append(env, args[0]), args[1:]
	}
	if len(args) == 0 {
		return fmt.Errorf("usage: later [NAME=value ...] build [flags] [packages]")
	}
	modfile, err := prepare(".")
	if err != nil {
		return err
	}
	cmd := exec.Command("go", append([]string{args[0], "-modfile=" + modfile}, args[1:]...)...)
	cmd.Env = env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
