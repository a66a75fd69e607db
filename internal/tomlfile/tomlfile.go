// Package tomlfile reads TOML, and names the key and the line of a fault in it. It imports no other
// package of this program.
package tomlfile

import (
	"bytes"
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
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
