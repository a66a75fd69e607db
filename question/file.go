package question

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Limits of the files of an answer.
const (
	MaxFileSize = 10 << 20 // bytes of one
	MaxFiles    = 5        // in one answer

	maxPixels   = 50_000_000
	maxFileName = 100 // characters
)

// File is a file that a user attached to an answer. The desk keeps its content beside the
// record, see desk.Store.
type File struct {
	Name   string `json:"name"` // for people to read, and never a path
	Type   string `json:"type" jsonschema_description:"As found in the content"`
	Size   int64  `json:"size" jsonschema_description:"Bytes"`
	SHA256 string `json:"sha256" jsonschema_description:"Of the content"`
}

// textType is the type of a text, in UTF-8.
const textType = "text/plain"

// fileTypes are the types of files that are accepted, with the endings of their keys.
var fileTypes = map[string]string{ //nolint:gochecknoglobals // a table, never written to
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
		if f.Type == "" || lies(f.Name, f.Type) {
			found.AddTranslated("file", "the file %q cannot be attached; PNG, JPEG, GIF, WebP, PDF and plain text can, each "+
				"under its own ending", f.Name)
		} else if w, h := pixels(f.Type, data); f.Image() && (w < 1 || h < 1 || w > maxPixels/h) {
			found.AddTranslated("file", "the image %q is damaged, or has more than %d megapixels", f.Name, maxPixels/1_000_000)
		}
	}
	return f, found.Err()
}

// pixels returns the dimensions of an image as its header has them; zeros where it has none.
// The decoders of the standard library and of golang.org/x/image would make the program
// larger by 205 KB, those of the former alone by 90 KB.
func pixels(kind string, data []byte) (width, height int) {
	little, big := binary.LittleEndian, binary.BigEndian
	head := append(bytes.Clone(data[:min(len(data), 32)]), make([]byte, 32)...)
	switch kind + " " + string(head[12:16]) {
	case "image/png IHDR":
		return int(big.Uint32(head[16:])), int(big.Uint32(head[20:]))
	case "image/webp VP8 ":
		return int(little.Uint16(head[26:]) & 0x3fff), int(little.Uint16(head[28:]) & 0x3fff)
	case "image/webp VP8L":
		bits := int(little.Uint32(head[21:]))
		return bits&0x3fff + 1, bits>>14&0x3fff + 1
	case "image/webp VP8X":
		return int(little.Uint32(head[24:])&0xffffff) + 1, int(little.Uint32(head[27:])&0xffffff) + 1
	}
	switch kind {
	case "image/gif":
		return int(little.Uint16(head[6:])), int(little.Uint16(head[8:]))
	case "image/jpeg": // segments, up to the start of the frame
		for rest := data[2:]; len(rest) > 8 && rest[0] == 0xff; {
			marker := rest[1]
			if marker == 0xff { // a fill byte
				rest = rest[1:]
				continue
			}
			if marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc {
				return int(big.Uint16(rest[7:])), int(big.Uint16(rest[5:]))
			}
			rest = rest[min(len(rest), 2+int(big.Uint16(rest[2:]))):]
		}
	}
	return 0, 0
}

// detect returns the type of a content, empty where it is not accepted.
func detect(data []byte) string {
	found, _, _ := strings.Cut(http.DetectContentType(data), ";")
	if fileTypes[found] == "" || found == textType && !plain(data) {
		return ""
	}
	return found
}

// plain reports whether a content is a text in UTF-8 that no program reads as markup: behind
// marks of the byte order, white space and invisible characters no element, declaration or
// comment begins. A text such as <user@example.org> begins none.
func plain(data []byte) bool {
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }
	unseen := func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }
	return utf8.Valid(data) && !bytes.ContainsFunc(data, control) && !markup().Match(bytes.TrimLeftFunc(data, unseen))
}

var markup = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<([!?/]|[\pL_:][^\s<>@/]*[\s>/])`) })

// lies reports whether the ending of a name promises another kind of file than a type is: the
// kind is the first part of a type.
func lies(name, found string) bool {
	ending := strings.Replace(strings.ToLower(path.Ext(name)), ".jpeg", ".jpg", 1)
	for t, e := range fileTypes {
		if e == ending && t != textType && path.Dir(t) != path.Dir(found) {
			return true
		}
	}
	return false
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
	name = strings.TrimSpace(Cut(name, maxFileName))
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
