//go:build unix

// Package sharedtest runs a shared desk for tests: real processes of the stock nats-server,
// which can be killed, stopped, and cut off from each other.
package sharedtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"mcp-askuser/desk/shared"
	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/internal/fatal"
)

// Patience is how long a test waits for the nodes to become what they should.
const Patience = time.Minute

// Cluster is one node or three, with the agents bot and other, and the humans alice and bob.
type Cluster struct {
	Dir   string
	t     testing.TB
	ports []int
	peers map[[2]int]*link // between two nodes, by who connects to whom

	mu        sync.Mutex
	processes []*exec.Cmd
}

// Server returns the file of the stock nats-server.
func Server(t testing.TB) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	cmd := exec.Command("go", "tool", "-n", "nats-server")
	cmd.Dir = filepath.Join(filepath.Dir(here), "..", "..", "..", "internal", "natsserver")
	out, err := cmd.Output()
	failed, ok := errors.AsType[*exec.ExitError](err)
	if ok {
		t.Fatalf("build nats-server: %s", failed.Stderr)
	}
	fatal.If(t, err)
	return strings.TrimSpace(string(out))
}

// Start runs a desk on one node or three until the test ends, created by its operator.
func Start(t testing.TB, n int) *Cluster {
	t.Helper()
	c := &Cluster{Dir: t.TempDir(), t: t, peers: map[[2]int]*link{}, processes: make([]*exec.Cmd, n)}
	fatal.If(t, nodes.Init(c.Dir, nodes.Options{Agents: []string{"bot", "other"}, Humans: []string{"alice", "bob"}}))
	var release func()
	c.ports, release = reservePorts(t, 2*n)
	t.Cleanup(func() {
		for i := range n {
			c.Kill(i)
		}
	})
	file := Server(t)
	for i := range n {
		c.writeNode(i, n) // its links take ports, too
	}
	release()
	for i := range n {
		c.start(i, file)
	}
	c.Create()
	return c
}

// writeNode writes the configuration of a node. Each node reaches each other through a link of
// its own, which can be cut.
func (c *Cluster) writeNode(i, n int) {
	c.t.Helper()
	config := fmt.Sprintf("server_name: n%d\nlisten: 127.0.0.1:%d\nmax_payload: 8MB\n"+
		"jetstream { store_dir: %q, sync_interval: always }\ninclude ../users.conf\n",
		i, c.ports[i], filepath.Join(c.Dir, fmt.Sprint("data", i)))
	if n > 1 {
		var routes []string
		for j := range n {
			if j == i {
				continue
			}
			l := newLink(c.t, fmt.Sprint("127.0.0.1:", c.ports[n+j]))
			c.peers[[2]int{i, j}] = l
			routes = append(routes, fmt.Sprintf("%q", "nats-route://"+l.address()))
		}
		// Nodes tell each other where all are: not here, as they would connect beside the links.
		// The name keeps the nodes of another test out.
		config += fmt.Sprintf("cluster { name: desk%d, listen: 127.0.0.1:%d, advertise: \"127.0.0.1:1\", routes: [%s] }\n",
			c.ports[0], c.ports[n+i], strings.Join(routes, ", "))
	}
	dir := filepath.Join(c.Dir, fmt.Sprint("node", i))
	err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "nats.conf"), []byte(config), 0o600))
	fatal.If(c.t, err)
}

