//go:build unix

package shared_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk/shared"
	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// Three nodes with TLS start from the file in deploy/nats as it stands, form one desk, and go
// on without one of them.
func TestDeployedNodes(t *testing.T) {
	dir := t.TempDir()
	fatal.If(t, nodes.Init(dir, nodes.Options{Agents: []string{"bot"}, Humans: []string{"alice"}}))
	writeCertificate(t, dir)
	server, ports := sharedtest.Server(t), sharedtest.FreePorts(t, 6)
	var urls []string
	running := make([]*exec.Cmd, 3)
	for i := range running {
		running[i] = startDeployed(t, server, dir, i, ports)
		urls = append(urls, fmt.Sprint("tls://127.0.0.1:", ports[i]))
	}
	open := func(kind, name string) *shared.Store {
		s, err := shared.Open(shared.Options{
			URL: strings.Join(urls, ","), Creds: nodes.Creds(dir, kind, name), CA: filepath.Join(dir, "ca.pem"),
		})
		fatal.If(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	operator := open(nodes.Operator, "")
	sharedtest.Await(t, func() error {
		return operator.Create(t.Context(), 3, shared.Humans{Now: map[string]string{"U": "alice"}})
	})
	// To list another human later takes no copy away.
	sharedtest.Await(t, func() error {
		return operator.Create(t.Context(), 0, shared.Humans{Now: map[string]string{"U": "alice"}})
	})
	status, err := operator.Status(t.Context())
	if err != nil || status.Replicas != 3 {
		t.Fatalf("%d copies, %v", status.Replicas, err)
	}
	agent, human := open(nodes.Agent, "bot"), open(nodes.Human, "alice")
	row := storetest.Ask(t, agent, "Over TLS?")
	fatal.If(t, running[0].Process.Kill())
	_ = running[0].Wait()
	sharedtest.Await(t, func() error {
		err := human.Answer(t.Context(), row.ID, store.Ending{Outcome: []byte("yes")})
		if errors.Is(err, store.ErrUnreachable) {
			return err
		}
		fatal.If(t, err)
		return nil
	})
	got, err := agent.Wait(t.Context(), row.ID)
	if err != nil || string(got.Outcome) != "yes" {
		t.Errorf("%q, %v", got.Outcome, err)
	}
}

// startDeployed starts a node in a directory of its own, as deploy/nats/nats.conf says.
func startDeployed(t *testing.T, server, dir string, i int, ports []int) *exec.Cmd {
	t.Helper()
	own := filepath.Join(dir, fmt.Sprint("nats-", i+1))
	err := os.Mkdir(own, 0o700)
	for from, to := range map[string]string{
		"../../deploy/nats/nats.conf":    "nats.conf",
		filepath.Join(dir, "users.conf"): "users.conf",
		filepath.Join(dir, "ca.pem"):     "ca.pem",
		filepath.Join(dir, "server.pem"): "server.pem",
		filepath.Join(dir, "server.key"): "server.key",
	} {
		data, failed := os.ReadFile(from)
		err = errors.Join(err, failed, os.WriteFile(filepath.Join(own, to), data, 0o600))
	}
	fatal.If(t, err)
	cmd := exec.Command(server, "-c", "nats.conf", "-l", "log")
	cmd.Dir = own
	cmd.Env = append(os.Environ(), fmt.Sprint("NODE=nats-", i+1), "DATA=data",
		fmt.Sprint("CLIENTS=127.0.0.1:", ports[i]), fmt.Sprint("NODES=127.0.0.1:", ports[3+i]))
	for j := range 3 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("ROUTE_%d=tls://127.0.0.1:%d", j+1, ports[3+j]))
	}
	fatal.If(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(own, "log"))
			t.Logf("nats-%d: %.2000s", i+1, log)
		}
	})
	return cmd
}

// writeCertificate writes a certificate for nodes on this machine, which is its own authority.
func writeCertificate(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	fatal.If(t, err)
	own := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	data, err := x509.CreateCertificate(rand.Reader, own, own, &key.PublicKey, key)
	fatal.If(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	fatal.If(t, err)
	for name, block := range map[string]pem.Block{
		"ca.pem": {Type: "CERTIFICATE", Bytes: data}, "server.pem": {Type: "CERTIFICATE", Bytes: data},
		"server.key": {Type: "PRIVATE KEY", Bytes: private},
	} {
		fatal.If(t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&block), 0o600))
	}
}
