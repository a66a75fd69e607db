package desk

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"mcp-askuser/internal/agenthost"
	"mcp-askuser/internal/proc"
	"mcp-askuser/question"
)

// AnswererKind says what gave a reply.
type AnswererKind string

// The kinds of answerers.
const (
	UserAnswerer    AnswererKind = "user"    // the user, by evidence
	ProgramAnswerer AnswererKind = "program" // a program, or no evidence of the user
	AskerAnswerer   AnswererKind = "asker"   // the asker itself: defaults after a timeout, answers that it brought along
	HostAnswerer    AnswererKind = "host"    // the asker's host, which reports what its own dialog got
)

// How is the way in which a reply reached the desk.
type How string

// The ways. Where [Desk.Answerer] finds evidence of the user in one, its comment
// says which.
const (
	HowTerminal   How = "terminal"    // a form on the controlling terminal of this process, unless an agent opened it
	HowPage       How = "page"        // a form of the page, sent with the visit's cookie and the form token
	HowClientForm How = "client form" // the MCP client's own form
	HowPhone      How = "phone"       // a signed button of a notification
	HowFrontEnd   How = "front end"   // the token of a front end that the user enrolled
	HowHostDialog How = "host dialog" // the host says so
	HowCommand    How = "command"     // a command without a form
	HowAPI        How = "api"         // the HTTP API with the page's own token
	HowTimeout    How = "timeout"     // the declared defaults, after a timeout
	HowCollected  How = "collected"   // the asker brought every answer along
)

// Evidence is what a surface knows of the way in which a reply reached it.
type Evidence struct {
	Surface string // the surface's word in records
	How     How
	Name    string // of the front end, with HowFrontEnd
	Asked   bool   // this process asked the question too
}

// Answerer says what gave a reply, how, and through which process.
type Answerer struct {
	Kind AnswererKind `json:"kind"`
	How  How          `json:"how"`
	// Name is the front end's or, where the store asks for a credential, that of
	// the human; empty where neither is known.
	Name     string `json:"name,omitempty"`
	PID      int    `json:"pid,omitempty"`
	Program  string `json:"program,omitempty"`
	Terminal string `json:"terminal,omitempty"` // its controlling terminal, as in /dev; empty without one
	// Agents means that the process runs below an agent's host.
	Agents bool `json:"agents_own,omitempty"`
}

// By returns the one word for an answerer that programs read beside an answer:
// user, program, front end, asker, host or timeout.
func (a *Answerer) By() string {
	switch {
	case a == nil:
		return string(UserAnswerer)
	case a.How == HowFrontEnd || a.How == HowTimeout:
		return string(a.How)
	}
	return string(a.Kind)
}

// FromProgram reports whether the reply of an outcome is a program's, and not the
// user's own.
func (o *Outcome) FromProgram() bool {
	return o != nil && o.Answerer != nil && o.Answerer.Kind == ProgramAnswerer
}

// ErrUserRequired means that a program, or an asker, has answered what only the
// user may answer. The question stays open.
var ErrUserRequired = errors.New("only the user can answer this: in a terminal of their own, in the inbox, on the page, on the phone, " +
	"or through a front end that they have enrolled (mcp-askuser token add NAME --answers)")

// RequiresUser reports whether only the user may answer a record.
func (rec *Record) RequiresUser() bool { return rec.Set.Confirms() || rec.Asker.Permission() }

