package inbox

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	tests := []struct {
		d     time.Duration
		words string
		good  time.Duration
	}{
		{-time.Hour, "now", time.Minute},
		{0, "now", time.Minute},
		{59 * time.Second, "now", time.Second},
		{time.Minute, "1 min", time.Minute},
		{90 * time.Second, "1 min", 30 * time.Second},
		{time.Hour - 1, "59 min", 1},
		{time.Hour, "1 h", time.Hour},
		{47*time.Hour + 30*time.Minute, "47 h", 30 * time.Minute},
		{48 * time.Hour, "2 d", 24 * time.Hour},
	}
	for _, tt := range tests {
		if words, good := age(tt.d); words != tt.words || good != tt.good {
			t.Errorf("age(%s) is %q for %s, want %q for %s", tt.d, words, good, tt.words, tt.good)
		}
	}
}

func TestLeft(t *testing.T) {
	tests := []struct {
		d     time.Duration
		words string
		good  time.Duration
	}{
		{0, "time is up", 0},
		{-time.Second, "time is up", 0},
		{time.Millisecond, "closes in 1 s", time.Millisecond},
		{17 * time.Second, "closes in 17 s", time.Second},
		{16500 * time.Millisecond, "closes in 17 s", 500 * time.Millisecond},
		{time.Minute, "closes in 60 s", time.Second},
		{time.Minute + 1, "closes in 2 min", 1},
		{10 * time.Minute, "closes in 10 min", time.Minute},
		{61 * time.Minute, "closes in 2 h", time.Minute},
	}
	for _, tt := range tests {
		if words, good := left(tt.d); words != tt.words || good != tt.good {
			t.Errorf("left(%s) is %q for %s, want %q for %s", tt.d, words, good, tt.words, tt.good)
		}
	}
}
