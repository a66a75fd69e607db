// Package settings reads the settings from flags, environment variables, the
// configuration file and defaults, in this order. One table has all settings. The
// package knows no command or desk, and surfaces only by name.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// Values are the settings in effect.
type Values struct {
	Limits     question.Limits
	Session    string        // of a question asked by a command; empty for that of its shell
	MaxRounds  int           // rounds in a row of one session, 0 for no limit
	RoundPause time.Duration // without questions, after which the rounds count anew

	Surfaces  []string      // where to ask, in order
	Timeout   time.Duration // how long the user may take, 0 for ever
	OnTimeout string        // "default" lets a caller have the defaults then, "none" does not
	Hold      time.Duration // how long a tool call waits, 0 for what its host allows

	Dir                     string // the store, absolute; empty for the platform's place
	Desk, DeskCreds, DeskCA string // the desk that many machines share, and what is needed to reach it

	Keep        time.Duration // how long the desk keeps a question without a waiting asker
	KeepHistory time.Duration // how long it keeps the past, 0 for ever

	Prove string // which answers need a proof; no place lowers what another asks for

	NotifyCommand []string // the user's own, a program and its arguments
	Remind        time.Duration

	Language   string // "en", "zh", "pt"; "auto" for that of the locale, or of the browser
	Accessible bool   // forms line by line
}

// strictestProof is the value of prove that asks for the most.
const strictestProof = "confirm"

// Surfaces are the names that the setting surface takes beside auto.
func Surfaces() []string { return []string{"elicit", "tty", "pane", "inbox", "web", "plain"} }

// table returns every setting, bound to its field of v.
func table(v *Values) []*Setting {
	limits := question.DefaultLimits()
	v.Limits = limits
	languages := []string{"auto"}
	for _, l := range words.Languages() {
		languages = append(languages, string(l))
	}
	return []*Setting{
		{Key: "max_questions", value: whole(&v.Limits.Questions, 1), fallback: strconv.Itoa(limits.Questions), help: "most questions of one call"},
		{Key: "max_options", value: whole(&v.Limits.Options, question.MinOptions), fallback: strconv.Itoa(limits.Options), help: "most options of a question"},
		{Key: "header_max_length", value: whole(&v.Limits.Header, 1), fallback: strconv.Itoa(limits.Header), help: "most characters of a header"},
		{Key: "question_max_length", value: whole(&v.Limits.Question, 1), fallback: strconv.Itoa(limits.Question), help: "most characters of a question"},
		{Key: "session", value: text(&v.Session), help: "the session that the question is a round of; by default that of this shell in this directory"},
		{Key: "max_rounds", value: whole(&v.MaxRounds, 0), fallback: "10", help: "most rounds in a row of one session, 0 for no limit"},
		{Key: "round_pause", value: duration(&v.RoundPause, time.Second), fallback: "10m", help: "pause without questions after which rounds count anew"},
		{Key: "surface", value: order(&v.Surfaces, Surfaces()), fallback: "auto", help: "where to ask: auto, or names in order"},
		{Key: "timeout", value: duration(&v.Timeout, 0), fallback: "0", help: "how long the user may take, 0 for no limit"},
		{Key: "on_timeout", value: choice(&v.OnTimeout, "none", "default"), fallback: "none", help: "whether a caller may have the declared defaults when the time is up: none or default"},
		{Key: "hold", value: duration(&v.Hold, 0), fallback: "0", help: "how long a call waits before the agent is told to come back, 0 for as long as its client allows"},
		{Key: "dir", variable: "MCP_ASKUSER_DIR", value: path(&v.Dir, "directory"), help: "the directory that keeps questions and answers"},
		{Key: "desk", variable: EnvDesk, value: text(&v.Desk), flagWith: "dir", help: "share questions with other machines: nats://HOST:PORT, of several nodes with commas between"},
		{Key: "desk_creds", variable: EnvDesk + "_CREDS", value: path(&v.DeskCreds, "file"), flagWith: "dir", help: "the file with your credential for those nodes"},
		{Key: "desk_ca", variable: EnvDesk + "_CA", value: path(&v.DeskCA, "file"), flagWith: "dir", help: "the file with the certificate authority of those nodes"},
		{Key: "keep", value: duration(&v.Keep, time.Second), fallback: "24h", help: "how long to keep a question that nobody waits for, and an answer that nobody has collected"},
		{Key: "keep_history", value: age(&v.KeepHistory), fallback: "0", help: "how long to keep past questions, 0 for ever"},
		{Key: "prove", value: strictest(&v.Prove, "none", strictestProof), fallback: "none", help: "which answers you sign: none, or those to confirmations (confirm)"},
		{Key: "notify_command", value: program(&v.NotifyCommand), fallback: "[]", help: "a program of yours, and its arguments, that is told of each question"},
		{Key: "remind", value: duration(&v.Remind, 0), fallback: "0", help: "how often to tell of an open question again, 0 for once only"},
		{Key: "language", value: choice(&v.Language, languages...), fallback: "auto", help: "the language that you are spoken to in: auto is that of LC_ALL, LC_MESSAGES or LANG, and of your browser; else en, zh or pt"},
		{Key: "accessible", variable: "ACCESSIBLE", presence: true, value: boolean(&v.Accessible), fallback: "false", help: "ask line by line, for screen readers"},
		{Key: "no_color", variable: "NO_COLOR", presence: true, value: boolean(new(bool)), fallback: "false", help: "use no colours"},
	}
}

