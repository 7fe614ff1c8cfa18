package chromium

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// selectBar selects the first bar that matches a filter, with the keyboard.
func selectBar(t *testing.T, ctx context.Context, filter string) {
	t.Helper()
	do(t, ctx, chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Escape+"/"))
	holds(t, ctx, `document.activeElement.id === "waterfall-filter"`)
	do(t, ctx, chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(filter)) // the driver also types the "/"
	do(t, ctx, chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Home))
	holds(t, ctx, `document.activeElement.classList.contains("bars")`)
}

// Each probe has a bar with its status, its verdict and the source of the answer, in words. The
// details contain the stages and bytes.
func TestWaterfall(t *testing.T) {
	dir := t.TempDir()
	ctx := tab(t, inspect(t, "everything.example", "--cache", dir))
	shows(t, ctx, "#state", "answered")
	shows(t, ctx, ".bars", "Wave 1: ")
	for _, words := range []string{"/.well-known/agent", "found", "200 OK", "absent", "404 Not Found", "network", "ms"} {
		shows(t, ctx, ".bars", words)
	}
	stages := value[[]string](t, ctx, `[...new Set([...document.querySelectorAll(".bars .segment")].map((e) => e.className))]`)
	for _, want := range []string{"segment connect", "segment tls", "segment wait", "segment read", "segment parse"} {
		if !strings.Contains(strings.Join(stages, "\n"), want) {
			t.Errorf("there is no %q among %q", want, stages)
		}
	}
	for _, words := range []string{"waiting for the answer", "TLS", "DNS", "connect", "reading the body", "parse"} {
		shows(t, ctx, ".legend", words)
	}

	selectBar(t, ctx, "agents.md found")
	shows(t, ctx, "output", "1 of ")
	for _, words := range []string{"https://everything.example/.well-known/agents.md", "200 OK", "a document that a format reads", "the network", "Bytes of the body", "Counts until", "waiting for the answer", "ms"} {
		shows(t, ctx, ".details", words)
	}
	selectBar(t, ctx, "404 llms.txt")
	for _, words := range []string{"/llms.txt", "404 Not Found", "absent"} {
		shows(t, ctx, ".details", words)
	}
	for filter, want := range map[string]string{
		"status:404": "404", "status:2xx from:network": "200", "verdict:found": "found", `"200 ok" verdict:found`: "200 OK", "from:network,disk status:200,304": "200",
	} {
		selectBar(t, ctx, filter)
		holds(t, ctx, fmt.Sprintf(`document.querySelectorAll(".bars .row:not(.heading)").length > 0 && [...document.querySelectorAll(".bars .row:not(.heading)")].every((r) => r.innerText.includes(%q))`, want))
	}
	selectBar(t, ctx, "stauts:404")
	shows(t, ctx, "output", "There is no field stauts: the fields are status, verdict, from.")
	selectBar(t, ctx, "network -nothing-")
	shows(t, ctx, "output", "0 of ")
	shows(t, ctx, ".details", "No bar is selected")

	// The site is asked again: it confirms some documents, and others are in memory.
	do(t, ctx, chromedp.KeyEvent(kb.Escape+"r"))
	shows(t, ctx, "#state", "answered 2 times")
	shows(t, ctx, "#waterfall-run", "2: resolve everything.example")
	selectBar(t, ctx, "304")
	shows(t, ctx, ".details", "the site confirmed it with 304 (Not Modified)")
	selectBar(t, ctx, "memory")
	shows(t, ctx, ".details", "memory: no request was needed, since 20")

	// Another run finds the answers on disk.
	ctx = tab(t, inspect(t, "everything.example", "--cache", dir))
	shows(t, ctx, "#state", "answered")
	opened(t, ctx, "site") // there is no request to look at
	shows(t, ctx, ".pane", "Where it comes from")
	do(t, ctx, chromedp.KeyEvent("1"))
	opened(t, ctx, "waterfall")
	shows(t, ctx, "#waterfall-run", "1: resolve everything.example, no request")
	shows(t, ctx, ".stored", "No request was sent")
	shows(t, ctx, ".bars .until", "no request; valid until")
	selectBar(t, ctx, "disk found")
	shows(t, ctx, ".details", "disk: no request was needed, since 20")
	shows(t, ctx, ".message", "Stored answer")
	shows(t, ctx, ".message", "Content-Type")

	// With --refresh the site is asked at first.
	ctx = tab(t, inspect(t, "everything.example", "--cache", dir, "--refresh"))
	shows(t, ctx, "#state", "answered")
	opened(t, ctx, "waterfall")
	holds(t, ctx, `!document.querySelector("#waterfall-run").innerText.includes("no request")`)
}

