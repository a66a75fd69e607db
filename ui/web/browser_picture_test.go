//go:build browser

package web

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

func compare(t *testing.T, name string, shot []byte) {
	t.Helper()
	path := filepath.Join("testdata/browser", name+".png")
	if *updateShots {
		if err := os.WriteFile(path, shot, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := must(png.Decode(bytes.NewReader(must(os.ReadFile(path)))))
	got := must(png.Decode(bytes.NewReader(shot)))
	if err := alike(got, want); err != nil {
		kept := filepath.Join(os.TempDir(), "askuser-"+name+".png")
		_ = os.WriteFile(kept, shot, 0o600)
		t.Errorf("%v; what it looks like now is in %s. Look at it, and run with -update-shots if it is meant", err,
			kept)
	}
}

// alike compares the average colours of two pictures in squares of 16 pixels. They may be off by
// 28 of 255.
func alike(got, want image.Image) error {
	const square, most = 16, 28
	if got.Bounds() != want.Bounds() {
		return fmt.Errorf("the size is %v, was %v", got.Bounds(), want.Bounds())
	}
	b := got.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y += square {
		for x := b.Min.X; x < b.Max.X; x += square {
			r := image.Rect(x, y, x+square, y+square).Intersect(b)
			a, was := average(got, r), average(want, r)
			for i := range a {
				if a[i] > was[i]+most || was[i] > a[i]+most {
					return fmt.Errorf("the square at %v is %v, was %v", r.Min, a, was)
				}
			}
		}
	}
	return nil
}

func average(m image.Image, r image.Rectangle) [3]int {
	var sum [3]int
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c := color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)
			sum[0], sum[1], sum[2] = sum[0]+int(c.R), sum[1]+int(c.G), sum[2]+int(c.B)
		}
	}
	n := r.Dx() * r.Dy()
	return [3]int{sum[0] / n, sum[1] / n, sum[2] / n}
}
