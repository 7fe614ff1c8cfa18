package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/security/schema"
)

// bulky is a Box of one tool whose definition has some 3,000 tokens, and of a small one.
func bulky(t *testing.T) *tools.Box {
	t.Helper()
	deep := func(name string) string {
		var all []string
		for i := range 12 {
			all = append(all, fmt.Sprintf(`"%s_%d": {"type": "string", "description": "The %s with the number %d, which somebody has to say.", "examples": ["one of many", "another one"]}`, name, i, name, i))
		}
		return strings.Join(all, ", ")
	}
	body := fmt.Sprintf(`{"type": "object", "properties": {"order": {"type": "object", "description": "What to ship.", "required": ["first_0"], "properties": {%s,
		"address": {"type": "object", "properties": {%s, "geo": {"type": "object", "properties": {%s}}}}}}, "note": {"type": "string", "description": "A note."}}}`, deep("first"), deep("second"), deep("third"))
	n := clienttest.New(t)
	n.Host("shop.example", clienttest.Pages{"/.well-known/mcp/server-card.json": fmt.Sprintf(`{"name": "example.shop/all", "version": "1.0.0", "description": "All.", "remotes": [{"type": "streamable-http", "url": "https://shop.example/mcp"}],
		"tools": [{"name": "ship", "description": "Ships an order.", "inputSchema": %s}, {"name": "ping", "description": "Says whether it is there.", "inputSchema": {"type": "object"}}]}`, body)})
	return load(t, n.Client(), []string{"shop.example"}, nil)
}

// A definition that has no room is made small step by step, for every vendor, before it is
// left out: examples go first, then deep texts, then deep properties. Each step is a loss,
// and the arguments of the outer properties stay.
func TestADefinitionWithoutRoomIsMadeSmallBeforeItIsLeftOut(t *testing.T) {
	testkit.Large(t)
	synctest.Test(t, func(t *testing.T) {
		box := bulky(t)
		for _, v := range tools.Vendors() {
			for _, strict := range []bool{false, true} {
				whole := box.Render(v, &tools.RenderOptions{Strict: strict})
				var lost []string // of the steps that were seen
				left := false
				for tokens := whole.Tokens; tokens > 20; tokens -= 25 {
					d := box.Render(v, &tools.RenderOptions{Strict: strict, Query: "ship", Tokens: tokens})
					if d.Tokens > tokens {
						t.Fatalf("%s: %d tokens of %d", v, d.Tokens, tokens)
					}
					i := slices.Index(d.Names, "ship")
					if i < 0 {
						left = true
						if !slices.Contains(d.Left, "ship") {
							t.Fatalf("%s: it is nowhere at %d", v, tokens)
						}
						continue
					}
					if left {
						t.Fatalf("%s: it is left out with more room than %d", v, tokens)
					}
					out := string(d.List[i])
					if !strings.Contains(out, "What to ship.") || !strings.Contains(out, "first_0") || !strings.Contains(out, "A note.") {
						t.Fatalf("%s: %s", v, out)
					}
					for _, l := range d.Losses["ship"] {
						if l.Code == "shortened" && !slices.Contains(lost, l.Keyword) {
							lost = append(lost, l.Keyword)
						}
					}
					if strict && whole.Projections["ship"].Strict != d.Projections["ship"].Strict {
						t.Fatalf("%s: it is no longer strict: %+v", v, d.NotStrict)
					}
				}
				want := []string{"examples", "description", "properties"}
				if !strings.Contains(string(whole.Tools), `"examples"`) {
					want = want[1:]
				}
				if !left || !slices.Equal(lost, want) {
					t.Errorf("%s %t: losses in the order %q, want %q; left out: %t", v, strict, lost, want, left)
				}
			}
		}
	})
}

// A Selection has the best tool in full although its definition has no room, renders it as
// small as it was counted, and turns its arguments back.
func TestFitMakesTheBestToolSmall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := bulky(t)
		const room = 1200
		s := box.Fit("ship an order", room, nil)
		if len(s.Full) == 0 || s.Full[0].Name != "ship" || s.Tokens > room {
			t.Fatalf("%+v", s)
		}
		d := s.Render(tools.OpenAIChat, false)
		short := func(l schema.Loss) bool { return l.Code == "shortened" }
		if d.Tokens > room || !slices.Contains(d.Names, "ship") || !slices.ContainsFunc(d.Losses["ship"], short) {
			t.Errorf("%d tokens, %q, %+v", d.Tokens, d.Names, d.Losses)
		}
		if before, ok := d.Form.Before(box, "ship"); ok {
			t.Errorf("the form is of another Box: %+v", before)
		}
		raw, p, err := box.Define(tools.OpenAIChat, "ship", false)
		if err != nil || slices.ContainsFunc(p.Loss, short) || tools.EstimateTokens(string(raw)) <= room {
			t.Errorf("%d bytes, %+v, %v", len(raw), p, err)
		}
	})
}
