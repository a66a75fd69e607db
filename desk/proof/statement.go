// Package proof is evidence of a user's answer that anyone can check later: the statement
// of what was asked and answered, the signature over it, and the keys that are trusted.
//
// A user signs the SHA-256 of one canonical document. A surface builds it before it sends
// an answer, the asker again before it delivers, and a verifier from the record alone.
// The private keys stay where they are: in an authenticator (a passkey), or in
// the credential of a shared desk.
//
// Of our packages it imports question, internal/door and internal/wholefile. It must not know
// stores, surfaces or processes.
package proof

import (
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/gowebpki/jcs"

	"mcp-askuser/question"
)

// Version is the version of the statement.
const Version = 1

// Statement is what a user signs: the questions word for word, the reply, who asked, and
// when it was answered.
type Statement struct {
	Version   int                 `json:"version"`
	ID        string              `json:"id"` // of the record: no reply counts for another
	Asker     Asker               `json:"asker"`
	Questions []question.Question `json:"questions"`
	Reply     question.Reply      `json:"reply"`
	Status    string              `json:"status,omitempty"` // of an end without a reply
	Prove     bool                `json:"prove,omitempty"`  // it was asked with a proof, so that it was shown whole
	At        time.Time           `json:"at"`               // in UTC
}

// Asker says who asked.
type Asker struct {
	Client    string `json:"client"`
	Directory string `json:"directory"`
	Agent     string `json:"agent"`
	Session   string `json:"session"`
}

// JSON returns the statement as canonical JSON (RFC 8785).
func (s Statement) JSON() ([]byte, error) {
	s.Version, s.At = Version, s.At.UTC()
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return jcs.Transform(data)
}

// Sum returns the SHA-256 of the canonical JSON.
func (s Statement) Sum() ([]byte, error) {
	data, err := s.JSON()
	sum := sha256.Sum256(data)
	return sum[:], err
}
