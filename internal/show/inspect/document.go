package inspect

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/syntax/textpos"
)

// documentView is the text of a document, with the diagnostics at its lines.
type documentView struct {
	URL string `json:"url"`
	// Lines are the lines of the text, without line ends. Invisible characters are escaped.
	Lines []string `json:"lines,omitempty"`
	Marks []mark   `json:"marks,omitempty"`
	// Note is a note of ours about the text.
	Note string `json:"note,omitempty"`
}

// mark is a diagnostic at its line. Line is 0 if it is not known.
type mark struct {
	Line     int    `json:"line,omitempty"`
	Pointer  string `json:"pointer,omitempty"`
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	// Means and Mend are copied from the rule.
	Means string `json:"means,omitempty"`
	Mend  string `json:"mend,omitempty"`
	// Spec is the citation of the specification, and SpecURL its URL.
	Spec    string `json:"spec,omitempty"`
	SpecURL string `json:"specUrl,omitempty"`
}

// Class returns the severity as a class of the page. The severity in a stored Site may be any
// text.
func (m mark) Class() wayfind.Severity {
	switch s := wayfind.Severity(m.Severity); s {
	case wayfind.SeverityError, wayfind.SeverityWarning:
		return s
	}
	return wayfind.SeverityInfo
}

// wideLine is the mean length of lines above which JSON is reformatted, because nothing can be
// marked in a text on one line.
const wideLine = 200

// texts caches some documents of an answer, because all details of an answer need the same
// documents repeatedly.
type texts struct {
	mu     sync.Mutex
	of     *wayfind.Site
	places map[string]*textpos.Text
	views  map[string]*documentView
}

// maxTexts is the maximum number of documents that are cached in each form.
const maxTexts = 8

// begin prepares the cache for a Site. The lock must be held.
func (t *texts) begin(site *wayfind.Site) {
	if t.of != site || len(t.places) > maxTexts || len(t.views) > maxTexts {
		t.of, t.places, t.views = site, map[string]*textpos.Text{}, map[string]*documentView{}
	}
}

// document returns the text of a document that was read. It is shared and must not be changed.
func (i *Inspector) document(site *wayfind.Site, url string) *documentView {
	t := &i.texts
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begin(site)
	if v := t.views[url]; v != nil {
		return v
	}
	v := &documentView{URL: url}
	body, found := i.body(site, url)
	if found {
		t.views[url] = v
	} else {
		v.Note = "The text of this document is not there: it was not read in this session."
	}
	shown := body
	if lines := bytes.Count(body, []byte("\n")) + 1; len(body)/lines > wideLine {
		if wide := []byte(indented(body)); !bytes.Equal(wide, body) {
			shown, v.Note = wide, "The document has too few lines to point at, so it is laid out anew here."
		}
	}
	place := textpos.New(shown)
	for n := range site.Diagnostics {
		if d := &site.Diagnostics[n]; d.Source == url {
			v.Marks = append(v.Marks, markOf(d, place, bytes.Equal(shown, body)))
		}
	}
	slices.SortStableFunc(v.Marks, func(a, b mark) int { return cmp.Compare(a.Line, b.Line) })
	for _, line := range place.Lines() {
		v.Lines = append(v.Lines, text.Printable(strings.TrimRight(line, "\r\n")))
	}
	return v
}

// markOf returns the mark for a diagnostic in a text. same must be true if the text has the
// lines of the document.
func markOf(d *wayfind.Diagnostic, place *textpos.Text, same bool) mark {
	rule, _ := client.Explain(d.Code, nil)
	m := mark{Pointer: d.Pointer, Severity: humanize.Severity(d.Severity), Code: d.Code, Message: d.Message, Means: rule.Means, Mend: rule.Mend}
	if d.Spec != nil {
		m.Spec, m.SpecURL = humanize.Cite(*d.Spec), d.Spec.URL
	}
	if place != nil {
		at := *d
		if !same {
			at.Line = 0 // the line in the document, not in this text
		}
		m.Line, _ = place.Position(at)
	}
	return m
}

// body returns the answer for the URL of a document, or for the URL after redirects.
func (i *Inspector) body(site *wayfind.Site, url string) (body []byte, found bool) {
	places := []string{url}
	if s := site.Source(url); s != nil {
		places = append(places, s.FinalURL)
	}
	for _, at := range places {
		if x := i.Documents.lookup(at); x != nil && x.Failure == nil && len(x.Body) > 0 {
			return x.Body, true
		}
	}
	return nil, false
}

// said returns the value at a place of a document, or "" if it cannot be found.
func (i *Inspector) said(site *wayfind.Site, ref wayfind.Ref) string {
	t := &i.texts
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begin(site)
	place := t.places[ref.Source]
	if place == nil {
		body, found := i.body(site, ref.Source)
		if !found {
			return ""
		}
		place = textpos.New(body)
		t.places[ref.Source] = place
	}
	if n := place.At(ref.Pointer); n.Exists() && ref.Pointer != "" {
		return valueText(n.Raw())
	}
	return ""
}
