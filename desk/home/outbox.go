package home

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"mcp-askuser/desk"
)

// The collections of this machine alone, beside the directory's own.
const (
	kindOutbox  desk.Kind = "outbox"  // answers that wait to be sent
	kindRefused desk.Kind = "refused" // answers that came too late there, until their human was told
	kindAsked   desk.Kind = "asked"   // what was asked from here on the shared desk, until it is archived
)

// KeepStatement implements desk.Keeper.
func (s *Store) KeepStatement(ctx context.Context, id, statement string) {
	if s.isNear(ctx, id) {
		return
	}
	var err error
	if statement == "" {
		err = s.near.Delete(ctx, kindAsked, id)
	} else {
		err = s.near.Put(ctx, kindAsked, id, []byte(statement))
	}
	if err != nil {
		s.log.Warn("what was asked is not kept on this machine", "id", id, "error", err)
	}
}

// Statement implements desk.Keeper.
func (s *Store) Statement(id string) string {
	data, err := s.near.Get(context.Background(), kindAsked, id)
	if err != nil {
		return ""
	}
	return string(data)
}

// Refusal is an answer from the outbox that did not count.
type Refusal struct {
	ID    string          `json:"id"`           // of the record
	At    time.Time       `json:"at"`           // when that was heard
	First json.RawMessage `json:"first"`        // the outcome that was there
	By    string          `json:"by,omitempty"` // whose, by their credential
	Given json.RawMessage `json:"given"`        // the outcome that was given here
}

// keep puts an answer into the outbox, in place of an earlier one of the same
// human to the same question. It survives the death of the machine.
func (s *Store) keep(ctx context.Context, id string, data []byte) error {
	release, err := s.near.Lock(ctx, kindOutbox, id)
	if err != nil && !errors.Is(err, desk.ErrLocked) {
		return err
	}
	if errors.Is(err, desk.ErrLocked) { // it is being sent in this moment
		return desk.ErrUnreachable
	}
	defer release()
	err = s.near.Create(ctx, kindOutbox, id, data)
	if errors.Is(err, desk.ErrExists) {
		if err = s.near.Delete(ctx, kindOutbox, id); err == nil {
			err = s.near.Create(ctx, kindOutbox, id, data)
		}
	}
	if err != nil {
		return errors.Join(desk.ErrUnreachable, err)
	}
	s.setGiven(id, data)
	s.fell()
	return desk.ErrUnsent
}

// setGiven says what was given to a record here and is not stored there; nil is
// nothing.
func (s *Store) setGiven(id string, data []byte) {
	if data == nil {
		s.given.Delete(id)
	} else {
		s.given.Store(id, data)
	}
	s.tell(desk.Change{Kind: desk.KindDrafts, ID: id})
}

// tell has those who watch look at a record, or at all that they could not read
// while the desk was out of reach.
func (s *Store) tell(c desk.Change) {
	select {
	case s.news <- c:
	default: // nobody watches
	}
}

// Given implements desk.Keeper.
func (s *Store) Given(id string) []byte {
	given, _ := s.given.Load(id)
	data, _ := given.([]byte)
	return data
}

// readGiven finds what earlier processes have left.
func (s *Store) readGiven() {
	ctx := context.Background()
	for id, err := range s.near.List(ctx, kindOutbox, desk.Range{}) {
		if data, unread := s.near.Get(ctx, kindOutbox, id); err == nil && unread == nil {
			s.given.Store(id, data)
		}
	}
	refused, _ := s.Refused(ctx)
	for _, r := range refused {
		s.given.Store(r.ID, []byte(r.Given))
	}
}

// flush sends what is in the outbox, and forgets what was asked long ago and
// archived from elsewhere.
func (s *Store) flush() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	for id, err := range s.near.List(ctx, kindAsked, desk.Range{Before: desk.FirstID(time.Now().Add(-desk.SessionKeep))}) {
		if err == nil {
			_ = s.near.Delete(ctx, kindAsked, id)
		}
	}
	for id, err := range s.near.List(ctx, kindOutbox, desk.Range{}) {
		if err == nil {
			err = s.send(ctx, id)
		}
		switch {
		case errors.Is(err, desk.ErrLocked), errors.Is(err, desk.ErrNotFound): // another process sends it
		case errors.Is(err, desk.ErrDenied):
			s.log.Warn("an answer waits for a credential that may send it", "id", id, "error", err)
		case err != nil:
			s.fell() // and once more
			return
		}
	}
}

// send sends one answer.
func (s *Store) send(ctx context.Context, id string) error {
	release, err := s.near.Lock(ctx, kindOutbox, id)
	if err != nil {
		return err
	}
	defer release()
	data, err := s.near.Get(ctx, kindOutbox, id)
	if err != nil {
		return err
	}
	err = s.far.Decide(ctx, id, desk.RoleHuman, data)
	sent := err == nil
	if errors.Is(err, desk.ErrExists) {
		err = s.refuse(ctx, id, data)
	}
	if err != nil {
		return err
	}
	s.forget(id)
	if sent { // nobody reads it as open and not answered meanwhile
		s.setGiven(id, nil)
	}
	return s.near.Delete(ctx, kindOutbox, id)
}

// refuse keeps who was first.
func (s *Store) refuse(ctx context.Context, id string, given []byte) error {
	r := Refusal{ID: id, At: time.Now(), Given: given}
	for i, doc := range s.far.Read(ctx, desk.Key{Kind: desk.KindReplies, ID: id}, desk.Key{Kind: desk.KindArchive, ID: id}) {
		if errors.Is(doc.Err, desk.ErrUnreachable) {
			return doc.Err
		}
		if doc.Err == nil && r.First == nil {
			if r.First = doc.Data; i == 1 {
				r.First = outcomeOf(doc.Data)
			}
			if doc.By != nil {
				r.By = doc.By.Name
			}
		}
	}
	data, err := json.Marshal(r)
	if err == nil {
		err = s.near.Create(ctx, kindRefused, id, data)
	}
	if errors.Is(err, desk.ErrExists) {
		err = nil
	}
	s.log.Warn("an answer that was given while the desk was out of reach came too late", "id", id, "first", r.By)
	return err
}

// Refused returns the answers that did not count, and of which nobody was told
// yet. Told says that somebody was.
func (s *Store) Refused(ctx context.Context) (all []Refusal, err error) {
	for id, err := range s.near.List(ctx, kindRefused, desk.Range{}) {
		if err != nil {
			return all, err
		}
		data, err := s.near.Get(ctx, kindRefused, id)
		var r Refusal
		if err == nil && json.Unmarshal(data, &r) == nil {
			all = append(all, r)
		}
	}
	return all, nil
}

// Told forgets a refusal, and the answer too, where a process that sent it ended
// before it could: it would be refused, and told, again.
func (s *Store) Told(ctx context.Context, id string) error {
	if err := s.near.Delete(ctx, kindOutbox, id); err != nil {
		return err
	}
	return s.near.Delete(ctx, kindRefused, id)
}

// outcomeOf is the outcome in a document of the archive.
func outcomeOf(data []byte) json.RawMessage {
	var archived struct {
		Outcome json.RawMessage `json:"outcome"`
	}
	_ = json.Unmarshal(data, &archived)
	return archived.Outcome
}
