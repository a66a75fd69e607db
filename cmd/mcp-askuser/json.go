package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"mcp-askuser/desk"
)

// printJSON writes a value to standard output, indented.
func (a *app) printJSON(v any) error { return writeJSON(a.out, v, "  ") }

// printLine writes a value to standard output on one line.
func (a *app) printLine(v any) error { return writeJSON(a.out, v, "") }

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

// writeArray writes records as printJSON writes a slice of them, one at a time.
func writeArray(w io.Writer, records iter.Seq2[desk.Record, error]) error {
	before, after := "[\n  ", "[]\n"
	for rec, err := range records {
		if err != nil {
			return err
		}
		data, err := encodeJSON(rec, "  ", "  ")
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

// escapeHidden writes the control characters and bidirectional overrides that
// JSON allows as they are with \u: the value is the same, and a terminal that
// shows it obeys none of them. The two joiners stay, as in question.Line.
func escapeHidden(data []byte) []byte {
	if !slices.ContainsFunc(data, func(c byte) bool { return c >= 0x7f }) { // nearly always
		return data
	}
	out := make([]byte, 0, len(data))
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r >= 0x7f && r != '\u200c' && r != '\u200d' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			for _, unit := range utf16.AppendRune(nil, r) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		} else {
			out = append(out, data[:size]...)
		}
		data = data[size:]
	}
	return out
}