// Create creates the desk as its operator does, as soon as the nodes can.
func (c *Cluster) Create() {
	c.t.Helper()
	data, err := os.ReadFile(nodes.HumansFile(c.Dir))
	humans := shared.Humans{}
	fatal.If(c.t, err)
	fatal.If(c.t, json.Unmarshal(data, &humans))
	s := c.Open(nodes.Operator, "")
	Await(c.t, func() error { return s.Create(c.t.Context(), len(c.processes), humans) })
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

// URL has the addresses of all nodes.
func (c *Cluster) URL() string {
	var all []string
	for i := range c.processes {
		all = append(all, c.address(i))
	}
	return strings.Join(all, ",")
}

func (c *Cluster) address(i int) string { return fmt.Sprint("nats://127.0.0.1:", c.ports[i]) }

// Open returns a store with a credential of the desk, until the test ends.
func (c *Cluster) Open(kind, name string) *shared.Store {
	c.t.Helper()
	s, err := shared.Open(shared.Options{URL: c.URL(), Creds: nodes.Creds(c.Dir, kind, name)})
	fatal.If(c.t, err)
	c.t.Cleanup(func() { _ = s.Close() })
	return s
}

// OpenAt is Open on a connection to one node, as long as that is of use.
func (c *Cluster) OpenAt(i int, kind, name string) *shared.Store {
	c.t.Helper()
	for {
		s := c.Open(kind, name)
		st, err := s.Status(c.t.Context())
		fatal.If(c.t, err)
		if st.Node == fmt.Sprint("n", i) {
			return s
		}
		_ = s.Close() // the client takes one by chance
	}
}

// Connect returns a bare connection with a credential of the desk. What the server reports beside
// the answers is sent to reports.
func (c *Cluster) Connect(kind, name string, reports chan<- error) *nats.Conn {
	c.t.Helper()
	key, err := nats.NkeyOptionFromSeed(nodes.Creds(c.Dir, kind, name))
	fatal.If(c.t, err)
	inbox := map[string]string{nodes.Operator: "_INBOX", nodes.Agent: "_INBOX." + name,
		nodes.Human: "_INBOX.human-" + name}
	nc, err := nats.Connect(c.URL(), key, nats.CustomInboxPrefix(inbox[kind]),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { reports <- err }))
	fatal.If(c.t, err)
	c.t.Cleanup(nc.Close)
	return nc
}

func (c *Cluster) start(i int, file string) {
	c.t.Helper()
	dir := filepath.Join(c.Dir, fmt.Sprint("node", i))
	cmd := exec.Command(file, "-c", "nats.conf", "-l", "log")
	cmd.Dir = dir
	fatal.If(c.t, cmd.Start())
	c.mu.Lock()
	defer c.mu.Unlock()
	c.processes[i] = cmd
}

// Restart starts a node, with what it has on its disk.
func (c *Cluster) Restart(i int) { c.start(i, Server(c.t)) }

