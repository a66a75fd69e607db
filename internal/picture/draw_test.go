package picture

import (
	"encoding/base64"
	"fmt"
	"html"
	"image/color"
	"strings"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Frame is what is shown for a while: cells of a terminal, or an image.
type Frame struct {
	Title string // what it is
	Cells [][]uv.Cell
	WebP  []byte // instead of cells, scaled to the same place
	For   time.Duration
}

// The sizes of a picture, in its own units.
const (
	cell, row    = 8.4, 17.0 // a cell of a font of 14
	margin, head = 12.0, 26.0
	background   = "#15171c"
	foreground   = "#d8dbe2"
)

// palette is the sixteen colours that a terminal's user chooses.
func palette(c ansi.BasicColor) string {
	return [...]string{
		"#3b3f4a", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d8dbe2",
		"#7f8694", "#f08a92", "#b5d99c", "#f0d197", "#85c4f5", "#d79ae8", "#7fccd6", "#ffffff",
	}[c%16]
}

// SVG returns the picture of frames on a terminal of this size in cells. Where
// nothing may move, it shows the frame that is named as the still one.
func SVG(title string, cols, rows int, frames []Frame, still int) []byte {
	width, height := 2*margin+cell*float64(cols), head+2*margin+row*float64(rows)
	var b, body strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 %g %g" role="img">`+"\n<title>%s</title>\n<style>\n", width, height, html.EscapeString(title))
	b.WriteString("text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace;white-space:pre}\n.f{visibility:hidden}\n")
	total := time.Duration(0)
	for _, f := range frames {
		total += f.For
	}
	lines := lines{ids: map[string]int{}}
	at := time.Duration(0)
	for i, f := range frames {
		percent := func(d time.Duration) float64 { return 100 * d.Seconds() / total.Seconds() }
		fmt.Fprintf(&b, "@keyframes k%d{0%%{visibility:%s}%.2f%%{visibility:visible}%.2f%%,to{visibility:hidden}}#f%d{animation:k%d %gs step-end infinite}\n",
			i, map[bool]string{true: "visible", false: "hidden"}[at == 0], percent(at), percent(at+f.For), i, i, total.Seconds())
		at += f.For
		fmt.Fprintf(&body, `<g class="f" id="f%d"><text x="%g" y="18" fill="#7f8694">%s</text>`, i, margin+56, html.EscapeString(f.Title))
		if f.WebP != nil {
			fmt.Fprintf(&body, `<image x="0" y="%g" width="%g" height="%g" preserveAspectRatio="xMidYMin slice" xlink:href="data:image/webp;base64,%s"/>`,
				head, width, height-head, base64.StdEncoding.EncodeToString(f.WebP))
		}
		for y, cells := range f.Cells {
			if id := lines.id(cells); id >= 0 {
				fmt.Fprintf(&body, `<use xlink:href="#l%d" y="%g"/>`, id, head+margin+row*float64(y))
			}
		}
		body.WriteString("</g>\n")
	}
	fmt.Fprintf(&b, "@media(prefers-reduced-motion:reduce){.f{animation:none!important}#f%d{visibility:visible}}\n</style>\n<defs>%s</defs>\n", still, lines.defs.String())
	fmt.Fprintf(&b, `<clipPath id="c"><rect width="%g" height="%g" rx="9"/></clipPath><g clip-path="url(#c)"><rect width="100%%" height="100%%" fill="%s"/><rect width="100%%" height="%g" fill="#23262e"/>`, width, height, background, head)
	for i, c := range []string{"#e06c75", "#e5c07b", "#98c379"} {
		fmt.Fprintf(&b, `<circle cx="%g" cy="13" r="5" fill="%s"/>`, margin+6+float64(16*i), c)
	}
	return []byte(b.String() + "\n" + body.String() + "</g></svg>\n")
}

// lines are the lines of all frames, each once.
type lines struct {
	ids  map[string]int
	defs strings.Builder
}

// id returns the number of a line, -1 of an empty one.
func (l *lines) id(cells []uv.Cell) int {
	drawn := draw(cells)
	if drawn == "" {
		return -1
	}
	id, known := l.ids[drawn]
	if !known {
		id = len(l.ids)
		l.ids[drawn] = id
		fmt.Fprintf(&l.defs, `<g id="l%d">%s</g>`, id, drawn)
	}
	return id
}

// draw draws a line at the origin: runs of cells of one style, each held to its
// width, whatever the font.
func draw(cells []uv.Cell) string {
	var b strings.Builder
	for from := 0; from < len(cells); {
		style, text, to := cells[from].Style, "", from
		for ; to < len(cells) && cells[to].Style.Equal(&style); to++ {
			if c := cells[to]; c.Width > 0 && c.Content == "" {
				text += " "
			} else {
				text += c.Content
			}
		}
		b.WriteString(run(text, from, to, style))
		from = to
	}
	return b.String()
}

func run(text string, from, to int, style uv.Style) string {
	x, width := margin+cell*float64(from), cell*float64(to-from)
	fg, bg := hex(style.Fg, foreground), hex(style.Bg, "")
	if style.Attrs&uv.AttrReverse != 0 {
		if bg == "" {
			bg = background
		}
		fg, bg = bg, fg
	}
	out := ""
	if bg != "" {
		out = fmt.Sprintf(`<rect x="%.1f" width="%.1f" height="%g" fill="%s"/>`, x, width, row, bg)
	}
	shown := strings.TrimLeft(text, " ")
	left := len(text) - len(shown)
	shown = strings.TrimRight(shown, " ")
	if shown == "" {
		return out
	}
	x, width = x+cell*float64(left), cell*float64(ansi.StringWidth(shown))
	more := ""
	if style.Attrs&uv.AttrBold != 0 {
		more += ` font-weight="bold"`
	}
	if style.Attrs&uv.AttrFaint != 0 {
		more += ` opacity=".6"`
	}
	if style.Attrs&uv.AttrItalic != 0 {
		more += ` font-style="italic"`
	}
	if style.Underline != 0 {
		more += ` text-decoration="underline"`
	}
	return out + fmt.Sprintf(`<text x="%.1f" y="13" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`, x, width, fg, more, html.EscapeString(shown))
}

// hex is a colour as SVG has it; of none, what it is instead.
func hex(c color.Color, none string) string {
	switch c := c.(type) {
	case nil:
		return none
	case ansi.BasicColor:
		return palette(c)
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
