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
	module string
	patch  string            // in changes
	files  map[string]string // what it touches, and the SHA-256 of each as it was when the patch was written
}

//go:embed changes
var changes embed.FS

func all() []change {
	return []change{{
		module: "github.com/santhosh-tekuri/jsonschema/v6",
		patch:  "jsonschema.diff",
		files: map[string]string{
			"draft.go":    "bb436dc7f6070066e621cb1bb4b0da0a7e1fdf09e8563443885713cda2cf7dd2",
			"compiler.go": "70866caca3a796301c74dfb2a963d53809c0b94c3dcbcc7f8ac5f8f480856b76",
		},
	}, {
		module: "github.com/yuin/goldmark",
		patch:  "goldmark.diff",
		files: map[string]string{
			"parser/html_block.go":         "746f9b71f5c84e450d59a3fe1f324535ade26a335b1f2e2f8f166e6b3331ac9e",
			"parser/raw_html.go":           "0f64e54a8be0a125d465034e25c1714202d974e809392554cf9b1bcf04f6cb8e",
			"util/unicode_case_folding.go": "9acc1c62029b8ae3d0dc9a84a9f33a880ddc2ac322e9dda3c1fa038121336e8d",
			"util/util.go":                 "eb2b864bce45937f0f3156110120dee36837ed18a5cf23e785a9a0a673abf946",
		},
	}, {
		module: "github.com/atotto/clipboard",
		patch:  "clipboard.diff",
		files: map[string]string{
			"clipboard_unix.go": "c3c123edf5697462020b0c4fb8613657f36824d3bbb7f49d307de20b12f99f4a",
		},
	}, {
		module: "github.com/google/jsonschema-go",
		patch:  "jsonschema-go.diff",
		files: map[string]string{
			"jsonschema/infer.go":        "9d9ab9d8fdb37638eae71163199c3d73501ec4e0862f01f475517d7438f5ea79",
			"jsonschema/schema.go":       "399b9570f57ae543d41a2231a7b831ca940a195ded7b781565cf6c835bdd3f29",
			"jsonschema/json_pointer.go": "1f71e60308fe4c4f85877b85a2e0499783e1848cc0e39c8b5f6b0c465a4f112f",
			"jsonschema/resolve.go":      "e4835e4452469d329818c837e47b6acf3d42ef74c7d3907d1be2ce087068f362",
		},
	}, {
		module: "github.com/nats-io/nats.go",
		patch:  "nats.diff",
		files: map[string]string{
			"enc.go":                      "b55125781db22f0382454776ec749a12b51b55f0f2bc033de413b15b837fdabd",
			"encoders/builtin/gob_enc.go": "ebe165505d0e936f517d819a2ba03497d85551db0b2ccbfe8f6788e3ce341f68",
			"kv.go":                       "35c1f48bc4182b208b94bb096642ffefe1dcbc555fbbd27c6c895e280dd75e71",
			"nats.go":                     "961ba88a216faea9c52c7f1c3bf66c6217367cfeebff2f7a7c8d65e7f5d81e85",
			"parser.go":                   "ecb69ae2bfb86a12fec5a0e9e320b9c80c0d3bc5e057fac0bd31057e025a00d4",
			"object.go":                   "ba922593f38e87e78b16922fcaa3a98c1eb258f8f1fcde103e67ff82b5628cb4",
			"jetstream/jetstream.go":      "dd4285d28d89c5b78d7a19bc99ecd35bff7516f332f577a7ba8586f3b38094ab",
			"jetstream/kv.go":             "f46376500e5918f2549fbf0ff4944be0ba1eeb8a92a40130f6a20f18d0a47b0b",
			"jetstream/object.go":         "161efea513c03bb9087673386d46a2186993f6f3b03bc315ff4c8e95fd979cf2",
		},
	}, {
		module: "go.yaml.in/yaml/v4",
		patch:  "yaml.diff",
		files: map[string]string{
			"internal/libyaml/alias_data_path.go": "8cbea1c59639b973c613b9b4372ef890100845320d7330db7e352d685d744f58",
			"internal/libyaml/resolver.go":        "2e4b55ebab5da2bfc617c89dd7c7d8ba713c2cbbfbb34cf8ceb6edba0bd9313e",
			"internal/plugin/registry.go":         "09d869465a80f808e3c40bbba3440bf0998c7663dbcc559fe1d707c54e34c74e",
			"plugin/aliasdata/plugin.go":          "35dd4babeff989a440d0bdec36eecb6d7e192d19e1e13fcd82900d2c5174660e",
		},
	}}
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
		patch, err := changes.ReadFile(path.Join("changes", c.patch))
		if err != nil {
			return "", err
		}
		_, _ = key.Write(patch)
		if sources[c.module], err = source(root, c.module); err != nil {
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
		if err := c.copy(sources[c.module], filepath.Join(temp, name)); err != nil {
			return "", fmt.Errorf("%s: %w", c.module, err)
		}
		fmt.Fprintf(&replace, "\nreplace %s => ./%s/%s\n", c.module, filepath.ToSlash(dir), name)
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
	patch, err := changes.ReadFile(path.Join("changes", c.patch))
	if err != nil {
		return err
	}
	hunks, err := parse(patch)
	if err != nil {
		return fmt.Errorf("%s: %w", c.patch, err)
	}
	for name := range hunks {
		if c.files[name] == "" {
			return fmt.Errorf("%s touches %s, which has no checksum", c.patch, name)
		}
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
		if want := c.files[name]; want != "" {
			if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != want {
				return fmt.Errorf("%s is not the file that changes/%s was written for: see whether the module still needs it, adapt it, then put %x into modules.go", name, c.patch, got)
			}
			if data, err = apply(data, hunks[name]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return os.WriteFile(filepath.Join(to, name), data, 0o644)
	})
}
