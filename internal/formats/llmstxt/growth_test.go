package llmstxt_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/llmstxt"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
)

// hostile returns texts of about n bytes that try to cost more.
func hostile(n int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, max(n/len(s), 1)) }
	return map[string]string{
		"links":             "# T\n## A\n" + fill("- [a](/a)\n"),
		"sections":          "# T\n" + fill("## A\n- [a](/a)\n"),
		"titles":            fill("# T\n"),
		"prose":             "# T\n" + fill("## A\ntext\n"),
		"quotes":            "# T\n" + fill("> a\n"),
		"many quotes":       "# T\n" + fill("> a\n\n"),
		"open brackets":     fill("["),
		"brackets":          fill("[]"),
		"nested brackets":   strings.Repeat("[", n/2) + strings.Repeat("]", n/2),
		"nested links":      strings.Repeat("[", n/5) + strings.Repeat("](a)", n/5),
		"nested images":     strings.Repeat("![", n/6) + strings.Repeat("](a)", n/6),
		"open destinations": fill("[]("),
		"parentheses":       "[](" + fill("("),
		"open titles":       fill(`[](a "b [](a 'b `),
		"closed titles":     fill(`[](a "b" `),
		"open angles":       fill("[](<"),
		"long destinations": fill("[](" + strings.Repeat("a", 3000)),
		"ticks":             fill("` "),
		"open ticks":        fill("`` ` ``` "),
		"schemes":           fill("https://"),
		"bare URLs":         fill("https://a.example/ "),
		"one bare URL":      "https://a.example/" + fill("a"),
		"punctuation":       "https://a.example/" + fill("."),
		"closing":           "https://a.example/" + fill(")"),
		"scripts":           fill("见https://a.example/，"),
		"h":                 fill("h"),
		"definitions":       "# T\n" + fill("[a]: /a\n"),
		"references":        "# T\n" + strings.Repeat("[a][x] ", n/7) + "\n\n[x]: /x\n",
		"labels":            "# T\n" + strings.Repeat("["+strings.Repeat("a", 990)+"]", n/992) + "\n\n[x]: /x\n",
		"nested labels":     "# T\n" + strings.Repeat("[", n/2) + strings.Repeat("]", n/2) + "\n\n[x]: /x\n",
		"backslashes":       fill("\\"),
		"lines of an item":  "- " + fill("[a](/a)\n  "),
		"paths":             fill("- /a.b\n"),
		"bad links":         fill("- [a](javascript:a)\n"),
		"hints":             fill("- [a](/openapi.json)\n"),
		"code":              fill("```\na\n```\n"),
		"front":             "---\n" + fill("a\n") + "---\n",
	}
}

// The cost is proportional to the text.
func TestGrowth(t *testing.T) { formattest.Growth(t, llmstxt.Format(), hostile, site, 12<<10, 120<<10) }
