package ui

import (
	"errors"
	"strings"
	"testing"
)

func TestDesktop(t *testing.T) {
	for _, tt := range []struct {
		goos, env string
		want      error
	}{
		{"linux", "", ErrNoDisplay},
		{"linux", "DISPLAY=:0", nil},
		{"linux", "WAYLAND_DISPLAY=wayland-0", nil},
		{"linux", "WSL_DISTRO_NAME=Debian", nil},
		{"linux", "DISPLAY=:0 CI=true", ErrCI},
		{"linux", "DISPLAY=:0 CI=false", nil},
		{"linux", "DISPLAY=:0 CI=0", nil},
		{"linux", "DISPLAY=localhost:10.0 SSH_CONNECTION=x", ErrRemote},
		{"linux", "WAYLAND_DISPLAY=wayland-0 SSH_CLIENT=x", ErrRemote},
		{"linux", "DISPLAY=:0 SSH_TTY=/dev/pts/1 CI=true", ErrRemote},
		{"freebsd", "DISPLAY=:0", nil},
		{"freebsd", "", ErrNoDisplay},
		{"darwin", "", nil},
		{"darwin", "SSH_TTY=/dev/ttys001", ErrRemote},
		{"darwin", "CI=true", ErrCI},
		{"windows", "", nil},
		{"windows", "SSH_CLIENT=x", ErrRemote},
	} {
		getenv := func(name string) string {
			for entry := range strings.FieldsSeq(tt.env) {
				if value, ok := strings.CutPrefix(entry, name+"="); ok {
					return value
				}
			}
			return ""
		}
		if got := Desktop(getenv, tt.goos); !errors.Is(got, tt.want) {
			t.Errorf("%s %s: %v, want %v", tt.goos, tt.env, got, tt.want)
		}
	}
}
