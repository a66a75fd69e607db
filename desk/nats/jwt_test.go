//go:build unix

package nats_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
)

// Credentials as nsc writes them, for nodes that know their users by an
// operator's signature: the same rights by subject lead to the same desk.
func TestCredentialsOfAnOperator(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	pair := func(p nkeys.KeyPair, err error) (nkeys.KeyPair, string) {
		t.Helper()
		must(err)
		public, err := p.PublicKey()
		must(err)
		return p, public
	}
	operator, operatorKey := pair(nkeys.CreateOperator())
	account, accountKey := pair(nkeys.CreateAccount())
	_, systemKey := pair(nkeys.CreateAccount())
	signed := func(c jwt.Claims, by nkeys.KeyPair) string {
		t.Helper()
		text, err := c.Encode(by)
		must(err)
		return text
	}
	claims := jwt.NewAccountClaims(accountKey)
	claims.Name = "team"
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	address := ln.Addr().String()
	must(ln.Close())
	config := fmt.Sprintf("listen: %q\nmax_payload: 8MB\njetstream { store_dir: data, sync_interval: always }\noperator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: { %s: %s, %s: %s }\n", address,
		signed(jwt.NewOperatorClaims(operatorKey), operator), systemKey, accountKey, signed(claims, operator), systemKey, signed(jwt.NewAccountClaims(systemKey), operator))
	must(os.WriteFile(filepath.Join(dir, "nats.conf"), []byte(config), 0o600))
	server := exec.Command(natstest.Server(t), "-c", "nats.conf", "-l", "log")
	server.Dir = dir
	must(server.Start())
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	open := func(kind, name string) *nats.Store {
		user, userKey := pair(nkeys.CreateUser())
		claims := jwt.NewUserClaims(userKey)
		claims.Pub.Allow, claims.Sub.Allow = nodes.Rights(kind, name)
		seed, err := user.Seed()
		must(err)
		creds, err := jwt.FormatUserConfig(signed(claims, account), seed)
		must(err)
		file := filepath.Join(dir, kind+".creds")
		must(os.WriteFile(file, creds, 0o600))
		s, err := nats.Open(nats.Options{URL: "nats://" + address, Creds: file})
		must(err)
		t.Cleanup(s.Close)
		return s
	}
	_, err = open(nodes.Operator, "").MakeAll(t.Context(), time.Minute, false)
	must(err)
	agent, human := desk.New(open(nodes.Agent, "bot"), desk.Options{}), desk.New(open(nodes.Human, "alice"), desk.Options{})
	rec, attendance, err := agent.Submit(t.Context(), request("Which?"))
	must(err)
	defer attendance.Release()
	if _, err := agent.Reply(t.Context(), rec.ID, says("a"), desk.Evidence{Surface: "web", How: desk.HowPage}); err == nil {
		t.Error("an agent answers")
	}
	_, err = human.Reply(t.Context(), rec.ID, says("b"), desk.Evidence{Surface: "web", How: desk.HowPage})
	must(err)
	if got, err := agent.Wait(t.Context(), rec.ID); err != nil || got.State != desk.Answered || got.Outcome.Answerer.Name != "alice" {
		t.Errorf("the agent gets %s by %+v, %v", got.State, got.Outcome, err)
	}
}
