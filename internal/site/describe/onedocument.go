package describe

import (
	"runtime"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/syntax/contract"
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
	one := &oneDocument{work: w, reader: reader, at: at, contents: d, left: maxDetails + detailsPerByte*len(d.Input().Body)}
	for i := range site.Services {
		s := &site.Services[i]
		s.Capabilities = slices.Clone(s.Capabilities)
		for j := range s.Capabilities {
			for _, more := range one.complete(s, &s.Capabilities[j]) {
				if key := sameDiagnostic(&more); !known[key] {
					known[key] = true
					diags = append(diags, more)
				}
			}
		}
	}
	runtime.KeepAlive(one.last)
	if one.beyond > 0 {
		total := one.full + one.beyond
		rule := reading.DocumentRule("limit").AsInfo().Beyond("capabilities in full", total, one.full)
		diags = append(diags, rule.Diagnostic(at.Requested.String(), "the definitions of %d capabilities are as long as the document allows; of the other %d only the requests are checked", one.full, one.beyond))
	}
	return reader.NameMisspelt(w, d, trace, at, diags)
}

const (
	// maxDetails and detailsPerByte are the size of all details of one document, in bytes, without
	// its size and in relation to it. Each operation has its own copy of the schemas that the
	// operations share, so the details may otherwise be as large as the square of the document.
	maxDetails     = 4 << 20
	detailsPerByte = 4
)

// oneDocument reads the details of the capabilities of a document.
type oneDocument struct {
	work     *fuel.Counter
	reader   *reading.Reader
	at       reading.At
	contents *reading.Contents
	left     int // bytes that the details may still have

	full, beyond int               // the capabilities before and beyond that
	last         *contract.Request // holds the schemas that the requests share
}

// complete reads the document again for a capability with its format, and returns the
// diagnostics about that. If the details would be too large, it reads only the request, whose
// schemas the capabilities share.
func (o *oneDocument) complete(s *wayfind.Service, c *wayfind.Capability) []wayfind.Diagnostic {
	w, reader, at, d := o.work, o.reader, o.at, o.contents
	name, _, _ := strings.Cut(c.Key, ":")
	i := slices.IndexFunc(reader.Formats, func(f *parse.Format) bool { return f.Name == name && f.Detail != nil })
	if i < 0 || !c.Lazy || !slices.Contains(c.DetailURLs, at.Requested.String()) {
		return nil
	}
	w.Text(len(d.Input().Body)) // it is read once more
	f, subject := reader.Formats[i], parse.Subject{Service: s, Capability: c}
	if o.left <= 0 {
		return o.check(f, subject)
	}
	o.full++
	made, err := reader.Detail(w, d, f, subject)
	if err != nil {
		return nil // the reading as a whole reports the faults
	}
	located := made.At(at)
	if found := firstCapability(located); found != nil && made.Unusable == "" {
		size := sizeOf(found)
		w.Text(size)
		o.left -= size
		merge.Complete(w, s, c, found, located.Source.Trust == wayfind.TrustCrossSite)
	}
	return d.Spared(at, at.Diagnostics(made.Diagnostics))
}

// check reads only the request of a capability.
func (o *oneDocument) check(f *parse.Format, subject parse.Subject) []wayfind.Diagnostic {
	o.beyond++
	if o.reader.Strict {
		return nil // it has no reading of the request alone
	}
	made, request, err := o.reader.Request(o.work, o.contents, f, subject)
	if err != nil {
		return nil
	}
	if request != nil {
		o.last = request
	}
	return o.contents.Spared(o.at, o.at.Diagnostics(made.Diagnostics))
}

// sizeOf returns the size of the schemas, examples and extensions of a capability, in bytes.
func sizeOf(c *wayfind.Capability) int {
	size := len(c.Input) + len(c.Output)
	for i := range c.Params {
		size += len(c.Params[i].Schema) + len(c.Params[i].Description)
	}
	for _, e := range c.Examples {
		size += len(e.Request) + len(e.Response)
	}
	for _, raw := range c.Extensions {
		size += len(raw)
	}
	return size
}

// sameDiagnostic returns a text that identifies a diagnostic within one document.
func sameDiagnostic(d *wayfind.Diagnostic) string { return d.Code + " " + d.Pointer + " " + d.Message }
