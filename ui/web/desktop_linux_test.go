package web

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

func TestOpener(t *testing.T) {
	tests := []struct {
		goos    string
		there   []string
		command []string
	}{
		{"linux", []string{"xdg-open", "x-www-browser"}, []string{"xdg-open"}},
		{"linux", []string{"x-www-browser"}, []string{"x-www-browser"}},
		{"freebsd", []string{"xdg-open"}, []string{"xdg-open"}},
		{"darwin", []string{"open", "xdg-open"}, []string{"open"}},
		{"windows", []string{"rundll32"}, []string{"rundll32", "url.dll,FileProtocolHandler"}},
		{"linux", nil, nil},
	}
	for _, tt := range tests {
		path, args, err := opener(tt.goos, func(name string) (string, error) {
			if slices.Contains(tt.there, name) {
				return name, nil
			}
			return "", exec.ErrNotFound
		})
		switch {
		case tt.command == nil && !errors.Is(err, exec.ErrNotFound):
			t.Errorf("%s without any: %v", tt.goos, err)
		case tt.command != nil && !slices.Equal(append([]string{path}, args...), tt.command):
			t.Errorf("%s %v: %s %v, %v", tt.goos, tt.there, path, args, err)
		}
	}
}

// The browser gets the address as one argument, whatever characters it has,
// and nothing of our standard streams.
func TestOpenBrowser(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	// Reading from a named pipe waits until the program has written to it.
	if err := exec.Command("mkfifo", out).Run(); err != nil {
		t.Skip("no named pipes here")
	}
	script := "#!/bin/sh\necho noise\nprintf '%s|%s|%s' \"$#\" \"$1\" \"$(readlink /proc/self/fd/0)\" > " + out + "\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	const address = "http://127.0.0.1:1/?token=a b&c=$(touch x);'\""
	if err := OpenBrowser(address); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if want := "1|" + address + "|/dev/null"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
