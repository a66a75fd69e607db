package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/ui/words"
)

func (a *app) deskCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "desk",
		Short: "Share questions between many machines",
		Example: `  mcp-askuser desk init --dir ~/desk --human alice --agent ci
  MCP_ASKUSER_DESK=nats://localhost:4222 mcp-askuser desk status`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.deskInit(), a.deskCreate(), a.deskStatus())
	return cmd
}

func (a *app) deskInit() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init --dir DIR",
		Short: "Write what the nodes and their users need",
		Example: `  mcp-askuser desk init --dir ~/desk --human alice --agent ci --agent builder
  mcp-askuser desk init --dir ~/desk --nodes 3 --hosts nats-1,nats-2,nats-3`,
	}
	flags := cmd.Flags()
	dir := flags.String("dir", "", "the `directory` to write to")
	n := flags.Int("nodes", 1, "the `number` of nodes: 1, or 3 of which one may fail")
	hosts := flags.StringSlice("hosts", []string{"localhost"}, "the nodes' `machines`, as everybody reaches them, with commas between; one alone has all nodes")
	port := flags.Int("port", 4222, "the `port` for clients; among themselves the nodes use the one 2000 higher")
	account := flags.String("account", "desk", "the `name` of the circle of trust that the credentials belong to")
	agents := flags.StringSlice("agent", []string{"agent"}, "the `names` of agents, with commas between")
	humans := flags.StringSlice("human", nil, "the `names` of people who answer; by default you")
	cmd.RunE = func(*cobra.Command, []string) error {
		if *dir == "" {
			return errors.New(words.T("name the directory to write to: --dir DIR"))
		}
		if len(*hosts) != 1 && len(*hosts) != *n {
			return fmt.Errorf(words.T("--hosts names %d machines for %d nodes: name one for each, or one for all"), len(*hosts), *n)
		}
		full, err := filepath.Abs(*dir)
		if err != nil {
			return err
		}
		if len(*humans) == 0 {
			*humans = []string{userName()}
		}
		plan := nodes.Plan{Dir: full, Nodes: nodes.Default(*hosts, *n, *port), Accounts: []nodes.Account{{Name: *account, Agents: *agents, Humans: *humans}}}
		if err := plan.Write(); err != nil {
			return err
		}
		a.printNextSteps(&plan, *account)
		return nil
	}
	return cmd
}

// userName is the name of this user, if a credential may have it.
func userName() string {
	if u, err := user.Current(); err == nil {
		name := u.Username[strings.LastIndexByte(u.Username, '\\')+1:]
		if desk.ValidName(name) {
			return name
		}
	}
	return "me"
}

// printNextSteps says what to do with the files of a plan.
func (a *app) printNextSteps(p *nodes.Plan, account string) {
	var b strings.Builder
	b.WriteString(words.T("Written to %s.\n\nStart each node in its own directory, on its own machine:", p.Dir) + "\n\n")
	for _, n := range p.Nodes {
		fmt.Fprintf(&b, "  cd %s && nats-server -c nats.conf\n", filepath.Join(p.Dir, n.Name))
	}
	fmt.Fprintf(&b, "\n"+words.T("Then, once, as the operator:")+"\n\n  mcp-askuser desk create --desk %s --desk-ca %s --desk-creds %s\n", p.URL(), p.CA(), p.Creds(account, nodes.Operator, ""))
	fmt.Fprintf(&b, "\n"+words.T("Give each agent and each human their own file, and the certificate:")+"\n\n  export MCP_ASKUSER_DESK=%s\n  export MCP_ASKUSER_DESK_CA=%s\n", p.URL(), p.CA())
	for _, acc := range p.Accounts {
		if acc.Name != account {
			continue
		}
		for _, name := range acc.Agents {
			fmt.Fprintf(&b, "  export MCP_ASKUSER_DESK_CREDS=%s   # %s\n", p.Creds(account, nodes.Agent, name), words.T("the agent %s: asks, never answers", name))
		}
		for _, name := range acc.Humans {
			fmt.Fprintf(&b, "  export MCP_ASKUSER_DESK_CREDS=%s   # %s\n", p.Creds(account, nodes.Human, name), words.T("%s: answers", name))
		}
	}
	b.WriteString("\n" + words.T("Keep ca.key and creds/system.creds to yourself. To see how it goes: mcp-askuser desk status") + "\n")
	a.print(b.String())
}

// shared opens the desk that the settings name.
func (a *app) shared() (*nats.Store, error) {
	if err := a.config.Err(); err != nil {
		return nil, err
	}
	s := a.settings()
	if s.Desk == "" {
		return nil, noSharedDesk()
	}
	return nats.Open(nats.Options{URL: s.Desk, Creds: s.DeskCreds, CA: s.DeskCA})
}

func noSharedDesk() error {
	return errors.New(words.T("no shared desk is named: --desk nats://HOST:PORT, or MCP_ASKUSER_DESK; mcp-askuser desk init sets one up"))
}

