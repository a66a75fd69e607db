package tty

import (
	"bytes"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// switches are what a full-screen form may switch on in a terminal and must
// switch off again, in this order: the keyboard's protocol is one of the
// screen that is on.
var switches = [...]struct{ on, off string }{
	{ansi.SetModifyOtherKeys2, ansi.ResetModifyOtherKeys},
	{ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes), ansi.PopKittyKeyboard(1)},
	{ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes | ansi.KittyReportEventTypes), ansi.PopKittyKeyboard(1)},
	{ansi.SetModeMouseNormal, ansi.ResetModeMouseNormal},
	{ansi.SetModeMouseButtonEvent, ansi.ResetModeMouseButtonEvent},
	{ansi.SetModeMouseAnyEvent, ansi.ResetModeMouseAnyEvent},
	{ansi.SetModeMouseExtSgr, ansi.ResetModeMouseExtSgr},
	{ansi.SetModeFocusEvent, ansi.ResetModeFocusEvent},
	{ansi.SetModeSynchronizedOutput, ansi.ResetModeSynchronizedOutput},
	{ansi.SetModeBracketedPaste, ansi.ResetModeBracketedPaste},
	{ansi.SetModeAltScreenSaveCursor, ansi.ResetModeAltScreenSaveCursor},
	{ansi.ResetModeTextCursorEnable, ansi.SetModeTextCursorEnable},
}

// modes are what was switched on, and not off. Bubble Tea does so itself at its
// end, if it gets to that: it may have been killed on a busy machine.
type modes [len(switches)]bool

// note takes what is written to the terminal. Bubble Tea writes sequences
// whole.
func (m *modes) note(p []byte) {
	for i, s := range switches {
		on, off := bytes.LastIndex(p, []byte(s.on)), bytes.LastIndex(p, []byte(s.off))
		if on != off {
			m[i] = on > off
		}
	}
}

// undo returns what switches everything off.
func (m *modes) undo() string {
	var out strings.Builder
	for i, on := range m {
		if on {
			out.WriteString(switches[i].off)
		}
	}
	*m = modes{}
	return out.String()
}
