package ui

// Why a process runs in no desktop session in front of its user.
var (
	ErrRemote    = Unavailablef("this is a remote shell")
	ErrCI        = Unavailablef("this is a CI job")
	ErrNoDisplay = Unavailablef("this is no desktop session")
)

// Desktop returns nil where a process with this environment runs in a desktop session in
// front of its user, else why not; goos is as runtime.GOOS. It does not try the display: a session that has ended
// leaves its name behind. The display of a remote shell is not on the user's own desktop.
func Desktop(getenv func(string) string, goos string) error {
	set := func(name string) bool { return getenv(name) != "" }
	switch ci := getenv("CI"); {
	case set("SSH_CONNECTION"), set("SSH_CLIENT"), set("SSH_TTY"):
		return ErrRemote
	case ci != "" && ci != "false" && ci != "0":
		return ErrCI
	case goos == "darwin", goos == "windows", set("WSL_DISTRO_NAME"), set("DISPLAY"), set("WAYLAND_DISPLAY"):
		return nil
	}
	return ErrNoDisplay
}
