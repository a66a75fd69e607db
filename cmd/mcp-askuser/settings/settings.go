// Package settings reads the settings from flags, environment variables, the
// configuration file and defaults, in this order. One table has all settings. The
// package knows no command or desk, and surfaces only by name.
package settings

import (
	"strconv"
	"time"

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
		{Key: "max_questions", value: whole(&v.Limits.Questions, 1), fallback: strconv.Itoa(limits.Questions),
			help: "most questions of one call"},
		{Key: "max_options", value: whole(&v.Limits.Options, question.MinOptions), fallback: strconv.Itoa(limits.Options),
			help: "most options of a question"},
		{Key: "header_max_length", value: whole(&v.Limits.Header, 1), fallback: strconv.Itoa(limits.Header),
			help: "most characters of a header"},
		{Key: "question_max_length", value: whole(&v.Limits.Question, 1), fallback: strconv.Itoa(limits.Question),
			help: "most characters of a question"},
		{Key: "session", value: text(&v.Session),
			help: "the session that the question is a round of; by default that of this shell in this directory"},
		{Key: "max_rounds", value: whole(&v.MaxRounds, 0), fallback: "10",
			help: "most rounds in a row of one session, 0 for no limit"},
		{Key: "round_pause", value: duration(&v.RoundPause, time.Second), fallback: "10m",
			help: "pause without questions after which rounds count anew"},
		{Key: "surface", value: order(&v.Surfaces, Surfaces()), fallback: "auto",
			help: "where to ask: auto, or names in order"},
		{Key: "timeout", value: duration(&v.Timeout, 0), fallback: "0",
			help: "how long the user may take, 0 for no limit"},
		{Key: "on_timeout", value: choice(&v.OnTimeout, "none", "default"), fallback: "none",
			help: "whether a caller may have the declared defaults when the time is up: none or default"},
		{Key: "hold", value: duration(&v.Hold, 0), fallback: "0",
			help: "how long a call waits before the agent is told to come back, 0 for as long as its client allows"},
		{Key: "dir", variable: "MCP_ASKUSER_DIR", value: path(&v.Dir, "directory"),
			help: "the directory that keeps questions and answers"},
		{Key: "desk", variable: EnvDesk, value: text(&v.Desk),
			help: "share questions with other machines: nats://HOST:PORT, of several nodes with commas between"},
		{Key: "desk_creds", variable: EnvDesk + "_CREDS", value: path(&v.DeskCreds, "file"),
			help: "the file with your credential for those nodes"},
		{Key: "desk_ca", variable: EnvDesk + "_CA", value: path(&v.DeskCA, "file"),
			help: "the file with the certificate authority of those nodes"},
		{Key: "keep", value: duration(&v.Keep, time.Second), fallback: "24h",
			help: "how long to keep a question that nobody waits for, and an answer that nobody has collected"},
		{Key: "keep_history", value: age(&v.KeepHistory), fallback: "0",
			help: "how long to keep past questions, 0 for ever"},
		{Key: "prove", value: strictest(&v.Prove, "none", strictestProof), fallback: "none",
			help: "which answers you sign: none, or those to confirmations (confirm)"},
		{Key: "notify_command", value: program(&v.NotifyCommand), fallback: "[]",
			help: "a program of yours, and its arguments, that is told of each question"},
		{Key: "remind", value: duration(&v.Remind, 0), fallback: "0",
			help: "how often to tell of an open question again, 0 for once only"},
		{Key: "language", value: choice(&v.Language, languages...), fallback: "auto",
			help: "the language that you are spoken to in: auto is that of LC_ALL, LC_MESSAGES or LANG, and of your browser; " +
				"else en, zh or pt"},
		{Key: "accessible", variable: "ACCESSIBLE", presence: true, value: boolean(&v.Accessible), fallback: "false",
			help: "ask line by line, for screen readers"},
		{Key: "no_color", variable: "NO_COLOR", presence: true, value: boolean(new(bool)), fallback: "false",
			help: "use no colours"},
	}
}
