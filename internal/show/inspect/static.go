package inspect

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
)

//go:embed static/style.css
var staticStyle string

// Limits of the static page, which cannot load rows on demand.
const (
	// shortDocument is the maximum number of lines of a document that is shown in full. Of a
	// longer document only the marked lines and the lines around them are shown.
	shortDocument = 400
	linesAround   = 4
	// mostModel is the maximum length of JSON that is shown, in bytes.
	mostModel = 64 << 10
)

// staticPage is the content of the page without server and script.
type staticPage struct {
	Policy string
	Target string
	Error  string
	*siteView
	Parts     []staticPart
	Tools     int // the number of tools; -1 if they were not loaded
	Missing   []staticMissing
	Sections  []staticSection
	Documents []staticDocument
}

// staticMissing are the capabilities that are no tools for one reason.
type staticMissing struct {
	Reason string
	Keys   []string
}

type staticSection struct {
	Sort    sort
	Title   string
	Details []*detail
}

type staticPart struct {
	Part
	Depth int
	// Short is the Target without the origin that was asked.
	Short string
	// Begin and Took are times in milliseconds, or empty if they are not yet known.
	Begin, Took string
	// How describes the time of the stages and, for a connection, whether it was new.
	How string
}

type staticDocument struct {
	documentView
	Rows []staticLine
}

// staticLine is a line of a document. Number 0 represents lines that are omitted.
type staticLine struct {
	Number int
	Text   string
	Marks  []mark
}

// WriteHTML writes the newest answer as one page that needs no server and no script.
func (i *Inspector) WriteHTML(w io.Writer) error {
	site, err := i.Site()
	if err != nil {
		return err
	}
	page := &staticPage{Target: i.Target, siteView: viewSite(site)}
	state, _ := i.State()
	page.Error = state.Error
	page.Tools, page.Missing = i.staticMissing(site)
	parts, _, _ := i.Watch.Since(0)
	page.Parts = staticParts(parts, site.Asked())
	for _, g := range page.Groups {
		section := staticSection{Sort: g.Sort, Title: g.Title}
		for n := range g.Count {
			d, err := i.detail(site, g.Sort, n)
			if err != nil {
				return err
			}
			if len(d.Model) > mostModel {
				d.Model = ""
			}
			section.Details = append(section.Details, d)
		}
		page.Sections = append(page.Sections, section)
	}
	page.Documents = i.staticDocuments(site)
	return page.write(w)
}

// staticMissing returns the number of tools of the newest answer, and the capabilities that are none, by
// reason, the most frequent first.
func (i *Inspector) staticMissing(site *wayfind.Site) (n int, list []staticMissing) {
	s := &i.tools
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.loaded {
		return -1, nil
	}
	at := map[string]int{}
	for _, m := range NotTools(s.box, site) {
		if m.Whole() {
			continue // the error of the page
		}
		reason := m.Reason
		if m.Tool != "" {
			reason += ": see " + m.Tool
		}
		n, known := at[reason]
		if !known {
			n = len(list)
			at[reason] = n
			list = append(list, staticMissing{Reason: reason})
		}
		list[n].Keys = append(list[n].Keys, cmp.Or(m.Key, m.URL))
	}
	slices.SortStableFunc(list, func(a, b staticMissing) int { return len(b.Keys) - len(a.Keys) })
	return s.box.Len(), list
}

// staticDocuments returns the texts of the documents that were read, and of other documents
// with diagnostics.
func (i *Inspector) staticDocuments(site *wayfind.Site) (list []staticDocument) {
	var urls []string
	for n := range site.Sources {
		urls = append(urls, site.Sources[n].URL)
	}
	for _, d := range site.Diagnostics {
		if d.Source != "" && !slices.Contains(urls, d.Source) {
			urls = append(urls, d.Source)
		}
	}
	for _, u := range urls {
		v := i.document(site, u)
		list = append(list, staticDocument{*v, v.rows()})
	}
	return list
}

