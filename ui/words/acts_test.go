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

// acts is the table of the acts: each has one word in a language.
var acts = []map[words.Language]*regexp.Regexp{
	act(`\b[Ss]en(d|ds|t|ding)\b`, `发送`, `(?i)\benvi`),
	act(`\b[Dd]ismiss`, `关闭`, `(?i)\bdispens`),
	act(`\b[Dd]iscuss`, `讨论`, `(?i)\bdiscut`),
	act(`\b[Nn]otes?\b`, `备注|notes?`, `(?i)\bobservaç|notes?\b`),
	act(`\b[Aa]nswer(|s|ed|ing)\b`, `回答|answer`, `(?i)\brespo(nd|st)`),
	act(`\b[Ss]kip(|s|ped)\b`, `跳过`, `(?i)\bpul`),
	act(`\b[Rr]eopen`, `重新打开`, `(?i)\breab`),
	act(`\b[Ww]ithdr`, `撤回`, `(?i)\bretir`),
}

// synonyms are other words for the acts and things, which no text uses.
var synonyms = map[words.Language]*regexp.Regexp{
	words.English:    regexp.MustCompile(`(?i)\b(reject(s|ed)?|leave (it )?open|left open|comments?|remarks?|a word to the agent|talk about it|re-open|skip over)\b`),
	words.Chinese:    regexp.MustCompile(`驳回|忽略问题|取消问题|评论|注释|提交回答|答复|重开|略过|撤销问题`),
	words.Portuguese: regexp.MustCompile(`(?i)\b(rejeit\w*|descart\w*|coment[aá]rio\w*|notas?|submet\w*|ignorar a pergunta|anul\w*)\b`),
}

// jargon are the words of the code for what people know by others. A person without
// a shared desk reads none of them.
var jargon = map[words.Language]*regexp.Regexp{
	words.English:    regexp.MustCompile(`(?i)\b(desks?|surfaces?|records?|tickets?|askers?|attended|detached|collect(s|ed)?)\b`),
	words.Chinese:    regexp.MustCompile(`问答台|凭据|取走|分离|附着`),
	words.Portuguese: regexp.MustCompile(`(?i)\b(mesas?|superf[ií]cies?|t[ií]quetes?|bilhetes?|cole(ta|tad[ao]|tar))\b`),
}

// ofCode are the names of commands, flags, variables and settings, which stay, and
// what machines do.
var ofCode = regexp.MustCompile(`mcp-askuser [a-z]+|desk (init|create|status)|--(desk|surface)[a-z-]*|\b(desk_[a-z]+|[A-Z]+_(DESK|SURFACE)[A-Z_]*)|\(desk\)|（desk）|setting surface|surface = |https://desk\.[a-z]+|notify-send|(nodes|(desk|node %s) does not) answer`)

// ofSharedDesk are the texts that only a user of a shared desk reads.
var ofSharedDesk = regexp.MustCompile(`(?i)shared desk|^(the desk is ready|wrong with the desk|the desk (was not created|cannot be used|does not answer|was made by)|say what the desk has|set up a desk|another program, or another version, has changed the desk|not sent yet: the desk|your answer to .* as the desk)|when the desk answers|has a desk of its own|the desk needs`)

// act has parts of the forms of its word, as regular expressions.
func act(en, zh, pt string) map[words.Language]*regexp.Regexp {
	return map[words.Language]*regexp.Regexp{words.English: regexp.MustCompile(en), words.Chinese: regexp.MustCompile(zh), words.Portuguese: regexp.MustCompile(pt)}
}

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
				if en == "" || en == words.ByOmission { // of a host's own dialog
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
	texts := map[words.Language]string{words.English: ofCode.ReplaceAllString(en, ""), l: ofCode.ReplaceAllString(said, "")}
	if l == words.Chinese {
		texts[l] = strings.ReplaceAll(texts[l], "\n", "") // lines break within words
	}
	for _, act := range acts {
		if found := act[words.English].FindString(texts[words.English]); found != "" && !act[l].MatchString(texts[l]) {
			t.Errorf("%s: %q says %q, and %q does not say %s", file, en, found, said, act[l])
		}
	}
	for in, text := range texts {
		if found := synonyms[in].FindString(text); found != "" {
			t.Errorf("%s: %q has %q, another word than that of the act", file, text, found)
		}
		if found := jargon[in].FindString(text); found != "" && !ofSharedDesk.MatchString(en) {
			t.Errorf("%s: %q has %q, a word of the code", file, text, found)
		}
	}
}
