package describe

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
)

// OneDocument completes the capabilities of a Site whose details are in its only document. An
// OpenAPI description is only a table of contents until then. Other documents are not requested.
// It returns the diagnostics of the Site, with diagnostics about the details and about members
// whose names are misspelt: only a reader of everything knows which names are unknown.
func OneDocument(w *fuel.Counter, reader *reading.Reader, at reading.At, d *reading.Contents, site *wayfind.Site) []wayfind.Diagnostic {
	diags := slices.Clone(site.Diagnostics)
	if d.Input() == nil {
		return diags
	}
	at.Work = w
	d, trace := reader.Traced(w, d)
	known := map[string]bool{}
	for i := range site.Diagnostics {
		known[sameDiagnostic(&site.Diagnostics[i])] = true
	}
	for i := range site.Services {
		s := &site.Services[i]
		s.Capabilities = slices.Clone(s.Capabilities)
		for j := range s.Capabilities {
			for _, more := range fromDocument(w, reader, at, d, s, &s.Capabilities[j]) {
				if key := sameDiagnostic(&more); !known[key] {
					known[key] = true
					diags = append(diags, more)
				}
			}
		}
	}
	return reader.NameMisspelt(w, d, trace, at, diags)
}

// fromDocument reads the document again for a capability with its format, and returns the
// diagnostics about that.
func fromDocument(w *fuel.Counter, reader *reading.Reader, at reading.At, d *reading.Contents, s *wayfind.Service, c *wayfind.Capability) []wayfind.Diagnostic {
	name, _, _ := strings.Cut(c.Key, ":")
	i := slices.IndexFunc(reader.Formats, func(f *parse.Format) bool { return f.Name == name && f.Detail != nil })
	if i < 0 || !c.Lazy || !slices.Contains(c.DetailURLs, at.Requested.String()) {
		return nil
	}
	w.Text(len(d.Input().Body)) // it is read once more
	made, err := reader.Detail(w, d, reader.Formats[i], parse.Subject{Service: s, Capability: c})
	if err != nil {
		return nil // the reading as a whole reports the faults
	}
	located := made.At(at)
	if found := firstCapability(located); found != nil && made.Unusable == "" {
		merge.Complete(w, s, c, found, located.Source.Trust == wayfind.TrustCrossSite)
	}
	return d.Spared(at, at.Diagnostics(made.Diagnostics))
}

// sameDiagnostic returns a text that identifies a diagnostic within one document.
func sameDiagnostic(d *wayfind.Diagnostic) string { return d.Code + " " + d.Pointer + " " + d.Message }
