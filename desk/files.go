package desk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mcp-askuser/desk/store"
	"mcp-askuser/internal/wholefile"
	"mcp-askuser/question"
)

// ErrNoFiles means that the store keeps no files, or the question takes none.
var ErrNoFiles = errors.New("files cannot be attached here")

// maxStored is how many files may be attached to one record, those that are removed before
// the answer is sent included.
const maxStored = 40

// TakesFiles reports whether files can be attached to an answer to a record.
func (rec *Record) TakesFiles() bool {
	return !rec.Asker.Mirrored() && rec.Home == "" // a host's own question takes text alone
}

// AttachFile keeps a file for an answer to an open record. The surface puts what it returns
// into that answer. A nil error means that the content is on disk. Else it is a
// question.Violations with why the file is refused, ErrNoFiles, or as of [Desk.Reply].
func (d *Desk) AttachFile(ctx context.Context, id, name string, r io.Reader) (question.File, error) {
	rec, _, err := d.stillOpen(ctx, id)
	if err != nil {
		return question.File{}, err
	}
	if !rec.TakesFiles() {
		return question.File{}, ErrNoFiles
	}
	data, err := io.ReadAll(io.LimitReader(r, question.MaxFileSize+1))
	if err != nil {
		return question.File{}, fmt.Errorf("read %q: %w", question.FileName(name), err)
	}
	f, err := question.NewFile(name, data)
	if err != nil {
		return question.File{}, err
	}
	err = d.store.PutFile(ctx, id, f.Key(), data, maxStored)
	if errors.Is(err, store.ErrTooMany) {
		var found question.Violations
		found.AddTranslated("file", "the file %q cannot be attached: this question has too many", f.Name)
		return question.File{}, found
	}
	if err != nil {
		return question.File{}, fmt.Errorf("store %q: %w", f.Name, err)
	}
	return f, nil
}

// File returns a file of a record by its key, named as in a reply to the record or else like
// the key, and its content. Both are checked: the error is ErrDamaged for a content that is
// not of this key, and ErrNotFound where there is none.
func (d *Desk) File(ctx context.Context, id, key string) (question.File, []byte, error) {
	f, data, err := d.file(ctx, id, key)
	if err != nil {
		return f, nil, err
	}
	rec, err := d.Get(ctx, id)
	for _, x := range rec.files() {
		if x.Key() == key {
			f.Name = x.Name
		}
	}
	return f, data, err
}

// file is File, named like the key.
func (d *Desk) file(ctx context.Context, id, key string) (question.File, []byte, error) {
	if !ValidID(id) || !question.ValidKey(key) {
		return question.File{}, nil, ErrNotFound
	}
	data, err := d.store.File(ctx, id, key)
	if err != nil {
		return question.File{}, nil, err
	}
	f, err := question.NewFile(key, data)
	if err != nil || f.Key() != key {
		return question.File{}, nil, fmt.Errorf("%w: the file %s of %s", ErrDamaged, key, id)
	}
	return f, data, nil
}

// FilePath returns the path of a copy of a file of a record, for an agent on this machine to
// read; empty where there is none.
func (d *Desk) FilePath(ctx context.Context, id string, f question.File) string {
	if d.copies == "" {
		return ""
	}
	path := filepath.Join(d.copies, id, f.Key())
	_, err := os.Stat(path)
	if err == nil {
		return path
	}
	_, data, err := d.file(ctx, id, f.Key())
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = wholefile.Put(path, data, 0o600, os.Rename)
	}
	if err != nil {
		d.log.WarnContext(ctx, "a file cannot be handed on", "id", id, "file", f.Name, "error", err)
		return ""
	}
	return path
}

// removeCopies removes the copies of files whose records were pruned.
func (d *Desk) removeCopies(ctx context.Context) error {
	if d.copies == "" {
		return nil
	}
	entries, err := os.ReadDir(d.copies)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		_, gone := d.store.Get(ctx, entry.Name())
		if ValidID(entry.Name()) && errors.Is(gone, ErrNotFound) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(d.copies, entry.Name())))
		}
	}
	return err
}

// checkFiles returns a question.Violations where a reply has a file that was not attached
// to its record as the reply says.
func (d *Desk) checkFiles(ctx context.Context, id string, r *question.Reply) error {
	var found question.Violations
	for _, a := range r.Answers {
		for _, f := range a.Files {
			stored, _, err := d.file(ctx, id, f.Key())
			if err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrDamaged) {
				return fmt.Errorf("read %q: %w", f.Name, err)
			}
			stored.Name = f.Name
			if err != nil || stored != f {
				found.AddTranslated("answers."+a.QuestionID, "the file %q was not attached to this question; attach it again",
					f.Name)
			}
		}
	}
	return found.Err()
}

// CopyFiles returns a reply to one record for another, which gets its files. Those that
// cannot be copied are not in it.
func (d *Desk) CopyFiles(ctx context.Context, from, to string, r question.Reply) question.Reply {
	r.Answers = slices.Clone(r.Answers)
	for i := range r.Answers {
		a := &r.Answers[i]
		a.Files = slices.DeleteFunc(slices.Clone(a.Files), func(f question.File) bool {
			_, data, err := d.file(ctx, from, f.Key())
			if err == nil {
				_, err = d.AttachFile(ctx, to, f.Name, bytes.NewReader(data))
			}
			if err != nil {
				d.log.WarnContext(ctx, "a file is left out of a copied reply", "id", to, "error", err)
			}
			return err != nil
		})
	}
	return r
}

// files returns the files in the replies to a record.
func (rec *Record) files() (out []question.File) {
	for _, o := range []*Outcome{rec.Outcome, rec.Later} {
		if o != nil {
			out = append(out, o.Reply.Files()...)
		}
	}
	return out
}
