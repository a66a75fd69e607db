package term

import (
	"strings"
	"testing"

	"mcp-askuser/internal/fatal"

	"github.com/charmbracelet/x/ansi"
)

// A paste whose end was lost on the way swallows no Ctrl+C.
func TestLostEndOfPaste(t *testing.T) {
	for _, leave := range []string{"\x03", "\x1b[99;5u"} {
		k := &keyboard{File: hand{keys: ansi.BracketedPasteStart + "half a paste"}}
		_, err := k.Read(make([]byte, 64))
		fatal.If(t, err)
		k.File = hand{keys: leave}
		buf := make([]byte, 64)
		n, err := k.Read(buf)
		got, ended := strings.CutPrefix(string(buf[:n]), ansi.BracketedPasteEnd)
		if !ended || got != leave || err != nil {
			t.Errorf("%q in a paste became %q, %v", leave, buf[:n], err)
		}
	}
}
