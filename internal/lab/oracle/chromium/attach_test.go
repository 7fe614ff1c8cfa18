package chromium

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// The page shows the requests of a running "wayfind mcp" as they are made.
func TestAttach(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	cmd := exec.Command(command, "mcp", "--cache", "none", "--domain", "forecast.example", "--open", "*")
	cmd.Env = append(os.Environ(), demo...)
	host, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	lines, end, err := start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	say := func(message string) {
		t.Helper()
		if _, err := io.WriteString(host, message+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	<-lines
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	ctx := tab(t, inspect(t, "--attach"))
	shows(t, ctx, "h1", "wayfind mcp, process ")
	say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wayfind_open","arguments":{"domain":"translate.example"}}}`)
	shows(t, ctx, "#waterfall-run", "resolve translate.example")
	selectBar(t, ctx, "status:200")
	shows(t, ctx, ".message", "https://translate.example/")
	holds(t, ctx, `document.querySelectorAll("[role=tab]").length === 1 && document.getElementById("again").hidden`)
	picture(t, ctx, "attach")
}

// The calls of a session are listed, also after the page is loaded again, and each is shown with its
// arguments and its result.
func TestHistoryOfCalls(t *testing.T) {
	s := openShop(t, api("", operation("get", "/api/read", "read", `, "parameters": [{"name": "n", "in": "query", "required": true, "schema": {"type": "integer"}}]`)), done)
	ctx := called(t, s.flags...)
	for _, key := range []string{"5", "6"} {
		do(t, ctx, chromedp.SendKeys(`[id="arg/n"]`, key), chromedp.Click("#preview"))
		shows(t, ctx, "#decision", "without a question")
		do(t, ctx, chromedp.Click("#send"))
		shows(t, ctx, "#outcome h2", "The call was made")
	}
	holds(t, ctx, `document.querySelectorAll("#calls tbody tr").length === 2`)
	do(t, ctx, chromedp.Reload())
	shows(t, ctx, "#about[data-tool]", "Capability")
	shows(t, ctx, "#history", "Calls of this session")
	holds(t, ctx, `document.querySelectorAll("#calls tbody tr").length === 2`)
	value[any](t, ctx, `[...document.querySelectorAll("#calls tbody tr")].find((row) => row.rowIndex === 1).querySelector("button").click()`)
	shows(t, ctx, "#outcome h2", "The call was made")
	if len(s.made()) != 2 {
		t.Errorf("sent %+v", s.made())
	}
	do(t, ctx, chromedp.EmulateViewport(380, 800))
	holds(t, ctx, `document.documentElement.scrollWidth <= innerWidth`)
	picture(t, ctx, "history")
}

// At 380 pixels nothing of the comparison and of a message is cut.
func TestComparisonAndMessageAreNarrow(t *testing.T) {
	within := `document.documentElement.scrollWidth <= innerWidth`
	ctx := tab(t, inspect(t, "--against", earlier(t), "mailforge.example")+"#compare")
	do(t, ctx, chromedp.EmulateViewport(380, 800))
	shows(t, ctx, ".comparison", "adp:send_letter")
	holds(t, ctx, within)
	holds(t, ctx, `[...document.querySelectorAll(".wide")].every((part) => part.scrollWidth <= part.clientWidth)`)
	picture(t, ctx, "compare-380")
	ctx = tab(t, inspect(t, "everything.example"))
	do(t, ctx, chromedp.EmulateViewport(380, 800))
	shows(t, ctx, "#state", "answered")
	selectBar(t, ctx, "status:200 aidiscovery")
	shows(t, ctx, ".message", "Content-Type")
	holds(t, ctx, within)
	do(t, ctx, chromedp.ScrollIntoView(".message"))
	picture(t, ctx, "message-380")
}
