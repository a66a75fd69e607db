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
