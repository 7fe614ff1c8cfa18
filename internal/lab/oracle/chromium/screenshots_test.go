package chromium

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// maxPicture is the maximum size of a picture in the documentation.
const maxPicture = 150 << 10

// TestScreenshots draws the pictures of docs/INSPECT.md, and with -update writes them.
func TestScreenshots(t *testing.T) {
	t.Setenv("SHOP_KEY", "a-key-for-the-picture")
	for _, picture := range []struct {
		name, host, scheme string
		width, height      int64
		open               func(*testing.T, context.Context)
	}{
		{"inspect-waterfall.png", "everything.example", "light", 1200, 760, func(t *testing.T, ctx context.Context) {
			selectBar(t, ctx, "aidiscovery found")
			value[any](t, ctx, `(() => { const f = document.getElementById("waterfall-filter"); f.value = ""; f.dispatchEvent(new Event("input")); })()`)
		}},
		{"inspect-tools-dark.png", "everything.example", "dark", 1200, 760, func(t *testing.T, ctx context.Context) {
			do(t, ctx, chromedp.KeyEvent("3"))
			opened(t, ctx, "tools")
		}},
		{"inspect-site-narrow.png", "everything.example", "light", 400, 760, func(t *testing.T, ctx context.Context) {
			do(t, ctx, chromedp.KeyEvent("2"))
			opened(t, ctx, "site")
		}},
		{"inspect-call.png", "everything.example", "light", 1200, 900, func(t *testing.T, ctx context.Context) {
			do(t, ctx, chromedp.KeyEvent("4"))
			shows(t, ctx, "#about", "Capability")
			do(t, ctx, chromedp.SendKeys(`[id="arg/q"]`, "green tea"), chromedp.Click("#preview"))
			shows(t, ctx, "#request", "green")
		}},
	} {
		t.Run(picture.name, func(t *testing.T) {
			ctx := tab(t, inspect(t, picture.host, "--credential", "api_key=env:SHOP_KEY"))
			shows(t, ctx, "#state", "answered")
			media(t, ctx, picture.scheme)
			do(t, ctx, chromedp.EmulateViewport(picture.width, picture.height))
			picture.open(t, ctx)
			time.Sleep(300 * time.Millisecond) // for rows that are created on demand
			raw, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			drawn := shrunk(t, raw)
			checkPicture(t, drawn, picture.width, picture.height)
			file := filepath.Join("..", "..", "..", "..", "docs", "images", picture.name)
			if golden.Updating() {
				if err := os.WriteFile(file, drawn, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			kept, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			checkPicture(t, kept, picture.width, picture.height)
		})
	}
}

// shrunk returns a picture with its 256 most frequent colours, which are enough for text.
func shrunk(t *testing.T, raw []byte) []byte {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	count := map[color.Color]int{}
	bounds := full.Bounds()
	for x := range bounds.Dx() {
		for y := range bounds.Dy() {
			count[full.At(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int {
		return cmp.Or(count[b]-count[a], strings.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	small := image.NewPaletted(bounds, colours[:min(256, len(colours))])
	draw.Draw(small, bounds, full, image.Point{}, draw.Src)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// checkPicture checks the size of a picture, and that it is not empty.
func checkPicture(t *testing.T, raw []byte, width, height int64) {
	t.Helper()
	if len(raw) > maxPicture {
		t.Errorf("it has %d bytes, more than %d", len(raw), maxPicture)
	}
	drawn, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	size := drawn.Bounds().Size()
	if int64(size.X) != width || int64(size.Y) != height {
		t.Errorf("it has %v pixels", size)
	}
	red, green, blue, _ := drawn.At(0, 0).RGBA()
	ink := 0
	for x := range size.X {
		for y := range size.Y {
			if r, g, b, _ := drawn.At(x, y).RGBA(); r != red || g != green || b != blue {
				ink++
			}
		}
	}
	if ink < size.X*size.Y/50 {
		t.Errorf("%d pixels of it are not paper: it is empty", ink)
	}
}
