package proof

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/nats-io/nkeys"

	"mcp-askuser/internal/wholefile"
	"mcp-askuser/question"
)

// Keys are the public keys that are trusted.
type Keys struct {
	Passkeys []Passkey         `json:"passkeys,omitempty"`
	Humans   map[string]string `json:"humans,omitempty"` // of a shared desk: names by public nkey
	Signers  []Signer          `json:"signers,omitempty"`
}

// The files of a directory of keys.
const (
	passkeysFile = "passkeys.json"
	// SignersFile has the SSH keys, in the format that git uses.
	SignersFile = "allowed_signers"
)

// Load reads the keys in a directory; none where it does not exist.
func Load(dir string) (Keys, error) {
	var k Keys
	for _, name := range []string{passkeysFile, SignersFile} {
		if err := k.Read(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return k, err
		}
	}
	return k, nil
}

// Read adds the keys of a file: as `passkey list --json` prints them, or an allowed_signers
// file.
func (k *Keys) Read(file string) error {
	data, err := os.ReadFile(file)
	more := Keys{Humans: k.Humans}
	switch {
	case err != nil:
	case bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")):
		err = json.Unmarshal(data, &more)
	default:
		more.Signers, err = ParseSigners(data)
	}
	*k = Keys{append(k.Passkeys, more.Passkeys...), more.Humans, append(k.Signers, more.Signers...)}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// UpdatePasskeys changes the passkeys of a directory of keys, one process at a time.
func UpdatePasskeys(dir string, change func(*Keys) error) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	keys, err := Load(dir)
	if err == nil {
		err = change(&keys)
	}
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(Keys{Passkeys: keys.Passkeys}, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Put(filepath.Join(dir, passkeysFile), append(data, '\n'), 0o600, os.Rename)
}

func (k *Keys) verifyCredential(sum []byte, p *question.Proof) (name string, err error) {
	name, trusted := k.Humans[p.Key]
	if !trusted {
		return "", ErrUntrusted
	}
	key, err := nkeys.FromPublicKey(p.Key)
	if err == nil {
		err = key.Verify(sum, p.Signature)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrSignature, err)
	}
	return name, nil
}
