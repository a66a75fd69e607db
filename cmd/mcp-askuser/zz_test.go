//go:build linux

package main

import ("testing";"os")

func TestZZ(t *testing.T) {
	f := &figures{TB: t, path: os.Getenv("ZZ")}
	switch os.Getenv("ZW") {
	case "calls": f.calls()
	case "clients": f.clients()
	default: f.waiting()
	}
	t.Logf("\n%s", f.table())
}
