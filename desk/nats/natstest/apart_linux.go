package natstest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mcp-askuser/desk/nats/nodes"
)

// StartApart runs three nodes, each in a network of its own, so that wires can
// be cut. It skips the test where this machine does not allow that.
func StartApart(t testing.TB) *Cluster {
	t.Helper()
	const forward = "/proc/sys/net/ipv4/ip_forward"
	before, err := os.ReadFile(forward)
	if err == nil {
		err = os.WriteFile(forward, []byte("1"), 0o644)
	}
	if err != nil {
		t.Skip("no networks can be made here: ", err)
	}
	t.Cleanup(func() { _ = os.WriteFile(forward, before, 0o644) })
	var apart []string
	var at []nodes.Node
	for i := range 3 {
		name := fmt.Sprintf("ask%d-%d", os.Getpid()%10000, i)
		host, node := fmt.Sprintf("10.77.%d.1", i+1), fmt.Sprintf("10.77.%d.2", i+1)
		t.Cleanup(func() { _ = ip("netns del " + name) })
		for _, line := range []string{
			"netns add " + name,
			fmt.Sprintf("link add %s type veth peer name eth0 netns %s", name, name),
			"addr add " + host + "/30 dev " + name, "link set " + name + " up",
			"-n " + name + " addr add " + node + "/30 dev eth0", "-n " + name + " link set eth0 up", "-n " + name + " link set lo up",
			"-n " + name + " route add default via " + host,
		} {
			if err := ip(line); err != nil {
				t.Skip("no networks can be made here: ", err)
			}
		}
		apart = append(apart, name)
		at = append(at, nodes.Node{Name: fmt.Sprintf("nats-%d", i+1), Host: node, Port: 4222, RoutePort: 6222})
	}
	return start(t, at, apart, nil)
}

// Cut cuts the wires between a node and the others, and not those to clients,
// until mend is called.
func (c *Cluster) Cut(i int) (mend func()) {
	c.t.Helper()
	rule := "blackhole iif " + c.apart[i] + " pref 7" + c.apart[i][len(c.apart[i])-1:]
	if err := ip("rule add " + rule); err != nil {
		c.t.Fatal(err)
	}
	return func() { _ = ip("rule del " + rule) }
}

func ip(line string) error {
	out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %s", line, out)
	}
	return nil
}
