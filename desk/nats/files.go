package nats

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// A file of an answer lies in parts, each a document of its own: no message may be larger
// than maxSize.
const (
	areaFile = "file"
	kindPart = "part"
	maxParts = (question.MaxFileSize + maxSize - 1) / maxSize
)

// parts are where the parts of a content lie.
func (s *Store) parts(ctx context.Context, id, key string) (parts []place, err error) {
	if err := cmp.Or(desk.Admit(ctx, id, desk.ValidID), desk.Admit(ctx, key, question.ValidKey)); err != nil {
		return nil, err
	}
	owner, err := s.owner(ctx, id)
	for n := range maxParts {
		parts = append(parts, place{areaFile, kindPart, owner, key + "." + strconv.Itoa(n) + "." + id})
	}
	return parts, err
}

// PutFile implements desk.Store.
func (s *Store) PutFile(ctx context.Context, id, key string, data []byte) error {
	parts, err := s.parts(ctx, id, key)
	if err != nil {
		return err
	}
	if len(data) > maxParts*maxSize {
		return fmt.Errorf("too large: %d bytes, of at most %d", len(data), maxParts*maxSize)
	}
	for part := range slices.Chunk(data, maxSize) {
		subject, err := s.ownSubject(parts[0])
		if err == nil {
			err = s.create(ctx, creation{place: parts[0], subject: subject, data: part})
		}
		if errors.Is(err, desk.ErrDenied) {
			return fmt.Errorf("the nodes may be set up for an earlier version: have mcp-askuser desk init write their rights anew, and restart them: %w", err)
		}
		if err != nil {
			return err
		}
		parts = parts[1:]
	}
	return nil
}

// GetFile implements desk.Store. Its digest tells whether all parts of a content are
// there.
func (s *Store) GetFile(ctx context.Context, id, key string) (data []byte, err error) {
	parts, err := s.parts(ctx, id, key)
	if err != nil {
		return nil, err
	}
	return data, s.repeat(ctx, readTimeout, func(time.Duration) (bool, error) {
		began := time.Now()
		messages, err := s.lasts(ctx, parts)
		if err != nil {
			return true, err
		}
		data = nil
		for _, m := range messages {
			if m.exists() {
				data = append(data, m.Data...)
			}
		}
		sum := sha256.Sum256(data)
		switch {
		case strings.HasPrefix(key, hex.EncodeToString(sum[:])):
			return true, nil
		case !s.leaderIsFresh(ctx, began):
			return false, fmt.Errorf("%w: the node may be cut off from the others", desk.ErrUnreachable)
		case data == nil:
			return true, desk.ErrNotFound
		}
		return true, fmt.Errorf("%w: the file %s of %s", desk.ErrDamaged, key, id)
	})
}

// FilePath implements desk.Store: a desk that many machines share has no directory here.
func (s *Store) FilePath(context.Context, string, string) (string, error) { return "", desk.ErrNoFiles }

// Files implements desk.Store.
func (s *Store) Files(ctx context.Context, id string) (keys []string, err error) {
	if err := desk.Admit(ctx, id, desk.ValidID); err != nil {
		return nil, err
	}
	found, err := s.places(ctx, StreamFiles, place{areaFile, kindPart, "*", "*.*.0." + id}.filter())
	if errors.Is(err, errNoStream) {
		return nil, fmt.Errorf("%w: the desk was set up before it kept files; the operator runs mcp-askuser desk create", desk.ErrNoFiles)
	}
	for p := range found {
		m, wrong := s.last(ctx, p)
		err = cmp.Or(err, wrong)
		if key := strings.TrimSuffix(p.name, ".0."+id); m.exists() && question.ValidKey(key) {
			keys = append(keys, key)
		}
	}
	return keys, err
}

// DeleteFile implements desk.Store.
func (s *Store) DeleteFile(ctx context.Context, id, key string) error {
	parts, err := s.parts(ctx, id, key)
	if errors.Is(err, desk.ErrNotFound) {
		return nil
	}
	for _, p := range parts {
		subject, wrong := s.ownSubject(p)
		if err = cmp.Or(err, wrong); err == nil {
			err = s.delete(ctx, p, subject)
		}
	}
	return err
}
