package client

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/describe"
	"github.com/wayfindhq/wayfind/internal/fuel"
	"github.com/wayfindhq/wayfind/internal/merge"
	"github.com/wayfindhq/wayfind/internal/reading"
	"github.com/wayfindhq/wayfind/parse"
)

// full completes the capabilities of a result whose details stand in the same
// document, as Describe would: an OpenAPI description is a table of contents
// until then. Other documents are not asked about the rest.
func (p *parser) full(w *fuel.Counter, res *ParseResult, d *reading.Contents) {
	if d.Input() == nil {
		return
	}
	known := map[string]bool{}
	for i := range res.Diagnostics {
		known[sameDiagnostic(&res.Diagnostics[i])] = true
	}
	for i := range res.Site.Services {
		s := &res.Site.Services[i]
		s.Capabilities = slices.Clone(s.Capabilities)
		for j := range s.Capabilities {
			for _, more := range p.completed(w, d, s, &s.Capabilities[j]) {
				if key := sameDiagnostic(&more); !known[key] {
					known[key] = true
					res.Diagnostics = append(res.Diagnostics, more)
				}
			}
		}
	}
	res.Site.Diagnostics = res.Diagnostics
}

// completed lets the format of a capability read the document again for it, and
// returns the diagnostics about that.
func (p *parser) completed(w *fuel.Counter, d *reading.Contents, s *wayfind.Service, c *wayfind.Capability) []wayfind.Diagnostic {
	name, _, _ := strings.Cut(c.Key, ":")
	i := slices.IndexFunc(p.reader.Formats, func(f *parse.Format) bool { return f.Name == name && f.Detail != nil })
	if i < 0 || !c.Lazy || !slices.Contains(c.DetailURLs, p.at.Requested.String()) {
		return nil
	}
	w.Text(len(d.Input().Body)) // it is read once more
	made, err := p.reader.Detail(w, d, p.reader.Formats[i], parse.Subject{Service: s, Capability: c})
	if err != nil {
		return nil // the reading as a whole reports the faults
	}
	at := p.at
	at.Work = w
	located := made.At(at)
	if found := describe.FirstCapability(located); found != nil && made.Unusable == "" {
		merge.Complete(w, s, c, found, located.Source.Trust == wayfind.TrustCrossSite)
	}
	return p.at.Diagnostics(made.Diagnostics)
}

// sameDiagnostic identifies a diagnostic within one document.
func sameDiagnostic(d *wayfind.Diagnostic) string { return d.Code + " " + d.Pointer + " " + d.Message }
