package words

import (
	"strings"
	"time"
)

// Age says roughly how long something is past, and for how long that stays
// true: "now", "5 min", "3 h", "2 d". A clock that was set back makes no
// negative ages.
func (l Language) Age(d time.Duration) (text string, good time.Duration) {
	d = max(d, 0)
	unit, format := 24*time.Hour, Mark("%d d")
	switch {
	case d < time.Minute:
		return l.T("now"), time.Minute - d
	case d < time.Hour:
		unit, format = time.Minute, Mark("%d min")
	case d < 48*time.Hour:
		unit, format = time.Hour, Mark("%d h")
	}
	return l.T(format, int(d/unit)), unit - d%unit
}

// Ago is [Age] in a sentence: "just now", "5 min ago".
func (l Language) Ago(d time.Duration) string {
	if d < time.Minute {
		return l.T("just now")
	}
	text, _ := l.Age(d)
	return l.T("%s ago", text)
}

// Day names the day of a time as it is where now is, with its year if that is
// another: "3 Nov", "3 Nov 2025".
func (l Language) Day(at, now time.Time) string {
	at = at.In(now.Location())
	if at.Year() == now.Year() {
		return at.Format(l.T("2 Jan"))
	}
	return at.Format(l.T("2 Jan 2006"))
}

// Left says how long it is until a question closes, in units begun, and for how
// long that stays true; 0 is for good.
func (l Language) Left(d time.Duration) (text string, good time.Duration) {
	if d <= 0 {
		return l.T("time is up"), 0
	}
	unit, format := time.Hour, Mark("closes in %d h")
	switch {
	case d <= time.Minute:
		unit, format = time.Second, Mark("closes in %d s")
	case d <= time.Hour:
		unit, format = time.Minute, Mark("closes in %d min")
	case d > 48*time.Hour:
		unit, format = 24*time.Hour, Mark("closes in %d d")
	}
	begun := (d + unit - 1) / unit
	return l.T(format, int(begun)), d - (begun-1)*unit
}

// Span is a duration in words, to the second: "1 minute 30 seconds".
func (l Language) Span(d time.Duration) string {
	var parts []string
	seconds := int(max(d, 0).Round(time.Second).Seconds())
	if n := seconds / 3600; n > 0 {
		parts = append(parts, l.N(n, "%d hour", "%d hours"))
	}
	if n := seconds / 60 % 60; n > 0 {
		parts = append(parts, l.N(n, "%d minute", "%d minutes"))
	}
	if n := seconds % 60; n > 0 || parts == nil {
		parts = append(parts, l.N(n, "%d second", "%d seconds"))
	}
	return strings.Join(parts, " ")
}