// rows returns the lines of a document that the static page shows.
func (v *documentView) rows() (rows []staticLine) {
	marks := map[int][]mark{}
	near := map[int]bool{}
	for _, m := range v.Marks {
		marks[m.Line] = append(marks[m.Line], m)
		for n := m.Line - linesAround; n <= m.Line+linesAround; n++ {
			near[n] = true
		}
	}
	if unplaced := marks[0]; unplaced != nil {
		rows = append(rows, staticLine{Marks: unplaced})
	}
	for n, line := range v.Lines {
		switch {
		case len(v.Lines) <= shortDocument || near[n+1] || n < linesAround:
			rows = append(rows, staticLine{n + 1, line, marks[n+1]})
		case rows[len(rows)-1].Number != 0:
			rows = append(rows, staticLine{Text: "…"})
		}
	}
	return rows
}

func staticParts(parts []Part, origin string) (list []staticPart) {
	slices.SortStableFunc(parts, func(a, b Part) int { return a.ID - b.ID })
	depth, asked := map[int]int{}, map[int]bool{} // asked: the requests with an exchange
	for _, p := range parts {
		asked[p.Within] = asked[p.Within] || p.Kind == client.EventExchange
	}
	for _, p := range parts {
		depth[p.ID] = 1
		if p.Within != 0 {
			depth[p.ID] = depth[p.Within] + 1
		}
		row := staticPart{Part: p, Depth: depth[p.ID], Begin: fmt.Sprintf("%.1f", p.BeginMs), Short: p.Target}
		if rest, ok := strings.CutPrefix(p.Target, origin); ok && strings.HasPrefix(rest, "/") {
			row.Short = rest
		}
		if p.EndMs != nil {
			row.Took = fmt.Sprintf("%.1f", *p.EndMs-p.BeginMs)
		}
		row.How = stagesText(p)
		if p.Kind == client.EventRequest && p.From != "" && p.From != originText(cache.FromNetwork, "") && !asked[p.ID] {
			row.How = "no request was needed"
		}
		list = append(list, row)
	}
	return list
}

// stagesText returns the stages of a part with their times.
func stagesText(p Part) string {
	var words []string
	for _, s := range p.Stages {
		words = append(words, fmt.Sprintf("%s %.1f", s.Name, s.Ms))
	}
	for _, w := range []struct {
		is   bool
		text string
	}{{p.Reused, "connection was open"}, {p.Joined, "shared with another call"}, {p.Attempt > 1, fmt.Sprintf("attempt %d", p.Attempt)}} {
		if w.is {
			words = append(words, w.text)
		}
	}
	return strings.Join(words, ", ")
}

// write writes the page. Its policy allows no script, no image and no connection, and no style
// except its own. Invisible characters are escaped, whatever their source is.
func (p *staticPage) write(w io.Writer) error {
	sum := sha256.Sum256([]byte(staticStyle))
	p.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	_, err := io.WriteString(w, printable(p.html()))
	return err
}

// parted is a URL split at its host.
type parted struct{ Before, Host, After string }

func splitAddress(s string) parted {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return parted{Before: s}
	}
	from := strings.Index(s, "//") + len("//")
	to := from + strings.IndexAny(s[from:]+"/", "/?#")
	from += strings.LastIndexByte(s[from:to], '@') + 1
	return parted{s[:from], s[from:to], s[to:]}
}

func isAddress(s string) bool {
	return (strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")) && !strings.ContainsAny(s, " \n")
}

// silence returns the reason why a column of readings has no value.
func silence(s statement, column int) string {
	switch {
	case s.Field == fieldInDocument && column == 0:
		return ""
	case s.Field == fieldInDocument:
		return "not found in its text"
	case column < len(s.Merged) && s.Merged[column]:
		return "merged into the answer: see its document"
	}
	return "says nothing"
}

// plainWord returns a word of JSON as a person writes it.
func plainWord(s string) string { return strings.ReplaceAll(s, "_", " ") }
