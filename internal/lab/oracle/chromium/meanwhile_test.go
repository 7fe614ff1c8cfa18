package chromium

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Each of many tabs follows the work when it is visible. A browser has six connections for all
// tabs together.
func TestManyTabs(t *testing.T) {
	address := inspect(t, "shop.example")
	hide := func(ctx context.Context, hidden bool) {
		t.Helper()
		value[any](t, ctx, fmt.Sprintf(`Object.defineProperty(document, "hidden", { value: %t, configurable: true }), document.dispatchEvent(new Event("visibilitychange"))`, hidden))
	}
	var first context.Context
	for range 8 {
		ctx := tab(t, address)
		shows(t, ctx, "#state", "answered")
		hide(ctx, true)
		if first == nil {
			first = ctx
		}
	}
	hide(first, false)
	do(t, first, chromedp.KeyEvent("r"))
	shows(t, first, "#state", "answered 2 times")
	shows(t, first, "#waterfall-run", "2:")
}

// The selected item is shown with the data of the newest answer, in which it has another
// position.
func TestChosenItemAfterAskingAgain(t *testing.T) {
	orders, stock := operation("get", "/api/orders", "orders", ""), operation("get", "/api/stock", "stock", "")
	s := openShop(t, api("", orders, stock), done)
	ctx := siteOf(t, s.flags...)
	choose(t, ctx, "capability", "stock")
	shows(t, ctx, ".pane h2", "stock")
	choose(t, ctx, "capability", "openapi")
	s.serve(api("", operation("get", "/api/all", "all", ""), orders, stock))
	value[any](t, ctx, `[...document.querySelectorAll(".split .row")].find((e) => e.textContent.includes("stock")).click()`)
	shows(t, ctx, ".pane h2", "stock")
	do(t, ctx, chromedp.Click("#again"))
	shows(t, ctx, "#state", "answered 2 times")
	shows(t, ctx, ".tally", "3 of")
	shows(t, ctx, ".pane h2", "stock")
}

// slowly delays the answers to a URL of the page.
func slowly(t *testing.T, ctx context.Context, url string) {
	t.Helper()
	value[any](t, ctx, `(() => {
		const own = window.fetch;
		window.fetch = async (...all) => {
			const answer = await own(...all);
			if (String(all[0]) === "`+url+`") await new Promise((done) => setTimeout(done, 700));
			return answer;
		};
	})()`)
}

// A preview is only shown for the tool and the arguments that are shown.
func TestPreviewOfWhatIsShown(t *testing.T) {
	s := openShop(t, api("", operation("get", "/api/a", "a_tool", ""), operation("post", "/api/b", "b_tool", takes(`{"type": "object", "properties": {"what": {"type": "string"}}}`))), done)
	ctx := called(t, s.flags...)
	slowly(t, ctx, "call/preview")
	do(t, ctx, chromedp.Click("#preview"))
	pickTool(t, ctx, "b_tool")
	time.Sleep(time.Second)
	holds(t, ctx, `document.querySelector("#request").innerText === ""`)
	do(t, ctx, chromedp.Click("#preview"), chromedp.SendKeys(`[id="arg/what"]`, "lamp"))
	shows(t, ctx, "#request", "The arguments have changed")
	do(t, ctx, chromedp.Click("#preview"))
	shows(t, ctx, "#request", `{"what":"lamp"}`)
}

// A definition that arrives after another vendor was selected is not shown for that vendor.
func TestDefinitionOfTheChosenVendor(t *testing.T) {
	ctx := tab(t, inspect(t, "everything.example"))
	shows(t, ctx, "#state", "answered")
	do(t, ctx, chromedp.KeyEvent("3"))
	shows(t, ctx, ".tool h3", "Definition for openai")
	value[any](t, ctx, `(() => {
		const own = window.fetch;
		window.fetch = async (...all) => {
			const answer = await own(...all);
			if (/tool\?for=mistral/.test(all[0])) await new Promise((done) => setTimeout(done, 700));
			return answer;
		};
	})()`)
	pick(t, ctx, "#vendor", "mistral")
	time.Sleep(300 * time.Millisecond)
	pick(t, ctx, "#vendor", "gemini")
	shows(t, ctx, ".tool h3", "Definition for gemini")
	time.Sleep(time.Second)
	if seen := value[string](t, ctx, `document.querySelector("#definition").innerText`); strings.Contains(seen, `"function"`) {
		t.Errorf("the definition for Gemini is that for another vendor: %s", seen)
	}
}

