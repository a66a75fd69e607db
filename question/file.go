package question

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	_ "image/gif" // headers of images
	_ "image/jpeg"
	_ "image/png"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	_ "golang.org/x/image/webp"
)

// Limits of the files of an answer.
const (
	MaxFileSize = 10 << 20 // bytes of one
	MaxFiles    = 5        // in one answer

	maxPixels   = 50_000_000
	maxFileName = 100 // code points
)

// File is a file that a human attached to an answer. The desk keeps its content beside the
// record, see desk.FileStore.
type File struct {
	Name   string `json:"name"` // for people to read, and never a path
	Type   string `json:"type" jsonschema_description:"As found in the content"`
	Size   int64  `json:"size" jsonschema_description:"Bytes"`
	SHA256 string `json:"sha256" jsonschema_description:"Of the content"`
}

// textType is the type of a text, in UTF-8.
const textType = "text/plain"

// fileTypes are the types of files that are accepted, with the endings of their keys.
var fileTypes = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp",
	"application/pdf": ".pdf", textType: ".txt",
}

// FileTypes returns the types of files that are accepted.
func FileTypes() []string { return slices.Sorted(maps.Keys(fileTypes)) }

// Image reports whether the file is an image.
func (f *File) Image() bool { return strings.HasPrefix(f.Type, "image/") }

// Key names the content of the file among those of its record: a safe file name with the
// ending of its type.
func (f *File) Key() string { return f.SHA256 + fileTypes[f.Type] }

// ValidKey reports whether a text can be a [File.Key].
func ValidKey(key string) bool {
	ending := path.Ext(key)
	sum, err := hex.DecodeString(strings.TrimSuffix(key, ending))
	return err == nil && len(sum) == sha256.Size && key == strings.ToLower(key) &&
		slices.Contains(slices.Collect(maps.Values(fileTypes)), ending)
}

// String returns the file in words, the same in every language.
func (f File) String() string {
	size := fmt.Sprintf("%d B", f.Size)
	switch {
	case f.Size >= 1_000_000:
		size = fmt.Sprintf("%.1f MB", float64(f.Size)/1e6)
	case f.Size >= 1000:
		size = fmt.Sprintf("%d kB", f.Size/1000)
	}
	return fmt.Sprintf("%s (%s, %s)", f.Name, f.Type, size)
}

// FileWords names the files of an answer.
func (a *Answer) FileWords() (out []string) {
	for _, f := range a.Files {
		out = append(out, f.String())
	}
	return out
}

// NewFile returns the file with some content. Its type is found in the content, and never
// taken from the name. The error is a [Violations].
func NewFile(name string, data []byte) (File, error) {
	sum := sha256.Sum256(data)
	f := File{Name: FileName(name), Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
	var found Violations
	switch {
	case len(data) == 0:
		found.AddTranslated("file", "the file %q is empty", f.Name)
	case len(data) > MaxFileSize:
		found.AddTranslated("file", "the file %q is larger than %d MB", f.Name, MaxFileSize>>20)
	default:
		f.Type = detect(data)
		if claimed := claim(f.Name); f.Type == "" || claimed != "" && claimed != kind(f.Type) {
			found.AddTranslated("file", "the file %q cannot be attached; PNG, JPEG, GIF, WebP, PDF and plain text can, each under its own ending", f.Name)
		} else if c, _, err := image.DecodeConfig(bytes.NewReader(data)); f.Image() && (err != nil || c.Width < 1 || c.Height < 1 || c.Width > maxPixels/c.Height) {
			found.AddTranslated("file", "the image %q is damaged, or has more than %d megapixels", f.Name, maxPixels/1_000_000)
		}
	}
	return f, found.Err()
}

// detect returns the type of a content, empty where it is not accepted.
func detect(data []byte) string {
	found, _, _ := strings.Cut(http.DetectContentType(data), ";")
	if found == textType && (!utf8.Valid(data) || bytes.ContainsFunc(data, isControl) || bytes.HasPrefix(bytes.ToLower(bytes.TrimSpace(data)), []byte("<svg"))) {
		return ""
	}
	if _, ok := fileTypes[found]; !ok {
		return ""
	}
	return found
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }

// kind is the first part of a type; of images all have one.
func kind(t string) string { return strings.TrimSuffix(t, path.Base(t)) }

// claim returns the kind of file that the ending of a name promises; empty for any.
func claim(name string) string {
	ending := strings.ToLower(path.Ext(name))
	if ending == ".jpeg" {
		ending = ".jpg"
	}
	for t, e := range fileTypes {
		if e == ending && t != textType {
			return kind(t)
		}
	}
	return ""
}

// FileName makes a name from outside safe: its last element, without what is not
// printable, shortened.
func FileName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, name))
	if all := []rune(name); len(all) > maxFileName {
		ending := []rune(path.Ext(name))
		ending = ending[:min(len(ending), 10)]
		name = strings.TrimSpace(string(all[:maxFileName-len(ending)])) + string(ending)
	}
	if strings.Trim(name, ".") == "" {
		return "file"
	}
	return name
}

// fileFaults adds what is wrong with the files of an answer, beside their contents.
func (q *Question) fileFaults(found *Violations, path string, a Answer) {
	switch {
	case len(a.Files) > MaxFiles:
		found.AddTranslated(path, "takes at most %d files, got %d", MaxFiles, len(a.Files))
	case len(a.Files) > 0 && len(a.Selected) == 0 && a.Custom == "" && !q.TakesText():
		found.AddTranslated(path, "takes files beside an option; choose one of: %s", strings.Join(q.optionIDs(), ", "))
	}
	for _, f := range a.Files {
		if f.Name != FileName(f.Name) || !ValidKey(f.Key()) || f.Size < 1 || f.Size > MaxFileSize {
			found.Add(path, "the file %q is not as it was attached", Shorten(f.Name, maxFileName))
		}
	}
}
