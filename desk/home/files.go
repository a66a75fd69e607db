package home

import (
	"context"

	"mcp-askuser/desk"
)

// PutFile implements desk.FileStore.
func (s *Store) PutFile(ctx context.Context, id, key string, data []byte) error {
	return s.callFiles(ctx, id, func(ctx context.Context, home desk.FileStore) error { return home.PutFile(ctx, id, key, data) })
}

// GetFile implements desk.FileStore.
func (s *Store) GetFile(ctx context.Context, id, key string) (data []byte, err error) {
	err = s.callFiles(ctx, id, func(ctx context.Context, home desk.FileStore) (err error) {
		data, err = home.GetFile(ctx, id, key)
		return err
	})
	return data, err
}

// Files implements desk.FileStore.
func (s *Store) Files(ctx context.Context, id string) (keys []string, err error) {
	err = s.callFiles(ctx, id, func(ctx context.Context, home desk.FileStore) (err error) {
		keys, err = home.Files(ctx, id)
		return err
	})
	return keys, err
}

// DeleteFile implements desk.FileStore.
func (s *Store) DeleteFile(ctx context.Context, id, key string) error {
	return s.callFiles(ctx, id, func(ctx context.Context, home desk.FileStore) error { return home.DeleteFile(ctx, id, key) })
}

// callFiles calls the home of a record. A file may take as long as an answer.
func (s *Store) callFiles(ctx context.Context, id string, call func(context.Context, desk.FileStore) error) error {
	return s.callHome(ctx, id, s.within(sendTimeout), func(ctx context.Context, home desk.Store) error {
		files, ok := home.(desk.FileStore)
		if !ok {
			return desk.ErrNoFiles
		}
		return call(ctx, files)
	})
}

// FilePath implements desk.FileCopier. What the far home keeps is copied to this machine;
// the near one sweeps its copies.
func (s *Store) FilePath(ctx context.Context, id, key string) (string, error) {
	files, keeps := s.near.(desk.FileStore)
	copier, copies := s.near.(desk.FileCopier)
	if !keeps || !copies {
		return "", desk.ErrNoFiles
	}
	near, err := s.isNear(ctx, id)
	if err == nil && !near {
		var data []byte
		if data, err = s.GetFile(ctx, id, key); err == nil {
			err = files.PutFile(ctx, id, key, data)
		}
	}
	if err != nil {
		return "", err
	}
	return copier.FilePath(ctx, id, key)
}
