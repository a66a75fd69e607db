package hooked

import (
	"strings"
	"testing"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/local"
	"mcp-askuser/mirror"
	"mcp-askuser/ui/words"
)

// Whichever program it is, it speaks the language that is set, or that of the
// host's environment.
func TestLanguage(t *testing.T) {
	t.Cleanup(func() { words.Local = words.English })
	for variable, want := range map[string]words.Language{"LANG=pt_BR.UTF-8": words.Portuguese, "ASK_LANGUAGE=zh": words.Chinese, "LANG=de_DE.UTF-8": words.English} {
		name, value, _ := strings.Cut(variable, "=")
		env := map[string]string{local.EnvDir: t.TempDir(), name: value}
		getenv := func(name string) string { return env[name] }
		s := settings.Load(getenv)
		host, _ := mirror.ByName("claude-code")
		Run(host, Flags{}, s, getenv, func(dir string, o desk.Options) (*desk.Desk, error) { return desk.New(local.Open(dir), o), nil })
		if words.Local != want {
			t.Errorf("with %s it speaks %s", variable, words.Local)
		}
	}
}
