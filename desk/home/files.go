package home

import (
	"context"

	"mcp-askuser/desk"
)

// PutFile implements desk.Store.
func (s *Store) PutFile(ctx context.Context, id, key string, data []byte) error {
	return s.callHome(ctx, id, s.within(sendTimeout), func(ctx context.Context, home desk.Store) error { return home.PutFile(ctx, id, key, data) })
}

// GetFile implements desk.Store.
func (s *Store) GetFile(ctx context.Context, id, key string) (data []byte, err error) {
	err = s.callHome(ctx, id, s.within(sendTimeout), func(ctx context.Context, home desk.Store) (err error) {
		data, err = home.GetFile(ctx, id, key)
		return err
	})
	return data, err
}

// Files implements desk.Store.
func (s *Store) Files(ctx context.Context, id string) (keys []string, err error) {
	err = s.callHome(ctx, id, s.within(sendTimeout), func(ctx context.Context, home desk.Store) (err error) {
		keys, err = home.Files(ctx, id)
		return err
	})
	return keys, err
}

// DeleteFile implements desk.Store.
func (s *Store) DeleteFile(ctx context.Context, id, key string) error {
	return s.callHome(ctx, id, s.within(sendTimeout), func(ctx context.Context, home desk.Store) error { return home.DeleteFile(ctx, id, key) })
}

// FilePath implements desk.Store. What the far home keeps is copied to the near one, which
// sweeps its copies.
func (s *Store) FilePath(ctx context.Context, id, key string) (string, error) {
	near, err := s.isNear(ctx, id)
	if err == nil && !near {
		var data []byte
		if data, err = s.GetFile(ctx, id, key); err == nil {
			err = s.near.PutFile(ctx, id, key, data)
		}
	}
	if err != nil {
		return "", err
	}
	return s.near.FilePath(ctx, id, key)
}
