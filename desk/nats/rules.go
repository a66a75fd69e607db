package nats

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/nats-io/nkeys"

	"mcp-askuser/desk"
	"mcp-askuser/desk/proof"
)

// rulesSubject has the rules, one document. Only the operator may write there.
const rulesSubject = root + areaAsk + "." + kindKeys + "." + nameless + ".rules." + nameless

// rulesAge is how long rules that were read count: a human who has read that the operator
// lists their key answers later than that.
const rulesAge = time.Second

// Rules implements desk.Shared.
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

// keysOf is the place of a human's keys.
func keysOf(human string) place { return place{areaAsk, kindKeys, human, "trusted"} }

// Keys implements desk.Shared.
func (s *Store) Keys(ctx context.Context, _ string, change func(*proof.Keys) error) (map[string]proof.Keys, error) {
	if change != nil {
		if err := s.updateKeys(ctx, change); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	found, err := s.places(ctx, StreamDesk, keysOf("*").filter())
	docs, failed := s.lasts(ctx, slices.Collect(maps.Keys(found)))
	if err = cmp.Or(err, failed); err == nil && !s.leaderIsFresh(ctx, began) {
		err = fmt.Errorf("%w: the node may be cut off from the others", desk.ErrUnreachable)
	}
	all := map[string]proof.Keys{}
	for _, m := range docs {
		var keys proof.Keys
		if bad := json.Unmarshal(m.Data, &keys); bad != nil {
			s.log.Warn("keys of a human cannot be read", "subject", m.Subject, "error", bad)
		}
		keys.Humans = nil // in the rules alone
		if all[m.By.author().Name] = keys; m.By.name == s.identity().writer() {
			all[""] = keys
		}
	}
	return all, err
}

// updateKeys changes the keys of this credential's human.
func (s *Store) updateKeys(ctx context.Context, change func(*proof.Keys) error) error {
	if err := s.MayAnswer(ctx, ""); err != nil {
		return err
	}
	me := s.identity()
	p := keysOf(me.writer())
	subject := p.by(me.writer())
	if !me.Any && !slices.Contains(me.Allow, subject) {
		return fmt.Errorf("%w: the nodes were set up before humans could write their keys there: have mcp-askuser desk init write them anew, and restart them", desk.ErrDenied)
	}
	var keys proof.Keys
	m, err := s.last(ctx, p)
	if m.exists() {
		err = json.Unmarshal(m.Data, &keys)
	}
	if err == nil {
		err = change(&keys)
	}
	if err != nil {
		return err
	}
	data, err := json.Marshal(keys)
	if err == nil {
		err = s.create(ctx, creation{place: p, subject: subject, data: data, replaces: m.Seq})
	}
	if errors.Is(err, desk.ErrExists) { // another process has changed them in between
		return s.updateKeys(ctx, change)
	}
	return err
}

// Sign implements desk.Shared.
func (s *Store) Sign(_ context.Context, _ string, sum []byte) (key string, signature []byte, err error) {
	if me := s.identity(); s.creds == "" || me.Name != "" && !me.Human {
		return "", nil, nil
	}
	data, err := os.ReadFile(s.creds)
	pair, bad := nkeys.ParseDecoratedNKey(data)
	if err = cmp.Or(err, bad); err != nil {
		return "", nil, fmt.Errorf("the credential for the desk: %w", err)
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
