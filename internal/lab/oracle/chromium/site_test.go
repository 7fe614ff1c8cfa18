package chromium

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"
)

// siteOf opens the view Site of a target, and waits for its list.
func siteOf(t *testing.T, args ...string) context.Context {
	t.Helper()
	ctx := tab(t, inspect(t, args...)+"#site")
	shows(t, ctx, ".content", "documents read:")
	return ctx
}

// choose opens the first item that matches a filter.
func choose(t *testing.T, ctx context.Context, sort, words string) {
	t.Helper()
	do(t, ctx, chromedp.Click(`.chip[data-sort="`+sort+`"]`))
	value[bool](t, ctx, `document.getElementById("site-filter").value = "", true`)
	do(t, ctx, chromedp.SendKeys("#site-filter", words+"\r"))
}

// A conflict shows which statement is in the answer, the document that it is from, and the
// reason.
func TestSiteConflict(t *testing.T) {
	ctx := siteOf(t, "everything.example")
	choose(t, ctx, "conflict", "find_product description")
	shows(t, ctx, ".pane h2", "aidiscovery:find_product")
	shows(t, ctx, ".readings", "the statement of aidiscovery:find_product is kept")
	for _, text := range []string{"https://everything.example/.well-known/ai", "https://everything.example/agent.json", "as in the answer", "another statement", "native"} {
		shows(t, ctx, ".readings table", text)
	}
	choose(t, ctx, "capability", "aidiscovery:find_product")
	shows(t, ctx, ".row", "sources disagree")
	shows(t, ctx, ".facts", "effects")
	shows(t, ctx, ".readings", "awp:search")
}

// A diagnostic is shown next to its document, and its line is marked.
func TestSiteDiagnostic(t *testing.T) {
	ctx := siteOf(t, "sloppy.example")
	choose(t, ctx, "diagnostic", "description_length")
	shows(t, ctx, ".diagnostic", "To mend it:")
	shows(t, ctx, ".lines tr.marked", `"description"`)
	shows(t, ctx, ".lines tr.marked", "10 to 200 are allowed")
	choose(t, ctx, "source", "agent")
	shows(t, ctx, ".document", "of the diagnostics at a line")
	choose(t, ctx, "probe", "absent")
	shows(t, ctx, ".facts", "remembered until")
}
