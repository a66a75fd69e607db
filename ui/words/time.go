package words

import (
	"fmt"
	"strings"
	"time"
)

// Age says roughly how long something is past, and for how long that stays
// true: "now", "5 min", "3 h", "2 d". A clock that was set back makes no
// negative ages.
func Age(d time.Duration) (text string, good time.Duration) {
	d = max(d, 0)
	unit, format := 24*time.Hour, "%d d"
	switch {
	case d < time.Minute:
		return "now", time.Minute - d
	case d < time.Hour:
		unit, format = time.Minute, "%d min"
	case d < 48*time.Hour:
		unit, format = time.Hour, "%d h"
	}
	return fmt.Sprintf(format, d/unit), unit - d%unit
}

// Ago is [Age] in a sentence: "just now", "5 min ago".
func Ago(d time.Duration) string {
	if text, _ := Age(d); text != "now" {
		return text + " ago"
	}
	return "just now"
}

// Day names the day of a time as it is where now is, with its year if that is
// another: "3 Nov", "3 Nov 2025".
func Day(at, now time.Time) string {
	at = at.In(now.Location())
	if at.Year() == now.Year() {
		return at.Format("2 Jan")
	}
	return at.Format("2 Jan 2006")
}

// Left says how long it is until a question closes, in units begun, and for how
// long that stays true; 0 is for good.
func Left(d time.Duration) (text string, good time.Duration) {
	if d <= 0 {
		return "time is up", 0
	}
	unit, format := time.Hour, "closes in %d h"
	switch {
	case d <= time.Minute:
		unit, format = time.Second, "closes in %d s"
	case d <= time.Hour:
		unit, format = time.Minute, "closes in %d min"
	}
	begun := (d + unit - 1) / unit
	return fmt.Sprintf(format, begun), d - (begun-1)*unit
}

// Span is a duration in words, to the second: "1 minute 30 seconds".
func Span(d time.Duration) string {
	d = max(d, 0).Round(time.Second)
	var parts []string
	for _, u := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := int(d / u.size); n > 0 {
			parts = append(parts, Count(n, u.name, u.name+"s"))
		}
		d %= u.size
	}
	if parts == nil {
		return "0 seconds"
	}
	return strings.Join(parts, " ")
}
