//go:build unix

package natstest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/nats/nodes"
)

// Patience is how long a test waits for the nodes to become what they should.
const Patience = time.Minute

// Cluster is one node or three, that run.
type Cluster struct {
	nodes.Plan
	t         testing.TB
	apart     []string // the network namespace of each node; nil where they share ours
	mu        sync.Mutex
	processes []*exec.Cmd
}

// The accounts that a cluster has, each with the agents bot and other and the
// humans alice and bob.
const (
	Account = "desk"
	Another = "another"
)

var server = sync.OnceValues(func() (string, error) {
	_, here, _, _ := runtime.Caller(0)
	cmd := exec.Command("go", "tool", "-n", "nats-server")
	cmd.Dir = filepath.Join(filepath.Dir(here), "..", "..", "..", "internal", "natsserver")
	out, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("build nats-server: %s", failed.Stderr)
	}
	return strings.TrimSpace(string(out)), err
})

// Server returns the file of the stock nats-server.
func Server(t testing.TB) string {
	t.Helper()
	file, err := server()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Start runs a cluster until the test ends, with its streams made.
func Start(t testing.TB, n int) *Cluster {
	t.Helper()
	return start(t, ported(t, n), nil, nil)
}

// StartOn is Start for nodes that keep what they have in these directories.
func StartOn(t testing.TB, data []string) *Cluster {
	t.Helper()
	return start(t, ported(t, len(data)), nil, data)
}

// ported is the plan of nodes on ports that are free.
func ported(t testing.TB, n int) []nodes.Node {
	t.Helper()
	at := nodes.Default([]string{"127.0.0.1"}, n, 0)
	for i, port := range freePorts(t, 2*n) {
		if i < n {
			at[i].Port = port
		} else {
			at[i-n].RoutePort = port
		}
	}
	return at
}

func start(t testing.TB, at []nodes.Node, apart, data []string) *Cluster {
	t.Helper()
	both := func(name string) nodes.Account {
		return nodes.Account{Name: name, Agents: []string{"bot", "other"}, Humans: []string{"alice", "bob"}}
	}
	c := &Cluster{t: t, apart: apart, processes: make([]*exec.Cmd, len(at)), Plan: nodes.Plan{
		Dir: t.TempDir(), Nodes: at, Accounts: []nodes.Account{both(Account), both(Another)},
	}}
	if err := c.Write(); err != nil {
		t.Fatal(err)
	}
	for i, dir := range data {
		if err := os.Symlink(dir, c.Data(i)); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for i := range at {
			c.Kill(i)
		}
	})
	for i := range at {
		c.Restart(i)
	}
	for _, account := range []string{Account, Another} {
		c.make(account)
	}
	return c
}

