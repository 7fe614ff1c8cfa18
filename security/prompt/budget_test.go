package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// The text that one site adds for a model has a maximum length, which a document of the site
// cannot change.
func TestAPromptHasABudget(t *testing.T) {
	site := &wayfind.Site{Origin: "https://shop.example", Services: []wayfind.Service{{ID: "awp"}}}
	for i := range 10_000 {
		key := fmt.Sprintf("awp:c%d", i)
		site.Services[0].Capabilities = append(site.Services[0].Capabilities, wayfind.Capability{
			Key: key, ID: key, Kind: wayfind.KindOperation, Description: "Words and words and words and words and words and words and words.",
			Sources: []wayfind.Ref{{Source: "https://shop.example/agent.json"}}})
	}
	p := prompt.New()
	p.Site(site)
	if n := len(p.String()); n > 512<<10 {
		t.Errorf("%d bytes", n)
	}
}

// manyCalls returns a site with n capabilities. Each requires that a person is asked.
func manyCalls(n int) *wayfind.Site {
	yes := true
	site := &wayfind.Site{Origin: "https://shop.example", Services: []wayfind.Service{{ID: "awp", Name: "Shop"}, {ID: "mcp", Name: "More"}}}
	for i := range n {
		key := fmt.Sprintf("awp:c%d", i)
		site.Services[0].Capabilities = append(site.Services[0].Capabilities, wayfind.Capability{
			Key: key, ID: key, Description: "Words.", Effects: &wayfind.Effects{NeedsConfirmation: &yes}})
	}
	return site
}

// If a part does not fit, it is omitted as a whole with all following parts, and the number of
// omitted parts is reported.
func TestWhatDoesNotFitIsLeftOutAndCounted(t *testing.T) {
	for _, budget := range []int{0, 100, 200, 1000, 1001, 1050, 5000} {
		p := prompt.NewWithin(budget)
		empty := len(p.String())
		p.Site(manyCalls(1000))
		text := p.String()
		body, said, found := strings.Cut(text, "\nleft out, because this text is full: ")
		if !found || len(body)-empty > budget+1 {
			t.Fatalf("budget %d: %d bytes, said %q", budget, len(body)-empty, said)
		}
		written := strings.Count(body, "\ncapability: ")
		if asks := strings.Count(body, "\neffect: ask the user before\n"); asks != written {
			t.Errorf("budget %d: %d capabilities, %d of them ask", budget, written, asks)
		}
		if !strings.Contains(said, fmt.Sprintf("capabilities (%d)", 1000-written)) || !strings.Contains(said, "services (") {
			t.Errorf("budget %d: %d capabilities are written, and %q", budget, written, said)
		}
		if opened, closed := strings.Count(body[empty-1:], "<"+p.Mark()), strings.Count(body[empty-1:], "</"+p.Mark()); opened != closed {
			t.Errorf("budget %d: %d blocks begin and %d end", budget, opened, closed)
		}
	}
}

// A full Prompt remains full, for sites, details and texts.
func TestAFullPromptStaysFull(t *testing.T) {
	p := prompt.NewWithin(2000)
	p.Site(manyCalls(100))
	before := len(p.String())
	p.Site(manyCalls(3))
	p.Text("note", "hello", prompt.Provenance{Source: "https://shop.example/"})
	c := manyCalls(1).Services[0].Capabilities[0]
	c.Input = []byte(`{"type":"object"}`)
	p.Detail(&wayfind.Detail{Capability: &c})
	want := "\nleft out, because this text is full: services (2), capabilities (3)\n" +
		"\nleft out, because this text is full: texts (1)\n" +
		"\nleft out, because this text is full: capabilities (1), schemas (1)\n"
	if got := p.String()[before:]; got != want {
		t.Errorf("got %q", got)
	}
}
