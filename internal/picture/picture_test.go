package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"testing"
)

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
