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

// Ring rings the bell of a terminal, and has it show a notification if it can.
// The terminal must be ours at this moment: nothing may reach one that a host
// draws on. Getenv tells which one it is. What a terminal does not know of this
// it ignores, and nothing is drawn.
//
// There is one notification: a terminal that knows both sequences would show two.
// OSC 777 has a title of its own, and is the older terminals'; the others know
// OSC 9. The text of OSC 9 must not start with a digit: "4;" is a progress bar.
func Ring(w io.Writer, getenv func(string) string, rec desk.Record) error {
	e := newRequest(rec, 0)
	text := "9;" + words.T("%[1]s: %[2]s", title(e), body(e))
	if speaks777(getenv) {
		text = "777;notify;" + strings.ReplaceAll(title(e), ";", ",") + ";" + body(e)
	}
	_, err := io.WriteString(w, bell+osc+text+st)
	return err
}

// speaks777 reports whether the terminal is one of rxvt's kin, foot or a VTE
// (GNOME's and Xfce's).
func speaks777(getenv func(string) string) bool {
	term := getenv("TERM")
	return strings.HasPrefix(term, "rxvt") || strings.HasPrefix(term, "foot") || getenv("VTE_VERSION") != ""
}