// The details of a bar have the request and the answer, and copy the request as curl.
func TestMessagesOfTheWaterfall(t *testing.T) {
	ctx := tab(t, inspect(t, "everything.example"))
	shows(t, ctx, "#state", "answered")
	selectBar(t, ctx, "status:200 aidiscovery")
	for _, words := range []string{"Request", "GET https://everything.example/.well-known/ai", "User-Agent", "Answer", "Content-Type", "application/json", `"aiendpoint": "1.0"`} {
		shows(t, ctx, ".message", words)
	}
	selectBar(t, ctx, "status:404 llms.txt")
	shows(t, ctx, ".message", "404 Not Found")
	shows(t, ctx, ".message", "GET https://everything.example/llms.txt")
	value[any](t, ctx, `(() => { navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }; })()`)
	do(t, ctx, chromedp.Click(".message .copy"))
	shows(t, ctx, ".message .copy", "Copied")
	holds(t, ctx, `globalThis.copied?.startsWith("curl ") && globalThis.copied.endsWith("'https://everything.example/llms.txt'")`)
}

// A HAR file of the page is shown again, without a site.
func TestALogIsShown(t *testing.T) {
	dir := t.TempDir()
	address := inspect(t, "everything.example")
	ctx := tab(t, address)
	shows(t, ctx, "#state", "answered")
	text := value[string](t, ctx, `(() => { const r = new XMLHttpRequest(); r.open("GET", "har", false); r.send(); return r.responseText; })()`)
	file := filepath.Join(dir, "saved.har")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx = tab(t, inspect(t, file))
	shows(t, ctx, "h1", "saved.har")
	shows(t, ctx, "#state", "a log")
	shows(t, ctx, ".bars", "/.well-known/ai")
	selectBar(t, ctx, "status:404 llms.txt")
	shows(t, ctx, ".message", "GET https://everything.example/llms.txt")
	holds(t, ctx, `document.querySelectorAll("[role=tab]").length === 1 && document.getElementById("again").hidden`)
}

// Redirects and retries have separate bars, and failures have a reason.
func TestWaterfallOfTrouble(t *testing.T) {
	hostile, stop, err := serveSites("serve", "--hostile")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)

	ctx := tab(t, inspectAmong(t, hostile, "loop.hostile.example"))
	shows(t, ctx, "#state", "more than 5 redirects")
	selectBar(t, ctx, "redirect /.well-known/agent?")
	shows(t, ctx, ".bars", "↳ redirect to /.well-known/agent?")
	shows(t, ctx, ".details", "Redirected from")
	selectBar(t, ctx, "redirect_limit robots.txt")
	shows(t, ctx, ".details", "our policy refuses")

	ctx = tab(t, inspectAmong(t, hostile, "hang-up.hostile.example"))
	shows(t, ctx, "#state", "unreachable")
	selectBar(t, ctx, "attempt 2")
	shows(t, ctx, ".bars", "↻ attempt 2 of ")
	shows(t, ctx, ".details", "Attempt")
	shows(t, ctx, ".details", "unreachable (network)")

	// A bar grows while its answer is awaited.
	ctx = tab(t, inspectAmong(t, hostile, "silent.hostile.example"))
	shows(t, ctx, "#state", "asking")
	shows(t, ctx, ".details", "under way")
	holds(t, ctx, `document.querySelectorAll(".bars .under-way").length > 3`)
	for _, seconds := range []int{1, 2} {
		shows(t, ctx, ".bars .row", fmt.Sprintf("%d.", seconds))
		shows(t, ctx, ".bars .took", fmt.Sprintf("%d.", seconds))
	}
}

// A place that was not asked is listed too.
func TestWaterfallWithoutRequests(t *testing.T) {
	ctx := tab(t, inspect(t, "everything.example", "--offline"))
	shows(t, ctx, "#state", "answered, with an error")
	shows(t, ctx, ".bars", "skipped")
	shows(t, ctx, ".details", "not asked: deadline, crowd, budget")
	shows(t, ctx, ".details", "offline")
}

// A call has a separate waterfall.
func TestWaterfallOfCall(t *testing.T) {
	s := openShop(t, api("", operation("get", "/api/read", "read", "")), done)
	ctx := called(t, s.flags...)
	do(t, ctx, chromedp.Click("#preview"))
	shows(t, ctx, "#decision", "without a question")
	do(t, ctx, chromedp.Click("#send"))
	shows(t, ctx, "#outcome h2", "The call was made")
	do(t, ctx, chromedp.KeyEvent(kb.Escape+"1"))
	shows(t, ctx, "#waterfall-run", "call example.com, 1 request")
	shows(t, ctx, ".bars", "200 OK")
	shows(t, ctx, ".details", "waiting for the answer")
}
