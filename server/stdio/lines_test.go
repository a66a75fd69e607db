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

// readLines takes everything; a skipped line shows as "<too long>".
func readLines(t *testing.T, in io.Reader, limit int) []string {
	t.Helper()
	return linesOf(t, newLineReader(in, limit))
}

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

func TestLines(t *testing.T) {
	big := strings.Repeat("x", 100<<10) // beyond the reader's own buffer
	tests := []struct {
		name  string
		in    string
		limit int
		want  []string
	}{
		{"empty", "", 10, nil},
		{"one", "a\n", 10, []string{"a"}},
		{"last without newline", "a\nb", 10, []string{"a", "b"}},
		{"blank", "\n\na\n", 10, []string{"", "", "a"}},
		{"at the limit", "12345\n12345", 5, []string{"12345", "12345"}},
		{"over the limit", "123456\na\n", 5, []string{"<too long>", "a"}},
		{"over the limit at the end", "a\n123456", 5, []string{"a", "<too long>"}},
		{"beyond the buffer", big + "\na\n", 1 << 20, []string{big, "a"}},
		{"beyond the buffer at the end", big, 1 << 20, []string{big}},
		{"beyond buffer and limit", big + "\na\n", 50 << 10, []string{"<too long>", "a"}},
		{"exactly the limit beyond the buffer", big + "\n", len(big), []string{big}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := readLines(t, strings.NewReader(test.in), test.limit); !slices.Equal(got, test.want) {
				t.Errorf("got %.80q, want %.80q", got, test.want)
			}
		})
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
