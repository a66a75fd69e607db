package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

func cells(text string, style uv.Style) []uv.Cell {
	var all []uv.Cell
	for _, c := range text {
		w := ansi.StringWidth(string(c))
		all = append(all, uv.Cell{Content: string(c), Width: w, Style: style})
		for range w - 1 {
			all = append(all, uv.Cell{Style: style})
		}
	}
	return all
}

// A line is drawn where its cells are, and once for all frames; what is XML to a
// reader of XML is text.
func TestSVG(t *testing.T) {
	hot := uv.Style{Fg: ansi.Red, Attrs: uv.AttrBold}
	frame := Frame{Title: "a <terminal>", Cells: [][]uv.Cell{nil, append(cells("  数据 & ", uv.Style{}), cells("<b>", hot)...)}, For: time.Second}
	image := Frame{Title: "page", WebP: []byte("RIFF"), For: 3 * time.Second}
	got := string(SVG("Title & more", 10, 2, []Frame{frame, frame, image}, 1))
	wellFormed(t, []byte(got))
	for _, want := range []string{
		`<text x="28.8" y="13" textLength="50.4" lengthAdjust="spacingAndGlyphs" fill="#d8dbe2">数据 &amp;</text>`,
		`x="87.6" y="13" textLength="25.2" lengthAdjust="spacingAndGlyphs" fill="#e06c75" font-weight="bold">&lt;b&gt;</text>`,
		"@keyframes k0{0%{visibility:visible}", "@keyframes k2{0%{visibility:hidden}40.00%{visibility:visible}100.00%",
		"#f1{visibility:visible}}", "data:image/webp;base64,UklGRg==", "a &lt;terminal&gt;",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "数据"); n != 1 {
		t.Errorf("a line of two frames stands there %d times", n)
	}
}

// The README's picture is one that a page can show, and not too large for it.
func TestREADMEPicture(t *testing.T) {
	picture, err := os.ReadFile("../../docs/asking.svg")
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, picture)
	if len(picture) > most || !bytes.Contains(picture, []byte("in the terminal")) || !bytes.Contains(picture, []byte("on the page")) {
		t.Errorf("%d bytes, or it does not show both", len(picture))
	}
}

func wellFormed(t *testing.T, picture []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// most is how many bytes the picture may have.
const most = 400_000
