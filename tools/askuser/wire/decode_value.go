package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"mcp-askuser/question"
)

// text reads a string.
func (d *decoder) text(path string, raw json.RawMessage) string {
	s, _ := question.Read[string](&d.found, path, raw, "a string")
	return s
}

// flag reads true or false; where neither is given it is otherwise.
func (d *decoder) flag(path string, raw json.RawMessage, otherwise bool) bool {
	if b, ok := question.Read[bool](&d.found, path, raw, "true or false"); ok {
		return b
	}
	return otherwise
}

// seconds reads a duration.
func (d *decoder) seconds(path string, raw json.RawMessage) time.Duration {
	const want = "a number of seconds, 0 or more"
	n, _ := question.Read[float64](&d.found, path, raw, want)
	if n < 0 || n > math.MaxInt32 {
		d.found.Add(path, "must be %s, is %s", want, question.Describe(raw))
		return 0
	}
	return time.Duration(n * float64(time.Second))
}

// object reads a JSON object, or one inside a string. A missing value and null are an
// empty one.
func (d *decoder) object(path string, raw json.RawMessage, want string) (ordered, bool) {
	return readUnquoted[ordered](d, path, Unquote(raw), want)
}

// array reads a JSON array, or one inside a string.
func (d *decoder) array(path string, raw json.RawMessage, want string) ([]json.RawMessage, bool) {
	return readUnquoted[[]json.RawMessage](d, path, Unquote(raw), want)
}

// readUnquoted is [question.Read] for a value that may have been inside a string.
func readUnquoted[T any](d *decoder, path string, raw json.RawMessage, want string) (none T, ok bool) {
	if fault := broken(raw); fault != "" {
		d.found.Add(path, "must be %s, %s", want, fault)
		return none, false
	}
	return question.Read[T](&d.found, path, raw, want)
}

func element(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
