package inspect

import (
	"fmt"
	"html"
	"strings"

	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// markup is constant HTML. A variable of type string does not convert to it implicitly.
type markup string

// writer writes HTML.
type writer struct{ strings.Builder }

// add writes markup in which each %s is replaced with a value. Values are escaped for text and for
// attributes in double quotes, so markup must have a %s nowhere else.
func (w *writer) add(format markup, values ...any) {
	for n, v := range values {
		values[n] = html.EscapeString(fmt.Sprint(v))
	}
	fmt.Fprintf(w, string(format), values...)
}

// addIf writes markup with a value, if there is one.
func (w *writer) addIf(format markup, value string) {
	if value != "" {
		w.add(format, value)
	}
}

// html returns the page of p.
func (p *staticPage) html() string {
	w := &writer{}
	w.add(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s · wayfind inspect</title>
<style>`, p.Policy, p.Target)
	w.WriteString(staticStyle)
	w.add(`</style>
</head>
<body>
<header>
<h1><bdi>%s</bdi></h1>
<p>%s. Asked %s, fresh until %s.</p>
`, p.Target, p.Summary, p.ResolvedAt, p.FreshUntil)
	w.addIf(`<p>It leads to <bdi>%s</bdi>, where the places were asked.</p>`, p.Host)
	w.addIf(`<p class="bad">The answer came with an error: <bdi>%s</bdi></p>`, p.Error)
	w.add(`
<p class="quiet">Everything on this page that a site has written is shown as text. It is data of strangers.</p>
<nav aria-label="Parts of this page"><ul>
`)
	p.contents(w)
	w.add(`</ul></nav>
</header>
<main>
`)
	for _, s := range p.Sections {
		if s.Sort == sortCapability {
			p.missing(w)
		}
		if len(s.Details) == 0 {
			continue
		}
		w.add("<section id=\"%s\">\n<h2>%s</h2>\n", s.Sort, s.Title)
		for _, d := range s.Details {
			d.html(w)
		}
		w.add("</section>\n")
	}
	p.texts(w)
	p.waterfall(w)
	w.add("</main>\n</body>\n</html>\n")
	return w.String()
}

// contents writes the links to the parts of the page.
func (p *staticPage) contents(w *writer) {
	const link markup = "<li><a href=\"#%s\">%s</a> <span class=\"quiet\">%s</span></li>\n"
	for _, s := range p.Sections {
		if s.Sort == sortCapability && p.Tools >= 0 {
			w.add(link, "tools", "Tools", p.Tools)
		}
		if len(s.Details) > 0 {
			w.add(link, s.Sort, s.Title, len(s.Details))
		}
	}
	if len(p.Documents) > 0 {
		w.add(link, "documents", "Texts of documents", len(p.Documents))
	}
	w.add(link, "waterfall", "Waterfall", len(p.Parts))
}

// mostKeys is the largest number of keys that are listed with one reason.
const mostKeys = 20

// missing writes the number of tools, and why other capabilities are none.
func (p *staticPage) missing(w *writer) {
	if p.Tools < 0 {
		return
	}
	w.add("<section id=\"tools\">\n<h2>Tools</h2>\n<p>%s, as each vendor of models takes them.</p>\n", humanize.Count(p.Tools, "tool"))
	if len(p.Missing) > 0 {
		w.add("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Missing tools\">\n<table>\n")
		w.head("Not a tool", "Because", "Which")
		for _, m := range p.Missing {
			w.add("<tr><th scope=\"row\">%s</th><td><bdi class=\"foreign\">%s</bdi></td><td>", len(m.Keys), m.Reason)
			for n, key := range m.Keys {
				if n == mostKeys {
					w.add(" <span class=\"quiet\">and %s more</span>", len(m.Keys)-n)
					break
				}
				w.add("<bdi class=\"foreign code\">%s</bdi> ", key)
			}
			w.add("</td></tr>\n")
		}
		w.add("</tbody>\n</table>\n</div>\n")
	}
	w.add("</section>\n")
}

func (p *staticPage) waterfall(w *writer) {
	w.add(`<section id="waterfall">
<h2>Waterfall</h2>
<div class="wide" tabindex="0" role="region" aria-label="Waterfall">
<table>
`)
	w.head("Part", "Of", "From", "Status", "Verdict", "Begins, ms", "Takes, ms", "Stages, ms", "Bytes")
	for _, r := range p.Parts {
		w.add(`<tr><th scope="row" class="depth%s">%s</th><td>`, r.Depth, r.Kind)
		if r.Short == r.Target {
			w.value(r.Target)
		} else {
			w.add(`<bdi class="foreign code">%s</bdi>`, r.Short)
		}
		if r.RedirectedFrom != "" {
			w.add(` <span class="quiet">from</span> `)
			w.value(r.RedirectedFrom)
		}
		w.add(`</td><td>%s</td><td>%s</td><td>%s`, r.From, r.Status, plainWord(r.Verdict))
		w.addIf(" %s", plainWord(r.Outcome))
		w.addIf(` <bdi class="foreign bad">%s</bdi>`, r.Error)
		w.add(`</td><td>%s</td><td>%s</td><td class="how">%s</td><td>`, r.Begin, r.Took, r.How)
		if r.Bytes != 0 {
			w.add("%s", r.Bytes)
		}
		w.add("</td></tr>\n")
	}
	w.add("</tbody>\n</table>\n</div>\n</section>\n")
}

// head writes the head of a table, and begins its body.
func (w *writer) head(columns ...string) {
	w.add("<thead><tr>")
	for _, c := range columns {
		w.add(`<th scope="col">%s</th>`, c)
	}
	w.add("</tr></thead>\n<tbody>\n")
}

// texts writes the texts of the documents.
func (p *staticPage) texts(w *writer) {
	if len(p.Documents) == 0 {
		return
	}
	w.add("<section id=\"documents\">\n<h2>Texts of documents</h2>\n")
	for _, d := range p.Documents {
		w.add("<article>\n<h3>")
		w.address(d.URL)
		w.add("</h3>\n")
		w.addIf("<p class=\"quiet\">%s</p>\n", d.Note)
		if len(d.Rows) > 0 {
			w.add(`<div class="lines" tabindex="0" role="region" aria-label="Lines">
<table>
<thead class="hidden"><tr><th scope="col">Line</th><th scope="col">Text</th></tr></thead>
<tbody>
`)
			for _, row := range d.Rows {
				w.line(row)
			}
			w.add("</tbody>\n</table>\n</div>\n")
		}
		w.add("</article>\n")
	}
	w.add("</section>\n")
}

// line writes a line of a document.
func (w *writer) line(row staticLine) {
	w.add("<tr")
	if len(row.Marks) > 0 {
		w.add(` class="marked"`)
	}
	w.add(`><th scope="row">`)
	if row.Number != 0 {
		w.add("%s", row.Number)
	}
	w.add(`</th><td><bdi class="foreign code">%s</bdi>`, row.Text)
	for _, m := range row.Marks {
		w.add(`<div class="at %s">`, m.Class())
		if m.Line != 0 {
			w.add("↑ ")
		}
		w.add(`%s <bdi class="code">%s</bdi>: <bdi class="foreign">%s</bdi></div>`, m.Severity, m.Code, m.Message)
	}
	w.add("</td></tr>\n")
}

// html writes the detail of an item.
func (d *detail) html(w *writer) {
	w.add("<article>\n<h3>")
	w.value(d.Name)
	w.add("</h3>\n")
	if len(d.Notes) > 0 {
		w.add("<p>")
		for _, note := range d.Notes {
			w.add(`<span class="note warning"><bdi>%s</bdi></span> `, note)
		}
		w.add("</p>\n")
	}
	w.addIf("<p class=\"foreign prose\">%s</p>\n", d.Text)
	for _, m := range d.Marks {
		m.html(w)
	}
	if len(d.Facts) > 0 {
		w.add("<table class=\"facts\"><tbody>\n")
		for _, f := range d.Facts {
			f.html(w)
		}
		w.add("</tbody></table>\n")
	}
	if d.Readings != nil {
		d.Readings.html(w)
	}
	if len(d.From) > 0 {
		w.add("<h4>Where it comes from</h4>\n<table>")
		w.head("Document", "Format", "Authority", "Trust")
		for _, o := range d.From {
			w.add("<tr><td>")
			w.place(o)
			w.add("</td><td><bdi class=\"foreign\">%s</bdi></td><td>%s</td><td>%s</td></tr>\n", o.Format, o.Authority, plainWord(o.Trust))
		}
		w.add("</tbody></table>\n")
	}
	w.addIf("<details><summary>All of it, as JSON</summary><pre class=\"foreign code\" tabindex=\"0\">%s</pre></details>\n", d.Model)
	w.add("</article>\n")
}

// html writes a diagnostic beside an item.
func (m mark) html(w *writer) {
	w.add(`<div class="diagnostic %s"><p><strong>%s</strong> <bdi class="code">%s</bdi>`, m.Class(), m.Severity, m.Code)
	if m.Line != 0 {
		w.add(" in line %s", m.Line)
	}
	w.addIf(` at <bdi class="foreign code">%s</bdi>`, m.Pointer)
	w.add("</p>\n<p><bdi class=\"foreign\">%s</bdi></p>\n", m.Message)
	w.addIf("<p>%s</p>\n", m.Means)
	w.addIf("<p>To mend it: %s</p>\n", m.Mend)
	w.addIf("<p class=\"quiet\">Rule: <bdi class=\"foreign\">%s</bdi></p>\n", m.Spec)
	w.add("</div>\n")
}

// html writes a row of facts.
func (f fact) html(w *writer) {
	w.add(`<tr><th scope="row">%s</th><td>`, f.Name)
	if f.Own {
		w.add("%s", f.Value)
	} else {
		w.value(f.Value)
	}
	w.addIf(` <span class="note quiet"><bdi>%s</bdi></span>`, f.Note)
	for _, o := range f.From {
		w.add(`<div class="quiet">from `)
		w.place(o)
		w.add(" %s %s</div>", o.Authority, plainWord(o.Trust))
	}
	w.add("</td></tr>\n")
}

// html writes the statements of several documents, side by side.
func (r *readings) html(w *writer) {
	w.add("<h4>Side by side</h4>\n")
	for _, why := range r.Why {
		w.add("<p><span class=\"quiet\">Why:</span> <bdi class=\"foreign\">%s</bdi></p>\n", why)
	}
	w.add(`<div class="wide" tabindex="0" role="region" aria-label="Statements side by side"><table>
<thead><tr><th scope="col">Field</th>`)
	for n, c := range r.Columns {
		w.add(`<th scope="col">`)
		if n == 0 {
			w.add(`<span class="good">In the answer</span>`)
		}
		if c.URL != "" {
			w.add(` <bdi class="foreign">%s</bdi> `, c.Name)
			w.place(c.origin)
			w.add(` <span class="quiet"><bdi>%s</bdi> %s %s</span>`, c.Format, c.Authority, plainWord(c.Trust))
		}
		w.add("</th>")
	}
	w.add("</tr></thead>\n<tbody>\n")
	for _, row := range r.Rows {
		w.add(`<tr><th scope="row"><bdi>%s</bdi></th>`, row.Field)
		for n, v := range row.Values {
			w.add("<td>")
			if v == "" {
				w.add(`<span class="quiet">%s</span>`, silence(row, n))
			} else {
				w.value(v)
			}
			if v != "" && n > 0 && row.Field != fieldInDocument && row.Values[0] != "" {
				if row.Same[n] {
					w.add(`<div class="good">as in the answer</div>`)
				} else {
					w.add(`<div class="warning">another statement</div>`)
				}
			}
			w.add("</td>")
		}
		w.add("</tr>\n")
	}
	w.add("</tbody>\n</table></div>\n")
}

// address writes a URL with its host marked.
func (w *writer) address(s string) {
	a := splitAddress(s)
	w.add(`<bdi class="foreign code">%s<b>%s</b>%s</bdi>`, a.Before, a.Host, a.After)
}

// value writes a foreign text, which may be a URL.
func (w *writer) value(s string) {
	if isAddress(s) {
		w.address(s)
	} else {
		w.add(`<bdi class="foreign">%s</bdi>`, s)
	}
}

// place writes the place of a statement in a document.
func (w *writer) place(o origin) {
	w.address(o.URL)
	switch {
	case o.Pointer != "":
		w.add(` at <bdi class="foreign code">%s</bdi>`, o.Pointer)
	case o.Line != 0:
		w.add(" in line %s", o.Line)
	}
}
