package notify

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"mcp-askuser/desk"
	"mcp-askuser/ui/words"
)

// Ring rings the bell of a terminal, and has it show a notification if it can.
// The terminal must be ours at this moment (DESIGN, promise 5); getenv tells
// which one it is. What a terminal does not know of this it ignores, and
// nothing is drawn.
func Ring(w io.Writer, getenv func(string) string, rec desk.Record) error {
	_, err := io.WriteString(w, ring(getenv, newRequest(rec, 0)))
	return err
}

const (
	bell = "\a"
	osc  = "\x1b]"
	st   = "\x1b\\"
)

// ring is the bell and one notification: a terminal that knows both sequences
// would show two. OSC 777 has a title of its own, and is the older terminals';
// the others know OSC 9. The text of OSC 9 must not start with a digit: "4;"
// is a progress bar.
func ring(getenv func(string) string, e *told) string {
	if speaks777(getenv) {
		return fmt.Sprint(bell, osc, "777;notify;", strings.ReplaceAll(title(e), ";", ","), ";", body(e), st)
	}
	return fmt.Sprint(bell, osc, "9;", words.T("%[1]s: %[2]s", title(e), body(e)), st)
}

// speaks777 reports whether the terminal is one of rxvt's kin, foot or a VTE
// (GNOME's and Xfce's).
func speaks777(getenv func(string) string) bool {
	term := getenv("TERM")
	return strings.HasPrefix(term, "rxvt") || strings.HasPrefix(term, "foot") || getenv("VTE_VERSION") != ""
}

type terminal struct {
	getenv func(string) string

	mu  sync.Mutex // one sequence at a time
	out io.Writer
}

func (t *terminal) tell(_ context.Context, e *told) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, err := io.WriteString(t.out, ring(t.getenv, e))
	return err
}
