package chromium

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// wayfind runs the command with the demo's sites, and returns its standard output. It accepts
// any status except the one for a wrong command line.
func wayfind(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Env = append(os.Environ(), append(demo, "WAYFIND_CACHE=none")...)
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() == 2 {
		t.Fatalf("wayfind %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

// picture stores a picture of the page if WAYFIND_PICTURES names a folder.
func picture(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	dir := os.Getenv("WAYFIND_PICTURES")
	if dir == "" {
		return
	}
	raw, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/"+name+".png", raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// toolsReport is the output of "wayfind tools --report".
type toolsReport struct {
	Names   []string
	Tokens  int
	Left    []string
	Skipped []struct{ Domain, Key, Code, Reason string }
	Losses  map[string][]struct{ Ptr, Kw, Effect, Code string }
}

// reported runs "wayfind tools" and reads its report.
func reported(t *testing.T, args ...string) (report toolsReport, definitions string) {
	t.Helper()
	file := t.TempDir() + "/report.json"
	definitions = wayfind(t, append([]string{"tools", "--report", file}, args...)...)
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, &report)
	}
	if err != nil {
		t.Fatal(err)
	}
	return report, definitions
}

// The view shows the same as the command for each vendor: names, tokens and losses.
func TestToolsOfEachVendor(t *testing.T) {
	ctx := tab(t, inspect(t, "everything.example"))
	shows(t, ctx, "#state", "answered")
	do(t, ctx, chromedp.KeyEvent("3"))
	shows(t, ctx, "#tools-sum", "token")
	picture(t, ctx, "tools")
	for _, vendor := range []string{"openai", "openai-chat", "anthropic", "gemini", "gemini-json", "bedrock", "mistral", "mcp"} {
		report, definitions := reported(t, "everything.example", "--for", vendor)
		do(t, ctx, chromedp.SetValue("#vendor", vendor), chromedp.Evaluate[chromedp.Void](`document.querySelector("#vendor").dispatchEvent(new Event("change"))`))
		shows(t, ctx, ".tool h3", "Definition for "+vendor)
		shows(t, ctx, "#tools-sum", strconv.Itoa(len(report.Names))+" tool")
		sum := strings.ReplaceAll(value[string](t, ctx, `document.querySelector("#tools-sum").innerText`), ",", "")
		if !strings.Contains(sum, fmt.Sprintf("%d token", report.Tokens)) {
			t.Errorf("%s: the page says %q, and the command %d tokens", vendor, sum, report.Tokens)
		}
		shown := value[string](t, ctx, `JSON.stringify(JSON.parse(document.querySelector("#definition").innerText))`)
		if !strings.Contains(definitions, shown) {
			t.Errorf("%s: the page shows %s, and the command writes %s", vendor, shown, definitions)
		}
	}
	do(t, ctx, chromedp.Click("#strict"))
	shows(t, ctx, ".tool", "Strict mode")
}

// For a site with a thousand tools only the visible rows are created.
func TestToolsOfALargeSite(t *testing.T) {
	var operations []string
	for n := range 1000 {
		operations = append(operations, operation("get", fmt.Sprintf("/api/%d", n), fmt.Sprintf("tool_%d", n), `, "parameters": [{"name": "order id", "in": "query", "schema": {"type": "string", "maxLength": 9}}]`))
	}
	s := openShop(t, api("", operations...), done)
	ctx := tab(t, inspect(t, s.flags...))
	shows(t, ctx, "#state", "answered")
	begin := time.Now()
	do(t, ctx, chromedp.KeyEvent("3"))
	shows(t, ctx, "#tools-sum", "128 tools")
	shows(t, ctx, "#tools-sum", "872 tools beyond what a request may have")
	t.Logf("the tools of OpenAI after %v", time.Since(begin))
	pick(t, ctx, "#vendor", "gemini")
	shows(t, ctx, "#tools-sum", "1,000 tools")
	shows(t, ctx, ".tool h3", "Definition for gemini")
	if n := value[int](t, ctx, `document.querySelectorAll("#view *").length`); n > 1500 {
		t.Errorf("%d elements", n)
	}
	begin = time.Now()
	do(t, ctx, chromedp.SendKeys("#query", "tool 77"), chromedp.SendKeys("#tokens", "2000"), chromedp.KeyEvent(kb.Enter))
	shows(t, ctx, "#choice", "Kept:")
	shows(t, ctx, "#choice .row", "tool_77")
	t.Logf("a choice after %v", time.Since(begin))
	begin = time.Now()
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach((d) => { d.open = true })`))
	shows(t, ctx, "#vendors", "bedrock")
	t.Logf("all vendors after %v", time.Since(begin))
}

// A domain that cannot be asked has no tools, and the page shows the reason.
func TestToolsOfNoAnswer(t *testing.T) {
	ctx := tab(t, inspect(t, "unknown.example", "--connect-to", "unknown.example:443:127.0.0.1:1"))
	shows(t, ctx, "#state", "unreachable")
	do(t, ctx, chromedp.KeyEvent("3"))
	shows(t, ctx, "#missing", "could not be asked")
	shows(t, ctx, "#missing", "unknown.example")
	shows(t, ctx, "#note", "Could not be asked: unknown.example.")
	do(t, ctx, chromedp.KeyEvent("4"))
	shows(t, ctx, "#view", "No capability of this site has become a tool")
}

// The tools are read again after the site was asked again.
func TestToolsAfterAskingAgain(t *testing.T) {
	document := api("", operation("get", "/api/first", "first", ""))
	s := openShop(t, "", done)
	s.serve(document)
	ctx := tab(t, inspect(t, s.flags...))
	shows(t, ctx, "#state", "answered")
	do(t, ctx, chromedp.KeyEvent("3"))
	shows(t, ctx, ".tool h2", "first")
	s.serve(strings.ReplaceAll(document, "first", "second"))
	do(t, ctx, chromedp.KeyEvent("r"))
	shows(t, ctx, ".tool h2", "second")
}

// The tools of a recording are the tools of its site, and no call of them is sent.
func TestToolsOfARecording(t *testing.T) {
	report, _ := reported(t, "library.example", "--for", "openai")
	dir := filepath.Join(t.TempDir(), "rec")
	wayfind(t, "resolve", "--cache", "none", "--save", dir, "library.example")
	ctx := tab(t, inspectAlone(t, dir))
	do(t, ctx, chromedp.KeyEvent("3"))
	shows(t, ctx, "#tools-sum", fmt.Sprintf("%d tool", len(report.Names)))
	shows(t, ctx, ".tool h2", report.Names[0])
	do(t, ctx, chromedp.Click("#to-call"))
	shows(t, ctx, "#about", "listLoans")
	do(t, ctx, chromedp.SendKeys(`[id="arg/id"]`, "7"), chromedp.Click("#preview"))
	shows(t, ctx, "#request h2", "not sent yet")
	shows(t, ctx, "#request", "a recording is shown: calls of it are not made")
	if value[bool](t, ctx, `document.querySelector("#send") !== null`) {
		t.Error("a call of a recording can be sent")
	}
}
