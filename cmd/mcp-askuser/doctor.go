package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/spf13/cobra"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/spool"
	"mcp-askuser/install"
	"mcp-askuser/question"
	"mcp-askuser/ui/present"
	"mcp-askuser/ui/words"
)

// finding is one line of the doctor's: what was looked at and how it is.
type finding struct {
	Part   string `json:"part"`
	Name   string `json:"name"`
	State  state  `json:"state"`
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"` // what to do; with every line that is not well
}

// state is how a part is.
type state string

const (
	well   state = "ok"
	absent state = "no" // it is not used here, and need not be
	ill    state = "wrong"
)

// wrong is the finding with a fault, and what to do about it.
func (f finding) wrong(text, remedy string) finding {
	f.State, f.Text, f.Remedy = ill, text, remedy
	return f
}

// correctSettings is the remedy for settings.
func correctSettings() string {
	return words.T("correct it; mcp-askuser config shows all settings and where each comes from")
}

// selfTestTime is how long the question of the self-test may take on its way
// there and back.
const selfTestTime = 20 * time.Second

func (a *app) doctor() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Say what would happen if an agent asked you now, here",
		Example: "  mcp-askuser doctor\n  mcp-askuser doctor --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON { // for programs
				words.Local = words.English
			}
			found := a.examine(cmd.Context())
			show := a.printFindings
			if asJSON {
				show = func(found []finding) error { return a.printJSON(found) }
			}
			if err := show(found); err != nil {
				return err
			}
			if slices.ContainsFunc(found, func(f finding) bool { return f.State == ill }) {
				return &exitError{exitBad, nil}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	a.addFlags(cmd, "dir", "surface")
	return cmd
}

