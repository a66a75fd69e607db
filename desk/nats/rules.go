package nats

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nkeys"

	"mcp-askuser/desk"
)

// rulesSubject has the rules, one document. Only the operator may write there.
const rulesSubject = root + areaAsk + ".keys." + nameless + ".rules." + nameless

// rulesAge is how long rules that were read count: a human who has read that the operator
// lists their key answers later than that.
const rulesAge = time.Second

// Rules implements desk.Signer.
func (s *Store) Rules(ctx context.Context, _ string) (desk.Rules, error) {
	s.ruling.Lock()
	defer s.ruling.Unlock()
	if time.Since(s.ruled) < rulesAge {
		return s.rules, nil
	}
	m, err := s.lastOn(ctx, StreamDesk, rulesSubject)
	var r desk.Rules
	if err == nil && m.exists() {
		err = json.Unmarshal(m.Data, &r)
	}
	if err != nil {
		return s.rules, fmt.Errorf("the rules of the desk: %w", err)
	}
	if key, _, err := s.Sign(ctx, "", nil); err == nil {
		name, listed := r.Humans[key]
		r.Signs = listed && name == s.identity().Name
	}
	s.rules, s.ruled = r, time.Now()
	return r, nil
}

// setRules writes the rules. It takes the operator's credential.
func (s *Store) setRules(ctx context.Context, r desk.Rules) error {
	data, err := json.Marshal(r)
	if err == nil {
		err = s.put(ctx, rulesSubject, data, 0)
	}
	if err != nil {
		return fmt.Errorf("write the rules of the desk: %w", err)
	}
	s.ruling.Lock()
	defer s.ruling.Unlock()
	s.ruled = time.Time{}
	return nil
}

// Sign implements desk.Signer.
func (s *Store) Sign(_ context.Context, _ string, sum []byte) (key string, signature []byte, err error) {
	if me := s.identity(); s.creds == "" || me.Name != "" && !me.Human {
		return "", nil, nil
	}
	data, err := os.ReadFile(s.creds)
	if err != nil {
		return "", nil, fmt.Errorf("the credential for the desk: %w", err)
	}
	pair, err := nkeys.ParseDecoratedNKey(data)
	if err != nil {
		return "", nil, fmt.Errorf("the credential for the desk, %s, holds no key of a user: %w", s.creds, err)
	}
	defer pair.Wipe()
	if key, err = pair.PublicKey(); err == nil {
		signature, err = pair.Sign(sum)
	}
	return key, signature, err
}

// author is the author of an outcome of a record.
func (s *Store) author(ctx context.Context, id string, w writer) (*desk.Author, error) {
	a := w.author()
	if a.Role != desk.RoleHuman {
		return &a, nil
	}
	r, err := s.Rules(ctx, id)
	a.Humans = r.Signers(id)
	return &a, err
}
