package settings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// value is the type of a setting: how its text is read, and what it may be.
type value struct {
	name  string                 // the word for it in the help of a flag
	takes string                 // what is allowed, to follow "it takes"
	set   func(text string) bool // sets a valid value
	Words []string               `json:"-"` // all allowed ones, where they are few
}

// Type is the word for the value in the help of a flag.
func (v value) Type() string { return v.name }

// parsed is a value that parse reads from its text.
func parsed[T any](to *T, name, takes string, parse func(text string) (T, bool)) value {
	return value{name: name, takes: takes, set: func(text string) bool {
		v, ok := parse(text)
		if ok {
			*to = v
		}
		return ok
	}}
}

func whole(to *int, least int) value {
	return parsed(to, "number", fmt.Sprintf("a whole number, %d or more", least), func(text string) (int, bool) {
		n, err := strconv.Atoi(text)
		return n, err == nil && n >= least
	})
}

const longest = 365 * 24 * time.Hour

func duration(to *time.Duration, least time.Duration) value {
	from := "0 for none"
	if least > 0 {
		from = fmt.Sprintf("%s or more", least)
	}
	return parsed(to, "duration", fmt.Sprintf("seconds or a time such as 90s, 10m or 3d, up to 365d, %s", from),
		func(text string) (time.Duration, bool) {
			d, ok := Duration(text)
			return d, ok && d >= least && d <= longest
		})
}

// age is how long something of the past is kept: 0, or an age as of [Age].
func age(to *time.Duration) value {
	return parsed(to, "duration", "an hour or more such as 90d, 12w or 36h, 0 for ever",
		func(text string) (time.Duration, bool) {
			if text == "0" {
				return 0, true
			}
			return Age(text)
		})
}

// Age reads an age at which something is pruned: a [Duration] with a unit, of an hour or
// more.
func Age(text string) (time.Duration, bool) {
	_, err := strconv.Atoi(text)
	d, ok := Duration(text)
	return d, err != nil && ok && d >= time.Hour
}

// weeksAndDays matches what precedes Go's notation in a [Duration].
var weeksAndDays = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(\d{1,4})w)?(?:(\d{1,4})d)?`)
})

// Duration reads a time that is not negative: whole seconds, or Go's notation after weeks
// and days, as in 2w, 3d or 1d12h.
func Duration(text string) (time.Duration, bool) {
	if n, err := strconv.ParseUint(text, 10, 32); err == nil {
		return time.Duration(n) * time.Second, true
	}
	found := weeksAndDays().FindStringSubmatch(text)
	weeks, _ := strconv.Atoi(found[1]) // 0 for none
	days, _ := strconv.Atoi(found[2])
	rest, err := time.ParseDuration(cmp.Or(text[len(found[0]):], "0"))
	sum := time.Duration(7*weeks+days)*24*time.Hour + rest
	return sum, text != "" && err == nil && rest >= 0 && sum >= 0
}

func boolean(to *bool) value {
	return parsed(to, "bool", "true or false", func(text string) (bool, bool) {
		return text == "true", text == "true" || text == "false"
	})
}

// choice takes one of some words.
func choice(to *string, allowed ...string) value {
	last := len(allowed) - 1
	v := parsed(to, "word", fmt.Sprintf("%s or %s", strings.Join(allowed[:last], ", "), allowed[last]),
		func(text string) (string, bool) {
			return text, slices.Contains(allowed, text)
		})
	v.Words = allowed
	return v
}

func text(to *string) value {
	return parsed(to, "name", "any name", func(text string) (string, bool) { return text, true })
}

// path is an absolute path: hosts start this program in directories of their own.
func path(to *string, name string) value {
	return parsed(to, name, "an absolute path", func(text string) (string, bool) {
		return text, text == "" || filepath.IsAbs(text)
	})
}

// order is names of surfaces in order, with commas between them or as a list.
func order(to *[]string, names []string) value {
	known := append([]string{"auto"}, names...)
	takes := fmt.Sprintf("auto, or one or more of %s in order", strings.Join(names, ", "))
	v := parsed(to, "names", takes, func(text string) ([]string, bool) {
		list, ok := stringList(text)
		if !ok {
			list = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
		}
		isUnknown := func(name string) bool { return !slices.Contains(known, name) }
		return list, len(list) > 0 && !slices.ContainsFunc(list, isUnknown)
	})
	v.Words = known
	return v
}

func program(to *[]string) value {
	return parsed(to, "list", `a program and its arguments such as ["notify-send", "A question"]`,
		func(text string) ([]string, bool) {
			list, ok := stringList(text)
			return list, ok && (len(list) == 0 || list[0] != "")
		})
}

// stringList reads a JSON array of strings, which a list in the file becomes too.
func stringList(text string) (list []string, ok bool) {
	return list, json.Unmarshal([]byte(text), &list) == nil && list != nil
}

// strictest takes one of some words that grow stricter, and never goes back: an agent that
// sets the environment asks for more, and never for less. A word that it does not know asks
// for the most.
func strictest(to *string, allowed ...string) value {
	v := choice(to, allowed...)
	v.set = func(text string) bool {
		i := slices.Index(allowed, text)
		if i < 0 {
			*to = allowed[len(allowed)-1]
			return false
		}
		*to = allowed[max(i, slices.Index(allowed, *to))]
		return true
	}
	return v
}
