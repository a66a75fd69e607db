package notify

import (
	"io"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/ui/words"
)

const (
	bell = "\a"
	osc  = "\x1b]"
	st   = "\x1b\\"
)

// Ring rings the bell of a terminal, and has it show a notification if it can. The
// terminal must be ours at this moment: a host may not be drawing on it. Getenv
// identifies it. A terminal ignores sequences that it does not support.
//
// Only one sequence is sent: a terminal that supports both would show two
// notifications. Older terminals support OSC 777, which has a title; the others
// OSC 9, whose text must not start with a digit: "4;" is a progress bar.
func Ring(w io.Writer, getenv func(string) string, rec desk.Record) error {
	e := newNotice(rec, 0)
	text := "9;" + words.T("%[1]s: %[2]s", title(e), body(e))
	if speaks777(getenv) {
		text = "777;notify;" + strings.ReplaceAll(title(e), ";", ",") + ";" + body(e)
	}
	_, err := io.WriteString(w, bell+osc+text+st)
	return err
}

// speaks777 reports whether the terminal is an rxvt, foot or a VTE (of GNOME or
// Xfce).
func speaks777(getenv func(string) string) bool {
	term := getenv("TERM")
	return strings.HasPrefix(term, "rxvt") || strings.HasPrefix(term, "foot") || getenv("VTE_VERSION") != ""
}
