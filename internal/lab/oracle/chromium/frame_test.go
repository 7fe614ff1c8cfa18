package chromium

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// focused describes the element that has the focus: its accessible name, and why it is hard to
// use with a keyboard.
const focused = `(() => {
	const e = document.activeElement;
	if (!e || e === document.body) return { name: "", fault: "" };
	const box = e.getBoundingClientRect();
	const style = getComputedStyle(e);
	const labels = [...(e.labels ?? [])].map((l) => l.innerText).join(" ");
	const by = (e.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.innerText ?? "").join(" ");
	const name = (e.getAttribute("aria-label") || by.trim() || labels || e.innerText || e.getAttribute("title") || "").trim().slice(0, 60);
	let fault = "";
	if (box.width < 2 || box.height < 2) fault = "it cannot be seen";
	if (style.outlineStyle === "none" && e.id !== "view") fault = "its focus cannot be seen";
	if (name === "") fault = "it has no name";
	return { name: e.tagName.toLowerCase() + " " + name, fault };
})()`

type focus struct {
	Name  string `json:"name"`
	Fault string `json:"fault"`
}

// The whole page works without a mouse: each view opens, and each control in it gets the focus
// in turn, is visible, and has a name.
func TestKeyboardOnly(t *testing.T) {
	ctx := tab(t, inspect(t, "everything.example"))
	shows(t, ctx, "#state", "answered")
	for n, view := range views {
		do(t, ctx, chromedp.KeyEvent(fmt.Sprint(n+1)))
		opened(t, ctx, view)
		names := tabThrough(t, ctx, view)
		for _, want := range []string{"button Ask again", "button Keys", "button " + value[string](t, ctx, `document.querySelector("[aria-selected=true]").innerText.trim()`)} {
			if !strings.Contains(strings.Join(names, "\n"), want) {
				t.Errorf("%s: %q gets no focus, of\n%s", view, want, strings.Join(names, "\n"))
			}
		}
		do(t, ctx, chromedp.KeyEvent(kb.Escape))
		holds(t, ctx, `document.activeElement.getAttribute("role") === "tab"`)
	}
	do(t, ctx, chromedp.KeyEvent(kb.Home))
	opened(t, ctx, "waterfall")
	do(t, ctx, chromedp.KeyEvent(kb.ArrowLeft))
	opened(t, ctx, "compare")
	do(t, ctx, chromedp.KeyEvent(kb.ArrowRight+kb.ArrowRight))
	opened(t, ctx, "site")

	do(t, ctx, chromedp.KeyEvent("4"))
	opened(t, ctx, "call")
	holds(t, ctx, `document.activeElement.id === "tab-call"`)

	do(t, ctx, chromedp.KeyEvent("?"))
	shows(t, ctx, "dialog[open]", "Effect")
	shows(t, ctx, "dialog[open]", "ask the site again")
	do(t, ctx, chromedp.KeyEvent(kb.Escape))
	holds(t, ctx, `!document.querySelector("dialog").open`)

	do(t, ctx, chromedp.KeyEvent("r"))
	shows(t, ctx, "#state", "answered 2 times")
}

// tabThrough presses Tab until the focus leaves the page, and returns the names of the elements
// that had it.
func tabThrough(t *testing.T, ctx context.Context, view string) (names []string) {
	t.Helper()
	for n := range 400 {
		if n == 0 {
			value[any](t, ctx, `document.getElementById("again").focus()`)
		} else {
			do(t, ctx, chromedp.KeyEvent(kb.Tab))
		}
		f := value[focus](t, ctx, focused)
		if f.Name == "" || len(names) > 0 && f.Name == names[0] {
			return names
		}
		if f.Fault != "" {
			t.Errorf("%s: %s: %s", view, f.Name, f.Fault)
		}
		names = append(names, f.Name)
	}
	t.Errorf("%s: 400 keys do not lead through the view", view)
	return names
}

// A window that is 400 pixels wide shows each view without horizontal scrolling.
func TestNarrow(t *testing.T) {
	ctx := tab(t, inspect(t, "everything.example"))
	shows(t, ctx, "#state", "answered")
	do(t, ctx, chromedp.EmulateViewport(400, 800))
	for n, view := range views {
		do(t, ctx, chromedp.KeyEvent(fmt.Sprint(n+1)))
		opened(t, ctx, view)
		if wide := value[[]string](t, ctx, tooWide); len(wide) != 0 {
			t.Errorf("%s is too wide: %s", view, strings.Join(wide, "\n"))
		}
	}
	value[any](t, ctx, `document.getElementById("view").append(Object.assign(document.createElement("pre"), { textContent: "wide ".repeat(100) }))`)
	if wide := value[[]string](t, ctx, tooWide); len(wide) == 0 {
		t.Error("an element that is too wide is not seen")
	}
}

// tooWide lists the elements that extend beyond the window, except elements in a box that
// scrolls.
const tooWide = `(() => {
	const scrolls = (e) => { for (; e && e !== document.body; e = e.parentElement) if (["auto", "scroll", "hidden"].includes(getComputedStyle(e).overflowX)) return true; return false; };
	const list = [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !scrolls(e.parentElement))
		.map((e) => e.outerHTML.slice(0, 100));
	if (document.documentElement.scrollWidth > innerWidth) list.push("the page is " + document.documentElement.scrollWidth + " pixels wide");
	return list;
})()`

