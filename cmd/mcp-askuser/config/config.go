// Package config says how the program is set up: by flags, environment
// variables, the configuration file and defaults, in this order. It holds the
// one table of all settings. It may import question, for the limits; it must
// not know any command, surface or desk.
package config

import (
	"slices"
	"strings"
	"time"

	"mcp-askuser/question"
)

// Values are the settings in effect.
type Values struct {
	Limits     question.Limits
	MaxRounds  int           // rounds in a row of one session, 0 for no limit (D9)
	RoundPause time.Duration // without questions, after which the rounds count anew

	Surfaces  []string      // where to ask, in order
	Timeout   time.Duration // how long the user may take, 0 for ever
	OnTimeout string        // "default" lets a caller have the defaults then (D14)
	Hold      time.Duration // how long a tool call waits, 0 for what its host allows

	Dir  string        // the store, absolute; empty for the platform's place
	Keep time.Duration // how long the desk keeps what nobody waits for

	NotifyCommand []string // the user's own, a program and its arguments
	Remind        time.Duration
	Desktop       bool // notifications on the desktop, where there is one

	Accessible bool // forms line by line
	NoColor    bool
}

// Effective is what [Load] found: the values, and where each comes from.
type Effective struct {
	Values   Values
	File     string // the configuration file, whether or not there is one
	Found    bool   // there is one
	Settings []Setting
}

// Setting is one value and its origin.
type Setting struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
	From  Origin `json:"from"`
	// Source is the flag, the variable, or the file and line; empty for a
	// default.
	Source string `json:"source,omitempty"`
}

// Origin is where a value comes from.
type Origin string

// The origins, the first one wins.
const (
	FromFlag        Origin = "flag"
	FromEnvironment Origin = "environment"
	FromFile        Origin = "file"
	FromDefault     Origin = "default"
)

// Source is where settings are looked for.
type Source struct {
	// Flag returns the text of the flag of a setting, if it was given. Nil
	// means that there are no flags.
	Flag   func(key string) (text string, given bool)
	Getenv func(string) string
	// Surfaces are the names that the setting surface takes beside auto.
	Surfaces []string
}

// Load reads every setting. The error is [Faults], with all that is wrong; the
// result beside it holds what is right, and the defaults for the rest.
func Load(src Source) (Effective, error) {
	var out Effective
	var faults Faults
	path, err := filePath(src.Getenv)
	if err != nil {
		faults = append(faults, err.Error())
	}
	file, err := readFile(path, src.Getenv(EnvFile) != "")
	if err != nil {
		faults = append(faults, err.Error())
	}
	out.File, out.Found = path, file != nil

	all := table(&out.Values, src.Surfaces)
	for _, s := range all {
		s.set(s.fallback)
		text, from, source := s.find(src, path, file)
		if from != FromDefault && !s.set(text) {
			s.set(s.fallback)
			faults = append(faults, s.refuse(text, from, source))
			out.Settings = append(out.Settings, Setting{s.key, text, from, source})
			continue
		}
		out.Settings = append(out.Settings, Setting{s.key, s.get(), from, source})
	}
	faults = append(faults, unknown(path, file, all)...)
	return out, faults.err()
}

// find returns the text of a setting and its origin.
func (s *setting) find(src Source, path string, file []entry) (text string, from Origin, source string) {
	if src.Flag != nil {
		if text, given := src.Flag(s.key); given {
			return text, FromFlag, "--" + FlagName(s.key)
		}
	}
	if text := strings.TrimSpace(src.Getenv(s.variable)); text != "" {
		if s.presence {
			text = "true"
		}
		return text, FromEnvironment, s.variable
	}
	if i := slices.IndexFunc(file, func(e entry) bool { return e.key == s.key }); i >= 0 {
		return file[i].text, FromFile, file[i].place(path)
	}
	return s.fallback, FromDefault, ""
}

// FlagName is the name of the flag of a setting.
func FlagName(key string) string { return strings.ReplaceAll(key, "_", "-") }
