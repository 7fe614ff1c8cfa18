package chromium

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// siteOfDocuments writes a recording of a site with documents by path.
func siteOfDocuments(t *testing.T, host string, documents map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "rec")
	if err := os.MkdirAll(filepath.Join(dir, host), 0o700); err != nil {
		t.Fatal(err)
	}
	var index strings.Builder
	index.WriteString("wayfind recording 1\n")
	n := 0
	for path, document := range documents {
		n++
		name := fmt.Sprintf("%s/%d.http", host, n)
		index.WriteString("https://" + host + path + " " + name + "\n")
		kind := "application/json"
		if !strings.HasPrefix(document, "{") {
			kind = "text/plain; charset=utf-8"
		}
		text := "HTTP/1.1 200 OK\nContent-Type: " + kind + "\n\n" + document
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "index.txt"), []byte(index.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// thousand returns a recording of a site with a thousand capabilities.
func thousand(t *testing.T) string {
	var list []string
	for n := range 1000 {
		list = append(list, fmt.Sprintf(`{"name": "action_%04d", "description": "Does the thing with number %d, and nothing else.", "detail_url": "/d/%d"}`, n, n, n))
	}
	return siteOfDocuments(t, "thousand.example", map[string]string{"/.well-known/agent": `{"spec_version": "1.0", "name": "A thousand", "description": "It has very many capabilities.",
		"base_url": "https://thousand.example", "auth": {"type": "none"}, "capabilities": [` + strings.Join(list, ",\n") + `]}`})
}

// journal records events in the page in their order: the first rows, key presses and the
// response to them. It counts all rows that were created.
const journal = `
	window.journal = [];
	window.made = 0;
	const note = (what) => { if (journal.at(-1) !== what) journal.push(what); };
	document.addEventListener("keydown", (event) => note("key " + event.key), true);
	new MutationObserver((records) => {
		for (const record of records) for (const node of record.addedNodes) {
			if (!node.querySelectorAll) continue;
			const rows = [...node.querySelectorAll(".row"), ...(node.matches(".row") ? [node] : [])];
			window.made += rows.length;
			if (rows.some((row) => row.textContent.includes("action_"))) {
				if (!journal.includes("rows")) { note("rows"); window.drawn?.("rows"); }
				const count = document.querySelector(".tally")?.textContent ?? "";
				if (count.startsWith("1 of")) note("answer, rows made: " + window.made);
			}
		}
	}).observe(document, { childList: true, subtree: true });`

// window is the most rows that one list of the page may create at once.
const window = 40

// A Site with a thousand capabilities responds to the first key press while its list is drawn.
// The keys are pressed as soon as there is a first row. Rows are created on demand: the whole
// list and the list after each of the four letters create a window of rows each, unless the page
// skips one because the next key has come already. A page that draws whole lists creates 1,000
// rows for the first one.
func TestThousand(t *testing.T) {
	address := inspectAlone(t, thousand(t))
	ctx := tab(t, "about:blank")
	rows := make(chan struct{}, 1)
	if err := chromedp.Listen(ctx, func(event any) {
		if e, ok := event.(*runtime.EventBindingCalled); ok && e.Name == "drawn" {
			rows <- struct{}{}
		}
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, runtime.AddBinding, runtime.AddBindingParams{Name: "drawn"}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: journal}); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.Navigate(address+"#site"))
	select {
	case <-rows:
	case <-ctx.Done():
		t.Fatal("there is no row")
	}
	press(t, ctx, "/", "0", "7", "7", "7")
	shows(t, ctx, ".tally", "1 of")
	order := value[[]string](t, ctx, `journal`)
	var made int
	if _, err := fmt.Sscanf(order[len(order)-1], "answer, rows made: %d", &made); err != nil {
		t.Fatalf("there is no answer: %q", order)
	}
	if order[0] != "rows" || order[1] != "key /" || made > 5*window {
		t.Errorf("in this order: %q", order)
	}
	shows(t, ctx, ".row", "action_0777")
}

// A long document is drawn on demand too, and Enter shows a whole line of it.
func TestLongDocument(t *testing.T) {
	ctx := tab(t, inspectAlone(t, thousand(t))+"#site")
	shows(t, ctx, ".content", "documents read:")
	choose(t, ctx, "source", "agent")
	shows(t, ctx, ".document .row", "action_0000")
	if n := value[int](t, ctx, `document.querySelectorAll(".document .row").length`); n > 100 {
		t.Errorf("%d lines were made at once", n)
	}
	do(t, ctx, chromedp.Focus(".document .list"), chromedp.KeyEvent(kb.End))
	shows(t, ctx, ".document .row", "action_0999")
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	shows(t, ctx, ".document pre", "number 999")
}

// press presses keys one after another. If the page uses a key as a command, no character is
// written, in contrast to chromedp.KeyEvent.
func press(t *testing.T, ctx context.Context, keys ...string) {
	t.Helper()
	for _, key := range keys {
		for _, p := range []input.DispatchKeyEventParams{{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Text: key}, {Type: input.DispatchKeyEventTypeKeyUp, Key: key}} {
			if _, err := chromedp.Call(ctx, input.DispatchKeyEvent, p); err != nil {
				t.Fatal(err)
			}
		}
	}
}
