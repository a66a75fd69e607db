//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/proof"
	"mcp-askuser/question"
)

// signer is a user whose confirmations need a proof: with an SSH key, whose file has a
// passphrase, and a passkey. The store trusts both, and so does a verifier elsewhere.
type signer struct {
	t       *testing.T
	dir     string // the store
	config  string
	env     []string // of the program
	file    string   // of the SSH key
	pinned  []string // flags of verify
	key     ssh.Signer
	passkey *ecdsa.PrivateKey
	entry   proof.Passkey
}

const passphrase = "correct horse"

func newSigner(t *testing.T) *signer {
	t.Helper()
	s := &signer{t: t, dir: t.TempDir()}
	elsewhere := t.TempDir()
	s.config = filepath.Join(elsewhere, "config.toml")
	s.file = filepath.Join(elsewhere, "id_ed25519")
	var public []byte
	s.key, public = s.newSSHKey(s.file, passphrase)
	s.passkey, s.entry = s.newPasskey("laptop")
	signers := append([]byte("ada@laptop "), public...)
	keys, err := json.Marshal(proof.Keys{Passkeys: []proof.Passkey{s.entry}})
	s.check(err)
	for name, data := range map[string][]byte{
		s.config: []byte("prove = \"confirm\"\nproof_ssh_key = \"" + s.file + "\"\n"),
		filepath.Join(elsewhere, "allowed_signers"):      signers,
		filepath.Join(elsewhere, "passkeys.json"):        keys,
		filepath.Join(s.dir, keysDir, proof.SignersFile): signers,
		filepath.Join(s.dir, keysDir, "passkeys.json"):   keys,
	} {
		s.check(os.MkdirAll(filepath.Dir(name), 0o700))
		s.check(os.WriteFile(name, data, 0o600))
	}
	s.pinned = []string{"--keys", filepath.Join(elsewhere, "allowed_signers"), "--keys", filepath.Join(elsewhere, "passkeys.json")}
	return s
}

func (s *signer) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// newSSHKey writes a key as ssh-keygen does, and returns its line.
func (s *signer) newSSHKey(file, passphrase string) (ssh.Signer, []byte) {
	s.t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	s.check(err)
	var block *pem.Block
	if passphrase == "" {
		block, err = ssh.MarshalPrivateKey(private, "")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	}
	s.check(err)
	key, err := ssh.NewSignerFromKey(private)
	s.check(err)
	public := ssh.MarshalAuthorizedKey(key.PublicKey())
	s.check(os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
	s.check(os.WriteFile(file+".pub", public, 0o600))
	return key, public
}

func (s *signer) newPasskey(name string) (*ecdsa.PrivateKey, proof.Passkey) {
	s.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	s.check(err)
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	s.check(err)
	return key, proof.Passkey{Name: name, ID: name + "-id", PublicKey: public, Party: "localhost", Created: time.Now()}
}

// program runs the program with the settings of the signer.
func (s *signer) program(args ...string) *exec.Cmd {
	cmd := program(s.t, s.dir, args...)
	cmd.Env = append(append(cmd.Env, settings.EnvFile+"="+s.config, "TERM=xterm-256color", "ACCESSIBLE=", "NO_COLOR="), s.env...)
	return cmd
}

func (s *signer) sum(rec *desk.Record, r question.Reply, at time.Time) []byte {
	s.t.Helper()
	statement, err := rec.ProofStatement(r, at)
	s.check(err)
	sum, err := statement.Sum()
	s.check(err)
	return sum
}

// sign signs a reply with an SSH key, as ssh-keygen -Y sign does.
func (s *signer) sign(key ssh.Signer, rec *desk.Record, r question.Reply, at time.Time) *question.Proof {
	s.t.Helper()
	sig, err := sshsig.Sign(bytes.NewReader(s.sum(rec, r, at)), key, sshsig.HashSHA512, proof.Namespace)
	s.check(err)
	return &question.Proof{Kind: question.SSHProof, Key: ssh.FingerprintSHA256(key.PublicKey()), At: at, Signature: sshsig.Armor(sig)}
}

// assert signs a reply with a passkey, as a browser and an authenticator do.
func (s *signer) assert(key *ecdsa.PrivateKey, id string, rec *desk.Record, r question.Reply, at time.Time) *question.Proof {
	s.t.Helper()
	client, err := json.Marshal(map[string]any{"type": "webauthn.get", "challenge": proof.Challenge(s.sum(rec, r, at)), "origin": "http://localhost:8765"})
	s.check(err)
	party, clientSum := sha256.Sum256([]byte("localhost")), sha256.Sum256(client)
	data := append(party[:], 5, 0, 0, 0, 0) // present and verified; no counter
	sum := sha256.Sum256(append(slices.Clone(data), clientSum[:]...))
	sig, err := ecdsa.SignASN1(rand.Reader, key, sum[:])
	s.check(err)
	return &question.Proof{Kind: question.PasskeyProof, Key: id, At: at, Signature: sig, ClientData: client, AuthenticatorData: data}
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

func trusting(keys proof.Keys) func(context.Context) (proof.Keys, error) {
	return func(context.Context) (proof.Keys, error) { return keys, nil }
}
