package words_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/leonelquinteros/gotext"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/ui/words"
)

// acts is the table of the acts: each has one word in a language, given as parts of its forms.
var acts = []map[words.Language]string{
	{words.English: `\b[Ss]en(d|ds|t|ding)\b`, words.Chinese: `发送`, words.Portuguese: `(?i)\benvi`},
	{words.English: `\b[Dd]ismiss`, words.Chinese: `关闭`, words.Portuguese: `(?i)\bdispens`},
	{words.English: `\b[Dd]iscuss`, words.Chinese: `讨论`, words.Portuguese: `(?i)\bdiscut`},
	{words.English: `\b[Nn]otes?\b`, words.Chinese: `备注|notes?`, words.Portuguese: `(?i)\bobservaç|notes?\b`},
	{words.English: `\b[Aa]nswer(|s|ed|ing)\b`, words.Chinese: `回答|answer`, words.Portuguese: `(?i)\brespo(nd|st)`},
	{words.English: `\b[Ss]kip(|s|ped)\b`, words.Chinese: `跳过`, words.Portuguese: `(?i)\bpul`},
	{words.English: `\b[Rr]eopen`, words.Chinese: `重新打开`, words.Portuguese: `(?i)\breab`},
	{words.English: `\b[Ww]ithdr`, words.Chinese: `撤回`, words.Portuguese: `(?i)\bretir`},
}

// ofCode are names of commands, which stay.
var ofCode = regexp.MustCompile(`mcp-askuser [a-z]+`)

// TestActs: a translation has the word of each act that its text has.
func TestActs(t *testing.T) {
	for _, l := range words.Languages()[1:] {
		files, err := filepath.Glob(filepath.Join("locale", string(l), "*.po"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no catalogues of %s: %v", l, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			fatal.If(t, err)
			po := gotext.NewPo()
			po.Parse(text)
			for en, tr := range po.GetDomain().GetTranslations() {
				if en == words.ByOmission { // of a host's own dialog
					continue
				}
				for _, said := range tr.Trs {
					checkActs(t, file, l, en, said)
				}
			}
		}
	}
}

// checkActs checks the translation of one text.
func checkActs(t *testing.T, file string, l words.Language, en, said string) {
	t.Helper()
	text := ofCode.ReplaceAllString(said, "")
	if l == words.Chinese {
		text = strings.ReplaceAll(text, "\n", "") // lines break within words
	}
	for _, act := range acts {
		found := regexp.MustCompile(act[words.English]).FindString(ofCode.ReplaceAllString(en, ""))
		if found != "" && !regexp.MustCompile(act[l]).MatchString(text) {
			t.Errorf("%s: %q says %q, and %q does not say %s", file, en, found, said, act[l])
		}
	}
}
