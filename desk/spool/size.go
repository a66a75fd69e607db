package spool

import (
	"context"
	"os"
	"path/filepath"

	"mcp-askuser/desk"
)

// Size returns how many questions the store holds, open and past, and how many bytes
// their documents take.
func (s *Spool) Size(ctx context.Context) (questions int, bytes int64, err error) {
	rooms := []string{string(desk.KindPending), string(desk.KindReplies), string(desk.KindDrafts)}
	months, err := names(filepath.Join(s.dir, string(desk.KindArchive)))
	if err != nil {
		return 0, 0, err
	}
	for _, month := range (desk.Range{}).Months(months) {
		rooms = append(rooms, filepath.Join(string(desk.KindArchive), month))
	}
	for i, room := range rooms {
		ids, err := s.listDir(ctx, filepath.Join(s.dir, room), desk.Range{})
		if err != nil {
			return 0, 0, err
		}
		for _, id := range ids {
			if info, err := os.Lstat(filepath.Join(s.dir, room, id+suffix)); err == nil {
				bytes += info.Size()
			}
		}
		if i == 0 || i > 2 {
			questions += len(ids)
		}
	}
	return questions, bytes, nil
}
