package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/spool"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser"
	"mcp-askuser/ui"
	"mcp-askuser/ui/tty"

	"log/slog"
)

// surfaces are the names that --surface and ASK_SURFACE take.
var surfaceNames = [...]string{"elicit", "tty", "inbox", "plain"}

// surfaces turns an order of names into surfaces; auto is the chain of
// DESIGN.md.
func (a *app) surfaces(order string) ([]ui.Surface, error) {
	var out []ui.Surface
	for _, name := range strings.FieldsFunc(order, func(r rune) bool { return r == ',' || r == ' ' }) {
		switch name {
		case "auto":
			out = append(out, askuser.Elicit(), tty.New(tty.Options{Getenv: a.getenv}))
		case "elicit":
			out = append(out, askuser.Elicit())
		case "tty":
			out = append(out, tty.New(tty.Options{Getenv: a.getenv}))
		case "plain":
			out = append(out, tty.NewPlain(tty.Options{Getenv: a.getenv}))
		case "inbox":
			out = append(out, ui.Elsewhere())
		default:
			return nil, fmt.Errorf("%q is no surface; it takes auto, or one or more of %s", name, strings.Join(surfaceNames[:], ", "))
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("names no surface; it takes auto, or one or more of %s", strings.Join(surfaceNames[:], ", "))
	}
	return out, nil
}

// setting is one value: its flag, else its variable, else its default.
type setting struct {
	flag     string // the flag's value; empty where it was not given
	name     string // the flag's name
	variable string
	fallback string
}

// value returns the setting's text, and the name of where it comes from.
func (s setting) value(getenv func(string) string) (value, from string) {
	if s.flag != "" {
		return s.flag, "--" + s.name
	}
	if v := strings.TrimSpace(getenv(s.variable)); v != "" {
		return v, s.variable
	}
	return s.fallback, s.variable
}

// seconds reads a time: whole seconds, or Go's notation such as 1m30s.
func seconds(value string) (time.Duration, error) {
	if n, err := strconv.Atoi(value); err == nil && n >= 0 && n <= 365*24*3600 {
		return time.Duration(n) * time.Second, nil
	}
	if d, err := time.ParseDuration(value); err == nil && d >= 0 {
		return d, nil
	}
	return 0, fmt.Errorf("is %q; it takes seconds or a time such as 90s or 10m, 0 for none", value)
}

// settings are the settings of a command that asks, checked as a whole: an
// error names every bad value.
type settings struct {
	surfaces []ui.Surface
	limits   question.Limits
	timeout  time.Duration
	hold     time.Duration
}

func (a *app) settings(surface, timeout, hold string) (settings, error) {
	var s settings
	var faults []string
	check := func(from string, err error) {
		if err != nil {
			faults = append(faults, from+" "+err.Error())
		}
	}
	value, from := setting{surface, "surface", "ASK_SURFACE", "auto"}.value(a.getenv)
	var err error
	s.surfaces, err = a.surfaces(value)
	check(from, err)
	value, from = setting{timeout, "timeout", "ASK_TIMEOUT", "0"}.value(a.getenv)
	s.timeout, err = seconds(value)
	check(from, err)
	value, from = setting{hold, "hold", "ASK_HOLD", "0"}.value(a.getenv)
	s.hold, err = seconds(value)
	check(from, err)
	if s.limits, err = question.LimitsFrom(a.getenv); err != nil {
		faults = append(faults, err.Error())
	}
	if faults != nil {
		return settings{}, fmt.Errorf("%s", strings.Join(slices.Compact(faults), "; "))
	}
	return s, nil
}

// desk opens the desk of this user.
func (a *app) desk(log *slog.Logger) (*desk.Desk, error) {
	dir, err := spool.DefaultDir(a.getenv)
	if err != nil {
		return nil, err
	}
	store, err := spool.Open(dir)
	if err != nil {
		return nil, err
	}
	return desk.New(store, desk.Options{Log: log}), nil
}
