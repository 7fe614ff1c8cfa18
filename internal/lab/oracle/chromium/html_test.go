package chromium

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// witness records all effects that a hostile text could have in a tab: requests, dialogs,
// navigations and windows.
type witness struct {
	own string // the addresses that the page may request

	mu   sync.Mutex
	seen []string
}

// watch begins to record. Call it before the page is opened.
func watch(t *testing.T, ctx context.Context, own string) *witness {
	t.Helper()
	w := &witness{own: own}
	if err := chromedp.Listen(ctx, w.note); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, page.Enable, page.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *witness) note(event any) {
	said := ""
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, w.own) {
			said = "request of " + e.Request.URL
		}
	case *page.EventJavascriptDialogOpening:
		said = "dialog: " + e.Message
	case *page.EventWindowOpen:
		said = "window: " + e.URL
	case *page.EventFrameNavigated:
		if !strings.HasPrefix(e.Frame.URL, w.own) {
			said = "navigation to " + e.Frame.URL
		}
	}
	if said != "" {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.seen = append(w.seen, said)
	}
}

// check fails the test with all recorded effects.
func (w *witness) check(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, said := range w.seen {
		t.Errorf("the page: %s", said)
	}
}

// static writes the page without server and script, and opens its file.
func static(t *testing.T, args ...string) (context.Context, *witness) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	wayfind(t, append([]string{"inspect", "--html", file}, args...)...)
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}
	var w *witness
	ctx := tab(t, "about:blank")
	w = watch(t, ctx, "file://"+file)
	do(t, ctx, chromedp.Navigate("file://"+file))
	return ctx, w
}

// The page of --html contains the same Site, and has no scripts, requests or errors.
func TestHTML(t *testing.T) {
	ctx, seen := static(t, "sloppy.example")
	shows(t, ctx, "h1", "sloppy.example")
	for selector, text := range map[string]string{
		"#waterfall table": "200 OK", "#service": "Sloppy Weather", "#capability": "adp:forecast", "#diagnostic .diagnostic": "To mend it:",
		"#documents tr.marked": "10 to 200 are allowed", "#probe": "absent",
	} {
		shows(t, ctx, selector, text)
	}
	if n := value[int](t, ctx, `document.scripts.length + document.images.length + document.querySelectorAll("link, iframe, object, embed, form, [style], a:not([href^='#'])").length`); n != 0 {
		t.Errorf("%d elements of the page could run or load something", n)
	}
	if color := value[string](t, ctx, `getComputedStyle(document.querySelector(".diagnostic.error")).borderInlineStartWidth`); color != "3px" {
		t.Errorf("the page's own style does not count: %s", color)
	}
	if wide := value[int](t, ctx, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
		t.Errorf("the page is %d pixels too wide", wide)
	}
	seen.check(t)
	ctx, seen = static(t, "everything.example")
	shows(t, ctx, "#conflict", "the statement of aidiscovery:find_product is kept")
	shows(t, ctx, "#conflict", "as in the answer")
	seen.check(t)
}
