package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
)

func TestPut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	holds := func(want string) {
		t.Helper()
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("it holds %q, %v; want %q", got, err, want)
		}
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
			t.Errorf("beside it stand %v, %v", left, err)
		}
	}
	fatal.If(t, Put(path, []byte("one"), 0o640, os.Link))
	holds("one")
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := Put(path, []byte("two"), 0o600, os.Link); !errors.Is(err, fs.ErrExist) {
		t.Errorf("where there is one: %v", err)
	}
	holds("one")
	fatal.If(t, Put(path, []byte("three"), 0o600, os.Rename))
	holds("three")
	if err := Put(filepath.Join(path, "b"), nil, 0o600, os.Rename); err == nil {
		t.Error("below a file")
	}
}

// envDie names the file that the test binary, run as a process of its own, is killed writing.
const envDie = "WHOLEFILE_TEST_DIE"

func TestMain(m *testing.M) {
	if path := os.Getenv(envDie); path != "" {
		_ = Put(path, []byte("half"), 0o600, func(string, string) error {
			self, _ := os.FindProcess(os.Getpid())
			return self.Kill()
		})
	}
	os.Exit(m.Run())
}

// What a killed writer leaves is removed by the next one, and nothing else beside it.
func TestNextWriterRemovesWhatAKilledOneLeft(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.toml")
	killed := exec.Command(os.Args[0])
	killed.Env = append(os.Environ(), envDie+"="+path)
	if err := killed.Run(); err == nil {
		t.Fatal("the writer was not killed")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Fatalf("it left %v, %v", left, err)
	}
	others := []string{".config.toml.swp", ".config.toml.123", "..config.toml.4.tmp"}
	for _, name := range append(others, left[0].Name()) {
		name = filepath.Join(dir, name)
		old := time.Now().Add(-2 * staleAfter)
		fatal.If(t, errors.Join(os.WriteFile(name, nil, 0o600), os.Chtimes(name, old, old)))
	}
	young := filepath.Join(dir, left[0].Name()+"1") // may be a living writer's
	young = strings.Replace(young, tempSuffix+"1", "1"+tempSuffix, 1)
	fatal.If(t, os.WriteFile(young, nil, 0o600))
	fatal.If(t, Put(path, []byte("whole"), 0o600, os.Rename))
	var now []string
	after, err := os.ReadDir(dir)
	for _, e := range after {
		now = append(now, e.Name())
	}
	want := slices.Concat(others, []string{filepath.Base(young), "config.toml"})
	slices.Sort(want)
	if err != nil || !slices.Equal(now, want) {
		t.Errorf("there are %q, %v; want %q", now, err, want)
	}
}
