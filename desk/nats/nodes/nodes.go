// Package nodes writes what the nodes of a shared desk need: a configuration and a
// certificate for each stock nats-server, and a credential for each user. It
// knows the subjects of desk/nats, and starts nothing.
//
// A directory can be written again, with more agents and humans: its keys and
// certificates stay as they are.
package nodes

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/nats-io/nkeys"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/proof"
	"mcp-askuser/internal/door"
)

// Node is one nats-server.
type Node struct {
	Name      string // its directory, and its name among the nodes
	Host      string // as clients and other nodes reach it
	Port      int    // for clients
	RoutePort int    // for other nodes
}

// Account is a circle of trust: it sees nothing of another.
type Account struct {
	Name           string
	Agents, Humans []string
}

// Plan is the content of a directory. Accounts, agents and humans that the directory
// has already are kept.
type Plan struct {
	Dir      string
	Nodes    []Node
	Accounts []Account
}

// Default returns nodes of their own machines, or, where there is one host for
// all, with ports of their own.
func Default(hosts []string, n, port int) []Node {
	var nodes []Node
	for i := range n {
		node := Node{Name: fmt.Sprintf("nats-%d", i+1), Host: hosts[min(i, len(hosts)-1)], Port: port, RoutePort: port + 2000}
		if len(hosts) == 1 {
			node.Port, node.RoutePort = port+i, port+2000+i
		}
		nodes = append(nodes, node)
	}
	return nodes
}

// CA is the file with the certificate that the nodes' descend from.
func (p *Plan) CA() string { return filepath.Join(p.Dir, "ca.pem") }

// URL is where clients find the nodes.
func (p *Plan) URL() string {
	var all []string
	for _, n := range p.Nodes {
		all = append(all, net.JoinHostPort(n.Host, fmt.Sprint(n.Port)))
	}
	return "nats://" + strings.Join(all, ",")
}

// Kinds of credentials, as their files are named.
const (
	Agent    = "agent"
	Human    = "human"
	Operator = "operator"
)

// Creds is the file with a credential: of an agent or a human by name, or of
// the account's operator.
func (p *Plan) Creds(account, kind, name string) string {
	if name != "" {
		kind += "-" + name
	}
	return filepath.Join(p.Dir, "creds", account, kind+".creds")
}

// System is the file with the credential that sees how the nodes are set up.
func (p *Plan) System() string { return filepath.Join(p.Dir, "creds", "system.creds") }

// user is one credential in a configuration.
type user struct {
	About              string
	Key                string // public
	Publish, Subscribe []string
}

//go:embed nats.conf.tmpl
var files embed.FS

// Write writes the directory.
func (p *Plan) Write() error {
	if err := p.merge(); err != nil {
		return err
	}
	if err := p.check(); err != nil {
		return err
	}
	ca, err := p.authority()
	if err != nil {
		return err
	}
	users := map[string][]user{}
	for _, a := range p.Accounts {
		if users[a.Name], err = p.users(a); err != nil {
			return err
		}
		if err := p.writeHumans(a, users[a.Name]); err != nil {
			return err
		}
	}
	system, err := credential(p.System(), "system: sees how the nodes are set up")
	if err != nil {
		return err
	}
	// For a page in a container, which is reached through its own machine.
	if err := p.certify(filepath.Join(p.Dir, "page"), Node{Name: "localhost", Host: "localhost"}, &ca); err != nil {
		return err
	}
	for _, n := range p.Nodes {
		if err := p.writeNode(n, &ca, users, system); err != nil {
			return err
		}
	}
	return nil
}

// check names everything that is wrong with the plan.
func (p *Plan) check() error {
	var faults []error
	if n := len(p.Nodes); n != 1 && n != 3 {
		faults = append(faults, fmt.Errorf("a desk has one node or three, not %d: two lose their majority with either", n))
	}
	for _, a := range p.Accounts {
		for _, name := range slices.Concat([]string{a.Name}, a.Agents, a.Humans) {
			if !desk.ValidName(name) || name == "-" {
				faults = append(faults, fmt.Errorf("%q is no name for an account, an agent or a human: it takes letters, digits and hyphens", name))
			}
		}
		for _, name := range a.Agents {
			if strings.HasPrefix(name, Human+"-") {
				faults = append(faults, fmt.Errorf("%q is no name for an agent: those of humans begin like this", name))
			}
		}
		marked := map[string]string{}
		for _, u := range a.credentials() {
			name := Name(u.kind, u.of)
			mark := desk.OwnerMark(name)
			if other, taken := marked[mark]; taken {
				faults = append(faults, fmt.Errorf("%s and %s would own each other's questions: give one of them another name", other, name))
			}
			marked[mark] = name
		}
	}
	return errors.Join(faults...)
}

