package spool

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"mcp-askuser/desk"
)

// Size returns how many questions the store holds, open and past, and how many bytes
// their documents take.
func (s *Spool) Size(ctx context.Context) (questions int, bytes int64, err error) {
	for _, kind := range []desk.Kind{desk.KindPending, desk.KindReplies, desk.KindDrafts, desk.KindArchive} {
		err := filepath.WalkDir(filepath.Join(s.dir, string(kind)), func(path string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) { // never made, or removed a moment ago
				return nil
			}
			if err != nil || filepath.Ext(path) != suffix {
				return errors.Join(err, context.Cause(ctx))
			}
			if info, err := e.Info(); err == nil {
				bytes += info.Size()
			}
			if kind == desk.KindPending || kind == desk.KindArchive {
				questions++
			}
			return context.Cause(ctx)
		})
		if err != nil {
			return 0, 0, advise(err)
		}
	}
	return questions, bytes, nil
}
