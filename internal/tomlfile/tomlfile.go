// Package tomlfile reads TOML, with the positions of its keys, which the library
// reports only in errors. It imports no other package of this program.
package tomlfile

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// bom is the byte order mark that some editors write first. To the library it is part of
// a key.
const bom = "\ufeff"

// Decode returns the values of a file. An error contains the key; line is its line.
func Decode(data []byte) (values map[string]any, line int, err error) {
	data = bytes.TrimPrefix(data, []byte(bom))
	err = toml.Unmarshal(data, &values)
	fault, ok := errors.AsType[*toml.DecodeError](err)
	if !ok {
		return values, 0, err
	}
	line, _ = fault.Position()
	text := strings.TrimPrefix(fault.Error(), "toml: ")
	// Not the line itself: its value may be a secret.
	key, _, assigned := strings.Cut(strings.Split(string(data), "\n")[line-1], "=")
	if assigned && len(fault.Key()) == 0 {
		text = strings.TrimSpace(key) + ": " + text
	}
	return nil, line, errors.New(text)
}

// Statement is the head of a table or an assignment.
type Statement struct {
	Keys  []string // from the root
	Begin int      // the offset of its line, behind a byte order mark
}

// Statements returns all statements in order, up to the first error.
func Statements(data []byte) ([]Statement, error) {
	text := bytes.TrimPrefix(data, []byte(bom))
	p := unstable.Parser{}
	p.Reset(text)
	var out []Statement
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		s := Statement{}
		at := -1
		for it := e.Key(); it.Next(); {
			if at < 0 {
				at = int(it.Node().Raw.Offset)
			}
			s.Keys = append(s.Keys, string(it.Node().Data))
		}
		switch e.Kind {
		case unstable.KeyValue:
			s.Keys = append(slices.Clip(table), s.Keys...)
		case unstable.Table, unstable.ArrayTable:
			table = s.Keys
		default: // a comment
			continue
		}
		s.Begin = bytes.LastIndexByte(text[:at], '\n') + 1
		out = append(out, s)
	}
	return out, p.Error()
}
