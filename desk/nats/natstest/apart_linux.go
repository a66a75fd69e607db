package natstest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mcp-askuser/desk/nats/nodes"
)

// StartApart runs three nodes, each in a network namespace of its own, so that
// links can be cut. It skips the test where this machine does not allow that.
func StartApart(t testing.TB) *Cluster {
	t.Helper()
	slot, err := claimNetworks(t)
	var apart []string
	var at []nodes.Node
	for i := range 3 {
		if err != nil {
			break
		}
		name := networkName(slot, i)
		subnet := fmt.Sprintf("10.77.%d.", 3*slot+i)
		apart = append(apart, name)
		at = append(at, nodes.Node{Name: fmt.Sprintf("nats-%d", i+1), Host: subnet + "2", Port: 4222, RoutePort: 6222})
		err = connectNetwork(t, name, subnet)
	}
	if err != nil {
		t.Skip("no networks can be made here: ", err)
	}
	return start(t, at, apart, nil)
}

const networkSlots = 85 // three subnets each, of 10.77.0.0/16

// claimNetworks makes three network namespaces, and returns their number, which no other
// process has: their addresses and links are on the machine that all tests share.
func claimNetworks(t testing.TB) (slot int, err error) {
	for ; slot < networkSlots; slot++ {
		if err = ip("netns add " + networkName(slot, 0)); err == nil || !strings.Contains(err.Error(), "File exists") {
			break
		}
	}
	for i := range 3 {
		if i > 0 && err == nil {
			err = ip("netns add " + networkName(slot, i))
		}
		if err == nil {
			t.Cleanup(func() { _ = ip("netns del " + networkName(slot, i)) })
		}
	}
	return slot, err
}

func networkName(slot, i int) string { return fmt.Sprintf("ask%d-%d", slot, i) }

// connectNetwork links a namespace with the machine, which forwards to the others.
func connectNetwork(t testing.TB, name, subnet string) error {
	for _, line := range []string{
		fmt.Sprintf("link add %s type veth peer name eth0 netns %s", name, name),
		"addr add " + subnet + "1/30 dev " + name, "link set " + name + " up",
		"-n " + name + " addr add " + subnet + "2/30 dev eth0", "-n " + name + " link set eth0 up", "-n " + name + " link set lo up",
		"-n " + name + " route add default via " + subnet + "1",
	} {
		if err := ip(line); err != nil {
			return err
		}
	}
	t.Cleanup(func() { _ = ip("link del " + name) }) // before its namespace, which ends later
	// Of this link alone: to forward on all would be a setting that tests share.
	return os.WriteFile("/proc/sys/net/ipv4/conf/"+name+"/forwarding", []byte("1"), 0o644)
}

// Cut cuts the links between a node and the others, and not those to clients,
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
