package inbox

import (
	"fmt"
	"time"
)

// age puts how long ago something was into words, and says how long they stay
// true. A clock that was set back makes no negative ages.
func age(d time.Duration) (words string, good time.Duration) {
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

// left puts how long it is until something into words, in units begun, and
// says how long they stay true: 0 for good.
func left(d time.Duration) (words string, good time.Duration) {
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
