package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// output is standard output. It keeps its first error and writes nothing after it.
// run reports the error, so that commands need not.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (n int, err error) {
	if o.err == nil {
		n, o.err = o.Writer.Write(p)
	}
	return n, o.err
}

// deferredLog keeps a log until the terminal is free.
type deferredLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *deferredLog) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *deferredLog) writeTo(w io.Writer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, _ = b.text.WriteTo(w) // as a log does: there is no other place for the error
}

// flush returns the first error. A file may report its own only when it is synced.
func (o *output) flush() error {
	f, ok := o.Writer.(*os.File)
	if o.err != nil || !ok {
		return o.err
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		o.err = f.Sync()
	}
	return o.err
}

// width is the width of the terminal in cells; 0 where the output is no terminal.
func (o *output) width() int {
	f, ok := o.Writer.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width
	}
	return 80 // a terminal that does not know
}

// tell prints a line for people, as text. There is none where standard output has failed.
func (a *app) tell(line string) {
	if a.out.err == nil {
		fmt.Fprintln(a.err, question.Block(line))
	}
}

// tellf is [app.tell] with a format.
func (a *app) tellf(format string, args ...any) { a.tell(fmt.Sprintf(format, args...)) }

// print writes what people read to standard output, as text.
func (a *app) print(text string) { fmt.Fprint(a.out, question.Block(text)) }

// table is rows of texts, aligned by the cells of their characters. Where it is wider
// than the terminal, its widest columns are cut.
type table struct {
	rows  [][]string
	whole int  // the columns at the start that are cut last; the first never is
	rigid bool // nothing is cut, as it is to be copied
}

const columnGap = 2

// add appends a row. Each text is made safe, and put on one line.
func (t *table) add(cells ...string) {
	for i := range cells {
		cells[i] = question.Line(cells[i])
	}
	t.rows = append(t.rows, cells)
}

// printTable writes a table to standard output: whole, with tabs between columns,
// where that is no terminal.
func (a *app) printTable(t table) {
	if width := a.out.width(); width > 0 {
		fmt.Fprint(a.out, t.text(width))
		return
	}
	var b strings.Builder
	for _, row := range t.rows {
		b.WriteString(strings.Join(row, "\t") + "\n")
	}
	fmt.Fprint(a.out, b.String())
}

// text draws the table no wider than width, 0 for any.
func (t *table) text(width int) string {
	widths := t.widths(width)
	var b strings.Builder
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			cell = ansi.Truncate(cell, widths[i], "…")
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", widths[i]+columnGap-ansi.StringWidth(cell)))
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

func (t *table) widths(width int) []int {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	if width == 0 || t.rigid || widths == nil {
		return widths
	}
	spare := width - columnGap*(len(widths)-1)
	for _, w := range widths {
		spare -= w
	}
	const unreadable = 8 // cells
	for from := max(1, t.whole); spare < 0; {
		widest := len(widths) - 1
		for i := from; i < len(widths); i++ {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		switch {
		case from > 1 && widths[widest] <= unreadable:
			from = 1
		case widths[widest] <= 1:
			return widths
		default:
			widths[widest]--
			spare++
		}
	}
	return widths
}

// shortened returns the shortest prefixes that tell the ids apart: all of one length, of
// at least least.
func shortened(records []desk.Record, least int) []string {
	n := least
	for i := 1; i < len(records); i++ { // sorted by id, in either direction
		a, b := records[i-1].ID, records[i].ID
		same := 0
		for same < len(a) && same < len(b) && a[same] == b[same] {
			same++
		}
		n = max(n, same+1)
	}
	out := make([]string, len(records))
	for i, rec := range records {
		out[i] = rec.ID[:min(n, len(rec.ID))]
	}
	return out
}

// The least lengths of shortened ids. An id begins with its time: eight characters for
// the second, ten for the millisecond.
const (
	shortOpen = 8
	shortPast = 10
)

func (a *app) printJSON(v any) error { return writeJSON(a.out, v, "  ") }

func (a *app) printJSONLine(v any) error { return writeJSON(a.out, v, "") }

func writeJSON(w io.Writer, v any, indent string) error {
	data, err := encodeJSON(v, "", indent)
	if err == nil {
		_, err = w.Write(append(data, '\n'))
	}
	return err
}

func encodeJSON(v any, prefix, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, indent)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	return escapeHidden(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// writeArray writes records one at a time, as printJSON writes a slice of them.
func writeArray(w io.Writer, records iter.Seq2[desk.Record, error]) error {
	before, after := "[\n  ", "[]\n"
	for rec, err := range records {
		if err != nil {
			return err
		}
		data, err := encodeJSON(api.NewStored(rec), "  ", "  ")
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s%s", before, data); err != nil {
			return err
		}
		before, after = ",\n  ", "\n]\n"
	}
	_, err := io.WriteString(w, after)
	return err
}

// escapeHidden escapes with \u the control characters and bidirectional overrides that
// JSON allows: the value is the same, and no terminal obeys it. The two joiners stay, as
// in question.Line.
func escapeHidden(data []byte) []byte {
	if !slices.ContainsFunc(data, func(c byte) bool { return c >= 0x7f }) { // nearly always
		return data
	}
	var out bytes.Buffer
	for _, r := range string(data) {
		if r >= 0x7f && r != '\u200c' && r != '\u200d' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&out, `\u%04x`, unit)
			}
		} else {
			out.WriteRune(r)
		}
	}
	return out.Bytes()
}
