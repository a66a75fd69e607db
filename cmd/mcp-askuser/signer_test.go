//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/proof/prooftest"
	"mcp-askuser/question"
)

// signer is a user whose confirmations need a proof, with a passkey. The store trusts it, and
// so does a verifier elsewhere.
type signer struct {
	t       *testing.T
	dir     string // the store
	config  string
	pinned  []string // flags of verify
	passkey prooftest.Passkey
}

func newSigner(t *testing.T) *signer {
	t.Helper()
	s := &signer{t: t, dir: t.TempDir(), passkey: prooftest.New("laptop")}
	elsewhere := t.TempDir()
	s.config = filepath.Join(elsewhere, "config.toml")
	s.check(os.WriteFile(s.config, []byte("prove = \"confirm\"\n"), 0o600))
	s.pinned = []string{"--keys", filepath.Join(elsewhere, "keys.json")}
	s.trust(s.pinned[1], s.passkey)
	s.trust(filepath.Join(s.dir, keysDir, passkeysFile), s.passkey)
	return s
}

// passkeysFile is the file of passkeys in a directory of keys.
const passkeysFile = "passkeys.json"

// trust writes a file of the passkeys that are trusted.
func (s *signer) trust(file string, keys ...prooftest.Passkey) {
	s.t.Helper()
	var trusted proof.Keys
	for _, key := range keys {
		trusted.Passkeys = append(trusted.Passkeys, key.Passkey)
	}
	data, err := json.Marshal(trusted)
	s.check(err)
	s.check(os.MkdirAll(filepath.Dir(file), 0o700))
	s.check(os.WriteFile(file, data, 0o600))
}

func (s *signer) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// program runs the program with the settings of the signer.
func (s *signer) program(args ...string) *exec.Cmd {
	cmd := program(s.t, s.dir, args...)
	cmd.Env = append(cmd.Env, settings.EnvFile+"="+s.config, "TERM=xterm-256color", "ACCESSIBLE=", "NO_COLOR=")
	return cmd
}

// prove returns the proof of a reply with a passkey.
func prove(key prooftest.Passkey, rec *desk.Record, r question.Reply, at time.Time) *question.Proof {
	return key.Sign(rec, r, at).Proof
}

// verify runs verify with the pinned keys.
func (s *signer) verify(name string, more ...string) (status int, out string) {
	said, err := s.program(slices.Concat([]string{"verify", name}, s.pinned, more)...).CombinedOutput()
	return exitStatus(err), string(said)
}

// export writes a record to a file, as show --json prints it.
func (s *signer) export(rec desk.Record) (file string) {
	s.t.Helper()
	data, err := json.Marshal(rec)
	s.check(err)
	file = filepath.Join(s.t.TempDir(), "approval.json")
	s.check(os.WriteFile(file, data, 0o600))
	return file
}

func trusting(keys proof.Keys) func(func(*proof.Keys) error) (proof.Keys, error) {
	return func(func(*proof.Keys) error) (proof.Keys, error) { return keys, nil }
}