func (a *app) printFindings(found []finding) error {
	var b strings.Builder
	for i, f := range found {
		mark := map[state]string{well: words.T("ok"), absent: words.T("no"), ill: words.T("wrong")}[f.State]
		if i == 0 || found[i-1].Part != f.Part {
			fmt.Fprintf(&b, "%s\n", capital(f.Part))
		}
		fmt.Fprintf(&b, "  %s%s %s: %s\n", mark, strings.Repeat(" ", max(0, 6-ansi.StringWidth(mark))), f.Name, strings.ReplaceAll(question.Block(f.Text), "\n", "\n"+strings.Repeat(" ", 9)))
		if f.Remedy != "" {
			fmt.Fprintf(&b, "         → %s\n", f.Remedy)
		}
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

// examine looks at everything.
func (a *app) examine(ctx context.Context) []finding {
	s, err := a.settings(), a.config.Err()
	found := []finding{{Part: words.T("settings"), Name: cmp.Or(a.config.File, words.T("no file")), State: well, Text: words.T("was read")}}
	switch {
	case err != nil:
		found[0] = found[0].wrong(err.Error(), correctSettings())
	case !a.config.Found:
		found[0].State, found[0].Text = absent, words.T("there is no file; the defaults hold")
	}
	if s.Desk != "" {
		shared := a.examineDesk(ctx, s.Desk)
		if found = append(found, shared); shared.State == ill {
			s.Desk = "" // so would it be asked
		}
	}
	a.log = slog.New(slog.DiscardHandler)
	dir, err := spool.DefaultDir(a.environ())
	store := finding{Part: words.T("store"), Name: dir, State: well}
	var d *desk.Desk
	if err == nil {
		d, err = a.desk()
	}
	var waiting []desk.Record
	if err == nil {
		waiting, err = d.Pending(ctx)
	}
	size := ""
	if err == nil {
		size, err = probe(ctx, dir)
	}
	store.Text = words.N(len(waiting), "%d question waits", "%d questions wait") + size
	if err != nil {
		store = store.wrong(words.Local.Error(err), words.T("make it a directory of your own (0700), or name another with --dir"))
	}
	found = append(found, store)
	if d != nil {
		found = append(found, a.examineSurfaces(ctx, d)...)
		if s.NtfyTopic != "" {
			found = append(found, a.examinePhone(ctx, d))
		}
	}
	found = append(found, a.examineClients()...)
	return append(found, a.selfTest(ctx))
}

// probe says how large this machine's own directory is, or why it takes no question,
// though it may be read.
func probe(ctx context.Context, dir string) (size string, err error) {
	s, err := spool.Open(dir)
	if err == nil {
		err = s.Probe(ctx)
	}
	if err != nil {
		return "", err
	}
	questions, bytes, err := s.Size(ctx)
	return words.N(questions, "; it holds %d question, open and past (%s)", "; it holds %d questions, open and past (%s)", bytesOf(bytes)), err
}

// deskTime is how long the shared desk may take before it is said not to answer.
const deskTime = 5 * time.Second

// examineDesk says whether the shared desk answers, and as whom it takes this user.
func (a *app) examineDesk(ctx context.Context, url string) finding {
	f := finding{Part: words.T("shared desk"), Name: url, State: well}
	ctx, stop := context.WithTimeout(ctx, deskTime)
	defer stop()
	var me nats.Identity
	store, err := a.shared()
	if err == nil {
		defer store.Close()
		me, err = store.Identity(ctx)
	}
	if err == nil {
		err = store.Ping(ctx)
	}
	switch {
	case errors.Is(err, desk.ErrDenied), errors.Is(err, fs.ErrNotExist):
		return f.wrong(words.Local.Error(err), words.T("name the file that mcp-askuser desk init wrote for you (desk_creds), and its ca.pem (desk_ca)"))
	case err != nil:
		return f.wrong(words.Local.Error(err), words.T("start its nodes, or correct its address (desk); mcp-askuser desk status says more. Until then questions are asked and answered on this machine alone"))
	}
	f.Text = connectedAs(&me)
	return f
}

// examineSurfaces says of each surface whether it would reach the human.
func (a *app) examineSurfaces(ctx context.Context, d *desk.Desk) []finding {
	presenter := present.New(present.Options{Desk: d, Log: a.log})
	defer presenter.Close(nil)
	page := a.webSurface(d, presenter)
	defer page.Close()
	var out []finding
	usable := ""
	surfaces, _ := a.surfaces(d, page, desk.Cancelled)
	for _, surface := range surfaces {
		f := finding{Part: words.T("surfaces"), Name: surface.Name(), State: well, Text: words.T("would show it")}
		switch err := check(ctx, surface); {
		case err != nil:
			f.State, f.Text = absent, words.Local.Error(err)
		case usable == "":
			usable = surface.Name()
			f.Text = words.T("would show it first, for a command that asks here")
		}
		out = append(out, f)
	}
	if usable == "" {
		last := &out[len(out)-1]
		last.State, last.Remedy = ill, words.T("keep mcp-askuser inbox open in a terminal of its own, or mcp-askuser web --open in a browser")
	}
	return out
}

// examineClients says which clients have been set up, and whether their calls
// last as long as they have been told to wait.
func (a *app) examineClients() []finding {
	var out []finding
	for _, project := range []bool{false, true} {
		for _, c := range install.Clients() {
			f, ok := a.examineClient(c, project)
			if ok {
				out = append(out, f)
			}
			if f, worthIt := a.examineQuestions(c, project); worthIt && (ok || f.State != absent) {
				out = append(out, f)
			}
		}
	}
	if len(out) == 0 {
		out = []finding{{Part: words.T("clients"), Name: words.T("none"), State: absent, Text: words.T("no client that this program knows is on this machine"), Remedy: "mcp-askuser install CLIENT"}}
	}
	return out
}

// examineClient says how a client is set up; false where it is not here.
func (a *app) examineClient(c install.Client, project bool) (finding, bool) {
	p, named := a.place(project), c.Name
	if project {
		named += " --project"
	}
	r, err := c.Registered(p)
	f := finding{Part: words.T("clients"), Name: c.Name, State: well, Text: r.What}
	_, none := c.File(p)
	program, _, _ := strings.Cut(r.What, " ")
	switch {
	case none != nil, (err != nil && !project || r.What == "") && !c.Found(p), err == nil && r.What == "" && project:
		return f, false
	case err != nil:
		f = f.wrong(words.Local.Error(err), words.T("mend that file; it keeps the client from starting any server"))
	case r.What == "":
		f.State, f.Text, f.Remedy = absent, words.T("is here, and cannot ask you"), "mcp-askuser install "+c.Name
	case !strings.Contains(r.What, "://") && !installed(program):
		f = f.wrong(f.Text, words.T("that program is not there: mcp-askuser install %s names this one", named))
		if project && filepath.Base(program) == program { // as install writes it
			f.Remedy = words.T("put that program on the PATH: a project's file, which is shared, names it without its place")
		}
	case r.Limit > 0 && r.Hold > r.Limit:
		text := words.T("%[1]s (waits up to %[2]s, and the client gives up after %[3]s)", f.Text, words.Local.Span(r.Hold), words.Local.Span(r.Limit))
		f = f.wrong(text, words.T("mcp-askuser install %s sets both", named))
	}
	return f, true
}

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// examineQuestions says whether the questions that a client asks itself come here;
// false where there is nothing to say of it.
func (a *app) examineQuestions(c install.Client, project bool) (finding, bool) {
	s, mirrored := a.questions(c.Name, project)
	if !mirrored {
		return finding{}, false
	}
	state, err := s.State()
	text := words.T("its own questions come here, too (%s)", s.Path)
	remedy := "mcp-askuser install " + c.Name + " --questions"
	if state.Permissions {
		text = words.T("its own questions and permissions come here, too (%s)", s.Path)
		remedy += " --permissions"
	}
	if project {
		remedy += " --project"
	}
	f := finding{Part: words.T("clients"), Name: c.Name, State: ill, Text: text, Remedy: remedy}
	switch {
	case err != nil:
		f.Text, f.Remedy = words.Local.Error(err), words.T("mend that file, or take it away: until then the client's own questions stay there")
	case !state.Installed:
		f.State, f.Text = absent, words.T("its own questions stay there (%s)", s.Path)
	case !state.Current:
		f.Text = words.T("its own questions are brought here, but not as this version would (%s)", s.Path)
	case a.config.Err() != nil:
		f.Text, f.Remedy = words.T("its own questions stay there as long as a setting is wrong (%s)", s.Path), correctSettings()
	default:
		f.State, f.Remedy = well, ""
	}
	return f, true
}

// selfTest asks a question through a server of its own, over a store of its own,
// and answers it as the inbox would.
func (a *app) selfTest(ctx context.Context) finding {
	began := time.Now()
	f := finding{Part: words.T("self-test"), Name: words.T("a question"), State: well}
	if err := a.config.Err(); err != nil {
		return f.wrong(words.T("not asked, as no server starts like this: %v", err), correctSettings())
	}
	if err := roundTrip(ctx); err != nil {
		return f.wrong(words.Local.Error(err), words.T("this is a fault of the program, or of what is above: please report it with the output of mcp-askuser doctor --json"))
	}
	f.Text = words.T("asked, answered and delivered over MCP in %d ms", time.Since(began).Milliseconds())
	return f
}

// roundTrip is the self-test itself.
func roundTrip(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, selfTestTime)
	defer stop()
	dir, err := os.MkdirTemp("", "mcp-askuser-doctor-")
	if err != nil {
		return err
	}
	defer func() {
		stop() // the watch of the desk reads the directory
		_ = os.RemoveAll(dir)
	}()
	store, err := spool.Open(dir)
	if err != nil {
		return err
	}
	d := desk.New(store, desk.Options{})
	self, err := os.Executable()
	if err != nil {
		return err
	}
	mine := []string{settings.EnvFile + "=" + os.DevNull, settings.EnvDesk + "="} // a desk of its own
	c, err := client.NewStdioMCPClient(self, mine, "serve", "--surface", "inbox", "--dir", dir)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	events, err := d.Watch(ctx)
	if err != nil {
		return err
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = "2025-11-25"
	hello.Params.ClientInfo = mcp.Implementation{Name: "mcp-askuser-doctor", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return err
	}
	answered := make(chan error, 1)
	go func() {
		for ev := range events {
			if ev.Type != desk.Asked {
				continue
			}
			yes := question.Answer{QuestionID: ev.Record.Questions[0].ID, Selected: []string{question.YesID}}
			_, err := d.Reply(ctx, ev.Record.ID, question.Reply{Answers: []question.Answer{yes}}, desk.Evidence{Surface: "inbox", How: desk.HowPage})
			answered <- err
			return
		}
		answered <- context.Cause(ctx)
	}()
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = "confirm_action", map[string]string{"action": "Self-test"}
	result, err := c.CallTool(ctx, call)
	if err != nil {
		return err
	}
	if err := <-answered; err != nil {
		return err
	}
	if got, _ := json.Marshal(result.StructuredContent); !strings.Contains(string(got), `"status":"answered"`) {
		return fmt.Errorf(words.T("the answer did not arrive: %.300s"), got)
	}
	return nil
}
