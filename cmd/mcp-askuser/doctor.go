package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/desk/local"
	"mcp-askuser/desk/shared"
	"mcp-askuser/question"
	"mcp-askuser/ui/present"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// finding is one line of the doctor's: what was examined, and its state.
type finding struct {
	Part   string `json:"part"`
	Name   string `json:"name"`
	State  state  `json:"state"`
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"` // what to do, where it is not well
}

type state string

const (
	stateOK     state = "ok"
	stateUnused state = "no" // it is not used here, and need not be
	stateWrong  state = "wrong"
)

// wrong is the finding with a fault, and what to do about it.
func (f finding) wrong(text, remedy string) finding {
	f.State, f.Text, f.Remedy = stateWrong, text, remedy
	return f
}

// correctSettings is the remedy for settings.
const correctSettings = "correct it: until then commands refuse to run, and so do servers with a wrong value " +
	"(mcp-askuser config)"

// deskTimeout is how long the shared desk may take to answer.
const deskTimeout = 5 * time.Second

func (a *app) doctor() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Say what would happen if an agent asked you now, here",
		Example: "  mcp-askuser doctor\n  mcp-askuser doctor --json",
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	a.addFlags(cmd, "surface")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		found := a.examine(cmd.Context())
		if !*asJSON {
			a.printFindings(found)
		} else if err := a.printJSON(found); err != nil {
			return err
		}
		if slices.ContainsFunc(found, func(f finding) bool { return f.State == stateWrong }) {
			return &exitError{exitBad, nil}
		}
		return nil
	}
	return cmd
}

func (a *app) printFindings(found []finding) {
	var b strings.Builder
	for i, f := range found {
		mark := map[state]string{stateOK: "ok", stateUnused: "–", stateWrong: "wrong"}[f.State]
		if i == 0 || found[i-1].Part != f.Part {
			fmt.Fprintf(&b, "%s\n", capital(f.Part))
		}
		lead := fmt.Sprintf("  %s%s ", mark, strings.Repeat(" ", max(0, 6-ansi.StringWidth(mark))))
		lines := term.HangingIndent(lead, f.Name+": "+question.Block(f.Text), cmp.Or(a.out.width(), unwrapped))
		fmt.Fprintln(&b, strings.Join(lines, "\n"))
		if f.Remedy != "" {
			fmt.Fprintf(&b, "         → %s\n", question.Line(f.Remedy))
		}
	}
	a.print(b.String())
}

func (a *app) examine(ctx context.Context) (all []finding) {
	add := func(part string, found ...finding) {
		for _, f := range found {
			f.Part = part
			all = append(all, f)
		}
	}
	add("clients", a.examineClients()...)
	s := a.settings()
	add("settings", a.examineSettings()...)
	if s.Desk != "" {
		f := a.examineDesk(ctx, s.Desk)
		add("shared desk", f)
		if f.State == stateWrong {
			s.Desk = "" // a question would be asked on this machine too
		}
	}
	a.log = slog.New(slog.DiscardHandler)
	d, err := a.desk()
	add("store", a.examineStore(ctx, d, err))
	if err == nil {
		add("where questions appear", a.examineSurfaces(ctx, d)...)
		add("phone", a.examinePhone(ctx, d))
	}
	return all
}

func (a *app) examineSettings() (all []finding) {
	for _, fault := range a.config.Faults() {
		f := finding{Name: cmp.Or(fault.Key, a.config.File)}
		all = append(all, f.wrong(fault.Text, correctSettings))
	}
	switch {
	case a.config.Unread != nil:
	case a.config.Found:
		all = append(all, finding{Name: a.config.File, State: stateOK, Text: "was read"})
	default:
		all = append(all, finding{Name: cmp.Or(a.config.File, "no file"), State: stateUnused,
			Text: "no file; the defaults apply"})
	}
	return all
}

// examineStore says whether this machine's store can be used, and what it holds. Opening
// the desk may have failed.
func (a *app) examineStore(ctx context.Context, d *desk.Desk, err error) finding {
	dir, _ := local.DefaultDir(a.environ()) // opening the desk reports why there is none
	f := finding{Name: cmp.Or(dir, "no directory"), State: stateOK}
	var waiting []desk.Record
	if err == nil {
		waiting, err = d.Pending(ctx)
	}
	if err == nil {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		_, err = d.Watch(ctx) // writes to the store
	}
	if err != nil {
		return f.wrong(err.Error(), "mend that, or name another directory (--dir): until then nothing can be asked here")
	}
	f.Text = words.English.N(len(waiting), "%d question waits", "%d questions wait")
	return f
}

// examineDesk says whether the shared desk answers, and as whom it takes this user.
func (a *app) examineDesk(ctx context.Context, url string) finding {
	f := finding{Name: url, State: stateOK}
	silent := fmt.Errorf("%w within %s", desk.ErrUnreachable, deskTimeout)
	ctx, stop := context.WithTimeoutCause(ctx, deskTimeout, silent)
	defer stop()
	var st shared.Status
	store, err := a.shared()
	if err == nil {
		defer func() { _ = store.Close() }()
		st, err = store.Status(ctx)
	}
	if err == nil {
		err = wrongWith(&st)
	}
	if err != nil {
		return f.wrong(err.Error(), "start its nodes, or correct its address (desk) or your credential (desk_creds); "+
			"until then questions are asked and answered on this machine alone")
	}
	f.Text = connectedAs(&st.Identity)
	return f
}

// examineSurfaces says of each surface whether it would reach the user.
func (a *app) examineSurfaces(ctx context.Context, d *desk.Desk) []finding {
	presenter := present.New(present.Options{Desk: d, Log: a.log})
	defer presenter.Close(nil)
	page := a.webSurface(d, presenter)
	defer page.Close()
	var out []finding
	usable := false
	surfaces, _ := a.surfaces(d, page, desk.Cancelled)
	for _, surface := range surfaces {
		f := finding{Name: surface.Name(), State: stateOK, Text: "would show it"}
		err := check(ctx, surface)
		if err != nil {
			f.State, f.Text = stateUnused, err.Error()
		} else if !usable {
			usable = true
			f.Text = "would show it first, for a command that asks here"
		}
		out = append(out, f)
	}
	if !usable && !a.attended(true) { // a known client's agent tells its user to open an inbox
		last := &out[len(out)-1]
		last.State, last.Remedy = stateWrong, "keep mcp-askuser inbox open in a terminal of its own, or mcp-askuser "+
			"web --open in a browser, and let surface be auto"
	} else if !usable {
		out = append(out, finding{Name: "the agent", State: stateOK,
			Text: "says how to answer, and the question waits"})
	}
	return out
}