// make makes an account's streams, as soon as the nodes can.
func (c *Cluster) make(account string) {
	c.t.Helper()
	s := c.Open(account, nodes.Operator, "")
	Await(c.t, func() error { return s.Make(c.t.Context(), len(c.Nodes), false) })
	humans, err := nodes.Humans(c.Creds(account, nodes.Operator, ""))
	if err == nil {
		err = s.Trust(c.t.Context(), humans, "")
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// Await calls do until it succeeds, for as long as Patience.
func Await(t testing.TB, do func() error) {
	t.Helper()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for deadline := time.After(Patience); ; {
		err := do()
		if err == nil {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			t.Fatal(err)
		}
	}
}

func freePorts(t testing.TB, n int) []int {
	var ports []int
	for range n {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		ports = append(ports, ln.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// Logs is what the nodes have said.
func (c *Cluster) Logs() string {
	var all bytes.Buffer
	for _, n := range c.Nodes {
		data, _ := os.ReadFile(filepath.Join(c.Dir, n.Name, "log"))
		fmt.Fprintf(&all, "%s:\n%s\n", n.Name, data)
	}
	return all.String()
}

// Open returns a store with a credential of the cluster, until the test ends.
func (c *Cluster) Open(account, kind, name string) *nats.Store {
	c.t.Helper()
	s, err := nats.Open(c.Options(account, kind, name))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(s.Close)
	return s
}

// OpenAt is Open on a connection to one node, as long as that is of use.
func (c *Cluster) OpenAt(i int, account, kind, name string) *nats.Store {
	c.t.Helper()
	for {
		s := c.Open(account, kind, name)
		if _, err := s.Identity(c.t.Context()); err != nil {
			c.t.Fatal(err)
		}
		if s.Node() == c.Nodes[i].Name {
			return s
		}
		s.Close() // the client takes one by chance
	}
}

// Options are those of a store with a credential of the cluster.
func (c *Cluster) Options(account, kind, name string) nats.Options {
	o := nats.Options{URL: c.URL(), CA: c.CA(), Creds: c.Creds(account, kind, name)}
	if testing.Verbose() && os.Getenv("ASK_TEST_LOG") != "" {
		o.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return o
}

// Connect is a bare connection with a credential of the cluster. What the
// server says beside the conversation goes to says.
func (c *Cluster) Connect(account, kind, name string, says chan<- error) *natsgo.Conn {
	c.t.Helper()
	nc, err := c.dial(c.URL(), account, kind, name, says)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(nc.Close)
	return nc
}

func (c *Cluster) dial(url, account, kind, name string, says chan<- error) (*natsgo.Conn, error) {
	key, err := natsgo.NkeyOptionFromSeed(c.Creds(account, kind, name))
	if err != nil {
		return nil, err
	}
	inbox := "_INBOX"
	if kind != nodes.Operator {
		inbox += "." + nodes.Name(kind, name)
	}
	return natsgo.Connect(url, natsgo.RootCAs(c.CA()), key, natsgo.CustomInboxPrefix(inbox),
		natsgo.ErrorHandler(func(_ *natsgo.Conn, _ *natsgo.Subscription, err error) { says <- err }))
}

// Restart starts a node, with what it has on its disk.
func (c *Cluster) Restart(i int) {
	c.t.Helper()
	dir := filepath.Join(c.Dir, c.Nodes[i].Name)
	argv := []string{Server(c.t), "-c", "nats.conf", "-l", "log"}
	if c.apart != nil { // which replaces itself with the server
		argv = append([]string{"ip", "netns", "exec", c.apart[i]}, argv...)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, io.Discard, io.Discard
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.mu.Lock()
	c.processes[i] = cmd
	c.mu.Unlock()
}

// Data is the directory in which a node keeps what it has.
func (c *Cluster) Data(i int) string { return filepath.Join(c.Dir, c.Nodes[i].Name, "data") }

// Kill kills a node, as a power failure would.
func (c *Cluster) Kill(i int) {
	c.mu.Lock()
	cmd := c.processes[i]
	c.processes[i] = nil
	c.mu.Unlock()
	if cmd != nil {
		_ = cmd.Process.Signal(syscall.SIGCONT)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// Quit has a node end by itself, as its operator would.
func (c *Cluster) Quit(i int) {
	c.t.Helper()
	c.mu.Lock()
	cmd := c.processes[i]
	c.processes[i] = nil
	c.mu.Unlock()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		c.t.Fatal(err)
	}
	_ = cmd.Wait()
}

// Stop has a node stand still, with its connections open, until Continue.
func (c *Cluster) Stop(i int) { c.signal(i, syscall.SIGSTOP) }

// Continue ends a Stop.
func (c *Cluster) Continue(i int) { c.signal(i, syscall.SIGCONT) }

func (c *Cluster) signal(i int, s syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.processes[i].Process.Signal(s); err != nil {
		c.t.Error(err)
	}
}

// Leader returns the node that leads the open questions, once every node names the same
// one and all others have what it has: a desk bears one fault at a time. A node that was
// cut off may take itself for the leader for some seconds.
func (c *Cluster) Leader() (leader int) {
	c.t.Helper()
	Await(c.t, func() error {
		leaders := map[string]bool{}
		for _, n := range c.Nodes {
			now, err := c.leaderAt(n)
			if err != nil {
				return fmt.Errorf("%s: %w", n.Name, err)
			}
			for _, r := range now.Replicas {
				if !r.Current {
					return fmt.Errorf("%s never has all that its leader %s has: offline %v, %d operations behind, heard from %s ago", r.Name, now.Leader, r.Offline, r.Lag, r.Active)
				}
			}
			leaders[now.Leader], leader = true, c.index(now.Leader)
		}
		if len(leaders) > 1 {
			return fmt.Errorf("several nodes lead: %v", leaders)
		}
		return nil
	})
	return leader
}

// leaderAt asks one node which node leads the open questions. A node that leads, or
// believes that it does, answers its own clients first.
func (c *Cluster) leaderAt(n nodes.Node) (natsgo.ClusterInfo, error) {
	nc, err := c.dial("nats://"+net.JoinHostPort(n.Host, strconv.Itoa(n.Port)), Account, nodes.Operator, "", make(chan error, 100))
	if err != nil {
		return natsgo.ClusterInfo{}, err
	}
	defer nc.Close()
	return leaderOf(nc)
}

// AwaitOther returns once another node leads the open questions than this one, which
// was killed, stopped or cut off.
func (c *Cluster) AwaitOther(leader int) {
	c.t.Helper()
	Await(c.t, func() error {
		now, err := c.leaderAt(c.Nodes[(leader+1)%len(c.Nodes)])
		if err == nil && c.index(now.Leader) == leader {
			err = errors.New("the same node leads")
		}
		return err
	})
}

// leaderOf asks which node leads the open questions.
func leaderOf(nc *natsgo.Conn) (natsgo.ClusterInfo, error) {
	m, err := nc.Request("$JS.API.STREAM.INFO."+nats.StreamDesk, nil, time.Second)
	if err != nil {
		return natsgo.ClusterInfo{}, err
	}
	var now natsgo.StreamInfo
	if err := json.Unmarshal(m.Data, &now); err != nil || now.Cluster == nil || now.Cluster.Leader == "" {
		return natsgo.ClusterInfo{}, fmt.Errorf("no node leads: %s, %w", m.Data, err)
	}
	return *now.Cluster, nil
}

// index is the number of a node; -1 for none.
func (c *Cluster) index(name string) int {
	return slices.IndexFunc(c.Nodes, func(n nodes.Node) bool { return n.Name == name })
}

// Empty removes all that an account has.
func (c *Cluster) Empty(account string) {
	c.t.Helper()
	nc := c.Connect(account, nodes.Operator, "", make(chan error, 100))
	defer nc.Close()
	for _, stream := range nats.Streams(1) {
		Await(c.t, func() error {
			m, err := nc.Request("$JS.API.STREAM.DELETE."+stream.Name, nil, 5*time.Second)
			if err == nil && !bytes.Contains(m.Data, []byte(`"success":true`)) && !bytes.Contains(m.Data, []byte("stream not found")) {
				err = fmt.Errorf("empty %s: %s", stream.Name, m.Data)
			}
			return err
		})
	}
	c.make(account)
}
