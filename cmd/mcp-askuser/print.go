package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
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

// width is the width of the terminal in cells; 0 where the output is no terminal.
func (o *output) width() int {
	f, ok := o.Writer.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, _ := term.GetSize(int(f.Fd()))
	return cmp.Or(width, 80) // of one that does not know
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

// rows are the lines of a table, the first with its titles.
type rows [][]string

// add appends a line. Each text is made safe, and put on one line.
func (r *rows) add(cells ...string) {
	for i := range cells {
		cells[i] = question.Line(cells[i])
	}
	*r = append(*r, cells)
}

// text draws the table, no wider than width unless that is 0. The widest columns are cut, the
// first one, by which a line is named, never.
func (r rows) text(width int) string {
	const gap = 2 // cells
	widths := make([]int, len(r[0]))
	sum := gap * (len(widths) - 1)
	for i := range widths {
		for _, cells := range r {
			widths[i] = max(widths[i], ansi.StringWidth(cells[i]))
		}
		sum += widths[i]
	}
	cut := widths[1:]
	for ; width > 0 && sum > width && slices.Max(cut) > 0; sum-- {
		cut[slices.Index(cut, slices.Max(cut))]--
	}
	var b strings.Builder
	for _, cells := range r {
		var line strings.Builder
		for i, cell := range cells {
			cell = ansi.Truncate(cell, widths[i], "…")
			line.WriteString(cell + strings.Repeat(" ", max(0, widths[i]-ansi.StringWidth(cell)+gap)))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// printTable writes a table to standard output, cut to the width of the terminal; whole, with
// tabs between columns, where that is none.
func (a *app) printTable(r rows) {
	width := a.out.width()
	if width > 0 {
		fmt.Fprint(a.out, r.text(width))
		return
	}
	for _, cells := range r {
		fmt.Fprintln(a.out, strings.Join(cells, "\t"))
	}
}

// printList prints a list as JSON or as a table with titles. It says what is missing where the
// list is empty.
func (a *app) printList(asJSON bool, list any, r rows, none string) error {
	switch {
	case asJSON:
		return a.printJSON(list)
	case len(r) <= 1:
		a.tell(none)
	default:
		a.printTable(r)
	}
	return nil
}

// shortened returns the shortest prefixes that tell the ids apart: all of one length, and
// with the whole time, to the millisecond, as there are records that are not listed.
func shortened(records []desk.Record) []string {
	n := 10
	for i := 1; i < len(records); i++ { // sorted by id, in either direction
		a, b := records[i-1].ID, records[i].ID
		for n <= len(a) && strings.HasPrefix(b, a[:n]) {
			n++
		}
	}
	out := make([]string, len(records))
	for i, rec := range records {
		out[i] = rec.ID[:min(n, len(rec.ID))]
	}
	return out
}

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
