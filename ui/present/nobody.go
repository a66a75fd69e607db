package present

import (
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
)

// NobodyError means that no surface reached the human, and why each could not.
// It is a ui.ErrUnavailable.
type NobodyError struct{ Tried []desk.Showing }

func (e *NobodyError) Error() string {
	return e.In(func(text string, _ ...any) string { return text })
}

// In is what the error says, as say puts it.
func (e *NobodyError) In(say func(text string, args ...any) string) string {
	if len(e.Tried) == 0 {
		return say("no surface to ask on")
	}
	parts := make([]string, len(e.Tried))
	for i, t := range e.Tried {
		parts[i] = t.Surface + ": " + say(t.Why)
	}
	return strings.Join(parts, "; ")
}

// Is makes a NobodyError a ui.ErrUnavailable.
func (e *NobodyError) Is(target error) bool { return target == ui.ErrUnavailable }
