package spool

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// fileDir has a directory for each record with files.
const fileDir = "files"

// PutFile implements desk.Store.
func (s *Spool) PutFile(ctx context.Context, id, key string, data []byte) error {
	path, err := s.filePath(ctx, id, key)
	if err != nil {
		return err
	}
	return s.replace(path, id, data, true)
}

// GetFile implements desk.Store.
func (s *Spool) GetFile(ctx context.Context, id, key string) ([]byte, error) {
	path, err := s.filePath(ctx, id, key)
	if err != nil {
		return nil, err
	}
	return readDocument(path)
}

// Files implements desk.Store.
func (s *Spool) Files(ctx context.Context, id string) ([]string, error) {
	if err := desk.Admit(ctx, id, desk.ValidID); err != nil {
		return nil, err
	}
	keys, err := names(filepath.Join(s.dir, fileDir, id))
	return slices.DeleteFunc(keys, func(key string) bool { return !question.ValidKey(key) }), err
}

// DeleteFile implements desk.Store.
func (s *Spool) DeleteFile(ctx context.Context, id, key string) error {
	path, err := s.filePath(ctx, id, key)
	if err == nil {
		err = remove(path)
		_ = os.Remove(filepath.Dir(path)) // fails while there are others in it
	}
	return err
}

// FilePath implements desk.Store.
func (s *Spool) FilePath(ctx context.Context, id, key string) (string, error) {
	path, err := s.filePath(ctx, id, key)
	if err == nil {
		_, err = os.Lstat(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = desk.ErrNotFound
	}
	return path, advise(err)
}

// filePath is where the content of a file lies. Ids and keys are foreign text: only valid
// ones become part of a path.
func (s *Spool) filePath(ctx context.Context, id, key string) (string, error) {
	err := cmp.Or(desk.Admit(ctx, id, desk.ValidID), desk.Admit(ctx, key, question.ValidKey))
	return filepath.Join(s.dir, fileDir, id, key), err
}
