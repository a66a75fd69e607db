package main

import (
	"fmt"
	"testing"

	"mcp-askuser/ui/web"
)

func TestListen(t *testing.T) {
	for text, want := range map[string]string{
		"0.0.0.0": "0.0.0.0 8790", "127.0.0.1:80": "127.0.0.1 80", "::1": "::1 8790", "[::1]": "::1 8790",
		"[::1]:80": "::1 80",
		":80":      "", "host:http": "", "a:b:c": "",
	} {
		o := web.Options{Port: 8790}
		err := readListen(text, &o)
		if got := fmt.Sprint(o.Host, " ", o.Port); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%s: %s, %v, want %q", text, got, err, want)
		}
	}
}