// Setting is one row of the table. It is a pflag.Value.
type Setting struct {
	Key    string `json:"key"` // in the file; the flag has dashes instead
	Value  any    `json:"value"`
	From   string `json:"from"`
	Source string `json:"source,omitempty"` // the flag, the variable, or the file and line

	value
	variable string // empty for ASK_ and the key
	presence bool   // the variable means true whatever it holds, by convention
	fallback string // the default
	help     string
	flagWith string // the setting whose flag brings this one's along
	fault    *Fault
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

// Fault is a setting that is not what it may be. Another one applies in its place.
type Fault struct {
	Unknown bool   // the key is no setting
	Key     string // empty for the whole file
	Text    string // names the place, the value and what is allowed
	line    int    // of the file, or 0
}

// NamesDesk reports whether the setting says where the desk is.
func (s *Setting) NamesDesk() bool { return cmp.Or(s.flagWith, s.Key) == "dir" }

// Flag returns the name of the flag.
func (s *Setting) Flag() string { return strings.ReplaceAll(s.Key, "_", "-") }

func (s *Setting) String() string { return Text(s.Value) }

// Set sets the value from a flag. It does not fail: [Settings.Err] reports all faults at
// once.
func (s *Setting) Set(text string) error {
	s.take(text, FromFlag, "--"+s.Flag(), 0)
	return nil
}

// take sets the value from a place, of more weight than the one before. A bad value is
// shown, but the default is in effect.
func (s *Setting) take(text, from, source string, line int) {
	s.From, s.Source, s.fault = from, source, nil
	var ok bool
	if s.Value, ok = s.set(text); ok {
		return
	}
	s.set(s.fallback)
	s.Value = text
	if from == FromFile {
		source += ": " + s.Key
	}
	if _, list := stringList(text); !list {
		text = strconv.Quote(text)
	}
	s.fault = &Fault{Key: s.Key, Text: fmt.Sprintf("%s is %s; it takes %s", source, text, s.takes), line: line}
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

// New returns the settings at their defaults.
func New() *Settings {
	s := &Settings{}
	s.Rows = table(&s.Values)
	for _, row := range s.Rows {
		row.variable = cmp.Or(row.variable, "ASK_"+strings.ToUpper(row.Key))
		row.take(row.fallback, FromDefault, "", 0)
	}
	return s
}

// AddFlags registers the flags of the settings with these keys.
func (s *Settings) AddFlags(flags *pflag.FlagSet, keys ...string) {
	for _, row := range s.Rows {
		if !slices.Contains(keys, cmp.Or(row.flagWith, row.Key)) {
			continue
		}
		f := flags.VarPF(row, row.Flag(), "", row.help+" ("+row.variable+")")
		if row.Type() == "bool" {
			f.NoOptDefVal = "true"
		}
	}
}

// Load returns the settings of the configuration file and the environment, before flags
// are parsed. It sets [words.Local] to their language.
func Load(getenv func(string) string) *Settings {
	s := New()
	s.Unread = s.readFile(getenv)
	if s.Unread != nil { // what it asks for is not known
		s.row("prove").set(strictestProof)
	}
	s.takeEnvironment(getenv)
	words.Local = words.Preferred(s.Values.Language, getenv)
	return s
}

func (s *Settings) takeEnvironment(getenv func(string) string) {
	for _, row := range s.Rows {
		if text := strings.TrimSpace(getenv(row.variable)); text != "" {
			if row.presence {
				text = "true"
			}
			row.take(text, FromEnvironment, row.variable, 0)
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

// Environ returns the environment with the settings that rooms read from it: where the
// desk is, and how to draw.
func (s *Settings) Environ(getenv func(string) string) func(string) string {
	set := map[string]string{}
	for _, row := range s.Rows {
		switch {
		case row.presence:
			set[row.variable] = map[any]string{true: "1"}[row.Value]
		case row.NamesDesk() && row.Value != "" && row.fault == nil:
			set[row.variable] = row.String()
		}
	}
	return func(name string) string {
		if value, ok := set[name]; ok {
			return value
		}
		return getenv(name)
	}
}

// Source returns the place that a value comes from.
func (s *Settings) Source(key string) string {
	row := s.row(key)
	return cmp.Or(row.Source, row.From)
}

// Faults returns all faults: of the file as a whole, of flags and variables, and of the
// lines of the file.
func (s *Settings) Faults() []Fault {
	all := slices.Clone(s.unknown)
	for _, row := range s.Rows {
		if row.fault != nil {
			all = append(all, *row.fault)
		}
	}
	slices.SortStableFunc(all, func(a, b Fault) int { return a.line - b.line })
	if s.Unread != nil {
		all = slices.Insert(all, 0, Fault{Text: s.Unread.Error()})
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

// suggestion says which key may have been meant.
func (s *Settings) suggestion(key string) string {
	var keys []string
	for _, row := range s.Rows {
		keys = append(keys, row.Key)
	}
	// It may be written like the variable or the flag.
	plain := strings.TrimPrefix(strings.ReplaceAll(strings.ToLower(key), "-", "_"), "ask_")
	if near := Nearest(plain, keys); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return "mcp-askuser config lists them all"
}

// Nearest returns the name most like a word, by cobra's measure for commands; empty if
// none is.
func Nearest(word string, names []string) string {
	var known cobra.Command
	for _, name := range names {
		known.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	for slips := range min(len(word)/3, 2) + 1 {
		known.SuggestionsMinimumDistance = slips
		if near := known.SuggestionsFor(word); len(near) > 0 {
			return near[0]
		}
	}
	return ""
}
