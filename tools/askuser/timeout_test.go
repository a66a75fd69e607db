package askuser

import (
	"testing"
	"time"
)

// A call of Claude Code returns before the user's own limit of calls, also in its form: later it
// is a failure for the model, and the form has gone.
func TestToolTimeout(t *testing.T) {
	for _, tc := range []struct {
		value        string
		wait, inForm time.Duration
	}{
		{"60000", 50 * time.Second, 50 * time.Second},
		{"300000", 110 * time.Second, 290 * time.Second},
		{"0", 110 * time.Second, 24 * time.Hour},
		{"never", 110 * time.Second, 24 * time.Hour},
	} {
		getenv := func(name string) string { return map[string]string{"MCP_TOOL_TIMEOUT": tc.value}[name] }
		h := hostOf("claude-code").within(getenv)
		if got := h.callLimit(false, true); got != tc.wait {
			t.Errorf("%s: a call waits %s, want %s", tc.value, got, tc.wait)
		}
		if got := h.callLimit(true, true); got != tc.inForm {
			t.Errorf("%s: a call with a form waits %s, want %s", tc.value, got, tc.inForm)
		}
	}
}
