package arch

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// TestPictureOfRoofs keeps the picture of docs/ARCHITECTURE.md in step with the imports.
func TestPictureOfRoofs(t *testing.T) {
	file := filepath.Join(golden.Root(t), "docs", "ARCHITECTURE.md")
	page := string(golden.Read(t, file))
	const begin, end = "```text\nROOFS\n", "```\n"
	before, rest, ok := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("the page has no block that begins with ROOFS")
	}
	golden.Compare(t, []byte(before+begin+pictureOfRoofs(load(t))+end+after), file)
}

// pictureOfRoofs has a line for each roof: how many rooms it has, and how often they import rooms of
// each other roof. A roof is above those that it imports.
func pictureOfRoofs(packages []*pkg) string {
	order := []string{"lab", "show", "act", "site", "formats", "web", "syntax", "run"}
	rooms, arrows := map[string]int{}, map[[2]string]int{}
	for _, p := range packages {
		from := roofOf(p.dir)
		if from == "" || p.name == "" {
			continue
		}
		rooms[from]++
		for _, f := range p.production() {
			for _, spec := range f.imports() {
				dir, _ := ourDir(unquote(spec.Path))
				if to := roofOf(dir); to != "" && to != from {
					arrows[[2]string{from, to}]++
				}
			}
		}
	}
	var b strings.Builder
	for n, from := range order {
		fmt.Fprintf(&b, "%-8s %2d rooms ", from, rooms[from])
		for m, to := range order {
			if count := arrows[[2]string{from, to}]; count > 0 && m > n {
				fmt.Fprintf(&b, "  ▼ %s %d", to, count)
			} else if count > 0 {
				fmt.Fprintf(&b, "  ▲ %s %d", to, count)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// roofOf returns the roof of a package, or "".
func roofOf(dir string) string {
	parts := strings.Split(dir, "/")
	if len(parts) < 3 || parts[0] != "internal" {
		return ""
	}
	return parts[1]
}

// No roof imports one above it.
func TestNoRoofImportsUpward(t *testing.T) {
	if picture := pictureOfRoofs(load(t)); strings.Contains(picture, "▲") || strings.Count(picture, "▼") < 10 {
		t.Errorf("\n%s", picture)
	}
	up := &pkg{dir: "internal/run/a", name: "a", files: []*source{parseText(t, `package a

import "github.com/wayfindhq/wayfind/internal/act/b"
`).files[0]}}
	if picture := pictureOfRoofs([]*pkg{up}); !slices.Contains(strings.Fields(picture), "▲") {
		t.Errorf("an import upward is not seen:\n%s", picture)
	}
}
