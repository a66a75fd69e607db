package question

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"mcp-askuser/internal/fatal"
)

// images are of 3 by 2 pixels, by type. Those of the last three are one white pixel, as other
// programs wrote them.
func images(t testing.TB) map[string][]byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.Black, color.White})
	out := map[string][]byte{}
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"a.png": func(b *bytes.Buffer) error { return png.Encode(b, img) },
		"a.jpg": func(b *bytes.Buffer) error { return jpeg.Encode(b, img, nil) },
		"a.gif": func(b *bytes.Buffer) error { return gif.Encode(b, img, nil) },
	} {
		var b bytes.Buffer
		fatal.If(t, encode(&b))
		out[name] = b.Bytes()
	}
	for name, text := range map[string]string{
		"lossy.webp":    "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
		"lossless.webp": "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==",
		"extended.webp": "UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA==",
	} {
		data, err := base64.StdEncoding.DecodeString(text)
		fatal.If(t, err)
		out[name] = data
	}
	return out
}

// The dimensions in an image's header are those that decoders find, and one that is cut
// anywhere breaks nothing.
func TestPixels(t *testing.T) {
	for name, data := range images(t) {
		wantW, wantH := 3, 2
		if strings.HasSuffix(name, ".webp") {
			wantW, wantH = 1, 1
		}
		f, err := NewFile(name, data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if w, h := pixels(f.Type, data); w != wantW || h != wantH {
			t.Errorf("%s: %d by %d", name, w, h)
		}
		for n := range data {
			_, _ = NewFile(name, data[:n])
			_, _ = NewFile(name, append(bytes.Clone(data[:n]), bytes.Repeat([]byte{0xff}, 40)...))
		}
	}
	// A comment and fill bytes precede the frame.
	plain := images(t)["a.jpg"]
	long := append([]byte("\xff\xd8\xff\xff\xfe\x00\x06note"), plain[2:]...)
	if w, h := pixels("image/jpeg", long); w != 3 || h != 2 {
		t.Errorf("behind a comment: %d by %d", w, h)
	}
}

// FuzzFile: whatever its content, a file that is accepted has a name and a key that are safe.
func FuzzFile(f *testing.F) {
	for name, data := range images(f) {
		f.Add(name, data)
	}
	f.Add("../a\x00.txt", []byte("text"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		x, err := NewFile(name, data)
		if FileName(x.Name) != x.Name || x.Name == "" || strings.ContainsAny(x.Name, "/\\\x00") {
			t.Errorf("%q is named %q", name, x.Name)
		}
		if err == nil && !ValidKey(x.Key()) {
			t.Errorf("its key is %q", x.Key())
		}
	})
}
