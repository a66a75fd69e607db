package install

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Options say what to register with a client.
type Options struct {
	Server
	// Questions brings the client's own questions here, Permissions also the permissions that
	// it asks for. Hook is the program that it runs for them, with its arguments.
	Questions, Permissions bool
	Hook                   []string
}

// file is a file of a client's and the change to it.
type file struct {
	path   string
	change func(data []byte, o Options, out bool) ([]byte, error)
}

// Plan returns the changes that register a server with the client, one for each file, or
// those that take all of it out again. The error names the file.
func (c *Client) Plan(p Place, o Options, out bool) ([]Change, error) {
	path, err := c.File(p)
	if err != nil {
		return nil, err
	}
	var files []file
	if c.format != yaml {
		files = append(files, file{path, c.register})
	}
	if c.Name == "claude-code" {
		files = append(files, file{p.ClaudeSettings(), allowTools})
	}
	if c.questions != nil && (out || o.Questions) {
		files = append(files, c.questions(p))
	}

	var changes []Change
	for _, f := range files {
		now, err := open(f.path)
		if err != nil {
			return nil, err
		}
		now.name, now.root, now.program, now.out = f.path, cmp.Or(p.Project, p.Home()), o.Command, out
		at := slices.IndexFunc(changes, func(c Change) bool { return c.Path == now.Path })
		if at < 0 {
			at, changes = len(changes), append(changes, now)
		}
		change := &changes[at]
		change.After, err = f.change(change.After, o, out)
		if errors.Is(err, errUnsafe) && f.path == path {
			lines, fault := c.Lines(o.Server)
			err = errors.Join(fault, fmt.Errorf("%w. These are our lines, to add or to take out yourself:\n%s", err, lines))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", now.Path, err)
		}
	}
	for i := range changes {
		if !out || changes[i].Empty() {
			continue
		}
		err := changes[i].restore()
		if err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(changes, func(c Change) bool { return c.Empty() }), nil
}

// register puts our entry into the client's file, or takes it out.
func (c *Client) register(data []byte, o Options, out bool) ([]byte, error) {
	if out {
		return c.format.put(data, nil, c.at()...)
	}
	old, err := c.format.get(data, c.at()...)
	if err != nil {
		return nil, err
	}
	members, _ := old.(entry)
	return c.format.put(data, c.entry(o.Server, members), c.at()...)
}

// allowTools adds our tools to those for which Claude Code needs no permission, or takes
// them out. It asks before the first use of a tool that is not in this list.
func allowTools(data []byte, _ Options, out bool) ([]byte, error) {
	const rule = "mcp__" + Name
	path := []string{"permissions", "allow"}
	value, err := jsonFile.get(data, path...)
	if err != nil {
		return nil, err
	}
	at := slices.Index(texts(value), rule)
	if (at < 0) == out {
		return data, nil
	}
	return jsonFile.edit(data, path, func(text []byte) ([]byte, error) {
		if out {
			return removeJSON(text, append(path, fmt.Sprint(at)))
		}
		return setJSON(text, rule, append(path, "-"))
	})
}
