package spool

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"mcp-askuser/desk"
)

// Size returns how many questions the store holds, open and past, and how many bytes its
// files take.
func (s *Spool) Size(ctx context.Context) (questions int, bytes int64, err error) {
	for _, kind := range []desk.Kind{desk.KindPending, desk.KindArchive} {
		for _, err := range s.List(ctx, kind, desk.Range{}) {
			if err != nil {
				return 0, 0, err
			}
			questions++
		}
	}
	err = filepath.WalkDir(s.dir, func(_ string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // never made, or removed a moment ago
			return nil
		}
		if err == nil && !e.IsDir() {
			if info, err := e.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return cmp.Or(err, context.Cause(ctx))
	})
	return questions, bytes, advise(err)
}
