package config

import (
	"fmt"
	"strings"
)

// Faults is everything that is wrong with the settings, one sentence each. As
// an error it is not empty.
type Faults []string

// Error lists the faults, one to a line where there are several.
func (f Faults) Error() string {
	if len(f) == 1 {
		return f[0]
	}
	return "Bad settings\n- " + strings.Join(f, "\n- ")
}

func (f Faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// refuse says what is wrong with a value, and what is allowed.
func (s *setting) refuse(text string, from Origin, source string) string {
	if from == FromFile {
		source += ": " + s.key
	}
	if _, list := words(text); !list {
		text = fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%s is %s; it takes %s", source, text, s.takes())
}

// unknown names the keys of the file that are no settings, and what each may
// have been meant for.
func unknown(path string, file []entry, table []setting) []string {
	var out []string
	for _, e := range file {
		nearest, best := "", min(len(e.key)/3, 2)+1 // at most two slips
		known := false
		for _, s := range table {
			known = known || s.key == e.key
			if d := distance(plainKey(e.key), s.key); d < best {
				nearest, best = s.key, d
			}
		}
		if known {
			continue
		}
		fault := fmt.Sprintf("%s: %q is no setting", e.place(path), e.key)
		if nearest != "" {
			fault += "; did you mean " + nearest + "?"
		} else {
			fault += "; mcp-askuser config lists them all"
		}
		out = append(out, fault)
	}
	return out
}

// plainKey takes away in which a key written like its variable or its flag
// differs.
func plainKey(key string) string {
	return strings.TrimPrefix(strings.ReplaceAll(strings.ToLower(key), "-", "_"), "ask_")
}

// distance is the number of letters to insert, delete or replace to make b of
// a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
