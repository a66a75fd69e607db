package config

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// value is where a setting's text goes.
type value interface {
	set(text string) bool // false if the text is none of those it takes
	get() any             // as JSON shows it
	takes() string        // what is allowed, to go after "it takes"
}

// whole is a whole number.
type whole struct {
	to    *int
	least int
}

func (w *whole) set(text string) bool {
	n, err := strconv.Atoi(text)
	if err != nil || n < w.least {
		return false
	}
	*w.to = n
	return true
}

func (w *whole) get() any      { return *w.to }
func (w *whole) takes() string { return "a whole number, " + decimal(w.least) + " or more" }

func decimal(n int) string { return strconv.Itoa(n) }

// longest is the longest time that a setting takes.
const longest = 365 * 24 * time.Hour

// span is a time.
type span struct {
	to    *time.Duration
	least time.Duration
}

func (s *span) set(text string) bool {
	d, ok := Duration(text)
	if !ok || d < s.least || d > longest {
		return false
	}
	*s.to = d
	return true
}

func (s *span) get() any { return brief(*s.to) }

func (s *span) takes() string {
	if s.least > 0 {
		return "seconds or a time such as 90s, 10m or 3d, " + brief(s.least) + " or more"
	}
	return "seconds or a time such as 90s, 10m or 3d, 0 for none"
}

// Duration reads a time: whole seconds, Go's notation, or the latter after a
// number of days, as in 3d or 1d12h. It is not negative.
func Duration(text string) (time.Duration, bool) {
	if n, err := strconv.ParseUint(text, 10, 32); err == nil {
		return time.Duration(n) * time.Second, true
	}
	days, rest, found := strings.Cut(text, "d")
	if !found {
		if text == "" {
			return 0, false
		}
		days, rest = "0", text
	}
	n, err := strconv.ParseUint(days, 10, 16)
	if err != nil {
		return 0, false
	}
	var d time.Duration
	if rest != "" {
		if d, err = time.ParseDuration(rest); err != nil || d < 0 {
			return 0, false
		}
	}
	d += time.Duration(n) * 24 * time.Hour
	return d, d >= 0
}

// brief writes a time without the zeros of Go's notation.
func brief(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// yes is true or false.
type yes struct{ to *bool }

func (y *yes) set(text string) bool {
	*y.to = text == "true"
	return text == "true" || text == "false"
}

func (y *yes) get() any      { return *y.to }
func (y *yes) takes() string { return "true or false" }

// choice is one of two words, of which the first is true.
type choice struct {
	to      *bool
	on, off string
}

func (c *choice) set(text string) bool {
	*c.to = text == c.on
	return text == c.on || text == c.off
}

func (c *choice) get() any {
	if *c.to {
		return c.on
	}
	return c.off
}

func (c *choice) takes() string { return c.on + " or " + c.off }

// word is a word, or another that stands for none.
type word struct {
	to         *string
	none, some string
}

func (w *word) set(text string) bool {
	*w.to = ""
	if text == w.some {
		*w.to = text
	}
	return text == w.some || text == w.none
}

func (w *word) get() any {
	if *w.to == "" {
		return w.none
	}
	return *w.to
}

func (w *word) takes() string { return w.none + " or " + w.some }

// path is an absolute path: hosts start us in directories of their own, and a
// relative one would lead somewhere else from each.
type path struct{ to *string }

func (p *path) set(text string) bool {
	*p.to = text
	return text == "" || filepath.IsAbs(text)
}

func (p *path) get() any      { return *p.to }
func (p *path) takes() string { return "an absolute path" }

// order is names of surfaces in order, with commas between them or as a list.
type order struct {
	to    *[]string
	names []string
}

func (o *order) set(text string) bool {
	names, ok := words(text)
	if !ok {
		names = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	}
	*o.to = names
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		return name != "auto" && !slices.Contains(o.names, name)
	})
}

func (o *order) get() any { return strings.Join(*o.to, ",") }

func (o *order) takes() string {
	return "auto, or one or more of " + strings.Join(o.names, ", ") + " in order"
}

// list is a program and its arguments.
type list struct{ to *[]string }

func (l *list) set(text string) bool {
	got, ok := words(text)
	*l.to = got
	return ok && (len(got) == 0 || got[0] != "")
}

func (l *list) get() any { return append([]string{}, *l.to...) }
func (l *list) takes() string {
	return `a program and its arguments such as ["notify-send", "A question"]`
}

// words reads a JSON array of strings, which is also how a list in the file
// comes here.
func words(text string) ([]string, bool) {
	var out []string
	if json.Unmarshal([]byte(text), &out) != nil || out == nil {
		return nil, false
	}
	return out, true
}
