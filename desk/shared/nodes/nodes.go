// Package nodes writes what the node of a shared desk needs: the configuration of one stock
// nats-server, and a credential for each user. It starts nothing. A directory can be written
// again, with more agents and humans: its credentials stay, and so does what the node was set up
// with since.
package nodes

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nkeys"

	"mcp-askuser/desk/shared"
	"mcp-askuser/internal/wholefile"
)

// Options are what a node is set up with.
type Options struct {
	Listen         string // address for clients of a new node; empty for 127.0.0.1:4222
	Agents, Humans []string
}

// Kinds of credentials, as their files are named.
const (
	Agent    = "agent"
	Human    = "human"
	Operator = "operator"
)

// Creds is the file with a credential: of an agent or a human by name, or the operator's.
func Creds(dir, kind, name string) string {
	if name != "" {
		kind += "-" + name
	}
	return filepath.Join(dir, "creds", kind+".creds")
}

// HumansFile has the [shared.Humans] of a directory.
func HumansFile(dir string) string { return filepath.Join(dir, "humans.json") }

// Init writes a directory: nats.conf, users.conf with the rights of all users, which the former
// includes, their credentials, and humans.json. The node is started in it.
func Init(dir string, o Options) error {
	if o.Listen != "" && !IsNew(dir) {
		return fmt.Errorf("%s has the address of the node: change it there", nodeFile(dir))
	}
	err := o.addWritten(dir)
	if err == nil {
		err = o.check()
	}
	if err != nil {
		return err
	}
	err = errors.Join(os.MkdirAll(filepath.Join(dir, "creds"), 0o700), os.MkdirAll(filepath.Join(dir, "data"), 0o700))
	if err != nil {
		return err
	}
	humans, err := readHumans(dir)
	if err != nil {
		return err
	}
	key, err := credential(Creds(dir, Operator, ""), "operator")
	var users strings.Builder
	users.WriteString(user("operator", key, []string{">"}, []string{">"}))
	for _, kind := range []string{Agent, Human} {
		for _, name := range map[string][]string{Agent: o.Agents, Human: o.Humans}[kind] {
			key, failed := credential(Creds(dir, kind, name), kind+" "+name)
			err = errors.Join(err, failed)
			publish, subscribe := shared.Rights(name, kind == Human)
			users.WriteString(user(kind+" "+name, key, publish, subscribe))
			if kind == Human {
				humans.Now[key] = name
				delete(humans.Former, key)
			}
		}
	}
	list, failed := json.MarshalIndent(humans, "", "  ")
	err = errors.Join(err, failed)
	if err != nil {
		return err // a node does not start with a user who has no key
	}
	return errors.Join(
		wholefile.Put(HumansFile(dir), append(list, '\n'), 0o600, os.Rename), // it alone has the keys of former humans
		os.WriteFile(filepath.Join(dir, "users.conf"), fmt.Appendf(nil, accounts, users.String()), 0o600),
		o.writeNode(dir))
}

// writeNode writes the configuration of the node, unless one exists.
func (o *Options) writeNode(dir string) error {
	if !IsNew(dir) {
		return nil
	}
	config := strings.Replace(nodeConfig, standard, cmp.Or(o.Listen, standard), 1)
	return os.WriteFile(nodeFile(dir), []byte(config), 0o600)
}

// readHumans returns the humans in a directory, each as a former one: who answers still has a
// credential there.
func readHumans(dir string) (shared.Humans, error) {
	before := shared.Humans{Now: map[string]string{}, Former: map[string]string{}}
	data, err := os.ReadFile(HumansFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return before, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &before)
	}
	if err != nil {
		return before, fmt.Errorf("%s: %w", HumansFile(dir), err)
	}
	former := maps.Clone(before.Now)
	maps.Copy(former, before.Former)
	return shared.Humans{Now: map[string]string{}, Former: former}, nil
}

func nodeFile(dir string) string { return filepath.Join(dir, "nats.conf") }

// IsNew reports whether a directory has no node.
func IsNew(dir string) bool {
	_, err := os.Stat(nodeFile(dir))
	return err != nil
}

