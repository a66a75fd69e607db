package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mcp-askuser/desk/shared"
	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/install"
	"mcp-askuser/ui/words"
)

func (a *app) deskCommand() *cobra.Command {
	return family("desk", "Share questions between many machines",
		`  mcp-askuser desk init --dir ~/desk --human alice --agent ci
  mcp-askuser desk status --desk nats://localhost:4222 \
    --desk-creds ~/desk/creds/human-alice.creds`,
		a.deskInit(), a.deskCreate(), a.deskStatus())
}

func (a *app) deskInit() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "init --dir DIR",
		Short:   "Write what a node and its users need",
		Example: "  mcp-askuser desk init --dir ~/desk --human alice --agent ci --agent builder",
	}
	flags := cmd.Flags()
	dir := flags.String("dir", "", "the `directory` to write to")
	listen := flags.String("listen", "", "the `address` at which the node waits for clients (default 127.0.0.1:4222)")
	agents := flags.StringSlice("agent", nil, "the `names` of agents, with commas between (default agent)")
	humans := flags.StringSlice("human", nil, "the `names` of people who answer; by default you")
	cmd.RunE = func(*cobra.Command, []string) error {
		if *dir == "" {
			return errors.New("name the directory to write to: --dir DIR")
		}
		full, err := filepath.Abs(*dir)
		if err != nil {
			return err
		}
		isNew := nodes.IsNew(full)
		if isNew && len(*agents) == 0 {
			*agents = []string{"agent"}
		}
		if isNew && len(*humans) == 0 {
			me := a.getenv("USER")
			if !nodes.ValidName(me) {
				me = "me"
			}
			*humans = []string{me}
		}
		err = nodes.Init(full, nodes.Options{Listen: *listen, Agents: *agents, Humans: *humans})
		if err != nil {
			return err
		}
		a.printNextSteps(full)
		return nil
	}
	return cmd
}

// printNextSteps says what to do with the files in a directory.
func (a *app) printNextSteps(dir string) {
	url := "nats://" + nodes.Listens(dir)
	a.print(fmt.Sprintf(`Written to %s. Start the node, or start it anew:

  cd %s && nats-server -c nats.conf

Then, as the operator, and again after each new human:

  mcp-askuser desk create --desk %s --desk-creds %s

Each agent (asks, never answers) and each human (answers) gets their own file of creds/:

  export MCP_ASKUSER_DESK=%[3]s
  export MCP_ASKUSER_DESK_CREDS=...

Clients on other machines take TLS alone: see deploy/nats.
`, dir, install.ShellLine(dir), url, install.ShellLine(nodes.Creds(dir, nodes.Operator, ""))))
}

// shared opens the shared desk that the settings name, without this machine's store.
func (a *app) shared() (*shared.Store, error) {
	err := a.config.Err()
	if err != nil {
		return nil, err
	}
	if a.settings().Desk == "" {
		return nil, errors.New("no shared desk is named: --desk nats://HOST:PORT, or MCP_ASKUSER_DESK; mcp-askuser desk " +
			"init sets one up")
	}
	return shared.Open(a.sharedOptions())
}

func (a *app) deskCreate() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Prepare new nodes, and list who answers",
		Example: `  mcp-askuser desk create --desk nats://localhost:4222 \
    --desk-creds ~/desk/creds/operator.creds`,
	}
	copies := cmd.Flags().Int("copies", 0, "on how many `nodes` everything is kept: 1, or 3 of which one may fail; "+
		"0 is as before, 1 at first")
	return a.withSettings(cmd, func(cmd *cobra.Command, _ []string) error {
		if *copies != 0 && *copies != 1 && *copies != 3 {
			return fmt.Errorf("--copies is %d; it takes 1 or 3", *copies)
		}
		humans, err := a.humans()
		if err != nil {
			return err
		}
		store, err := a.shared()
		if err != nil {
			return err
		}
		defer func() { _ = store.Close() }()
		err = store.Create(cmd.Context(), *copies, humans)
		if err == nil {
			a.tellf("The desk is ready. %s.", words.English.N(len(humans.Now), "%d human answers", "%d humans answer"))
		}
		return err
	})
}

// humans reads the list of humans beside the credentials of the operator.
func (a *app) humans() (humans shared.Humans, err error) {
	file := nodes.HumansFile(filepath.Dir(filepath.Dir(a.settings().DeskCreds)))
	data, err := os.ReadFile(file)
	if err != nil {
		return humans, fmt.Errorf("who answers? %w: name the operator's credential where mcp-askuser desk init wrote it "+
			"(--desk-creds)", err)
	}
	err = json.Unmarshal(data, &humans)
	if err == nil && len(humans.Now) == 0 {
		err = errors.New("it lists nobody: run mcp-askuser desk init again")
	}
	if err != nil {
		return humans, fmt.Errorf("%s: %w", file, err)
	}
	return humans, nil
}

func (a *app) deskStatus() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Say what the desk has, and what is wrong",
		Example: "  mcp-askuser desk status\n  mcp-askuser desk status --json",
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	return a.withSettings(cmd, func(cmd *cobra.Command, _ []string) error {
		store, err := a.shared()
		if err != nil {
			return err
		}
		defer func() { _ = store.Close() }()
		st, err := store.Status(cmd.Context())
		if err != nil {
			return err
		}
		if *asJSON {
			err = a.printJSON(st)
		} else {
			a.printStatus(&st)
		}
		if err != nil {
			return err
		}
		return wrongWith(&st)
	})
}

// wrongWith names what is wrong with a shared desk.
func wrongWith(st *shared.Status) error {
	var faults []string
	const create = ": its operator runs mcp-askuser desk create"
	for _, x := range []struct {
		wrong bool
		text  string
	}{
		{!st.Created, "the desk was not created" + create},
		{st.Created && !st.AsNeeded, "another program, or another version, has changed the desk" + create},
		{st.Created && st.Humans == 0, "nobody may answer" + create},
		{st.Created && !st.Stores,
			"it stores nothing: a node whose disk was full needs room and a restart; most nodes must run"},
		{len(st.Behind) > 0, "nodes that do not answer, or have not caught up: " + strings.Join(st.Behind, ", ")},
	} {
		if x.wrong {
			faults = append(faults, x.text)
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return errors.New("wrong with the desk:\n- " + strings.Join(faults, "\n- "))
}

// connectedAs says whose a credential is.
func connectedAs(me *shared.Identity) string {
	switch {
	case me.Any:
		return "Connected with every right."
	case me.Human:
		return fmt.Sprintf("Connected as the human %s.", me.Name)
	}
	return fmt.Sprintf("Connected as the agent %s.", me.Name)
}

func (a *app) printStatus(st *shared.Status) {
	a.print(connectedAs(&st.Identity) + "\n")
	if st.Created {
		a.print(fmt.Sprintf("%s, in %s.\n", words.English.N(st.Messages, "%d document", "%d documents"),
			words.English.N(st.Replicas, "%d copy", "%d copies")))
	}
}
