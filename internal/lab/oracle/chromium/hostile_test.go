package chromium

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	model "github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// markup contains texts that would have an effect as markup, as a URL or as a template, and a
// text that is written from right to left.
var markup = []string{
	`<img src=x onerror="window.hit=1">`, `"><script>window.hit=1</script>`, `'><svg onload=window.hit=1>`, `</title></style></script><b id=hit>`,
	`javascript:window.hit=1`, `data:text/html,<script>window.hit=1</script>`, `<a href="https://evil.test/">here</a>`, `<iframe src="https://evil.test/">`,
	`{{constructor.constructor('window.hit=1')()}}`, `<form action="https://evil.test/"><button>`, `<meta http-equiv=refresh content="0;url=https://evil.test/">`,
	`<link rel=stylesheet href="https://evil.test/">`, `<base href="https://evil.test/">`, `<style>*{display:none}</style>`, `<template shadowrootmode=open>`,
	`https://evil.test/" onmouseover="window.hit=1`, `\u003cimg src=x onerror=window.hit=1\u003e`, "\u05e9\u05dc\u05d5\u05dd 100 \u0645\u0631\u062d\u0628\u0627",
	`" autofocus onfocus=window.hit=1 x="`, `<math><mtext><img src=x onerror=window.hit=1>`, `%3Cscript%3Ewindow.hit=1%3C/script%3E`, `<dialog open>`,
}

// hostile returns texts of the catalogue, each with some markup.
type hostile struct {
	*golden.Hostile
	n int
}

func (h *hostile) text() string {
	h.n++
	return " " + h.Text() + " " + markup[h.n%len(markup)]
}

// poison adds texts to all strings of a document that are prose, and to new members.
func (h *hostile) poison(v any) any {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, " ") {
			return v + h.text()
		}
	case []any:
		for n := range v {
			v[n] = h.poison(v[n])
		}
	case map[string]any:
		for name := range v {
			v[name] = h.poison(v[name])
		}
		v["x-"+markup[h.n%len(markup)]] = h.text()
	}
	return v
}

// document poisons a document.
func (h *hostile) document(body []byte) []byte {
	var v any
	if json.Unmarshal(body, &v) == nil {
		out, _ := json.MarshalIndent(h.poison(v), "", "  ")
		return out
	}
	var out bytes.Buffer
	for line := range strings.Lines(string(body)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.Contains(line, " ") {
			line += strings.ReplaceAll(h.text(), "\n", " ")
		}
		out.WriteString(line + "\n")
	}
	return out.Bytes()
}