// Kill kills a node.
func (c *Cluster) Kill(i int) {
	c.mu.Lock()
	cmd := c.processes[i]
	c.processes[i] = nil
	c.mu.Unlock()
	if cmd != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// Stop has a node stand still, with its connections open, until Continue.
func (c *Cluster) Stop(i int) { c.signal(i, syscall.SIGSTOP) }

// Continue ends a Stop.
func (c *Cluster) Continue(i int) { c.signal(i, syscall.SIGCONT) }

func (c *Cluster) signal(i int, s syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.processes[i].Process.Signal(s)
	if err != nil {
		c.t.Error(err)
	}
}

// Cut cuts the links between a node and the others, and not those to clients, until Mend.
func (c *Cluster) Cut(i int) { c.setCut(i, true) }

// Mend ends a Cut.
func (c *Cluster) Mend(i int) { c.setCut(i, false) }

func (c *Cluster) setCut(i int, cut bool) {
	for between, l := range c.peers {
		if between[0] == i || between[1] == i {
			l.set(cut)
		}
	}
}

// Leader returns the node that leads, once every node names the same one and all others have
// what it has: a desk bears one fault at a time.
func (c *Cluster) Leader() (leader int) {
	c.t.Helper()
	Await(c.t, func() error {
		named := map[int]bool{}
		for i := range c.processes {
			now, of, err := c.leaderAt(i)
			if err != nil {
				return err
			}
			for _, r := range now.Replicas {
				if !r.Current || r.Offline {
					return fmt.Errorf("%s does not have all", r.Name)
				}
			}
			named[of], leader = true, of
		}
		if len(named) > 1 {
			return errors.New("several nodes lead")
		}
		return nil
	})
	return leader
}

// AwaitOther returns once another node leads than one that was killed, stopped or cut off.
func (c *Cluster) AwaitOther(leader int) {
	c.t.Helper()
	Await(c.t, func() error {
		_, now, err := c.leaderAt((leader + 1) % len(c.processes))
		if err == nil && now == leader {
			err = errors.New("the same node leads")
		}
		return err
	})
}

func (c *Cluster) leaderAt(i int) (now nats.ClusterInfo, leader int, err error) {
	key, err := nats.NkeyOptionFromSeed(nodes.Creds(c.Dir, nodes.Operator, ""))
	if err != nil {
		return now, 0, err
	}
	nc, err := nats.Connect(c.address(i), key)
	if err != nil {
		return now, 0, err
	}
	defer nc.Close()
	m, err := nc.Request("$JS.API.STREAM.INFO.ASK", nil, time.Second)
	if err != nil {
		return now, 0, err
	}
	var info nats.StreamInfo
	err = json.Unmarshal(m.Data, &info)
	if err != nil || info.Cluster == nil || info.Cluster.Leader == "" {
		return now, 0, fmt.Errorf("no node leads: %s, %w", m.Data, err)
	}
	_, err = fmt.Sscanf(info.Cluster.Leader, "n%d", &leader)
	return *info.Cluster, leader, err
}

// Empty removes all that the desk has.
func (c *Cluster) Empty() {
	c.t.Helper()
	c.Remove()
	c.Create()
}

// Remove removes the desk: its nodes go on.
func (c *Cluster) Remove() {
	c.t.Helper()
	nc := c.Connect(nodes.Operator, "", make(chan error, 10))
	defer nc.Close()
	Await(c.t, func() error {
		m, err := nc.Request("$JS.API.STREAM.DELETE.ASK", nil, 5*time.Second)
		if err == nil && !strings.Contains(string(m.Data), `"success":true`) &&
			!strings.Contains(string(m.Data), "stream not found") {
			err = fmt.Errorf("empty the desk: %s", m.Data)
		}
		return err
	})
}

// FreePorts returns ports of this machine that are free at the moment.
func FreePorts(t testing.TB, n int) []int {
	t.Helper()
	ports, release := reservePorts(t, n)
	release()
	return ports
}

// reservePorts returns ports that no other process gets before release is called. They are
// below those that systems give to connections: a node that is started again finds its own.
func reservePorts(t testing.TB, n int) (ports []int, release func()) {
	t.Helper()
	const first, last = 10_000, 32_000
	var listeners []net.Listener
	for len(listeners) < n {
		port := first + rand.IntN(last-first)
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			continue
		case err != nil:
			t.Fatal(err)
		}
		listeners = append(listeners, l)
		ports = append(ports, port)
	}
	return ports, func() {
		for _, l := range listeners {
			_ = l.Close()
		}
	}
}

// link forwards connections to an address. Cut, it holds what arrives, as a broken cable does:
// neither side receives an end.
type link struct {
	listener net.Listener
	to       string
	mu       sync.Mutex
	open     *sync.Cond
	cut      bool
}

func newLink(t testing.TB, to string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	fatal.If(t, err)
	l := &link{listener: listener, to: to}
	l.open = sync.NewCond(&l.mu)
	t.Cleanup(func() { _ = listener.Close(); l.set(false) })
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			go l.forward(from)
		}
	}()
	return l
}

func (l *link) address() string { return l.listener.Addr().String() }

func (l *link) set(cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = cut
	l.open.Broadcast()
}

func (l *link) wait() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.cut {
		l.open.Wait()
	}
}

func (l *link) forward(from net.Conn) {
	defer func() { _ = from.Close() }()
	l.wait()
	to, err := net.Dial("tcp", l.to)
	if err != nil {
		return
	}
	defer func() { _ = to.Close() }()
	done := make(chan struct{}, 2)
	for _, pair := range [2][2]net.Conn{{from, to}, {to, from}} {
		go func() {
			defer func() { done <- struct{}{} }()
			data := make([]byte, 64<<10)
			for {
				n, err := pair[0].Read(data)
				l.wait()
				if err == nil {
					_, err = pair[1].Write(data[:n])
				}
				if err != nil {
					return
				}
			}
		}()
	}
	<-done
}
