package settings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Setting is one row of the table. It is a pflag.Value.
type Setting struct {
	Key    string `json:"key"`   // in the file; the flag has dashes instead
	Value  string `json:"value"` // as it was given
	From   string `json:"from"`
	Source string `json:"source,omitempty"` // the flag, the variable or the file

	value
	variable string // empty for ASK_ and the key
	presence bool   // the variable means true whatever it holds, by convention
	fallback string // the default
	help     string
	fault    string
}

// EnvDesk is the variable that names a shared desk. With _CREDS and _CA added it names
// the files that are needed to reach it.
const EnvDesk = "MCP_ASKUSER_DESK"

// Where a value comes from. The first one wins.
const (
	FromFlag        = "flag"
	FromEnvironment = "environment"
	FromFile        = "file"
	FromDefault     = "default"
)

// NamesDesk reports whether the setting says where the desk is.
func (s *Setting) NamesDesk() bool { return s.Key == "dir" || strings.HasPrefix(s.Key, "desk") }

// Flag returns the name of the flag.
func (s *Setting) Flag() string { return strings.ReplaceAll(s.Key, "_", "-") }

func (s *Setting) String() string { return s.Value }

// Set sets the value from a flag. It does not fail: [Settings.Err] reports all faults at
// once.
func (s *Setting) Set(text string) error {
	s.take(text, FromFlag, "--"+s.Flag())
	return nil
}

// take sets the value from a place, of more weight than the one before. A bad value is
// shown, but the default is in effect.
func (s *Setting) take(text, from, source string) {
	s.Value, s.From, s.Source, s.fault = text, from, source, ""
	if s.set(text) {
		return
	}
	s.set(s.fallback)
	if from == FromFile {
		source += ": " + s.Key
	}
	_, list := stringList(text)
	if !list {
		text = strconv.Quote(text)
	}
	s.fault = fmt.Sprintf("%s is %s; it takes %s", source, text, s.takes)
}

// Settings are all settings, and where each value comes from.
type Settings struct {
	Values Values
	Rows   []*Setting
	File   string // the path of the configuration file
	Found  bool   // the file exists
	Unread error  // why it could not be read

	unknown []Fault // keys that are no settings
}

// Load returns the settings of the configuration file and the environment, before flags
// are parsed. It sets [words.Local] to their language.
func Load(getenv func(string) string) *Settings {
	s := &Settings{}
	s.Rows = table(&s.Values)
	for _, row := range s.Rows {
		row.variable = cmp.Or(row.variable, "ASK_"+strings.ToUpper(row.Key))
		row.take(row.fallback, FromDefault, "")
	}
	s.Unread = s.readFile(getenv)
	if s.Unread != nil { // what it asks for is not known
		s.row("prove").set(strictestProof)
	}
	for _, row := range s.Rows {
		text := strings.TrimSpace(getenv(row.variable))
		if text != "" && row.presence {
			text = "true"
		}
		if text != "" {
			row.take(text, FromEnvironment, row.variable)
		}
	}
	return s
}

// AddFlags registers the flags of the settings with these keys.
func (s *Settings) AddFlags(flags *pflag.FlagSet, keys ...string) {
	for _, row := range s.Rows {
		if !slices.Contains(keys, row.Key) {
			continue
		}
		f := flags.VarPF(row, row.Flag(), "", row.help+" ("+row.variable+")")
		if row.Type() == "bool" {
			f.NoOptDefVal = "true"
		}
	}
}

// row returns the setting of a key, or nil.
func (s *Settings) row(key string) *Setting {
	for _, row := range s.Rows {
		if row.Key == key {
			return row
		}
	}
	return nil
}

// Source returns the place that a value comes from.
func (s *Settings) Source(key string) string {
	row := s.row(key)
	return cmp.Or(row.Source, row.From)
}

// Environ returns the environment with the settings that rooms read from it: where the
// desk is, and how to draw.
func (s *Settings) Environ(getenv func(string) string) func(string) string {
	set := map[string]string{}
	for _, row := range s.Rows {
		switch {
		case row.presence:
			set[row.variable] = map[string]string{"true": "1"}[row.Value]
		case row.NamesDesk() && row.Value != "" && row.fault == "":
			set[row.variable] = row.Value
		}
	}
	return func(name string) string {
		value, ok := set[name]
		if ok {
			return value
		}
		return getenv(name)
	}
}

// Fault is a setting that is not what it may be. Another one applies in its place.
type Fault struct {
	Unknown bool   // the key is no setting
	Key     string // empty for the whole file
	Text    string // names the place, the value and what is allowed
}

// Faults returns all faults: of the file as a whole, its keys that are no settings, and the
// values.
func (s *Settings) Faults() (all []Fault) {
	if s.Unread != nil {
		all = append(all, Fault{Text: s.Unread.Error()})
	}
	all = append(all, s.unknown...)
	for _, row := range s.Rows {
		if row.fault != "" {
			all = append(all, Fault{Key: row.Key, Text: row.fault})
		}
	}
	return all
}

// Err reports all faults as one error.
func (s *Settings) Err() error { return joined(s.Faults()) }

// WrongValues is Err without the keys that are no settings: those change nothing.
func (s *Settings) WrongValues() error {
	return joined(slices.DeleteFunc(s.Faults(), func(f Fault) bool { return f.Unknown }))
}

func joined(all []Fault) error {
	if len(all) == 0 {
		return nil
	}
	if len(all) == 1 {
		return errors.New(all[0].Text)
	}
	texts := []string{"Bad settings"}
	for _, f := range all {
		texts = append(texts, f.Text)
	}
	return errors.New(strings.Join(texts, "\n- "))
}
