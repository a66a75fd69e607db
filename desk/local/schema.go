package local

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"mcp-askuser/desk/store"
)

// The marks in the header of the file, by which programs know their own (SQLite file
// format, 1.3). The schema sets both.
const (
	applicationID = 1098083157 // AskU
	version       = 1
)

// schema makes a database: in one transaction, and then its journal a log. Times are milliseconds since 1970.
const schema = `
begin immediate;
create table record (
  id text primary key, session text not null, run text not null, project text not null, earlier text not null,
  content text not null, at int not null, touched int not null, keep int not null,
  holder text not null, delivered int not null, revision int not null, text text not null,
  asked blob not null, outcome blob, draft blob, shown blob, later blob, lifted blob
);
create index of_time on record(at);
create index of_session on record(session, id);
create index of_run on record(run, id);
create index of_project on record(project, id);
create index of_content on record(content, id);
create index of_revision on record(revision);
create index is_open on record(id) where outcome is null;
create index of_holder on record(holder) where holder <> '';
create index of_earlier on record(earlier) where earlier <> '';
create unique index reopened on record(earlier) where earlier <> '' and outcome is null;
create table counter (revision int not null);
insert into counter values (unixepoch()*1000000); -- above those of a database that this one replaces
create table file (id text not null references record(id) on delete cascade, key text not null, data blob not null,
  primary key (id, key));
create table draft (id text primary key, at int not null, data blob) without rowid; -- of rows kept elsewhere
pragma application_id = 1098083157;
pragma user_version = 1;
commit;
pragma journal_mode = wal;`

// restore is what the user can do about a damaged file. The log of another database would damage a backup, too.
const restore = "move it away with the files desk.db-wal and desk.db-shm; then restore a backup if there is one"

// check says why the file is no database of this version: [fs.ErrNotExist] where there is none. It
// reads the header alone.
func (s *Store) check() error {
	info, err := os.Stat(s.path()) // to open a pipe may last for ever
	if err == nil && (!info.Mode().IsRegular() || !ownedByUser(info)) {
		return fmt.Errorf("%s is no file of this user: move it away", s.path())
	}
	f, err := os.Open(s.path())
	if err != nil {
		return fmt.Errorf("open the store: %w", err)
	}
	defer func() { _ = f.Close() }()
	header := make([]byte, 100)
	_, err = io.ReadFull(f, header)
	if err != nil || string(header[:16]) != "SQLite format 3\x00" {
		return fmt.Errorf("%w: %s is no database: %s", store.ErrDamaged, s.path(), restore)
	}
	id, made := binary.BigEndian.Uint32(header[68:]), binary.BigEndian.Uint32(header[60:])
	if id != applicationID {
		return fmt.Errorf("%s belongs to another program: %s", s.path(), elsewhere)
	}
	if made > version {
		return newer(s.path())
	}
	return nil
}

func newer(path string) error { return fmt.Errorf("%s %w, or %s", path, store.ErrNewer, elsewhere) }

// checkVersion is check for each connection: a newer version may have brought the database up to date
// while this process ran, and the header may be in the log.
func checkVersion(c *sqlite3.Conn, path string) error {
	made, _, err := c.Prepare(`pragma user_version`)
	if err != nil {
		return err
	}
	defer func() { _ = made.Close() }()
	if made.Step() && made.ColumnInt(0) > version {
		return newer(path)
	}
	return made.Err()
}

// escapePath is a path as the name of a database takes it, and a parameter of that.
func escapePath(path string) string {
	return strings.ReplaceAll(url.QueryEscape(filepath.ToSlash(path)), "+", "%20")
}