// All text is readable in dark and light mode.
func TestDarkAndLight(t *testing.T) {
	ctx := tab(t, inspect(t, "everything.example"))
	shows(t, ctx, "#state", "answered")
	papers := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		media(t, ctx, scheme)
		papers[scheme] = value[string](t, ctx, `getComputedStyle(document.body).backgroundColor`)
		for n, view := range views {
			do(t, ctx, chromedp.KeyEvent(fmt.Sprint(n+1)))
			opened(t, ctx, view)
			if pale := value[[]string](t, ctx, tooPale); len(pale) != 0 {
				t.Errorf("%s, %s: the contrast is below 4.5:\n%s", view, scheme, strings.Join(pale, "\n"))
			}
		}
	}
	if papers["light"] == papers["dark"] {
		t.Errorf("the background is %s in both", papers["light"])
	}
	value[any](t, ctx, `document.getElementById("state").style.color = "#444"`)
	if pale := value[[]string](t, ctx, tooPale); len(pale) == 0 {
		t.Error("a text that is too pale is not seen")
	}
}

func media(t *testing.T, ctx context.Context, scheme string) {
	t.Helper()
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}); err != nil {
		t.Fatal(err)
	}
}

// tooPale lists the texts with a contrast to their background below 4.5 (WCAG 2.2, 1.4.3),
// except disabled controls.
const tooPale = `(() => {
	const parse = (c) => { const n = c.match(/[\d.]+/g).map(Number); return { rgb: n.slice(0, 3), a: n[3] ?? 1 }; };
	const light = (rgb) => { const [r, g, b] = rgb.map((v) => (v /= 255, v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const over = (top, below) => top.rgb.map((v, i) => v * top.a + below[i] * (1 - top.a));
	const paper = (e) => {
		const layers = [];
		for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.a > 0) layers.push(c); if (c.a === 1) break; }
		return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
	};
	const list = new Set();
	for (const e of document.body.querySelectorAll("*")) {
		if (e.closest(":disabled, option, noscript") || !e.checkVisibility() || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
		const below = paper(e), ink = over(parse(getComputedStyle(e).color), below);
		const [a, b] = [light(ink), light(below)].sort((x, y) => y - x);
		const contrast = (a + 0.05) / (b + 0.05);
		if (contrast < 4.5) list.add(contrast.toFixed(2) + " " + e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 40));
	}
	return [...list].slice(0, 20);
})()`

// relay passes connections to an address until it is cut.
type relay struct {
	net.Listener
	to string

	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

func newRelay(t *testing.T, to string) *relay {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{Listener: listener, to: to}
	t.Cleanup(func() { _ = listener.Close(); r.setCut(true) })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go r.lead(conn)
		}
	}()
	return r
}

func (r *relay) lead(conn net.Conn) {
	out, err := net.Dial("tcp4", r.to)
	if err != nil {
		_ = conn.Close()
		return
	}
	r.mu.Lock()
	r.conns = append(r.conns, conn, out)
	cut := r.cut
	r.mu.Unlock()
	if cut {
		_, _ = conn.Close(), out.Close()
		return
	}
	go func() { _, _ = io.Copy(out, conn); _ = out.Close() }()
	_, _ = io.Copy(conn, out)
	_ = conn.Close()
}

func (r *relay) setCut(cut bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cut = cut
	if cut {
		for _, c := range r.conns {
			_ = c.Close()
		}
		r.conns = nil
	}
}

// If the server cannot be reached, the page shows a message, and continues when the server is
// back.
func TestLostServer(t *testing.T) {
	u, err := url.Parse(inspect(t, "everything.example"))
	if err != nil {
		t.Fatal(err)
	}
	r := newRelay(t, u.Host)
	u.Host = r.Addr().String()
	ctx, _ := emptyTab(t) // errors of connections are expected here
	do(t, ctx, chromedp.Navigate(u.String()))
	shows(t, ctx, "#state", "answered")
	r.setCut(true)
	shows(t, ctx, "#state", "wayfind cannot be reached; trying again")
	holds(t, ctx, `document.getElementById("again").disabled`)
	r.setCut(false)
	shows(t, ctx, "#state", "answered")
	do(t, ctx, chromedp.KeyEvent("r"))
	shows(t, ctx, "#state", "answered 2 times")
	shows(t, ctx, "#waterfall-run", "2:")
}

// A page that outlives its server shows that its address is no longer valid.
func TestEndedServer(t *testing.T) {
	first, err := url.Parse(inspect(t, "shop.example"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := url.Parse(inspect(t, "shop.example"))
	if err != nil {
		t.Fatal(err)
	}
	r := newRelay(t, first.Host)
	at := *first
	at.Host = r.Addr().String()
	ctx, _ := emptyTab(t)
	do(t, ctx, chromedp.Navigate(at.String()))
	shows(t, ctx, "#state", "answered")
	r.setCut(true)
	r.to = second.Host // another process has the port now, with another token
	r.setCut(false)
	shows(t, ctx, "#state", "wayfind has ended; its next launch has another address")
}
