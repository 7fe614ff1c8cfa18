package chromium

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// views contains the names of all views, in the order of their keys.
var views = []string{"waterfall", "site", "tools", "call", "compare"}

// opened waits until a view is shown.
func opened(t *testing.T, ctx context.Context, view string) {
	t.Helper()
	holds(t, ctx, fmt.Sprintf(`document.querySelector("[role=tab][aria-selected=true]").dataset.view === %q &&
		document.getElementById("view").getAttribute("aria-busy") === "false" && document.getElementById("view").innerText.trim() !== ""`, view))
}

// holds waits until an expression is true.
func holds(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		if value[bool](t, ctx, expression) {
			return
		}
	}
	t.Fatalf("this does not come true: %s\nThe page says:\n%s", expression, value[string](t, ctx, `document.body.innerText`))
}

// The page starts, asks its target, reports the result, and shows each view without an error.
func TestBoot(t *testing.T) {
	for host, said := range map[string]string{
		"shop.example": "answered", "everything.example": "answered", "sloppy.example": "answered", "catchall.example": "answered, with an error", "unknown.example": "answered, with an error",
	} {
		t.Run(host, func(t *testing.T) {
			ctx := tab(t, inspect(t, host))
			shows(t, ctx, "h1", host)
			shows(t, ctx, "#state", said)
			for n, view := range views {
				do(t, ctx, chromedp.KeyEvent(fmt.Sprint(n+1)))
				opened(t, ctx, view)
			}
			do(t, ctx, chromedp.KeyEvent("1"), chromedp.Reload())
			opened(t, ctx, "waterfall")
		})
	}
}

// The tests detect each kind of error of a page.
func TestPageErrorsAreSeen(t *testing.T) {
	address := inspect(t, "shop.example")
	for name, script := range map[string]string{
		"an exception":            `setTimeout(() => { throw new Error("planted") })`,
		"a rejection":             `void Promise.reject(new Error("planted"))`,
		"an error in the console": `console.error("planted")`,
		"a file that is missing":  `void fetch("app/planted.js")`,
		"a refused connection":    `void fetch("http://127.0.0.1:1/planted").catch(() => {})`,
		"a refused image":         `document.body.append(Object.assign(new Image(), { src: "http://127.0.0.1:1/planted.png" }))`,
		"a refused style":         `document.body.setAttribute("style", "color: red") /* planted */`,
		"markup of a string":      `setTimeout(() => { document.body.innerHTML = "<b>planted</b>" })`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, errors := emptyTab(t)
			do(t, ctx, chromedp.Navigate(address))
			shows(t, ctx, "#state", "answered")
			if found := errors(); len(found) != 0 {
				t.Fatalf("before: %q", found)
			}
			value[any](t, ctx, "(() => { "+script+" })()")
			for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
				if len(errors()) > 0 {
					return
				}
			}
			t.Errorf("%s is not seen", name)
		})
	}
}
