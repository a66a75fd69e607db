package act

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// feed writes lines at times.
func feed(lines chan<- string, said ...blow) {
	begun := time.Now()
	for _, s := range said {
		<-time.After(s.at - time.Since(begun)) // of the bubble's own time
		lines <- s.key
	}
	close(lines)
}

func TestReadLine(t *testing.T) {
	tests := []struct {
		name   string
		origin Origin
		said   []blow
		want   []string
		again  int
	}{
		{"an answer", Appeared, []blow{{second, "2"}}, []string{"2"}, 0},
		{"an answer before the quiet, and again", Appeared, []blow{{100 * ms, "2"}, {2 * second, "2"}}, []string{"2"}, 1},
		{"a program that answers at once", Appeared, []blow{{0, "2"}}, nil, 0},
		{"a program that pipes its answer", Opened, []blow{{0, "2"}}, []string{"2"}, 0},
		{"two answers", Opened, []blow{{0, "2"}, {400 * ms, "y"}}, []string{"2", "y"}, 0},
		{"a paste", Opened, []blow{{0, "a"}, {0, "b"}, {ms, "c"}}, nil, 0},
		{"a paste, then an answer", Appeared, []blow{{second, "a"}, {second, "b"}, {3 * second, "2"}}, []string{"2"}, 1},
		{"lines held down", Opened, []blow{{0, ""}, {83 * ms, ""}, {166 * ms, ""}, {249 * ms, ""}, {second, "2"}}, []string{"2"}, 1},
		{"a line just before the first would count", Opened, []blow{{0, "1"}, {119 * ms, "2"}}, nil, 0},
		{"nothing", Appeared, nil, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lines := make(chan string)
				go feed(lines, tt.said...)
				var m Machine
				m.Show(time.Now(), tt.origin)
				again := 0
				for _, want := range tt.want {
					if got, err := ReadLine(t.Context(), &m, lines, func() { again++ }); got != want || err != nil {
						t.Fatalf("%q, %v; want %q", got, err, want)
					}
				}
				if got, err := ReadLine(t.Context(), &m, lines, func() { again++ }); got != "" || !errors.Is(err, io.EOF) {
					t.Fatalf("%q, %v at the end", got, err)
				}
				if again != tt.again {
					t.Errorf("asked again %d times, want %d", again, tt.again)
				}
			})
		})
	}
}

// An answer counts 120 ms after its Enter.
func TestReadLineIsQuick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := make(chan string)
		go feed(lines, blow{second, "2"})
		var m Machine
		m.Show(time.Now(), Appeared)
		begun := time.Now()
		_, err := ReadLine(t.Context(), &m, lines, nil)
		if took := time.Since(begun); err != nil || took != second+Settle {
			t.Fatalf("took %v, %v", took, err)
		}
	})
}

func TestReadLineEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		lines := make(chan string, 1)
		lines <- "2"
		time.AfterFunc(50*ms, func() { cancel(gone) })
		var m Machine
		m.Show(time.Now(), Opened)
		if got, err := ReadLine(ctx, &m, lines, nil); got != "" || !errors.Is(err, gone) {
			t.Fatalf("%q, %v", got, err)
		}
	})
}

// A line without meaning shows that the human types to another program.
func TestReadLineAfterAForeignLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := make(chan string)
		go feed(lines, blow{second, "git push"}, blow{1500 * ms, "y"}, blow{4 * second, "n"})
		var m Machine
		m.Show(time.Now(), Appeared)
		if got, err := ReadLine(t.Context(), &m, lines, nil); got != "git push" || err != nil {
			t.Fatalf("%q, %v", got, err)
		}
		m.Key(time.Now(), Enter, Foreign)
		if got, err := ReadLine(t.Context(), &m, lines, func() {}); got != "n" || err != nil {
			t.Fatalf("%q, %v", got, err)
		}
	})
}

// Where a line waits to be read and the clock says at the same time that the
// one before counts, the line came first.
func TestReadLineLooksForLinesFirst(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			var m Machine
			m.Show(time.Now(), Opened)
			m.Key(time.Now(), Enter, Act)
			lines := make(chan string, 1)
			lines <- "2"
			close(lines)
			<-time.After(Settle) // of the bubble's own time
			if got, err := ReadLine(t.Context(), &m, lines, nil); !errors.Is(err, io.EOF) {
				t.Fatalf("%q, %v", got, err)
			}
		})
	}
}
