//go:build hosts && unix

package hosts

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
)

// TestImageIsGiven checks that a host gives its model the image of an answer as an image, and
// its path.
func TestImageIsGiven(t *testing.T) {
	for name, start := range map[string]func(*testing.T, *model) *host{"codex": codex, "claude": claude} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &person{t: t, host: start(t, newModel(t))}
			p.ready()
			p.calls <- toolCall{"ask_user_question", json.RawMessage(`{"question":"What is wrong?"}`)}
			f := answerWithScreenshot(t, p.desk)
			got := p.given()
			if !strings.Contains(got, base64.StdEncoding.EncodeToString(screenshot(t))) || !strings.Contains(got, `"type":"image"`) && !strings.Contains(got, `"type":"input_image"`) {
				t.Errorf("no image: %.3000s", got)
			}
			if !strings.Contains(got, f.Key()) || !strings.Contains(got, "shot.png") {
				t.Errorf("no path: %.3000s", got)
			}
		})
	}
}

// answerWithScreenshot answers the open question in a store on the page with a screenshot.
func answerWithScreenshot(t *testing.T, dir string) question.File {
	t.Helper()
	store := desktest.Store(t, dir)
	d := desk.New(store, desk.Options{})
	var open []desk.Record
	if !waittest.Until(30*time.Second, func() bool { open, _ = d.Pending(t.Context()); return len(open) == 1 }) {
		t.Fatal("nothing was asked")
	}
	f, err := d.AttachFile(t.Context(), open[0].ID, "shot.png", bytes.NewReader(screenshot(t)))
	if err != nil {
		t.Fatal(err)
	}
	reply := question.Reply{Answers: []question.Answer{{QuestionID: open[0].Questions[0].ID, Files: []question.File{f}}}}
	if _, err := d.Reply(t.Context(), open[0].ID, reply, desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	return f
}

// screenshot is an image as large as a small window.
func screenshot(t *testing.T) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 320, 200))
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(rng.IntN(4)) * 60
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
