package install

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mcp-askuser/install/edit"
)

// Registration is our entry in a client's file.
type Registration struct {
	What   string        // the command and its arguments, or the address; empty without an entry
	Remote bool          // it is an address
	Limit  time.Duration // the client's limit for a call; 0 without one
	From   string        // the setting of the limit, where it is not the client's default
	Hold   string        // the value of --hold, or of its variable; empty without both
	Pasted bool          // the user has written it, and no more is known
}

// Registered reads our entry in the client's file.
func (c *Client) Registered(p Place) (Registration, error) {
	if !c.format.Changes() {
		return c.pasted(p)
	}
	entry, err := c.entry(p)
	r := Registration{Limit: c.limit.usual}
	if limit, ok := c.limit.value(c.variable(p, c.limit.variable)); ok {
		r.Limit, r.From = limit, c.limit.variable
	}
	for _, m := range entry {
		list, several := m.Value.([]any)
		if !several {
			list = []any{m.Value}
		}
		switch m.Name {
		case c.limit.key:
			if limit, ok := c.limit.value(fmt.Sprint(m.Value)); ok {
				r.Limit, r.From = limit, c.limit.key
			}
		case "env", "envs", "environment":
			variables, _ := m.Value.(map[string]any)
			r.Hold, _ = variables["ASK_HOLD"].(string)
		case "url", "httpUrl", "serverUrl", "uri", "command", "cmd", "args":
			for _, word := range list {
				r.What = strings.TrimSpace(r.What + " " + fmt.Sprint(word))
			}
			r.Remote = r.Remote || m.Name[0] == 'u' || strings.HasSuffix(m.Name, "Url")
		}
	}
	_, flag, _ := strings.Cut(r.What, "--hold")
	if value := strings.FieldsFunc(flag, func(c rune) bool { return c == ' ' || c == '=' }); len(value) > 0 {
		r.Hold = value[0]
	}
	return r, err
}

// pasted finds our entry in a file that the user changes.
func (c *Client) pasted(p Place) (r Registration, err error) {
	path, err := c.File(p)
	if err != nil {
		return r, err
	}
	now, err := edit.Read(path)
	if err == nil && regexp.MustCompile(`(?m)^\s+`+Name+`:`).Match(now.Before) {
		r.What, r.Pasted = "the pasted entry "+Name, true
	}
	return r, err
}

// variable returns a variable of the client's environment: in its settings, if they have
// one, or in ours.
func (c *Client) variable(p Place, name string) string {
	if c.allowed != nil {
		file, _, _ := c.allowed(p)
		if now, err := edit.Read(file); err == nil {
			if value, found, _ := edit.JSON.Get(now.Before, "env", name); found {
				return fmt.Sprint(value)
			}
		}
	}
	return p.Getenv(name)
}

// limit is a client's time limit for a call. The zero value means that progress messages
// extend it.
type limit struct {
	key      string        // the member of our entry that sets it
	unit     time.Duration // of that
	usual    time.Duration // the default
	variable string        // of the environment, which sets the default
}

// value reads a limit, as a file or a variable has it.
func (l *limit) value(text string) (time.Duration, bool) {
	n, err := strconv.ParseFloat(text, 64)
	return time.Duration(n * float64(l.unit)), err == nil
}
