package proof

import (
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
}

// passkeysFile is the file of a directory of keys.
const passkeysFile = "passkeys.json"

// Load reads the keys in a directory; none where it does not exist.
func Load(dir string) (Keys, error) {
	var k Keys
	err := k.Read(filepath.Join(dir, passkeysFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return k, err
}

// Read adds the keys of a file, as `passkey list --json` prints them.
func (k *Keys) Read(file string) error {
	data, err := os.ReadFile(file)
	more := Keys{Humans: k.Humans}
	if err == nil {
		err = json.Unmarshal(data, &more)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	*k = Keys{append(k.Passkeys, more.Passkeys...), more.Humans}
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
