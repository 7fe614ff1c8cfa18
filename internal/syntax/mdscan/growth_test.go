package mdscan

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/yuin/goldmark/text"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// counter counts the bytes that goldmark reads. It requests each line before it uses it.
type counter struct {
	text.Reader
	bytes int
}

func (c *counter) PeekLine() ([]byte, text.Segment) {
	line, segment := c.Reader.PeekLine()
	c.bytes += len(line) + 1
	return line, segment
}

// cost scans a body and returns the numbers of bytes that goldmark read and that were
// allocated.
func cost(t *testing.T, body string) (steps, allocated float64) {
	t.Helper()
	raw := []byte(body)
	allocated = testkit.Allocated(func() {
		if _, err := Scan(raw); err != nil {
			t.Fatal(err)
		}
	})
	d := &Doc{lines: newLineTable(body)}
	reader := &counter{Reader: text.NewReader(d.prepare(1).text)}
	if _, err := tree(reader); err != nil {
		t.Fatal(err)
	}
	return float64(reader.bytes), allocated
}

// fill repeats a pattern up to n bytes.
func fill(pattern string, n int) string {
	return strings.Repeat(pattern, max(n/len(pattern), 1))
}

// hostile returns bodies of about n bytes that try to cost more.
func hostile(n int) map[string]string {
	var stairs strings.Builder
	for i := range 40 {
		stairs.WriteString(strings.Repeat(" ", 2*i) + "- a\n")
	}
	deep := strings.Repeat("- ", 16)
	inside := "\n" + strings.Repeat(" ", 64) + "a\n"
	m := map[string]string{
		"markers in one line":     fill("- ", n),
		"quotes in one line":      fill(">", n),
		"numbers in one line":     fill("1. ", n),
		"stairs":                  fill(stairs.String(), n),
		"deep lines":              fill(deep+"a\n", n),
		"deep and shallow":        fill(deep+"a\n- b\n", n),
		"deep, then lazy":         deep + "a\n" + fill("b\n", n),
		"deep, then blank":        deep + "a\n" + fill("\n", n),
		"deep, then blanks":       deep + "a\n" + fill("  \n", n),
		"deep, then inside":       stairs.String() + fill(inside, n),
		"deep, then two blanks":   stairs.String() + fill("\n"+inside, n),
		"deep fence":              deep + "```\n" + fill("b\n", n),
		"deep fence inside":       stairs.String() + strings.Repeat(" ", 64) + "```\n" + fill(strings.Repeat(" ", 64)+"a\n", n),
		"indentation":             fill(" ", n) + "- a",
		"tabs":                    fill("\t", n) + "- a",
		"indented code":           fill("    a\n", n),
		"empty items":             fill("-\n", n),
		"empty items and blank":   fill("-\n\n", n),
		"items":                   fill("- a\n", n),
		"loose items":             fill("- a\n\n", n),
		"changing bullets":        fill("- a\n+ b\n* c\n", n),
		"numbers":                 fill("1. a\n", n),
		"digits":                  fill("1234567890\n", n),
		"headings":                fill("# a\n", n),
		"empty headings":          fill("#\n", n),
		"signs in one line":       fill("#", n),
		"heading of signs":        "# a " + fill("#", n),
		"heading of spaced signs": "# a " + fill("# ", n),
		"fences":                  fill("```\n", n),
		"open fences":             fill("``` `\n", n),
		"long fence":              fill("`", n) + "\n" + fill("a\n", n),
		"comments":                fill("<!--\n", n),
		"closed comments":         fill("<!---->\n", n),
		"open comment":            "<!--\n" + fill("--\n", n),
		"tags":                    fill("<div>\n\n", n),
		"attributes":              "<a" + fill(" x=y", n) + "\n",
		"open attributes":         "<a" + fill(" x=\"", n) + "\n",
		"lines":                   fill("a\n", n),
		"line":                    fill("a", n),
		"blank lines":             fill("\n", n),
		"rulers":                  fill("---\n", n),
		"almost rulers":           fill("- - a\n", n),
		"spaced ruler":            fill("- ", n) + "\n",
		"spaced stars":            fill("*\t", n) + "\n",
		"front":                   "---\n" + fill("a\n", n),
		"backslashes":             fill("\\\n", n),
		"carriage returns":        fill("\r", n),
		"setext":                  fill("a\n=\n", n),
		"tables":                  fill("|a|b|\n|-|-|\n", n),
	}
	return m
}

