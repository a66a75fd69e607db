package web

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// maxAlike is how many alike questions one card offers to answer with it.
const maxAlike = 10

// sibling is another card with the same questions.
type sibling struct {
	ID      string
	Asker   string
	Checked bool
}

// groupOf is the same for sets with the same questions and options.
func groupOf(set *question.Set) string {
	data, err := json.Marshal(set.Questions)
	if err != nil {
		return "" // cannot be: it came from JSON
	}
	sum := sha256.Sum256(data)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// groups are the open records with the same questions, oldest first.
type groups map[string][]*desk.Record

func groupsOf(open []desk.Record) groups {
	g := groups{}
	for i := range open {
		key := groupOf(&open[i].Set)
		g[key] = append(g[key], &open[i])
	}
	return g
}

// beside returns the others of a record's group; also are those that the human
// has ticked already.
func (g groups) beside(rec *desk.Record, group string, also []string) []sibling {
	var out []sibling
	for _, other := range g[group] {
		if other.ID != rec.ID && len(out) < maxAlike {
			out = append(out, sibling{other.ID, words.Asker(other.Asker), slices.Contains(also, other.ID)})
		}
	}
	return out
}
