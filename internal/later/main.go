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