// patterns returns the patterns of own_markdown_patterns.json at n bytes.
func patterns(t *testing.T, n int) map[string]string {
	t.Helper()
	var file struct {
		Patterns []struct{ Name, Pattern string } `json:"patterns"`
	}
	if err := json.Unmarshal(golden.Read(t, golden.Vectors(t, "naughty", "own_markdown_patterns.json")), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Patterns) == 0 {
		t.Fatal("no patterns")
	}
	found := map[string]string{}
	for _, p := range file.Patterns {
		body := ""
		switch p.Name {
		case "list-inline-a":
			body = fill("- ", n) + "a"
		case "nested-list":
			for i := 0; len(body) < n; i++ {
				body += strings.Repeat(" ", 2*i) + "* a\n"
			}
		case "refdefs", "refs":
			var b strings.Builder
			for i := 0; b.Len() < n; i++ {
				fmt.Fprintf(&b, "[r%d]: /u\n[r%d]\n", i, i)
			}
			body = b.String()
		case "setext":
			body = fill("a\n", n) + "="
		case "blockquote-lines":
			body = fill(strings.Repeat(">", 500)+" a\n", n)
		case "lazy":
			body = fill(strings.Repeat("> ", 200)+"\na\n", n)
		case "brackets-close":
			body = fill("[", n/2) + fill("]", n/2)
		case "nested-links":
			body = fill("[", n/5) + fill("](a)", n*4/5)
		case "backtick":
			var b strings.Builder
			for i := 1; b.Len() < n; i++ {
				b.WriteString("e" + strings.Repeat("`", i))
			}
			body = b.String()[:n]
		default:
			body = fill(strings.ReplaceAll(p.Pattern, `\n`, "\n"), n)
		}
		found["vector "+p.Name] = body[:min(len(body), MaxBytes)]
	}
	return found
}

// The bytes that goldmark reads and the allocated bytes grow in proportion to the body, and
// both have a limit per byte.
func TestReadingMarkdownGrowsWithTheBody(t *testing.T) {
	testkit.Large(t)
	const small, mine, given, most = 8 << 10, 96 << 10, 250 << 10, 1.2
	bodies, big := hostile(small), hostile(mine)
	maps.Copy(bodies, patterns(t, small))
	maps.Copy(big, patterns(t, given))
	for name, body := range big {
		t.Run(name, func(t *testing.T) {
			body = body[:min(len(body), MaxBytes)]
			lowSteps, lowBytes := cost(t, bodies[name])
			steps, bytes := cost(t, body)
			ratio := math.Log(float64(len(body)) / float64(len(bodies[name])))
			if growth := math.Log(steps/lowSteps) / ratio; growth > most {
				t.Errorf("%.0f bytes looked at of %d, %.0f of %d: exponent %.2f", lowSteps, len(bodies[name]), steps, len(body), growth)
			}
			if growth := math.Log(bytes/lowBytes) / ratio; growth > most {
				t.Errorf("%.0f bytes allocated for %d, %.0f for %d: exponent %.2f", lowBytes, len(bodies[name]), bytes, len(body), growth)
			}
			if each := bytes / float64(len(body)); each > 600 {
				t.Errorf("%.0f bytes allocated for each of the body", each)
			}
			if each := steps / float64(len(body)); each > 300 {
				t.Errorf("%.0f bytes looked at for each of the body", each)
			}
		})
	}
}

// The body has the maximum size of an agents.md.
func BenchmarkHostileMarkdown(b *testing.B) {
	for name, body := range hostile(64 << 10) {
		raw := []byte(body[:min(len(body), MaxBytes)])
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if _, err := Scan(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
