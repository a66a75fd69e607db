package main

import (
	"fmt"
	"os/exec"

	"mcp-askuser/install"
	"mcp-askuser/tools/askuser"
)

// examineClients says which clients have been set up, and what keeps those from using this server,
// or from using it well.
func (a *app) examineClients() (out []finding) {
	for _, project := range []bool{false, true} {
		if project && a.directory() == a.place(false).Home() { // some files would be examined twice
			break
		}
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
		out = []finding{{Name: "none", State: stateUnused, Text: "no supported client was found on this machine",
			Remedy: "mcp-askuser install CLIENT"}}
	}
	return out
}

// examineClient says how a client is set up; false where it is not here.
func (a *app) examineClient(c install.Client, project bool) (finding, bool) {
	p, name := a.place(project), c.Name
	if project {
		name += " --project"
	}
	f := finding{Name: c.Name, State: stateOK}
	_, none := c.File(p)
	r, err := c.Registered(p)
	f.Text = r.What
	set := err == nil && r.What != ""
	if none != nil || !set && (project && err == nil || !c.Found(p)) {
		return f, false
	}
	_, missing := exec.LookPath(r.Program)
	hinders, in := c.Obstacle(a.place(true), project)
	switch {
	case err != nil:
		f = f.wrong(err.Error(), "mend that file; it keeps the client from starting any server")
	case r.What == "":
		f.State, f.Text, f.Remedy = stateUnused, "is here, and cannot ask you", "mcp-askuser install "+c.Name
	case r.Program != "" && missing != nil:
		f = f.wrong(f.Text, "that program is not there, or not on the PATH: mcp-askuser install "+name+
			" names this one")
	case hinders != "":
		f = f.wrong(f.Text+" (the client does not use it, or declines every form)",
			fmt.Sprintf("change this in %s: %s", in, hinders))
	case c.Name == "claude-code" && a.getenv(askuser.BackgroundVariable) == "":
		f.Text += "; without its form a call ends within two minutes, which " + askuser.BackgroundVariable + " moves"
	}
	return f, true
}

// examineQuestions says whether the questions that a client asks itself come here;
// false for a client whose questions cannot.
func (a *app) examineQuestions(c install.Client, project bool) (finding, bool) {
	state, can, err := c.Questions(a.place(project), a.options(c.Name, registration{project: project}).Hook)
	what, remedy := "questions", "mcp-askuser install "+c.Name+" --questions"
	if state.Permissions {
		what, remedy = "questions and permissions", remedy+" --permissions"
	}
	if project {
		remedy += " --project"
	}
	f := finding{Name: c.Name, State: stateOK, Text: fmt.Sprintf("its own %s come here, too (%s)", what, state.Path)}
	switch {
	case err != nil:
		f = f.wrong(err.Error(), "mend that file, or take it away: until then the client's own questions stay there")
	case !state.Installed:
		f.State, f.Text, f.Remedy = stateUnused, fmt.Sprintf("its own questions stay there (%s)", state.Path), remedy
	case !state.Current:
		f = f.wrong(fmt.Sprintf("its own questions come here, but not as this version would bring them (%s)",
			state.Path), remedy)
	}
	return f, can
}