// Answerer decides what gave a reply, from evidence alone: the surface that has
// it, the process tree, an enrolled front end's token. What a caller or a document
// says of itself is no evidence. Without any it is a program's. The credential of a
// shared store is looked at when an outcome is read, see Desk.validateOutcome.
func (d *Desk) Answerer(from Evidence, asker Asker) *Answerer {
	a := thisProcess()
	a.Kind, a.How = ProgramAnswerer, from.How
	switch from.How {
	case HowPage, HowClientForm, HowPhone:
		a.Kind = UserAnswerer
	case HowFrontEnd:
		a.Kind, a.Name = UserAnswerer, from.Name
	case HowTerminal:
		if a.Agents = thisTree().opened(asker, from.Asked); !a.Agents {
			a.Kind = UserAnswerer
		}
	case HowTimeout, HowCollected:
		a.Kind = AskerAnswerer
	case HowHostDialog:
		a.Kind = HostAnswerer
	default: // HowCommand, HowAPI
		a.Agents = from.How == HowCommand && a.Terminal == "" && thisTree().below(asker)
	}
	return &a
}

// limit makes an answerer what the author of its document can be: a human is a user
// of their credential's name, or lets a program answer; an asker reports its own
// answers, or those of its host's dialog. Others have none.
func (a *Answerer) limit(rec *Record, by *Author) {
	a.Name = ""
	switch {
	case by.Role == RoleHuman:
		a.Name = by.Name
		if a.Kind != UserAnswerer {
			a.Kind = ProgramAnswerer
		}
	case by.Role == RoleAsker && rec.Asker.Mirrored():
		a.Kind = HostAnswerer
	case by.Role == RoleAsker:
		a.Kind = AskerAnswerer
	default:
		a.Kind = ""
	}
}

// permit returns ErrUserRequired where the answerer of an outcome may not give its
// reply: a program one to a confirmation or a permission, though it may dismiss a
// confirmation; a host one to a question that it does not show itself; an asker one but
// for what it had already and the declared defaults after a timeout. Only the asker's
// answers are marked as such.
func (rec *Record) permit(o *Outcome) error {
	a := o.Answerer
	for _, x := range o.Reply.Answers {
		if (x.By == question.ByTimeout || x.By == question.ByCaller) != (a.Kind == AskerAnswerer) {
			return ErrUserRequired
		}
	}
	ok := false
	switch a.Kind {
	case UserAnswerer:
		ok = true
	case ProgramAnswerer:
		ok = !rec.Asker.Permission() && (!rec.RequiresUser() || o.Status != Answered)
	case HostAnswerer:
		ok = rec.Asker.Mirrored()
	case AskerAnswerer:
		ok = len(rec.Set.Asked(nil)) == 0
		if r, declared := rec.TimeoutReply(); declared && a.How == HowTimeout {
			ok = ok || rec.SameReply(o.Reply, &r)
		}
	}
	if !ok {
		return ErrUserRequired
	}
	return nil
}

// TimeoutReply returns the reply that the asker may give after a timeout: the declared
// defaults, where it wants them and the user need not answer. It is false where there
// is none.
func (rec *Record) TimeoutReply() (question.Reply, bool) {
	if rec.OnTimeout != OnTimeoutDefault || rec.RequiresUser() {
		return question.Reply{}, false
	}
	return rec.DefaultReply()
}

// attribute marks the answers of a reply as those of its answerer. The asker's own
// are marked already: as the defaults of a timeout.
func attribute(r *question.Reply, a *Answerer) {
	by := question.ByUser
	switch a.Kind {
	case ProgramAnswerer:
		by = question.ByProgram
	case AskerAnswerer:
		return
	case UserAnswerer, HostAnswerer:
	}
	r.Answers = slices.Clone(r.Answers)
	for i := range r.Answers {
		r.Answers[i].By = by
	}
}

// inferAnswerer returns a copy of the answerer of a stored reply. Versions before 3
// stored no kind, but a mark with each answer.
func inferAnswerer(o *Outcome) *Answerer {
	var a Answerer
	if o.Answerer != nil {
		a = *o.Answerer
	}
	if a.Kind != "" {
		return &a
	}
	a.Kind, a.How = UserAnswerer, HowTerminal
	for _, x := range o.Reply.Answers {
		switch x.By {
		case question.ByProgram:
			a.Kind, a.How = ProgramAnswerer, HowCommand
		case question.ByTimeout:
			a.Kind, a.How = AskerAnswerer, HowTimeout
		case question.ByUser, question.ByCaller, question.ByFrontEnd:
		}
	}
	return &a
}

