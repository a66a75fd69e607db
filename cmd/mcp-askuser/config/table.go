package config

import (
	"strings"
	"time"

	"mcp-askuser/question"
)

// setting is one line of the table.
type setting struct {
	key      string // in the file; the flag has dashes instead
	variable string
	fallback string
	about    string // what it decides, for the help of its flag
	// presence means that the variable counts as true when it is set to
	// anything, by a convention older than we are.
	presence bool
	value
}

// table returns every setting, bound to the values that it sets.
func table(v *Values, surfaces []string) []setting {
	limits := question.DefaultLimits()
	v.Limits = limits
	named := func(key, fallback, about string, to value) setting {
		return setting{key: key, variable: "ASK_" + strings.ToUpper(key), fallback: fallback, about: about, value: to}
	}
	dir := named("dir", "", "the directory of the store", &path{&v.Dir})
	dir.variable = "MCP_ASKUSER_DIR"
	accessible := named("accessible", "false", "ask line by line, for screen readers", &yes{&v.Accessible})
	accessible.variable, accessible.presence = "ACCESSIBLE", true
	noColor := named("no_color", "false", "use no colours", &yes{&v.NoColor})
	noColor.variable, noColor.presence = "NO_COLOR", true
	return []setting{
		named("max_questions", decimal(limits.Questions), "most questions of one call", &whole{&v.Limits.Questions, 1}),
		named("max_options", decimal(limits.Options), "most options of a question", &whole{&v.Limits.Options, question.MinOptions}),
		named("header_max_length", decimal(limits.Header), "most characters of a header", &whole{&v.Limits.Header, 1}),
		named("question_max_length", decimal(limits.Question), "most characters of a question", &whole{&v.Limits.Question, 1}),
		named("max_rounds", "10", "most rounds in a row of one session, 0 for no limit", &whole{&v.MaxRounds, 0}),
		named("round_pause", "10m", "pause without questions after which rounds count anew", &span{&v.RoundPause, time.Second}),
		named("surface", "auto", "where to ask: auto, or names in order", &order{&v.Surfaces, surfaces}),
		named("timeout", "0", "how long the user may take, 0 for no limit", &span{&v.Timeout, 0}),
		named("on_timeout", "none", "whether a caller may have the declared defaults when the time is up: none or default", &word{&v.OnTimeout, "none", "default"}),
		named("hold", "0", "how long one tool call waits before it hands out a ticket, 0 for as long as its host allows", &span{&v.Hold, 0}),
		dir,
		named("keep", "24h", "how long to keep a question that nobody waits for, and an answer that nobody has collected", &span{&v.Keep, time.Second}),
		named("notify_command", "[]", "a program of yours, and its arguments, that is told of each question", &list{&v.NotifyCommand}),
		named("remind", "0", "how often to tell of an open question again, 0 for once only", &span{&v.Remind, 0}),
		named("desktop_notifications", "auto", "notifications on the desktop: auto or off", &choice{&v.Desktop, "auto", "off"}),
		accessible,
		noColor,
	}
}

// Flag describes the flag of a setting.
type Flag struct {
	Name    string
	About   string
	Boolean bool // may be given without a value
}

// Flags describes the flags of these settings; of a key that is none there is
// no flag.
func Flags(keys ...string) []Flag {
	var out []Flag
	all := table(&Values{}, nil)
	for _, key := range keys {
		for _, s := range all {
			if s.key == key {
				_, boolean := s.value.(*yes)
				out = append(out, Flag{FlagName(key), s.about + " (" + s.variable + ")", boolean})
			}
		}
	}
	return out
}