func (a *app) deskCreate() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Prepare new nodes, and list who answers",
		Example: `  mcp-askuser desk create --desk nats://localhost:4222 \
    --desk-ca ~/desk/ca.pem --desk-creds ~/desk/creds/desk/operator.creds`,
	}
	wait := cmd.Flags().Duration("wait", time.Minute, "wait for the nodes for this `duration`")
	prove := wordFlag(cmd, "prove", "", "which answers need a proof on this shared desk, whatever its members set: a `policy` of none or confirm", "none", "confirm")
	replace := cmd.Flags().Bool("replace", false, "delete what an earlier version has kept there, with all its questions and answers")
	return a.withSettings(cmd, func(cmd *cobra.Command, _ []string) error {
		store, err := a.shared()
		if err != nil {
			return err
		}
		defer store.Close()
		humans, err := nodes.Humans(a.settings().DeskCreds)
		if err != nil {
			return err
		}
		n, err := store.MakeAll(cmd.Context(), *wait, *replace)
		if err == nil {
			err = store.Trust(cmd.Context(), humans, desk.Policy(*prove))
		}
		if err != nil {
			return err
		}
		a.tell(words.T("The desk is ready, on %s.", words.N(n, "%d node", "%d nodes")))
		return nil
	})
}

func (a *app) deskStatus() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say what the desk has, who is connected, what is wrong",
		Example: `  mcp-askuser desk status
  mcp-askuser desk status --system ~/desk/creds/system.creds --json`,
	}
	system := cmd.Flags().String("system", "", "the `file` with the system credential")
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	return a.withSettings(cmd, func(cmd *cobra.Command, _ []string) error {
		store, err := a.shared()
		if err != nil {
			return err
		}
		defer store.Close()
		creds := a.settings().DeskCreds
		if above := filepath.Join(filepath.Dir(filepath.Dir(creds)), "system.creds"); *system == "" && creds != "" {
			if _, err := os.Stat(above); err == nil {
				*system = above
			}
		}
		st, err := store.Status(cmd.Context(), *system)
		if err != nil {
			return err
		}
		checkRights(&st)
		if !*asJSON {
			a.printStatus(&st)
		} else if err := a.printJSON(st); err != nil {
			return err
		}
		if len(st.Wrong) == 0 {
			return nil
		}
		text := []string{words.T("wrong with the desk:")}
		for _, fault := range st.Wrong {
			text = append(text, words.Local.Error(fault))
		}
		return errors.New(strings.Join(text, "\n- "))
	})
}

// checkRights adds the faults of a credential's rights: one that its kind lacks, and
// one with which it could act as another.
func checkRights(st *nats.Status) {
	me := &st.Identity
	if me.Any {
		return
	}
	kind := nodes.Agent
	if me.Human {
		kind = nodes.Human
	}
	write, read := nodes.Rights(kind, me.Name)
	for _, subject := range write {
		if !slices.Contains(me.Allow, subject) {
			st.Wrongf("your credential lacks the right to %s: run mcp-askuser desk init again and start the nodes anew", subject)
		}
	}
	refuse := func(has, wanted []string) {
		for _, subject := range has {
			if !slices.Contains(wanted, subject) {
				st.Wrongf("your credential has the right to %s, with which it could act as another: take it away", subject)
			}
		}
	}
	refuse(me.Allow, write)
	refuse(me.Hear, read)
	if len(me.Hear) == 0 {
		refuse([]string{">"}, nil)
	}
	if me.Answers {
		refuse([]string{"allow_responses"}, nil)
	}
}

// connectedAs names the account and the user that a credential belongs to.
func connectedAs(me *nats.Identity) string {
	switch {
	case me.Any:
	case me.Human:
		return words.T("Connected to the account %[1]s as the human %[2]s.", me.Account, me.Name)
	default:
		return words.T("Connected to the account %[1]s as the agent %[2]s.", me.Account, me.Name)
	}
	return words.T("Connected to the account %s with every right.", me.Account)
}

func (a *app) printStatus(st *nats.Status) {
	a.print(connectedAs(&st.Identity) + "\n\n")
	var t table
	t.add(words.T("NODE"), words.T("VERSION"), words.T("WRITES AT ONCE"), words.T("CLIENTS"))
	for _, n := range st.Nodes {
		sync := words.T("unknown")
		if n.Synced != nil {
			sync = map[bool]string{true: words.T("yes"), false: words.T("no")}[*n.Synced]
		}
		t.add(n.Name, n.Version, sync, strings.Join(n.Clients, ", "))
	}
	a.printTable(t)
	fmt.Fprintln(a.out)
	var streams table
	streams.add(words.T("STREAM"), words.T("MESSAGES"), words.T("BYTES"), words.T("COPIES"), words.T("LEADER"))
	for _, s := range st.Streams {
		streams.add(s.Name, fmt.Sprint(s.Messages), fmt.Sprint(s.Bytes), fmt.Sprint(s.Replicas), s.Leader)
	}
	a.printTable(streams)
}
