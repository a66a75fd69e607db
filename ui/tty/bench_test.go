//go:build unix

package tty

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkWithdrawal is how long a question takes to go once it was withdrawn:
// at most 250 ms, also where the store does not return.
func BenchmarkWithdrawal(b *testing.B) {
	for _, tt := range []struct{ name, env, keys, ready string }{
		{"screen", "", "", question1},
		{"plain", "TTY_PLAIN=1", "", question1},
		{"stuck store", "TTY_TROUBLE=stuck", "2\r", "committing"},
	} {
		b.Run(tt.name, func(b *testing.B) {
			var longest time.Duration
			for b.Loop() {
				x := start(b, 80, 24, "single", alone, tt.env)
				x.WaitFor(question1)
				x.Type(tt.keys)
				x.Until(tt.ready, func() bool { return strings.Contains(x.Output(), tt.ready) })
				x.Signal(syscall.SIGTERM)
				longest = max(longest, x.end().Withdrawal)
			}
			b.ReportMetric(longest.Seconds()*1000, "ms/longest")
			if longest > 250*time.Millisecond {
				b.Errorf("withdrawn after %s", longest)
			}
		})
	}
}
