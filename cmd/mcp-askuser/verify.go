package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/proof"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// localKeys returns the keys beside the store, after a change unless that is nil.
func (a *app) localKeys(change func(*proof.Keys) error) (proof.Keys, error) {
	dir, err := a.storeFile(keysDir)
	if err == nil && change != nil {
		err = proof.UpdatePasskeys(dir, change)
	}
	if err != nil {
		return proof.Keys{}, err
	}
	return proof.Load(dir)
}

// keysDir is the directory of trusted keys, beside the store.
const keysDir = "keys"

func (a *app) verify() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify ID or FILE or -",
		Short: "Check that the user signed a yes to an action, offline",
		Example: `  mcp-askuser verify 01JD6Z00
  mcp-askuser show 01JD6Z00 --json > approval.json
  mcp-askuser verify approval.json --keys keys.json \
    --action "Deploy $GITHUB_SHA?" --max-age 1h`,
		ValidArgsFunction: a.completeIDs(true),
	}
	flags := cmd.Flags()
	keyFiles := flags.StringArray("keys", nil,
		"the keys to trust instead of those beside the store: a `file` as passkey list --json prints it; may be repeated")
	action := flags.String("action", "", "a `text` that the action must be")
	line := flags.String("details-contain", "", "a `text` that must be a line of the details")
	age := parsedFlag(cmd, "max-age", "how old the answer may be, as a `duration` such as 1h",
		"a time such as 90s, 10m or 3d", func(text string) (time.Duration, bool) {
			d, ok := settings.Duration(text)
			return d, ok && d > 0
		})
	asJSON := flags.Bool("json", false, "print JSON")
	return a.withSettings(cmd, func(cmd *cobra.Command, args []string) error {
		keys, err := a.localKeys(nil)
		pinned := len(*keyFiles) > 0
		if pinned {
			keys, err = proof.Keys{}, nil
			for _, file := range *keyFiles {
				err = errors.Join(err, keys.Read(file))
			}
		}
		if err != nil {
			return err
		}
		rec, err := a.readRecord(cmd.Context(), args[0], keys, pinned)
		if err == nil {
			err = verifyYes(&rec)
		}
		q := rec.Asked()
		switch {
		case err != nil:
		case *age > 0 && time.Since(rec.Outcome.At).Abs() > *age: // or signed where a clock was wrong
			err = fmt.Errorf("it was answered at %s, and not within the last %s", clock(rec.Outcome.At), *age)
		case flags.Changed("action") && strings.TrimSpace(q[0].Question.Text) != strings.TrimSpace(*action):
			err = fmt.Errorf("the action is %[1]q, and not %[2]q", q[0].Question.Text, *action)
		case flags.Changed("details-contain") && !hasLine(q[0].Description, *line):
			err = fmt.Errorf("the details have no line %q", *line)
		}
		if err != nil {
			return fmt.Errorf("not valid: %w", err)
		}
		return a.printVerified(rec, *asJSON)
	})
}

// readRecord reads a record from standard input or a file, which has a path or ends in .json, or
// finds it on the desk; and verifies its proof. The desk has verified it with the keys that count
// for it: others count only if they are pinned.
func (a *app) readRecord(ctx context.Context, name string, keys proof.Keys, pinned bool) (rec desk.Record, err error) {
	if name != "-" && !strings.ContainsAny(name, `/\`) && !strings.HasSuffix(name, ".json") {
		d, err := a.deskTrusting(func(func(*proof.Keys) error) (proof.Keys, error) { return keys, nil })
		if err != nil {
			return rec, err
		}
		rec, err = find(ctx, d, name)
		switch {
		case err != nil || !pinned && rec.Outcome != nil && rec.Outcome.Proof.Public() != nil:
			return rec, err
		case rec.State == desk.Failed:
			return rec, errors.New(words.English.Reason(rec.Outcome))
		case !pinned:
			keys = proof.Keys{}
		}
		return rec, rec.VerifyProof(&keys)
	}
	in := io.Reader(a.in)
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return rec, err
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	reader := json.NewDecoder(io.LimitReader(in, maxInput))
	err = reader.Decode(&rec)
	if err != nil || rec.ID == "" || reader.More() {
		return rec, errors.Join(errors.New("it is not one question, as mcp-askuser show ID --json prints it"), err)
	}
	return rec, rec.VerifyProof(&keys)
}

// verifyYes checks that what was signed is a yes of the user's to an action that the surface has
// shown whole. All that it reads is signed.
func verifyYes(rec *desk.Record) error {
	explained := func(o question.Option) bool { return o.Description != "" || o.Preview != "" }
	unseen := rec.Outcome.Proof.Kind == question.CredentialProof && !rec.Prove // on any surface
	if !rec.Set.Provable() || unseen || slices.ContainsFunc(rec.Questions[0].Options, explained) {
		return errors.New(
			"it is no confirmation: only the answer to one yes-or-no question that was asked as such can be proven")
	}
	answers := rec.Reply().Answers
	yes := []string{question.YesID}
	if len(answers) != 1 || answers[0].By != question.ByUser || !slices.Equal(answers[0].Selected, yes) {
		return errors.New("the user signed it, and did not answer yes")
	}
	return nil
}

// hasLine reports whether a text has a line, but for white space at its ends.
func hasLine(text, line string) bool {
	line = strings.TrimSpace(line)
	same := func(x string) bool { return strings.TrimSpace(x) == line }
	return line != "" && slices.ContainsFunc(strings.Split(text, "\n"), same)
}

// printVerified prints what is signed, and nothing else of the record.
func (a *app) printVerified(rec desk.Record, asJSON bool) error {
	by := rec.Outcome.Proof.Public()
	s, err := rec.ProofStatement(*rec.Reply(), rec.Outcome.At)
	if err != nil {
		return err
	}
	s.Version = proof.Version
	if asJSON {
		return a.printJSON(struct {
			proof.Statement
			Proof *question.Proof `json:"proof"`
		}{s, by})
	}
	a.print(fmt.Sprintf("Valid: %s at %s.\nKey %s\nQuestion %s\nAsked by %s in %s, session %s\n\n%s",
		words.English.Signed(rec.Outcome), clock(by.At), question.Line(by.Key), s.ID, question.Line(s.Asker.Client),
		question.Line(s.Asker.Directory), question.Line(s.Asker.Session), questionsText(rec, a.out.width())))
	return nil
}