var thisProcess = sync.OnceValue(func() Answerer {
	a := Answerer{PID: os.Getpid(), Terminal: terminal()}
	if path, err := os.Executable(); err == nil {
		a.Program = filepath.Base(path)
	}
	return a
})

// tree is what the system shows of this process and of those above it.
type tree struct {
	self       int
	look       func(pid int) (proc.Process, bool)
	executable func(pid int) string
	getenv     func(string) string
}

func thisTree() *tree { return &tree{os.Getpid(), proc.Look, proc.Executable, os.Getenv} }

// opened reports whether an agent opened the controlling terminal of this process:
// a host is above it. A form of the process that asked may share the host's own
// terminal. Where no host is above, the variables count that hosts set for their
// agents' commands; where the system shows no processes, only these do.
func (t *tree) opened(asker Asker, asked bool) bool {
	started := 0 // the process of the asker's host: a shell is the user's own, and an editor starts the user's shells
	if asker.Via != ViaShell && !agenthost.EditorClient(asker.Client) {
		started = asker.process()
	}
	host, ok := t.hostAbove(started)
	if !ok {
		return !asked && agenthost.Marked(t.getenv)
	}
	self, _ := t.look(t.self)
	return !asked || host.Terminal != self.Terminal
}

// below reports whether this process was started below an agent's host, or below the
// process that had the question asked.
func (t *tree) below(asker Asker) bool {
	_, ok := t.hostAbove(asker.process())
	return ok
}

// hostAbove returns the nearest agent's host above this process: a program known
// as one, or the process started, which is 0 for none. It is false where there is
// none, and where another process of this program comes first, in no terminal of an
// agent's: that opened a pane or a window for the user.
func (t *tree) hostAbove(started int) (host proc.Process, ok bool) {
	var opener *proc.Process
	self, running := t.look(t.self)
	for pid, depth := self.Parent, 0; running && pid > 1 && depth < 64; depth++ {
		var above proc.Process
		if above, running = t.look(pid); !running {
			break
		}
		known, _, isHost := agenthost.Of(above.Args)
		if (isHost || pid == started) && !known.Editor {
			return above, opener == nil || opener.Terminal != 0 && opener.Terminal != above.Terminal
		}
		if t.executable(pid) == t.executable(t.self) {
			opener = &above
		}
		pid = above.Parent
	}
	return proc.Process{}, false
}

// process returns the process that had the question asked, where its number means
// anything here: on this machine, in this namespace of processes. Else it is 0.
func (a *Asker) process() int {
	if a.Machine == "" || a.Machine != thisMachine() {
		return 0
	}
	return a.PID
}

// thisMachine names this machine until it is started anew, and the namespace that
// gives this process its number; empty where the system does not tell.
var thisMachine = sync.OnceValue(func() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, broken := os.Readlink("/proc/self/ns/pid")
	if cmp.Or(err, broken) != nil {
		return ""
	}
	return digest([]any{string(boot), space})[:16]
})

// terminal is the controlling terminal of this process, by its name where the
// system has /proc.
func terminal() string {
	const name = "/dev/tty"
	tty, err := os.Open(name)
	if err != nil {
		return ""
	}
	_ = tty.Close()
	if self, ok := proc.Look(os.Getpid()); ok {
		return terminalName(self.Terminal)
	}
	return name
}

// terminalName is the name of a terminal by its device number, as Linux gives
// them out.
func terminalName(number int) string {
	major, minor := number>>8&0xfff, number&0xff|number>>12&0xfff00
	switch {
	case major >= 136 && major <= 143:
		return fmt.Sprintf("/dev/pts/%d", (major-136)<<8|minor)
	case major == 4:
		return fmt.Sprintf("/dev/tty%d", minor)
	}
	return fmt.Sprintf("/dev/char/%d:%d", major, minor)
}
