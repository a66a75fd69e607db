package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// change is what is done to a module.
type change struct {
	Module string
	Patch  string            // in changes
	Files  map[string]string // what it touches, and the SHA-256 of each as it was when the patch was written
}

//go:embed changes
var changes embed.FS

func all() (all []change) {
	data, err := changes.ReadFile("changes/modules.json")
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil { // it is compiled in
		panic(err)
	}
	return all
}

// prepare makes the changed copies for the module in root, and a go.mod that
// names them; it returns that one's path. Copies that are there are used again:
// their directory is named after all that they depend on. The paths are
// relative, as they get into what is built: wherever that is done, it is the
// same to the byte.
func prepare(root string) (modfile string, err error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return "", err
	}
	key := sha256.New()
	_, _ = key.Write(mod)
	_, _ = key.Write(sum) // it has the checksums of all modules
	sources := map[string]string{}
	for _, c := range all() {
		patch, err := changes.ReadFile(path.Join("changes", c.Patch))
		if err != nil {
			return "", err
		}
		_, _ = key.Write(patch)
		if sources[c.Module], err = source(root, c.Module); err != nil {
			return "", err
		}
	}
	dir := filepath.Join("bin", "later", hex.EncodeToString(key.Sum(nil))[:16])
	modfile = filepath.Join(root, dir, "go.mod")
	if _, err := os.Stat(modfile); err == nil {
		return modfile, nil
	}
	if err := os.MkdirAll(filepath.Join(root, "bin", "later"), 0o755); err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp(filepath.Join(root, "bin", "later"), "new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	var replace bytes.Buffer
	for n, c := range all() {
		name := fmt.Sprint("m", n)
		if err := c.copy(sources[c.Module], filepath.Join(temp, name)); err != nil {
			return "", fmt.Errorf("%s: %w", c.Module, err)
		}
		fmt.Fprintf(&replace, "\nreplace %s => ./%s/%s\n", c.Module, filepath.ToSlash(dir), name)
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(temp, "go.sum"), sum, 0o644),
		os.WriteFile(filepath.Join(temp, "go.mod"), append(mod, replace.Bytes()...), 0o644),
		os.Chmod(temp, 0o755))
	if err != nil {
		return "", err
	}
	if err := os.Rename(temp, filepath.Join(root, dir)); err != nil {
		if _, there := os.Stat(modfile); there != nil { // and not made by another meanwhile
			return "", err
		}
	}
	return modfile, nil
}

// source returns where the module cache has a module, and has go fetch and
// verify it if need be.
func source(root, module string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w", module, err)
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		return "", err
	}
	return m.Dir, nil
}

// copy copies what is built of a module, changed.
func (c change) copy(from, to string) error {
	patch, err := changes.ReadFile(path.Join("changes", c.Patch))
	if err != nil {
		return err
	}
	hunks, err := parse(patch)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Patch, err)
	}
	for name := range hunks {
		if c.Files[name] == "" {
			return fmt.Errorf("%s touches %s, which has no checksum", c.Patch, name)
		}
	}
	// To be replaced a module needs a go.mod, which an old one may not have.
	err = errors.Join(os.MkdirAll(to, 0o755), os.WriteFile(filepath.Join(to, "go.mod"), []byte("module "+c.Module+"\n"), 0o644))
	if err != nil {
		return err
	}
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch base := e.Name(); {
		case e.IsDir() && (base == "testdata" || name != "." && strings.HasPrefix(base, ".")):
			return fs.SkipDir
		case e.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case strings.HasSuffix(base, "_test.go"), strings.HasPrefix(base, "."), strings.HasPrefix(base, "go.work"):
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if want := c.Files[name]; want != "" {
			if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != want {
				return fmt.Errorf("%s is not the file that changes/%s was written for: see whether the module still needs it, adapt it, then put %x into changes/modules.json", name, c.Patch, got)
			}
			if data, err = apply(data, hunks[name]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return os.WriteFile(filepath.Join(to, name), data, 0o644)
	})
}
