package askuser

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui/present"
	"mcp-askuser/ui/words"
)

// deliver returns the result of the records that have ended. They count as delivered
// once the result is written; if it cannot be written, the answers are kept for the next
// call.
func (w *waiting) deliver(ctx context.Context) *mcp.CallToolResult {
	var done []*present.Waiter
	var results []*wire.Result
	var open []string
	for _, each := range w.all {
		if !each.HasEnded() {
			open = append(open, each.Record().ID)
			each.Leave()
			continue
		}
		rec, err := each.Result()
		var r *wire.Result
		if err != nil {
			r = w.failure(ctx, each.Record().ID, err)
			each.Leave()
		} else {
			r = w.resultOf(ctx, rec)
			done = append(done, each)
		}
		if len(w.all) > 1 {
			r.ID = each.Record().ID
		}
		results = append(results, r)
	}
	w.Transport.Delivered(func(written bool) {
		for _, each := range done {
			if written {
				each.Delivered()
			} else {
				each.Leave()
			}
		}
	})
	if len(w.all) > 1 {
		results[0] = wire.Join(results, open)
	}
	return w.addImages(ctx, w.result(results[0]), done)
}

// resultOf returns the result of a record that has ended.
func (w *waiting) resultOf(ctx context.Context, rec desk.Record) *wire.Result {
	r := wire.NewResult(rec)
	r.Age(rec, time.Now())
	r.AddFiles(rec.Reply(), func(f question.File) string {
		if w.Remote { // the agent is on another machine
			return ""
		}
		return w.Desk.FilePath(ctx, rec.ID, f)
	})
	if rec.State == desk.Unavailable && !rec.Outcome.Refused() {
		text := "unavailable"
		if rec.Secret() != nil {
			text = "secret"
		}
		here := strings.NewReplacer("mcp-askuser inbox", w.Command, "mcp-askuser web", w.commandTo("web"))
		r.Replace(text, map[string]string{"reason": here.Replace(words.English.Remedy(rec.Outcome))})
	}
	return r
}

// maxImages is the most bytes of images in a result: in base64 they are five million, the
// most that the model interface of Claude Code takes of one.
const maxImages = 3_700_000

// addImages adds the images of answers to their result, where the host's model is shown them.
func (w *waiting) addImages(ctx context.Context, r *mcp.CallToolResult, done []*present.Waiter) *mcp.CallToolResult {
	left := maxImages
	for _, each := range done {
		rec, _ := each.Result() // none has no files
		for _, f := range rec.Reply().Files() {
			if w.images == noImages || !f.Image() || int(f.Size) > left {
				continue
			}
			_, data, err := w.Desk.File(ctx, rec.ID, f.Key())
			if err != nil {
				w.Log.ErrorContext(ctx, "an image is left out of a result", "id", rec.ID, "file", f.Name, "error", err)
				continue
			}
			left -= len(data)
			r.Content = append(r.Content, mcp.NewImageContent(base64.StdEncoding.EncodeToString(data), f.Type))
		}
	}
	if len(r.Content) > 1 && w.images == imagesAlone {
		structured, _ := json.Marshal(r.StructuredContent) // which the transport encodes too
		r.Content[0], r.StructuredContent = mcp.NewTextContent(string(structured)), nil
	}
	return r
}
