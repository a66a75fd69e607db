//go:build unix

package termtest

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Switch is what a full-screen form may switch on in a terminal and must switch off again.
type Switch struct{ On, Off string }

// Switches are all of them.
func Switches() []Switch {
	return []Switch{
		{ansi.SetModifyOtherKeys2, ansi.ResetModifyOtherKeys},
		{ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes), ansi.PopKittyKeyboard(1)},
		{ansi.SetModeFocusEvent, ansi.ResetModeFocusEvent},
		{ansi.SetModeSynchronizedOutput, ansi.ResetModeSynchronizedOutput},
		{ansi.SetModeBracketedPaste, ansi.ResetModeBracketedPaste},
		{ansi.SetModeAltScreenSaveCursor, ansi.ResetModeAltScreenSaveCursor},
		{ansi.ResetModeTextCursorEnable, ansi.SetModeTextCursorEnable},
	}
}

// CheckLeft fails unless the terminal is as it was before the program.
func (x *Terminal) CheckLeft() {
	x.t.Helper()
	if after := x.Termios(); after != x.Before() {
		x.t.Errorf("the terminal is not as it was found:\nbefore %+v\nafter  %+v", x.Before(), after)
	}
	if x.FullScreen() {
		x.t.Error("the alternate screen is still on")
	}
	out := x.Output()
	for _, mode := range Switches() {
		if strings.LastIndex(out, mode.On) > strings.LastIndex(out, mode.Off) {
			x.t.Errorf("%q was not written", mode.Off)
		}
	}
}
