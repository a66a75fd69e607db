package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// printJSON writes a value to standard output, indented.
func (a *app) printJSON(v any) error { return a.encode(v, "  ") }

// printLine writes a value to standard output on one line.
func (a *app) printLine(v any) error { return a.encode(v, "") }

func (a *app) encode(v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	_, err := a.out.Write(escapeHidden(b.Bytes()))
	return err
}

// escapeHidden writes the control characters and bidirectional overrides that
// JSON allows as they are with \u: the value is the same, and a terminal that
// shows it obeys none of them (DESIGN, promise 7). The two joiners stay, as in
// question.Line.
func escapeHidden(data []byte) []byte {
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