// The same applies to a definition that arrives before the list of the next vendor.
func TestDefinitionBeforeTheNextList(t *testing.T) {
	ctx := tab(t, inspect(t, "everything.example"))
	shows(t, ctx, "#state", "answered")
	do(t, ctx, chromedp.KeyEvent("3"))
	shows(t, ctx, ".tool h3", "Definition for openai")
	value[any](t, ctx, `(() => {
		const own = window.fetch;
		const late = (url) => /tool\?for=mistral/.test(url) ? 700 : /vendor\?for=gemini/.test(url) ? 2000 : 0;
		window.fetch = async (...all) => {
			const answer = await own(...all);
			await new Promise((done) => setTimeout(done, late(all[0])));
			return answer;
		};
		window.wrong = 0;
		new MutationObserver(() => {
			const pane = document.querySelector(".tool");
			if (pane.innerText.includes("Definition for gemini") && pane.querySelector("#definition").innerText.includes('"function"')) window.wrong++;
		}).observe(document.querySelector(".tool"), { childList: true });
	})()`)
	pick(t, ctx, "#vendor", "mistral")
	time.Sleep(300 * time.Millisecond)
	pick(t, ctx, "#vendor", "gemini")
	holds(t, ctx, `[...document.querySelectorAll(".tool h3")].some((e) => e.innerText.includes("Definition for gemini")) && !document.querySelector("#definition").innerText.includes('"function"')`)
	if n := value[int](t, ctx, `window.wrong`); n > 0 {
		t.Errorf("the definition for Gemini was %d times that for another vendor", n)
	}
}

// The result of a call is shown to a reader who looked at another view in the meantime.
func TestResultAfterAnotherView(t *testing.T) {
	s := openShop(t, api("", operation("get", "/api/a", "a_tool", ""), operation("get", "/api/b", "b_tool", "")), func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(700 * time.Millisecond)
		_, _ = io.WriteString(w, `{"done": "at last"}`)
	})
	ctx := called(t, s.flags...)
	do(t, ctx, chromedp.Click("#preview"))
	shows(t, ctx, "#decision", "without a question")
	do(t, ctx, chromedp.Click("#send"), chromedp.KeyEvent("1"))
	opened(t, ctx, "waterfall")
	shows(t, ctx, "#waterfall-run", "call")
	do(t, ctx, chromedp.KeyEvent("4"))
	shows(t, ctx, "#came", "at last")
	pickTool(t, ctx, "b_tool")
	holds(t, ctx, `document.querySelector("#outcome").innerText === ""`)
}

// While a question waits for its answer, keys have no effect on the page behind it.
func TestKeysBehindAQuestion(t *testing.T) {
	s := openShop(t, api("", operation("post", "/api/order", "order", "")), done)
	ctx := called(t, s.flags...)
	do(t, ctx, chromedp.Click("#preview"))
	shows(t, ctx, "#decision", "it changes something")
	do(t, ctx, chromedp.Click("#send"))
	shows(t, ctx, "#confirm[open]", "Send this request?")
	do(t, ctx, chromedp.KeyEvent("r"), chromedp.KeyEvent("1"), chromedp.KeyEvent("?"))
	time.Sleep(300 * time.Millisecond)
	holds(t, ctx, `document.querySelector("#confirm").open && !document.querySelector("#help").open && document.querySelector("#state").innerText === "answered"`)
	do(t, ctx, chromedp.KeyEvent(kb.Escape))
	holds(t, ctx, `!document.querySelector("#confirm").open && document.activeElement.id === "send"`)
}

// The host of a URL is highlighted in its place, even if other parts of the URL have the same
// text.
func TestHostOfAnAddress(t *testing.T) {
	ctx := tab(t, inspect(t, "shop.example"))
	for url, want := range map[string]string{
		"https://Docs.Example/x": "https://[Docs.Example]/x", "http://t/t": "http://[t]/t", "https://b.example@a.example?c": "https://b.example@[a.example]?c",
		"https://\u0430.example/": "https://[xn--80a.example]/", "mailto:a@example.com": "mailto:a@example.com",
	} {
		got, err := chromedp.Run(ctx, chromedp.Evaluate[string](`import("./app/dom.js").then((dom) => [...dom.address(`+quoted(url)+`).childNodes].map((n) => n.nodeName === "B" ? "[" + n.textContent + "]" : n.textContent).join(""))`,
			func(p *runtime.EvaluateParams) { yes := true; p.AwaitPromise = &yes }))
		if err != nil || got != want {
			t.Errorf("%s is %q, want %q: %v", url, got, want, err)
		}
	}
}

// quoted returns a literal for a script.
func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}