// standard is where a node waits for clients that has no other address.
const standard = "127.0.0.1:4222"

// Listens returns the address at which clients on this machine reach the node in a directory.
func Listens(dir string) string {
	data, _ := os.ReadFile(nodeFile(dir))
	found := regexp.MustCompile(`(?m)^listen: *"?([^"\s]+).*$`).FindSubmatch(data)
	if found == nil {
		return standard
	}
	host, port, err := net.SplitHostPort(string(found[1]))
	if err == nil && (host == "" || net.ParseIP(host).IsUnspecified()) { // it is reached at each address
		return net.JoinHostPort("127.0.0.1", port)
	}
	return string(found[1])
}

const nodeConfig = `# A node of the desk, for the stock nats-server, 2.12 or newer.
server_name: desk
listen: "` + standard + `"
max_payload: 8MB
jetstream {
  store_dir: data # in the directory that the node is started in
  # On disk before it is acknowledged. The default is to write every two minutes, and to lose
  # with the machine what was acknowledged before.
  sync_interval: always
}
include users.conf
`

const accounts = `# Who may use the desk. Every node includes this file.
accounts {
  DESK {
    jetstream: enabled
    users: [
%s    ]
  }
  SYS {}
}
system_account: SYS
`

// user is a user in a configuration.
func user(about, key string, publish, subscribe []string) string {
	list := func(subjects []string) string { return `["` + strings.Join(subjects, `", "`) + `"]` }
	return fmt.Sprintf("      { # %s\n        nkey: %s\n        permissions { publish: %s, subscribe: %s }\n      }\n",
		about, key, list(publish), list(subscribe))
}

// ValidName reports whether an agent or a human may have a name: letters, digits and hyphens.
func ValidName(name string) bool {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`).MatchString(name)
}

// check names what is wrong with the options.
func (o *Options) check() error {
	var faults []error
	_, port, err := net.SplitHostPort(o.Listen)
	number, odd := strconv.ParseUint(port, 10, 16)
	if o.Listen != "" && (err != nil || odd != nil || number == 0) {
		faults = append(faults, fmt.Errorf("the address %q is not of the form HOST:PORT, as %s", o.Listen, standard))
	}
	for _, name := range slices.Concat(o.Agents, o.Humans) {
		if !ValidName(name) {
			faults = append(faults, fmt.Errorf("%q is no name for an agent or a human: it takes letters, digits and hyphens",
				name))
		}
	}
	for _, name := range o.Agents {
		if strings.HasPrefix(name, Human+"-") {
			faults = append(faults, fmt.Errorf("%q is no name for an agent: those of humans begin like this", name))
		}
	}
	return errors.Join(faults...)
}

// addWritten adds the agents and humans that a directory has.
func (o *Options) addWritten(dir string) error {
	files, err := os.ReadDir(filepath.Join(dir, "creds"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, file := range files {
		kind, name, _ := strings.Cut(strings.TrimSuffix(file.Name(), ".creds"), "-")
		switch kind {
		case Agent:
			o.Agents = append(o.Agents, name)
		case Human:
			o.Humans = append(o.Humans, name)
		}
	}
	unique := func(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
	o.Agents, o.Humans = unique(o.Agents), unique(o.Humans)
	return nil
}

// credential returns the public key in a file, and makes the file where it does not exist.
func credential(file, about string) (key string, err error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = newCredential(file, about)
	}
	if err != nil {
		return "", err
	}
	pair, err := nkeys.ParseDecoratedUserNKey(data)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return pair.PublicKey()
}

func newCredential(file, about string) ([]byte, error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	seed, err := pair.Seed()
	if err != nil {
		return nil, err
	}
	data := fmt.Appendf(nil, "# %s. A process with this file acts as it.\n"+
		"-----BEGIN USER NKEY SEED-----\n%s\n------END USER NKEY SEED------\n", about, seed)
	return data, wholefile.Put(file, data, 0o600, os.Rename) // a part of one would be read as one from then on
}
