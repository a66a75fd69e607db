package shared

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"mcp-askuser/desk/store"
)

// Ask implements [store.Store].
func (s *Store) Ask(ctx context.Context, row store.Row) (got store.Row, err error) {
	if !isToken(row.ID) {
		return row, errors.New("an id of a question has letters and digits alone")
	}
	s.held.Store(row.ID, true) // before it is stored: another process may ask at once
	err = s.repeat(ctx, func(ctx context.Context) error {
		_, err := s.connected(ctx)
		if err != nil {
			return err
		}
		r, err := s.same(ctx, &row)
		if err == nil && r == nil {
			r, err = s.ask(ctx, row)
		}
		if err == nil {
			got = r.Row
			got.Attended = !got.Delivered
		}
		return err
	})
	if err != nil || got.ID != row.ID || got.Delivered {
		s.held.Delete(row.ID)
	}
	return got, err
}

// same returns the row that a process takes over, or has asked before; nil for none.
func (s *Store) same(ctx context.Context, row *store.Row) (*record, error) {
	me := s.identity().writer()
	own, err := s.read(ctx, row.ID)
	if err == nil && (own.Holder == s.holder() || own.Delivered) && bytes.Equal(own.Asked, row.Asked) {
		return own, nil
	}
	if row.Content == "" || row.Outcome != nil || row.Earlier != "" {
		return nil, nil
	}
	var ids []string
	err = s.subjects(ctx, rowsRoot+me+".*.q.*.*."+short(row.Content)+".*", func(subject string) {
		d, _ := parse(subject)
		ids = append(ids, d.id)
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	found, err := s.readAll(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, r := range found {
		if r.Delivered || r.Content != row.Content || !r.kept(row.At) {
			continue
		}
		held, err := s.living(ctx, r.Holder, []string{r.ID}, doubt)
		if err != nil {
			return nil, err
		}
		if len(held) == 0 {
			return r, s.take(ctx, r)
		}
	}
	return nil, nil
}

// take makes this process the holder of a row.
func (s *Store) take(ctx context.Context, r *record) error {
	s.held.Store(r.ID, true)
	seq, err := s.publish(ctx, r.change("h", []byte(s.holder())))
	if err != nil {
		s.held.Delete(r.ID)
		return err
	}
	r.Holder, r.Revision.Far = s.holder(), int64(seq)
	return nil
}

// ask stores a row.
func (s *Store) ask(ctx context.Context, row store.Row) (*record, error) {
	me := s.identity().writer()
	r := &record{Row: row, Holder: s.holder()}
	r.At = row.At.Truncate(time.Millisecond)
	r.Home, r.Owner, r.Delivered, r.Notes = s.home, me, row.Outcome != nil, [store.Notes][]byte{}
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	w := write{subject: questionSubject(me, &row), data: data, ttl: r.ttl(), filter: r.subject(">")}
	if row.Earlier != "" { // it is refused where another goes back to the same meanwhile
		w.filter = rowsRoot + "*.*.q.*.*.*." + short(row.Earlier)
		last, err := s.last(ctx, w.filter)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		w.after = last.Seq
		open, err := s.query(ctx, store.Query{Earlier: row.Earlier, Open: true})
		if err != nil {
			return nil, err
		}
		if len(open) > 0 {
			return nil, store.ErrReopened
		}
	}
	seq, err := s.publish(ctx, w)
	r.Revision.Far = int64(seq)
	return r, err
}

// Attend implements [store.Store].
func (s *Store) Attend(ctx context.Context, id string) (row store.Row, err error) {
	err = s.onRow(ctx, id, func(ctx context.Context, r *record) error {
		held, err := s.living(ctx, r.Holder, []string{r.ID}, doubt)
		if err == nil && len(held) > 0 {
			err = store.ErrAttended
		}
		if err == nil {
			err = s.take(ctx, r) // again where the acknowledgement was lost: until then it is not held
		}
		row = r.Row
		row.Attended = true
		return err
	})
	return row, err
}

// onRow calls do with a row, again where another process has changed it meanwhile.
func (s *Store) onRow(ctx context.Context, id string, do func(context.Context, *record) error) error {
	return s.repeat(ctx, func(ctx context.Context) error {
		r, err := s.read(ctx, id)
		if err != nil {
			return err
		}
		return do(ctx, r)
	})
}

// Release implements [store.Store]. It ends what it ends also where the desk does not answer.
func (s *Store) Release(ctx context.Context, id string) error {
	if !s.holds(id) {
		return nil
	}
	s.held.Delete(id) // from now on this process is not the one that waits, whatever is stored
	return s.onRow(ctx, id, func(ctx context.Context, r *record) error {
		if r.Holder != s.holder() {
			return nil
		}
		_, err := s.publish(ctx, r.change("h", nil))
		return err
	})
}

// Answer implements [store.Store].
func (s *Store) Answer(ctx context.Context, id string, end store.Ending) error {
	data, err := json.Marshal(end)
	if err != nil {
		return err
	}
	return s.onRow(ctx, id, func(ctx context.Context, r *record) error {
		if bytes.Equal(r.ended, data) { // an attempt whose acknowledgement was lost
			return nil
		}
		if r.ended != nil {
			return store.ErrAnswered
		}
		_, err := s.publish(ctx, write{r.subject("a." + s.identity().writer()), data, r.ttl(), r.subject("a.*"), 0})
		return err
	})
}

// Delivered implements [store.Store].
func (s *Store) Delivered(ctx context.Context, id string) error {
	err := s.onRow(ctx, id, func(ctx context.Context, r *record) error {
		if r.Delivered && r.Holder == "" {
			return nil
		}
		_, err := s.publish(ctx, r.change("d", nil))
		return err
	})
	if err == nil {
		s.held.Delete(id) // not before: the same question would be given the outcome, too
	}
	return err
}

// Note implements [store.Store].
func (s *Store) Note(ctx context.Context, id string, note store.Note, change func(old []byte) ([]byte, error)) error {
	var tried []byte
	return s.onRow(ctx, id, func(ctx context.Context, r *record) error {
		old := r.Notes[note]
		if tried != nil && bytes.Equal(old, tried) { // an attempt whose acknowledgement was lost
			return nil
		}
		if r.Outcome != nil && (note == store.Draft || note == store.Shown) {
			return store.ErrAnswered
		}
		if len(old) == 0 {
			old = nil
		}
		value, err := change(slices.Clone(old))
		if err != nil {
			return err
		}
		tried = append([]byte{}, value...)
		_, err = s.publish(ctx, r.change("n."+note.String(), value))
		return err
	})
}

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, id string) (row store.Row, err error) {
	err = s.repeat(ctx, func(ctx context.Context) error {
		r, err := s.read(ctx, id)
		if err == nil {
			err = s.setAttended(ctx, r)
			row = r.Row
		}
		return err
	})
	return row, err
}

// Prune implements [store.Store]: rows end by themselves.
func (s *Store) Prune(context.Context, time.Time, bool) (int, error) {
	return 0, store.ErrUnsupported
}

// PutFile implements [store.Store]: a shared desk keeps no files.
func (s *Store) PutFile(context.Context, string, string, []byte, int) error {
	return store.ErrUnsupported
}

// File implements [store.Store].
func (s *Store) File(context.Context, string, string) ([]byte, error) {
	return nil, store.ErrNotFound
}
