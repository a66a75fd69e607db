package settings

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// value is where the text of a setting goes. With [Setting.Set] it is a
// pflag.Value.
type value interface {
	set(text string) bool // false, and nothing set, if it is none that the setting takes
	show() any            // as JSON shows it
	takes() string        // what is allowed, to go after "it takes"
	String() string
	Type() string // the word for it in the help of a flag
}

// kind is a value of type T.
type kind[T any] struct {
	to     *T
	name   string
	allows string
	parse  func(text string) (T, bool)
	format func(T) any // nil where JSON shows T as it is
}

func (k *kind[T]) set(text string) bool {
	got, ok := k.parse(text)
	if ok {
		*k.to = got
	}
	return ok
}

func (k *kind[T]) show() any {
	if k.format == nil {
		return *k.to
	}
	return k.format(*k.to)
}

func (k *kind[T]) takes() string  { return k.allows }
func (k *kind[T]) Type() string   { return k.name }
func (k *kind[T]) String() string { return Text(k.show()) }

// Text is a value as it would stand behind its variable.
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
	return &kind[int]{to, "int", fmt.Sprintf("a whole number, %d or more", least), func(text string) (int, bool) {
		n, err := strconv.Atoi(text)
		return n, err == nil && n >= least
	}, nil}
}

// longest is the longest time that a setting takes.
const longest = 365 * 24 * time.Hour

func duration(to *time.Duration, least time.Duration) value {
	from := "0 for none"
	if least > 0 {
		from = brief(least) + " or more"
	}
	return &kind[time.Duration]{to, "duration", "seconds or a time such as 90s, 10m or 3d, " + from, func(text string) (time.Duration, bool) {
		d, ok := Duration(text)
		return d, ok && d >= least && d <= longest
	}, func(d time.Duration) any { return brief(d) }}
}

// Duration reads a time: whole seconds, Go's notation, or the latter after a
// number of days, as in 3d or 1d12h. It is not negative.
func Duration(text string) (time.Duration, bool) {
	if n, err := strconv.ParseUint(text, 10, 32); err == nil {
		return time.Duration(n) * time.Second, true
	}
	days, rest, found := strings.Cut(text, "d")
	if !found {
		days, rest = "0", text
	}
	n, err := strconv.ParseUint(days, 10, 16)
	if err != nil || text == "" {
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
	text := strings.Replace(d.String(), "m0s", "m", 1)
	return strings.Replace(text, "h0m", "h", 1)
}

func boolean(to *bool) value {
	k := choice(to, []string{"true", "false"}, true, false)
	k.name, k.format = "bool", nil
	return k
}

// choice is a choice of words that stand for values.
func choice[T comparable](to *T, words []string, values ...T) *kind[T] {
	return &kind[T]{to, "word", strings.Join(words, " or "), func(text string) (v T, ok bool) {
		i := slices.Index(words, text)
		if i < 0 {
			return v, false
		}
		return values[i], true
	}, func(v T) any { return words[slices.Index(values, v)] }}
}

// text is any text.
func text(to *string) value {
	return &kind[string]{to, "name", "any name", func(text string) (string, bool) { return text, true }, nil}
}

// directory is an absolute path: hosts start us in directories of their own,
// and a relative one would lead somewhere else from each.
// path is an absolute path to a directory or a file.
func path(to *string, name string) value {
	return &kind[string]{to, name, "an absolute path", func(text string) (string, bool) {
		return text, text == "" || filepath.IsAbs(text)
	}, nil}
}

// order is names of surfaces in order, with commas between them or as a list.
func order(to *[]string, names []string) value {
	return &kind[[]string]{to, "names", "auto, or one or more of " + strings.Join(names, ", ") + " in order", func(text string) ([]string, bool) {
		given, ok := stringList(text)
		if !ok {
			given = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
		}
		bad := func(name string) bool { return name != "auto" && !slices.Contains(names, name) }
		return given, len(given) > 0 && !slices.ContainsFunc(given, bad)
	}, func(given []string) any { return strings.Join(given, ",") }}
}

// program is a program and its arguments.
func program(to *[]string) value {
	return &kind[[]string]{to, "list", `a program and its arguments such as ["notify-send", "A question"]`, func(text string) ([]string, bool) {
		given, ok := stringList(text)
		return given, ok && (len(given) == 0 || given[0] != "")
	}, nil}
}

// stringList reads a JSON array of strings, which is also how a list in the
// file comes here.
func stringList(text string) ([]string, bool) {
	var out []string
	if json.Unmarshal([]byte(text), &out) != nil || out == nil {
		return nil, false
	}
	return out, true
}
