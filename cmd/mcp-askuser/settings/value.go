package settings

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-askuser/ui/words"
)

// value is where the text of a setting goes. With [Setting.Set] and String it
// is a pflag.Value.
type value struct {
	name  string // the word for it in the help of a flag
	takes string // what is allowed, to go after "it takes"
	// set sets the value and returns it as JSON shows it; false, and nothing
	// set, where the text is none that the setting takes.
	set func(text string) (shown any, ok bool)
	// Words are those that it takes, where they are few.
	Words []string `json:"-"`
}

// Type is the word for the value in the help of a flag.
func (v value) Type() string { return v.name }

// Text is a value as its variable would hold it.
func Text(value any) string {
	list, ok := value.([]string)
	if !ok {
		return fmt.Sprint(value)
	}
	text, err := json.Marshal(list)
	if err != nil { // strings have no reason to fail
		panic(err)
	}
	return string(text)
}

func whole(to *int, least int) value {
	return value{words.T("number"), words.T("a whole number, %d or more", least), func(text string) (any, bool) {
		n, err := strconv.Atoi(text)
		if err != nil || n < least {
			return nil, false
		}
		*to = n
		return n, true
	}, nil}
}

// longest is the longest time that a setting takes.
const longest = 365 * 24 * time.Hour

func duration(to *time.Duration, least time.Duration) value {
	from := words.T("0 for none")
	if least > 0 {
		from = words.T("%s or more", brief(least))
	}
	return value{words.T("duration"), words.T("seconds or a time such as 90s, 10m or 3d, %s", from), func(text string) (any, bool) {
		d, ok := Duration(text)
		if !ok || d < least || d > longest {
			return nil, false
		}
		*to = d
		return brief(d), true
	}, nil}
}

// age takes a time for which something is kept: 0 or an hour and more. An hour is
// what everything of the past is kept for.
func age(to *time.Duration) value {
	return value{words.T("duration"), words.T("an hour or more such as 90d, 12w or 36h, 0 for ever"), func(text string) (any, bool) {
		d, ok := Age(text)
		if text == "0" {
			d, ok = 0, true
		}
		if ok {
			*to = d
		}
		return brief(d), ok
	}, nil}
}

// Age reads an age at which something is pruned: a time as of [Duration], with a unit,
// of an hour or more.
func Age(text string) (time.Duration, bool) {
	_, err := strconv.Atoi(text)
	d, ok := Duration(text)
	return d, err != nil && ok && d >= time.Hour
}

// Duration reads a time: whole seconds, Go's notation, or the latter after a
// number of weeks and days, as in 2w, 3d or 1d12h. It is not negative.
func Duration(text string) (time.Duration, bool) {
	if n, err := strconv.ParseUint(text, 10, 32); err == nil {
		return time.Duration(n) * time.Second, true
	}
	const day = 24 * time.Hour
	var sum time.Duration
	for _, unit := range []struct {
		name string
		long time.Duration
	}{{"w", 7 * day}, {"d", day}} {
		number, rest, found := strings.Cut(text, unit.name)
		if !found {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil || n > uint64(100*365*day/unit.long) { //nolint:gosec // both are positive
			return 0, false
		}
		sum += time.Duration(n) * unit.long
		if text = rest; text == "" {
			return sum, sum >= 0
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, false
	}
	return sum + d, sum+d >= 0
}

// brief writes a time without the zeros of Go's notation, and in days where it is
// more than one.
func brief(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == 0:
		return "0"
	case d > day && d%day == 0:
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	return strings.Replace(strings.Replace(d.String(), "m0s", "m", 1), "h0m", "h", 1)
}

func boolean(to *bool) value {
	v := choice(to, []string{"true", "false"}, true, false)
	set := v.set
	v.name, v.Words, v.set = "bool", nil, func(text string) (any, bool) {
		_, ok := set(text)
		return *to, ok
	}
	return v
}

// choice takes one of some words, each with its value.
func choice[T any](to *T, allowed []string, values ...T) value {
	return value{"word", words.T("%s or %s", strings.Join(allowed[:len(allowed)-1], ", "), allowed[len(allowed)-1]), func(text string) (any, bool) {
		i := slices.Index(allowed, text)
		if i >= 0 {
			*to = values[i]
		}
		return text, i >= 0
	}, allowed}
}

// text is any text.
func text(to *string) value {
	return value{words.T("name"), words.T("any name"), func(text string) (any, bool) {
		*to = text
		return text, true
	}, nil}
}

// path is an absolute path, to what its name says: hosts start us in directories
// of their own, and a relative one would lead somewhere else from each.
func path(to *string, name string) value {
	return value{name, words.T("an absolute path"), func(text string) (any, bool) {
		if text != "" && !filepath.IsAbs(text) {
			return nil, false
		}
		*to = text
		return text, true
	}, nil}
}

// order is names of surfaces in order, with commas between them or as a list.
func order(to *[]string, names []string) value {
	return value{words.T("names"), words.T("auto, or one or more of %s in order", strings.Join(names, ", ")), func(text string) (any, bool) {
		given, ok := stringList(text)
		if !ok {
			given = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
		}
		bad := func(name string) bool { return name != "auto" && !slices.Contains(names, name) }
		if len(given) == 0 || slices.ContainsFunc(given, bad) {
			return nil, false
		}
		*to = given
		return strings.Join(given, ","), true
	}, append([]string{"auto"}, names...)}
}

// program is a program and its arguments.
func program(to *[]string) value {
	return value{"list", words.T(`a program and its arguments such as ["notify-send", "A question"]`), func(text string) (any, bool) {
		given, ok := stringList(text)
		if !ok || len(given) > 0 && given[0] == "" {
			return nil, false
		}
		*to = given
		return given, true
	}, nil}
}

// stringList reads a JSON array of strings, which is also how a list in the
// file comes here.
func stringList(text string) (list []string, ok bool) {
	return list, json.Unmarshal([]byte(text), &list) == nil && list != nil
}
