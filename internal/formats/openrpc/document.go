package openrpc

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// parseDocument reads a document: its service, and its methods, in full if that does not make
// the result much longer. live is set if the document is the response of an endpoint.
func parseDocument(in *parse.Input, live bool) (*parse.Reading, error) {
	r, err := newReader(in, live)
	if err != nil {
		return nil, err
	}
	reading := &parse.Reading{Version: r.version()}
	if r.Root.Pointer() != "" {
		reading.Dialect = DialectDiscover
	}
	service := r.service()
	methods := r.methods()
	for _, m := range methods {
		service.Capabilities = append(service.Capabilities, r.brief(m))
	}
	whole, rest := r.whole(methods, service.Capabilities)
	if whole != nil {
		service.Capabilities = whole
	} else {
		r.Report(ruleListedInShort, r.Root.Get("methods"), "the methods share so much that they are listed in short; the document gives each of them in full")
		for i := range service.Capabilities {
			if c := &service.Capabilities[i]; in.URL != nil && !live {
				c.Lazy, c.DetailURLs = true, []string{in.URL.String()}
			}
		}
	}
	switch list := r.Root.Get("methods"); {
	case len(methods) > 0:
	case list.Kind() == parse.Array && list.Len() == 0:
		r.Report(ruleNoMethod.AsInfo(), list, "the document has no method")
	default:
		reading.Unusable = "no method"
		r.Report(ruleNoMethod, r.Root, "the document has no method that can be read")
	}
	r.unused()
	reading.Services = []wayfind.Service{service}
	reading.Diagnostics = append(r.Diagnostics(), rest...)
	return reading, nil
}

// whole returns the methods in full, and their diagnostics. It returns nil if there is no room
// for them.
func (r *reader) whole(methods []method, list []wayfind.Capability) ([]wayfind.Capability, []wayfind.Diagnostic) {
	left := maxShared + 2*len(r.Root.Raw())
	f := *r
	f.Reader, f.left = newReporter(), &left
	full := make([]wayfind.Capability, len(list))
	for i, c := range list {
		f.fill(methods[i], &c)
		if full[i] = c; f.full() {
			return nil, nil
		}
	}
	return full, f.Diagnostics()
}

// version returns the version as written, and sets the minor number.
func (r *reader) version() string {
	version := r.Text(r.Root, "openrpc", parse.Must, "OpenRPC Object")
	n := r.Root.Get("openrpc")
	minor, known := minorOf(version)
	switch {
	case version == "":
	case !known:
		r.Report(ruleVersion, n, "version %q is not known; the document was read as 1.%d", version, newest)
	case minor > newest:
		r.Report(ruleVersion.AsInfo(), n, "version %q is newer than 1.%d; the document was read as that", version, newest)
	default:
		r.minor = minor
	}
	return version
}

// service reads the members that describe the API as a whole.
func (r *reader) service() wayfind.Service {
	const section = "Info Object"
	s := wayfind.Service{
		Sources:    parse.SourcesAt(r.Root),
		Extensions: r.Extensions(r.Root, "openrpc", "info", "servers", "methods", "components", "externalDocs", "$schema", parse.FilesMember),
	}
	info := r.Object(r.Root, "info", parse.Must, "OpenRPC Object")
	r.CaseVariants(info, "title", "version", "description", "termsOfService", "contact", "license")
	s.Name = r.String(info, "title", parse.Must, section)
	if s.Name == "" && info.Get("title").Kind() == parse.String {
		r.Report(ruleEmpty.AsWarning(), info.Get("title"), "the title is empty")
	}
	s.Version = r.Text(info, "version", parse.Must, section)
	s.Description = r.Prose(info, "description", section)
	if contact := r.Object(info, "contact", parse.Optional, section); contact.Len() > 0 {
		c := wayfind.Contact{
			Name: r.Prose(contact, "name", "Contact Object"), Email: r.Prose(contact, "email", "Contact Object"),
			URL: r.Link(contact, "url", r.Base, "Contact Object"),
		}
		if c != (wayfind.Contact{}) {
			s.Contact = &c
		}
		parse.Keep(&s.Extensions, "contact", rawjson.Some(r.rest(contact, "name", "email", "url")))
	}
	parse.SetExtension(&s.Extensions, "license", info.Get("license"))
	parse.SetExtension(&s.Extensions, "termsOfService", info.Get("termsOfService"))
	parse.SetExtensions(&s.Extensions, info)
	known := []string{"title", "version", "description", "contact", "license", "termsOfService"}
	parse.Keep(&s.Extensions, "info", rawjson.Some(r.rest(info, append(known, extensionsOf(info)...)...)))
	docs := r.Object(r.Root, "externalDocs", parse.Optional, "OpenRPC Object")
	s.DocsURL = r.Link(docs, "url", r.Base, "External Documentation Object")
	parse.Keep(&s.Extensions, "externalDocs", rawjson.Some(r.rest(docs, "url")))
	r.readServers()
	if servers := r.Root.Get("servers"); servers.Len() > 0 {
		r.called(servers, r.servers)
	}
	s.Interfaces = r.interfaces()
	return s
}

// unused reports the definitions that no method leads to: no result contains them.
func (r *reader) unused() {
	var lists []parse.Node
	for kind, list := range r.Root.Get("components").Members() {
		if !strings.HasPrefix(kind, "x-") {
			lists = append(lists, list)
		}
	}
	for i, names := range r.Unused(lists...) {
		if names != nil {
			r.Report(ruleUnused, lists[i], "definitions that no method leads to are not shown: %s", strings.Join(names[:min(len(names), 50)], ", "))
		}
	}
}
