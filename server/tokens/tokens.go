// Package tokens keeps the tokens of agents that may call this server over the
// network. Each agent has a token of its own, of which only a hash is kept, in a
// file of the agent's name: adding and removing a token are single steps, safe
// beside other processes.
//
// It knows no protocol.
package tokens

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"mcp-askuser/internal/wholefile"
)

// Errors of a store.
var (
	ErrExists  = errors.New("there is a token of this name")
	ErrUnknown = errors.New("there is no token of this name")
	// ErrDamaged means that the file of a token cannot be read: that token is not good.
	ErrDamaged = errors.New("remove it and add the token again")
	// ErrName means that a name is none: letters, digits, dots, dashes and
	// underscores, at most 64, the first a letter or digit.
	ErrName = errors.New("a name has up to 64 letters, digits, dots, dashes and underscores, and begins with a letter " +
		"or digit")
)

// prefix marks a token for people, and for programs that search for leaked secrets.
const prefix = "askuser_"

// Token is what is kept of a token: enough to recognize it. A token has 130 random
// bits, so one plain round of SHA-256 is safe.
type Token struct {
	Name    string    `json:"-"`      // of the agent, and its file's
	Hash    string    `json:"sha256"` // in hexadecimal digits; no two tokens have the same
	Created time.Time `json:"created_at"`
	Prove   bool      `json:"x-proof,omitempty"` // answers to its confirmations need a proof
}

func hashOf(token string) string {
	hash := sha256.Sum256([]byte(token))
	return hex.EncodeToString(hash[:])
}

// Store is the tokens in a directory. It is safe for concurrent use, by any
// number of processes.
type Store struct{ dir string }

// New returns the tokens in dir, an absolute path in a directory to which only this
// user may write. It touches no file.
func New(dir string) *Store { return &Store{dir} }

var name = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`) })

// Add makes a token for the agent with this name, and returns it: it cannot be
// read again. Prove is as in [Token]. The error wraps ErrName or ErrExists, or is the file
// system's.
func (s *Store) Add(agent string, prove bool) (token string, err error) {
	if !name().MatchString(agent) {
		return "", fmt.Errorf("%q: %w", agent, ErrName)
	}
	token = prefix + rand.Text()
	data, err := json.Marshal(Token{Hash: hashOf(token), Created: time.Now().UTC().Truncate(time.Second), Prove: prove})
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", err
	}
	err = wholefile.Put(s.path(agent), data, 0o600, os.Link) // one of two writers fails
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%q: %w", agent, ErrExists)
	}
	if err != nil {
		return "", err
	}
	return token, nil
}

// Remove takes the token of an agent away. The error wraps ErrUnknown, or is the
// file system's.
func (s *Store) Remove(agent string) error {
	err := fs.ErrNotExist
	if name().MatchString(agent) {
		err = os.Remove(s.path(agent))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%q: %w", agent, ErrUnknown)
	}
	return err
}

const suffix = ".json"

func (s *Store) path(agent string) string { return filepath.Join(s.dir, agent+suffix) }

// List returns all tokens, by name. Names that differ in case alone are the same
// where the file system ignores case. The error wraps ErrDamaged, and names each file that
// is, beside all other tokens; or it is the file system's.
func (s *Store) List() ([]Token, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Token
	var damaged []error
	for _, e := range entries {
		agent, ok := strings.CutSuffix(e.Name(), suffix)
		if !ok || !name().MatchString(agent) || !e.Type().IsRegular() {
			continue
		}
		t, err := s.load(agent)
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed in this moment
		case err != nil:
			damaged = append(damaged, fmt.Errorf("%s is damaged (%w); %w", s.path(agent), err, ErrDamaged))
		default:
			all = append(all, t)
		}
	}
	return all, errors.Join(damaged...)
}

func (s *Store) load(agent string) (Token, error) {
	data, err := os.ReadFile(s.path(agent))
	if err != nil {
		return Token{}, err
	}
	t := Token{Name: agent}
	err = json.Unmarshal(data, &t)
	if err == nil && len(t.Hash) != hex.EncodedLen(sha256.Size) {
		err = errors.New("this is no SHA-256")
	}
	return t, err
}

// Check returns the stored token that matches. It is compared with every stored token,
// in constant time. Where none matches the error is that of [Store.List]: the token's
// file may be damaged. The files are read each time: a token is good as soon as it is
// added, and until it is removed.
func (s *Store) Check(token string) (t Token, ok bool, err error) {
	all, err := s.List()
	hash := []byte(hashOf(token))
	for _, x := range all {
		if subtle.ConstantTimeCompare(hash, []byte(x.Hash)) == 1 {
			t, ok, err = x, true, nil
		}
	}
	return t, ok, err
}

// Holds reports whether a token that Check has returned was not removed since.
func (s *Store) Holds(t Token) bool {
	stored, err := s.load(t.Name)
	return err == nil && stored.Hash == t.Hash
}
