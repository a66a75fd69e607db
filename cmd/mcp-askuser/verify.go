package main

import (
	"bytes"
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
	"mcp-askuser/ui/api"
	"mcp-askuser/ui/view"
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
		Short: "Check that the user signed an answer, offline",
		Example: `  mcp-askuser verify 01JD6Z00
  mcp-askuser show 01JD6Z00 --json > approval.json
  mcp-askuser verify approval.json --keys keys.json \
    --contains "$GITHUB_SHA" --max-age 1h`,
		ValidArgsFunction: a.completeIDs(true),
	}
	keyFiles := cmd.Flags().StringArray("keys", nil, "the keys to trust instead of those beside the store: a `file` as passkey list --json prints it; may be repeated")
	contains := cmd.Flags().String("contains", "", "a `text` that the question or its details must contain")
	maxAge := cmd.Flags().String("max-age", "", "how old the answer may be, as a `duration` such as 1h")
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	return a.withSettings(cmd, func(cmd *cobra.Command, args []string) error {
		age, ok := settings.Duration(*maxAge)
		if *maxAge != "" && (!ok || age == 0) {
			return errors.New(words.T("--max-age takes a time such as 90s, 10m or 3d, and not %q", *maxAge))
		}
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
		rec, err := a.readRecord(cmd.Context(), args[0], &keys, pinned)
		if err == nil {
			err = verifyRecord(&rec, &keys, pinned, *contains, age)
		}
		if err != nil {
			return fmt.Errorf(words.T("not valid: %w"), err)
		}
		if *asJSON {
			err = a.printJSON(api.NewStored(rec))
		} else {
			a.printVerified(rec)
		}
		if err == nil && rec.Confirms() && rec.Asked()[0].Value() != true {
			err = errors.New(words.T("the user signed it, and did not answer yes"))
		}
		return err
	})
}

// readRecord reads a record from a file or standard input, or finds it on the desk, which has
// verified it with the keys that count for it: others count only if they are pinned.
func (a *app) readRecord(ctx context.Context, name string, keys *proof.Keys, pinned bool) (rec desk.Record, err error) {
	var data []byte
	if name == "-" {
		data, err = io.ReadAll(io.LimitReader(a.in, maxInput))
	} else if data, err = os.ReadFile(name); os.IsNotExist(err) && !strings.ContainsAny(name, `./\`) {
		d, _, err := a.deskTrusting(func(func(*proof.Keys) error) (proof.Keys, error) { return *keys, nil })
		if err != nil {
			return rec, err
		}
		if rec, err = find(ctx, d, name); !pinned {
			*keys = proof.Keys{}
		}
		return rec, err
	}
	if err == nil {
		reader := json.NewDecoder(bytes.NewReader(data))
		if err = reader.Decode(&rec); err == nil && (rec.ID == "" || reader.More()) {
			err = errors.New(words.T("it is not one question, as mcp-askuser show ID --json prints it"))
		}
	}
	return rec, err
}

func verifyRecord(rec *desk.Record, keys *proof.Keys, pinned bool, contains string, age time.Duration) error {
	if rec.State == desk.Failed {
		return errors.New(words.Local.Reason(rec.Outcome))
	}
	if pinned || rec.Outcome == nil || rec.Outcome.Proof.Public() == nil {
		if err := rec.VerifyProof(keys); err != nil {
			return err
		}
	}
	if age > 0 && time.Since(rec.Outcome.At).Abs() > age { // or signed where a clock was wrong
		return errors.New(words.T("it was answered at %s, and not within the last %s", clock(rec.Outcome.At), age))
	}
	if !slices.ContainsFunc(rec.Questions, func(q question.Question) bool {
		return strings.Contains(q.Text, contains) || strings.Contains(q.Description, contains)
	}) {
		return errors.New(words.T("the question does not contain %q", contains))
	}
	return nil
}

func (a *app) printVerified(rec desk.Record) {
	p := page{width: a.out.width()}
	by := rec.Outcome.Proof.Public()
	p.line(0, words.T("Valid: %[1]s at %[2]s.", words.Local.Signed(rec.Outcome), clock(by.At)))
	p.line(0, words.T("Key %s", by.Key))
	p.record(view.Local(rec))
	a.print(p.String())
}
