package question

import (
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"
)

// hugePNG is the header of an image of this size.
func hugePNG(width, height uint32) string {
	header := []byte("IHDR")
	header = binary.BigEndian.AppendUint32(header, width)
	header = binary.BigEndian.AppendUint32(header, height)
	header = append(header, 8, 6, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	return string(binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(header)))
}

// Markup, programs and damaged images are refused under any name. What only resembles markup is taken.
func TestHostileContent(t *testing.T) {
	const html = "<!DOCTYPE html><script>alert(1)</script>"
	const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`
	for _, f := range [][3]string{ // what it is, its name, and its content
		{"markup named as an image", "a.png", html},
		{"a drawing named as an image", "a.png", svg},
		{"a drawing behind a byte order mark", "a.txt", "\ufeff" + svg},
		{"a drawing behind what no reader sees", "a.txt", "\ufeff\ufeff\u200b\u00a0\u2028 " + svg},
		{"a drawing behind its type", "a.txt", "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"x\">" + svg},
		{"a drawing behind marks and a declaration", "a.txt", "\ufeff<?xml version=\"1.0\"?><!-- a --><!DOCTYPE svg>" + svg},
		{"a drawing behind a style sheet", "a.txt", "<?xml-stylesheet href=\"x\"?>" + svg},
		{"a drawing under another prefix", "a.txt", `<s:svg xmlns:s="http://www.w3.org/2000/svg"/>`},
		{"an end of markup", "a.txt", "</x>" + svg},
		{"a drawing in UTF-16, the other way", "a.txt", "\xfe\xff\x00<\x00s\x00v\x00g\x00>"},
		{"an image named as a document", "a.pdf", string(images(t)["a.png"])},
		{"a program", "a", "\x7fELF\x02\x01\x01\x00"},
		{"escapes in a text", "a.txt", "\x1b]52;c;aGk=\x07"},
		{"a zero byte in a text", "a.txt", "a\x00b"},
		{"an empty file", "a.txt", ""},
		{"larger than 10 MB", "a.txt", strings.Repeat("x", MaxFileSize+1)},
		{"a bomb of a PNG", "a.png", hugePNG(50_000, 50_000)},
		{"a PNG without pixels", "a.png", hugePNG(0, 10)},
	} {
		if got, err := NewFile(f[1], []byte(f[2])); err == nil {
			t.Errorf("%s is taken: %+v", f[0], got)
		}
	}
	for _, text := range []string{"\ufeffcaf\u00e9\n", "see <svg onload=alert(1)>", "<user@example.org> wrote:\n",
		"< old\n---\n> new\n", "<5 ms", "<<<<<<< ours\n", "<- back"} {
		if f, err := NewFile("a.txt", []byte(text)); err != nil || f.Type != textType {
			t.Errorf("%q: %+v, %v", text, f, err)
		}
	}
}

// The name of a file is no path, and has nothing that a reader does not see.
func TestFileName(t *testing.T) {
	for name, want := range map[string]string{
		`C:\Users\me\a.txt`:               "a.txt",
		"../a.png":                        "a.png",
		"..":                              "file",
		"":                                "file",
		"a\x00b\x1b[31m\r\n.txt":          "ab[31m.txt",
		"\u202etxt.exe":                   "txt.exe",
		strings.Repeat("界", 200) + ".txt": strings.Repeat("界", 100),
	} {
		if got := FileName(name); got != want {
			t.Errorf("%q is named %q, want %q", name, got, want)
		}
	}
}
