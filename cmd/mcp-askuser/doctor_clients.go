package main

import (
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/install"
	"mcp-askuser/tools/askuser"
	"mcp-askuser/ui/words"
)

// examineClients says which clients have been set up, and whether their calls
// last as long as they have been told to wait.
func (a *app) examineClients() (out []finding) {
	for _, project := range []bool{false, true} {
		for _, c := range install.Clients() {
			client, here := a.examineClient(c, project)
			if here {
				out = append(out, client)
			}
			if f, mirrored := a.examineQuestions(c, project); mirrored && (here || f.State != stateUnused) {
				out = append(out, f)
			}
		}
	}
	if len(out) == 0 {
		out = []finding{{Name: "none", State: stateUnused, Text: "no supported client was found on this machine", Remedy: "mcp-askuser install CLIENT"}}
	}
	return out
}

// examineClient says how a client is set up; false where it is not here.
func (a *app) examineClient(c install.Client, project bool) (finding, bool) {
	p, name := a.place(project), c.Name
	if project {
		name += " --project"
	}
	r, err := c.Registered(p)
	f := finding{Name: c.Name, State: stateOK, Text: r.What}
	_, none := c.File(p)
	program, _, _ := strings.Cut(r.What, " ")
	_, missing := exec.LookPath(program)
	hold, _ := settings.Duration(r.Hold)
	if !r.Remote && !(c.Bare && a.config.FromEnvironment("hold")) { // else it does not have our settings
		hold = cmp.Or(hold, a.settings().Hold)
	}
	hold = cmp.Or(hold, askuser.LongestWait(c.Name, r.Remote))
	switch {
	case none != nil, (err != nil && !project || r.What == "") && !c.Found(p), err == nil && r.What == "" && project:
		return f, false
	case err != nil:
		f = f.wrong(err.Error(), "mend that file; it keeps the client from starting any server")
	case r.What == "":
		f.State, f.Text, f.Remedy = stateUnused, "is here, and cannot ask you", "mcp-askuser install "+c.Name
	case r.Pasted: // what it says, only the client knows
	case !strings.Contains(r.What, "://") && missing != nil:
		f = f.wrong(f.Text, fmt.Sprintf("that program is not there: mcp-askuser install %s names this one", name))
		if project && filepath.Base(program) == program { // as install writes it
			f.Remedy = "put that program on the PATH: a project's file, which is shared, names it without its place"
		}
	case !r.Remote && wrongFlags(r.What) != nil:
		text := fmt.Sprintf("%s (%v)", f.Text, wrongFlags(r.What))
		f = f.wrong(text, fmt.Sprintf("mcp-askuser install %s writes it anew", name))
	case r.Limit > 0 && hold > r.Limit:
		text := fmt.Sprintf("%[1]s (waits up to %[2]s, and the client gives up after %[3]s)", f.Text, words.English.Span(hold), words.English.Span(r.Limit))
		f = f.wrong(text, fmt.Sprintf("mcp-askuser install %s sets both", name))
		if !c.SetsLimit(r.Remote) {
			f.Remedy = fmt.Sprintf("raise %s, or have calls wait for less (--hold)", r.From)
		}
	}
	if f.State != stateOK {
		return f, true
	}
	setting, file := c.Obstacle(a.place(true), project)
	rule, list, rules := c.AsksPermission(a.place(true), project)
	declines := c.Declines(p)
	switch {
	case setting != "":
		f = f.wrong(fmt.Sprintf("%s (the client does not use it)", f.Text), fmt.Sprintf("change this in %[1]s: %[2]s", file, setting))
	case rule != "":
		f = f.wrong(fmt.Sprintf("%s (the client asks you for permission first)", f.Text),
			fmt.Sprintf("mcp-askuser install %[1]s adds %[2]q to %[3]s in %[4]s", name, rule, list, rules))
	case declines != "":
		f = f.wrong(fmt.Sprintf("%[1]s (it declines every form while %[2]s)", f.Text, declines),
			fmt.Sprintf("mcp-askuser install %s --forms sets the policy that asks for no approval either, and shows forms", name))
	case c.Name == "claude-code" && !r.Remote && a.getenv(askuser.BackgroundVariable) == "":
		f.Text += "; without its form a call ends before it would go to the background, which " + askuser.BackgroundVariable + " moves"
	}
	return f, true
}

// wrongFlags says what is wrong with the flags with which a client starts the server, which
// ignores them.
func wrongFlags(line string) error {
	_, line, _ = strings.Cut(line, " serve ")
	started := &app{config: settings.New(), args: strings.Fields(line)}
	cmd := started.serve()
	started.addGlobalFlags(cmd)
	return cmp.Or(cmd.ParseFlags(started.args), started.unknownFlag(cmd), started.config.Err())
}

// examineQuestions says whether the questions that a client asks itself come here;
// false for a client whose questions cannot.
func (a *app) examineQuestions(c install.Client, project bool) (finding, bool) {
	s, mirrored := a.questions(c.Name, project)
	if !mirrored {
		return finding{}, false
	}
	state, err := s.State()
	text := fmt.Sprintf("its own questions come here, too (%s)", s.Path)
	remedy := "mcp-askuser install " + c.Name + " --questions"
	if state.Permissions {
		text = fmt.Sprintf("its own questions and permissions come here, too (%s)", s.Path)
		remedy += " --permissions"
	}
	if project {
		remedy += " --project"
	}
	f := finding{Name: c.Name, State: stateWrong, Text: text, Remedy: remedy}
	switch {
	case err != nil:
		f.Text, f.Remedy = err.Error(), "mend that file, or take it away: until then the client's own questions stay there"
	case !state.Installed:
		f.State, f.Text = stateUnused, fmt.Sprintf("its own questions stay there (%s)", s.Path)
	case !state.Current:
		f.Text = fmt.Sprintf("its own questions are brought here, but not as this version would (%s)", s.Path)
	case a.config.Err() != nil:
		f.Text, f.Remedy = fmt.Sprintf("its own questions stay there as long as a setting is wrong (%s)", s.Path), correctSettings()
	default:
		f.State, f.Remedy = stateOK, ""
	}
	return f, true
}
