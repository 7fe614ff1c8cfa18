package agentsmd_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
)

// hostile returns documents of about n bytes that try to cost more.
func hostile(n int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, max(n/len(s), 1)) }
	parent := "## Cannot\n- " + strings.Repeat("word ", n/10) + "\n"
	return map[string]string{
		"items":               "## Can\n" + fill("- a\n"),
		"items of a parent":   parent + strings.Repeat("  - a\n", n/12),
		"items of parents":    parent + "  - " + strings.Repeat("word ", n/20) + "\n" + strings.Repeat("    - a\n", n/32),
		"sections":            fill("## Can\n- a\n"),
		"headings":            fill("## Cannot\n"),
		"sub-headings":        "## Can\n" + fill("### a\n- b\n"),
		"gateways":            fill("## MCP\nendpoint: /a\n"),
		"broken gateways":     fill("## MCP\nendpoint: [\n"),
		"coded gateways":      fill("## MCP\n```\nendpoint: /a\n```\n"),
		"long gateway":        "## MCP\n" + fill("endpoint: /a\n"),
		"rules":               "## Behavior\n" + fill("- max 1 request per hour\n"),
		"one rule":            "## Behavior\n- " + fill("1 request per hour "),
		"one item":            "## Can\n- " + fill("word "),
		"hints":               "## Can\n- a " + fill("(auth) "),
		"contacts":            "## Contact\n" + fill("a@b.example https://b.example/\n"),
		"one contact":         "## Contact\n" + fill("a@"),
		"titles":              fill("# T\n"),
		"unknown":             fill("## Nobody knows\ntext\n"),
		"hidden":              fill("## C\u200ban\n"),
		"commands":            fill("```\nmake x\n```\n"),
		"front":               "---\n" + strings.Repeat("a: b\n", 40) + "---\n" + fill("## Can\n- a\n"),
		"paragraphs of items": "## Can\n" + fill("- a\n\n  b\n\n  c\n"),
		"one long item":       "## Can\n- a\n" + fill("\n  b\n"),
	}
}

// The cost of the result of the outline is proportional too.
func TestTheOutlineCostsInProportion(t *testing.T) {
	formattest.Growth(t, agentsmd.Format(), hostile, "", 6<<10, 60<<10)
}
