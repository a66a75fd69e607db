package term

import (
	"image/color"
	"math"
	"testing"

	"charm.land/lipgloss/v2"
)

// TestContrast: words stand out from the background of a dark and of a light terminal by 4.5 to 1
// (WCAG 1.4.3).
func TestContrast(t *testing.T) {
	for shade, dark := range map[uint8]bool{0x00: true, 0x1e: true, 0xf0: false, 0xff: false} {
		s := NewStyles(dark)
		for name, style := range map[string]lipgloss.Style{"cursor": s.Cursor, "muted": s.Muted, "fault": s.Fault, "title": s.Title, "key": s.Key} {
			words, behind := luminance(style.GetForeground()), luminance(color.Gray{Y: shade})
			if c := (max(words, behind) + 0.05) / (min(words, behind) + 0.05); c < 4.5 {
				t.Errorf("%s on %x: a contrast of %.1f", name, shade, c)
			}
		}
	}
}

func luminance(c color.Color) float64 {
	linear := func(part uint32) float64 {
		if v := float64(part) / 0xffff; v > 0.04045 {
			return math.Pow((v+0.055)/1.055, 2.4)
		}
		return float64(part) / 0xffff / 12.92
	}
	red, green, blue, _ := c.RGBA()
	return 0.2126*linear(red) + 0.7152*linear(green) + 0.0722*linear(blue)
}
