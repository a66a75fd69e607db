package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func linesOf(t *testing.T, r *lineReader) []string {
	t.Helper()
	var lines []string
	for {
		line, err := r.next()
		switch {
		case errors.Is(err, io.EOF):
			return lines
		case errors.Is(err, errLineTooLong):
			lines = append(lines, "<too long>")
		case err != nil:
			t.Fatal(err)
		default:
			lines = append(lines, string(line))
		}
	}
}

func TestLinesError(t *testing.T) {
	broken := errors.New("broken")
	r := newLineReader(io.MultiReader(strings.NewReader("a\nhalf a li"), iotest.ErrReader(broken)), 10)
	if line, err := r.next(); string(line) != "a" || err != nil {
		t.Fatalf("got %q, %v", line, err)
	}
	if line, err := r.next(); line != nil || !errors.Is(err, broken) {
		t.Fatalf("got %q, %v, want nothing and the error", line, err)
	}
}

// TestLinesMemory: of a line that is too long nothing is kept.
func TestLinesMemory(t *testing.T) {
	const limit = 1 << 20
	endless := newLineReader(io.LimitReader(zeros{}, 64<<20), limit)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := endless.next()
	runtime.ReadMemStats(&after)
	if !errors.Is(err, errLineTooLong) {
		t.Fatal(err)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 8*limit {
		t.Errorf("a line of 64 MiB cost %d bytes at a limit of %d", allocated, limit)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// FuzzLines: whatever the chunks in which the input comes, the lines are those
// that splitting at newlines gives.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb"), 3)
	f.Add([]byte("\n\n\r\n{}"), 1)
	f.Add([]byte("0123456789abcde\n0123456789abcdef\n0123456789abcdefg\n"), 16)
	f.Add([]byte("0123456789abcdef0123456789abcdef0123456789abcdef"), 47)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		limit = max(limit, 1)
		var want []string
		for line := range bytes.SplitSeq(in, []byte("\n")) {
			if len(line) > limit {
				line = []byte("<too long>")
			}
			want = append(want, string(line))
		}
		if want[len(want)-1] == "" {
			want = want[:len(want)-1] // after the last newline comes no line
		}
		r := &lineReader{in: bufio.NewReaderSize(iotest.HalfReader(bytes.NewReader(in)), 16), limit: limit}
		if got := linesOf(t, r); !slices.Equal(got, want) {
			t.Errorf("got %.200q, want %.200q", got, want)
		}
	})
}