// merge adds the accounts and names that the directory has.
func (p *Plan) merge() error {
	dirs, err := os.ReadDir(filepath.Join(p.Dir, "creds"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, dir := range dirs {
		if !dir.IsDir() {
			continue
		}
		i := slices.IndexFunc(p.Accounts, func(a Account) bool { return a.Name == dir.Name() })
		if i < 0 {
			i = len(p.Accounts)
			p.Accounts = append(p.Accounts, Account{Name: dir.Name()})
		}
		found, err := os.ReadDir(filepath.Join(p.Dir, "creds", dir.Name()))
		if err != nil {
			return err
		}
		for _, file := range found {
			kind, name, _ := strings.Cut(strings.TrimSuffix(file.Name(), ".creds"), "-")
			switch of := &p.Accounts[i]; kind {
			case Agent:
				of.Agents = append(of.Agents, name)
			case Human:
				of.Humans = append(of.Humans, name)
			}
		}
	}
	for i, a := range p.Accounts {
		p.Accounts[i].Agents = slices.Compact(slices.Sorted(slices.Values(a.Agents)))
		p.Accounts[i].Humans = slices.Compact(slices.Sorted(slices.Values(a.Humans)))
	}
	slices.SortFunc(p.Accounts, func(a, b Account) int { return cmp.Compare(a.Name, b.Name) })
	return nil
}

// owner is a credential that owns questions.
type owner struct{ kind, of string }

// credentials are those of an account's agents and humans.
func (a *Account) credentials() []owner {
	var out []owner
	for _, name := range a.Agents {
		out = append(out, owner{Agent, name})
	}
	for _, name := range a.Humans {
		out = append(out, owner{Human, name})
	}
	return out
}

// Name is the name in subjects of a credential of a kind.
func Name(kind, name string) string {
	if kind == Human {
		return Human + "-" + name
	}
	return name
}

// users returns the credentials of an account, and makes those that are not
// there.
func (p *Plan) users(a Account) ([]user, error) {
	var out []user
	for _, o := range append([]owner{{kind: Operator}}, a.credentials()...) {
		subject := strings.TrimSpace(o.kind + " " + o.of)
		u, err := credential(p.Creds(a.Name, o.kind, o.of), subject+" of the account "+a.Name)
		if err != nil {
			return nil, err
		}
		u.About = subject
		u.Publish, u.Subscribe = Rights(o.kind, o.of)
		out = append(out, u)
	}
	return out, nil
}

// Rights are those of a credential of a kind.
func Rights(kind, name string) (publish, subscribe []string) {
	return nats.Rights(Name(kind, name), kind == Operator)
}

// HumansFile has the public keys of an account's humans, beside their credentials, as
// verify --keys reads them.
const HumansFile = "humans.json"

// writeHumans writes an account's [HumansFile].
func (p *Plan) writeHumans(a Account, users []user) error {
	keys := proof.Keys{Humans: map[string]string{}}
	for _, u := range users {
		if name, human := strings.CutPrefix(u.About, Human+" "); human {
			keys.Humans[u.Key] = name
		}
	}
	data, err := json.MarshalIndent(keys, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.Dir, "creds", a.Name, HumansFile), append(data, '\n'), 0o600)
}

// Humans returns the humans whose keys are beside a credential, by public key; none where
// there is no [HumansFile].
func Humans(creds string) (map[string]string, error) {
	var keys proof.Keys
	err := keys.Read(filepath.Join(filepath.Dir(creds), HumansFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return keys.Humans, err
}

// credential returns the user of a file with a seed, and makes it if need be.
func credential(file, subject string) (user, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = newCredential(file, subject)
	}
	if err != nil {
		return user{}, err
	}
	pair, err := nkeys.ParseDecoratedNKey(data)
	if err != nil {
		return user{}, fmt.Errorf("%s: %w", file, err)
	}
	public, err := pair.PublicKey()
	return user{Key: public}, err
}

func newCredential(file, subject string) ([]byte, error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	seed, err := pair.Seed()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	data := fmt.Appendf(nil, "# %s. Whoever has this file acts as it.\n-----BEGIN USER NKEY SEED-----\n%s\n------END USER NKEY SEED------\n", subject, seed)
	return data, os.WriteFile(file, data, 0o600)
}

// writeNode writes the directory of a node.
func (p *Plan) writeNode(n Node, ca *tls.Certificate, users map[string][]user, system user) error {
	dir := filepath.Join(p.Dir, n.Name)
	if err := p.certify(dir, n, ca); err != nil {
		return err
	}
	listen := "127.0.0.1"
	if slices.ContainsFunc(p.Nodes, func(n Node) bool { return !door.Loopback(n.Host) }) {
		listen = "0.0.0.0"
	}
	form, err := template.New("nats.conf.tmpl").Funcs(template.FuncMap{"join": strings.Join}).ParseFS(files, "nats.conf.tmpl")
	if err != nil {
		return err
	}
	var text bytes.Buffer
	err = form.Execute(&text, map[string]any{
		"Node": n, "Nodes": p.Nodes, "Listen": listen, "Users": users, "System": system,
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "nats.conf"), text.Bytes(), 0o600)
}