// recording returns a recording of a site of the demo with poisoned documents.
func (h *hostile) recording(t *testing.T, host string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "rec")
	wayfind(t, "resolve", "--save", dir, host)
	files, err := filepath.Glob(filepath.Join(dir, host, "*.http"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, body, _ := bytes.Cut(content, []byte("\n\n"))
		if err := os.WriteFile(file, bytes.Join([][]byte{head, h.document(body)}, []byte("\n\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// fill adds texts to each string of a value.
func (h *hostile) fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(h.text())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			h.fill(v.Elem(), depth-1)
		}
	case reflect.Struct:
		for n := range v.NumField() {
			if v.Type().Field(n).IsExported() {
				h.fill(v.Field(n), depth)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			raw, _ := json.Marshal(h.text())
			v.SetBytes(raw)
		} else if depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			h.fill(v.Index(0), depth-1)
			h.fill(v.Index(1), depth-1)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		h.fill(key, depth)
		h.fill(value, depth-1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	}
}

// answer returns a file with an answer in which each text is hostile.
func (h *hostile) answer(t *testing.T, host string) string {
	t.Helper()
	var site model.Site
	h.fill(reflect.ValueOf(&site).Elem(), 5)
	site.Origin, site.Base, site.Probes = "https://"+host, "", nil
	text, err := json.Marshal(site)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "hostile.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// audit lists the elements and attributes that our pages do not use, and the right-to-left
// texts that are not isolated from our texts.
const audit = `(() => {
	const found = [];
	if (window.hit !== undefined) found.push("a script of a text has run");
	const known = new Set(("html head meta title link script style body header h1 h2 h3 h4 p button kbd div main footer noscript nav ul ol li section article span bdi b strong em i code pre " +
		"table caption thead tbody tr th td col colgroup details summary label a input select option optgroup textarea fieldset legend dl dt dd dialog form output progress small hr br svg g rect line text title path circle sup datalist").split(" "));
	for (const e of document.querySelectorAll("*")) {
		if (!known.has(e.localName)) found.push("element " + e.localName);
		if (e.localName === "script" && !(e.getAttribute("src") ?? "").startsWith("app/")) found.push("a script of its own");
		if (e.localName === "a" && !(e.getAttribute("href") ?? "").startsWith("#")) found.push("a link");
		if (e.localName === "form" && e.hasAttribute("action")) found.push("a form that leads away");
		for (const a of e.attributes) {
			if (a.name.startsWith("on")) found.push("attribute " + a.name);
			if (["href", "src", "srcdoc", "action", "formaction", "background", "poster", "data"].includes(a.name) && !/^(app\/|#)/.test(a.value)) found.push(a.name + "=" + a.value);
		}
	}
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) {
		if (!/[\u0590-\u08ff\u202a-\u202e\u2066-\u2069]/.test(walker.currentNode.data)) continue;
		let e = walker.currentNode.parentElement;
		while (!/isolate|plaintext/.test(getComputedStyle(e).unicodeBidi)) e = e.parentElement;
		const apart = e.matches("bdi, .foreign, option") || e.childNodes.length === 1;
		if (!apart) found.push("a text from the right in " + walker.currentNode.parentElement.outerHTML.slice(0, 200));
	}
	return [...new Set(found)];
})()`

// harmless fails the test if the page differs from a page with plain texts.
func (h *hostile) harmless(t *testing.T, ctx context.Context, what string) {
	t.Helper()
	for _, found := range value[[]string](t, ctx, audit) {
		t.Errorf("%s: %s", what, found)
	}
	texts := value[[]string](t, ctx, `[document.body.textContent, ...[...document.querySelectorAll("input, textarea, option")].map((e) => e.value)]`)
	for _, text := range texts {
		if why := h.Hidden(text); why != "" {
			t.Errorf("%s: a character that does not show: %s", what, why)
		}
	}
}

// Hostile text in any place of a site has no effect in any view: it creates no element,
// request, dialog or navigation, and does not reverse our texts.
func TestHostileText(t *testing.T) {
	h := &hostile{Hostile: golden.NewHostile(t)}
	const host = "everything.example"
	dir := h.recording(t, host)
	address := inspectAlone(t, "--against", h.answer(t, host), dir)
	ctx := tab(t, "about:blank")
	seen := watch(t, ctx, address)
	do(t, ctx, chromedp.Navigate(address))
	shows(t, ctx, "#state", "answered")
	for n := range views {
		do(t, ctx, chromedp.KeyEvent(fmt.Sprint(n+1)))
		opened(t, ctx, views[n])
		h.harmless(t, ctx, views[n])
		for row := range min(3, value[int](t, ctx, `document.querySelectorAll("main .row").length`)) {
			value[any](t, ctx, fmt.Sprintf(`document.querySelectorAll("main .row")[%d]?.click(), document.querySelectorAll("main details").forEach((e) => { e.open = true; })`, row))
			h.harmless(t, ctx, fmt.Sprint(views[n], " row ", row))
		}
	}
	do(t, ctx, chromedp.KeyEvent("2"))
	shows(t, ctx, ".content", "documents read:")
	for _, sort := range value[[]string](t, ctx, `[...document.querySelectorAll(".chip[data-sort]")].map((e) => e.dataset.sort).filter((s) => s !== "")`) {
		do(t, ctx, chromedp.Click(`.chip[data-sort="`+sort+`"]`))
		for n := range min(4, value[int](t, ctx, `document.querySelectorAll(".split .row").length`)) {
			value[any](t, ctx, fmt.Sprintf(`document.querySelectorAll(".split .row")[%d].click()`, n))
			shows(t, ctx, ".pane h2", map[string]string{"source": "read", "probe": "asked"}[sort])
			h.harmless(t, ctx, fmt.Sprint(sort, " ", n))
		}
	}
	do(t, ctx, chromedp.KeyEvent("5"))
	shows(t, ctx, ".comparison", "Things that differ")
	for n := range 3 {
		value[any](t, ctx, fmt.Sprintf(`document.querySelectorAll(".split .row")[%d].click()`, n))
		h.harmless(t, ctx, fmt.Sprint("change ", n))
	}
	seen.check(t)
	value[any](t, ctx, `document.querySelector("main").append(document.createElement("important"), "\u05e9")`)
	if found := value[[]string](t, ctx, audit); len(found) != 2 {
		t.Errorf("an element and a text from the right are not seen: %q", found)
	}
}

// The same texts have no effect in the page without server and script.
func TestHostileHTML(t *testing.T) {
	h := &hostile{Hostile: golden.NewHostile(t)}
	for _, host := range []string{"everything.example", "sloppy.example"} {
		ctx, seen := static(t, h.recording(t, host))
		shows(t, ctx, "h1", host)
		if n := value[int](t, ctx, `document.querySelectorAll("article").length`); n < 20 {
			t.Errorf("%s: only %d articles", host, n)
		}
		value[any](t, ctx, `document.querySelectorAll("details").forEach((e) => { e.open = true; })`)
		h.harmless(t, ctx, "static page of "+host)
		if n := value[int](t, ctx, `document.querySelectorAll("script, link, input, dialog, svg, form").length`); n != 0 {
			t.Errorf("%s: %d elements that the page has not", host, n)
		}
		seen.check(t)
	}
}
